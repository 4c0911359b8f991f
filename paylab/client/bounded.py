"""Connections whose waits end at a deadline."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpcore

from .deadline import Cap


class BoundedStream(httpcore.NetworkStream):
    """A connection whose waits end at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, cap: Cap) -> None:
        """Bound the waits of `stream`: `cap` shortens a timeout to the seconds that are left."""
        self._stream = stream
        self._cap = cap
        # These two do not wait for the other side, so they need no cap.
        self.close = stream.close  # type: ignore[method-assign]
        self.get_extra_info = stream.get_extra_info  # type: ignore[method-assign]

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes; ReadTimeout at the deadline, or after `timeout` seconds."""
        timeout_seconds = self._cap(timeout, httpcore.ReadTimeout)
        try:
            return self._stream.read(max_bytes, timeout_seconds)
        except httpcore.ReadTimeout:
            self._cap(None, httpcore.ReadTimeout)  # raises if the deadline ended the wait
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._stream.write(buffer, self._cap(timeout, httpcore.WriteTimeout))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        timeout_seconds = self._cap(timeout, httpcore.ConnectTimeout)
        stream = self._stream.start_tls(ssl_context, server_hostname, timeout_seconds)
        return BoundedStream(stream, self._cap)


class BoundedBackend(httpcore.NetworkBackend):
    """Opens connections that keep a deadline."""

    def __init__(self, backend: httpcore.NetworkBackend, cap: Cap) -> None:
        """Bound the waits of `backend`: `cap` shortens a timeout to the seconds that are left."""
        self._backend = backend
        self._cap = cap
        # httpcore sleeps only between its own retries, and none are set: it needs no cap.
        self.sleep = backend.sleep  # type: ignore[method-assign]

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to a host."""
        timeout_seconds = self._cap(timeout, httpcore.ConnectTimeout)
        stream = self._backend.connect_tcp(
            host, port, timeout_seconds, local_address, socket_options
        )
        return BoundedStream(stream, self._cap)
