"""Small checks from which the rules of each operation are composed.

A check takes any value and its dotted field, and returns the problems. `need` applies a check to
a field of an object; null counts as absent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from itertools import chain

from ..corridors.account_types import Format
from ..errors.base import Problem
from ..spec import timestamps
from ..spec.json_path import dotted
from ..spec.operations.field import Field
from ..spec.service.service import Service

Body = Mapping[str, object]
Check = Callable[[object, str], list[Problem]]

# An unpaired surrogate cannot be encoded as UTF-8.
_SURROGATE = re.compile("[\ud800-\udfff]")
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = "an ISO 8601 timestamp like 2026-01-31T09:30:00Z"


def need(
    body: Body, name: str, check: Check, *, at: str = "", asked: str = "spec"
) -> list[Problem]:
    """Check a field; `asked` is the source of its requirement, empty for an optional field."""
    value = body.get(name)
    field = f"{at}.{name}" if at else name
    if value is None:
        return [Problem(field, "is required", asked)] if asked else []
    return check(value, field)


def as_object(value: object) -> Body:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> Sequence[object]:
    """The value if it is a JSON list, else an empty one."""
    return value if isinstance(value, list | tuple) else ()


def is_object(value: object, field: str = "") -> list[Problem]:
    """Any object."""
    return [] if isinstance(value, Mapping) else [Problem(field, "must be a JSON object")]


def any_text(value: object, field: str) -> list[Problem]:
    """Text, which may be empty."""
    if not isinstance(value, str):
        return [Problem(field, "must be text")]
    if _SURROGATE.search(value):
        return [Problem(field, "must be well-formed text: it contains an unpaired surrogate")]
    return []


def text(value: object, field: str, blank: str = "field.empty") -> list[Problem]:
    """Text that is not blank; `blank` is the source of that rule."""
    problems = any_text(value, field)
    if problems or str(value).strip():
        return problems
    return [Problem(field, "must not be blank", blank)]


identifier = partial(text, blank="spec")
"""An id, which must not be blank."""


def up_to(length: int, source: str = "spec") -> Check:
    """Text of at most `length` characters, not blank."""

    def check(value: object, field: str) -> list[Problem]:
        too_long = isinstance(value, str) and len(value) > length
        message = f"must be at most {length} characters"
        problems = text(value, field, source)
        return problems or ([Problem(field, message, source)] if too_long else [])

    return check


def text_of(field: Field, service: Service) -> Check:
    """Text as a field of a record takes it: not blank, and not too long."""
    longest = field.longest(service)
    return up_to(longest, field.source) if longest else text


def one_of(choices: Sequence[str], source: str = "spec", *, fold: bool = False) -> Check:
    """One of these words; with `fold`, in any letter case."""
    folded = [choice.casefold() for choice in choices] if fold else choices

    def check(value: object, field: str) -> list[Problem]:
        word = value.casefold() if fold and isinstance(value, str) else value
        return [] if word in folded else [Problem(field, must_be(choices), source)]

    return check


def must_be(choices: Sequence[str]) -> str:
    """`must be mxn`, or `must be one of mxn, php`."""
    return f"must be {'one of ' if len(choices) != 1 else ''}{', '.join(choices)}"


def fits(form: Format) -> Check:
    """A value by its form: one of its words, its pattern, its parser, or any text."""
    if form.choices:
        return one_of(form.choices, form.source)

    def check(value: object, field: str) -> list[Problem]:
        problems = any_text(value, field)
        if problems and not (form.message or form.check):
            return [Problem(field, problem.message, form.source) for problem in problems]
        return problems or _misfits(form, str(value), field) or text(value, field)

    return check


def _misfits(form: Format, value: str, field: str) -> list[Problem]:
    if reason := _misfit(form, value):
        return [Problem(field, reason, form.source)]
    return _misfits(form.also, value, field) if form.also else []


def _misfit(form: Format, value: str) -> str:
    if form.check:
        return form.check(value)
    fits_length = form.least <= len(value) <= (form.most or len(value))
    good = not form.pattern or re.fullmatch(form.pattern, value, re.DOTALL)
    return "" if good and fits_length else form.message


def day(value: object, field: str) -> list[Problem]:
    """A date that exists, as YYYY-MM-DD."""
    if isinstance(value, str) and _DAY.fullmatch(value) and _reads(date.fromisoformat, value):
        return []
    return [Problem(field, "must be a date like 1990-12-31")]


def timestamp(value: object, field: str) -> list[Problem]:
    """An ISO 8601 date with a time; the usual form is an assumption."""
    if isinstance(value, str) and "T" in value and _reads(timestamps.from_text, value):
        return []
    is_iso = isinstance(value, str) and _reads(datetime.fromisoformat, value)
    return [Problem(field, f"must be {_TIMESTAMP}", "timestamp.form" if is_iso else "spec")]


def _reads(reader: Callable[[str], object], value: str) -> bool:
    try:
        reader(value)
    except ValueError:
        return False
    return True


def check_items(value: object, field: str, check: Check) -> list[Problem]:
    """The problems of every item of a list, or of what is no list."""
    if not isinstance(value, list | tuple):
        return [Problem(field, "must be a list")]
    return flat(check(item, dotted(field, at)) for at, item in enumerate(value))


def flat(parts: Iterable[list[Problem]]) -> list[Problem]:
    """The problems of all the parts, in order."""
    return list(chain.from_iterable(parts))
