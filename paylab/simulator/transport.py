"""Requests of httpx, answered by a simulator in this process."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

from ..journal.record import Ending
from .messages import Reply, Request, plan_cut

_FAILURES = {
    "refuse": (httpx.ConnectError, "connection refused"),
    "timeout": (httpx.ReadTimeout, "timed out"),
    "drop_after": (httpx.ReadError, "connection reset"),
    "truncate": (httpx.RemoteProtocolError, "the connection was closed within the body"),
}


class SimulatorTransport(httpx.BaseTransport):
    """Answers httpx requests by the `respond` of a simulator, whose clock judges their dates.

    Trusted requests prepare the state: no fault changes them, and the journal does not have them.
    """

    def __init__(self, respond: Callable[[Request], Reply], *, is_trusted: bool = False) -> None:
        """Answer by `respond`; `is_trusted` is whether its requests are trusted."""
        self._respond = respond
        self._is_trusted = is_trusted

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer an httpx request, or raise the failure of a fault."""
        target_bytes: bytes = request.extensions.get("target", request.url.raw_path)
        path, _, query_text = target_bytes.decode("latin-1").partition("?")
        headers = {
            name_bytes.decode("latin-1").lower(): value_bytes.decode("latin-1")
            for name_bytes, value_bytes in request.headers.raw
        }
        request_ending = Ending()
        simulator_request = Request(
            method=request.method,
            path=path,
            query=query_text,
            headers=headers,
            body=request.read(),
            is_trusted=self._is_trusted,
            ending=request_ending,
        )
        reply = self._respond(simulator_request)
        _wait_for_reply(request, reply, request_ending)
        if reply.cut:
            sent_extent, sent_byte_count = plan_cut(reply)
            if reply.cut == "timeout":
                request_ending.hang_up(sent_extent, sent_byte_count)
            else:
                request_ending.close(sent_extent, sent_byte_count)
            error_class, message = _FAILURES[reply.cut]
            raise error_class(message, request=request)
        request_ending.close()
        return httpx.Response(reply.status, headers=dict(reply.headers), content=reply.body)


def _wait_for_reply(request: httpx.Request, reply: Reply, ending: Ending) -> None:
    """Wait as long as a fault delays the reply. ReadTimeout if the client does not wait so long."""
    timeout_seconds = request.extensions.get("timeout", {}).get("read")
    if reply.delay and timeout_seconds is not None and reply.delay >= timeout_seconds:
        ending.hang_up()
        raise httpx.ReadTimeout("timed out", request=request)
    if reply.delay or reply.slow:
        time.sleep(reply.delay + reply.slow)
