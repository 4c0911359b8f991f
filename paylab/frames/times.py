"""Instants: ISO 8601 text to UTC timestamps of one microsecond, and back."""

from __future__ import annotations

import re
import warnings
from datetime import date, datetime

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import Problem, RuleError
from ..spec import timestamps

INSTANT = pa.timestamp("us", tz="UTC")
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class UnreadableTimeWarning(UserWarning):
    """A time that could not be read and is missing from its column."""


def read_times(texts: pa.ChunkedArray, column: str, start: int = 0) -> pa.ChunkedArray:
    """The texts as UTC instants: with Z, an offset or neither (then UTC), any fraction.

    What is no time at all becomes missing, with a warning that names it; digits past the
    microsecond are cut off. `start` is the number of the first row.
    """
    try:
        moments = texts.cast(INSTANT)
        pc.min_max(moments).as_py()  # an offset can lead into the year 0, where Python cannot
    except (pa.ArrowInvalid, ValueError, OverflowError):
        return pa.chunked_array([_one_by_one(texts.to_pylist(), column, start)])
    return moments


def since(value: date | str | None) -> datetime | None:
    """The instant from which rows are wanted; no offset means UTC. RuleError when it is none."""
    if value is None:
        return None
    try:
        return _parsed(value.isoformat() if isinstance(value, date) else value)
    except (AttributeError, TypeError, ValueError):
        told = "must be a datetime, or text like 2026-01-31 or 2026-01-31T09:30:00Z"
        raise RuleError([Problem("since", told)]) from None


def write_times(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The instants as text, `2026-01-31T09:30:00.123Z`: milliseconds, or finer where needed."""
    texts = column.cast(pa.timestamp(column.type.unit, tz="UTC")).cast(pa.string())
    iso = pc.replace_substring(texts, " ", "T")
    return pc.replace_substring_regex(iso, r"(\.\d{3})(000)+Z$", r"\1Z")


def _one_by_one(texts: list[str | None], column: str, start: int) -> pa.Array:
    found = [_instant(text) for text in texts]
    for row, (text, instant) in enumerate(zip(texts, found, strict=True), start):
        if instant is None and text and text.strip():
            message = f"{column}, row {row}: {text[:40]!r} is not a time; it is left out"
            warnings.warn(message, UnreadableTimeWarning, stacklevel=2)
            break  # one warning a column is enough to know
    return pa.array(found, INSTANT)


def _instant(text: str | None) -> datetime | None:
    try:
        return _parsed(text or "")
    except ValueError:
        return None


def _parsed(text: str) -> datetime:
    stripped = text.strip()
    return timestamps.from_text(f"{stripped}T00:00:00" if DAY.fullmatch(stripped) else stripped)
