"""The service as one function of a world and a request."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from typing import Any

from ..signing.refusals import verify
from ..spec import codes
from . import control_api, faults, individuals, on_ramp, quotes, transfers, transitions, webhooks
from .messages import (
    CONTROL,
    CONTROLS,
    JSON,
    MOST_BYTES,
    TOO_LARGE,
    Refused,
    Reply,
    Request,
    find_operation,
)
from .serialise import with_numbers
from .table import Row
from .world import World

Operation = Callable[[World, Request], Reply]

OPERATIONS: Mapping[str, Operation] = {
    "individuals.create": individuals.create,
    "individuals.list": individuals.index,
    "individuals.get": individuals.get,
    "individuals.submit_token": individuals.submit_token,
    "individuals.upload_images": individuals.upload_images,
    "individuals.images": individuals.read_images,
    "financial_accounts.create": individuals.create_financial_account,
    "financial_accounts.update": individuals.update_account,
    "quotes.create": quotes.create,
    "transfers.create": transfers.create,
    "transfers.list": transfers.index,
    "transfers.get": transfers.get,
    "conversion_accounts.create": on_ramp.create_account,
    "conversion_accounts.list": on_ramp.list_accounts,
    "conversion_accounts.get": on_ramp.get_account,
    "conversions.list": on_ramp.list_conversions,
    "conversions.get": on_ramp.get_conversion,
    "sandbox.deposit": on_ramp.deposit,
    "webhook_subscriptions.create": webhooks.create,
    "webhook_subscriptions.list": webhooks.index,
    "webhook_subscriptions.get": webhooks.get,
    "webhook_subscriptions.delete": webhooks.delete,
    **{
        route.operation: getattr(control_api, route.operation.partition(".")[2])
        for route in CONTROLS
    },
}
"""The function of each operation; `find_operation` maps paths to operations."""

IDEMPOTENT = ("transfers.create", "conversion_accounts.create")
"""Operations that take an Idempotency-Key. Spec, "Idempotency"."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def once(world: World, request: Request, operation: Operation) -> Reply:
    """Carry out an operation, or replay the stored reply of its key.

    Assumptions `idempotency.same` and `ca.idempotency-202`.
    """
    settings, key = world.service.idempotency, request.headers.get("idempotency-key")
    if key is None:
        if settings.key == "required":
            raise Refused(400, "Idempotency-Key is missing: send a UUID with this request")
        return operation(world, request)
    if not _UUID.fullmatch(key):
        raise Refused(400, "Idempotency-Key must be a UUID of 36 characters")
    place = f"{request.method} {request.path} " if settings.scope == "path" else ""
    slot, digest = f"{place}{key.lower()}", _digest(request, settings)
    stored = _stored(world, slot)
    if stored is None:
        return _keep(world, slot, digest, operation(world, request))
    if stored["digest"] != digest:
        raise Refused(409, "this Idempotency-Key was used with another body")
    headers = {**JSON, "idempotency-replayed": "true"}
    return Reply(stored["status"], b64decode(stored["body"]), headers)


def _digest(request: Request, settings: Any) -> str:
    """A hash of the request to compare; for keys per account it includes the operation."""
    body = request.body
    if settings.compare == "json":
        body = json.dumps(request.json(), sort_keys=True).encode()
    place = b"" if settings.scope == "path" else f"{request.method} {request.path}\n".encode()
    return sha256(place + body).hexdigest()


def _stored(world: World, slot: str) -> Row | None:
    row = world.find("idempotency", slot)
    if row is not None and row["until"] <= world.stamp():
        world.remove("idempotency", slot)
        return None
    return row


def _keep(world: World, slot: str, digest: str, reply: Reply) -> Reply:
    if reply.status in world.service.idempotency.stored:
        row = {"id": slot, "digest": digest, "status": reply.status}
        row["until"] = world.after(codes.IDEMPOTENCY_HOURS * 3600)
        world.put("idempotency", {**row, "body": b64encode(reply.body).decode()})
    return reply


def respond(world: World, request: Request) -> Reply:
    """Answer a request, after carrying out due steps."""
    transitions.settle(world)
    fault = faults.for_call(world, request)
    now = request.at or world.now()
    if fault and fault["kind"] == "skew":
        now += timedelta(seconds=fault["seconds"])
    if fault and fault["kind"] in faults.INSTEAD:
        reply = faults.instead(world.service, fault, now)
    else:
        reply = faults.spoil(fault, _answer(world, request, now))
    dated = {**reply.headers, "date": format_datetime(now, usegmt=True)}
    return Reply(reply.status, reply.body, dated, reply.cut)


def _answer(world: World, request: Request, now: datetime) -> Reply:
    """Authenticate, find the operation, carry it out. Assumption `check.order`."""
    try:
        if len(request.body) > MOST_BYTES:
            raise Refused(413, TOO_LARGE)
        _authenticate(world, request, now)
        name, parts = find_operation(world.service, request.method, request.path)
        _check_content_type(world, request)
        routed = replace(request, id=next(iter(parts.values()), ""))
        if request.path.startswith(CONTROL):
            return OPERATIONS[name](world, routed)
        carry_out = once if name in IDEMPOTENT else _at_once
        reply = carry_out(world, routed, OPERATIONS[name])
        body = with_numbers(world.service, reply.body)
        return reply if body is reply.body else replace(reply, body=body)
    except Refused as refused:
        return refused.reply(None if request.path.startswith(CONTROL) else world.service)


def _at_once(world: World, request: Request, operation: Operation) -> Reply:
    return operation(world, request)


def _check_content_type(world: World, request: Request) -> None:
    """Refuse a body that is not declared as JSON. Assumption `request.content-type`."""
    given = request.headers.get("content-type", "")
    if request.body and given.partition(";")[0].strip().lower() != "application/json":
        said = f"not {given[:60]!a}" if given else "and it is missing"
        status = world.service.error_codes.content_type
        raise Refused(status, f"the Content-Type of a body must be application/json, {said}")


def _authenticate(world: World, request: Request, now: datetime) -> None:
    """Refuse an invalid signature; only a valid one uses up its nonce."""
    secrets = world.secrets if request.keys is None else request.keys
    refusal = verify(request, secrets.get, now, signing=world.service.signing, nonces=world.nonces)
    if refusal is not None:
        status = world.service.error_codes.signature
        raise Refused(status, refusal.message, reason=refusal.reason, mistake=refusal.mistake)
    nonce = request.headers.get("x-nonce")
    if nonce is not None:
        world.nonces.add(nonce, now)
