"""Corridors, rules and simulator contain no word of an assumption: they read a Service."""

from __future__ import annotations

import ast
from pathlib import Path

import paylab
from paylab.spec import codes
from paylab.spec.service.keys import setting_keys

PACKAGE = Path(paylab.__file__).parent
FILES = sorted(
    path for name in ("corridors", "rules", "simulator") for path in PACKAGE.glob(f"{name}/*.py")
)
ALIKE = {
    "cbu": "the name of a check digit",
    "email": "a field of an individual, and the form of a PIX key",
    "phone": "a field of an individual, and the form of a PIX key",
    "evp": "the form of a PIX key in Brazil's key directory",
    "deposit": "the source of funds that the simulator knows how to wait for",
}
"""Assumed words that also have a meaning that is not assumed, and this meaning."""


def known_words():
    """Every word in the lists of the specification."""
    lists = (value for name, value in vars(codes).items() if name.isupper())
    return {word for each in lists if isinstance(each, tuple) for word in each}


def assumed_words():
    """The words and paths that a service may change."""
    listed = (key for key in setting_keys().values() if key.name.endswith(".allowed"))
    words = {word for key in listed for word in key.default}
    paths = {key.default for key in setting_keys().values() if str(key.default).startswith("/")}
    return (
        (words | paths | {setting_keys()["verification.provider"].default})
        - known_words()
        - ALIKE.keys()
    )


def texts(path):
    """Every string of a module except docstrings and texts after constants."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    shown = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in shown:
            yield node.value


def test_no_module_contains_a_path_or_a_word_that_is_only_assumed():
    """No module contains a path or a word that is only assumed."""
    assumed = assumed_words()
    found = {(path.name, text) for path in FILES for text in texts(path)}
    assert not {each for each in found if each[1] in assumed or each[1].startswith("/v1")}


def test_the_words_that_are_looked_for():
    """The list of assumed words contains known examples, and many modules are checked."""
    assert {"gcash", "savings", "/v1/quotes", "idv_provider"} <= assumed_words()
    assert len(FILES) > 25
