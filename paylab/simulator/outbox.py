"""Events on their way to subscribers: what is queued, what may go now, what became of it.

A fault can lose an event, send it twice, put it in a lane of its own, or hold it back until the
next event of the same resource overtook it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import timedelta

from .. import instants
from . import faults
from .exchange import dump
from .showing import lowered
from .table import Row
from .world import World

DELAYS = (5, 30, 300)
"""Seconds before the second, third and fourth attempt. Gap `webhook.delivery`."""

HELD = 60
"""Seconds an event that is to be overtaken waits for the one that overtakes it."""


def emit(world: World, event_type: str, resource_id: str, payload: Row) -> None:
    """Note an event and queue it for every subscription that asked for its type."""
    body = {"event_type": event_type, "event_payload": lowered(payload)}
    note = {"event_type": event_type, "resource_id": resource_id, "at": world.stamp(), "body": body}
    world.put("events", {"id": world.new_id("events"), "created_at": world.stamp(), **note})
    text = dump(body).decode()
    for subscription in list(world.tables["webhook_subscriptions"].rows.values()):
        if event_type in subscription["event_types"]:
            _queue(world, subscription, event_type, resource_id, text)


def _queue(world: World, subscription: Row, event_type: str, resource_id: str, body: str) -> None:
    lane = f"{subscription['id']} {resource_id}"
    row = {
        "subscription_id": subscription["id"],
        "url": subscription["url"],
        "event_type": event_type,
        "resource_id": resource_id,
        "body": body,
        "attempt": 1,
        "lane": lane,
        "due": world.stamp(),
        "created_at": world.stamp(),
    }
    fault = faults.for_event(world, event_type)
    for change in _FAULTY[fault["kind"]](world, row, fault) if fault else [{}]:
        added = {"id": world.new_id("outbox"), **row, **change}
        added["rank"] = world.counters["outbox"]
        world.outbox.add(world.put("outbox", added))
    if fault is None:
        _release(world, lane)


_FAULTY: Mapping[str, Callable[[World, Row, Row], list[Row]]] = {
    "event_drop": lambda world, row, fault: [],
    "event_duplicate": lambda world, row, fault: [{}, {}],
    "event_delay": lambda world, row, fault: [
        {"lane": f"{row['lane']} late {row['event_type']}", "due": world.after(fault["seconds"])}
    ],
    "event_reorder": lambda world, row, fault: [
        {"lane": f"{row['lane']} held", "due": world.after(HELD)}
    ],
}


def _release(world: World, lane: str) -> None:
    """An event that was held back goes right behind the one that overtook it."""
    for row in _held(world, f"{lane} held"):
        world.outbox.done(row)
        moved = {**row, "lane": lane, "due": world.stamp()}
        moved["rank"] = world.counters["outbox"] + 0.5
        world.outbox.add(world.put("outbox", moved))


def _held(world: World, lane: str) -> list[Row]:
    """What is held back in a lane; a row whose time has come is on its way already."""
    if all(fault["kind"] != "event_reorder" for fault in world.tables["faults"].rows.values()):
        return []
    now, rows = world.stamp(), world.tables["outbox"].rows.values()
    return [row for row in rows if row["lane"] == lane and row["due"] > now]


def take(world: World) -> Row | None:
    """An event that may be sent now, if there is one."""
    return world.outbox.take(world.stamp())


def record(world: World, row: Row, status: int | None, error: str | None = None) -> None:
    """Write down an attempt; a failed one is due again, or given up after the last delay."""
    note = {key: row[key] for key in ("event_type", "resource_id", "url", "attempt")}
    note |= {"status": status, "error": error, "at": world.stamp(), "body": json.loads(row["body"])}
    world.put("deliveries", {"id": world.new_id("deliveries"), "created_at": note["at"], **note})
    if row["id"] not in world.tables["outbox"].rows:
        return
    good = status is not None and 200 <= status < 300
    if good or row["attempt"] > len(DELAYS):
        _drop(world, row)
    else:
        _again(world, row)


def _again(world: World, row: Row) -> None:
    pause = timedelta(seconds=DELAYS[row["attempt"] - 1])
    row["due"] = instants.to_text(world.now() + pause)
    row["attempt"] += 1
    world.outbox.wait(world.put("outbox", row))


def forget(world: World, subscription_id: str) -> None:
    """Drop what a deleted subscription still had coming."""
    for row in list(world.tables["outbox"].rows.values()):
        if row["subscription_id"] == subscription_id:
            _drop(world, row)


def _drop(world: World, row: Row) -> None:
    world.remove("outbox", row["id"])
    world.outbox.done(row)
