"""HTTP as uvicorn speaks it, except that what is no request of HTTP gets a JSON answer too."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from . import routes
from .exchange import Refused, Reply

_FIRST_LINE = re.compile(rb"([!-~]+) (/[!-~]*) HTTP/1\.[01]\r?\n")


HEAD_SECONDS = 10.0
"""Seconds for everything before a body, of which a client may not have begun."""

HEAD_BYTES = 64 * 1024
"""Bytes of it; uvicorn would collect headers without end."""


class Protocol(HttpToolsProtocol):
    """One connection; a method the parser has never heard of is a 404 or a 405, not a 400."""

    _latest = b""
    _seen = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._wait(transport)

    def data_received(self, data: bytes) -> None:
        """Take bytes in, and remember them in case they are no HTTP."""
        self._latest = data
        super().data_received(data)
        self._seen += len(data)
        if self._deadline is not None and self._seen > HEAD_BYTES:
            self.transport.abort()

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        super().on_message_begin()
        self._wait(self.transport)

    def on_headers_complete(self) -> None:
        """The head is here; the body has a deadline of its own."""
        self._wait_no_more()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait(self, transport: Any) -> None:
        self._wait_no_more()
        self._seen, self._deadline = 0, self.loop.call_later(HEAD_SECONDS, transport.abort)

    def _wait_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def send_400_response(self, msg: str) -> None:
        """Refuse what could not be read, and hang up."""
        reply = refusal(self._latest, msg)
        length = {"content-length": str(len(reply.body)), "connection": "close"}
        lines = [f"{name}: {value}" for name, value in {**reply.headers, **length}.items()]
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        self.transport.write(STATUS_LINE[reply.status] + head + reply.body)
        self.transport.close()


def refusal(data: bytes, text: str) -> Reply:
    """The answer to bytes that are no request: for a strange method, what its path would take."""
    match = _FIRST_LINE.match(data)
    try:
        if match and _is_strange(match[1]):
            routes.find(match[1].decode(), match[2].decode().partition("?")[0])
    except Refused as refused:
        return refused.reply()
    return Reply.json(400, {"error": text})


def _is_strange(method: bytes) -> bool:
    """Whether the parser knows no such method."""
    try:
        httptools.HttpRequestParser(object()).feed_data(method + b" / HTTP/1.1\r\n\r\n")
    except httptools.HttpParserInvalidMethodError:
        return True
    except httptools.HttpParserError:
        return False
    return False
