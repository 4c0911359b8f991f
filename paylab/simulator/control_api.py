"""The controls of the simulator over HTTP, under /_simulator; signed like everything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ..errors.base import Problem
from . import balances, faults
from .events import redeliver
from .fault_kinds import check_fault
from .journal import journal_rows
from .messages import DEEPEST, RefusedError, Reply, Request, require
from .strictness import remarks
from .table import Row
from .world import World

LONGEST_WAIT = 20
"""Maximum seconds that a request waits for a delivery."""


def summary(world: World, _: Request) -> Reply:
    """GET /_simulator."""
    return Reply.json(200, world.summary())


def clock(world: World, request: Request) -> Reply:
    """POST /_simulator/clock: advance_seconds, frozen or speed."""
    body = request.json()
    require(_clock_problems(body))
    control = _control(world)
    if "frozen" in body or "speed" in body:
        control.set_clock(frozen=body.get("frozen"), speed=body.get("speed"))
    if "advance_seconds" in body:
        control.advance(body["advance_seconds"])
    return summary(world, request)


def _clock_problems(body: Row) -> list[Problem]:
    ranges = {"advance_seconds": (0, 10 * 366 * 86_400), "speed": (0.001, 1_000_000)}
    problems = [
        Problem(name, f"must be a number from {low} to {high}", "control")
        for name, (low, high) in ranges.items()
        if name in body and not (type(body[name]) in (int, float) and low <= body[name] <= high)
    ]
    if "frozen" in body and not isinstance(body["frozen"], bool):
        problems.append(Problem("frozen", "must be true or false", "control"))
    if not body.keys() & {*ranges, "frozen"}:
        problems.append(Problem("", "name one of advance_seconds, frozen, speed", "control"))
    return problems


def reset(world: World, request: Request) -> Reply:
    """POST /_simulator/reset: the world is empty."""
    _control(world).reset()
    return summary(world, request)


def _control(world: World) -> Any:
    if world.control is None:
        raise RefusedError(422, "the clock of this world cannot be controlled")
    return world.control


def add_fault(world: World, request: Request) -> Reply:
    """POST /_simulator/faults."""
    body = request.json()
    require(check_fault(body))
    return Reply.json(201, faults.fault_json(faults.new_fault(world, body)))


def list_faults(world: World, _: Request) -> Reply:
    """GET /_simulator/faults."""
    return Reply.json(200, [faults.fault_json(row) for row in world.tables["faults"].rows.values()])


def clear_faults(world: World, _: Request) -> Reply:
    """DELETE /_simulator/faults."""
    for fault_id in list(world.tables["faults"].rows):
        world.remove("faults", fault_id)
    return Reply(204)


def remove_fault(world: World, request: Request) -> Reply:
    """DELETE /_simulator/faults/{id}; a fault that is gone already is no error."""
    if world.find("faults", request.id):
        world.remove("faults", request.id)
    return Reply(204)


def balance(world: World, _: Request) -> Reply:
    """GET /_simulator/balances: the balance of each currency that has one."""
    return Reply.json(200, balances.listed(world))


def requests(world: World, request: Request) -> Reply:
    """GET /_simulator/requests: the journal, oldest first.

    `after` is the number of the last request that the client knows.
    """
    last_number = _after(request.query_items())
    keys = {**world.secrets, **world.served_secrets, **(request.keys or {})}
    noticed = partial(remarks, world.service)
    rows = journal_rows(world.journal, noticed, {*keys, *keys.values()}, last_number)
    return Reply.json(200, {"dropped": world.journal.dropped, "requests": rows})


def seed(world: World, request: Request) -> Reply:
    """POST /_simulator/seed {"individuals", "transfers", "conversions"}."""
    from . import seeding

    body = request.json()
    counts = {name: body.get(name, 0) for name in ("individuals", "transfers", "conversions")}
    for name, count in counts.items():
        if type(count) is not int or not 0 <= count <= seeding.MOST:
            raise RefusedError(400, f"{name}: must be a whole number from 0 to {seeding.MOST}")
    seeding.seed_transfers(world, counts["transfers"], counts["individuals"] or None)
    seeding.seed_conversions(world, counts["conversions"])
    return summary(world, request)


def read_snapshot(world: World, _: Request) -> Reply:
    """GET /_simulator/snapshot."""
    from .storage import checksum

    dump = world.dump()
    return Reply.json(200, {**dump, "checksum": checksum(dump)})


def write_snapshot(world: World, request: Request) -> Reply:
    """PUT /_simulator/snapshot: exactly the response of a GET."""
    dump = request.json(deepest=DEEPEST + 8)
    from . import snapshot  # only a snapshot that is loaded needs them
    from .storage import checksum

    if problem := snapshot.load_problem(dump, world):
        raise RefusedError(400, problem)
    if dump.pop("checksum", None) != checksum(dump):
        raise RefusedError(400, "the snapshot was changed after it was saved: its checksum differs")
    require(snapshot.snapshot_problems(dump))
    key_ids = {row["id"] for row in dump["tables"].get("idempotency", [])}
    is_own = key_ids <= world.tables["idempotency"].rows.keys()
    world.load(dump)
    if not is_own and world.control:
        world.control.renew_clients()
    return summary(world, request)


def deliveries(world: World, request: Request) -> Reply:
    """GET /_simulator/deliveries: every attempt, oldest first.

    `event_type` and `after`, the number of an attempt, choose among them. With `wait`, seconds of
    real time, the answer is sent as soon as there is one; a 422 if none can come.
    """
    query = request.query_items()
    seconds = _seconds(query.get("wait", "0"))
    rows = _attempts(world, query.get("event_type"), _after(query))
    if rows or "wait" not in query:
        return Reply.json(200, rows)
    if world.outbox.is_paused:
        raise RefusedError(422, "the deliveries are paused: resume them")
    if world.clock.frozen and not world.outbox.is_busy(world.stamp()):
        raise RefusedError(422, "the clock is frozen and no delivery is due: advance the clock")
    return replace(Reply.json(200, rows), wait=seconds)


def _attempts(world: World, event_type: str | None, after: int) -> list[Row]:
    """The attempts after a number, of an event type or of all."""
    rows = [*world.tables["deliveries"].rows.values()]
    last_number = after if after <= len(rows) else 0  # a reset world counts anew
    return [
        {"number": number, **{name: row.get(name) for name in ("id", *_ATTEMPT)}}
        for number, row in enumerate(rows[last_number:], last_number + 1)
        if event_type in (None, row["event_type"])
    ]


_ATTEMPT = (
    "event_type", "resource_id", "url", "attempt", "status", "error", "at", "headers", "body",
)  # fmt: skip


def deliver(world: World, request: Request) -> Reply:
    """POST /_simulator/deliveries {"redeliver": an id or "all"} | {"paused": true or false}."""
    body = request.json()
    delivery_id = body.get("redeliver")
    paused = body.get("paused")
    if body.keys() - {"redeliver", "paused"} or not body:
        raise RefusedError(400, "name one of redeliver, paused")
    if "paused" in body:
        if not isinstance(paused, bool):
            raise RefusedError(400, "paused: must be true or false")
        world.outbox.is_paused = paused
    deliveries = _again(world, delivery_id) if "redeliver" in body else []
    for event, subscription in deliveries:
        redeliver(world, event, subscription)
    answer = {"redelivered": len(deliveries), **world.delivery_state()}
    return Reply.json(200, answer)


def _again(world: World, wanted: object) -> list[tuple[Row, Row]]:
    """The events to deliver again, each with its subscription.

    "all" are those that happened since each subscription was made, also those never delivered.
    """
    subscriptions = world.tables["webhook_subscriptions"].rows
    if wanted == "all":
        return [
            (event, receiver)
            for event in world.tables["events"].rows.values()
            for receiver in subscriptions.values()
            if event["event_type"] in receiver["event_types"]
            and event["created_at"] >= receiver["created_at"]
        ]
    row = world.find("deliveries", wanted)
    if row is None:
        raise RefusedError(404, 'redeliver: must be the id of a delivery, or "all"')
    hidden_fields = row.get("_") or {}
    event = world.find("events", hidden_fields.get("event_id"))
    subscription = subscriptions.get(hidden_fields.get("subscription_id", ""))
    if event is None or subscription is None:
        raise RefusedError(422, "redeliver: its subscription was deleted")
    return [(event, subscription)]


def _after(query: Mapping[str, str]) -> int:
    """The number after which a log is asked for."""
    text = query.get("after", "0")
    if not (text.isascii() and text.isdecimal()):
        raise RefusedError(400, "after: must be a number")
    return int(text[:18])


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_WAIT:
        raise RefusedError(400, f"wait: must be seconds from 0 to {LONGEST_WAIT}")
    return seconds


def events(world: World, _: Request) -> Reply:
    """GET /_simulator/events: every event, subscribed to or not, oldest first."""
    hidden = ("id", "created_at", "_")
    rows = world.tables["events"].rows.values()
    event_rows = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
    return Reply.json(200, event_rows)


def scenarios(_: World, __: Request) -> Reply:
    """GET /_simulator/scenarios."""
    from ..spec.assumptions import SCENARIOS  # the reference is not needed without them

    return Reply.json(200, [vars(scenario) for scenario in SCENARIOS])


def openapi(world: World, _: Request) -> Reply:
    """GET /_simulator/openapi.json: the interface of the service; its server is this one."""
    from ..openapi import document  # only who asks for the document needs it

    return Reply.json(200, document(world.service, "/"))
