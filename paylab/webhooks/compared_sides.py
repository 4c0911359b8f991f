"""The sides that are compared with the service: your books or events, and their payments."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from os import PathLike
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ..errors.extras import extra_imports
from .equality_rules import Period
from .event_file import EventHistory
from .sides import Rows, earliest_time, read_book_rows, read_event_rows

with extra_imports():
    import pandas as pd

BookSource = str | PathLike[str] | pd.DataFrame
"""A file, a frame, or with `database` a query."""


class Books(NamedTuple):
    """The rows of books as they are written, and notes about the format of the file."""

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()


class Side(NamedTuple):
    """Rows to compare with the service, and the period whose payments must be among them."""

    rows: Rows
    period: Period | None
    notes: list[str]


def make_book_side(  # noqa: PLR0913 - the books, how they are written, and their period
    books: Books,
    columns: Mapping[str, str] | None,
    zone: ZoneInfo,
    decimal: str | None,
    date_format: str | None,
    period: Period,
) -> Side:
    """The books as a side, with notes on what was found in them."""
    rows = read_book_rows(books.frame, columns, zone, decimal, date_format)
    return Side(rows, period, [*books.notes, *rows.notes])


def make_event_side(events: EventHistory) -> Side:
    """Make the side of the events.

    A payment without an event is missing only if it was made after listening began, or, if that
    time is not known, after the first event.
    """
    events_start = events.since or earliest_time(events.events)
    period = Period(events_start) if events_start else None
    return Side(
        read_event_rows(events.events), period, [*events.notes, _note_first_event(events_start)]
    )


def _note_first_event(events_start: datetime | None) -> str:
    """Return a note that tells which payments should have an event."""
    if events_start is None:
        return "there is no event, so none is missing"
    return f"events are expected from {events_start:%Y-%m-%d %H:%M:%S} UTC on"
