"""Write the table of measured figures in the reference notebook, from `results.json`.

Run as `reference.py` after the results have changed; the benchmarks run it automatically.
With `--check` it writes nothing and fails when the notebook shows other figures.
"""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path

RESULTS = Path(__file__).with_name("results.json")
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "80_reference.ipynb"
HEADING = "## Measured figures"
HEAD = """{heading}

Each block compares ways of doing one piece of work. They ran in turn on one machine, {rounds} \
times each, and the figures are medians. The first row is the peer or the floor, such as the same \
work without paylab; "times" compares the others with it, as the median of the ratios of the \
rounds. "Processor" is seconds of processor time, or times that of the first row; "memory" is \
what the work added. Behind the name of a block are its goal, if it has one, the day, and the load \
of the machine: {machines}. `pytest tests/benchmarks --benchmarks -s` measures again and writes \
this table.

| what | time | times | processor | memory |
|---|--:|--:|--:|--:|
"""
UNITS = (("us", 1e-6), ("seconds", 1.0))
RESOLUTION = {"us": 1e-8, "seconds": 1e-3}
"""The last decimal of a time in `results.json`, in seconds."""
SIZES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


def table(results):
    """The Markdown table of all figures."""
    rounds = sorted({each["rounds"] for each in results.values()})
    machines = sorted({f"{each['machine']}, {each['versions']}" for each in results.values()})
    head = HEAD.format(
        heading=HEADING, rounds=" or ".join(map(str, rounds)), machines=", or ".join(machines)
    )
    return head + "\n".join(line for title in results for line in lines(title, results[title]))


def lines(title, found):
    """A row with what was measured, its goal, and when, then one for each way."""
    goal = f", goal: {re.sub(r'(?<=[0-9]) x', 'x', found['goal'])}" if found["goal"] else ""
    about = f"**{title[0].upper()}{title[1:]}**{goal} ({found['date']}, load {found['load']})"
    yield f"| {about} | | | | |"
    for name, figures in found["figures"].items():
        yield f"| {' | '.join([name.replace('_', ' '), *numbers(figures)])} |"


def numbers(figures):
    """Time, ratios and memory as text, blank where they were not measured."""
    yield speed(figures)
    yield f"{figures['ratio']:.2f}x" if "ratio" in figures else ""
    worked = (
        [f"{digits(figures['processor'], 1, RESOLUTION['seconds'])} s"]
        if "processor" in figures
        else []
    )
    worked += [f"{figures['processor_ratio']:.2f}x"] if "processor_ratio" in figures else []
    yield ", ".join(worked)
    memory = figures.get("megabytes", figures.get("peak_megabytes"))
    yield "" if memory is None else f"{memory:,.0f} MB"


def speed(figures):
    """The time in a suitable unit, or the requests per second."""
    if "rate" in figures:
        return f"{figures['rate']:,.0f}/s, p99 {figures['p99_ms']:.1f} ms"
    seconds = next(figures[key] * unit for key, unit in UNITS if key in figures)
    unit, size = next(each for each in SIZES if seconds >= each[1] or each is SIZES[-1])
    return f"{digits(seconds, size, RESOLUTION['us' if 'us' in figures else 'seconds'])} {unit}"


def digits(seconds, size, resolution):
    """A time in units of `size` seconds, with three digits that count as far as it was measured."""
    number = max(seconds, resolution) / size
    decimals = min(2 - math.floor(math.log10(number)), round(math.log10(size / resolution)))
    return f"{seconds / size:.{max(0, decimals)}f}"


def main():
    """Replace the cell in the notebook, or with --check only compare it."""
    notebook = json.loads(NOTEBOOK.read_text())
    [cell] = [each for each in notebook["cells"] if "".join(each["source"]).startswith(HEADING)]
    wanted = table(json.loads(RESULTS.read_text()))
    if sys.argv[1:] == ["--check"]:
        sys.exit("".join(cell["source"]) != wanted)
    cell["source"] = wanted.splitlines(keepends=True)
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
