"""Log records as lines on stderr, written by a thread of their own."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from queue import Full, Queue

from ..runtime import start_thread

QUEUED_RECORDS_MAX = 1_000
"""Maximum records in the queue; further ones are dropped."""

FORMAT = "%(levelname)s %(name)s: %(message)s"


class QueueingHandler(logging.Handler):
    """Writes log records from its own thread, so that a full pipe blocks nothing else."""

    def __init__(self) -> None:
        """Start the thread that writes."""
        super().__init__()
        self.setFormatter(logging.Formatter(FORMAT))
        self._waiting: Queue[bytes] = Queue(QUEUED_RECORDS_MAX)
        start_thread(self._write, "paylab-stderr")

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a record, or drop it if the queue is full."""
        with suppress(Full):
            self._waiting.put_nowait(f"{self.format(record)}\n".encode(errors="replace"))

    def _write(self) -> None:
        """Write the queued records to stderr, as long as it can be written to."""
        # Not through sys.stderr: a thread that holds its lock keeps the process from ending.
        while True:
            try:
                os.write(2, self._waiting.get())
            except OSError:
                return


def log_without_blocking() -> None:
    """Log to stderr without waiting for its reader."""
    logging.basicConfig(handlers=[QueueingHandler()], level=logging.WARNING)
