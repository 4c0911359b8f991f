"""A HAR file that is written again while a proxy runs, so that a killed proxy leaves one."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import perf_counter

from ..logs import log
from ..runtime import start_thread

PAUSE_SECONDS = 0.5
"""Minimum pause between two writes."""

PAUSE_FACTOR = 10
"""How many times as long as a write its pause is, so that a long journal slows no request."""

WRITE_SECONDS_MAX = 60.0
"""How long the end of the writer waits for a write that is under way."""


class HarWriter:
    """A context manager that writes a file in a thread whenever requests were added.

    `write` replaces the file as a whole. `count_requests` grows with each request.
    """

    def __init__(self, write: Callable[[], object], count_requests: Callable[[], int]) -> None:
        self._write = write
        self._count_requests = count_requests
        self._written_count = 0
        self._stopped = Event()

    def __enter__(self) -> HarWriter:
        """Start to write in a thread."""
        self._thread = start_thread(self._run, "paylab-har")
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread. It does not write again: its user writes the file at the end."""
        self._stopped.set()
        self._thread.join(WRITE_SECONDS_MAX)

    def _run(self) -> None:
        """Write new requests until the end, with pauses that grow with the time of a write."""
        pause_seconds = PAUSE_SECONDS
        while not self._stopped.wait(pause_seconds):
            started_at = perf_counter()
            self._write_new_requests()
            write_seconds = perf_counter() - started_at
            pause_seconds = max(PAUSE_SECONDS, PAUSE_FACTOR * write_seconds)

    def _write_new_requests(self) -> None:
        """Write the file if requests were added since it was last written."""
        request_count = self._count_requests()
        if request_count == self._written_count:
            return
        try:
            self._write()
        except Exception as error:  # a later write may succeed
            log.warning("the HAR file cannot be written: %s", error)
            return
        self._written_count = request_count
