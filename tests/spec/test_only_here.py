"""Assumed paths and words are written only in the assumptions, not in other code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import paylab
from paylab.spec import codes
from paylab.spec.service.keys import setting_keys
from paylab.spec.service.value_types import NONE

ROOT = Path(paylab.__file__).parent
CHAPTERS = ("client", "frames", "payments", "webhooks", "lab", "views", "cli")
STATED = {*codes.PAYOUT_METHODS, *codes.DOCUMENT_TYPES, "email", "phone"}
"""Assumed words that the spec also uses, with another meaning."""


def assumed_paths() -> set[str]:
    """The fixed beginning of each path that the spec does not show."""
    paths = [key for key in setting_keys().values() if key.kind == "path"]
    shown = {str(key.default).partition("{")[0] for key in paths if key.origin == "spec"}
    found = {str(key.default).partition("{")[0] for key in paths if key.default not in (None, NONE)}
    return {path.rstrip("/") for path in found - shown} - {path.rstrip("/") for path in shown}


def assumed_words() -> set[str]:
    """The allowed words in account details, and the identifier of the identity provider."""
    lists = [key for name, key in setting_keys().items() if name.endswith(".allowed")]
    words = {str(word) for key in lists for word in key.default or ()}
    return {*words, str(setting_keys()["verification.provider"].default)} - STATED


def texts(source: str) -> Iterator[str]:
    """Every string of a module except docstrings and the examples in them."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def assumed_in(source: str) -> list[str]:
    """The strings of a module that are an assumed word or contain an assumed path."""
    paths = [re.compile(re.escape(path) + r"(?![\w-])") for path in assumed_paths()]
    words = assumed_words()
    return [
        text for text in texts(source) if text in words or any(path.search(text) for path in paths)
    ]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_assumption_is_written_in_code(chapter):
    """The code contains no assumed path or word, because a service.toml can change them."""
    files = sorted((ROOT / chapter).rglob("*.py"))
    found = {str(file): assumed_in(file.read_text(encoding="utf-8")) for file in files}
    assert files
    assert {file: texts for file, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "text",
    [*("/v1/quotes", "/v1/sandbox/deposits", "GET /v1/quotes"), *("gcash", "idv_provider", "cvu")],
)
def test_an_assumption_in_code_is_found(text):
    """The check finds an assumption in a string and ignores docstrings."""
    assert assumed_in(f'"""A docstring with {text}."""\nname = "{text}"') == [text]
