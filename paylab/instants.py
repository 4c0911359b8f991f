"""Instants as text: ISO 8601 in UTC with milliseconds out, any sane ISO 8601 in."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_FORM = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_LONGEST_HTTP = 64


def to_text(instant: datetime) -> str:
    """`2026-01-31T09:30:00.123Z`: UTC, cut to milliseconds."""
    text = instant.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00") + "Z"


def from_text(text: str) -> datetime:
    """Read an ISO 8601 date and time; ValueError says what is wrong. No offset means UTC."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not like 2026-01-31T09:30:00.123Z")
    day, clock, fraction, offset = match.groups()
    zone = "+00:00" if offset in (None, "Z", "z") else offset
    micros = (fraction or "0")[:6].ljust(6, "0")
    try:
        return datetime.fromisoformat(f"{day}T{clock}.{micros}{zone}").astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text[:40]!r} is outside the years 1 to 9999") from None


def from_http(text: str) -> datetime | None:
    """The instant of a header such as Date, in UTC; None when it is not readable."""
    try:
        moment = parsedate_to_datetime(text[:_LONGEST_HTTP])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
