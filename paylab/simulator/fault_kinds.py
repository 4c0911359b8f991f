"""The kinds of planned faults, their details, and the check of a requested one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Literal, TypedDict

from ..errors.base import Problem
from ..errors.choices import suggest_choice
from ..spec.codes import EVENT_TYPES
from ..spec.operations.records import OPERATIONS
from ..spec.service.value_types import HEADER_NAME
from .table import Row

FaultKind = Literal[
    "status", "refuse", "timeout", "drop_after", "truncate", "html", "skew", "bad_cursor", "custom",
    "event_drop", "event_duplicate", "event_delay", "event_reorder", "event_outage",
]  # fmt: skip
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
    "event_outage": "fails each attempt to deliver an event, for seconds; retries follow",
}
FAULT_KINDS = {**ON_CALLS, **ON_EVENTS}
"""The kinds of fault, and their effects."""


class FaultDetails(TypedDict, total=False):
    """The details that `faults.add` takes by name; `FAULT_DETAILS` checks their values."""

    operation: str
    method: str
    path: str
    event_type: str
    status: int
    times: int
    every: int
    retry_after: float
    probability: float
    seed: int
    seconds: float
    headers: Mapping[str, str]
    body: object
    content_type: str
    delay: float
    slow: float
    cut_after: int


CUT_KINDS = ("refuse", "timeout", "drop_after", "truncate")
"""Kinds that damage the connection or the reply."""

TIMES_MAX = 10**9
"""How often a fault can apply."""

UNLIMITED = 0
"""The `times` of a fault that applies until it is removed."""

DETAIL_DEFAULTS: Row = {"status": 503, "times": 1, "probability": 1.0, "seed": 0, "seconds": 10.0}
"""The values of details that are not given."""

CALL_DETAILS = ("operation", "method", "path", "retry_after")
"""The details that only faults of calls have."""

CUSTOM_DETAILS = ("headers", "body", "content_type", "delay", "slow", "cut_after")
"""The details of kind `custom`, besides those of all kinds; `faults.on` says what they do."""


def check_fault(fault_details: Row) -> list[Problem]:
    """The problems of a requested fault, with the nearest valid names."""
    fault_kind = fault_details.get("kind")
    problems: list[Problem] = []
    if not isinstance(fault_kind, str) or fault_kind not in FAULT_KINDS:
        problems.append(Problem("kind", _suggest_names(fault_kind, FAULT_KINDS), "control"))
    problems += _find_unknown_details(fault_kind, fault_details)
    custom_values = [fault_details.get(detail_name) for detail_name in (*CUSTOM_DETAILS, "status")]
    if fault_kind == "custom" and all(custom_value is None for custom_value in custom_values):
        message = f"custom needs one of status, {', '.join(CUSTOM_DETAILS)}"
        problems.append(Problem("kind", message, "control"))
    problems += _find_foreign_details(fault_kind, fault_details)
    problems += _check_values(fault_details)
    problems += _find_range_problems(fault_kind, fault_details)
    return problems


def _find_range_problems(fault_kind: object, fault_details: Row) -> list[Problem]:
    """The problems of a status that only a custom fault may have, and of negative seconds.

    Only a skew may have negative seconds: it sets the clock back.
    """
    problems: list[Problem] = []
    status_code = fault_details.get("status")
    if fault_kind != "custom" and status_code is not None and not _is_error_status(status_code):
        problems.append(Problem("status", "must be a status from 400 to 599", "control"))
    seconds = fault_details.get("seconds")
    is_negative = seconds is not None and _is_offset(seconds) and seconds < 0
    if is_negative and fault_kind != "skew":
        problems.append(Problem("seconds", "must be 0 or more: only skew goes back", "control"))
    return problems


def _find_unknown_details(fault_kind: object, fault_details: Row) -> Iterator[Problem]:
    """A problem for each name that is no detail of this kind of fault."""
    known_names = list(FAULT_DETAILS)
    if fault_kind != "custom":
        known_names = [name for name in FAULT_DETAILS if name not in CUSTOM_DETAILS]
    for detail_name in fault_details:
        if detail_name not in (*known_names, "kind"):
            known_text = f"; known are {', '.join(known_names)}"
            message = f"is not known{suggest_choice(known_names, detail_name) or known_text}"
            yield Problem(detail_name, message, "control")


def _find_foreign_details(fault_kind: object, fault_details: Row) -> list[Problem]:
    """A problem for each detail that selects calls, if the fault is of events, or the reverse."""
    if not isinstance(fault_kind, str) or fault_kind not in FAULT_KINDS:
        return []
    foreign_names = CALL_DETAILS if fault_kind in ON_EVENTS else ("event_type",)
    subject_word = "calls" if fault_kind in ON_EVENTS else "events"
    return [
        Problem(detail_name, f"is for faults of {subject_word}, not for {fault_kind}", "control")
        for detail_name in foreign_names
        if fault_details.get(detail_name) is not None
    ]


def _check_values(fault_details: Row) -> list[Problem]:
    """The problems of the values of details."""
    problems: list[Problem] = []
    for detail_name, (is_valid, valid_values) in FAULT_DETAILS.items():
        detail_value = fault_details.get(detail_name)
        if detail_value is None or is_valid(detail_value):
            continue
        if detail_name == "status" and fault_details.get("kind") != "custom":
            continue  # its range is smaller, and checked above
        if isinstance(valid_values, str):  # a description in place of the values
            message = f"must be {valid_values}"
        else:
            message = _suggest_names(detail_value, valid_values)
        problems.append(Problem(detail_name, message, "control"))
    return problems


def _suggest_names(wrong_name: object, known_names: Collection[str]) -> str:
    """The message for a wrong name: the nearest names, or all if none is near."""
    from difflib import get_close_matches  # only for a wrong name

    similar_names = get_close_matches(str(wrong_name)[:40], known_names, n=3) or known_names
    return f"must be one of {', '.join(similar_names)}"


IsValid = Callable[[Any], object]
"""A function that is true for a valid value."""


def _make_number_check(minimum: float, maximum: float, *, whole: bool = False) -> IsValid:
    """A check for a number in a range, both ends included."""
    number_types = (int,) if whole else (int, float)
    return lambda detail_value: (
        type(detail_value) in number_types and minimum <= detail_value <= maximum
    )


def _make_choice_check(known_names: Collection[str]) -> IsValid:
    """A check for a name that is known."""
    return lambda detail_value: isinstance(detail_value, str) and detail_value in known_names


def _is_text(detail_value: object) -> bool:
    """Whether a value is text."""
    return isinstance(detail_value, str)


def _are_headers(detail_value: object) -> bool:
    """Whether a value is an object of header names and printable values."""
    if not isinstance(detail_value, dict):
        return False
    return all(
        isinstance(header_text, str)
        and HEADER_NAME.fullmatch(header_name)
        and HEADER_VALUE.fullmatch(header_text)
        for header_name, header_text in detail_value.items()
    )


_is_offset = _make_number_check(-(10**8), 10**8)

FAULT_DETAILS: Mapping[str, tuple[IsValid, str | Collection[str]]] = {
    "operation": (_make_choice_check(OPERATIONS), OPERATIONS),
    "method": (_is_text, "text"),
    "path": (_is_text, "text"),
    "event_type": (_make_choice_check(EVENT_TYPES), EVENT_TYPES),
    "status": (_make_number_check(200, 599, whole=True), "a status from 200 to 599"),
    "times": (
        _make_number_check(UNLIMITED, TIMES_MAX, whole=True),
        "a whole number; 0 is unlimited",
    ),
    "every": (_make_number_check(1, TIMES_MAX, whole=True), "a whole number of at least 1"),
    "retry_after": (_make_number_check(0, 86_400), "seconds from 0 to 86400"),
    "probability": (_make_number_check(0, 1), "a number from 0 to 1"),
    "seed": (_make_number_check(-(2**63), 2**63, whole=True), "a whole number"),
    "seconds": (_is_offset, "seconds from 0 to 100000000, for skew also negative"),
    "headers": (_are_headers, "an object of names and printable text"),
    "body": (lambda _: True, ""),
    "content_type": (lambda value: _are_headers({"content-type": value}), "printable text"),
    "delay": (_make_number_check(0, 600), "seconds from 0 to 600"),
    "slow": (_make_number_check(0, 600), "seconds from 0 to 600"),
    "cut_after": (_make_number_check(0, 10**9, whole=True), "a number of bytes"),
}
"""The details of faults: a check, and the description or the names of valid values."""

_is_error_status = _make_number_check(400, 599, whole=True)
HEADER_VALUE = re.compile(r"[ -~\xa0-\xff]*")
