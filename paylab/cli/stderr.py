"""Log records on stderr, for a command whose stderr nobody may be reading."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from queue import Full, Queue
from threading import Thread

MOST_WAITING = 1_000
"""Records that wait to be written; later ones are dropped."""

FORMAT = "%(levelname)s %(name)s: %(message)s"


class Unblocked(logging.Handler):
    """Writes records from a thread of its own, so that a full pipe holds up nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter(FORMAT))
        self._waiting: Queue[bytes] = Queue(MOST_WAITING)
        Thread(target=self._write, name="paylab-stderr", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Let a record wait, or drop it where too many do."""
        with suppress(Full):
            self._waiting.put_nowait(f"{self.format(record)}\n".encode(errors="replace"))

    def _write(self) -> None:
        # Not through sys.stderr: a thread that holds its lock keeps the process from ending.
        while True:
            try:
                os.write(2, self._waiting.get())
            except OSError:
                return


def log_without_blocking() -> None:
    """Send what is logged anywhere in this process to stderr, without waiting for its reader."""
    logging.basicConfig(handlers=[Unblocked()], level=logging.WARNING)
