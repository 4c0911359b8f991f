"""Small checks that the rules of each operation are put together from.

A check takes any value and its dotted field and returns the problems. `need` and `may` apply
one to a part of an object; null and absent read alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import chain

from .. import emvqr
from ..account_fields import Form
from ..errors import EMVError, Problem

Body = Mapping[str, object]
Check = Callable[[object, str], list[Problem]]

# Half a surrogate pair is no character: it can be neither stored nor sent on as UTF-8.
_SURROGATE = re.compile("[\ud800-\udfff]")
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def need(
    body: Body, name: str, check: Check, *, at: str = "", asked: str = "spec"
) -> list[Problem]:
    """Check a part that has to be there; `asked` is the source that asks for it, if one does."""
    value, field = body.get(name), dotted(at, name)
    if value is None:
        return [Problem(field, "is required", asked)] if asked else []
    return check(value, field)


def may(body: Body, name: str, check: Check, *, at: str = "") -> list[Problem]:
    """Check a part that can be left out."""
    return need(body, name, check, at=at, asked="")


def dotted(at: str, name: str | int) -> str:
    """`document.number` from `document` and `number`."""
    return f"{at}.{name}" if at else str(name)


def as_object(value: object) -> Body:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> Sequence[object]:
    """The value if it is a JSON list, else an empty one."""
    return value if isinstance(value, list | tuple) else ()


def is_object(value: object, field: str = "") -> list[Problem]:
    """An object, whatever is in it."""
    return [] if isinstance(value, Mapping) else [Problem(field, "must be a JSON object")]


def any_text(value: object, field: str) -> list[Problem]:
    """Text, which may be empty."""
    if not isinstance(value, str):
        return [Problem(field, "must be text")]
    if not value.isascii() and _SURROGATE.search(value):
        return [Problem(field, "must be well-formed text: it holds half a surrogate pair")]
    return []


def text(value: object, field: str) -> list[Problem]:
    """Text that says something."""
    found = any_text(value, field)
    if found or str(value).strip():
        return found
    return [Problem(field, "must not be blank")]


def up_to(length: int, source: str = "spec") -> Check:
    """Text of at most so many characters."""

    def check(value: object, field: str) -> list[Problem]:
        too_long = isinstance(value, str) and len(value) > length
        message = f"must be at most {length} characters"
        return text(value, field) or ([Problem(field, message, source)] if too_long else [])

    return check


def one_of(choices: Sequence[str], source: str = "spec", *, fold: bool = False) -> Check:
    """One of these words; with `fold`, in any letter case."""

    def check(value: object, field: str) -> list[Problem]:
        word = value.upper() if fold and isinstance(value, str) else value
        return [] if word in choices else [Problem(field, must_be(choices), source)]

    return check


def must_be(choices: Sequence[str]) -> str:
    """`must be mxn`, or `must be one of mxn, php`."""
    return f"must be {'one of ' if len(choices) != 1 else ''}{', '.join(choices)}"


def fits(form: Form) -> Check:
    """What the form asks: one of its words, its pattern, its parser, or just some text."""
    if form.choices:
        return one_of(form.choices, form.source)

    def check(value: object, field: str) -> list[Problem]:
        found = text(value, field)
        reason = "" if found else _misfit(form, str(value))
        return found or ([Problem(field, reason, form.source)] if reason else [])

    return check


def _misfit(form: Form, value: str) -> str:
    if form.parser:
        return _unreadable(value)
    good = not form.pattern or re.fullmatch(form.pattern, value, re.DOTALL)
    return "" if good else form.message


def _unreadable(payload: str) -> str:
    try:
        emvqr.parse(payload)
    except EMVError as error:
        return f"must be an EMV QR text: {error}"
    return ""


def day(value: object, field: str) -> list[Problem]:
    """A date that exists, as YYYY-MM-DD."""
    if isinstance(value, str) and _DAY.fullmatch(value) and _reads(date.fromisoformat, value):
        return []
    return [Problem(field, "must be a date like 1990-12-31")]


def timestamp(value: object, field: str) -> list[Problem]:
    """An ISO 8601 date with a time."""
    if isinstance(value, str) and "T" in value and _reads(datetime.fromisoformat, value):
        return []
    return [Problem(field, "must be an ISO 8601 timestamp like 2026-01-31T09:30:00Z")]


def _reads(reader: Callable[[str], object], value: str) -> bool:
    try:
        reader(value)
    except ValueError:
        return False
    return True


def each(value: object, field: str, check: Check) -> list[Problem]:
    """The problems of every item of a list."""
    return flat(check(item, dotted(field, at)) for at, item in enumerate(as_list(value)))


def flat(parts: Iterable[list[Problem]]) -> list[Problem]:
    """The problems of all the parts, in order."""
    return list(chain.from_iterable(parts))
