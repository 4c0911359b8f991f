"""Requests of httpx, answered by a simulator in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from ..journal.record import SENT_NOTHING, SENT_PART, Ending
from .messages import Reply, Request, plan_cut, split_body

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

    def __init__(
        self,
        respond: Callable[[Request], Reply],
        *,
        is_trusted: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Answer by `respond`; `is_trusted` is whether its requests are trusted."""
        self._respond = respond
        self._is_trusted = is_trusted
        self._sleep = sleep

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
        self._wait_for_reply(request, reply, request_ending)
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

    def _wait_for_reply(self, request: httpx.Request, reply: Reply, ending: Ending) -> None:
        """Wait as long as a fault delays the reply. ReadTimeout where a client would time out."""
        with _hang_up_at_timeout(ending):
            self._wait_for_bytes(request, reply.delay_seconds)
        if not reply.body_seconds or reply.cut:
            return
        pieces = split_body(reply)
        sent_byte_count = 0
        for piece in pieces:
            sent_byte_count += len(piece)
            with _hang_up_at_timeout(ending, SENT_PART, sent_byte_count):
                self._wait_for_bytes(request, reply.body_seconds / len(pieces))

    def _wait_for_bytes(self, request: httpx.Request, seconds: float) -> None:
        """Wait for the next bytes of a reply.

        ReadTimeout at once if the client's timeout is shorter; or at the deadline of the call.
        """
        if not seconds:
            return
        timeout_seconds = request.extensions.get("timeout", {}).get("read")
        if timeout_seconds is not None and seconds >= timeout_seconds:
            raise httpx.ReadTimeout("timed out", request=request)
        cap = request.extensions.get(CAP, _keep_timeout)
        self._sleep(cap(seconds, httpx.ReadTimeout))
        cap(None, httpx.ReadTimeout)  # raises if the deadline ended the wait


CAP = "paylab.cap"
"""The extension of a request with the client's function that cuts a wait at the call's deadline."""


def _keep_timeout(timeout: float | None, _: type[Exception]) -> float | None:
    """The timeout of a request without a deadline."""
    return timeout


@contextmanager
def _hang_up_at_timeout(
    ending: Ending, sent: str = SENT_NOTHING, bytes_sent: int = 0
) -> Iterator[None]:
    """Record at a timeout that the client hung up after so much of the answer."""
    try:
        yield
    except httpx.ReadTimeout:
        ending.hang_up(sent, bytes_sent)
        raise
