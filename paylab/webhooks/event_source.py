"""The events that a reconciliation is given: an inbox, a file, or a list of events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from .arrivals import Arrivals
from .event import Event, read_event
from .event_file import FoundEvents, read_events

EventSource = Arrivals | str | PathLike[str] | Iterable[Event | Mapping[str, Any] | str | bytes]
"""An inbox, a file of events as `inbox.save` writes it, or events."""


def events_of(source: EventSource) -> FoundEvents:
    """The events of a source; TypeError or PaylabError names what is none."""
    if isinstance(source, Arrivals):
        return FoundEvents([arrival.event for arrival in source], source.since)
    if isinstance(source, str | PathLike):
        return read_events(source)
    if not isinstance(source, Iterable) or isinstance(source, Mapping | bytes):
        raise TypeError(
            "events are an inbox, a file with a JSON object a line, or a list of events, not a "
            f"{type(source).__name__}"
        )
    return FoundEvents([_event(number, each) for number, each in enumerate(source, 1)], None)


def simulated_events(events: list[Event]) -> FoundEvents:
    """The events of a simulator, which are complete from the first one on."""
    times = [event.updated_at for event in events if event.updated_at]
    return FoundEvents(events, min(times, default=None))


def _event(number: int, value: object) -> Event:
    if isinstance(value, Event):
        return value
    if not isinstance(value, Mapping | str | bytes):
        raise TypeError(f"event {number} is of type {type(value).__name__}, not an event")
    return read_event(value)
