"""Events as delivered: read, typed, made of a resource, and in the order of their resource."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, PaylabError
from ..spec import models, timestamps
from ..spec.codes import EVENT_TYPES
from ..spec.json_path import put_inside, value_at
from ..spec.models import StatusChange
from ..spec.money import lowered
from ..spec.operations.records import event_payload
from ..spec.renames import Names
from ..spec.resource import Resource
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.status import CONVERSION, INDIVIDUAL, TRANSFER, Machine
from ..spec.text import printable, read_json, write_json

Identity = tuple[str, str, str | None, str | None]
RawEvent = bytes | bytearray | memoryview | str | Mapping[str, Any]


@explain_arguments
class Wrapper(NamedTuple):
    """Where the parts of an event are in a delivery; dotted names are paths in objects."""

    type_field: str = "event_type"
    payload_field: str = "event_payload"
    id_field: str = NONE
    service: Service = Service()

    @classmethod
    def of(cls, service: Service) -> Wrapper:
        """The wrapper of a service's settings.

        >>> paylab.events.Wrapper.of(lab.service).type_field
        'event_type'
        """
        settings = service.webhooks
        return cls(settings.type_field, settings.payload_field, settings.id_field, service)

    def delivery(self, event: Event) -> dict[str, Any]:
        """An event as the service writes it.

        >>> event = paylab.events.read_event(delivery)
        >>> paylab.events.Wrapper().delivery(event)["event_type"]
        'transfer.completed'
        """
        body: dict[str, Any] = {}
        if event.event_id and self.id_field != NONE:
            put_inside(body, self.id_field, event.event_id)
        put_inside(body, self.type_field, event.type)
        put_inside(body, self.payload_field, event.payload)
        return body


OWN = Wrapper()
"""The wrapper of the interface description, in which paylab writes events."""

FAMILIES: Mapping[str, tuple[type[Resource], Machine]] = {
    "transfer": (models.Transfer, TRANSFER),
    "conversion": (models.Conversion, CONVERSION),
    "individual": (StatusChange, INDIVIDUAL),
}
"""The payload model and status machine by the first word of an event type."""


class UnreadableEventError(PaylabError, ValueError):
    """A delivery that is not an event: not JSON, or without type, payload or resource id."""


class EventVersion(NamedTuple):
    """The data for ordering an event: family, status, update time and type."""

    type: str
    status: str | None = None
    updated_at: datetime | None = None
    previous: str | None = None


@dataclass(frozen=True)
class Event:
    """A delivered event; `resource` is its payload read as the model of its type.

    `stale` marks an event that arrived after a later one of its resource.
    """

    type: str
    payload: Mapping[str, Any] = field(repr=False)
    resource: Resource = field(repr=False)
    stale: bool = False
    event_id: str = ""

    @property
    def family(self) -> str:
        """The first word of the type: transfer, conversion, individual."""
        return self.type.partition(".")[0]

    @property
    def id(self) -> str:
        """The id of the resource."""
        return _text(self.payload.get("id")) or ""

    @property
    def status(self) -> str | None:
        """The status in its snapshot."""
        return _text(self.payload.get("status"))

    @property
    def updated_at(self) -> datetime | None:
        """The time of the snapshot; None when it cannot be read."""
        moment = getattr(self.resource, "updated_at", None)
        return moment if isinstance(moment, datetime) else None

    @property
    def mark(self) -> EventVersion:
        """What ordering needs."""
        previous = _text(self.payload.get("previous_status"))
        return EventVersion(self.type, self.status, self.updated_at, previous)

    @property
    def identity(self) -> Identity:
        """The key that two deliveries of the same event share.

        It is the event's id if the service sends one. Otherwise type, resource, status and
        updated_at are compared, and without an updated_at the whole payload.
        """
        if self.event_id:
            return self.type, self.id, self.status, f"id:{self.event_id}"
        moment = _moment(_text(self.payload.get("updated_at")))
        if not moment:
            text = json.dumps(self.payload, sort_keys=True, default=str)
            moment = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
        return self.type, self.id, self.status, moment

    def __str__(self) -> str:
        when = f"{self.updated_at:%H:%M:%S}" if self.updated_at else "--:--:--"
        return "  ".join([when, *map(printable, (self.type, self.id, str(self.status)))])


@explain_arguments
def read_event(delivery: RawEvent, wrapper: Wrapper = OWN) -> Event:
    """Read a delivery's body; unknown types and fields are kept, anything else is an error.

    `wrapper` says where the type, the payload and an id of the event are. Events written by
    paylab are always readable.

    >>> paylab.events.read_event(delivery).type
    'transfer.completed'
    """
    body = _parsed(delivery)
    kind, payload = _parts(body, wrapper) or _parts(body, OWN) or ("", {})
    if not kind:
        fields = f"{wrapper.type_field} (text) and {wrapper.payload_field} (object)"
        raise UnreadableEventError(
            f"an event has {fields}; webhooks.type_field and webhooks.payload_field in "
            "service.toml set other names"
        )
    event = event_of(kind, payload, wrapper.service)
    event = replace(event, event_id=_text(value_at(body, wrapper.id_field)) or "")
    if not event.id and event.family in FAMILIES:
        raise UnreadableEventError(f"the payload of {kind[:60]!a} has no id")
    return event


def _parts(body: Mapping[str, Any], wrapper: Wrapper) -> tuple[str, Mapping[str, Any]] | None:
    """The type and the payload of an event with this wrapper, or None."""
    kind = value_at(body, wrapper.type_field)
    payload = value_at(body, wrapper.payload_field)
    is_event = isinstance(kind, str) and kind and isinstance(payload, Mapping)
    return (kind, payload) if is_event else None


def event_of(kind: str, payload: Mapping[str, Any], service: Service = OWN.service) -> Event:
    """The event of a type and a payload."""
    family = kind.partition(".")[0]
    model, _ = FAMILIES.get(family, (Resource, None))
    try:
        resource = model.model_validate(event_payload(service, kind, payload, Names.read))
        resource._raw = dict(payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableEventError(f"the payload cannot be read: {str(error)[:200]}") from None
    return Event(kind, payload, resource)


def _parsed(delivery: RawEvent) -> Mapping[str, Any]:
    """The JSON object of a delivery; NaN is refused, in a parsed object too."""
    try:
        text = write_json(delivery) if isinstance(delivery, Mapping) else delivery
        body = read_json(text if isinstance(text, str) else bytes(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableEventError(f"an event is JSON: {str(error)[:200]}") from None
    if not isinstance(body, dict):
        raise UnreadableEventError("an event is a JSON object")
    return body


def _moment(text: str | None) -> str | None:
    """A time in its normal form; unreadable text unchanged."""
    try:
        return timestamps.instant_key(text) if text else None
    except ValueError:
        return text


def _text(value: object) -> str | None:
    """Text unchanged; any other value as JSON."""
    if value is None or isinstance(value, str):
        return value
    return write_json(value)


BY_STATUS: Mapping[str, Mapping[str, str]] = {
    "transfer": {
        "awaiting_funds": "transfer.created",
        "started": "transfer.funded",
        "completed": "transfer.completed",
        "failed": "transfer.failed",
        "expired": "transfer.expired",
    },
    "conversion": {
        "pending": "conversion.created",
        "started": "conversion.payout_initiated",
        "completed": "conversion.completed",
        "failed": "conversion.failed",
    },
}


@explain_arguments
def of_snapshot(
    family: str,
    raw: Mapping[str, Any],
    latest: EventVersion | None = None,
    service: Service = OWN.service,
) -> Event:
    """The event for the current state of a resource; `latest` is the last known mark.

    >>> paylab.events.of_snapshot("transfer", transfer.raw).type
    'transfer.completed'
    """
    if family == "individual":
        payload = {name: raw.get(name) for name in ("id", "status", "updated_at")}
        if raw.get("status_details"):
            payload["status_details"] = raw["status_details"]
        payload["previous_status"] = latest.status if latest else None
        return event_of("individual.status_changed", payload, service)
    if family not in BY_STATUS:
        names = ", ".join([*BY_STATUS, "individual"])
        raise ArgumentError(f"family must be one of {names}, not {family!r}", "family")
    kind = BY_STATUS[family].get(str(raw.get("status")), f"{family}.status_changed")
    if latest and family == "transfer" and raw.get("status") == latest.status == "started":
        kind = "transfer.payout_initiated"  # still started, with a newer updated_at
    return event_of(kind, lowered(raw), service)


@explain_arguments
def is_stale(event: EventVersion, latest: EventVersion | None) -> bool:
    """Whether an event is older than the latest known one of its resource.

    The status machine decides first: completed never leads back to started. Where it allows both
    ways, or neither, `updated_at` decides, and last the order of the event types.

    >>> paylab.events.is_stale(paylab.events.read_event(delivery), None)
    False
    """
    if latest is None:
        return False
    event_time = event.updated_at
    latest_time = latest.updated_at
    is_older = bool(event_time and latest_time and event_time < latest_time)
    is_newer = bool(event_time and latest_time and event_time > latest_time)
    if event.previous is not None and event.previous == latest.status and not is_older:
        return False
    is_forward = _leads(event.type, latest.status, event.status)
    is_backward = _leads(event.type, event.status, latest.status)
    if is_forward != is_backward:
        return is_backward
    if is_older or is_newer or not {event.type, latest.type} <= set(EVENT_TYPES):
        return is_older
    return EVENT_TYPES.index(event.type) < EVENT_TYPES.index(latest.type)


@lru_cache(maxsize=1024)
def _leads(event_type: str, start: str | None, end: str | None) -> bool:
    """Whether the status machine leads from one status to the other in any number of moves."""
    family = FAMILIES.get(event_type.partition(".")[0])
    if family is None or start is None or start == end:
        return False
    return bool(family[1].path(start, end or ""))
