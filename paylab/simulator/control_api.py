"""The controls of the simulator over HTTP, under /_simulator; signed like everything else."""

from __future__ import annotations

from functools import partial

from ..errors.base import Problem
from ..spec import assumptions
from . import faults
from .fault_kinds import check_fault
from .messages import DEEPEST, Refused, Reply, Request, require
from .storage import checksum
from .strictness import remarks
from .table import Row
from .verdicts import journal_rows
from .world import ClockControl, World

LONGEST_ADVANCE = 10 * 366 * 86_400
"""Maximum seconds of one clock advance."""

FASTEST = 1_000_000
"""Maximum simulated seconds per real second."""


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
    known = {"advance_seconds": (0, LONGEST_ADVANCE), "speed": (0.001, FASTEST)}
    problems = [
        Problem(name, f"must be a number from {low} to {high}", "control")
        for name, (low, high) in known.items()
        if name in body and not (type(body[name]) in (int, float) and low <= body[name] <= high)
    ]
    if "frozen" in body and not isinstance(body["frozen"], bool):
        problems.append(Problem("frozen", "must be true or false", "control"))
    if not body.keys() & {*known, "frozen"}:
        problems.append(Problem("", "name one of advance_seconds, frozen, speed", "control"))
    return problems


def reset(world: World, request: Request) -> Reply:
    """POST /_simulator/reset: the world is empty."""
    _control(world).reset()
    return summary(world, request)


def _control(world: World) -> ClockControl:
    if world.control is None:
        raise Refused(422, "the clock of this world cannot be controlled")
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


def requests(world: World, request: Request) -> Reply:
    """GET /_simulator/requests: the journal, oldest first, whole or in parts.

    `after` is the number of the last request that the client knows.
    """
    if part := world.parts.later(request):
        return part
    after = request.query_items().get("after", "0")
    if not (after.isascii() and after.isdecimal()):
        raise Refused(400, "after: must be the number of a request")
    keys = {**world.secrets, **world.served_secrets, **(request.keys or {})}
    noticed = partial(remarks, world.service)
    secrets, number = {*keys, *keys.values()}, int(after[:18])
    rows = journal_rows(world.journal, noticed, secrets, number)
    return world.parts.reply(request, {"dropped": world.journal.dropped, "requests": rows})


def seed(world: World, request: Request) -> Reply:
    """POST /_simulator/seed {"individuals", "transfers", "conversions"}."""
    from . import seeding

    body = request.json()
    wanted = {name: body.get(name, 0) for name in ("individuals", "transfers", "conversions")}
    for name, count in wanted.items():
        if type(count) is not int or not 0 <= count <= seeding.MOST:
            raise Refused(400, f"{name}: must be a whole number from 0 to {seeding.MOST}")
    seeding.seed_transfers(world, wanted["transfers"], wanted["individuals"] or None)
    seeding.seed_conversions(world, wanted["conversions"])
    return summary(world, request)


def read_snapshot(world: World, request: Request) -> Reply:
    """GET /_simulator/snapshot, whole or in parts."""
    if part := world.parts.later(request):
        return part
    dump = world.dump()
    return world.parts.reply(request, {**dump, "checksum": checksum(dump)})


def write_snapshot(world: World, request: Request) -> Reply:
    """PUT /_simulator/snapshot: exactly the response of a GET."""
    dump = request.json(deepest=DEEPEST + 8)
    from . import snapshot  # only a snapshot that is loaded needs it

    if unreadable := snapshot.version_problem(dump) or snapshot.service_problem(dump, world):
        raise Refused(400, unreadable)
    if dump.pop("checksum", None) != checksum(dump):
        raise Refused(400, "the snapshot was changed after it was saved: its checksum differs")
    require(snapshot.snapshot_problems(dump))
    used = {row["id"] for row in dump["tables"].get("idempotency", [])}
    is_own = used <= world.tables["idempotency"].rows.keys()
    world.load(dump)
    if not is_own and world.control:
        world.control.renew_clients()
    return summary(world, request)


def deliveries(world: World, request: Request) -> Reply:
    """GET /_simulator/deliveries: every attempt, oldest first, whole or in parts."""
    later = world.parts.later(request)
    return later or world.parts.reply(request, _log(world, "deliveries"))


def events(world: World, request: Request) -> Reply:
    """GET /_simulator/events: every event, subscribed to or not, oldest first, also in parts."""
    later = world.parts.later(request)
    return later or world.parts.reply(request, _log(world, "events"))


def _log(world: World, kind: str) -> list[Row]:
    hidden = ("id", "created_at", "_")
    rows = [*world.tables[kind].listed()][::-1]
    return [{key: value for key, value in row.items() if key not in hidden} for row in rows]


def scenarios(_: World, __: Request) -> Reply:
    """GET /_simulator/scenarios."""
    return Reply.json(200, [vars(each) for each in assumptions.SCENARIOS])
