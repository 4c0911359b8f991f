"""Idempotency-Keys: the first answer of a key is stored and replayed."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256

from ..spec import codes
from .messages import JSON_HEADERS, KEY_HEADER, KeyRefusedError, Reply, Request
from .table import Row
from .world import World

Handler = Callable[[World, Request], Reply]

UUID_PATTERN = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def answer_once(world: World, request: Request, handler: Handler) -> Reply:
    """Carry out an operation, or replay the stored reply of its key.

    Assumptions `idempotency.same` and `ca.idempotency-202`.
    """
    settings = world.service.idempotency
    service_header = settings.header  # for messages: the dispatcher renamed it to KEY_HEADER
    idempotency_key = request.headers.get(KEY_HEADER)
    if idempotency_key is None:
        if settings.key == "required":
            raise KeyRefusedError(
                400, f"{service_header} is missing: send a UUID with this request"
            )
        return handler(world, request)
    if not UUID_PATTERN.fullmatch(idempotency_key):
        raise KeyRefusedError(400, f"{service_header} must be a UUID of 36 characters")
    row_id = f"{request.method} {request.path} {idempotency_key.lower()}"
    body_digest = sha256(request.body).hexdigest()
    stored_row = world.find("idempotency", row_id)
    if stored_row is not None and stored_row["until"] > world.stamp():
        return _repeat_reply(stored_row, body_digest, service_header)
    reply = handler(world, request)
    if reply.status in settings.stored:
        _store_reply(world, row_id, body_digest, reply)
    return reply


def _store_reply(world: World, row_id: str, body_digest: str, reply: Reply) -> None:
    """Store the reply to a request under its key and the digest of its body."""
    stored_row = {
        "id": row_id,
        "digest": body_digest,
        "status": reply.status,
        "until": world.after(codes.IDEMPOTENCY_HOURS * 3600),
        "body": b64encode(reply.body).decode(),
    }
    world.put("idempotency", stored_row)


def _repeat_reply(stored_row: Row, body_digest: str, service_header: str) -> Reply:
    """The stored reply. KeyRefusedError if the body of the request is another one."""
    if stored_row["digest"] != body_digest:
        raise KeyRefusedError(409, f"this {service_header} was used with another body")
    headers = {**JSON_HEADERS, "idempotency-replayed": "true"}
    return Reply(stored_row["status"], b64decode(stored_row["body"]), headers)
