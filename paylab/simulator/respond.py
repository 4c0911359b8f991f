"""The service as one function: a world and a request in, a reply out."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256

from ..signing.verify import verify
from ..spec import codes
from . import control, faults, individuals, on_ramp, quotes, transfers, transitions, webhooks
from .messages import JSON, MOST_BYTES, TOO_LARGE, Refused, Reply, Request
from .table import Row
from .world import World

Operation = Callable[[World, Request], Reply]

ROUTES: Mapping[str, Mapping[str, Operation]] = {
    "/v1/individuals": {"POST": individuals.create, "GET": individuals.index},
    "/v1/individuals/{id}": {"GET": individuals.get},
    "/v1/individuals/{id}/verification_token": {"POST": individuals.submit_token},
    "/v1/individuals/{id}/verification_images": {
        "POST": individuals.upload_images,
        "GET": individuals.read_images,
    },
    "/v1/financial_accounts": {"POST": individuals.create_financial_account},
    "/v1/financial_accounts/{id}": {"POST": individuals.update_account},
    "/v1/quotes": {"POST": quotes.create},
    "/v1/transfers": {"POST": transfers.create, "GET": transfers.index},
    "/v1/transfers/{id}": {"GET": transfers.get},
    "/v1/conversion_accounts": {"POST": on_ramp.create_account, "GET": on_ramp.list_accounts},
    "/v1/conversion_accounts/{id}": {"GET": on_ramp.get_account},
    "/v1/conversions": {"GET": on_ramp.list_conversions},
    "/v1/sandbox/deposits": {"POST": on_ramp.deposit},
    "/v1/webhook_subscriptions": {"POST": webhooks.create, "GET": webhooks.index},
    "/v1/webhook_subscriptions/{id}": {"GET": webhooks.get, "DELETE": webhooks.delete},
    "/_simulator": {"GET": control.summary},
    "/_simulator/clock": {"POST": control.clock},
    "/_simulator/reset": {"POST": control.reset},
    "/_simulator/objects/{id}": {"POST": control.move_object},
    "/_simulator/faults": {
        "POST": control.add_fault,
        "GET": control.list_faults,
        "DELETE": control.clear_faults,
    },
    "/_simulator/seed": {"POST": control.seed},
    "/_simulator/snapshot": {"GET": control.read_snapshot, "PUT": control.write_snapshot},
    "/_simulator/deliveries": {"GET": control.deliveries},
    "/_simulator/events": {"GET": control.events},
    "/_simulator/scenarios": {"GET": control.scenarios},
}

IDEMPOTENT = ("/v1/transfers", "/v1/conversion_accounts")
"""Paths whose POST takes an Idempotency-Key. Spec, "Idempotency"."""


def route(method: str, path: str) -> tuple[Operation, str]:
    """The operation for a request, and the id in its path; 404 or 405 when there is none."""
    methods, row_id = ROUTES.get(path), ""
    if methods is None:
        parts = path.split("/")
        row_id = parts[3] if len(parts) > _ID_PLACE else ""
        methods = ROUTES.get("/".join([*parts[:3], "{id}", *parts[4:]])) if row_id else None
    if methods is None:
        raise Refused(404, "there is no such path")
    if method not in methods:
        allowed = ", ".join(methods)
        raise Refused(405, f"this path takes {allowed}", headers={"allow": allowed})
    return methods[method], row_id


_ID_PLACE = 3


_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
STORED = (200, 201)


def once(world: World, request: Request, operation: Operation) -> Reply:
    """Carry an operation out, or give again the answer it was given for this key.

    Keys count per method and path; the same body means the same bytes. Gap `idempotency.same`.
    """
    key = request.headers.get("idempotency-key")
    if key is None:
        return operation(world, request)
    if not _UUID.fullmatch(key):
        raise Refused(400, "Idempotency-Key must be a UUID of 36 characters")
    slot = f"{request.method} {request.path} {key.lower()}"
    digest = sha256(request.body).hexdigest()
    stored = _stored(world, slot)
    if stored is None:
        return _keep(world, slot, digest, operation(world, request))
    if stored["digest"] != digest:
        raise Refused(409, "this Idempotency-Key was used with another body")
    headers = {**JSON, "idempotency-replayed": "true"}
    return Reply(stored["status"], b64decode(stored["body"]), headers)


def _stored(world: World, slot: str) -> Row | None:
    row = world.find("idempotency", slot)
    if row is not None and row["until"] <= world.stamp():
        world.remove("idempotency", slot)
        return None
    return row


def _keep(world: World, slot: str, digest: str, reply: Reply) -> Reply:
    if reply.status in STORED:
        row = {"id": slot, "digest": digest, "status": reply.status}
        row["until"] = world.after(codes.IDEMPOTENCY_HOURS * 3600)
        world.put("idempotency", {**row, "body": b64encode(reply.body).decode()})
    return reply


def respond(world: World, request: Request) -> Reply:
    """Answer a request; what was due before it happens first."""
    transitions.settle(world)
    fault = faults.for_call(world, request)
    now = request.at or world.now()
    if fault and fault["kind"] == "skew":
        now += timedelta(seconds=fault["seconds"])
    if fault and fault["kind"] in faults.INSTEAD:
        reply = faults.instead(fault)
    else:
        reply = faults.spoil(fault, _answer(world, request, now))
    return replace(reply, headers={**reply.headers, "date": format_datetime(now, usegmt=True)})


def _answer(world: World, request: Request, now: datetime) -> Reply:
    """Authenticate, find the operation, carry it out. Gap `check.order`."""
    try:
        if len(request.body) > MOST_BYTES:
            raise Refused(413, TOO_LARGE)
        _authenticate(world, request, now)
        operation, row_id = route(request.method, request.path)
        _check_content_type(request)
        routed = replace(request, id=row_id)
        if request.method == "POST" and request.path in IDEMPOTENT:
            return once(world, routed, operation)
        return operation(world, routed)
    except Refused as refused:
        return refused.reply()


def _check_content_type(request: Request) -> None:
    """Refuse a body that is not declared as JSON. Gap `request.content-type`."""
    given = request.headers.get("content-type", "")
    if request.body and given.partition(";")[0].strip().lower() != "application/json":
        said = f"not {given[:60]!a}" if given else "and it is missing"
        raise Refused(415, f"the Content-Type of a body must be application/json, {said}")


def _authenticate(world: World, request: Request, now: datetime) -> None:
    """Refuse what is not signed well; only a good signature uses up its nonce."""
    secrets = world.secrets if request.keys is None else request.keys
    refusal = verify(request, secrets.get, now, nonces=world.nonces)
    if refusal is not None:
        raise Refused(401, refusal.message, reason=refusal.reason, mistake=refusal.mistake)
    nonce = request.headers.get("x-nonce")
    if nonce is not None:
        world.nonces.add(nonce, now)
