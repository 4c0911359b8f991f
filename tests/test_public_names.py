"""The names that public modules show: those of `__all__`, each of them ours, with near names."""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType

import pytest

import paylab

MODULES = [
    getattr(paylab, name) for name in dir(paylab) if isinstance(getattr(paylab, name), ModuleType)
]
LISTED = [*MODULES, importlib.import_module("paylab.errors")]
LISTED.remove(paylab.views)  # a package of pictures that has no names itself


@pytest.mark.parametrize("module", LISTED, ids=lambda module: module.__name__)
def test_a_public_module_shows_its_public_names_only(module):
    """Tab offers the names of `__all__`: no imports, no submodules, nothing of other packages."""
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        home = getattr(inspect.unwrap(getattr(module, name)), "__module__", None) or ""
        is_ours = home.startswith("paylab") or not callable(getattr(module, name))
        assert is_ours or home in ("typing", "collections.abc", "builtins"), name


def test_a_public_module_is_imported_and_shown_by_its_public_name():
    """`import paylab.events` gives `paylab.events`; its repr has no path of this machine."""
    package_name = paylab.__name__
    for name in [*dir(paylab), "errors"]:
        module = getattr(paylab, name)
        if isinstance(module, ModuleType):
            own_spec = module.__spec__
            assert importlib.import_module(f"{package_name}.{name}") is module
            assert module.__spec__ is own_spec
            assert repr(module).startswith(f"<{package_name}.{name}: ")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{package_name}.nothing")


@pytest.mark.parametrize("module", LISTED, ids=lambda module: module.__name__)
def test_an_unknown_name_of_a_module_is_answered(module):
    """The error names the right name, or lists all of them."""
    name = module.__all__[0]
    with pytest.raises(AttributeError, match=f"use {name}|it has "):
        getattr(module, f"{name}s")
    with pytest.raises(AttributeError, match=f"it has .*{name}"):
        getattr(module, "qwertzuiop")  # noqa: B009 - the name is a guess
    assert not hasattr(module, "__wrapped__")


@pytest.mark.parametrize(
    "part",
    [
        "lab", "lab.transfers", "lab.conversions", "lab.individuals", "lab.conversion_accounts",
        "lab.financial_accounts", "lab.quotes", "lab.sandbox", "lab.webhook_subscriptions",
        "lab.forms", "lab.calls", "lab.simulator", "lab.simulator.faults", "lab.simulator.clock",
        "lab.transfers.list()", "lab.transfers.list()[0]", "lab.settings", "lab.calls[-1]",
    ],
)  # fmt: skip
def test_a_public_object_shows_its_public_names_only(part):
    """Tab offers at most 45 names of an object of ours, and none of Python's."""
    lab = paylab.connect()
    lab.transfers.list().first()
    names = dir(eval(part, {"lab": lab}))
    assert len([name for name in names if not name.startswith("__")]) <= 45
    assert [name for name in names if name.startswith("_") and not name.startswith("__")] == []
