"""The examples in docstrings: each runs, and every public operation has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import pkgutil
import re
from collections import Counter
from pathlib import Path

import pytest
from public_operations import names_of_examples, operations, renewed

import paylab
from paylab.simulator.simulator import Simulator
from paylab.webhooks.router import Router

HOME = Path(paylab.__file__).parent


def found():
    """Every docstring of the package with an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for each in pkgutil.walk_packages(paylab.__path__, "paylab."):
        if ">>>" in Path(each.module_finder.find_spec(each.name).origin).read_text():
            module = importlib.import_module(each.name)
            yield from (test for test in finder.find(module) if test.examples)


EXAMPLES = [*found()]


@pytest.fixture(scope="module")
def simulator():
    """One simulator for all examples."""
    return Simulator(transfers=130)


@pytest.fixture(scope="module")
def place(simulator, tmp_path_factory):
    """The names that the examples use."""
    return names_of_examples(simulator, tmp_path_factory.mktemp("dataset"))


@pytest.fixture(scope="module")
def state(place, simulator):
    """What the simulator holds before each example."""
    return json.dumps(simulator.world.dump())


@pytest.fixture
def here(place, state, simulator, example, tmp_path, monkeypatch):
    """A temporary folder, and a new lab if the example uses it or what it created."""
    monkeypatch.chdir(tmp_path)
    new = {**place, "router": Router(), "path": Path("service.toml")}
    used = set(re.findall(r"\w+", " ".join(each.source for each in example.examples)))
    if "selfie" in used:
        (tmp_path / "selfie.jpg").write_bytes(place["selfie"])
    if not used & {"lab", "quote", "subscription"}:
        return new
    return renewed(place, state, simulator)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda test: test.name.removeprefix("paylab."))
def test_an_example_gives_what_it_says(here, example):
    """Each example runs on the simulator and gives the printed result."""
    example.globs = {**example.globs, **here}
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    told: list[str] = []
    runner.run(example, out=told.append)
    assert not runner.failures, "".join(told)


def test_no_example_is_left_out():
    """Every example in the text of a module is one of those that run."""
    run = Counter()
    for test in EXAMPLES:
        run[Path(test.filename)] += len(test.examples)
    texts = {path: path.read_text() for path in HOME.rglob("*.py")}
    written = {path: text.count(">>> ") for path, text in texts.items() if ">>> " in text}
    assert written == run


def test_every_operation_has_an_example():
    """Every public operation has an example in its docstring."""
    known = [*operations()]
    assert len(known) > 150
    assert [name for name, each in known if ">>> " not in inspect.getdoc(each)] == []
