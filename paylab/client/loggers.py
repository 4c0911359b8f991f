"""What httpx and httpcore log of our requests: without what must not be shown."""

from __future__ import annotations

import logging
from weakref import WeakSet

from ..redaction import Redaction

NAMES = ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy")))


class Cleaning(logging.Filter):
    """Cleans every record by every redaction that is still in use; it drops none."""

    def __init__(self) -> None:
        super().__init__()
        self.redactions: WeakSet[Redaction] = WeakSet()

    def filter(self, record: logging.LogRecord) -> bool:
        """Put the cleaned text in the record's place where something was taken out."""
        said = clean = record.getMessage()
        for redaction in tuple(self.redactions):
            clean = redaction.text(clean)
        if clean != said:
            record.msg, record.args = clean, ()
        return True


_CLEANING = Cleaning()
"""Loggers belong to the whole process, and so does what cleans them."""


def clean_loggers(redaction: Redaction) -> None:
    """Let other libraries' log lines go through this redaction, as long as it lives."""
    _CLEANING.redactions.add(redaction)
    for name in NAMES:
        logging.getLogger(name).addFilter(_CLEANING)
