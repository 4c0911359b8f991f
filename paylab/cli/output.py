"""What commands print: names and values from elsewhere never reach the terminal as controls."""

from __future__ import annotations

import sys

from ..printable import printable


def say(text: object) -> None:
    """Print lines to stdout; every character that a terminal could obey is escaped."""
    print(_safe(text), flush=True)


def warn(text: object) -> None:
    """Print lines to stderr, likewise escaped."""
    print(_safe(text), file=sys.stderr, flush=True)


def _safe(text: object) -> str:
    """Line ends stay: a value that may hold one is escaped by `printable` where it is put in."""
    return printable(str(text), keep="\n")
