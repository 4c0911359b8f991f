"""What all tests share: no configuration of this machine, and no real service."""

import fcntl
import gc
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import is_dataclass
from itertools import count
from pathlib import Path
from pkgutil import walk_packages

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling

import paylab

AXE = "4.10.3"

# The first call of an example imports much; more examples repeat what a sample shows.
settings.register_profile("patient", deadline=None, max_examples=50)
settings.load_profile("patient")

# At import, before any test or notebook starts: a configured shell must not lead a test to a
# real service. Kernels and subprocesses inherit it.
for _name in [name for name in os.environ if name.startswith("PAYLAB_")]:
    if _name != "PAYLAB_ARTEFACTS":
        del os.environ[_name]
# A shell ignores Ctrl-C in what it starts in the background, and so would the tested commands.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Each of the hundreds of processes would compile the package anew, and each worker would rewrite
# the assertions of all tests anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# The collected tests and their modules stay to the end: searching them for garbage again and
# again takes longer than most chapters.
gc.set_threshold(50_000, 20, 100)
# jsonschema, which Jupyter imports, would compile 39 grammars with it: no test checks an IRI.
sys.modules.setdefault("rfc3987_syntax", None)
_home, _numbers = tempfile.mkdtemp(prefix="paylab-tests-"), count()
for _name, _folder in {"CACHE": "cache", "CONFIG": "config", "DATA": "data"}.items():
    os.environ[f"XDG_{_name}_HOME"] = str(Path(_home) / _folder)

# Helpers that tests of several folders import, such as `independent_service`, a second payments
# service that shares no code with the package.
_folders = (
    "frames",
    "independent",
    "openapi",
    "orders",
    "proxy",
    "readiness",
    "redaction",
    "simulator",
    "together",
)
sys.path += [str(Path(__file__).parent / each) for each in _folders]


@pytest.fixture(autouse=True)
def _own_data_and_signals():
    """A folder for the data of each test, and handlers of signals that end with it.

    Commands handle Ctrl-C until their process ends: here the next test would not see it.
    """
    # One fixture without `monkeypatch` and `tmp_path`: each takes time in 15,000 tests.
    shared = os.environ["XDG_DATA_HOME"]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    os.environ["XDG_DATA_HOME"] = f"{_home}/data-{next(_numbers)}"
    yield
    os.environ["XDG_DATA_HOME"] = shared
    for number, handler in handlers.items():
        signal.signal(number, handler)


def pytest_unconfigure():
    """Remove the folder of this process or worker: another run makes its own."""
    shutil.rmtree(_home, ignore_errors=True)


def pytest_xdist_auto_num_workers():
    """One worker more than processors: one that waits for a browser or a kernel needs none."""
    return (os.cpu_count() or 1) + 1


class Scheduling(LoadFileScheduling):
    """The tests of a file run in one worker, and all that share a browser run in one, too."""

    def _split_scope(self, nodeid):
        browser = "tests/browser"
        return browser if nodeid.startswith(browser) else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    """Start JupyterLab and Chromium once, not in each worker and for each file."""
    return Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Import each module of tests in one worker at a time: the others read what it compiled."""
    if not isinstance(collector, pytest.Module):
        return (yield)
    with collector.path.open(encoding="utf-8") as module:
        fcntl.flock(module, fcntl.LOCK_EX)
        return (yield)


FIRST = ("tests/browser", "tests/site", "tests/notebooks", "notebooks/90_your_tests")
"""The files that wait longest for other programs and for time to pass."""

MARKS = ("whole_table", "other_tools")
"""The marks of tests that run only when they are selected with `-m`."""


def pytest_ignore_collect(collection_path, config):
    """Import only the files that name a mark, if `-m` selects that mark and nothing else."""
    mark = config.option.markexpr
    if mark not in MARKS or collection_path.is_dir():
        return None
    return mark.encode() not in collection_path.read_bytes() or None


def pytest_collection_modifyitems(config, items):
    """Run what is slow or needs other programs only when its mark is selected with `-m`.

    What waits long starts first: other workers use the processors meanwhile, and none of it is
    left for one worker at the end.
    """
    expression = config.option.markexpr or ""
    marks = [mark for mark in MARKS if mark not in expression]
    left = [item for item in items if any(map(item.get_closest_marker, marks))]
    if left:
        config.hook.pytest_deselected(items=left)
        deselected = {*left}
        items[:] = [item for item in items if item not in deselected]
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))


def pytest_collection_finish():
    """Leave what collection made out of every garbage collection."""
    gc.freeze()


@pytest.fixture
def mutable():
    """A function that names the dataclasses of a chapter whose values can be changed."""

    def found(chapter):
        home = f"paylab.{chapter}"
        path = importlib.import_module(home).__path__
        modules = [importlib.import_module(each.name) for each in walk_packages(path, f"{home}.")]
        values = (value for each in modules for value in vars(each).values())
        kinds = (each for each in values if isinstance(each, type) and is_dataclass(each))
        own = (each for each in kinds if each.__module__.startswith(home))
        return {each.__name__ for each in own if not each.__dataclass_params__.frozen}

    return found


@pytest.fixture
def lab():
    """A lab on its own embedded simulator."""
    return paylab.connect()


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The axe-core script from npm; it is too large to store in the repository."""
    folder = tmp_path_factory.mktemp("axe")
    command = ["npm", "pack", "--silent", f"axe-core@{AXE}"]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=True)
    except (OSError, subprocess.SubprocessError):
        missing = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        missing(f"axe-core {AXE} cannot be had from npm")
    with tarfile.open(folder / f"axe-core-{AXE}.tgz") as archive:
        archive.extract("package/axe.min.js", folder, filter="data")
    return folder / "package" / "axe.min.js"
