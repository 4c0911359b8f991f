"""The simulator as an ASGI application, with limits on what it reads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http import HTTPMethod, HTTPStatus
from typing import TYPE_CHECKING, Any

from .. import loopback
from ..journal.record import SENT_PART, Ending
from ..runtime import in_executor, in_thread
from ..serving import HEADERS_SECONDS, HTTPConnection, Message, Receive, Send
from ..spec.service.service import Service
from .messages import (
    BODY_BYTES_MAX,
    NO_CONTENT,
    PRODUCT,
    BodyTooLargeError,
    RefusedError,
    Reply,
    Request,
    plan_cut,
    split_body,
)
from .refusals import refusal_reply
from .routing import CONTROL, make_method_refusal

if TYPE_CHECKING:
    from concurrent.futures import Executor

_FIRST_LINE = re.compile(rb"([!-~]+) (/[!-~]*) HTTP/1\.[01]\r?\n")


class Protocol(HTTPConnection):
    """A connection; an unknown method is answered 404 or 405, not 400."""

    _last_data = b""

    def data_received(self, received_bytes: bytes) -> None:
        """Receive bytes, and store them in case they are not HTTP."""
        self._last_data = received_bytes
        super().data_received(received_bytes)

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
        header_lines += [
            f"{header_name}: {header_value}" for header_name, header_value in headers.items()
        ]
        header_text = "\r\n".join([*header_lines, "", ""])
        self.transport.write(header_text.encode("latin-1") + reply.body)
        self.transport.close()


def unreadable_request_reply(received_bytes: bytes, refusal_text: str, service: Service) -> Reply:
    """The reply to bytes that are not a request: 400, or 404 or 405 for an unknown method."""
    line_match = _FIRST_LINE.match(received_bytes)
    if line_match is None:
        return Reply.json(400, {"error": refusal_text})
    method = line_match[1].decode()
    path = line_match[2].decode().partition("?")[0]
    if method in HTTPMethod.__members__:
        return Reply.json(400, {"error": refusal_text})
    return refusal_reply(make_method_refusal(service, path))


LARGE_BODY_BYTES = 1024 * 1024
"""Size from which a body is processed in a thread, so that other connections are served."""

BODY_HEADERS = {b"content-length", b"transfer-encoding"}
"""One of them is in every request with a body."""

WAIT_STEP_SECONDS = 0.02
"""Seconds between the answers of a request that waits."""


@dataclass(frozen=True)
class ServerLimits:
    """The limits of a server. A client that exceeds one is refused, or cut off."""

    headers_seconds: float = HEADERS_SECONDS
    """The seconds for the request line and headers; then the connection is closed."""

    body_seconds: float = 60.0
    """The seconds for a whole body; then the answer is 408."""

    body_size_max: int = BODY_BYTES_MAX
    """The bytes of one body; a larger one is answered 413."""

    bodies_size_max: int = 2 * BODY_BYTES_MAX
    """The bytes of all bodies in memory; further ones are answered 503."""

    worlds: int = 1_000
    """The worlds behind one port; a further one is answered 429."""


SERVER_LIMITS = ServerLimits()
"""The limits of a server that is given no others."""


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
        limits: ServerLimits = SERVER_LIMITS,
    ) -> None:
        """Serve one service; `allowed` are the names of hosts that requests may be sent to."""
        self.service = service
        self._limits = limits
        self._product_headers = {"server": product}
        self._executor = executor
        self._respond = answer
        self._abort = abort
        self._allowed = allowed
        self._held_bytes = 0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it; a fault can delay the reply or cut it off."""
        body = bytearray()
        ending = Ending()
        try:
            self._check_origin(scope)
            await self._read_body(scope, receive, body)
            reply = await self._answer_when_ready(_read_request(scope, bytes(body), ending))
        except RefusedError as refused:
            await self._send_with_server_header(send, refusal_reply(refused), receive, ending)
            return
        except ConnectionError:
            return
        finally:
            self._held_bytes -= len(body)
        if reply.delay_seconds and await _wait_for_disconnect(receive, reply.delay_seconds):
            ending.hang_up()
        elif reply.cut:
            await self._send_cut(scope, receive, send, reply, ending)
        else:
            await self._send_with_server_header(send, reply, receive, ending)

    async def _send_with_server_header(
        self, send: Send, reply: Reply, receive: Receive, ending: Ending
    ) -> None:
        """Send a reply with the Server header, unless it has one."""
        headers = {**self._product_headers, **reply.headers}
        await _send_reply(send, reply, headers, receive, ending)

    def _check_origin(self, scope: Message) -> None:
        """Refuse a request from a page of another site, or for another host."""
        status_and_text = loopback.host_refusal(scope["headers"], self._allowed)
        if status_and_text is not None:
            status, refusal_text = status_and_text
            raise RefusedError(status, refusal_text, headers=CLOSE_HEADERS)

    async def _read_body(self, scope: Message, receive: Receive, body: bytearray) -> None:
        """Read the body. Refuse it if it is too large or slow, or if all bodies are too large."""
        headers = dict(scope["headers"])
        has_more_parts = True
        if not headers.keys() & BODY_HEADERS:
            # Without a body its only, empty part is there already: no time limit is needed.
            has_more_parts = self._add_part(await receive(), body)
        length_header = headers.get(b"content-length", b"0")
        # 19 digits are enough to see that it is too large; more would only cost time to read.
        if length_header.isdigit() and int(length_header[:19]) > self._limits.body_size_max:
            raise BodyTooLargeError(self._limits.body_size_max, CLOSE_HEADERS)
        if not has_more_parts:
            return
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while has_more_parts:
                    has_more_parts = self._add_part(await receive(), body)
        except TimeoutError:
            refusal_text = "the body did not arrive in time"
            raise RefusedError(408, refusal_text, headers=CLOSE_HEADERS) from None

    def _add_part(self, message: Message, body: bytearray) -> bool:
        """Add a part to the body. Return whether there are more parts.

        ConnectionResetError if the client has disconnected.
        """
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        body_part = message.get("body", b"")
        if len(body) + len(body_part) > self._limits.body_size_max:
            raise BodyTooLargeError(self._limits.body_size_max, CLOSE_HEADERS)
        if self._held_bytes + len(body_part) > self._limits.bodies_size_max:
            refusal_text = "too many large bodies at once: try again"
            raise RefusedError(503, refusal_text, headers={**CLOSE_HEADERS, "retry-after": "1"})
        body += body_part
        self._held_bytes += len(body_part)
        return bool(message.get("more_body", False))

    async def _answer_when_ready(self, request: Request) -> Reply:
        """Answer a request. One that waits is answered again until it has a result."""
        reply = await self._answer_once(request)
        if not reply.wait_seconds:
            return reply
        loop = asyncio.get_running_loop()
        deadline = loop.time() + reply.wait_seconds
        # The request is verified now, and its nonce is used.
        verified_request = replace(request, is_trusted=True)
        while reply.wait_seconds and loop.time() < deadline:
            await asyncio.sleep(WAIT_STEP_SECONDS)
            reply = await self._answer_once(verified_request)
        return reply

    async def _answer_once(self, request: Request) -> Reply:
        """Answer a request. Large requests and controls are answered in a thread."""
        if self._executor is not None:
            return await in_executor(self._executor, self._respond, request)
        if len(request.body) > LARGE_BODY_BYTES or request.path.startswith(CONTROL):
            return await in_thread(self._respond, request)
        return self._respond(request)

    async def _send_cut(
        self, scope: Message, receive: Receive, send: Send, reply: Reply, ending: Ending
    ) -> None:
        """Send nothing or a part of a reply, and abort the connection: `reply.cut` says how.

        For "timeout" it first waits until the client gives up, at most 60 seconds.
        """
        sent_extent, sent_byte_count = plan_cut(reply)
        if reply.cut == "timeout" and await _wait_for_disconnect(receive, seconds=60):
            ending.hang_up()
        if reply.cut == "truncate":
            headers = {**reply.headers, "content-length": str(len(reply.body))}
            await _start_reply(send, reply.status, headers)
            sent_part = reply.body[:sent_byte_count]
            await send({"type": "http.response.body", "body": sent_part, "more_body": True})
            await asyncio.sleep(0.05)  # let the part reach the client before the end
        if not ending.has_hung_up:
            ending.close(sent_extent, sent_byte_count)
        self._abort(scope["client"])
        await asyncio.sleep(0)  # uvicorn must see the end, or it logs a missing response


def _read_request(scope: Message, body: bytes, ending: Ending) -> Request:
    """The request of an ASGI scope. Repeated headers are joined with commas.

    `ending` will record how its connection ended.
    """
    headers: dict[str, str] = {}
    for name_bytes, value_bytes in scope["headers"]:
        header_name = name_bytes.decode("latin-1").lower()
        header_value = value_bytes.decode("latin-1").strip(" \t")
        if header_name in headers:
            headers[header_name] += f", {header_value}"
        else:
            headers[header_name] = header_value
    path = scope["raw_path"].decode("latin-1")
    query_text = scope["query_string"].decode("latin-1")
    now = datetime.now(UTC)
    return Request(scope["method"], path, query_text, headers, body, at=now, ending=ending)


async def _wait_for_disconnect(receive: Receive, seconds: float) -> bool:
    """Wait for some seconds or until the client disconnects. Return whether it did."""
    with suppress(TimeoutError):
        await asyncio.wait_for(receive(), seconds)
        return True
    return False


async def _send_reply(
    send: Send, reply: Reply, headers: dict[str, str], receive: Receive, ending: Ending
) -> None:
    """Send a reply with these headers. A slow one is sent in pieces over `body_seconds`."""
    if reply.status != NO_CONTENT:
        headers["content-length"] = str(len(reply.body))
    await _start_reply(send, reply.status, headers)
    if reply.body_seconds and reply.body:
        await _send_slowly(send, reply, receive, ending)
    else:
        await send({"type": "http.response.body", "body": reply.body})
        ending.close()


async def _send_slowly(send: Send, reply: Reply, receive: Receive, ending: Ending) -> None:
    """Send a body in pieces over `reply.body_seconds`, or until the client disconnects."""
    disconnect_task = asyncio.ensure_future(receive())
    pieces = split_body(reply)
    sent_byte_count = 0
    for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        sent_byte_count += len(piece)
        await asyncio.wait({disconnect_task}, timeout=reply.body_seconds / len(pieces))
        if disconnect_task.done():
            ending.hang_up(SENT_PART, sent_byte_count)
            return
    disconnect_task.cancel()
    await send({"type": "http.response.body", "body": b""})
    ending.close()


async def _start_reply(send: Send, status: int, headers: dict[str, str]) -> None:
    """Send the status and the headers."""
    header_pairs = [
        (header_name.encode(), header_value.encode("latin-1"))
        for header_name, header_value in headers.items()
    ]
    await send({"type": "http.response.start", "status": status, "headers": header_pairs})


CLOSE_HEADERS = {"connection": "close"}
