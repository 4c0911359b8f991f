"""One connection to the receiver: the head of a request comes soon and small, or it is cut off."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 5.0
"""Seconds for everything before the body, of which a sender may not have begun."""

HEAD_BYTES = 64 * 1024
"""Bytes of it; uvicorn would collect headers without end."""


class Connection(HttpToolsProtocol):
    """uvicorn's own connection, with bounds that it leaves to a proxy."""

    _seen = 0
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEAD_SECONDS, transport.abort)

    def on_message_begin(self) -> None:
        """Begin to wait for the rest of a head."""
        super().on_message_begin()
        self._seen = 0
        self._wait_no_more()
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        """Go on reading, unless the head has become too large."""
        super().data_received(data)
        self._seen += len(data)
        if self._deadline is not None and self._seen > HEAD_BYTES:
            self.transport.abort()

    def on_headers_complete(self) -> None:
        """The head is here; the body has a deadline of its own."""
        self._wait_no_more()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def _wait_no_more(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
