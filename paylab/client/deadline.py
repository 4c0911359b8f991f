"""The deadline of a whole call: every wait on the network ends with it, however little arrives."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx

TIMES = 4
"""All attempts of a call together may take so many times its timeout; pauses are not counted."""

SLOWEST = 50_000
"""Bytes a second at which an upload is still waited for."""


class Deadline(threading.local):
    """When the call that this thread makes must have ended; each thread has its own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """End whatever is waited for after so many seconds; a call inside has its own deadline."""
        before = self._at
        self._at = self._clock() + seconds
        try:
            yield
        finally:
            self._at = before

    def extend(self, seconds: float) -> None:
        """Do not count a pause."""
        self._at += seconds

    def left(self) -> float:
        """Seconds until then; not above 0 when it has passed."""
        return self._at - self._clock()

    def cap(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float | None:
        """A timeout cut to what is left; the error when nothing is."""
        left = self.left()
        if left <= 0:
            raise error("the deadline of the whole call has passed")
        if left == math.inf:
            return timeout
        return left if timeout is None else min(timeout, left)


class BoundedStream(httpcore.NetworkStream):
    """A connection on which nothing is waited for past the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        left = self._deadline.cap(timeout, httpcore.ReadTimeout)
        try:
            return self._stream.read(max_bytes, left)
        except httpcore.ReadTimeout:
            self._deadline.cap(None, httpcore.ReadTimeout)  # it was the deadline that ended it
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._stream.write(buffer, self._deadline.cap(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        left = self._deadline.cap(timeout, httpcore.ConnectTimeout)
        stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return BoundedStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """What is known of the connection."""
        return self._stream.get_extra_info(info)


class BoundedBackend(httpcore.NetworkBackend):
    """Makes connections that keep a deadline."""

    def __init__(self, backend: httpcore.NetworkBackend, deadline: Deadline) -> None:
        self._backend, self._deadline = backend, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to a host."""
        left = self._deadline.cap(timeout, httpcore.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, left, local_address, socket_options)
        return BoundedStream(stream, self._deadline)

    def sleep(self, seconds: float) -> None:
        """Pause between attempts to connect."""
        self._backend.sleep(seconds)


def bound(http: httpx.Client, deadline: Deadline) -> None:
    """Make the connections of a client keep a deadline; a transport without any needs none."""
    # httpx has no argument for the network backend of the pools that it makes.
    for transport in (http._transport, *http._mounts.values()):
        pool = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = BoundedBackend(pool._network_backend, deadline)
