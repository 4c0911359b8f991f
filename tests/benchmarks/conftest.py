"""Benchmarks run on demand only: `pytest tests/benchmarks --benchmarks -s`.

Without `--benchmarks` nothing in this folder is collected: timings do not belong in every run.
A benchmark prints its table and asserts on ratios measured in the same run, never on seconds.
What was measured is added to `results.json`, by its title, with the machine, the date and the load.
"""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter

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


RESULTS = Path(__file__).parent / "results.json"


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


@pytest.fixture(name="record", scope="session")
def record_fixture():
    """Writes what was measured into the results file."""
    return record


def race(calls, *, loops, rounds=9):
    """Seconds of one call by name, in each of so many interleaved rounds."""
    for call in calls.values():
        timed(call, loops // 10 + 1)  # warm up
    times = [{name: timed(call, loops) for name, call in calls.items()} for _ in range(rounds)]
    return {name: [each[name] for each in times] for name in calls}


def timed(call, loops):
    """Seconds of one of so many calls."""
    started = perf_counter()
    for _ in range(loops):
        call()
    return (perf_counter() - started) / loops


def ratio(times, base):
    """The median of the rounds' ratios: a slow moment hits both sides of one."""
    return median(one / other for one, other in zip(times, base, strict=True))


@pytest.fixture(name="compare", scope="session")
def compare_fixture():
    """Races calls, prints a table of medians, and gives each one's ratio to the first."""

    def compare(title, calls, *, loops, rounds=9):
        times = race(calls, loops=loops, rounds=rounds)
        base = next(iter(times.values()))
        ratios = {name: ratio(each, base) for name, each in times.items()}
        width = max(map(len, calls))
        print(f"\n{title}: medians of {rounds} interleaved rounds of {loops}")
        figures = {n: {"us": round(median(each) * 1e6, 2)} for n, each in times.items()}
        for name, figure in figures.items():
            figure["ratio"] = round(ratios[name], 2)
        record(title, rounds, figures)
        for name, each in times.items():
            print(f"  {name:<{width}}  {median(each) * 1e6:12,.2f} us  {ratios[name]:6.2f} x")
        return ratios

    return compare
