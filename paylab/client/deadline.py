"""The deadline of a call, which every wait of its connection keeps."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpcore

TIMES = 4
"""All attempts of a call together may take so many times its timeout; pauses are not counted."""

SLOWEST = 50_000
"""Bytes a second at which an upload is still waited for."""

Cap = Callable[[float | None, type[httpcore.TimeoutException]], float | None]
"""Cuts a timeout to the time left; raises that error when none is left."""


class Deadline(threading.local):
    """The deadline of the current call, per thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Set a deadline in seconds; a nested call has its own."""
        before = self._at
        self._at = self._clock() + seconds
        try:
            yield
        finally:
            self._at = before

    def extend(self, seconds: float) -> None:
        """Extend the deadline by a pause."""
        self._at += seconds

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self._at <= self._clock()

    def cap(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float | None:
        """A timeout cut to the time left; an error when none is left."""
        left = self._at - self._clock()
        if left <= 0:
            raise error("the deadline of the whole call has passed")
        if left == math.inf:
            return timeout
        return left if timeout is None else min(timeout, left)


class BoundedStream(httpcore.NetworkStream):
    """A connection whose waits end at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, cap: Cap) -> None:
        self._stream, self._cap = stream, cap
        self.close = stream.close  # type: ignore[method-assign] # as they are
        self.get_extra_info = stream.get_extra_info  # type: ignore[method-assign]

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        left = self._cap(timeout, httpcore.ReadTimeout)
        try:
            return self._stream.read(max_bytes, left)
        except httpcore.ReadTimeout:
            self._cap(None, httpcore.ReadTimeout)  # the deadline ended it
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._stream.write(buffer, self._cap(timeout, httpcore.WriteTimeout))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        left = self._cap(timeout, httpcore.ConnectTimeout)
        stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return BoundedStream(stream, self._cap)


class BoundedBackend(httpcore.NetworkBackend):
    """Opens connections that keep a deadline."""

    def __init__(self, backend: httpcore.NetworkBackend, cap: Cap) -> None:
        self._backend, self._cap = backend, cap
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
        left = self._cap(timeout, httpcore.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, left, local_address, socket_options)
        return BoundedStream(stream, self._cap)
