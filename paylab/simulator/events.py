"""Events: recorded, and queued for every subscription to their type.

A fault can drop an event, send it twice, delay it, hold it back until the next
event of the same resource overtook it, or fail its deliveries for a while.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from ..journal.record import Note
from ..spec.codes import EVENT_TYPES
from ..spec.json_path import set_value_at
from ..spec.money import lower_currencies
from ..spec.operations.records import rename_event_object
from ..spec.renames import Names
from ..spec.service.value_types import NONE
from ..spec.text import JsonObject
from ..spec.translation import write_amounts_as_numbers
from .fault_kinds import ON_EVENTS
from .messages import encode_json
from .table import INTERNALS, Row
from .world import World


def emit_event(world: World, event_type: str, resource_id: str, payload: Row) -> Row:
    """Store an event, and queue it for every subscription to its type. Return it.

    Nobody can subscribe to an unknown type: such an event is for every subscription.
    """
    event_body = {"event_type": event_type, "event_payload": lower_currencies(payload)}
    time_text = world.stamp()
    event_row: Row = {
        "id": world.new_id("events"),
        "created_at": time_text,
        "event_type": event_type,
        "resource_id": resource_id,
        "at": time_text,
        "body": event_body,
    }
    if world.withholds_events:
        event_row[INTERNALS] = {"is_withheld": True}
    world.put("events", event_row)
    world.journal.add_note(
        "event",
        world.now(),
        event_id=event_row["id"],
        event_type=event_type,
        resource_id=resource_id,
        body=event_body,
    )
    if world.withholds_events:
        return event_row
    is_known = event_type in (*EVENT_TYPES, *world.service.webhooks.event_types)
    for subscription_row in list(world.tables["webhook_subscriptions"].rows.values()):
        if not is_known or event_type in subscription_row["event_types"]:
            _queue_event(world, subscription_row, event_row)
    return event_row


@contextmanager
def withheld_events(world: World) -> Iterator[None]:
    """Record the events of a block without delivering them."""
    world.withholds_events = True
    try:
        yield
    finally:
        world.withholds_events = False


def redeliver_event(world: World, event: Row, subscription: Row) -> None:
    """Queue an event again. Faults do not apply to it."""
    _add_delivery(world, {**_make_delivery_row(world, subscription, event), "cause": "redelivery"})


def delivery_body(world: World, event_id: str, event_body: Row) -> bytes:
    """The bytes of a delivery. Assumptions `webhook.wrapper` and `.identity`."""
    service = world.service
    webhook_settings = service.webhooks
    delivery_object: JsonObject = {}
    if webhook_settings.id_field != NONE:
        set_value_at(delivery_object, webhook_settings.id_field, event_id)
    set_value_at(delivery_object, webhook_settings.type_field, event_body["event_type"])
    payload = rename_event_object(
        service, event_body["event_type"], event_body["event_payload"], convert=Names.to_theirs
    )
    set_value_at(delivery_object, webhook_settings.payload_field, payload)
    return write_amounts_as_numbers(service, encode_json(delivery_object))


def _queue_event(world: World, subscription: Row, event: Row) -> None:
    """Queue an event for a subscription; a fault may drop, repeat or delay it."""

    def is_for_event(fault: Row) -> bool:
        """Whether a fault is one of events, and of this type or all."""
        is_of_type = fault.get("event_type") in (None, event["event_type"])
        return fault["kind"] in ON_EVENTS and is_of_type

    delivery_row = _make_delivery_row(world, subscription, event)
    fault = world.draw_fault(is_for_event, event_id=event["id"])
    if fault is None:
        _add_delivery(world, delivery_row)
        _release_held(world, delivery_row["lane"])
        return
    for changed_fields in EVENT_CHANGES[fault["kind"]](world, delivery_row, fault):
        _add_delivery(world, {**delivery_row, **changed_fields})


def _make_delivery_row(world: World, subscription: Row, event: Row) -> Row:
    """The delivery of an event to a subscription, due now."""
    return {
        "subscription_id": subscription["id"],
        "event_id": event["id"],
        "url": subscription["url"],
        "event_type": event["event_type"],
        "resource_id": event["resource_id"],
        "body": delivery_body(world, event["id"], event["body"]).decode(),
        "attempt": 1,
        "cause": "first",
        "lane": f"{subscription['id']} {event['resource_id']}",
        "due": world.stamp(),
        "created_at": world.stamp(),
    }


def _add_delivery(world: World, delivery_row: Row) -> None:
    """Queue a delivery, ranked after those before it."""
    queued_row = {"id": world.new_id("outbox"), **delivery_row}
    queued_row["rank"] = world.counters["outbox"]
    world.outbox.add(world.put("outbox", queued_row))


def _release_held(world: World, lane: str) -> None:
    """Queue the held event of a lane again, right after the event that overtook it."""
    now_text = world.stamp()
    for held_row in world.outbox.lane(f"{lane} held"):
        if held_row["due"] > now_text:
            world.outbox.remove(held_row)
            # After the newest row, whose rank is the counter, and before the next one.
            next_rank = world.counters["outbox"] + 0.5
            released_row = {**held_row, "lane": lane, "due": now_text, "rank": next_rank}
            world.outbox.add(world.put("outbox", released_row))


def note_attempt(world: World, queued_row: Row) -> Note:
    """Note an attempt to deliver an event, before it is sent."""
    attempt_facts = {field_name: queued_row.get(field_name) for field_name in ATTEMPT_FACTS}
    event_body = json.loads(queued_row["body"])
    return world.journal.add_note("delivery", world.now(), **attempt_facts, body=event_body)


ATTEMPT_FACTS = ("event_id", "event_type", "resource_id", "url", "attempt", "cause")


def record_attempt(
    world: World,
    queued_row: Row,
    headers: Mapping[str, str],
    status: int | None,
    error: str | None = None,
) -> None:
    """Store an attempt. A failed one is tried again until the delays are used up."""
    _store_attempt(world, queued_row, headers, status, error)
    if queued_row["id"] not in world.tables["outbox"].rows:
        return  # its subscription was deleted meanwhile
    is_delivered = status is not None and 200 <= status < 300
    has_retries_left = queued_row["attempt"] <= len(world.service.webhooks.delays)
    if is_delivered or not has_retries_left:
        drop_delivery(world, queued_row)
    else:
        _queue_retry(world, queued_row)


def _store_attempt(
    world: World,
    queued_row: Row,
    headers: Mapping[str, str],
    status: int | None,
    error: str | None,
) -> None:
    """Add the row of an attempt to deliver an event: `status` answered it, or it had an `error`."""
    now_text = world.stamp()
    attempt_row = {
        "id": world.new_id("deliveries"),
        "created_at": now_text,
        "event_type": queued_row["event_type"],
        "resource_id": queued_row["resource_id"],
        "url": queued_row["url"],
        "attempt": queued_row["attempt"],
        "event_id": queued_row.get("event_id"),
        "cause": queued_row.get("cause"),
        "status": status,
        "error": error,
        "at": now_text,
        "body": json.loads(queued_row["body"]),
        "headers": dict(headers),
        INTERNALS: {
            "event_id": queued_row.get("event_id"),
            "subscription_id": queued_row.get("subscription_id"),
        },
    }
    world.put("deliveries", attempt_row)


def _queue_retry(world: World, queued_row: Row) -> None:
    """Queue the next attempt of a delivery that failed. Assumption `webhook.order`."""
    delays = world.service.webhooks.delays
    queued_row["due"] = world.after(delays[queued_row["attempt"] - 1])
    queued_row["attempt"] += 1
    queued_row["cause"] = "retry"
    if world.service.webhooks.order == "in_order":
        world.outbox.schedule_head(world.put("outbox", queued_row))
        return
    # A lane of its own: the later events of the resource do not wait for it.
    world.outbox.remove(queued_row)
    queued_row["lane"] = f"{queued_row['subscription_id']} retry {queued_row['id']}"
    world.outbox.add(world.put("outbox", queued_row))


def drop_delivery(world: World, queued_row: Row) -> None:
    """Remove an event from the queue."""
    world.remove("outbox", queued_row["id"])
    world.outbox.remove(queued_row)


BY_FAULT: Row = {"cause": "fault"}
"""The cause of a delivery that a fault repeats or moves; others are first, retry, redelivery."""

HOLD_SECONDS = 60
"""Seconds that a held event waits for the next event."""

EVENT_CHANGES: Mapping[str, Callable[[World, Row, Row], list[Row]]] = {
    "event_drop": lambda world, row, fault: [],
    "event_duplicate": lambda world, row, fault: [{}, BY_FAULT],
    "event_delay": lambda world, row, fault: [
        {
            **BY_FAULT,
            "lane": f"{row['lane']} late {row['event_type']}",
            "due": world.after(fault["seconds"]),
        }
    ],
    "event_reorder": lambda world, row, fault: [
        {**BY_FAULT, "lane": f"{row['lane']} held", "due": world.after(HOLD_SECONDS)}
    ],
    "event_outage": lambda world, row, fault: [{"outage_until": world.after(fault["seconds"])}],
}
"""The changes of each delivery that a fault makes of an event. None for an event it drops."""
