"""The loopback server of an inbox, with limits on what it reads."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection
from dataclasses import dataclass

from .. import loopback
from ..errors.base import ConfigError
from ..runtime import in_thread, listen
from ..serving import HEADERS_SECONDS, Message, Receive, Send, ServingThread
from .receiver import BODY_BYTES_MAX, DeliveryAnswer, Receiver

HOST = "127.0.0.1"
CLOSE_HEADERS = {"connection": "close"}


@dataclass(frozen=True)
class PortLimits:
    """The seconds that a sender has for the headers and for the body of a delivery."""

    headers_seconds: float = HEADERS_SECONDS
    body_seconds: float = 10.0


PORT_LIMITS = PortLimits()
"""The limits of a port that is given no others."""


class Port:
    """A loopback server and its ASGI application: a receiver behind an unpredictable path.

    The path cannot be guessed, because events may be unsigned.
    """

    def __init__(
        self,
        receiver: Receiver,
        port: int = 0,
        allowed_hosts: Collection[str] = (),
        limits: PortLimits = PORT_LIMITS,
    ) -> None:
        """Open the socket; port 0 is any free port."""
        self._socket = listen(HOST, port)
        self.number: int = self._socket.getsockname()[1]
        self.path = f"/events/{secrets.token_urlsafe(12)}"
        self._receiver = receiver
        self._allowed_hosts = allowed_hosts
        self._limits = limits
        self._serving = ServingThread(
            self, self._socket, "paylab-inbox", headers_seconds=limits.headers_seconds
        )

    @property
    def url(self) -> str:
        """The URL that receives events."""
        return f"http://{HOST}:{self.number}{self.path}"

    def start(self) -> Port:
        """Start to listen; returns once connections are accepted."""
        try:
            self._serving.start()
        except TimeoutError:
            raise ConfigError(f"the inbox could not start on port {self.number}") from None
        return self

    def stop(self) -> None:
        """Stop listening."""
        self._serving.stop()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, as an ASGI application."""
        answer = await self._answer(scope, receive)
        await _send_answer(send, answer)

    async def _answer(self, scope: Message, receive: Receive) -> DeliveryAnswer:
        """Return the answer to a request; the receiver handles an event in another thread."""
        status_and_text = loopback.host_refusal(scope["headers"], self._allowed_hosts)
        if status_and_text:
            status, refusal_text = status_and_text
            return DeliveryAnswer(status, refusal_text, CLOSE_HEADERS)
        headers = {
            name_bytes.decode("latin-1"): value_bytes.decode("latin-1")
            for name_bytes, value_bytes in scope["headers"]
        }
        if scope["path"] != self.path:
            return DeliveryAnswer(404, "this path does not receive events")
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await _read_body(receive)
        except TimeoutError:
            return DeliveryAnswer(408, "the body did not arrive in time")
        if body is None:
            return DeliveryAnswer(400, "the body is incomplete")
        content_type = headers.get("content-type", "")
        return await in_thread(self._receiver.receive, scope["method"], content_type, body, headers)


async def _read_body(receive: Receive) -> bytes | None:
    """Read the body, and stop after the limit; None if the sender disconnected."""
    body_chunks: list[bytes] = []
    byte_count = 0
    while byte_count <= BODY_BYTES_MAX:
        asgi_message = await receive()
        if asgi_message["type"] == "http.disconnect":
            return None
        body_chunks.append(asgi_message.get("body", b""))
        byte_count += len(body_chunks[-1])
        if not asgi_message.get("more_body"):
            break
    return b"".join(body_chunks)


async def _send_answer(send: Send, answer: DeliveryAnswer) -> None:
    """Send the status, the headers and the text of an answer."""
    answer_body = answer.text.encode("ascii", "backslashreplace")
    length_text = str(len(answer_body))
    # Close the connection after the answer if the body was not read to its end.
    connection_headers = CLOSE_HEADERS if answer.status in (403, 404, 408, 413, 421) else {}
    headers = {
        "content-type": "text/plain",
        "content-length": length_text,
        **connection_headers,
        **answer.headers,
    }
    header_pairs = [
        (header_name.encode(), header_value.encode("latin-1"))
        for header_name, header_value in headers.items()
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": header_pairs})
    await send({"type": "http.response.body", "body": answer_body})
