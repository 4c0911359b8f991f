"""The simulator as an ASGI application. Dates are judged by the wall clock: gap `clock.signing`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from .engine import Simulator
from .exchange import MOST_BYTES, TOO_LARGE, Refused, Reply, Request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

LARGE = 1024 * 1024
"""A body past this is worked on in a thread, so that connections go on being accepted."""

BODY_SECONDS = 30.0
"""Seconds a client may fall silent amid its body."""

TIMEOUT_FAULT = 60.0
"""Seconds a connection is left without an answer by the fault `timeout`."""


class App:
    """One simulator as an ASGI application; `abort` cuts a client's connection."""

    def __init__(self, simulator: Simulator, abort: Callable[[Any], None]) -> None:
        self._simulator, self._abort = simulator, abort

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        try:
            body = await _read(scope, receive)
        except Refused as refused:
            await _send(send, refused.reply())
            return
        except ConnectionError:
            return
        reply = await self._answer(_request(scope, body))
        if reply.cut:
            await self._spoil(scope, receive, send, reply)
        else:
            await _send(send, reply)

    async def _answer(self, request: Request) -> Reply:
        """Small requests are quicker answered here than handed to a thread."""
        if len(request.body) > LARGE or request.path in _SLOW:
            return await asyncio.to_thread(self._simulator.respond, request)
        return self._simulator.respond(request)

    async def _spoil(self, scope: Message, receive: Receive, send: Send, reply: Reply) -> None:
        if reply.cut == "timeout":
            with suppress(TimeoutError):
                await asyncio.wait_for(receive(), TIMEOUT_FAULT)  # or until the client hangs up
        if reply.cut == "truncate":
            head = {**reply.headers, "content-length": str(len(reply.body))}
            await _start(send, reply.status, head)
            half = reply.body[: len(reply.body) // 2]
            await send({"type": "http.response.body", "body": half, "more_body": True})
            await asyncio.sleep(0.05)  # let the half reach the client before the cut
        self._abort(scope["client"])


_SLOW = frozenset({"/_simulator/clock", "/_simulator/seed", "/_simulator/snapshot"})


def _request(scope: Message, body: bytes) -> Request:
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    path = scope["raw_path"].decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    return Request(scope["method"], path, query, headers, body, at=datetime.now(UTC))


async def _read(scope: Message, receive: Receive) -> bytes:
    """The body; a 413 as soon as it is, or says it is, too large."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if length.isdigit() and int(length[:19]) > MOST_BYTES:
        raise _too_large()
    parts: list[bytes] = []
    total, more = 0, True
    while more:
        message = await _next(receive)
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        parts.append(message.get("body", b""))
        total, more = total + len(parts[-1]), message.get("more_body", False)
        if total > MOST_BYTES:
            raise _too_large()
    return b"".join(parts)


async def _next(receive: Receive) -> Message:
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await receive()
    except TimeoutError:
        close = {"connection": "close"}
        raise Refused(408, "the body did not come in time", headers=close) from None


def _too_large() -> Refused:
    return Refused(413, TOO_LARGE, headers={"connection": "close"})


async def _send(send: Send, reply: Reply) -> None:
    length = {} if reply.status == _NO_CONTENT else {"content-length": str(len(reply.body))}
    await _start(send, reply.status, {**reply.headers, **length})
    await send({"type": "http.response.body", "body": reply.body})


async def _start(send: Send, status: int, headers: dict[str, str]) -> None:
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


_NO_CONTENT = 204
