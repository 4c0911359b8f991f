"""From a request to its reply, and from a planned step to its move: the function of each.

The functions of a resource are in its module in `resources`: those of its operations by name in
`SERVED`, and its steps, functions of (world, row, reason), in `STEPS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from ..signing.unauthorized import verify
from ..spec.operations.operation import Operation as Record
from ..spec.operations.records import LISTED_RESOURCES
from ..spec.operations.records import OPERATIONS as SPECIFIED
from ..spec.route import strip_base_path
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.status import MACHINES, IllegalMove
from ..spec.timestamps import to_http
from ..spec.translation import write_amounts_as_numbers
from . import control_api, faults
from .bodies import page, read_row, shown
from .idempotency import Operation, once
from .journal import JournalEntry
from .messages import KEY, MOST_BYTES, TOO_LARGE, RefusedError, Reply, Request, require
from .refusals import refusal_reply
from .resources import individuals, on_ramp, subscriptions, transfers
from .routing import CONTROL, CONTROLS, find_operation, operation_at
from .strictness import remarks
from .world import Steps, World

STEPS: Steps = {**individuals.STEPS, **on_ramp.STEPS, **transfers.STEPS}


def settle(world: World) -> None:
    """Carry out every step that is due, in order, each at its own time."""
    for timer in world.due_steps():
        row = world.tables[timer["kind"]].rows[timer["id"]]
        STEPS[timer["kind"]][timer["step"]](world, row, "")


def move_object(world: World, request: Request) -> Reply:
    """POST /_simulator/objects/{id} {"to", "reason"}; a 422 lists the legal moves."""
    kind = next((kind for kind in MACHINES if world.find(kind, request.id)), None)
    if kind is None:
        raise RefusedError(404, "object not found")
    row = world.tables[kind].rows[request.id]
    body = request.json()
    to = body.get("to")
    reason = body.get("reason") or ""
    if not isinstance(to, str) or not isinstance(reason, str):
        raise RefusedError(400, "to: name the state to move to; reason, if given, is text")
    try:
        trigger = MACHINES[kind].toward(row["status"], to)
    except IllegalMove as error:
        raise RefusedError(422, str(error), legal=list(error.legal)) from None
    STEPS[kind][trigger](world, row, reason)
    return Reply.json(200, shown(world, kind, row))


_CONTROLS = {**vars(control_api), "move_object": move_object, "pay_in": transfers.pay_in}

OPERATIONS: Mapping[str, Operation] = {
    **{f"{kind}.get": partial(read_row, kind=kind) for kind in LISTED_RESOURCES},
    **{f"{kind}.list": partial(page, kind=kind) for kind in LISTED_RESOURCES},
    **{each: _CONTROLS[each.removeprefix("control.")] for each, *_ in CONTROLS},
    **individuals.SERVED,
    **on_ramp.SERVED,
    **subscriptions.SERVED,
    **transfers.SERVED,
}
"""The function of each operation, by default one that reads rows of its resource.

`find_operation` maps paths to operations.
"""


def respond(world: World, request: Request) -> Reply:
    """Answer a request, after carrying out due steps, and note it in the journal of the world."""
    settle(world)
    path = strip_base_path(request.path, world.service.signing.base_path)
    request = replace(request, path=path) if path != request.path else request
    request = _with_key(request, world.service.idempotency.header.lower())
    fault = None if request.is_trusted else faults.for_call(world, request)
    now = request.at or world.now()
    if fault and fault["kind"] == "skew":
        now += timedelta(seconds=fault["seconds"])
    entry = JournalEntry(request, world.now(), fault=faults.fault_json(fault) if fault else None)
    reply = faults.instead(world.service, fault, now) if fault else None
    reply = reply or _answer(world, request, now, entry)
    if fault:
        reply = faults.change(fault, reply)
    dated = {"date": to_http(now)}
    reply = replace(reply, headers={**reply.headers, **dated})
    if not (request.is_trusted or request.path.startswith(CONTROL)):
        if not entry.operation:
            entry.operation = operation_at(world.service, request.method, request.path) or ""
        world.journal.add(entry, reply)
    return reply


def _with_key(request: Request, header: str) -> Request:
    """The request with its idempotency key in the header of the spec, as everything here reads."""
    if header == KEY:
        return request
    headers = {name: text for name, text in request.headers.items() if name != KEY}
    if header in headers:
        headers[KEY] = headers.pop(header)
    return replace(request, headers=headers)


def _answer(world: World, request: Request, now: datetime, entry: JournalEntry) -> Reply:
    """Authenticate, find the operation, carry it out. Assumption `check.order`."""
    is_control = request.path.startswith(CONTROL)
    try:
        if len(request.body) > MOST_BYTES:
            raise RefusedError(413, TOO_LARGE)
        if not request.is_trusted:
            _authenticate(world, request, now, entry)
        entry.layer = "route"
        name, parts = find_operation(world.service, request.method, request.path)
        entry.operation = name
        entry.takes_key = name in SPECIFIED and SPECIFIED[name].takes_key(world.service)
        entry.layer = "strictness"
        _check_content_type(world, request)
        if world.strict and not is_control:
            require(remarks(world.service, name, request))
        entry.layer = "rules"
        routed = replace(request, id=next(iter(parts.values()), ""))
        operation = OPERATIONS[name]
        reply = once(world, routed, operation) if entry.takes_key else operation(world, routed)
        entry.layer = "done"
        if is_control:
            return reply
        reply = _held(world.service, SPECIFIED[name], reply)
        body = write_amounts_as_numbers(world.service, reply.body)
        return reply if body is reply.body else replace(reply, body=body)
    except RefusedError as refused:
        entry.refused = refused
        return refusal_reply(refused, None if is_control else world.service)


def _held(service: Service, record: Record, reply: Reply) -> Reply:
    """An answer whose object stands under the key that the service has for it."""
    item = NONE if record.is_list or not reply.body else record.item_path(service)
    if item == NONE:
        return reply
    names = item.split(".")
    opening = "".join(f'{{"{name}":' for name in names).encode()
    return replace(reply, body=opening + reply.body + b"}" * len(names))


def _check_content_type(world: World, request: Request) -> None:
    """Refuse a body that is not declared as JSON. Assumption `request.content-type`."""
    content_type = request.headers.get("content-type", "")
    if request.body and content_type.partition(";")[0].strip().lower() != "application/json":
        given_words = f"not {content_type[:60]!a}" if content_type else "and it is missing"
        raise RefusedError(
            415, f"the Content-Type of a body must be application/json, {given_words}"
        )


def _authenticate(world: World, request: Request, now: datetime, entry: JournalEntry) -> None:
    """Refuse an invalid signature; only a valid one uses up its nonce."""
    secrets = world.secrets if request.keys is None else request.keys
    refusal = verify(request, secrets.get, now, signing=world.service.signing, nonces=world.nonces)
    if refusal is not None:
        entry.finding = refusal
        status = world.service.error_codes.signature
        raise RefusedError(status, refusal.message, reason=refusal.reason, mistake=refusal.mistake)
    nonce = request.headers.get("x-nonce")
    if nonce is not None:
        world.nonces.add(nonce, now)
