"""Times: ISO 8601 text to UTC timestamps in microseconds and back, and the arguments of time."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import OptionError, PaylabWarning, Problem, warn_caller
from ..spec.time_arguments import read_date_or_time

INSTANT = pa.timestamp("us", tz="UTC")
# pandas reads it as nanoseconds. A zero needs no unit.
BARE_NUMBER = re.compile(r"\s*[+-]?[\s\d.]*[1-9][\s\d.]*(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)


class UnreadableTimeWarning(PaylabWarning):
    """A time that could not be read and is missing from its column."""


def read_times(texts: pa.ChunkedArray, column_name: str, first_row: int = 0) -> pa.ChunkedArray:
    """The texts as UTC times: with Z, an offset or neither (then UTC), any fraction.

    Text that is not a time becomes missing, with a warning; digits past the microsecond are
    dropped. `first_row` is the number of the first row.
    """
    try:
        instants = texts.cast(INSTANT)
        # Python does not support the year 0, to which an offset can lead: then this raises.
        pc.min_max(instants).as_py()
    except (pa.ArrowInvalid, ValueError, OverflowError):
        return pa.chunked_array([_read_one_by_one(texts.to_pylist(), column_name, first_row)])
    return instants


def read_timedelta(value: Any, argument_name: str) -> timedelta:
    """A duration of zero or more, a timedelta or text with units; OptionError for anything else."""
    try:
        duration: timedelta = pd.Timedelta(value)
    except (ValueError, TypeError, OverflowError):
        duration = timedelta(-1)  # refused below
    has_no_unit = BARE_NUMBER.fullmatch(str(value)) is not None
    if has_no_unit or not duration >= timedelta(0):  # a comparison with NaT is false
        message = f"{value!r:.60} is not a duration of zero or more: write 30min, 1h or 2D"
        raise OptionError([Problem(argument_name, message)])
    return duration


def read_time_zone(zone_name: str) -> ZoneInfo:
    """The time zone of an argument `tz`; OptionError for an unknown name."""
    try:
        return ZoneInfo(zone_name)
    except (ValueError, OSError, LookupError):
        near_zone = _find_zone_of_city(str(zone_name))
        hint = f": is {near_zone} meant?" if near_zone else ""
        raise OptionError([Problem("tz", f"{zone_name!r:.60} is not a time zone{hint}")]) from None


def _find_zone_of_city(city: str) -> str | None:
    """The time zone that is named for a city, in any letter case; None if there is none."""
    folded_city = city.strip().replace(" ", "_").lower()
    zone_names = sorted(available_timezones())
    return next((zone for zone in zone_names if zone.lower().endswith(f"/{folded_city}")), None)


def to_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The times as text, `2026-01-31T09:30:00.123Z`, in milliseconds or finer if needed."""
    utc_times = column.cast(pa.timestamp(column.type.unit, tz="UTC"))
    iso_texts = pc.replace_substring(utc_times.cast(pa.string()), " ", "T")
    return pc.replace_substring_regex(iso_texts, r"(\.\d{3})(000)+Z$", r"\1Z")


def _read_one_by_one(time_texts: list[str | None], column_name: str, first_row: int) -> pa.Array:
    """The texts as times, read by Python; a warning for a text that is no time.

    Python reads more forms than Arrow.
    """
    instants = [_read_instant(time_text) for time_text in time_texts]
    texts_and_instants = zip(time_texts, instants, strict=True)
    for row_number, (time_text, instant) in enumerate(texts_and_instants, first_row):
        if instant is None and time_text and time_text.strip():
            message = (
                f"{column_name}, row {row_number}: {time_text[:40]!r} is not a time; it is missing"
            )
            warn_caller(message, UnreadableTimeWarning)
            break  # one warning per column
    return pa.array(instants, INSTANT)


def _read_instant(time_text: str | None) -> datetime | None:
    """The time in UTC; None for a text that is not a time."""
    try:
        return read_date_or_time(time_text or "")
    except ValueError:
        return None
