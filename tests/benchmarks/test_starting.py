"""Benchmarks of starting: the import, the command line, and a run of each notebook."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter

import nbformat
import pytest
from nbclient import NotebookClient

ROUNDS = 5
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
EMPTY = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("pass")])
SECONDS = 10
"""Maximum processor seconds for the run of a notebook."""
STARTS = {
    "python -c pass": ["-c", "pass"],
    "import paylab": ["-c", "import paylab"],
    "paylab --help": ["-m", "paylab", "--help"],
    "paylab.connect()": ["-c", "import paylab; paylab.connect()"],
}


def took(act, *given):
    """The seconds of a call, and the processor seconds of the child processes that it ran."""
    began, worked = perf_counter(), children()
    act(*given)
    return {"seconds": perf_counter() - began, "processor": children() - worked}


def children():
    """The processor seconds of the child processes that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(title, rounds, goal, record):
    """Print and store medians and ratios to the first; return the processor seconds."""
    print(f"\n{title}: medians of {ROUNDS} rounds, goal {goal}")
    figures, base = {}, next(iter(rounds[0]))
    for name in rounds[0]:
        found = {key: median(each[name][key] for each in rounds) for key in rounds[0][name]}
        ratio = median(each[name]["seconds"] / each[base]["seconds"] for each in rounds)
        figures[name] = {key: round(value, 3) for key, value in found.items()}
        figures[name]["ratio"] = round(ratio, 2)
        print(
            f"  {name:<28} {found['seconds']:7.3f} s {ratio:7.2f} x"
            f"  processor {found['processor']:7.3f} s"
        )
    record(title, ROUNDS, figures, goal)
    return {name: each["processor"] for name, each in figures.items()}


def start(options):
    """Run a new Python process until it ends."""
    subprocess.run([sys.executable, *options], stdout=subprocess.DEVNULL, check=True)


def run_all(notebook, folder):
    """Run every cell of a notebook in a new kernel."""
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(nbformat.from_dict(notebook), timeout=120, resources=resources).execute()


@pytest.fixture(autouse=True)
def compiled(monkeypatch, tmp_path):
    """Compile modules only once, as an installation does."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "compiled"))


def test_imports(record):
    """`import paylab` and `paylab --help` each take less than 0.2 s of processor time."""
    for each in STARTS.values():
        start(each)
    rounds = [{name: took(start, each) for name, each in STARTS.items()} for _ in range(ROUNDS)]
    worked = table("a start", rounds, "import 0.2 s, --help 0.15 s", record)
    assert worked["import paylab"] < 0.2
    assert worked["paylab --help"] < 0.2


@pytest.fixture(name="folder")
def copies(tmp_path):
    """A folder with copies of the notebooks, so that the committed files do not change."""
    for path in NOTEBOOKS.glob("*.ipynb"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_notebooks(folder, record):
    """Running all cells of a notebook takes less than 10 s of processor time."""
    known = {path.stem: nbformat.read(path, 4) for path in sorted(folder.glob("*.ipynb"))}
    found = {"an empty notebook": EMPTY, **known}
    for each in found.values():
        run_all(each, folder)
    rounds = [
        {name: took(run_all, each, folder) for name, each in found.items()} for _ in range(ROUNDS)
    ]
    worked = table("Run All of a notebook", rounds, f"{SECONDS} s", record)
    assert max(worked.values()) < SECONDS
