"""Run `paylab payout` in subprocesses that are killed at random points; the last one finishes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from random import Random

from paylab.simulator.server import Server


def kill_and_go_on(simulator, path, count, *, times, options):
    """Serve the simulator, kill the command `times` times, and let the last run finish."""
    begun, draw = len(simulator.world.tables["transfers"]), Random(count)
    points = sorted(draw.randrange(count * 9 // 10) for _ in range(times))
    with Server(simulator) as server:
        for point in points:
            _kill_at(_start(server, path, options), simulator, begun + point)
        assert _start(server, path, options).wait(300) == 0
    return points


def interrupt_and_go_on(simulator, path, count, options):
    """Interrupt the command after `count` transfers, let another finish; what the first said."""
    begun = len(simulator.world.tables["transfers"])
    with Server(simulator) as server:
        process = _start(server, path, options)
        _wait_for(process, simulator, begun + count)
        process.send_signal(signal.SIGINT)
        told = process.communicate()[1]
        assert _start(server, path, options).wait(300) == 0
    return process.returncode, told


def _start(server, path, options):
    """Start `paylab payout` in a subprocess."""
    keys = {
        "PAYLAB_BASE_URL": server.base_url,
        "PAYLAB_API_KEY": server.simulator.api_key,
        "PAYLAB_SECRET_KEY": server.simulator.secret_key,
    }
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "paylab", "payout", str(path), "--json", *given]
    env, pipe = {**os.environ, **keys}, subprocess.PIPE
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=pipe, text=True)


def _wait_for(process, simulator, count):
    """Wait until there are `count` transfers."""
    while len(simulator.world.tables["transfers"]) < count:
        assert process.poll() is None
        time.sleep(0.002)


def _kill_at(process, simulator, count):
    """Kill a process once there are `count` transfers."""
    _wait_for(process, simulator, count)
    process.kill()
    process.wait()
