"""Idempotency-Keys: the first answer of a key is stored and replayed."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256

from ..spec import codes
from .messages import JSON, KEY, KeyRefusedError, Reply, Request
from .world import World

Operation = Callable[[World, Request], Reply]

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def once(world: World, request: Request, operation: Operation) -> Reply:
    """Carry out an operation, or replay the stored reply of its key.

    Assumptions `idempotency.same` and `ca.idempotency-202`.
    """
    settings = world.service.idempotency
    key = request.headers.get(KEY)
    if key is None:
        if settings.key == "required":
            raise KeyRefusedError(
                400, f"{settings.header} is missing: send a UUID with this request"
            )
        return operation(world, request)
    if not _UUID.fullmatch(key):
        raise KeyRefusedError(400, f"{settings.header} must be a UUID of 36 characters")
    slot = f"{request.method} {request.path} {key.lower()}"
    digest = sha256(request.body).hexdigest()
    stored = world.find("idempotency", slot)
    if stored is not None and stored["until"] > world.stamp():
        if stored["digest"] != digest:
            raise KeyRefusedError(409, f"this {settings.header} was used with another body")
        headers = {**JSON, "idempotency-replayed": "true"}
        return Reply(stored["status"], b64decode(stored["body"]), headers)
    reply = operation(world, request)
    if reply.status in settings.stored:
        row = {"id": slot, "digest": digest, "status": reply.status}
        row["until"] = world.after(codes.IDEMPOTENCY_HOURS * 3600)
        world.put("idempotency", {**row, "body": b64encode(reply.body).decode()})
    return reply
