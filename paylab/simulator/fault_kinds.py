"""The kinds of planned faults, their details, and the check of a requested one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..errors.base import Problem
from ..spec.codes import EVENT_TYPES
from ..spec.operations.records import OPERATIONS
from .table import Row

ON_CALLS = {
    "status": "answers with a status: 429 with Retry-After, 500, 502, 503",
    "refuse": "refuses the connection",
    "timeout": "never answers",
    "drop_after": "executes the request, then drops the connection",
    "truncate": "executes the request, then truncates the response body",
    "html": "answers 502 with HTML in place of JSON",
    "skew": "sets the service's clock ahead or behind by seconds",
    "bad_cursor": "refuses a valid cursor",
    "custom": "answers with your own status, headers and body; late, slowly or in part",
}
ON_EVENTS = {
    "event_drop": "never delivers an event",
    "event_duplicate": "delivers an event twice",
    "event_delay": "delivers an event late by seconds",
    "event_reorder": "delivers an event after the next one",
}
KINDS = {**ON_CALLS, **ON_EVENTS}
"""The kinds of fault, and their effects."""

CUTS = ("refuse", "timeout", "drop_after", "truncate")
"""Kinds that damage the connection or the reply."""

MOST_TIMES = 10**9
"""How often a fault can strike."""

DEFAULTS: Row = {"status": 503, "times": 1, "probability": 1.0, "seed": 0, "seconds": 10.0}
"""The values of details that are not given."""

CUSTOM = ("headers", "body", "content_type", "delay", "slow", "cut_after")
"""The details of kind `custom`, besides those of all kinds; `faults.on` says what they do."""


def check_fault(body: Row) -> list[Problem]:
    """The problems of a requested fault; the nearest names are suggested."""
    mistakes = []
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        mistakes.append(("kind", _suggest(kind, KINDS)))
    known_names = [name for name in DETAILS if kind == "custom" or name not in CUSTOM]
    unknown = [name for name in body if name not in (*known_names, "kind")]
    mistakes += [(name, f"is not known; {_suggest(name, known_names)}") for name in unknown]
    if kind == "custom" and not any(body.get(name) is not None for name in (*CUSTOM, "status")):
        mistakes.append(("kind", f"custom needs one of status, {', '.join(CUSTOM)}"))
    for name, (is_good, words) in DETAILS.items():
        if body.get(name) is not None and not is_good(body[name]):
            reason = f"must be {words}" if isinstance(words, str) else _suggest(body[name], words)
            mistakes.append((name, reason))
    if kind != "custom" and body.get("status") is not None and not _is_error(body["status"]):
        mistakes.append(("status", "must be a status from 400 to 599"))
    return [Problem(name, text, "control") for name, text in mistakes]


def _suggest(word: object, known: Collection[str]) -> str:
    from difflib import get_close_matches  # only for a wrong word

    similar = get_close_matches(str(word)[:40], known, n=3) or known
    return f"must be one of {', '.join(similar)}"


Check = Callable[[Any], object]


def _number(low: float, high: float, *, whole: bool = False) -> Check:
    kinds = (int,) if whole else (int, float)
    return lambda value: type(value) in kinds and low <= value <= high


def _among(known: Collection[str]) -> Check:
    return lambda value: isinstance(value, str) and value in known


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_headers(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(text, str) and _NAME.fullmatch(name) and _PRINTABLE.fullmatch(text)
        for name, text in value.items()
    )


DETAILS: Mapping[str, tuple[Check, str | Collection[str]]] = {
    "operation": (_among(OPERATIONS), OPERATIONS),
    "method": (_is_text, "text"),
    "path": (_is_text, "text"),
    "event_type": (_among(EVENT_TYPES), EVENT_TYPES),
    "status": (_number(200, 599, whole=True), "a status from 200 to 599"),
    "times": (_number(1, MOST_TIMES, whole=True), "a whole number of at least 1"),
    "every": (_number(1, MOST_TIMES, whole=True), "a whole number of at least 1"),
    "retry_after": (_number(0, 86_400), "seconds from 0 to 86400"),
    "probability": (_number(0, 1), "a number from 0 to 1"),
    "seed": (_number(-(2**63), 2**63, whole=True), "a whole number"),
    "seconds": (_number(-(10**8), 10**8), "a number of seconds"),
    "headers": (_are_headers, "an object of names and printable text"),
    "body": (lambda _: True, ""),
    "content_type": (lambda value: _are_headers({"content-type": value}), "printable text"),
    "delay": (_number(0, 600), "seconds from 0 to 600"),
    "slow": (_number(0, 600), "seconds from 0 to 600"),
    "cut_after": (_number(0, 10**9, whole=True), "a number of bytes"),
}
"""The details of all kinds and of `custom`: a check, and the words or names that are good."""

_is_error = _number(400, 599, whole=True)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PRINTABLE = re.compile(r"[ -~\xa0-\xff]*")
