"""Error messages in the wording of well-known validation libraries."""

from __future__ import annotations

import re
from collections.abc import Callable

from .refusals import REQUIRED, Problem, Refusal, sentence

_UNKNOWN = re.compile(r"Unrecognized key: (.+)")
_CHOICE = re.compile(r"Invalid value (.+)\. Expected one of: (.+)")


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _quoted(words: str, between: str) -> str:
    return between.join(f"'{word}'" for word in words.split(", "))


Wording = tuple[
    Callable[[str], str],
    Callable[[str, str], Problem],
    Callable[[str, str, str], str],
]
"""Messages: missing field (path), unknown field (path, key), wrong word (path, value, allowed)."""

WORDINGS: dict[str, Wording] = {
    "zod": (
        lambda path: REQUIRED,
        lambda path, key: (path, f"Unrecognized key(s) in object: '{key}'"),
        lambda path, value, allowed: (
            f"Invalid enum value. Expected {_quoted(allowed, ' | ')}, received {value}"
        ),
    ),
    "joi": (
        lambda path: f'"{path}" is required',
        lambda path, key: (_below(path, key), f'"{_below(path, key)}" is not allowed'),
        lambda path, value, allowed: f'"{path}" must be one of [{allowed}]',
    ),
    "pydantic": (
        lambda path: "Field required",
        lambda path, key: (_below(path, key), "Extra inputs are not permitted"),
        lambda path, value, allowed: f"Input should be {_quoted(allowed, ', ')}",
    ),
    "rails": (
        lambda path: "can't be blank",
        lambda path, key: (_below(path, key), "is not a permitted parameter"),
        lambda path, value, allowed: "is not included in the list",
    ),
    "terse": (
        lambda path: "missing",
        lambda path, key: (_below(path, key), "unknown"),
        lambda path, value, allowed: "invalid",
    ),
}


def reworded(refusal: Refusal, name: str | None) -> Refusal:
    """A refusal with the messages of a library; unchanged when `name` is None."""
    if name is None or not refusal.problems:
        return refusal
    problems = [_reworded(problem, WORDINGS[name]) for problem in refusal.problems]
    words = "; ".join(map(sentence, problems))
    return Refusal(refusal.status, words, problems, refusal.headers)


def _reworded(problem: Problem, wording: Wording) -> Problem:
    path, words = problem
    missing, unknown, choice = wording
    if words == REQUIRED:
        return path, missing(path)
    if match := _UNKNOWN.fullmatch(words):
        return unknown(path, match[1])
    if match := _CHOICE.fullmatch(words):
        return path, choice(path, match[1], match[2])
    return problem
