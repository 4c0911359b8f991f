"""Instants as text: ISO 8601 in UTC with milliseconds out, any sane ISO 8601 in."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from functools import lru_cache

_ISO_8601 = re.compile(
    r"(?P<year>\d{4})(?P<dash>-?)(?P<month>\d\d)(?P=dash)(?P<day>\d\d)[Tt ]"
    r"(?P<hour>\d\d)(?P<colon>:?)(?P<minute>\d\d)"
    r"(?:(?P=colon)(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"\s?(?P<offset>[Zz]|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
"""The extended form, such as 2026-01-31T09:30:00Z, and the basic form, 20260131T093000Z."""
_HTTP_CHARACTERS_MAX = 64


def to_text(instant: datetime) -> str:
    """Write an instant as `2026-01-31T09:30:00.123Z`: in UTC, cut to milliseconds."""
    instant_text = instant.astimezone(UTC).isoformat(timespec="milliseconds")
    return instant_text.removesuffix("+00:00") + "Z"


def from_text(text: str, zone: tzinfo = UTC) -> datetime:
    """Read an ISO 8601 date and time; ValueError says what is wrong. No offset means `zone`."""
    time_match = _ISO_8601.fullmatch(text)
    if time_match is None:
        raise ValueError(f"{text[:40]!r} is not like 2026-01-31T09:30:00.123Z")
    date_text = f"{time_match['year']}-{time_match['month']}-{time_match['day']}"
    time_of_day_text = f"{time_match['hour']}:{time_match['minute']}:{time_match['second'] or '00'}"
    microsecond_digits = (time_match["fraction"] or "")[:6].ljust(6, "0")
    written_offset = time_match["offset"]
    offset_text = "+00:00" if written_offset in ("Z", "z") else written_offset or ""
    iso_text = f"{date_text}T{time_of_day_text}.{microsecond_digits}{offset_text}"
    try:
        moment = datetime.fromisoformat(iso_text)
        return (moment if written_offset else moment.replace(tzinfo=zone)).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text[:40]!r} is outside the years 1 to 9999") from None


def has_offset(text: str) -> bool:
    """Whether an ISO 8601 date and time says its offset from UTC."""
    time_match = _ISO_8601.fullmatch(text)
    return time_match is not None and time_match["offset"] is not None


def read_or_none(value: object) -> datetime | None:
    """Read the instant of a value that the service sent; None if it is not ISO 8601 text."""
    try:
        return from_text(str(value))
    except ValueError:
        return None


def instant_key(text: str) -> str:
    """Return the same text for all spellings of one instant, exact to the nanosecond.

    >>> instant_key("2026-01-31T10:30:00.5+01:00") == instant_key("2026-01-31T09:30:00.500Z")
    True
    """
    whole_second = from_text(text).replace(microsecond=0, tzinfo=None)
    time_match = _ISO_8601.fullmatch(text)
    fraction_text = (time_match["fraction"] or "") if time_match else ""
    fraction_digits = fraction_text.rstrip("0").ljust(3, "0")  # .5, .50 and .500 are the same
    return f"{whole_second.isoformat()}.{fraction_digits}Z"


def to_http(instant: datetime) -> str:
    """Write an instant for a header such as Date: `Sat, 31 Jan 2026 09:30:00 GMT`."""
    return _format_second(instant.replace(microsecond=0))


@lru_cache(maxsize=16)
def _format_second(second: datetime) -> str:
    """Write a whole second as HTTP does; many requests in one second are written once."""
    from email.utils import format_datetime  # imports sockets

    return format_datetime(second, usegmt=True)


def from_http(text: str) -> datetime | None:
    """Read the instant of a header such as Date, in UTC; None if it is not readable."""
    from email.utils import parsedate_to_datetime  # imports sockets

    try:
        http_time = parsedate_to_datetime(text[:_HTTP_CHARACTERS_MAX])
        if http_time.tzinfo is None:  # the header says "-0000": in UTC, of an unknown place
            return http_time.replace(tzinfo=UTC)
        return http_time.astimezone(UTC)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
