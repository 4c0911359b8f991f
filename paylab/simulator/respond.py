"""The service as one function: a world and a request in, a reply out."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime

from .. import signing
from . import faults, idempotency, life, routes
from .exchange import MOST_BYTES, TOO_LARGE, Refused, Reply, Request
from .world import World


def respond(world: World, request: Request) -> Reply:
    """Answer a request; what was due before it happens first."""
    life.settle(world)
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
        operation, row_id = routes.find(request.method, request.path)
        _check_content_type(request)
        routed = replace(request, id=row_id)
        if request.method == "POST" and request.path in routes.IDEMPOTENT:
            return idempotency.once(world, routed, operation)
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
    refusal = signing.verify(request, secrets.get, now, nonces=world.nonces)
    if refusal is not None:
        raise Refused(401, refusal.message, reason=refusal.reason, mistake=refusal.mistake)
    nonce = request.headers.get("x-nonce")
    if nonce is not None:
        world.nonces.add(nonce, now)
