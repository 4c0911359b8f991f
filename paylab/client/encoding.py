"""Python values as JSON of the service: exact amounts and times as text, never a float."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from ..errors import Problem, RuleError, RuleWarning
from ..spec.models import Resource
from ..spec.money import Amount
from ..spec.text import write_json
from ..spec.timestamps import to_text

# An exponent is a few characters to write and a megabyte to spell out.
MOST_DIGITS = 100
KEY = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def check_identifier(value: object, field: str = "id") -> str:
    """The id of an id, a resource or a dict."""
    if isinstance(value, Mapping):
        value = value.get("id")
    elif not isinstance(value, str | int):
        value = getattr(value, "id", None)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise RuleError([Problem(field, "must be an id, or an object that has one, and not empty")])
    return value


def body_fields(values: Mapping[str, object]) -> dict[str, Any]:
    """Keyword fields as a JSON object without None; RuleError lists what cannot be sent."""
    problems: list[Problem] = []
    body = {name: _word(value, str(name), problems) for name, value in _given(values)}
    if problems:
        raise RuleError(problems)
    return body


def merge_extra(body: dict[str, Any], extra: Mapping[str, object] | None) -> dict[str, Any]:
    """A body merged with the fields of `extra`, object by object."""
    if not isinstance(extra, Mapping | None):
        raise RuleError([Problem("extra", "must be a dict of fields")])
    return _laid_over(body, body_fields(extra or {}))


def _laid_over(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    both = {name: (below.get(name), value) for name, value in above.items()}
    nested = {
        name: _laid_over(old, new) if isinstance(old, dict) and isinstance(new, dict) else new
        for name, (old, new) in both.items()
    }
    return {**below, **nested}


def encode(body: object, *, numbers: bool = False) -> bytes:
    """Compact JSON in UTF-8; exactly these bytes are signed and sent.

    A Decimal is written as text, with `numbers` as a number of the same digits.
    """
    try:
        if numbers:
            return write_json(body).encode()
        text = json.dumps(
            body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_exact
        )
        return text.encode()
    except (ValueError, TypeError, RecursionError) as error:
        reason = "holds half a character" if isinstance(error, UnicodeEncodeError) else str(error)
        raise RuleError([Problem("", f"the body cannot be sent as JSON: {reason}")]) from None


def header(field: str, value: str | UUID | None) -> str | None:
    """The value of a header; RuleError when HTTP cannot carry it."""
    if isinstance(value, UUID):
        return str(value)
    if value is not None and not (
        isinstance(value, str) and value.isascii() and value.isprintable()
    ):
        raise RuleError([Problem(field, "must be printable ASCII")])
    return value


def check_key(idempotency_key: str | None) -> str | None:
    """The Idempotency-Key; RuleError when it is not a UUID of 36 characters."""
    if idempotency_key is not None and not KEY.fullmatch(idempotency_key):
        raise RuleError([Problem("idempotency_key", "must be a UUID of 36 characters")])
    return idempotency_key


def refuse(problems: Iterable[Problem]) -> None:
    """RuleError for what the spec forbids; the service judges what is only assumed."""
    stated = [problem for problem in problems if problem.source == "spec"]
    if stated:
        raise RuleError(stated)


def judge(problems: Iterable[Problem], doubts: Iterable[Problem] = ()) -> None:
    """Refuse what the spec forbids, and warn about the rest at the caller's line."""
    found = list(problems)
    refuse(found)
    for problem in (*found, *doubts):
        # Past this function, the operation, and the check of its parameters.
        warnings.warn(str(problem), RuleWarning, stacklevel=4)


def _given(values: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    return ((name, value) for name, value in values.items() if value is not None)


def _word(value: object, field: str, problems: list[Problem]) -> Any:
    if isinstance(value, int) and field.endswith("amount") and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _word(item, f"{field}.{name}", problems) for name, item in _given(value)}
    if isinstance(value, list | tuple):
        return [_word(item, f"{field}.{at}", problems) for at, item in enumerate(value)]
    try:
        return _exact(value)
    except TypeError as error:
        problems.append(Problem(field, str(error)))
        return None


def _exact(value: object) -> Any:
    for kind, convert in CONVERT:
        if isinstance(value, kind):
            return convert(value)
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def _amount(value: Decimal) -> str:
    if isinstance(value, Amount):
        return value.text
    if not value.is_finite() or abs(value.adjusted()) > MOST_DIGITS:
        raise TypeError("must be a finite amount")
    return format(value, "f")


def _instant(value: datetime) -> str:
    if value.tzinfo is None:
        raise TypeError("must be a time with a time zone, such as datetime.now(UTC)")
    try:
        return to_text(value)
    except OverflowError:
        raise TypeError("must be between the years 1 and 9999 in UTC") from None


def _float(value: float) -> str:
    raise TypeError("must be text or a Decimal: a float is not exact")


def _as_is(value: object) -> object:
    return value


# In order: a datetime is a date too, and a bool an int.
CONVERT: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    ((str, int, type(None)), _as_is),
    (float, _float),
    (Decimal, _amount),
    (datetime, _instant),
    (date, date.isoformat),
    (UUID, str),
    (Resource, lambda resource: resource.raw),
)
