"""Where a reconciliation gets its sides from: the lists, an inbox or the simulator, a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import codes
from ..errors import PaylabError
from ..events import Event, UnreadableEventError, read
from ..inbox import Inbox
from .compare import compare
from .references import references
from .result import Reconciliation
from .sides import EVENTS, LIST, REFERENCES, of_events, of_list

if TYPE_CHECKING:
    import pandas as pd

Told = Inbox | str | PathLike[str] | Iterable[Event | Mapping[str, Any] | str | bytes]
"""An inbox, a file of events as `inbox.save` writes it, or events."""


def reconcile(
    lists: Mapping[str, Any],
    told: Told | None,
    books: str | PathLike[str] | pd.DataFrame | None,
    simulated: Callable[[], list[Event]] | None = None,
) -> Reconciliation:
    """Walk the lists, by family, and compare them with the events and your own books.

    Without events those of a simulator are taken: `simulated` gives them.
    """
    own = None if books is None else references(books)
    events, since = _told(told, simulated)
    listed = {
        row_id: entry
        for family, resource in lists.items()
        for row_id, entry in of_list(family, _rows(resource)).items()
    }
    lines = compare(listed, None if events is None else of_events(events), own, since)
    there = {LIST: True, EVENTS: events is not None, REFERENCES: own is not None}
    notes = [f"events are expected from {since:%Y-%m-%d %H:%M:%S} UTC on"] if since else []
    return Reconciliation(lines, tuple(side for side in there if there[side]), notes)


def _told(
    told: Told | None, simulated: Callable[[], list[Event]] | None
) -> tuple[Iterable[Event] | None, datetime | None]:
    """The events, and from when on they should be complete."""
    if isinstance(told, Inbox):
        return (arrival.event for arrival in told), told.since
    if isinstance(told, str | PathLike):
        return list(_file(Path(told))), None
    if told is not None:
        return _events(told), None
    if simulated is None:
        return None, None
    events = simulated()
    times = [event.updated_at for event in events if event.updated_at]
    return events, min(times, default=None)


def _events(told: object) -> list[Event]:
    if not isinstance(told, Iterable) or isinstance(told, Mapping | bytes):
        raise TypeError(
            "events are an inbox, a file with a JSON object a line, or a list of events, not a "
            f"{type(told).__name__}"
        )
    return [_event(number, each) for number, each in enumerate(told, 1)]


def _event(number: int, value: object) -> Event:
    if isinstance(value, Event):
        return value
    if not isinstance(value, Mapping | str | bytes):
        raise TypeError(f"event {number} is of type {type(value).__name__}, not an event")
    return read(value)


def _file(path: Path) -> Iterator[Event]:
    """The events of a file, one JSON object a line; PaylabError names a line that is none."""
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            if line.strip():
                yield read(line)
        except UnreadableEventError as error:
            raise PaylabError(f"{path}, line {number}: {error}") from None


def _rows(resource: object) -> Iterable[dict[str, object]]:
    pager = resource.list(codes.PAGE_MAX)  # type: ignore[attr-defined] # transfers, conversions
    return (row for page in pager.raw_pages() for row in page.data)
