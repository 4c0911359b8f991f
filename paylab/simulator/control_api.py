"""The controls of the simulator over HTTP, under /_simulator; signed like everything else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors.base import ArgumentError, Problem
from ..spec.status import MACHINES
from ..spec.text import plain
from ..spec.time_arguments import read_seconds
from . import balances, faults
from .clock import SPEED_MAX, SPEED_MIN
from .events import redeliver_event
from .fault_kinds import check_fault
from .journal_api import read_after
from .messages import NESTING_MAX, RefusedError, Reply, Request, raise_if_problems
from .table import INTERNALS, Row
from .world import World

WAIT_SECONDS_MAX = 20
"""Maximum seconds that a request waits for a delivery."""

CLOCK_RANGES: Mapping[str, tuple[float, float]] = {
    "advance_seconds": (0, 10 * 366 * 86_400),
    "speed": (SPEED_MIN, SPEED_MAX),
}
"""The lowest and the highest number of a change of the clock."""

CLOCK_NAMES = "name one of advance, advance_seconds, frozen, speed"


def read_summary(world: World, _: Request) -> Reply:
    """GET /_simulator: the clock, the counts, the seed and the state of deliveries."""
    return Reply.json(200, world.summary())


def change_clock(world: World, request: Request) -> Reply:
    """POST /_simulator/clock: advance, advance_seconds, frozen or speed.

    `advance`, a span like "23h 59m", is read as `advance_seconds`.
    """
    changed_options = _read_clock_change(request)
    raise_if_problems(_find_clock_problems(changed_options))
    simulator = _require_control(world)
    if "frozen" in changed_options or "speed" in changed_options:
        simulator.set_clock(
            frozen=changed_options.get("frozen"), speed=changed_options.get("speed")
        )
    if "advance_seconds" in changed_options:
        simulator.advance(changed_options["advance_seconds"])
    return read_summary(world, request)


def _read_clock_change(request: Request) -> Row:
    """The body of a change of the clock, with a span in seconds."""
    changed_options = request.json()
    if "advance" not in changed_options:
        return changed_options
    time_span = changed_options.pop("advance")
    if not isinstance(time_span, str | int | float) or isinstance(time_span, bool):
        raise RefusedError(400, 'advance: must be a span like "23h 59m", or seconds')
    try:
        changed_options["advance_seconds"] = read_seconds(time_span)
    except ArgumentError as error:
        raise RefusedError(400, f"advance: {error}") from None
    return changed_options


def _find_clock_problems(changes: Row) -> list[Problem]:
    """The wrong values in a change of the clock, and a change without any value."""
    problems: list[Problem] = []
    for option_name, (minimum, maximum) in CLOCK_RANGES.items():
        if option_name not in changes:
            continue
        option_value = changes[option_name]
        is_number = type(option_value) in (int, float)  # `type`, since a boolean is an int too
        if not is_number or not minimum <= option_value <= maximum:
            message = f"must be a number from {minimum} to {maximum}"
            problems.append(Problem(option_name, message, "control"))
    if "frozen" in changes and not isinstance(changes["frozen"], bool):
        problems.append(Problem("frozen", "must be true or false", "control"))
    for option_name in changes.keys() - {*CLOCK_RANGES, "frozen"}:
        problems.append(Problem(option_name, f"is not known: {CLOCK_NAMES}", "control"))
    if not changes:
        problems.append(Problem("", CLOCK_NAMES, "control"))
    return problems


def reset_world(world: World, request: Request) -> Reply:
    """POST /_simulator/reset: the world is empty."""
    _require_control(world).reset()
    return read_summary(world, request)


def _require_control(world: World) -> Any:
    """The control of a world's clock. RefusedError if the world has no simulator."""
    if world.control is None:
        raise RefusedError(422, "the clock of this world cannot be controlled")
    return world.control


def add_fault(world: World, request: Request) -> Reply:
    """POST /_simulator/faults: the new fault, with its id."""
    fault_details = request.json()
    problems = check_fault(fault_details)
    raise_if_problems(problems or faults.find_target_problems(world.service, fault_details))
    return Reply.json(201, faults.fault_json(faults.new_fault(world, fault_details)))


def list_faults(world: World, _: Request) -> Reply:
    """GET /_simulator/faults: the faults that are set, oldest first."""
    return Reply.json(
        200, [faults.fault_json(fault_row) for fault_row in world.tables["faults"].rows.values()]
    )


def clear_faults(world: World, _: Request) -> Reply:
    """DELETE /_simulator/faults: all faults are removed."""
    for fault_id in list(world.tables["faults"].rows):
        world.remove("faults", fault_id)
    return Reply(204)


def remove_fault(world: World, request: Request) -> Reply:
    """DELETE /_simulator/faults/{id}. A fault that does not exist any more is no error."""
    if world.find("faults", request.id):
        world.remove("faults", request.id)
    return Reply(204)


def read_balance_amounts(world: World, _: Request) -> Reply:
    """GET /_simulator/balances: the balance of each currency that has one."""
    return Reply.json(200, balances.list_balances(world))


def read_funds(world: World, _: Request) -> Reply:
    """GET /_simulator/funds: available, reserved and awaited amounts of each balance."""
    return Reply.json(200, balances.list_funds(world))


def read_snapshot(world: World, _: Request) -> Reply:
    """GET /_simulator/snapshot: the whole state of the world, to restore it with a PUT."""
    from .storage import checksum

    dump = world.dump()
    return Reply.json(200, {**dump, "checksum": checksum(dump)})


def load_snapshot(world: World, request: Request) -> Reply:
    """PUT /_simulator/snapshot: exactly the response of a GET."""
    # A snapshot has the bodies of requests and answers a few levels below its top.
    dump = request.json(deepest=NESTING_MAX + 8)
    from . import snapshot  # only a snapshot that is loaded needs them
    from .storage import checksum

    problem_text = snapshot.load_problem(dump, world)
    if problem_text:
        raise RefusedError(400, problem_text)
    if dump.pop("checksum", None) != checksum(dump):
        raise RefusedError(400, "the snapshot was changed after it was saved: its checksum differs")
    raise_if_problems(snapshot.snapshot_problems(dump))
    # Clients draw their Idempotency-Keys from the seed: they must not draw one that was loaded.
    loaded_key_ids = {key_row["id"] for key_row in dump["tables"].get("idempotency", [])}
    has_new_keys = not loaded_key_ids <= world.tables["idempotency"].rows.keys()
    world.load(dump)
    if has_new_keys and world.control:
        world.control.renew_clients()
    return read_summary(world, request)


def list_deliveries(world: World, request: Request) -> Reply:
    """GET /_simulator/deliveries: every attempt, oldest first.

    `event_type` keeps attempts of one type, `after` those with a higher number. With `wait`, in
    real seconds, the answer is sent as soon as there is an attempt. RefusedError with status 422
    if there is none and none is due.
    """
    query_parameters = request.query_items()
    wait_seconds = _read_wait(query_parameters.get("wait", "0"))
    attempt_rows = _list_attempts(
        world, query_parameters.get("event_type"), read_after(query_parameters)
    )
    if attempt_rows or "wait" not in query_parameters:
        return Reply.json(200, attempt_rows)
    if world.outbox.is_paused:
        raise RefusedError(422, "the deliveries are paused: resume them")
    if world.clock.frozen and not world.outbox.is_busy(world.stamp()):
        raise RefusedError(422, "the clock is frozen and no delivery is due: advance the clock")
    return replace(Reply.json(200, attempt_rows), wait_seconds=wait_seconds)


def _list_attempts(world: World, event_type: str | None, last_number: int) -> list[Row]:
    """The attempts after a number, of one event type, or of all for None."""
    delivery_rows = [*world.tables["deliveries"].rows.values()]
    if last_number > len(delivery_rows):
        last_number = 0  # a reset world counts anew
    attempts: list[Row] = []
    for attempt_number, delivery_row in enumerate(delivery_rows[last_number:], last_number + 1):
        if event_type in (None, delivery_row["event_type"]):
            fields = {field_name: delivery_row.get(field_name) for field_name in ATTEMPT_FIELDS}
            attempts.append({"number": attempt_number, **fields})
    return attempts


ATTEMPT_FIELDS = (
    "id", "event_id", "event_type", "resource_id", "url", "attempt", "cause", "status", "error",
    "at", "headers", "body",
)  # fmt: skip


def change_deliveries(world: World, request: Request) -> Reply:
    """POST /_simulator/deliveries {"redeliver": an id or "all"} | {"paused": true or false}."""
    changes = request.json()
    if changes.keys() - {"redeliver", "paused"} or not changes:
        raise RefusedError(400, "name one of redeliver, paused")
    if "paused" in changes:
        if not isinstance(changes["paused"], bool):
            raise RefusedError(400, "paused: must be true or false")
        world.outbox.is_paused = changes["paused"]
    events_to_redeliver: list[tuple[Row, Row]] = []
    if "redeliver" in changes:
        events_to_redeliver = _find_events_to_redeliver(world, changes["redeliver"])
    for event_row, subscription_row in events_to_redeliver:
        redeliver_event(world, event_row, subscription_row)
    return Reply.json(200, {"redelivered": len(events_to_redeliver), **world.delivery_state()})


def _find_events_to_redeliver(world: World, delivery_id: object) -> list[tuple[Row, Row]]:
    """The event of a delivery with its subscription; for "all", every event with each of its own.

    RefusedError if there is no such delivery, or if its subscription was deleted.
    """
    subscription_by_id = world.tables["webhook_subscriptions"].rows
    if delivery_id == "all":
        return [
            (event_row, subscription_row)
            for event_row in world.tables["events"].rows.values()
            for subscription_row in subscription_by_id.values()
            if _is_for_subscription(event_row, subscription_row)
        ]
    delivery_row = world.find("deliveries", delivery_id)
    if delivery_row is None:
        raise RefusedError(404, 'redeliver: must be the id of a delivery, or "all"')
    delivery_internals = delivery_row.get(INTERNALS) or {}
    event_row = world.find("events", delivery_internals.get("event_id"))
    subscription_row = subscription_by_id.get(delivery_internals.get("subscription_id", ""))
    if event_row is None or subscription_row is None:
        raise RefusedError(422, "redeliver: its subscription was deleted")
    return [(event_row, subscription_row)]


def _is_for_subscription(event: Row, subscription: Row) -> bool:
    """Whether an event is of a subscription's types and happened since it was made.

    Events that were held back when their object was added are for none.
    """
    is_withheld = event.get(INTERNALS, {}).get("is_withheld", False)
    is_of_type = event["event_type"] in subscription["event_types"]
    return is_of_type and not is_withheld and event["created_at"] >= subscription["created_at"]


def _read_wait(wait_text: str) -> float:
    """The seconds to wait. RefusedError for a wrong number."""
    try:
        wait_seconds = float(wait_text)
    except ValueError:
        wait_seconds = -1.0  # refused below
    if not 0 <= wait_seconds <= WAIT_SECONDS_MAX:
        raise RefusedError(400, f"wait: must be seconds from 0 to {WAIT_SECONDS_MAX}")
    return wait_seconds


def read_history(world: World, request: Request) -> Reply:
    """GET /_simulator/objects/{id}: the statuses that it has had, oldest first.

    `history` is null for an object that was seeded or loaded with its present status.
    """
    _, object_row = require_object(world, request.id)
    answer_fields = {
        "id": object_row["id"],
        "status": object_row["status"],
        "history": _list_statuses(object_row),
    }
    return Reply.json(200, answer_fields)


def require_object(world: World, object_id: str) -> tuple[str, Row]:
    """The kind and the row of an object that has a status. RefusedError if there is none."""
    for object_kind in MACHINES:
        object_row = world.find(object_kind, object_id)
        if object_row is not None:
            return object_kind, object_row
    raise RefusedError(404, f"object {plain(object_id, 60)} not found")


def _list_statuses(object_row: Row) -> list[dict[str, str]] | None:
    """Each status with the time when it began. None if the row has no record of its moves."""
    # Lists of the old status, the new one and the time.
    past_moves = object_row[INTERNALS].get("moves")
    if past_moves is None:
        return None
    first_status = past_moves[0][0] if past_moves else object_row["status"]
    status_rows = [{"status": first_status, "at": object_row["created_at"]}]
    for _, new_status, time_text in past_moves:
        status_rows.append({"status": new_status, "at": time_text})
    return status_rows


def list_events(world: World, _: Request) -> Reply:
    """GET /_simulator/events: every event, subscribed to or not, oldest first."""
    field_names = ("id", "event_type", "resource_id", "at", "body")
    events = []
    for event_row in world.tables["events"].rows.values():
        events.append({field_name: event_row[field_name] for field_name in field_names})
    return Reply.json(200, events)


def read_scenarios(_: World, __: Request) -> Reply:
    """GET /_simulator/scenarios: the values that cause an outcome, with the outcome of each."""
    from ..spec.assumptions import SCENARIOS  # the reference is not needed without them

    return Reply.json(200, [vars(scenario) for scenario in SCENARIOS])


def read_openapi(world: World, _: Request) -> Reply:
    """GET /_simulator/openapi.json: the interface of the service; its server is this one."""
    from ..openapi import document  # only who asks for the document needs it

    return Reply.json(200, document(world.service, "/"))
