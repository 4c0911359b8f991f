"""Benchmarks run on demand only: `pytest tests/benchmarks --benchmarks -s`.

Without `--benchmarks` nothing in this folder is collected, because timings are slow and depend on
the machine. A benchmark prints a table. Most assertions are on ratios within one run; the others
are on processor time or memory. The figures are stored in `results.json` by title, with the
machine, the date and the load; the table in `80_reference.ipynb` is made from that file.
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
    """Add `--benchmarks`, which exists when this folder is named on the command line."""
    parser.addoption("--benchmarks", action="store_true", help="collect tests/benchmarks")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run benchmarks one by one in this process, because workers disturb each other."""
    if config.getoption("--benchmarks", default=False) and hasattr(config.option, "dist"):
        config.option.numprocesses, config.option.dist, config.option.tx = 0, "no", []


def pytest_ignore_collect(config):
    """Ignore this folder unless `--benchmarks` is given."""
    return None if config.getoption("--benchmarks", default=False) else True


RESULTS = Path(__file__).with_name("results.json")
REFERENCE, LISTING = (Path(__file__).with_name(f"{name}.py") for name in ("reference", "listing"))


def record(title, rounds, figures, goal=None):
    """Store the figures of a title, a dict of numbers for each name, and replace earlier ones."""
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
    """The function that stores figures in the results file."""
    return record


@pytest.fixture(name="serve", scope="session")
def lists():
    """A function that starts a server of a list on loopback and returns its address."""
    started = []

    def serve(rows, milliseconds=0):
        command = [sys.executable, str(LISTING), str(rows), str(milliseconds)]
        started.append(Popen(command, stdout=PIPE, text=True))
        port = started[-1].stdout.readline().strip()  # printed after all pages are built
        assert port
        return f"http://127.0.0.1:{port}"

    yield serve
    for process in started:
        process.kill()


def race(calls, *, loops, rounds):
    """The processor seconds of one call by name, in each of the interleaved rounds."""
    for call in calls.values():
        timed(call, loops // 10 + 1)  # warm up
    times = [{name: timed(call, loops) for name, call in calls.items()} for _ in range(rounds)]
    return {name: [each[name] for each in times] for name in calls}


def timed(call, loops):
    """The processor seconds of one call, as the mean of `loops` calls."""
    started = process_time()
    for _ in range(loops):
        call()
    return (process_time() - started) / loops


def ratio(times, base):
    """The median of the ratios of the rounds. A slow moment affects both sides of a ratio."""
    return median(one / other for one, other in zip(times, base, strict=True))


@pytest.fixture(name="compare", scope="session")
def compare_fixture():
    """A function that times calls, prints medians, and returns times and ratios to the first."""

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
