"""QR codes as modules, and modules as PNG, SVG and terminal text.

A module is always a whole number of pixels, and the light border is part of every picture:
without either, a phone may not find the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import groupby, zip_longest

import qrcode
from PIL import Image
from qrcode.constants import ERROR_CORRECT_M
from qrcode.exceptions import DataOverflowError

from ..errors import PaylabError

QUIET_ZONE = 4  # modules, what the QR standard asks for
SMALLEST, LARGEST = 21 + 2 * QUIET_ZONE, 10_000
BLOCKS = {(True, True): " ", (True, False): "▄", (False, True): "▀", (False, False): "█"}
WHITE_ON_BLACK, RESET = "\x1b[97;40m", "\x1b[0m"


@dataclass(frozen=True)
class Modules:
    """The squares of a QR code, border included: True is dark."""

    rows: tuple[tuple[bool, ...], ...]

    @property
    def width(self) -> int:
        """Modules on a side."""
        return len(self.rows)

    def scale(self, size: int) -> int:
        """Pixels a module in a picture of `size` pixels, at least one."""
        return max(1, size // self.width)

    def image(self, size: int) -> Image.Image:
        """A black and white image of `size` pixels a side; more where the modules need it."""
        drawn = self.scale(size) * self.width
        side = max(size, drawn)
        canvas = Image.new("1", (side, side), 1)
        margin = (side - drawn) // 2
        canvas.paste(self._one_pixel_a_module.resize((drawn, drawn)), (margin, margin))
        return canvas

    def png(self, size: int, *, compress: bool = True) -> bytes:
        """The image as PNG; uncompressed, its bytes are the same wherever they are made."""
        out = BytesIO()
        self.image(size).save(out, "PNG", compress_level=9 if compress else 0)
        return out.getvalue()

    def svg(self, size: int) -> str:
        """An SVG with whole pixels a module, so of `size` pixels or a few less."""
        side = self.scale(size) * self.width
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" '
            f'viewBox="0 0 {self.width} {self.width}" shape-rendering="crispEdges" role="img">'
            "<title>QR code</title>"
            f'<rect width="{self.width}" height="{self.width}" fill="#fff"/>'
            f'<path stroke="#000" d="{self._strokes}"/></svg>'
        )

    def terminal(self, *, ansi: bool = False) -> str:
        """Half blocks, two rows a line, light drawn in the text's colour: for dark terminals.

        With `ansi` the colours are set too, which makes it scannable on any terminal.
        """
        start, end = (WHITE_ON_BLACK, RESET) if ansi else ("", "")
        return "\n".join(f"{start}{line}{end}" for line in map(_line, *self._row_pairs))

    @property
    def _row_pairs(self) -> tuple[list[tuple[bool, ...]], list[tuple[bool, ...]]]:
        nothing = (True,) * self.width  # below the border there is only the terminal
        pairs = list(zip_longest(self.rows[::2], self.rows[1::2], fillvalue=nothing))
        return [above for above, _ in pairs], [below for _, below in pairs]

    @cached_property
    def _one_pixel_a_module(self) -> Image.Image:
        image = Image.new("1", (self.width, self.width))
        image.putdata([not dark for row in self.rows for dark in row])
        return image

    @property
    def _strokes(self) -> str:
        return "".join(_stroke(row, number) for number, row in enumerate(self.rows) if any(row))


def modules(text: str) -> Modules:
    """The QR code of a text, at error correction M."""
    if not text:
        raise PaylabError("there is no text to draw")
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=QUIET_ZONE)
    try:
        code.add_data(text.encode())
        code.make(fit=True)
    except UnicodeEncodeError:
        raise PaylabError("half a character, which a QR code cannot hold") from None
    except (DataOverflowError, ValueError):
        raise PaylabError(f"{len(text)} characters are too many for one QR code") from None
    return Modules(tuple(tuple(map(bool, row)) for row in code.get_matrix()))


def _line(above: tuple[bool, ...], below: tuple[bool, ...]) -> str:
    return "".join(BLOCKS[pair] for pair in zip(above, below, strict=True))


def _stroke(row: tuple[bool, ...], number: int) -> str:
    """One row as pen moves: lines through the middle of its dark runs."""
    runs = [(dark, len(list(run))) for dark, run in groupby(row)]
    moves = "".join(f"h{length}" if dark else f"m{length},0" for dark, length in runs)
    return f"M0,{number}.5{moves}"
