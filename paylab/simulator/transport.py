"""The simulator inside this process: an httpx transport, no socket and no thread."""

from __future__ import annotations

import httpx

from .engine import Simulator
from .exchange import Request

BASE_URL = "http://localhost"
"""What an embedded simulator is called; nothing listens there."""


class SimulatorTransport(httpx.BaseTransport):
    """Answers httpx requests from a simulator; dates are judged by the simulator's clock."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Turn a request into a response, or into the failure that a fault asks for."""
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in request.headers.raw
        }
        reply = self._simulator.respond(
            Request(request.method, path, query, headers, request.read())
        )
        if reply.cut:
            raise _FAILURES[reply.cut](_WORDS[reply.cut], request=request)
        return httpx.Response(reply.status, headers=dict(reply.headers), content=reply.body)


_FAILURES = {
    "refuse": httpx.ConnectError,
    "timeout": httpx.ReadTimeout,
    "drop_after": httpx.ReadError,
    "truncate": httpx.RemoteProtocolError,
}
_WORDS = {
    "refuse": "connection refused",
    "timeout": "timed out",
    "drop_after": "connection reset",
    "truncate": "the connection was closed before the whole body was received",
}
