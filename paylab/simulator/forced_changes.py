"""Changes that no status machine allows: any status of an object, and any event."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..errors.base import Problem
from .bodies import without_internals
from .events import emit_event
from .messages import RefusedError, Reply, Request, raise_if_problems
from .resources import individuals
from .table import INTERNALS, Row
from .world import World, set_status

WORD = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
"""A status or an event type."""

PAYLOADS: Mapping[str, Callable[[Row], Row]] = {
    "individuals": individuals.make_status_payload,
    "transfers": without_internals,
    "conversions": without_internals,
}
"""The snapshot of an object in its events."""


def force_status(world: World, kind: str, row: Row, status: str) -> None:
    """Set any status of an object, also one that the service does not have.

    Only individuals have an event of every change.
    """
    if not WORD.fullmatch(status):
        raise RefusedError(400, "to: must be a word of letters, digits, and _ . : -")
    previous_status = row["status"]
    if kind == "transfers":
        row[INTERNALS].setdefault("started_at", world.stamp())
    set_status(world, kind, row, status)
    if kind == "individuals":
        payload = individuals.make_status_payload(row, previous_status)
        emit_event(world, "individual.status_changed", row["id"], payload)


def send_event(world: World, request: Request) -> Reply:
    """POST /_simulator/events {"event_type", "resource_id", "payload"}: send any event.

    `payload` replaces fields of the snapshot of the object, or is all of it without an object. An
    event of a type that is not known is delivered to every subscription.
    """
    sent_fields = {"event_type": "", "payload": {}, "resource_id": "", **request.json()}
    raise_if_problems(_find_event_problems(sent_fields))
    event_type = sent_fields["event_type"]
    payload_fields = sent_fields["payload"]
    resource_id = sent_fields["resource_id"]
    snapshot_fields = _find_snapshot(world, resource_id)
    if not snapshot_fields and not payload_fields:
        raise RefusedError(400, "resource_id: name an individual, transfer or conversion")
    queued_count_before = len(world.outbox)
    event_row = emit_event(
        world, event_type, resource_id, payload={**snapshot_fields, **payload_fields}
    )
    answer = {
        field_name: event_row[field_name]
        for field_name in ("id", "event_type", "resource_id", "at", "body")
    }
    return Reply.json(201, {**answer, "deliveries": len(world.outbox) - queued_count_before})


def _find_event_problems(sent_fields: Row) -> Iterator[Problem]:
    """The problems of the fields of an event to send; all three fields have a value."""
    event_type = sent_fields["event_type"]
    if not isinstance(event_type, str) or not WORD.fullmatch(event_type):
        yield Problem("event_type", "must be a word of letters, digits, and _ . : -")
    if not isinstance(sent_fields["payload"], dict):
        yield Problem("payload", "must be an object")
    if not isinstance(sent_fields["resource_id"], str):
        yield Problem("resource_id", "must be text")
    for unknown_name in sent_fields.keys() - {"event_type", "payload", "resource_id"}:
        yield Problem(unknown_name, "is not known: event_type, resource_id and payload are")


def _find_snapshot(world: World, resource_id: str) -> Row:
    """The payload of the events of an object. Empty if there is no such object."""
    for object_kind, make_payload in PAYLOADS.items():
        object_row = world.find(object_kind, resource_id)
        if object_row is not None:
            return make_payload(object_row)
    return {}
