"""Write the table of measured figures in the reference notebook, from `results.json`.

Run as `reference.py` after the results have changed; the benchmarks run it automatically.
With `--check` it writes nothing and fails when the notebook shows other figures.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

RESULTS = Path(__file__).with_name("results.json")
NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "80_reference.ipynb"
HEADING = "## Measured figures"
HEAD = """{heading}

Written by `pytest tests/benchmarks --benchmarks -s`: medians of {rounds} interleaved rounds, each \
with its peer or floor in the same run, which is the first row of a group. Times against it are \
medians of the ratios of the rounds.

| what | way | time | against the first | processor | memory | goal | measured |
|---|---|--:|--:|--:|--:|---|---|
"""
UNITS = (("us", 1e-6), ("seconds", 1.0))
SIZES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


def table(results):
    """The Markdown table of all figures."""
    rounds = sorted({each["rounds"] for each in results.values()})
    head = HEAD.format(heading=HEADING, rounds=" or ".join(map(str, rounds)))
    return head + "\n".join(line for title in results for line in lines(title, results[title]))


def lines(title, found):
    """One row for each way; the first row says what was measured, where and when."""
    place = f"{found['date']}, {found['machine']}, {found['versions']}, load {found['load']}"
    about = [title, found["goal"] or "", place]
    for name, figures in found["figures"].items():
        what, goal, measured = about
        cells = (what, name.replace("_", " "), *numbers(figures), goal, measured)
        yield f"| {' | '.join(cells)} |"
        about = ["", "", ""]


def numbers(figures):
    """Time, ratios and memory as text, blank where they were not measured."""
    yield speed(figures)
    yield f"{figures['ratio']:.2f}x" if "ratio" in figures else ""
    worked = [f"{figures['processor']:.3g} s"] if "processor" in figures else []
    worked += [f"{figures['processor_ratio']:.2f}x"] if "processor_ratio" in figures else []
    yield ", ".join(worked)
    memory = figures.get("megabytes", figures.get("peak_megabytes"))
    yield "" if memory is None else f"{memory} MB"


def speed(figures):
    """The time in a suitable unit, or the requests per second."""
    if "rate" in figures:
        return f"{figures['rate']:,.0f}/s, p99 {figures['p99_ms']:.1f} ms"
    seconds = next(figures[key] * unit for key, unit in UNITS if key in figures)
    unit, size = next(each for each in SIZES if seconds >= each[1] or each is SIZES[-1])
    return f"{seconds / size:.3g} {unit}"


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
