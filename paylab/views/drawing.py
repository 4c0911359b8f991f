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

from ..errors.base import ArgumentError, PaylabError

QUIET_ZONE = 4
"""Modules of the light border that the QR standard asks for."""
HALF_BLOCKS = {(True, True): " ", (True, False): "▄", (False, True): "▀", (False, False): "█"}
"""The character of an upper and a lower module; True is dark."""
WHITE_ON_BLACK = "\x1b[97;40m"
RESET = "\x1b[0m"

_PNG_HEADER = b"\x89PNG\r\n\x1a\n"
_ONE_BIT_GREY = (1, 0, 0, 0, 0)
"""One bit per pixel, greyscale; compression, filter and interlace method 0."""
_COMPRESSION_LEVEL = 6


@dataclass(frozen=True)
class QRModules:
    """The modules of a QR code with its border; True is dark."""

    rows: tuple[tuple[bool, ...], ...]

    @property
    def width(self) -> int:
        """Number of modules on a side."""
        return len(self.rows)

    def pixels_per_module(self, size: int) -> int:
        """Pixels per module in a picture of `size` pixels, at least one."""
        return max(1, size // self.width)

    def png(self, size: int, *, compress: bool = True, comment: bytes = b"") -> bytes:
        """A PNG, `size` pixels wide, or more if the modules need it.

        The comment is stored as text. Without compression the bytes do not depend on the zlib
        build.
        """
        pixel_rows = self._pixel_rows(size)
        side_pixels = len(pixel_rows)
        scanline_bytes = b"".join(map(_png_scanline, pixel_rows))
        compression_level = _COMPRESSION_LEVEL if compress else 0
        compressed_pixels = zlib.compress(scanline_bytes, compression_level)
        header_bytes = struct.pack(">2I5B", side_pixels, side_pixels, *_ONE_BIT_GREY)
        chunks = [_png_chunk(b"IHDR", header_bytes)]
        if comment:
            chunks.append(_png_chunk(b"tEXt", b"Comment\0" + comment))
        chunks.append(_png_chunk(b"IDAT", compressed_pixels))
        chunks.append(_png_chunk(b"IEND", b""))
        return _PNG_HEADER + b"".join(chunks)

    def _pixel_rows(self, size: int) -> list[str]:
        """The rows of a square of at least `size` pixels a side: "0" is dark, "1" light."""
        pixels_per_module = self.pixels_per_module(size)
        code_pixels = pixels_per_module * self.width
        side_pixels = max(size, code_pixels)
        margin_pixels = (side_pixels - code_pixels) // 2
        light_row = "1" * side_pixels
        pixel_rows = [light_row] * margin_pixels
        for module_row in self.rows:
            module_pixels = "".join(
                ("0" if is_dark else "1") * pixels_per_module for is_dark in module_row
            )
            pixel_row = ("1" * margin_pixels + module_pixels).ljust(side_pixels, "1")
            pixel_rows += [pixel_row] * pixels_per_module
        return pixel_rows + [light_row] * (side_pixels - len(pixel_rows))

    def img(self, size: int, alt: str) -> str:
        """The picture as HTML, with whole pixels per module, at most `size` pixels wide."""
        # Uncompressed, so that a notebook's output is the same with every build of zlib.
        side_pixels = self.pixels_per_module(size) * self.width
        png_base64 = b64encode(self.png(side_pixels, compress=False)).decode()
        style = "display:block;background:#fff;max-width:100%;height:auto;image-rendering:pixelated"
        return (
            f'<img alt="{alt}" width="{side_pixels}" height="{side_pixels}" style="{style}" '
            f'src="data:image/png;base64,{png_base64}">'
        )

    def svg(self, size: int) -> str:
        """An SVG with whole pixels per module, at most `size` pixels wide."""
        side_pixels = self.pixels_per_module(size) * self.width
        path_data = "".join(
            _svg_row_path(module_row, row_number)
            for row_number, module_row in enumerate(self.rows)
            if any(module_row)
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{side_pixels}" height="{side_pixels}" '
            f'viewBox="0 0 {self.width} {self.width}" shape-rendering="crispEdges" role="img">'
            "<title>QR code</title>"
            f'<rect width="{self.width}" height="{self.width}" fill="#fff"/>'
            f'<path stroke="#000" d="{path_data}"/></svg>'
        )

    def terminal(self, *, ansi: bool = False) -> str:
        """Half blocks for dark terminals: two rows per line, light modules in the text colour.

        With `ansi` the colours are set too, so that it can be scanned on any terminal.
        """
        filler_row = (True,) * self.width  # below the border is the terminal's background
        row_pairs = zip_longest(self.rows[::2], self.rows[1::2], fillvalue=filler_row)
        terminal_lines = []
        for upper_row, lower_row in row_pairs:
            module_pairs = zip(upper_row, lower_row, strict=True)
            terminal_lines.append("".join(HALF_BLOCKS[module_pair] for module_pair in module_pairs))
        if ansi:
            terminal_lines = [
                f"{WHITE_ON_BLACK}{terminal_line}{RESET}" for terminal_line in terminal_lines
            ]
        return "\n".join(terminal_lines)


def encode_qr(text: str) -> QRModules:
    """Encode a text as a QR code with error correction M.

    Raises PaylabError for an empty text, an unpaired surrogate, and a text that is too long.
    """
    if not text:
        raise ArgumentError("there is no text to draw: give the text of a QR code", "text")
    qr_code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=QUIET_ZONE)
    try:
        qr_code.add_data(text.encode())
        qr_code.make(fit=True)
    except UnicodeEncodeError:
        raise PaylabError("the text contains an unpaired surrogate") from None
    except (DataOverflowError, ValueError):
        raise PaylabError(f"{len(text)} characters are too many for one QR code") from None
    return QRModules(tuple(tuple(map(bool, module_row)) for module_row in qr_code.get_matrix()))


def _svg_row_path(module_row: tuple[bool, ...], row_number: int) -> str:
    """One row as an SVG path: lines through the middle of its dark runs."""
    path_commands = []
    for is_dark, run_modules in groupby(module_row):
        run_length = len(list(run_modules))
        path_commands.append(f"h{run_length}" if is_dark else f"m{run_length},0")
    return f"M0,{row_number}.5{''.join(path_commands)}"


def _png_scanline(pixel_row: str) -> bytes:
    """A row of pixels as PNG stores it: a byte 0 for no filter, then eight pixels per byte."""
    byte_count = -(-len(pixel_row) // 8)  # rounded up
    return b"\0" + int(pixel_row.ljust(8 * byte_count, "0"), 2).to_bytes(byte_count)


def _png_chunk(chunk_type: bytes, chunk_data: bytes) -> bytes:
    """A chunk with its length before and its checksum after it."""
    checksum_bytes = struct.pack(">I", zlib.crc32(chunk_type + chunk_data))
    return struct.pack(">I", len(chunk_data)) + chunk_type + chunk_data + checksum_bytes
