"""The simulator as an ASGI application, with limits on what it reads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from http import HTTPMethod, HTTPStatus
from typing import TYPE_CHECKING, Any

from .. import loopback
from ..journal.record import SENT_PART, Ending
from ..runtime import in_executor, in_thread
from ..serving import HTTPConnection, Message, Receive, Send
from ..spec.service.service import Service
from .messages import (
    BODY_BYTES_MAX,
    NO_CONTENT,
    PRODUCT,
    TOO_LARGE,
    RefusedError,
    Reply,
    Request,
    cut_of,
)
from .refusals import refusal_reply
from .routing import CONTROL, find_operation

if TYPE_CHECKING:
    from concurrent.futures import Executor

_FIRST_LINE = re.compile(rb"([!-~]+) (/[!-~]*) HTTP/1\.[01]\r?\n")


class Protocol(HTTPConnection):
    """A connection; an unknown method is answered 404 or 405, not 400."""

    _last_data = b""

    def data_received(self, data: bytes) -> None:
        """Receive bytes, and store them in case they are not HTTP."""
        self._last_data = data
        super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Refuse an unreadable request and close the connection."""
        app: Any = self.config.app
        reply = unreadable_request_reply(self._last_data, msg, app.service)
        headers = {
            **reply.headers,
            "content-length": str(len(reply.body)),
            "connection": "close",
        }
        header_lines = [f"HTTP/1.1 {reply.status} {HTTPStatus(reply.status).phrase}"]
        header_lines += [f"{name}: {value}" for name, value in headers.items()]
        header_text = "\r\n".join([*header_lines, "", ""])
        self.transport.write(header_text.encode("latin-1") + reply.body)
        self.transport.close()


def unreadable_request_reply(data: bytes, text: str, service: Service) -> Reply:
    """The reply to bytes that are not a request: 400, or 404 or 405 for an unknown method."""
    match = _FIRST_LINE.match(data)
    if match is None:
        return Reply.json(400, {"error": text})
    method = match[1].decode()
    path = match[2].decode().partition("?")[0]
    try:
        if method not in HTTPMethod.__members__:
            find_operation(service, method, path)
    except RefusedError as refused:
        return refusal_reply(refused)
    return Reply.json(400, {"error": text})


LARGE_BODY_BYTES = 1024 * 1024
"""Size from which a body is processed in a thread, so that other connections are served."""

BODY_HEADERS = {b"content-length", b"transfer-encoding"}
"""One of them is in every request with a body."""

BODY_SECONDS = 60.0
"""Maximum seconds for a whole body."""

WAIT_STEP_SECONDS = 0.02
"""Seconds between the answers of a request that waits."""

PIECES_MAX = 20
"""Maximum pieces in which a slow reply is sent."""

BODIES_BYTES_MAX = 2 * BODY_BYTES_MAX
"""Maximum bytes of all bodies in memory; further ones are answered 503."""


class SimulatorApp:
    """A simulator as an ASGI application.

    `answer` turns a request into a reply; `abort` closes a client's connection. With an
    `executor`, which answers that take long need, it runs there. `product` is the Server header of
    answers that have none.
    """

    def __init__(  # noqa: PLR0913 - half of them have a default
        self,
        answer: Callable[[Request], Reply],
        abort: Callable[[Any], None],
        *,
        service: Service,
        allowed: Collection[str] = (),
        executor: Executor | None = None,
        product: str = PRODUCT,
    ) -> None:
        self.service = service
        self._product_headers = {"server": product}
        self._executor = executor
        self._respond = answer
        self._abort = abort
        self._allowed = allowed
        self._held_bytes = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = bytearray()
        ending = Ending()
        try:
            self._check_origin(scope)
            await self._read_body(scope, receive, body)
            reply = await self._answer_when_ready(_read_request(scope, bytes(body), ending))
        except RefusedError as refused:
            await self._send_reply(send, refusal_reply(refused), receive, ending)
            return
        except ConnectionError:
            return
        finally:
            self._held_bytes -= len(body)
        if reply.delay and await _wait_for_disconnect(receive, reply.delay):
            ending.hang_up()
        elif reply.cut:
            await self._send_cut(scope, receive, send, reply, ending)
        else:
            await self._send_reply(send, reply, receive, ending)

    async def _send_reply(self, send: Send, reply: Reply, receive: Receive, ending: Ending) -> None:
        headers = {**self._product_headers, **reply.headers}
        await _send_reply(send, reply.with_headers(headers), receive, ending)

    def _check_origin(self, scope: Message) -> None:
        refusal = loopback.host_refusal(scope["headers"], self._allowed)
        if refusal is not None:
            status, refusal_text = refusal
            raise RefusedError(status, refusal_text, headers=CLOSE_HEADERS)

    async def _read_body(self, scope: Message, receive: Receive, body: bytearray) -> None:
        """Read the body. Refuse it if it is too large or slow, or if all bodies are too large."""
        headers = dict(scope["headers"])
        has_more = True
        if not headers.keys() & BODY_HEADERS:  # an empty body is there, and needs no time limit
            has_more = self._add_part(await receive(), body)
        length_header = headers.get(b"content-length", b"0")
        if length_header.isdigit() and int(length_header[:19]) > BODY_BYTES_MAX:
            raise RefusedError(413, TOO_LARGE, headers=CLOSE_HEADERS)
        if not has_more:
            return
        try:
            async with asyncio.timeout(BODY_SECONDS):
                while has_more:
                    has_more = self._add_part(await receive(), body)
        except TimeoutError:
            refusal_text = "the body did not arrive in time"
            raise RefusedError(408, refusal_text, headers=CLOSE_HEADERS) from None

    def _add_part(self, message: Message, body: bytearray) -> bool:
        """Add a part to the body. Return whether there are more parts."""
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        body_part = message.get("body", b"")
        if len(body) + len(body_part) > BODY_BYTES_MAX:
            raise RefusedError(413, TOO_LARGE, headers=CLOSE_HEADERS)
        if self._held_bytes + len(body_part) > BODIES_BYTES_MAX:
            refusal_text = "too many large bodies at once: try again"
            raise RefusedError(503, refusal_text, headers={**CLOSE_HEADERS, "retry-after": "1"})
        body += body_part
        self._held_bytes += len(body_part)
        return bool(message.get("more_body", False))

    async def _answer_when_ready(self, request: Request) -> Reply:
        """Answer a request. One that waits is answered again until it has a result."""
        reply = await self._answer_once(request)
        if not reply.wait:
            return reply
        loop = asyncio.get_running_loop()
        deadline = loop.time() + reply.wait
        # The request is verified now, and its nonce is used.
        verified_request = replace(request, is_trusted=True)
        while reply.wait and loop.time() < deadline:
            await asyncio.sleep(WAIT_STEP_SECONDS)
            reply = await self._answer_once(verified_request)
        return reply

    async def _answer_once(self, request: Request) -> Reply:
        """Answer a request. Only large and control requests take a thread, which is slower."""
        if self._executor is not None:
            return await in_executor(self._executor, self._respond, request)
        if len(request.body) > LARGE_BODY_BYTES or request.path.startswith(CONTROL):
            return await in_thread(self._respond, request)
        return self._respond(request)

    async def _send_cut(
        self, scope: Message, receive: Receive, send: Send, reply: Reply, ending: Ending
    ) -> None:
        """Send nothing or a part of a reply, and abort the connection, as its fault says."""
        sent_reply, bytes_kept = cut_of(reply)
        if reply.cut == "timeout" and await _wait_for_disconnect(receive, seconds=60):
            ending.hang_up()
        if reply.cut == "truncate":
            headers = {**reply.headers, "content-length": str(len(reply.body))}
            await _start_reply(send, reply.status, headers)
            sent_bytes = reply.body[:bytes_kept]
            await send({"type": "http.response.body", "body": sent_bytes, "more_body": True})
            await asyncio.sleep(0.05)  # let the part reach the client before the end
        if not ending.has_hung_up:
            ending.close(sent_reply, bytes_kept)
        self._abort(scope["client"])
        await asyncio.sleep(0)  # uvicorn must see the end, or it logs a missing response


def _read_request(scope: Message, body: bytes, ending: Ending) -> Request:
    """The request of an ASGI scope. Repeated headers are joined with commas."""
    headers: dict[str, str] = {}
    for name_bytes, value_bytes in scope["headers"]:
        header_name = name_bytes.decode("latin-1").lower()
        header_value = value_bytes.decode("latin-1").strip(" \t")
        headers[header_name] = (
            f"{headers[header_name]}, {header_value}" if header_name in headers else header_value
        )
    path = scope["raw_path"].decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    now = datetime.now(UTC)
    return Request(scope["method"], path, query, headers, body, at=now, ending=ending)


async def _wait_for_disconnect(receive: Receive, seconds: float) -> bool:
    """Wait for some seconds or until the client disconnects. Return whether it did."""
    with suppress(TimeoutError):
        await asyncio.wait_for(receive(), seconds)
        return True
    return False


async def _send_reply(send: Send, reply: Reply, receive: Receive, ending: Ending) -> None:
    """Send a reply. A slow one is sent in pieces over `reply.slow` seconds."""
    headers = dict(reply.headers)
    if reply.status != NO_CONTENT:
        headers["content-length"] = str(len(reply.body))
    await _start_reply(send, reply.status, headers)
    size = len(reply.body)
    if not (reply.slow and size):
        await send({"type": "http.response.body", "body": reply.body})
        ending.close()
        return
    disconnect = asyncio.ensure_future(receive())
    piece_count = min(PIECES_MAX, size)
    for index in range(piece_count):
        piece_start = index * size // piece_count
        piece_end = (index + 1) * size // piece_count
        piece = reply.body[piece_start:piece_end]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.wait({disconnect}, timeout=reply.slow / piece_count)
        if disconnect.done():
            ending.hang_up(SENT_PART, piece_end)
            return
    disconnect.cancel()
    await send({"type": "http.response.body", "body": b""})
    ending.close()


async def _start_reply(send: Send, status: int, headers: dict[str, str]) -> None:
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


CLOSE_HEADERS = {"connection": "close"}
