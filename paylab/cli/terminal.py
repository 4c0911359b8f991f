"""What commands print: text from elsewhere never reaches the terminal as controls."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from queue import Full, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

from ..spec.text import printable

if TYPE_CHECKING:
    from ..lab.lab import Lab

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


def open_lab(**options: Any) -> Lab:
    """The lab of a command; one line on stderr says which service it uses."""
    from ..lab.lab import connect

    lab = connect(**options)
    warn_user(f"paylab: {lab.place.notice}")
    return lab


def say(text: object) -> None:
    """Print lines to stdout; every character that a terminal could obey is escaped."""
    print(_safe(text), flush=True)


def warn_user(text: object) -> None:
    """Print lines to stderr, likewise escaped."""
    print(_safe(text), file=sys.stderr, flush=True)


def _safe(text: object) -> str:
    """Line ends stay: a value that may hold one is escaped by `printable` where it is put in."""
    return printable(str(text), keep="\n")
