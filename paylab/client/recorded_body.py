"""Bodies as a recording keeps them: of any length, without secrets, documents and images."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..redaction.redaction import Redaction

PIECE = 2**17
"""Characters redacted at a time: the redaction truncates much longer texts."""

ROW_END = re.compile(r"(?<=\}),(?=\s*\{)")
LONG_DATA = re.compile(
    r"(?:[A-Za-z0-9+/_=-]|\\{1,8}(?:[nr/]|u00[0-9a-fA-F]{2})|%[0-9a-fA-F]{2}|[\r\n]){1000,}"
)
"""Base64 or hexadecimal data that is too long for an id, a cursor or a QR text."""


def clean_body(content: bytes, redaction: Redaction) -> str:
    """A redacted body of any length; for one that is not text, its size."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return f"<{len(content)} bytes>"
    pieces = [redaction.learn(piece) for piece in _pieces(text)]
    if len(pieces) > 1:  # also hides what was learned from later pieces
        pieces = [redaction.text(piece) for piece in pieces]
    return LONG_DATA.sub(lambda found: f"<{len(found[0])} characters>", ",".join(pieces))


def _pieces(text: str) -> Iterator[str]:
    """A text, or a long list split between its objects."""
    if len(text) <= PIECE:
        yield text
        return
    rows: list[str] = []
    size = 0
    for row in ROW_END.split(text):
        if rows and size + len(row) > PIECE:
            yield ",".join(rows)
            rows, size = [], 0
        rows.append(row)
        size += len(row)
    yield ",".join(rows)
