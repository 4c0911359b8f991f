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
from nbclient.exceptions import CellExecutionError

ROUNDS = 5
ATTEMPTS = 3
"""Runs of a notebook of which one must not lose its kernel, as nbclient sometimes does."""
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
EMPTY = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("pass")])
LIBRARIES, CONNECT = "import httpx, pydantic", "paylab.connect()"
MOST = {"import paylab": 3.5, "paylab --help": 5.5, CONNECT: 14}
"""Maximum processor time of a start as a multiple of `python -c pass`; measured 2.8, 4.3, 12."""
MOST_OF_LIBRARIES = 0.9
"""Maximum of `connect()` as a multiple of importing httpx and pydantic; measured 0.7.

A lab with an embedded simulator imports httpx for its first request and pydantic for its first
object of the service.
"""
MOST_OF_SETTINGS = 1
"""Maximum processor time of the settings of a service as a multiple of `python -c pass`.

Measured 0.9: their classes and the default service, without the modules that they import.
"""
SETTINGS = "from paylab.spec.service import Service; Service()"
OTHER_MODULES = """\
import sys
from contextlib import suppress
from importlib import import_module
for name in {names}:
    with suppress(ImportError):
        import_module(name)
for name in [name for name in sys.modules if name.startswith("paylab.spec.service.")]:
    del sys.modules[name]
"""
STARTS_PROGRAMS = "90_your_tests"
"""The lesson that runs pytest and programs of its own, whose time it would measure."""
MOST_OF_A_NOTEBOOK = 15
"""Maximum processor time of a notebook as a multiple of an empty one."""
STARTS = {
    "python -c pass": ["-c", "pass"],
    LIBRARIES: ["-c", "import httpx, pydantic; pydantic.BaseModel"],
    "import paylab": ["-c", "import paylab"],
    "paylab --help": ["-m", "paylab", "--help"],
    "the world of a test": ["-c", "import paylab.testing.world"],
    CONNECT: ["-c", "import paylab; paylab.connect()"],
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
    """Print and store medians and ratios to the first; return the ratios of processor time."""
    print(f"\n{title}: medians of {ROUNDS} rounds, goal {goal}")
    figures, base = {}, next(iter(rounds[0]))
    for name in rounds[0]:
        found = {key: median(each[name][key] for each in rounds) for key in rounds[0][name]}
        figures[name] = {key: round(value, 3) for key, value in found.items()}
        for key, ratio in (("seconds", "ratio"), ("processor", "processor_ratio")):
            ratios = (each[name][key] / each[base][key] for each in rounds)
            figures[name][ratio] = round(median(ratios), 2)
        print(
            f"  {name:<28} {found['seconds']:7.3f} s {figures[name]['ratio']:7.2f} x"
            f"  processor {found['processor']:7.3f} s {figures[name]['processor_ratio']:7.2f} x"
        )
    record(title, ROUNDS, figures, goal)
    return {name: each["processor_ratio"] for name, each in figures.items()}


def start(options):
    """Run a new Python process until it ends."""
    subprocess.run([sys.executable, *options], stdout=subprocess.DEVNULL, check=True)


def run_all(notebook, folder):
    """Run every cell of a notebook in a new kernel."""
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(nbformat.from_dict(notebook), timeout=120, resources=resources).execute()


def measure_run(notebook, folder):
    """What a run took; a run whose kernel was lost is repeated, one whose cell failed is not."""
    for _ in range(ATTEMPTS - 1):
        try:
            return took(run_all, notebook, folder)
        except CellExecutionError:
            raise
        except (RuntimeError, TimeoutError, OSError) as error:
            print(f"  a kernel was lost: {error!r}")
    return took(run_all, notebook, folder)


@pytest.fixture(autouse=True)
def compiled(monkeypatch, tmp_path):
    """Compile modules only once, as an installation does."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "compiled"))


def test_a_start_takes_few_times_an_empty_program(record):
    """Importing, `paylab --help` and `connect()` take a few times as long as an empty program."""
    for each in STARTS.values():
        start(each)
    rounds = [{name: took(start, each) for name, each in STARTS.items()} for _ in range(ROUNDS)]
    goal = "import 3 x, --help 5 x, connect() 12 x the processor"
    ratios = table("a start", rounds, goal, record)
    assert {name: ratios[name] for name, most in MOST.items() if ratios[name] > most} == {}
    assert ratios[CONNECT] <= MOST_OF_LIBRARIES * ratios[LIBRARIES]


def test_settings_take_no_longer_than_an_empty_program(record):
    """The settings of a service take at most as long as an empty program."""
    code = f"import sys; {SETTINGS}; print(*sys.modules, sep='\\n')"
    listed = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    own = ("__main__", "paylab.spec.service")
    others = OTHER_MODULES.format(names=[name for name in listed if not name.startswith(own)])
    starts = {
        "python -c pass": "pass",
        "other modules": others,
        "settings, too": f"{others}{SETTINGS}",
    }
    for code in starts.values():
        start(["-c", code])
    rounds = [
        {name: took(start, ["-c", code]) for name, code in starts.items()} for _ in range(ROUNDS)
    ]
    goal = "1 x the processor more than the other modules"
    ratios = table("the settings of a service", rounds, goal, record)
    assert ratios["settings, too"] - ratios["other modules"] <= MOST_OF_SETTINGS


@pytest.fixture(name="folder")
def copies(tmp_path):
    """A folder with copies of the notebooks, so that the committed files do not change."""
    for path in NOTEBOOKS.glob("*.ipynb"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_a_notebook_takes_few_times_an_empty_one(folder, record):
    """A notebook takes less than 15 times the processor time of one with an empty cell."""
    paths = sorted(path for path in folder.glob("*.ipynb") if path.stem != STARTS_PROGRAMS)
    known = {path.stem: nbformat.read(path, 4) for path in paths}
    found = {"an empty notebook": EMPTY, **known}
    for each in found.values():
        measure_run(each, folder)  # compiles the modules
    rounds = [
        {name: measure_run(each, folder) for name, each in found.items()} for _ in range(ROUNDS)
    ]
    ratios = table("Run All of a notebook", rounds, "10 x the processor", record)
    assert max(ratios.values()) < MOST_OF_A_NOTEBOOK
