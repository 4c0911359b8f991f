"""Times: ISO 8601 text to UTC timestamps in microseconds and back, and the arguments of time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import PaylabWarning, Problem, RuleError, warn_caller
from ..spec.time_arguments import from_date

INSTANT = pa.timestamp("us", tz="UTC")
BARE_NUMBER = re.compile(r"[\s\d.]*[1-9][\s\d.]*", re.ASCII)  # pandas reads it as nanoseconds


class UnreadableTimeWarning(PaylabWarning):
    """A time that could not be read and is missing from its column."""


def read_times(texts: pa.ChunkedArray, column: str, start: int = 0) -> pa.ChunkedArray:
    """The texts as UTC times: with Z, an offset or neither (then UTC), any fraction.

    Text that is not a time becomes missing, with a warning; digits past the microsecond are
    dropped. `start` is the number of the first row.
    """
    try:
        moments = texts.cast(INSTANT)
        pc.min_max(moments).as_py()  # Python does not support the year 0, an offset can lead there
    except (pa.ArrowInvalid, ValueError, OverflowError):
        return pa.chunked_array([_one_by_one(texts.to_pylist(), column, start)])
    return moments


def duration(value: Any, name: str) -> timedelta:
    """A duration of zero or more, a timedelta or text with units; RuleError for anything else."""
    try:
        delta = pd.Timedelta(value)
        if delta >= pd.Timedelta(0) and not BARE_NUMBER.fullmatch(str(value)):  # also refuses NaT
            return delta
    except (ValueError, TypeError, OverflowError):
        pass
    message = f"{value!r:.60} is not a duration of zero or more: write 30min, 1h or 2D"
    raise RuleError([Problem(name, message)])


def time_zone(name: str) -> ZoneInfo:
    """The time zone of an argument `tz`; RuleError for an unknown name."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise RuleError([Problem("tz", f"{name!r:.60} is not a time zone")]) from None


def to_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The times as text, `2026-01-31T09:30:00.123Z`, in milliseconds or finer if needed."""
    time_texts = column.cast(pa.timestamp(column.type.unit, tz="UTC")).cast(pa.string())
    iso = pc.replace_substring(time_texts, " ", "T")
    return pc.replace_substring_regex(iso, r"(\.\d{3})(000)+Z$", r"\1Z")


def _one_by_one(time_texts: list[str | None], column: str, first_row: int) -> pa.Array:
    instants = [_read_instant(time_text) for time_text in time_texts]
    for row_number, (time_text, instant) in enumerate(
        zip(time_texts, instants, strict=True), first_row
    ):
        if instant is None and time_text and time_text.strip():
            message = f"{column}, row {row_number}: {time_text[:40]!r} is not a time; it is missing"
            warn_caller(message, UnreadableTimeWarning)
            break  # one warning per column
    return pa.array(instants, INSTANT)


def _read_instant(time_text: str | None) -> datetime | None:
    try:
        return from_date(time_text or "")
    except ValueError:
        return None
