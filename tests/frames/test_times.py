"""Times in every format that the service uses."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paylab.frames import times
from paylab.frames.times import UnreadableTimeWarning

OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def read(*texts: str | None, start: int = 0) -> pa.ChunkedArray:
    """A column of times."""
    return times.read_times(pa.chunked_array([pa.array(texts, pa.string())]), "created_at", start)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31T09:30:00Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31T09:30:00.123Z", datetime(2026, 1, 31, 9, 30, 0, 123000, UTC)),
        ("2026-01-31T09:30:00.123456Z", datetime(2026, 1, 31, 9, 30, 0, 123456, UTC)),
        ("2026-01-31T09:30:00.123456789Z", datetime(2026, 1, 31, 9, 30, 0, 123456, UTC)),
        ("2026-01-31T09:30:00+08:00", datetime(2026, 1, 31, 1, 30, tzinfo=UTC)),
        ("2026-01-31T09:30:00.5-05:30", datetime(2026, 1, 31, 15, 0, 0, 500000, UTC)),
        ("2026-01-31T09:30:00", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31 09:30:00Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("20260131T093000Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        (" 2026-01-31T09:30:00Z ", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("", None),
        (None, None),
    ],
)
def test_times_are_read_with_and_without_zone_and_fraction(
    text: str | None, moment: datetime | None
) -> None:
    """Times are read with Z, an offset or neither, and with or without a fraction."""
    assert read(text).to_pylist() == [moment]
    assert read("2026-01-31T09:30:00.1234567Z", text).to_pylist()[1] == moment


@pytest.mark.parametrize(
    "junk",
    [
        "soon",
        "1767225600",
        "2026-02-30T00:00:00Z",
        "0001-01-01T00:00:00+05:00",
        "9999-12-31T23:00:00-05:00",
    ],
)
def test_an_unreadable_time_is_a_missing_value(junk: str) -> None:
    """An unreadable time is a missing value; a warning has its column, row and value."""
    with pytest.warns(UnreadableTimeWarning, match=f"created_at, row 8: '{junk[:10]}"):
        assert read("2026-01-31T09:30:00Z", junk, start=7).null_count == 1


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31T09:30:00.12Z", "2026-01-31T09:30:00.120Z"),
        ("2026-01-31T09:30:00.123456+01:00", "2026-01-31T08:30:00.123456Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ],
)
def test_times_are_written_in_iso_8601_in_utc_with_z_with_at_least_milliseconds(
    sent: str, written: str
) -> None:
    """Times are written in ISO 8601, in UTC with Z, with at least milliseconds."""
    assert times.to_texts(read(sent)).to_pylist() == [written]


@given(st.datetimes(timezones=OFFSETS))
def test_any_time_with_an_offset_is_read_and_written_exactly(moment: datetime) -> None:
    """Any time with an offset is read exactly, if it has a year in UTC, and written unchanged."""
    try:
        expected = moment.astimezone(UTC)
    except OverflowError:  # before year 1 or after year 9999
        expected = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadableTimeWarning)
        column = read(moment.isoformat())
    assert column.to_pylist() == [expected]
    assert read(*times.to_texts(column).to_pylist()).equals(column)
