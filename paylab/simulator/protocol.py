"""HTTP as uvicorn speaks it, except that what is no request of HTTP gets a JSON answer too."""

from __future__ import annotations

import re

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from . import routes
from .exchange import Refused, Reply

_FIRST_LINE = re.compile(rb"([!-~]+) (/[!-~]*) HTTP/1\.[01]\r?\n")


class Protocol(HttpToolsProtocol):
    """One connection; a method the parser has never heard of is a 404 or a 405, not a 400."""

    _latest = b""

    def data_received(self, data: bytes) -> None:
        """Take bytes in, and remember them in case they are no HTTP."""
        self._latest = data
        super().data_received(data)

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
