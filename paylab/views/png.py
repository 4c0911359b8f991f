"""Black and white pictures as PNG, made with the standard library.

QR codes need nothing else, so that they can be drawn without an imaging library.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_ONE_BIT_GREY = (1, 0, 0, 0, 0)
"""One bit per pixel, greyscale; compression, filter and interlace method 0."""


def enlarged(rows: Sequence[Sequence[bool]], scale: int, size: int) -> list[str]:
    """A square picture's rows of "1" (white) and "0" (black) pixels; True is black.

    Each point is `scale` pixels a side; a white margin fills up to `size`.
    """
    drawn = scale * len(rows)
    side = max(size, drawn)
    before = (side - drawn) // 2
    lines = ("".join(("0" if dark else "1") * scale for dark in row) for row in rows)
    inner = [("1" * before + line).ljust(side, "1") for line in lines for _ in range(scale)]
    white = ["1" * side]
    return [*white * before, *inner, *white * (side - drawn - before)]


def png(pixels: Iterable[str], *, compress: bool = True, comment: bytes = b"") -> bytes:
    """A picture from its rows of pixels; the comment is stored as text.

    Without compression its bytes do not depend on the zlib build.
    """
    lines = list(pixels)
    size = struct.pack(">2I5B", len(lines[0]), len(lines), *_ONE_BIT_GREY)
    packed = zlib.compress(b"".join(map(_scanline, lines)), 6 if compress else 0)
    text = _chunk(b"tEXt", b"Comment\0" + comment) if comment else b""
    parts = _chunk(b"IHDR", size), text, _chunk(b"IDAT", packed), _chunk(b"IEND", b"")
    return _SIGNATURE + b"".join(parts)


def _scanline(row: str) -> bytes:
    """A row of pixels, eight per byte, after its filter: 0, none."""
    count = -(-len(row) // 8)
    return b"\0" + int(row.ljust(8 * count, "0"), 2).to_bytes(count)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check
