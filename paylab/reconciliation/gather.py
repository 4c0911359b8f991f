"""Where a reconciliation gets its sides from: the lists, an inbox or the simulator, a file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING

from .. import codes
from ..events import Event
from ..inbox import Inbox
from .compare import compare
from .references import references
from .result import Reconciliation
from .sides import EVENTS, LIST, REFERENCES, of_events, of_list

if TYPE_CHECKING:
    import pandas as pd

    from ..lab import Lab

Told = Inbox | Iterable[Event]


def reconcile(
    lab: Lab, told: Told | None, books: str | PathLike[str] | pd.DataFrame | None
) -> Reconciliation:
    """Walk the lists, and compare them with whatever else there is."""
    own = None if books is None else references(books)
    events, since = _told(lab, told)
    listed = {
        **of_list("transfer", _rows(lab.transfers)),
        **of_list("conversion", _rows(lab.conversions)),
    }
    lines = compare(listed, None if events is None else of_events(events), own, since)
    there = {LIST: True, EVENTS: events is not None, REFERENCES: own is not None}
    notes = [f"events are expected from {since:%Y-%m-%d %H:%M:%S} UTC on"] if since else []
    return Reconciliation(lines, tuple(side for side in there if there[side]), notes)


def _told(lab: Lab, told: Told | None) -> tuple[Iterable[Event] | None, datetime | None]:
    """The events, and from when on they should be complete."""
    if isinstance(told, Inbox):
        return (arrival.event for arrival in told), told.since
    if told is not None:
        return told, None
    if lab.simulator is None:
        return None, None
    events = lab.simulator.events()
    times = [event.updated_at for event in events if event.updated_at]
    return events, min(times, default=None)


def _rows(resource: object) -> Iterable[dict[str, object]]:
    pager = resource.list(codes.PAGE_MAX)  # type: ignore[attr-defined] # transfers, conversions
    return (row for page in pager.raw_pages() for row in page.data)
