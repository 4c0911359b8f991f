"""A received event: as data, as a row of a table, and as a line of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..spec import timestamps
from ..spec.text import plain
from .event import OWN, Event, Wrapper, read_event

IN_ORDER = "in order"
STALE = "stale"

LONGEST = 60
"""Maximum characters of a value in a row."""


@dataclass(frozen=True)
class Arrival:
    """A received event: first and last time, number of deliveries, and whether in order.

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
    wrapper: Wrapper = field(default=OWN, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def event(self) -> Event:
        """The event, typed."""
        return read_event(self.body, self.wrapper)

    @property
    def payload(self) -> dict[str, Any]:
        """The resource's snapshot as it was sent."""
        return dict(self.event.payload)


COLUMNS = ("time", "type", "resource", "status", "delivered", "order")


def cells(arrival: Arrival) -> tuple[str, ...]:
    """An arrival as the text of a row."""
    return (
        f"{arrival.at:%H:%M:%S}",
        *shown_words(arrival),
        "once" if arrival.deliveries == 1 else f"{arrival.deliveries} times",
        arrival.order,
    )


def shown_words(event: Arrival | Event) -> list[str]:
    """The type, the resource and the status, each escaped and cut to a safe length."""
    return [plain(word, LONGEST) for word in (event.type, event.id, event.status or "-")]


def as_json(arrival: Arrival) -> dict[str, Any]:
    """An arrival as one line of JSON: the event in paylab's wrapper, and its delivery."""
    return {
        **OWN._replace(id_field=arrival.wrapper.id_field).delivery(arrival.event),
        "received_at": timestamps.to_text(arrival.at),
        "deliveries": arrival.deliveries,
        "order": arrival.order,
    }
