"""Received events: those of an inbox that meet conditions, those of a file, those of a list."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError
from ..errors.text import printable_lines
from ..files import path_of, replace
from ..spec import timestamps
from .arrival import COLUMNS, Arrival, as_json, cells
from .event import OWN, Event, Wrapper, read_event
from .event_file import EventHistory, as_line, header, read_events
from .event_log import EventLog

if TYPE_CHECKING:
    import pandas as pd


SHOWN = 10

CONDITIONS: Mapping[str, Callable[[Arrival, Any], bool]] = {
    "type": lambda arrival, pattern: fnmatchcase(arrival.type, pattern),
    "id": lambda arrival, row_id: arrival.id == row_id,
    "status": lambda arrival, status: arrival.status == status,
    "order": lambda arrival, order: arrival.order == order,
    "since": lambda arrival, moment: arrival.at >= moment,
}


@explain_arguments
class Arrivals:
    """The events of an inbox that meet some conditions; evaluated on each use."""

    def __init__(self, events: EventLog, *conditions: tuple[str, str | datetime]) -> None:
        self._log = events
        self._conditions = conditions

    @property
    def since(self) -> datetime | None:
        """The time from which all events should be here, if it is known; None for a selection."""
        return None if self._conditions else self._log.since

    def where(self, **conditions: str | datetime) -> Arrivals:
        """The events that match: type (such as `transfer.*`), id, status, order, since.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     [each.event.type for each in inbox.where(id=order.id)]
        ['transfer.created']
        """
        unknown = conditions.keys() - CONDITIONS.keys()
        if unknown:
            names = ", ".join(CONDITIONS)
            raise ArgumentError(
                f"where() does not know {', '.join(sorted(unknown))}; it knows {names}"
            )
        typed_conditions = ((name, _value(name, value)) for name, value in conditions.items())
        return Arrivals(self._log, *self._conditions, *typed_conditions)

    def _matching(self) -> list[Arrival]:
        tests = [(CONDITIONS[name], value) for name, value in self._conditions]
        return [
            arrival
            for arrival in self._log.all()
            if all(test(arrival, value) for test, value in tests)
        ]

    def __len__(self) -> int:
        return len(self._matching())

    def __iter__(self) -> Iterator[Arrival]:
        return iter(self._matching())

    def __getitem__(self, index: int) -> Arrival:
        """By position; the latest is -1."""
        matching = self._matching()
        if not -len(matching) <= index < len(matching):
            raise IndexError(f"there are {len(matching)} events")
        return matching[index]

    def newest(self, limit: int = SHOWN) -> list[Arrival]:
        """The latest, newest first.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     inbox.newest(1)[0].event == event
        True
        """
        return self._matching()[: -limit - 1 : -1]

    def frame(self) -> pd.DataFrame:
        """One row per event: time, type, resource, number of deliveries, and whether in order.

        >>> lab.inbox().frame()["type"].tolist()
        []
        """
        from ..frames.frame import ExactFrame

        names = ("at", "type", "id", "status", "updated_at", "deliveries", "order")
        rows = [tuple(getattr(arrival, name) for name in names) for arrival in self]
        frame = ExactFrame(rows, columns=["received_at", *names[1:]])
        times = dict.fromkeys(("received_at", "updated_at"), "datetime64[ms, UTC]")
        words = dict.fromkeys(("type", "status", "order"), "category")
        return frame.astype({**times, **words, "deliveries": "int64", "id": "str"})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a header, then one event per line, oldest first.

        `lab.reconcile(events=path)` reads the file, `lab.inbox(path=path)` continues it, and each
        line after the header can be read as an event.

        >>> lab.inbox().save("events.jsonl").name
        'events.jsonl'
        """
        target = path_of(path)
        with replace(target, private=True) as file:
            file.write(header(self.since))
            file.writelines(as_line(as_json(arrival)) for arrival in self)
        return target

    def table(self, limit: int = SHOWN) -> list[tuple[str, ...]]:
        """The latest as text, newest first: time, type, resource, status, deliveries, order.

        >>> lab.inbox().table()
        []
        """
        return [cells(arrival) for arrival in self.newest(limit)]

    def __repr__(self) -> str:
        rows = [COLUMNS, *reversed(self.table())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return printable_lines("\n".join([self._title(), *lines]))

    def _title(self) -> str:
        count = len(self)
        limit_note = f", the latest {SHOWN} of them" if count > SHOWN else ""
        lost = f"; {self._log.dropped} older ones were dropped" if self._log.dropped else ""
        return f"{count} event{'' if count == 1 else 's'}{limit_note}{lost}"


def _value(name: str, value: str | datetime) -> str | datetime:
    """A condition as it is compared: times as aware datetimes."""
    if isinstance(value, str):
        return timestamps.from_text(value) if name == "since" else value
    if value.tzinfo is None:
        raise ArgumentError(f"{name} must have a time zone, such as datetime.now(UTC)")
    return value


EventSource = Arrivals | str | os.PathLike[str] | Iterable[Event | Mapping[str, Any] | str | bytes]
"""An inbox, a file of events as `inbox.save` writes it, or events."""


def events_of(source: EventSource, wrapper: Wrapper = OWN) -> EventHistory:
    """The events of a source; TypeError or PaylabError names what is none."""
    if isinstance(source, Arrivals):
        return EventHistory([arrival.event for arrival in source], source.since)
    if isinstance(source, str | os.PathLike):
        return read_events(source, wrapper)
    if not isinstance(source, Iterable) or isinstance(source, Mapping | bytes):
        raise ArgumentError(
            "events are an inbox, a file with a JSON object a line, or a list of events, not a "
            f"{type(source).__name__}"
        )
    events = [_event(number, item, wrapper) for number, item in enumerate(source, 1)]
    return EventHistory(events, None)


def simulated_events(events: list[Event]) -> EventHistory:
    """The events of a simulator, which are complete from the first one on."""
    times = [event.updated_at for event in events if event.updated_at]
    return EventHistory(events, min(times, default=None))


def _event(number: int, value: object, wrapper: Wrapper) -> Event:
    if isinstance(value, Event):
        return value
    if not isinstance(value, Mapping | str | bytes):
        raise ArgumentError(f"event {number} is of type {type(value).__name__}, not an event")
    return read_event(value, wrapper)
