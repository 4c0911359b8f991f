"""A received event: as data, as a row of a table, and as a line of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from ..spec import timestamps
from ..spec.text import JsonObject, plain
from .event import SPEC_WRAPPER, Event, Wrapper, read_event

IN_ORDER = "in order"
STALE = "stale"

CELL_CHARACTERS_MAX = 60
"""Maximum characters of a value in a row."""


@dataclass(frozen=True)
class Arrival:
    """A received event: first and last time, number of deliveries, and whether it is in order.

    `answered` is the status that a handler gave this delivery, if there is a handler; `headers`,
    by lower-case name, are only known while a delivery is handled.
    """

    seq: int
    at: datetime
    last_at: datetime
    deliveries: int
    type: str
    id: str
    status: str | None
    updated_at: datetime | None
    order: str
    body: bytes = field(repr=False)
    answered: int | None = None
    wrapper: Wrapper = field(default=SPEC_WRAPPER, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def event(self) -> Event:
        """The event, read from its body."""
        return read_event(self.body, self.wrapper)

    @property
    def payload(self) -> JsonObject:
        """The snapshot of the resource as it was sent."""
        return dict(self.event.payload)


class ArrivalStore(Protocol):
    """Where received events are stored and read; `EventLog` is one.

    `wrapper` is how they are read. `since` is the time from which all events should be here, if
    it is known, and `dropped` the number of those that are not here any more.
    """

    wrapper: Wrapper
    since: datetime | None
    dropped: int

    def add(self, event: Event, body: bytes, at: datetime) -> Arrival:
        """Store an event, or count another delivery of it."""

    def all(self) -> list[Arrival]:
        """Return the events, oldest first."""


ARRIVAL_COLUMNS = ("time", "type", "resource", "status", "delivered", "order")


def arrival_cells(arrival: Arrival) -> tuple[str, ...]:
    """Return the texts of a row for an arrival."""
    deliveries_text = "once" if arrival.deliveries == 1 else f"{arrival.deliveries} times"
    return f"{arrival.at:%H:%M:%S}", *event_cells(arrival), deliveries_text, arrival.order


def event_cells(event: Arrival | Event) -> list[str]:
    """Return the type, the resource and the status, each escaped and cut to a safe length."""
    cell_texts = (event.type, event.id, event.status or "-")
    return [plain(cell_text, CELL_CHARACTERS_MAX) for cell_text in cell_texts]


def as_json(arrival: Arrival) -> JsonObject:
    """Return an arrival as JSON: the event in paylab's wrapper, and its delivery."""
    wrapper = SPEC_WRAPPER._replace(id_field=arrival.wrapper.id_field)
    return {
        **wrapper.delivery(arrival.event),
        "received_at": timestamps.to_text(arrival.at),
        "deliveries": arrival.deliveries,
        "order": arrival.order,
    }
