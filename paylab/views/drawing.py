"""QR codes as pictures: PNG, SVG and terminal text.

Every module is a whole number of pixels, and every picture includes the light border;
otherwise a phone may not find the code. PNGs are made with the standard library, so that codes
can be drawn without an imaging library.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from dataclasses import dataclass
from itertools import groupby, zip_longest

import qrcode
from qrcode.constants import ERROR_CORRECT_M
from qrcode.exceptions import DataOverflowError

from ..errors.base import PaylabError

QUIET_ZONE = 4  # modules, what the QR standard asks for
BLOCKS = {(True, True): " ", (True, False): "▄", (False, True): "▀", (False, False): "█"}
WHITE_ON_BLACK = "\x1b[97;40m"
RESET = "\x1b[0m"

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_ONE_BIT_GREY = (1, 0, 0, 0, 0)
"""One bit per pixel, greyscale; compression, filter and interlace method 0."""


@dataclass(frozen=True)
class Modules:
    """The modules of a QR code with its border; True is dark."""

    rows: tuple[tuple[bool, ...], ...]

    @property
    def width(self) -> int:
        """Number of modules on a side."""
        return len(self.rows)

    def scale(self, size: int) -> int:
        """Pixels per module in a picture of `size` pixels, at least one."""
        return max(1, size // self.width)

    def png(self, size: int, *, compress: bool = True, comment: bytes = b"") -> bytes:
        """A PNG, `size` pixels wide, or more if the modules need it.

        The comment is stored as text. Without compression the bytes do not depend on the zlib
        build.
        """
        scale = self.scale(size)
        drawn = scale * self.width
        side = max(size, drawn)
        border = (side - drawn) // 2
        points = ("".join(("0" if dark else "1") * scale for dark in row) for row in self.rows)
        inner = ("1" * border + line for line in points for _ in range(scale))
        white = [_scanline("1" * side)]
        lines = [_scanline(line.ljust(side, "1")) for line in inner]
        lines = [*white * border, *lines, *white * (side - drawn - border)]
        packed = zlib.compress(b"".join(lines), 6 if compress else 0)
        text = _chunk(b"tEXt", b"Comment\0" + comment) if comment else b""
        header = _chunk(b"IHDR", struct.pack(">2I5B", side, side, *_ONE_BIT_GREY))
        return _SIGNATURE + header + text + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")

    def img(self, size: int, alt: str) -> str:
        """The picture as HTML, with whole pixels per module, at most `size` pixels wide."""
        # Uncompressed, so that a notebook's output is the same with every build of zlib.
        side = self.scale(size) * self.width
        data = b64encode(self.png(side, compress=False)).decode()
        style = "display:block;background:#fff;max-width:100%;height:auto;image-rendering:pixelated"
        return (
            f'<img alt="{alt}" width="{side}" height="{side}" style="{style}" '
            f'src="data:image/png;base64,{data}">'
        )

    def svg(self, size: int) -> str:
        """An SVG with whole pixels per module, at most `size` pixels wide."""
        side = self.scale(size) * self.width
        strokes = "".join(_stroke(row, number) for number, row in enumerate(self.rows) if any(row))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" '
            f'viewBox="0 0 {self.width} {self.width}" shape-rendering="crispEdges" role="img">'
            "<title>QR code</title>"
            f'<rect width="{self.width}" height="{self.width}" fill="#fff"/>'
            f'<path stroke="#000" d="{strokes}"/></svg>'
        )

    def terminal(self, *, ansi: bool = False) -> str:
        """Half blocks for dark terminals: two rows per line, light modules in the text colour.

        With `ansi` the colours are set too, so that it can be scanned on any terminal.
        """
        start, end = (WHITE_ON_BLACK, RESET) if ansi else ("", "")
        nothing = (True,) * self.width  # below the border is the terminal's background
        pairs = zip_longest(self.rows[::2], self.rows[1::2], fillvalue=nothing)
        lines = ("".join(BLOCKS[pixels] for pixels in zip(*pair, strict=True)) for pair in pairs)
        return "\n".join(f"{start}{line}{end}" for line in lines)


def modules(text: str) -> Modules:
    """The QR code of a text, at error correction M."""
    if not text:
        raise PaylabError("there is no text to draw")
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=QUIET_ZONE)
    try:
        code.add_data(text.encode())
        code.make(fit=True)
    except UnicodeEncodeError:
        raise PaylabError("the text contains an unpaired surrogate") from None
    except (DataOverflowError, ValueError):
        raise PaylabError(f"{len(text)} characters are too many for one QR code") from None
    return Modules(tuple(tuple(map(bool, row)) for row in code.get_matrix()))


def _stroke(row: tuple[bool, ...], number: int) -> str:
    """One row as an SVG path: lines through the middle of its dark runs."""
    runs = [(dark, len(list(run))) for dark, run in groupby(row)]
    moves = "".join(f"h{length}" if dark else f"m{length},0" for dark, length in runs)
    return f"M0,{number}.5{moves}"


def _scanline(row: str) -> bytes:
    """A row of pixels, eight per byte, after its filter: 0, none."""
    count = -(-len(row) // 8)
    return b"\0" + int(row.ljust(8 * count, "0"), 2).to_bytes(count)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check
