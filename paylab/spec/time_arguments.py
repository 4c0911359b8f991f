"""Times and durations as arguments of a call."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from ..errors.base import ArgumentError, OptionError, Problem, RuleWarning, warn_caller
from ..errors.text import plain
from .timestamps import from_text, has_offset, to_text

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def read_date_or_time(text: str, zone: tzinfo = UTC) -> datetime:
    """Read a date and time, or a date alone as its first instant in the zone; else ValueError.

    >>> read_date_or_time("2026-01-31").isoformat()
    '2026-01-31T00:00:00+00:00'
    """
    time_text = text.strip()
    if _DAY.fullmatch(time_text):
        time_text = f"{time_text}T00:00:00"
    return from_text(time_text, zone)


def read_time_argument(
    value: date | str | None, name: str = "since", zone: tzinfo | None = None
) -> datetime | None:
    """Read the time in an argument called `name`; OptionError if it is not a time.

    A day, or a time without an offset, is in `zone`; without a zone it is in UTC, with a
    RuleWarning for a time. None for None.
    """
    if value is None:
        return None
    try:
        time_text = value.isoformat() if isinstance(value, date) else value.strip()
        instant = read_date_or_time(time_text, zone or UTC)
    except (AttributeError, TypeError, ValueError):
        message = "must be a datetime, or text like 2026-01-31 or 2026-01-31T09:30:00Z"
        raise OptionError([Problem(name, f"{message}, not {plain(repr(value), 60)}")]) from None
    if zone is None and not _DAY.fullmatch(time_text) and not has_offset(time_text):
        taken_text = f"taken as {to_text(instant)}: pass a time with a zone"
        warn_caller(
            f"{name}={plain(repr(time_text), 60)} has no time zone, and is {taken_text}",
            RuleWarning,
        )
    return instant


def read_period(
    since: date | str | None, until: date | str | None
) -> tuple[datetime | None, datetime | None]:
    """Read the begin and the end of a period; None where it is open.

    OptionError for a value that is no time, or if `until` is not later than `since`.
    """
    begin_time = read_time_argument(since)
    end_time = read_time_argument(until, "until")
    if begin_time is not None and end_time is not None and end_time <= begin_time:
        message = "must be later than `since`; rows created before it are kept"
        raise OptionError([Problem("until", message)])
    return begin_time, end_time


_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PART = re.compile(
    r"(\d+(?:\.\d+)?)\s*"
    r"(?:(s)(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:ours?|rs?)?|(d)(?:ays?)?|(w)(?:eeks?)?)"
    r"(?![a-z])\s*(?:,|and\b)?\s*"
)


_SPAN_ADVICE = 'write a number of seconds, or "90s", "24h", "3 days", "23h 59m"'


def read_seconds(span: float | str | timedelta) -> float:
    """The seconds of a span: a number, a timedelta, or text like "90s", "3 days" or "23h 59m".

    ArgumentError for other text.

    >>> read_seconds("23h 59m")
    86340.0
    """
    if isinstance(span, timedelta):
        return span.total_seconds()
    if isinstance(span, int | float) and not isinstance(span, bool):
        return span
    if not isinstance(span, str):
        raise ArgumentError(f"{plain(repr(span), 60)} is not a time span: {_SPAN_ADVICE}")
    span_text = span.strip()
    total_seconds = 0.0
    text_position = 0
    while duration_match := _PART.match(span_text, text_position):
        # The first group is the number, and each unit has a group of its own.
        unit_letter = next(filter(None, duration_match.groups()[1:]))
        total_seconds += float(duration_match[1]) * _UNIT_SECONDS[unit_letter]
        text_position = duration_match.end()
    if not span_text or text_position < len(span_text):
        raise ArgumentError(f"{plain(repr(span), 60)} is not a time span: {_SPAN_ADVICE}")
    return total_seconds


# Words, and the units of pandas; "3m" could mean months.
_DURATION = re.compile(
    r"\s*(\d{1,6})\s*(minutes?|mins?|hours?|h|days?|d|weeks?|w)\s*", re.ASCII | re.IGNORECASE
)


def read_duration(duration: object, field: str) -> timedelta:
    """Read a duration from a timedelta or a text such as "45 days", "36h" or "90 min".

    OptionError, which names the argument `field`, for anything else and for 0 or less.

    >>> read_duration("36 hours", "lookback")
    datetime.timedelta(days=1, seconds=43200)
    """
    duration_match = _DURATION.fullmatch(duration) if isinstance(duration, str) else None
    if duration_match is not None:
        number_text, unit_word = duration_match.groups()
        duration = timedelta(seconds=int(number_text) * _UNIT_SECONDS[unit_word[0].lower()])
    if not isinstance(duration, timedelta) or duration <= timedelta(0):
        message = f'must be a duration such as "45 days" or "36 hours", not {duration!r:.60}'
        raise OptionError([Problem(field, message)])
    return duration
