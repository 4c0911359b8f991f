"""The logger of paylab: every line of it is escaped."""

from __future__ import annotations

import logging

from .errors.text import printable_lines


class PrintableRecords(logging.Filter):
    """A log filter that escapes the text and the traceback of every record, and drops none.

    A filter of a logger sees the records that are written to it, whatever handlers a program adds.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Escape the text and the traceback of a record in place; always True, to keep it."""
        message = record.getMessage()
        escaped_message = printable_lines(message)
        if escaped_message != message:
            record.msg = escaped_message
            record.args = ()
        if record.exc_info and not record.exc_text:
            # A formatter uses this text and does not format the traceback again.
            record.exc_text = printable_lines(_FORMATTER.formatException(record.exc_info))
        return True


_FORMATTER = logging.Formatter()
_PRINTABLE = PrintableRecords()
"""Loggers belong to the whole process, as do their filters."""


def escaping_logger(name: str) -> logging.Logger:
    """Get the logger of this name; its records are escaped from now on."""
    logger = logging.getLogger(name)
    logger.addFilter(_PRINTABLE)
    return logger


log = escaping_logger("paylab")
"""The logger of paylab, which adds no handler."""
