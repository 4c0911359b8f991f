"""Finds the function for each request, and the function for each planned step.

The functions of a resource are in its module in `resources`: the operations by name in `HANDLERS`,
and the steps, functions of (world, row, reason), in `STEPS`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from ..journal.record import RequestRecord
from ..signing.findings import Finding
from ..signing.unauthorized import verify
from ..spec.operations.operation import Operation
from ..spec.operations.records import LISTED_RESOURCES, OPERATIONS
from ..spec.route import strip_base_path
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.status import MACHINES, IllegalMove
from ..spec.timestamps import to_http
from ..spec.translation import write_amounts_as_numbers
from . import control_api, faults, journal_api, object_controls
from .bodies import list_page, read_row, row_json
from .coin_returns import list_coin_returns
from .control_notes import begin_control, end_control
from .forced_changes import force_status, send_event
from .idempotency import Handler, answer_once
from .messages import (
    BODY_BYTES_MAX,
    KEY_HEADER,
    BodyTooLargeError,
    RefusedError,
    Reply,
    Request,
    raise_if_problems,
)
from .refusals import refusal_reply
from .resources import financial_accounts, individuals, on_ramp, quotes, subscriptions, transfers
from .routing import CONTROL, find_operation, operation_at
from .strictness import find_remarks
from .table import Row
from .verdicts import Passage
from .world import Steps, World

STEPS: Steps = {**individuals.STEPS, **on_ramp.STEPS, **transfers.STEPS}


def settle(world: World) -> None:
    """Carry out every step that is due, in order, each at its own time."""
    for timer_row in world.due_steps():
        due_row = world.tables[timer_row["kind"]].rows[timer_row["id"]]
        STEPS[timer_row["kind"]][timer_row["step"]](world, due_row, "")


def move_object(world: World, request: Request) -> Reply:
    """POST /_simulator/objects/{id} {"to", "reason", "force"}.

    RefusedError with status 422 lists the legal moves if this one is illegal, and is not forced.
    """
    object_kind, object_row = control_api.require_object(world, request.id)
    requested_move = request.json()
    new_status = requested_move.get("to")
    reason = requested_move.get("reason") or ""
    if not isinstance(new_status, str) or not isinstance(reason, str):
        raise RefusedError(400, "to: name the state to move to; reason, if given, is text")
    is_forced = requested_move.get("force", False)
    if not isinstance(is_forced, bool):
        raise RefusedError(400, "force: must be true or false")
    machine = MACHINES[object_kind]
    is_legal = new_status in machine.onward(object_row["status"])
    if is_forced and not is_legal:
        force_status(world, object_kind, object_row, new_status)
        return Reply.json(200, row_json(world, object_kind, object_row))
    try:
        trigger = machine.toward(object_row["status"], new_status)
    except IllegalMove as error:
        raise RefusedError(422, str(error), legal=list(error.legal)) from None
    take_step = STEPS[object_kind][trigger]
    take_step(world, object_row, reason)
    return Reply.json(200, row_json(world, object_kind, object_row))


_CONTROL_HANDLERS: Mapping[str, Handler] = {
    "summary": control_api.read_summary,
    "seed": object_controls.seed_objects,
    "add_person": object_controls.add_person,
    "add_account": object_controls.add_account,
    "history": control_api.read_history,
    "move_object": move_object,
    "clock": control_api.change_clock,
    "pay_in": transfers.pay_in,
    "balance": control_api.read_balance_amounts,
    "funds": control_api.read_funds,
    "coin_returns": list_coin_returns,
    "scenarios": control_api.read_scenarios,
    "add_fault": control_api.add_fault,
    "list_faults": control_api.list_faults,
    "remove_fault": control_api.remove_fault,
    "clear_faults": control_api.clear_faults,
    "requests": journal_api.list_requests,
    "journal": journal_api.read_journal,
    "name_test": journal_api.name_test,
    "events": control_api.list_events,
    "send_event": send_event,
    "deliveries": control_api.list_deliveries,
    "deliver": control_api.change_deliveries,
    "openapi": control_api.read_openapi,
    "read_snapshot": control_api.read_snapshot,
    "write_snapshot": control_api.load_snapshot,
    "reset": control_api.reset_world,
}
"""The function of each control of `routing.CONTROLS`."""

HANDLERS: Mapping[str, Handler] = {
    **{f"{kind}.get": partial(read_row, kind=kind) for kind in LISTED_RESOURCES},
    **{f"{kind}.list": partial(list_page, kind=kind) for kind in LISTED_RESOURCES},
    **{f"control.{name}": handler for name, handler in _CONTROL_HANDLERS.items()},
    **financial_accounts.HANDLERS,
    **individuals.HANDLERS,
    **on_ramp.HANDLERS,
    **quotes.HANDLERS,
    **subscriptions.HANDLERS,
    **transfers.HANDLERS,
}
"""The function of each operation, by default one that reads rows of its resource.

`find_operation` maps paths to operations.
"""


def respond(world: World, request: Request) -> Reply:
    """Answer a request, after carrying out due steps, and note it in the journal of the world."""
    settle(world)
    request = _with_path_and_key_of_spec(request, world.service)
    if request.is_trusted or request.path.startswith(CONTROL):
        return _answer_owner(world, request)
    request_record = world.journal.record_arrival(request, world.now())
    request_record.ending = request.ending
    passage = Passage(world.service)
    request_record.verdicts = passage.to_json
    now = request.at or world.now()
    fault_row = faults.draw_call_fault(world, request, request_record.sequence)
    if fault_row is None:
        reply = _answer_request(world, request, now, request_record, passage)
    else:
        if fault_row["kind"] == "skew":
            now += timedelta(seconds=fault_row["seconds"])
        fault_reply = _answer_by_fault(world, request, now, fault_row, passage)
        # Most faults change the answer of the operation; the others answer in its place.
        reply = fault_reply or _answer_request(world, request, now, request_record, passage)
        reply = faults.apply_fault(fault_row, reply)
    reply = reply.with_headers({**reply.headers, "date": to_http(now)})
    if not request_record.operation:
        request_record.operation = operation_at(world.service, request.method, request.path) or ""
    world.journal.add_request(request_record, reply)
    return reply


def _answer_by_fault(
    world: World, request: Request, now: datetime, fault: Row, passage: Passage
) -> Reply | None:
    """The reply of a fault in place of the service's own; None if the service answers.

    Nothing is verified then: `passage` gets the mistake that the signature has.
    """
    passage.fault = faults.fault_json(fault)
    reply = faults.fault_reply(world.service, fault, now)
    if reply is not None:
        passage.has_fault_answer = True
        passage.finding = _find_signature_mistake(world, request, now)
    return reply


def _answer_owner(world: World, request: Request) -> Reply:
    """Answer a request to the control API, or one of the owner, and note it if it changes state."""
    now = request.at or world.now()
    control_note = begin_control(world, request)
    passage = Passage(world.service)
    request_record = RequestRecord(request, at=now, real_at=0.0, sequence=0)
    reply = _answer_request(world, request, now, request_record, passage)
    if control_note is not None:
        end_control(world, control_note, request_record.operation, request, reply)
    return replace(reply, headers={**reply.headers, "date": to_http(now)})


def _with_path_and_key_of_spec(request: Request, service: Service) -> Request:
    """The request without the base path, and with its idempotency key in the header of the spec."""
    path = strip_base_path(request.path, service.signing.base_path)
    if path != request.path:
        request = replace(request, path=path)
    service_header = service.idempotency.header.lower()
    if service_header == KEY_HEADER:
        return request
    # This service does not know the header of the spec.
    headers = {
        header_name: header_text
        for header_name, header_text in request.headers.items()
        if header_name != KEY_HEADER
    }
    if service_header in headers:
        headers[KEY_HEADER] = headers.pop(service_header)
    return replace(request, headers=headers)


def _answer_request(
    world: World, request: Request, now: datetime, request_record: RequestRecord, passage: Passage
) -> Reply:
    """Authenticate a request and carry out its operation, or answer why it is refused."""
    is_control = request.path.startswith(CONTROL)
    # The control API has the error bodies of the spec, whatever the service has.
    error_service = None if is_control else world.service
    try:
        if len(request.body) > BODY_BYTES_MAX:
            raise BodyTooLargeError(BODY_BYTES_MAX)
        if not request.is_trusted:
            _check_signature(world, request, now, passage)
        reply = _carry_out(world, request, request_record, passage)
    except RefusedError as refused:
        passage.refused = refused
        return refusal_reply(refused, error_service)
    passage.layer = "done"
    if is_control:
        return reply
    reply = _with_envelope(world.service, OPERATIONS[request_record.operation], reply)
    if world.service.amounts.answers != "number":
        return reply
    return replace(reply, body=write_amounts_as_numbers(world.service, reply.body))


def _carry_out(
    world: World, request: Request, request_record: RequestRecord, passage: Passage
) -> Reply:
    """Find the operation of a request, check the request and carry it out.

    `passage.layer` is set to each layer before it checks, so that a refusal has the name of its
    layer. Assumption `check.order`.
    """
    passage.layer = "route"
    operation_name, value_by_placeholder = find_operation(
        world.service, request.method, request.path
    )
    request_record.operation = operation_name
    if operation_name in OPERATIONS:
        passage.takes_key = OPERATIONS[operation_name].takes_key(world.service)
    passage.layer = "strictness"
    _check_content_type(request)
    if world.strict and operation_name in OPERATIONS:
        raise_if_problems(find_remarks(world.service, operation_name, request, world.now()))
    passage.layer = "rules"
    routed_request = request
    if value_by_placeholder:
        (object_id,) = value_by_placeholder.values()  # no path has two placeholders
        routed_request = request.with_id(object_id)
    handler = HANDLERS[operation_name]
    if passage.takes_key:
        return answer_once(world, routed_request, handler)
    return handler(world, routed_request)


def _with_envelope(service: Service, operation: Operation, reply: Reply) -> Reply:
    """The reply with its object inside the keys that the service has around it, if any.

    With the path `data.individual`, `{"id": ...}` becomes `{"data":{"individual":{"id": ...}}}`.
    """
    if operation.is_list or not reply.body:
        return reply
    item_path = operation.item_path(service)
    if item_path == NONE:
        return reply
    # The body is JSON text already, so only text is put around it.
    envelope_keys = item_path.split(".")
    opening_text = "".join(f"{{{json.dumps(envelope_key)}:" for envelope_key in envelope_keys)
    closing_braces = b"}" * len(envelope_keys)
    return replace(reply, body=opening_text.encode() + reply.body + closing_braces)


def _check_content_type(request: Request) -> None:
    """Refuse a body that is not declared as JSON. Assumption `request.content-type`."""
    content_type = request.headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    if not request.body or media_type == "application/json":
        return
    difference_text = f"not {content_type[:60]!a}" if content_type else "and it is missing"
    raise RefusedError(
        415, f"the Content-Type of a body must be application/json, {difference_text}"
    )


def _find_signature_mistake(world: World, request: Request, now: datetime) -> Finding | None:
    """The mistake in the signature of a request, if any. Its nonce is not used up."""
    secret_by_api_key = world.secrets if request.keys is None else request.keys
    return verify(
        request, secret_by_api_key.get, now, signing=world.service.signing, nonces=world.nonces
    )


def _check_signature(world: World, request: Request, now: datetime, passage: Passage) -> None:
    """Refuse an invalid signature; only a valid one uses up its nonce."""
    finding = _find_signature_mistake(world, request, now)
    if finding is not None:
        passage.finding = finding
        status = world.service.error_codes.signature
        raise RefusedError(status, finding.message, reason=finding.reason, mistake=finding.mistake)
    nonce = request.headers.get("x-nonce")
    if nonce is not None:
        world.nonces.add(nonce, now)
