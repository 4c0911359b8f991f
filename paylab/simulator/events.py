"""Events: recorded, and queued for every subscription to their type.

A fault can drop an event, send it twice, reorder it, or hold it back until the
next event of the same resource overtook it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ..spec.json_path import set_value_at
from ..spec.money import lower_currencies
from ..spec.operations.records import event_payload
from ..spec.renames import Names
from ..spec.service.value_types import NONE
from ..spec.translation import write_amounts_as_numbers
from .fault_kinds import ON_EVENTS
from .messages import dump
from .table import Row
from .world import World


def emit(world: World, event_type: str, resource_id: str, payload: Row) -> None:
    """Store an event and queue it for every subscription to its type."""
    body = {"event_type": event_type, "event_payload": lower_currencies(payload)}
    note = {"event_type": event_type, "resource_id": resource_id, "at": world.stamp(), "body": body}
    event_id = world.new_id("events")
    event = world.put("events", {"id": event_id, "created_at": world.stamp(), **note})
    for subscription in list(world.tables["webhook_subscriptions"].rows.values()):
        if event_type in subscription["event_types"]:
            _queue(world, subscription, event)


def redeliver(world: World, event: Row, subscription: Row) -> None:
    """Queue an event again, whatever faults there are."""
    _add(world, _queued(world, subscription, event))


def wrapped(world: World, event_id: str, body: Row) -> bytes:
    """A delivery as the service writes it. Assumptions `webhook.wrapper` and `.identity`."""
    service = world.service
    wrapper = dict[str, Any]()
    settings = service.webhooks
    if settings.id_field != NONE:
        set_value_at(wrapper, settings.id_field, event_id)
    set_value_at(wrapper, settings.type_field, body["event_type"])
    payload = event_payload(service, body["event_type"], body["event_payload"], Names.send)
    set_value_at(wrapper, settings.payload_field, payload)
    return write_amounts_as_numbers(service, dump(wrapper))


def _queue(world: World, subscription: Row, event: Row) -> None:
    row = _queued(world, subscription, event)
    name = event["event_type"]
    fault = world.draw_fault(
        lambda each: each["kind"] in ON_EVENTS and each.get("event_type") in (None, name)
    )
    for change in EVENT_CHANGES[fault["kind"]](world, row, fault) if fault else [{}]:
        _add(world, {**row, **change})
    if fault is None:
        _release(world, row["lane"])


def _queued(world: World, subscription: Row, event: Row) -> Row:
    """The delivery of an event to a subscription, due now."""
    return {
        "subscription_id": subscription["id"],
        "event_id": event["id"],
        "url": subscription["url"],
        "event_type": event["event_type"],
        "resource_id": event["resource_id"],
        "body": wrapped(world, event["id"], event["body"]).decode(),
        "attempt": 1,
        "lane": f"{subscription['id']} {event['resource_id']}",
        "due": world.stamp(),
        "created_at": world.stamp(),
    }


def _add(world: World, row: Row) -> None:
    added = {"id": world.new_id("outbox"), **row}
    added["rank"] = world.counters["outbox"]
    world.outbox.add(world.put("outbox", added))


def _release(world: World, lane: str) -> None:
    """Release a held event right after the event that overtook it."""
    now = world.stamp()
    for row in world.outbox.lane(f"{lane} held"):
        if row["due"] > now:
            world.outbox.done(row)
            rank = world.counters["outbox"] + 0.5
            moved = {**row, "lane": lane, "due": now, "rank": rank}
            world.outbox.add(world.put("outbox", moved))


def note_attempt(
    world: World, row: Row, headers: Mapping[str, str], status: int | None, error: str | None = None
) -> None:
    """Store an attempt; a failed one is retried or given up after the last delay."""
    note = {key: row[key] for key in ("event_type", "resource_id", "url", "attempt")}
    note |= {"status": status, "error": error, "at": world.stamp(), "body": json.loads(row["body"])}
    note["headers"] = dict(headers)
    note["_"] = {name: row.get(name) for name in ("event_id", "subscription_id")}
    world.put("deliveries", {"id": world.new_id("deliveries"), "created_at": note["at"], **note})
    if row["id"] not in world.tables["outbox"].rows:
        return
    good = status is not None and 200 <= status < 300
    delays = world.service.webhooks.delays
    if good or row["attempt"] > len(delays):
        drop(world, row)
        return
    row["due"] = world.after(delays[row["attempt"] - 1])
    row["attempt"] += 1
    world.outbox.wait(world.put("outbox", row))


def drop(world: World, row: Row) -> None:
    """Remove an event from the queue."""
    world.remove("outbox", row["id"])
    world.outbox.done(row)


HELD = 60
"""Seconds that a held event waits for the next event."""
EVENT_CHANGES: Mapping[str, Callable[[World, Row, Row], list[Row]]] = {
    "event_drop": lambda world, row, fault: [],
    "event_duplicate": lambda world, row, fault: [{}, {}],
    "event_delay": lambda world, row, fault: [
        {"lane": f"{row['lane']} late {row['event_type']}", "due": world.after(fault["seconds"])}
    ],
    "event_reorder": lambda world, row, fault: [
        {"lane": f"{row['lane']} held", "due": world.after(HELD)}
    ],
}
"""The changes of each delivery of an event under a fault; empty if it is dropped."""
