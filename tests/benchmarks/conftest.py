"""Benchmarks run on demand only: `pytest tests/benchmarks --benchmarks -s`.

Without `--benchmarks` nothing in this folder is collected: timings do not belong in every run.
A benchmark prints its table and asserts on ratios measured in the same run, never on seconds.
What was measured is added to `results.json`, by its title, with the machine, the date and the
load; the table in `80_reference.ipynb` is made from that file.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from subprocess import PIPE, Popen, run
from time import process_time

import pytest


def pytest_addoption(parser):
    """The option exists when this folder is named on the command line."""
    parser.addoption("--benchmarks", action="store_true", help="collect tests/benchmarks")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Benchmarks run one after the other, in this process: workers would disturb each other."""
    if config.getoption("--benchmarks", default=False) and hasattr(config.option, "dist"):
        config.option.numprocesses, config.option.dist, config.option.tx = 0, "no", []


def pytest_ignore_collect(config):
    """Leave the whole folder out unless it was asked for."""
    return None if config.getoption("--benchmarks", default=False) else True


RESULTS = Path(__file__).with_name("results.json")
REFERENCE, LISTING = (Path(__file__).with_name(f"{name}.py") for name in ("reference", "listing"))


def record(title, rounds, figures, goal=None):
    """Replace what is known under a title: figures by name, each a dict of numbers."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors"
    versions = f"Python {platform.python_version()}"
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    known[title] = {
        "machine": machine,
        "versions": versions,
        "date": datetime.now(UTC).date().isoformat(),
        "load": load,
        "rounds": rounds,
        "goal": goal,
        "figures": figures,
    }
    RESULTS.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    run([sys.executable, str(REFERENCE)], check=True)


@pytest.fixture(name="record", scope="session")
def record_fixture():
    """Writes what was measured into the results file."""
    return record


@pytest.fixture(name="serve", scope="session")
def lists():
    """Starts lists over loopback; gives their addresses."""
    started = []

    def serve(rows, milliseconds=0):
        command = [sys.executable, str(LISTING), str(rows), str(milliseconds)]
        started.append(Popen(command, stdout=PIPE, text=True))
        port = started[-1].stdout.readline().strip()  # printed when all pages are made
        assert port
        return f"http://127.0.0.1:{port}"

    yield serve
    for process in started:
        process.kill()


def race(calls, *, loops, rounds):
    """Processor seconds of one call by name, in each of so many interleaved rounds."""
    for call in calls.values():
        timed(call, loops // 10 + 1)  # warm up
    times = [{name: timed(call, loops) for name, call in calls.items()} for _ in range(rounds)]
    return {name: [each[name] for each in times] for name in calls}


def timed(call, loops):
    """Seconds of the processor of one of so many calls."""
    started = process_time()
    for _ in range(loops):
        call()
    return (process_time() - started) / loops


def ratio(times, base):
    """The median of the rounds' ratios: a slow moment hits both sides of one."""
    return median(one / other for one, other in zip(times, base, strict=True))


@pytest.fixture(name="compare", scope="session")
def compare_fixture():
    """Races calls, prints a table of medians, and gives each one's time and ratio to the first."""

    def compare(title, calls, *, loops, rounds=5, goal=None):
        times = race(calls, loops=loops, rounds=rounds)
        base = next(iter(times.values()))
        print(f"\n{title}: processor, medians of {rounds} rounds of {loops}, goal {goal}")
        figures = {}
        for name, each in times.items():
            us, times_base = round(median(each) * 1e6, 2), round(ratio(each, base), 2)
            figures[name] = {"us": us, "ratio": times_base}
            print(f"  {name:<30} {us:12,.2f} us {times_base:8.2f} x")
        record(title, rounds, figures, goal)
        return figures

    return compare
