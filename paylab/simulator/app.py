"""The simulator as an ASGI application, with limits on what it reads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPMethod
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from .. import loopback
from ..runtime import in_thread
from ..serving import HTTPConnection, Message, Receive, Send
from ..spec.service.service import Service
from .messages import MOST_BYTES, NO_CONTENT, PRODUCT, TOO_LARGE, RefusedError, Reply, Request
from .refusals import refusal_reply
from .routing import CONTROL, find_operation

_FIRST_LINE = re.compile(rb"([!-~]+) (/[!-~]*) HTTP/1\.[01]\r?\n")


class Protocol(HTTPConnection):
    """A connection; an unknown method is answered 404 or 405, not 400."""

    _latest = b""

    def data_received(self, data: bytes) -> None:
        """Receive bytes, and store them in case they are not HTTP."""
        self._latest = data
        super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Refuse an unreadable request and close the connection."""
        app: Any = self.config.app
        reply = refusal(self._latest, msg, app.service)
        length = {"content-length": str(len(reply.body)), "connection": "close"}
        lines = [f"{name}: {value}" for name, value in {**reply.headers, **length}.items()]
        header_text = "\r\n".join([*lines, "", ""]).encode("latin-1")
        self.transport.write(STATUS_LINE[reply.status] + header_text + reply.body)
        self.transport.close()


def refusal(data: bytes, text: str, service: Service) -> Reply:
    """The reply to bytes that are not a request; 404 or 405 for an unknown method."""
    match = _FIRST_LINE.match(data)
    try:
        if match and match[1].decode() not in HTTPMethod.__members__:
            find_operation(service, match[1].decode(), match[2].decode().partition("?")[0])
    except RefusedError as refused:
        return refusal_reply(refused)
    return Reply.json(400, {"error": text})


LARGE = 1024 * 1024
"""Size from which a body is processed in a thread, so that other connections are served."""

BODY_SECONDS = 60.0
"""Maximum seconds for a whole body."""

MOST_HELD = 2 * MOST_BYTES
"""Maximum bytes of all bodies in memory; further ones are answered 503."""


class SimulatorApp:
    """A simulator as an ASGI application.

    `answer` turns a request into a reply; `abort` closes a client's connection.
    """

    def __init__(
        self,
        answer: Callable[[Request], Reply],
        abort: Callable[[Any], None],
        *,
        service: Service,
        allowed: Collection[str] = (),
    ) -> None:
        self.service = service
        self._respond = answer
        self._abort = abort
        self._allowed = allowed
        self._held = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = bytearray()
        try:
            self._check_origin(scope)
            await self._read(scope, receive, body)
            reply = await self._awaited(_request(scope, bytes(body)))
        except RefusedError as refused:
            await _send(send, refusal_reply(refused))
            return
        except ConnectionError:
            return
        finally:
            self._held -= len(body)
        if reply.delay and await _disconnects(receive, reply.delay):
            return
        if reply.cut:
            await self._spoil(scope, receive, send, reply)
        else:
            await _send(send, reply)

    def _check_origin(self, scope: Message) -> None:
        if refused := loopback.host_refusal(scope["headers"], self._allowed):
            raise RefusedError(*refused, headers=_CLOSE)

    async def _read(self, scope: Message, receive: Receive, body: bytearray) -> None:
        """Read the body; refuse it if it is too large or slow, or if too many are read."""
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length[:19]) > MOST_BYTES:
            raise RefusedError(413, TOO_LARGE, headers=_CLOSE)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while self._add(await receive(), body):
                    pass
        except TimeoutError:
            raise RefusedError(408, "the body did not arrive in time", headers=_CLOSE) from None

    def _add(self, message: Message, body: bytearray) -> bool:
        """Add a part to the body; return whether there is more."""
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        part = message.get("body", b"")
        if len(body) + len(part) > MOST_BYTES:
            raise RefusedError(413, TOO_LARGE, headers=_CLOSE)
        if self._held + len(part) > MOST_HELD:
            text = "too many large bodies at once: try again"
            raise RefusedError(503, text, headers={**_CLOSE, "retry-after": "1"})
        body += part
        self._held += len(part)
        return bool(message.get("more_body", False))

    async def _awaited(self, request: Request) -> Reply:
        """Answer a request, as soon as there is what it waits for."""
        reply = await self._answer(request)
        end = asyncio.get_running_loop().time() + reply.wait
        # It is verified now, and its nonce is used.
        verified = replace(request, is_trusted=True) if reply.wait else request
        while reply.wait and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.02)
            reply = await self._answer(verified)
        return reply

    async def _answer(self, request: Request) -> Reply:
        """Answer a small request of the service here, which is faster than in a thread."""
        if len(request.body) > LARGE or request.path.startswith(CONTROL):
            return await in_thread(self._respond, request)
        return self._respond(request)

    async def _spoil(self, scope: Message, receive: Receive, send: Send, reply: Reply) -> None:
        if reply.cut == "timeout":
            await _disconnects(receive, seconds=60)
        if reply.cut == "truncate":
            headers = {**reply.headers, "content-length": str(len(reply.body))}
            await _start(send, reply.status, headers)
            half = reply.body[: len(reply.body) // 2 if reply.kept is None else reply.kept]
            await send({"type": "http.response.body", "body": half, "more_body": True})
            await asyncio.sleep(0.05)  # let the first half reach the client first
        self._abort(scope["client"])
        await asyncio.sleep(0)  # uvicorn notes the end first; else it logs a missing response


def _request(scope: Message, body: bytes) -> Request:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        text = value.decode("latin-1").strip(" \t")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    path = scope["raw_path"].decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    return Request(scope["method"], path, query, headers, body, at=datetime.now(UTC))


async def _disconnects(receive: Receive, seconds: float) -> bool:
    """Wait for so long, or until the client disconnects; return whether it did."""
    with suppress(TimeoutError):
        await asyncio.wait_for(receive(), seconds)
        return True
    return False


async def _send(send: Send, reply: Reply) -> None:
    length = {} if reply.status == NO_CONTENT else {"content-length": str(len(reply.body))}
    await _start(send, reply.status, {"server": PRODUCT, **reply.headers, **length})
    pieces = min(20, len(reply.body)) if reply.slow else 0
    for at in range(pieces):
        piece = reply.body[at * len(reply.body) // pieces : (at + 1) * len(reply.body) // pieces]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(reply.slow / pieces)
    await send({"type": "http.response.body", "body": b"" if pieces else reply.body})


async def _start(send: Send, status: int, headers: dict[str, str]) -> None:
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


_CLOSE = {"connection": "close"}
