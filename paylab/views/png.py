"""Black and white pictures as PNG, made with the standard library.

QR codes need nothing else, so that they can be drawn without an imaging library.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_ONE_BIT_GREY = (1, 0, 0, 0, 0)
"""One bit per pixel, greyscale; compression, filter and interlace method 0."""


def png(
    rows: Sequence[Sequence[bool]],
    scale: int,
    size: int,
    *,
    compress: bool = True,
    comment: bytes = b"",
) -> bytes:
    """A square picture of rows of points, of which True is black.

    Each point is `scale` pixels a side; a white margin fills up to `size`. The comment is stored
    as text. Without compression the bytes do not depend on the zlib build.
    """
    drawn = scale * len(rows)
    side = max(size, drawn)
    before = (side - drawn) // 2
    inner = (
        ("1" * before + "".join(("0" if dark else "1") * scale for dark in row)).ljust(side, "1")
        for row in rows
    )
    white = [_scanline("1" * side)]
    lines = [_scanline(line) for line in inner for _ in range(scale)]
    lines = [*white * before, *lines, *white * (side - drawn - before)]
    packed = zlib.compress(b"".join(lines), 6 if compress else 0)
    text = _chunk(b"tEXt", b"Comment\0" + comment) if comment else b""
    head = _chunk(b"IHDR", struct.pack(">2I5B", side, side, *_ONE_BIT_GREY))
    return _SIGNATURE + head + text + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _scanline(row: str) -> bytes:
    """A row of pixels, eight per byte, after its filter: 0, none."""
    count = -(-len(row) // 8)
    return b"\0" + int(row.ljust(8 * count, "0"), 2).to_bytes(count)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check
