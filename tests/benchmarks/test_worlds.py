"""Benchmarks of the double for tests: a world per test, and a hundred at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.testing.world import PaylabWorld

WORLDS = Path(__file__).with_name("worlds.py")
ROUNDS, READY = 5, 200


@pytest.fixture
def server():
    """The server of all worlds."""
    with Server(Simulator(frozen=False)) as server:
        yield server


def took(act):
    """The milliseconds of a call."""
    began = perf_counter()
    act()
    return (perf_counter() - began) * 1e3


def test_a_world_is_ready(server, tmp_path, record):
    """A world for a test takes less than 3 times as long as a simulator alone."""

    def world():
        PaylabWorld(server).close()

    ways = {"a simulator": lambda: Simulator(frozen=False), "a world": world}
    rounds = [{name: took(way) for name, way in ways.items()} for _ in range(READY)]
    goal, figures = "10 ms", {}
    print(f"\na world for a test: medians of {READY}, goal {goal}")
    for name in ways:
        found = median(each[name] for each in rounds)
        ratio = median(each[name] / each["a simulator"] for each in rounds)
        figures[name] = {"us": round(found * 1e3), "ratio": round(ratio, 2)}
        print(f"  {name:<14} {found:8.2f} ms {ratio:6.2f} x")
    record("a world for a test", READY, figures, goal)
    assert figures["a world"]["ratio"] < 3


def test_a_hundred_worlds_at_once(record):
    """A hundred worlds, each with a request, take less than 300 MB in all."""
    figures = {}
    for count in (1, 100):
        command = [sys.executable, str(WORLDS), str(count)]
        rounds = [
            json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            for _ in range(ROUNDS)
        ]
        figures[f"{count}"] = {
            name: round(median(each[name] for each in rounds), 3)
            for name in ("seconds", "peak_megabytes")
        }
    print(f"\nworlds behind one port, goal 300 MB: {figures}")
    record("worlds behind one port", ROUNDS, figures, "100: 300 MB")
    assert figures["1"]["peak_megabytes"] < 100
    assert figures["100"]["peak_megabytes"] < 300
