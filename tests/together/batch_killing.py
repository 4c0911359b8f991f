"""Run `paylab payout` in processes that are killed at chosen points; the last one finishes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from random import Random
from threading import Event

from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator


class Holding(Simulator):
    """A simulator that can hold the answer to a payment while a process is stopped."""

    at = None

    def respond(self, request):
        """Answer a request; hold the answer to the payment of the number `at`, or a later one."""
        reply = super().respond(request)
        made = len(self.world.tables["transfers"])
        if request.method == "POST" and self.at is not None and made >= self.at:
            self.at = None
            self.reached.set()
            assert self.opened.wait(60), "nobody released the answer"
        return reply

    def stop(self, start, at, how):
        """Start a process, send it a signal while the payment `at` is held; return the process."""
        self.reached, self.opened = Event(), Event()
        self.at = len(self.world.tables["transfers"]) + at
        process = start()
        assert self.reached.wait(60), "the payment did not arrive"
        os.kill(getattr(process, "pid", process), how)
        self.opened.set()
        return process


def settings(server):
    """The environment of a command that uses a served simulator."""
    one = server.simulator
    named = {"BASE_URL": server.base_url, "API_KEY": one.api_key, "SECRET_KEY": one.secret_key}
    return {f"PAYLAB_{name}": value for name, value in named.items()}


def arguments(path, options, *more):
    """The arguments of `paylab` that send the payouts of a file."""
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    return ["payout", str(path), *given, *more]


def started(words, server):
    """Start `paylab` with a served simulator."""
    env, pipe = {**os.environ, **settings(server)}, subprocess.PIPE
    return subprocess.Popen([sys.executable, "-m", "paylab", *words], env=env, stdout=pipe)


def kill_and_go_on(simulator, path, count, *, times, options):
    """Serve the simulator, kill the command `times` times, and let the last run finish."""
    points = [Random(at).randrange(1, count // times) for at in range(times)]
    with Server(simulator) as server:
        start = partial(started, arguments(path, options), server)
        for point in points:
            simulator.stop(start, point, signal.SIGKILL).communicate()
        last = start()
        last.communicate()
        assert last.returncode == 0
    return points
