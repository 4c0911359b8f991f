"""Writing instants as text and reading them."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paylab.spec import timestamps


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (datetime(2026, 1, 31, 9, 30, tzinfo=UTC), "2026-01-31T09:30:00.000Z"),
        (datetime(2026, 1, 31, 9, 30, 0, 123_999, UTC), "2026-01-31T09:30:00.123Z"),
        (datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=8))), "2025-12-31T17:00:00.000Z"),
    ],
)
def test_an_instant_is_written_in_utc_truncated_to_milliseconds(instant, text):
    """An instant is written in UTC, truncated to milliseconds."""
    assert timestamps.to_text(instant) == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-01-31T09:30:00.123Z", (9, 30, 123_000)),
        ("2026-01-31T09:30:00Z", (9, 30, 0)),
        ("2026-01-31t09:30:00z", (9, 30, 0)),
        ("2026-01-31T09:30Z", (9, 30, 0)),
        ("2026-01-31T11:30+02:00", (9, 30, 0)),
        ("2026-01-31 09:30:00", (9, 30, 0)),
        ("2026-01-31T09:30:00.1", (9, 30, 100_000)),
        ("2026-01-31T09:30:00,5Z", (9, 30, 500_000)),
        ("2026-01-31T09:30:00.123456789Z", (9, 30, 123_456)),
        ("2026-01-31T11:30:00+02:00", (9, 30, 0)),
        ("2026-01-31T11:30:00+0200", (9, 30, 0)),
        ("2026-01-31T11:30:00+02", (9, 30, 0)),
        ("2026-01-31T04:00:00-05:30", (9, 30, 0)),
        ("20260131T093000Z", (9, 30, 0)),
        ("20260131T113000.123+0200", (9, 30, 123_000)),
        ("20260131T0930", (9, 30, 0)),
    ],
)
def test_all_common_iso_8601_spellings_are_read(text, wanted):
    """All common ISO 8601 spellings are read; a time without an offset is UTC."""
    hour, minute, micros = wanted
    assert timestamps.from_text(text) == datetime(2026, 1, 31, hour, minute, 0, micros, UTC)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31T11:30:00.10+02:00", "2026-01-31T09:30:00.100Z"),
        ("20260131T093000.0000001Z", "2026-01-31T09:30:00.0000001Z"),
        ("2026-01-31T09:30:00.123456789", "2026-01-31T09:30:00.123456789Z"),
    ],
)
def test_every_spelling_of_an_instant_has_one_key(text, key):
    """Every spelling of an instant has one key, exact to the nanosecond."""
    assert timestamps.instant_key(text) == key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-01-31",
        "2026-02-30T09:30:00Z",
        "2026-13-01T09:30:00Z",
        "2026-01-31T25:00:00Z",
        "2026-01-31T09:30:00.Z",
        "2026-01-31T09:30:00+99:00",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "٢٠٢٦-01-31T09:30:00Z",
        "2026-01-31T09:30:00Z\n",
        "1768478400",
        "20260131",
        "2026-0131T09:30:00Z",
        "2026-01-31T09:3000Z",
        "x" * 10_000,
    ],
)
def test_text_that_is_not_an_instant_raises_valueerror_with_a_short_message(text):
    """Text that is not an instant raises ValueError with a short message."""
    with pytest.raises(ValueError, match=r".") as raised:
        timestamps.from_text(text)
    assert len(str(raised.value)) < 160


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_that_is_written_and_read_again_is_the_same_to_the_millisecond(instant):
    """An instant that is written and read again is the same to the millisecond."""
    back = timestamps.from_text(timestamps.to_text(instant))
    assert timedelta(0) <= instant - back < timedelta(milliseconds=1)


@given(st.text(max_size=40))
def test_any_text_is_read_as_an_instant_in_utc_or_raises_valueerror(text):
    """Any text is read as an instant in UTC or raises ValueError."""
    with suppress(ValueError):
        assert timestamps.from_text(text).tzinfo is UTC
