"""Every public function and method with odd arguments: a result, or an error of the tree.

The functions are those of `public_operations`, each called as in its example, and the methods of
all objects that a lab leads to.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import json
from pathlib import Path
from random import Random

import pytest
from public_operations import names_of_examples, operations, renewed

from paylab.errors import PaylabError
from paylab.simulator.simulator import Simulator

FOLDER = Path("folder")
ODD = [None, 0, -1, "", "x", "\ud800", b"x", object(), [], {1: 2}, float("nan"), FOLDER]
SAMPLE = 1
"""How many of them each parameter gets in a usual run."""

NOT_CALLED = {
    "Dataset.summarize(cluster)": "starts a cluster",
    "Lab.serve(host)": "looks up a name",
    "corridors.clabe.make_clabe(draw)": "a function of the simulator",
    "lab.client.call(parts)": "filled by the resources",
    "lab.client.deliver(request)": "made by the resources",
    "lab.client.read(operation)": "called by the resources, as the next ones",
    "lab.client.read(id)": "see above",
    "lab.client.read(kind)": "see above",
    "lab.client.read(options)": "see above",
}
"""What is not called with odd values, and why."""

INTERNAL = ("requests", "redaction", "orders", "fresh_ids", "service_clock")
"""Parts of a client that only the client calls."""

MODULES = ("corridors.clabe", "spec.assumptions", "signing", "emvqr", "spec.status", "spec.codes")
"""Modules of plain functions of which some have no example."""

PARSER = doctest.DocTestParser()


def call_of(name, source):
    """The first call of a function in a statement, if any."""
    for node in ast.walk(ast.parse(source)):
        called = getattr(node, "func", None)
        if called and name in (getattr(called, "attr", ""), getattr(called, "id", "")):
            return node
    return None


def parameters_of(function):
    """The parameters of a function that a caller passes one by one."""
    found = inspect.signature(function).parameters.values()
    return [each for each in found if each.name != "self" and each.kind != each.VAR_KEYWORD]


def call_in_example(name, function):
    """The statements before the call in the example of a function, and the call."""
    short = name.removesuffix(".__init__").rpartition(".")[2].removesuffix("_exact")
    before = []
    for example in PARSER.get_examples(inspect.getdoc(function) or ""):
        call = call_of(short, example.source)
        if call is not None:
            return before, call
        before.append(example.source)
    return before, None


def with_argument(call, parameters, parameter):
    """The expression of a call in which one argument is the name `odd`."""
    copy = ast.parse(ast.unparse(call), mode="eval")
    new, args = ast.Name("odd", ast.Load()), copy.body.args
    kinds = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD, parameter.VAR_POSITIONAL)
    places = [each.name for each in parameters if each.kind in kinds]
    at = places.index(parameter.name) if parameter.name in places else len(args)
    if at < len(args) or parameter.kind == parameter.VAR_POSITIONAL:
        args[at:] = [new, *args[at + 1 :]]
    else:
        others = [each for each in copy.body.keywords if each.arg not in (parameter.name, None)]
        copy.body.keywords = [*others, ast.keyword(parameter.name, new)]
    return compile(ast.fix_missing_locations(copy), "<odd>", "eval")


def is_clear(text):
    """Whether a message is one short and printable text."""
    return 10 < len(text) < 1500 and text.replace("\n", "").isprintable()


def outcome(act):
    """What is wrong with the way a call ends; empty if nothing is."""
    try:
        act()
    except PaylabError as error:
        return "" if is_clear(str(error)) else f"unclear: {error!s:.200}"
    except TypeError as error:
        last = error.__traceback__
        while last.tb_next:
            last = last.tb_next
        is_signature = last.tb_frame.f_code.co_filename in ("<odd>", __file__) or (
            last.tb_frame.f_code.co_name in ("wrapper", "raise_with_explanation")
        )
        return "" if is_signature else f"raw {error!r:.200}"
    except Exception as error:
        return f"raw {error!r:.200}"
    return ""


ROWS = [(name, function) for name, function in operations() if parameters_of(function)]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The names that the examples use, and what the simulator holds."""
    simulator = Simulator(transfers=3)
    names = names_of_examples(simulator, tmp_path_factory.mktemp("dataset"))
    return names, json.dumps(simulator.world.dump())


@pytest.fixture
def here(place, tmp_path, monkeypatch):
    """New names of the examples in an empty folder."""
    monkeypatch.chdir(tmp_path)
    FOLDER.mkdir()
    Path("selfie.jpg").write_bytes(place[0]["selfie"])
    names = renewed(*place, Simulator())
    inbox = names["lab"].inbox()
    order = names["lab"].transfers.create(quote_id=names["quote"])
    return {**names, "inbox": inbox, "order": order, "event": inbox.wait(id=order.id)}


def values_for(name, count):
    """The odd values of a parameter: some of them, always the same."""
    return Random(name).sample(ODD, min(count, len(ODD)))


SIZES = [SAMPLE, pytest.param(len(ODD), marks=pytest.mark.whole_table)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize(("name", "function"), ROWS, ids=[name for name, _ in ROWS])
def test_a_function_with_an_odd_argument(here, name, function, count, capsys):
    """The call of its example, with one argument changed to each odd value."""
    before, call = call_in_example(name, function)
    if call is None:
        pytest.fail(f"the example of {name} does not call it")
    for source in before:
        exec(source, here)
    parameters, faults = parameters_of(function), []
    for parameter in parameters:
        code = with_argument(call, parameters, parameter)
        if f"{name}({parameter.name})" in NOT_CALLED:
            continue
        for value in values_for(f"{name} {parameter.name}", count):
            fault = outcome(lambda value=value, code=code: eval(code, {**here, "odd": value}))
            faults += [f"{parameter.name}={value!a}: {fault}"] if fault else []
    assert not faults, "\n".join(faults)


def reachable(lab):
    """The objects that a lab leads to, one of each class, by the names that lead to them."""
    lab.transfers.list(limit=1).first()
    todo, found = [("lab", lab)], {}
    while todo:
        name, thing = todo.pop(0)
        kind = type(thing)
        if kind in found or not kind.__module__.startswith("paylab."):
            continue
        found[kind] = (name, thing)
        for attribute in sorted({*dir(kind), *vars(thing)} if hasattr(thing, "__dict__") else ()):
            if not attribute.startswith(("_", "model_")) and attribute not in INTERNAL:
                todo.append((f"{name}.{attribute}", getattr(thing, attribute, None)))
    return found.values()


def without_example(lab):
    """The functions that have no example or are not public operations, by name."""
    for name, thing in reachable(lab):
        for attribute in sorted(dir(type(thing))):
            method = getattr(thing, attribute, None)
            if not attribute.startswith(("_", "model_")) and inspect.ismethod(method):
                yield f"{name}.{attribute}", method
    for home in MODULES:
        module = importlib.import_module(f"paylab.{home}")
        for name in dir(module):
            function = getattr(module, name)
            if inspect.isfunction(function) and not name.startswith("_"):
                yield f"{home}.{name}", function


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", SIZES)
def test_what_has_no_example_with_an_odd_argument(here, count, capsys):
    """Methods of all objects that a lab leads to, with "x" for the other arguments."""
    faults, known = [], {inspect.unwrap(function) for _, function in operations()}
    for name, function in without_example(here["lab"]):
        home = inspect.unwrap(getattr(function, "__func__", function))
        if home in known or not home.__module__.startswith("paylab."):
            continue
        known.add(home)
        parameters = parameters_of(function)
        required = [each for each in parameters if each.default is each.empty]
        for parameter in parameters:
            if f"{name}({parameter.name})" in NOT_CALLED:
                continue
            for value in values_for(f"{name} {parameter.name}", count):
                given = {each.name: "x" for each in required if each.kind != each.VAR_POSITIONAL}
                given[parameter.name] = value
                if any(each.kind == each.VAR_POSITIONAL for each in parameters):
                    continue
                fault = outcome(lambda given=given, function=function: function(**given))
                faults += [f"{name}({parameter.name}={value!a}): {fault}"] if fault else []
    assert not faults, "\n".join(faults)
