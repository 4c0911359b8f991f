"""The forms of X-Date: how a time is written and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from ..spec import timestamps


class DateForm(NamedTuple):
    """A form of X-Date: how it is written, what it looks like, how it is read, and in words."""

    write: Callable[[datetime], str]
    pattern: re.Pattern[str]
    read: Callable[[str], datetime]
    words: str


def _read_compact(date_text: str) -> datetime:
    """Read a date such as 20260131T093000Z; ValueError for any other text."""
    return datetime.strptime(date_text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


DATE_FORMS: Mapping[str, DateForm] = {
    "milliseconds": DateForm(
        timestamps.to_text,
        re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII),
        datetime.fromisoformat,
        "in ISO 8601 with milliseconds, like 2026-01-31T09:30:00.123Z",
    ),
    "seconds": DateForm(
        "{:%Y-%m-%dT%H:%M:%SZ}".format,
        re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII),
        datetime.fromisoformat,
        "in ISO 8601 without a fraction, like 2026-01-31T09:30:00Z",
    ),
    "compact": DateForm(
        "{:%Y%m%dT%H%M%SZ}".format,
        re.compile(r"\d{8}T\d{6}Z", re.ASCII),
        _read_compact,
        "in compact ISO 8601, like 20260131T093000Z",
    ),
    "unix": DateForm(
        lambda moment: str(int(moment.timestamp())),
        re.compile(r"\d{9,10}", re.ASCII),
        lambda text: datetime.fromtimestamp(int(text), UTC),
        "as a Unix time in seconds, like 1769851800",
    ),
}
"""The forms by the setting signing.date_form."""


def date_text(moment: datetime, form: str = "milliseconds") -> str:
    """Write a time in UTC as X-Date, in a form of `DATE_FORMS`.

    >>> from datetime import UTC, datetime
    >>> date_text(datetime(2026, 1, 31, 9, 30, tzinfo=UTC), "compact")
    '20260131T093000Z'
    """
    return DATE_FORMS[form].write(moment)


def read_date(date_text: str, form: str = "milliseconds") -> datetime:
    """Read X-Date in a form of `DATE_FORMS`; ValueError for any other (`signing.date-form`)."""
    date_form = DATE_FORMS[form]
    required_text = f"X-Date must be UTC {date_form.words}"
    if not date_form.pattern.fullmatch(date_text):
        raise ValueError(f"{required_text}, not {date_text[:40]!r}")
    try:
        return date_form.read(date_text)
    except ValueError:
        raise ValueError(f"{required_text}; {date_text} does not exist") from None
