"""Events as delivered: read, typed, made of a resource, and in the order of their resource."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, PaylabError
from ..spec import models, timestamps
from ..spec.codes import EVENT_TYPES
from ..spec.json_path import set_value_at, value_at
from ..spec.models import StatusChange
from ..spec.money import lower_currencies
from ..spec.operations.records import rename_event_object
from ..spec.renames import Names
from ..spec.resource import Resource
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.status import CONVERSION, INDIVIDUAL, TRANSFER, Machine
from ..spec.text import JsonMapping, JsonObject, printable, read_json, write_json

Identity = tuple[str, str, str | None, str | None]
RawEvent = bytes | bytearray | memoryview | str | JsonMapping


@explain_arguments
class Wrapper(NamedTuple):
    """The fields of a delivery that hold the parts of an event; dotted names are paths."""

    type_field: str = "event_type"
    payload_field: str = "event_payload"
    id_field: str = NONE
    service: Service = Service()

    @classmethod
    def of(cls, service: Service) -> Wrapper:
        """Return the wrapper that the settings of a service describe.

        >>> paylab.events.Wrapper.of(lab.service).type_field
        'event_type'
        """
        settings = service.webhooks
        return cls(settings.type_field, settings.payload_field, settings.id_field, service)

    def delivery(self, event: Event) -> JsonObject:
        """Return the body of a delivery, as the service writes an event.

        >>> event = paylab.events.read_event(delivery)
        >>> paylab.events.Wrapper().delivery(event)["event_type"]
        'transfer.completed'
        """
        body_object: JsonObject = {}
        if event.event_id and self.id_field != NONE:
            set_value_at(body_object, self.id_field, event.event_id)
        set_value_at(body_object, self.type_field, event.type)
        set_value_at(body_object, self.payload_field, event.payload)
        return body_object


SPEC_WRAPPER = Wrapper()
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
    """The version of a resource that an event shows, for ordering its events.

    `type` is that of the event, and `previous` the status before, which some events name.
    """

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
    payload: JsonMapping
    resource: Resource
    stale: bool = False
    event_id: str = ""

    @property
    def family(self) -> str:
        """The first word of the type: transfer, conversion, individual."""
        return self.type.partition(".")[0]

    @property
    def id(self) -> str:
        """The id of the resource."""
        return _write_as_text(self.payload.get("id")) or ""

    @property
    def status(self) -> str | None:
        """The status in its snapshot."""
        return _write_as_text(self.payload.get("status"))

    @property
    def updated_at(self) -> datetime | None:
        """The time of the snapshot; None if it cannot be read."""
        updated_at = getattr(self.resource, "updated_at", None)
        return updated_at if isinstance(updated_at, datetime) else None

    @property
    def version(self) -> EventVersion:
        """The version of the resource that the event shows, by which events are ordered."""
        previous_status = _write_as_text(self.payload.get("previous_status"))
        return EventVersion(self.type, self.status, self.updated_at, previous_status)

    @property
    def identity(self) -> Identity:
        """The key that two deliveries of the same event share.

        It is the event's id if the service sends one. Otherwise type, resource, status and
        updated_at are compared, and without an updated_at the whole payload.
        """
        if self.event_id:
            return self.type, self.id, self.status, f"id:{self.event_id}"
        version_text = _normalize_time(_write_as_text(self.payload.get("updated_at")))
        if not version_text:
            payload_text = json.dumps(self.payload, sort_keys=True, default=str)
            version_text = f"sha256:{hashlib.sha256(payload_text.encode()).hexdigest()}"
        return self.type, self.id, self.status, version_text

    def __repr__(self) -> str:
        """Type, id and status of the event, and what else is known of it."""
        value_by_field = {"type": self.type, "id": self.id, "status": self.status}
        if self.updated_at:
            value_by_field["updated_at"] = timestamps.to_text(self.updated_at)
        value_by_field |= {"event_id": self.event_id} if self.event_id else {}
        field_texts = [
            f"{field_name}={field_value!r}" for field_name, field_value in value_by_field.items()
        ]
        field_texts += ["stale=True"] if self.stale else []
        return printable(f"Event({', '.join(field_texts)})")

    def __str__(self) -> str:
        """The time of day of the snapshot, the type, the id and the status, on one line."""
        time_text = f"{self.updated_at:%H:%M:%S}" if self.updated_at else "--:--:--"
        event_texts = [
            printable(event_text) for event_text in (self.type, self.id, str(self.status))
        ]
        return "  ".join([time_text, *event_texts])


@explain_arguments
def read_event(delivery: RawEvent, wrapper: Wrapper = SPEC_WRAPPER) -> Event:
    """Read a delivery's body; unknown types and fields are kept, anything else is an error.

    `wrapper` says where the type, the payload and an id of the event are. Events written by
    paylab are always readable.

    >>> paylab.events.read_event(delivery).type
    'transfer.completed'
    """
    body_object = _read_object(delivery)
    # Events that paylab wrote have the wrapper of the spec, whatever the service sends.
    type_and_payload = _split_body(body_object, wrapper) or _split_body(body_object, SPEC_WRAPPER)
    if type_and_payload is None:
        fields_text = f"{wrapper.type_field} (text) and {wrapper.payload_field} (object)"
        raise UnreadableEventError(
            f"an event has {fields_text}; webhooks.type_field and webhooks.payload_field in "
            "service.toml set other names"
        )
    event_type, payload = type_and_payload
    event = make_event(event_type, payload, wrapper.service)
    event = replace(event, event_id=_write_as_text(value_at(body_object, wrapper.id_field)) or "")
    if not event.id and event.family in FAMILIES:
        raise UnreadableEventError(f"the payload of {event_type[:60]!a} has no id")
    return event


def _split_body(body: JsonMapping, wrapper: Wrapper) -> tuple[str, JsonMapping] | None:
    """Return the type and the payload of an event; None if the body has another wrapper."""
    event_type = value_at(body, wrapper.type_field)
    payload = value_at(body, wrapper.payload_field)
    if not isinstance(event_type, str) or not event_type or not isinstance(payload, Mapping):
        return None
    return event_type, payload


def make_event(
    event_type: str, payload: JsonMapping, service: Service = SPEC_WRAPPER.service
) -> Event:
    """Make an event from a type and a payload; UnreadableEventError if it cannot be read."""
    family_name = event_type.partition(".")[0]
    model_class, _ = FAMILIES.get(family_name, (Resource, None))
    try:
        our_payload = rename_event_object(service, event_type, payload, convert=Names.to_ours)
        resource_model = model_class.model_validate(our_payload)
        resource_model._raw = dict(payload)
    except (ValueError, RecursionError) as error:
        raise UnreadableEventError(f"the payload cannot be read: {str(error)[:200]}") from None
    return Event(event_type, payload, resource_model)


def _read_object(delivery: RawEvent) -> JsonMapping:
    """Read the JSON object of a delivery. A parsed object is written first, to refuse NaN in it."""
    try:
        if isinstance(delivery, int):  # bytes() would make zeros of it
            raise TypeError(f"it is text, bytes or a dict, not {delivery}")
        if isinstance(delivery, Mapping):
            body_object = read_json(write_json(delivery))
        elif isinstance(delivery, str):
            body_object = read_json(delivery)
        else:
            body_object = read_json(bytes(delivery))
    except (TypeError, ValueError, RecursionError) as error:
        raise UnreadableEventError(f"an event is JSON: {str(error)[:200]}") from None
    if not isinstance(body_object, dict):
        raise UnreadableEventError("an event is a JSON object")
    return body_object


def _normalize_time(time_text: str | None) -> str | None:
    """Return a time in one spelling, so that equal times are equal texts.

    A text that is no time is returned unchanged, and None for an empty one.
    """
    try:
        return timestamps.instant_key(time_text) if time_text else None
    except ValueError:
        return time_text


def _write_as_text(field_value: object) -> str | None:
    """Return text and None unchanged, any other value as JSON."""
    if field_value is None or isinstance(field_value, str):
        return field_value
    return write_json(field_value)


EVENT_TYPES_BY_STATUS: Mapping[str, Mapping[str, str]] = {
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
    raw: JsonMapping,
    latest: EventVersion | None = None,
    service: Service = SPEC_WRAPPER.service,
) -> Event:
    """Make the event for the current state of a resource, as polling finds it.

    `family` is "transfer", "conversion" or "individual", `raw` the resource as the service sent
    it, and `latest` its last known version: a transfer that is still started has no new status.

    >>> paylab.events.of_snapshot("transfer", transfer.raw).type
    'transfer.completed'
    """
    if family == "individual":
        value_by_field = {
            "id": raw.get("id"),
            "status": raw.get("status"),
            "updated_at": raw.get("updated_at"),
        }
        if raw.get("status_details"):
            value_by_field["status_details"] = raw["status_details"]
        value_by_field["previous_status"] = latest.status if latest else None
        return make_event("individual.status_changed", value_by_field, service)
    if family not in EVENT_TYPES_BY_STATUS:
        resource_names = ", ".join([*EVENT_TYPES_BY_STATUS, "individual"])
        raise ArgumentError(f"family must be one of {resource_names}, not {family!r}", "family")
    status = str(raw.get("status"))
    event_type = EVENT_TYPES_BY_STATUS[family].get(status, f"{family}.status_changed")
    was_started = latest is not None and latest.status == "started"
    if family == "transfer" and was_started and status == "started":
        event_type = "transfer.payout_initiated"  # still started, with a newer updated_at
    return make_event(event_type, lower_currencies(raw), service)


@explain_arguments
def is_stale(event: EventVersion, latest: EventVersion | None) -> bool:
    """Return whether an event is older than the latest known one of its resource.

    The status machine decides first: completed never leads back to started. If it allows both ways,
    or neither, `updated_at` decides. If these are equal or missing, the order of the event types
    decides.

    >>> paylab.events.is_stale(paylab.events.read_event(delivery), None)
    False
    """
    if latest is None:
        return False
    is_older = _is_before(event.updated_at, latest.updated_at)
    follows_latest = event.previous is not None and event.previous == latest.status
    if follows_latest and not is_older:
        return False
    is_forward = _can_reach(event.type, latest.status, event.status)
    is_backward = _can_reach(event.type, event.status, latest.status)
    if is_forward != is_backward:
        return is_backward
    if is_older or _is_before(latest.updated_at, event.updated_at):
        return is_older
    if not {event.type, latest.type} <= set(EVENT_TYPES):
        return False  # the spec has no order for a type that it does not name
    return EVENT_TYPES.index(event.type) < EVENT_TYPES.index(latest.type)


def _is_before(instant: datetime | None, other: datetime | None) -> bool:
    """Return whether a time is before another one; False if one of them is unknown."""
    return instant is not None and other is not None and instant < other


@lru_cache(maxsize=1024)
def _can_reach(event_type: str, start_state: str | None, end_state: str | None) -> bool:
    """Return whether the status machine leads from one status to another in one or more moves."""
    family_name = event_type.partition(".")[0]
    if family_name not in FAMILIES or start_state is None or start_state == end_state:
        return False
    _, machine = FAMILIES[family_name]
    return bool(machine.path(start_state, end_state or ""))
