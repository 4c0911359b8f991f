"""One request, one effect: stored answers by Idempotency-Key. Spec, "Idempotency"."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from hashlib import sha256

from .. import codes
from .exchange import JSON, Refused, Reply, Request
from .routes import Operation
from .table import Row
from .world import World

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
