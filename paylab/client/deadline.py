"""The deadline of a call. Every wait of the call's connection ends at the deadline."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ATTEMPTS_TIMEOUT_FACTOR = 4
"""All attempts of a call together may take this many times its timeout, pauses not counted."""

UPLOAD_BYTES_PER_SECOND_MIN = 50_000
"""Bytes a second at which an upload is still waited for."""

Cap = Callable[[float | None, type[Exception]], float | None]
"""A function of a timeout and an error class: the timeout, cut to the time that is left.

It raises the error when no time is left.
"""


class Deadline(threading.local):
    """The deadline of the current call, per thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without a deadline; `clock` gives seconds."""
        self._clock = clock
        self._at = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Set a deadline in seconds; a nested call has its own."""
        outer_deadline = self._at
        self._at = self._clock() + seconds
        try:
            yield
        finally:
            self._at = outer_deadline

    def extend(self, seconds: float) -> None:
        """Extend the deadline by a pause."""
        self._at += seconds

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self._at <= self._clock()

    def cap(self, timeout: float | None, error: type[Exception]) -> float | None:
        """The timeout in seconds, or the seconds to the deadline if these are fewer.

        None waits without a limit. Raises `error` when no time is left.
        """
        seconds_left = self._at - self._clock()
        if seconds_left <= 0:
            raise error("the deadline of the whole call has passed")
        if seconds_left == math.inf:
            return timeout
        return seconds_left if timeout is None else min(timeout, seconds_left)
