"""Selections of received events, and reading events from an inbox, a file or a list."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, RuleWarning, warn_caller
from ..errors.choices import find_choice
from ..errors.text import printable_lines
from ..files import path_of, replace
from ..spec import codes, timestamps
from ..spec.text import JsonMapping, plain
from .arrival import ARRIVAL_COLUMNS, Arrival, ArrivalStore, arrival_cells, as_json
from .event import SPEC_WRAPPER, Event, Wrapper, read_event
from .event_file import EventHistory, header_line, json_line, read_events

if TYPE_CHECKING:
    import pandas as pd

ROWS_MAX = 10
"""Maximum events that a table shows."""

Condition = Callable[[Arrival, Any], bool]
CONDITIONS: Mapping[str, Condition] = {
    "type": lambda arrival, pattern: fnmatchcase(arrival.type, pattern),
    "id": lambda arrival, row_id: arrival.id == row_id,
    "status": lambda arrival, status: arrival.status == status,
    "order": lambda arrival, order: arrival.order == order,
    "since": lambda arrival, moment: arrival.at >= moment,
}


def describe_unknown_type(event_type: object) -> str:
    """Return "... is no known type of event; nearest: ..."; "" for a known one or a pattern."""
    if not isinstance(event_type, str) or "*" in event_type or event_type in codes.EVENT_TYPES:
        return ""
    meant_type = find_choice(event_type, codes.EVENT_TYPES)
    hint_text = f"nearest: {meant_type}" if meant_type else "see paylab.codes"
    return f"{plain(event_type, 60)} is no known type of event; {hint_text}"


@explain_arguments
class Arrivals:
    """The events of an inbox that meet some conditions; evaluated on each use."""

    def __init__(self, events: ArrivalStore, *conditions: tuple[str, str | datetime]) -> None:
        """Select from `events`; a condition is a name of CONDITIONS and the value to compare."""
        self._log = events
        self._conditions = conditions

    @property
    def since(self) -> datetime | None:
        """The time from which all events should be here.

        It is None if the time is not known, or if this is a selection of events.
        """
        return None if self._conditions else self._log.since

    def where(
        self, event_type: codes.EventType | str | None = None, /, **conditions: str | datetime
    ) -> Arrivals:
        """Select events by type (such as `transfer.*`), id, status, order and since.

        Only the type can be given without a name. A type that is not known gives a warning, unless
        an event has it.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     [arrival.event.type for arrival in inbox.where(id=order.id)]
        ['transfer.created']
        """
        unknown_names = conditions.keys() - CONDITIONS.keys()
        if unknown_names:
            message = f"where() does not know {', '.join(sorted(unknown_names))}"
            raise ArgumentError(f"{message}; it knows {', '.join(CONDITIONS)}")
        if event_type is not None:
            if "type" in conditions:
                raise ArgumentError("where() got the type twice: give it with or without its name")
            conditions = {"type": event_type, **conditions}
        new_conditions = [
            (condition_name, _read_condition_value(condition_name, condition_value))
            for condition_name, condition_value in conditions.items()
        ]
        matching_arrivals = Arrivals(self._log, *self._conditions, *new_conditions)
        # Without a type, the pattern for every type, which is never unknown.
        type_hint = describe_unknown_type(conditions.get("type", "*"))
        if type_hint and not matching_arrivals:
            warn_caller(type_hint, RuleWarning)
        return matching_arrivals

    def _find_matching_arrivals(self) -> list[Arrival]:
        """Return the events that meet all conditions."""
        matching_arrivals = self._log.all()
        for condition_name, condition_value in self._conditions:
            meets_condition = CONDITIONS[condition_name]
            matching_arrivals = [
                arrival
                for arrival in matching_arrivals
                if meets_condition(arrival, condition_value)
            ]
        return matching_arrivals

    def __len__(self) -> int:
        return len(self._find_matching_arrivals())

    def __iter__(self) -> Iterator[Arrival]:
        return iter(self._find_matching_arrivals())

    def __getitem__(self, index: int) -> Arrival:
        """Return an event by position; the latest is -1."""
        matching_arrivals = self._find_matching_arrivals()
        if not -len(matching_arrivals) <= index < len(matching_arrivals):
            raise IndexError(f"there are {len(matching_arrivals)} events")
        return matching_arrivals[index]

    def newest(self, limit: int = ROWS_MAX) -> list[Arrival]:
        """Return the latest events, newest first.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     inbox.newest(1)[0].event == event
        True
        """
        return self._find_matching_arrivals()[::-1][:limit]

    def frame(self) -> pd.DataFrame:
        """Return one row per event: time, type, resource, number of deliveries, order.

        >>> lab.inbox().frame()["type"].tolist()
        []
        """
        from ..frames.exact_frame import ExactFrame

        field_names = ("at", "type", "id", "status", "updated_at", "deliveries", "order")
        frame_rows = list(map(attrgetter(*field_names), self))
        frame = ExactFrame(frame_rows, columns=["received_at", *field_names[1:]])
        type_by_column = {
            **dict.fromkeys(("received_at", "updated_at"), "datetime64[ms, UTC]"),
            **dict.fromkeys(("type", "status", "order"), "category"),
            "deliveries": "int64",
            "id": "str",
        }
        return frame.astype(type_by_column)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write a header, then one event per line, oldest first.

        `lab.reconcile(events=path)` reads the file, `lab.inbox(path=path)` continues it, and each
        line after the header can be read as an event.

        >>> lab.inbox().save("events.jsonl").name
        'events.jsonl'
        """
        target_path = path_of(path)
        with replace(target_path, private=True) as event_file:
            event_file.write(header_line(self.since))
            event_file.writelines(json_line(as_json(arrival)) for arrival in self)
        return target_path

    def table(self, limit: int = ROWS_MAX) -> list[tuple[str, ...]]:
        """Return the latest events as text, newest first, with `ARRIVAL_COLUMNS`.

        >>> lab.inbox().table()
        []
        """
        return [arrival_cells(arrival) for arrival in self.newest(limit)]

    def __repr__(self) -> str:
        """The number of events, and a table of the latest ones."""
        text_rows = [ARRIVAL_COLUMNS, *self.table()]
        text_columns = zip(*text_rows, strict=True)
        column_widths = [max(map(len, column_texts)) for column_texts in text_columns]
        text_lines = [
            "  ".join(map(str.ljust, row_texts, column_widths)).rstrip() for row_texts in text_rows
        ]
        return printable_lines("\n".join([self._count_text(), *text_lines]))

    def _count_text(self) -> str:
        """Describe the number of events: "12 events, the latest 10 of them"."""
        event_count = len(self)
        count_text = "1 event" if event_count == 1 else f"{event_count} events"
        if event_count > ROWS_MAX:
            count_text += f", the latest {ROWS_MAX} of them"
        if self._log.dropped:
            count_text += f"; {self._log.dropped} older ones were dropped"
        return count_text


def _read_condition_value(
    condition_name: str, condition_argument: str | datetime
) -> str | datetime:
    """Return the value to compare with: the time of `since` as an aware datetime, others as given.

    ArgumentError for a time without a zone.
    """
    if isinstance(condition_argument, str):
        if condition_name != "since":
            return condition_argument
        try:
            return timestamps.from_text(condition_argument)
        except ValueError as error:
            raise ArgumentError(f"since: {error}", "since") from None
    if condition_argument.tzinfo is None:
        raise ArgumentError(f"{condition_name} must have a time zone, such as datetime.now(UTC)")
    return condition_argument


EventSource = Arrivals | str | os.PathLike[str] | Iterable[Event | JsonMapping | str | bytes]
"""An inbox, a file of events as `inbox.save` writes it, or events."""


def read_any_events(source: EventSource, wrapper: Wrapper = SPEC_WRAPPER) -> EventHistory:
    """Read the events of a source; TypeError or PaylabError names an item that is no event."""
    if isinstance(source, Arrivals):
        return EventHistory([arrival.event for arrival in source], source.since)
    if isinstance(source, str | os.PathLike):
        return read_events(source, wrapper)
    if not isinstance(source, Iterable) or isinstance(source, Mapping | bytes):
        raise ArgumentError(
            "events are an inbox, a file with a JSON object a line, or a list of events, not a "
            f"{type(source).__name__}"
        )
    events = [_read_item(item_number, item, wrapper) for item_number, item in enumerate(source, 1)]
    return EventHistory(events, since=None)


def simulated_events(events: list[Event]) -> EventHistory:
    """Return the events of a simulator. They are complete from the first one on."""
    update_times = [event.updated_at for event in events if event.updated_at]
    return EventHistory(events, min(update_times, default=None))


def _read_item(number: int, delivery: object, wrapper: Wrapper) -> Event:
    """Read an item of a list of events; `number` is its place in messages."""
    if isinstance(delivery, Event):
        return delivery
    if not isinstance(delivery, Mapping | str | bytes):
        raise ArgumentError(f"event {number} is of type {type(delivery).__name__}, not an event")
    return read_event(delivery, wrapper)
