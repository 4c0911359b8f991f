"""QR codes: drawn as PNG, SVG and terminal text, explained, and read from an image.

Every module is a whole number of pixels, and every picture includes the light border;
otherwise a phone may not find the code.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import groupby, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import qrcode
from qrcode.constants import ERROR_CORRECT_M
from qrcode.exceptions import DataOverflowError

from ..emvqr.text import Payload, check, parse
from ..errors.base import ConfigError, EMVError, PaylabError
from ..errors.extras import explained
from ..files import path_of, replace
from . import html
from .html import Row
from .png import png

if TYPE_CHECKING:
    import zxingcpp
    from PIL import Image

QUIET_ZONE = 4  # modules, what the QR standard asks for
SMALLEST, LARGEST = 21 + 2 * QUIET_ZONE, 10_000
BLOCKS = {(True, True): " ", (True, False): "▄", (False, True): "▀", (False, False): "█"}
WHITE_ON_BLACK, RESET = "\x1b[97;40m", "\x1b[0m"


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

        Without compression its bytes do not depend on the zlib build.
        """
        return png(self.rows, self.scale(size), size, compress=compress, comment=comment)

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
        return "\n".join(f"{start}{_line(*pair)}{end}" for pair in pairs)


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


def _line(above: tuple[bool, ...], below: tuple[bool, ...]) -> str:
    return "".join(BLOCKS[pair] for pair in zip(above, below, strict=True))


def _stroke(row: tuple[bool, ...], number: int) -> str:
    """One row as an SVG path: lines through the middle of its dark runs."""
    runs = [(dark, len(list(run))) for dark, run in groupby(row)]
    moves = "".join(f"h{length}" if dark else f"m{length},0" for dark, length in runs)
    return f"M0,{number}.5{moves}"


def scan(image: str | Path | bytes) -> str:
    """Read the only QR code in a picture, given as a file or bytes."""
    with explained():
        import zxingcpp
    picture = _open(image)
    only = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    texts = sorted({_text(code) for code in zxingcpp.read_barcodes(picture, formats=only)})
    if len(texts) != 1:
        raise PaylabError(f"the picture has {len(texts) or 'no'} QR codes: it must have one")
    return texts[0]


def _open(image: str | Path | bytes) -> Image.Image:
    with explained():
        from PIL import Image
    try:
        with Image.open(BytesIO(image) if isinstance(image, bytes) else image) as picture:
            return picture.convert("L")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        reason = getattr(error, "strerror", None) or error
        name = "the picture" if isinstance(image, bytes) else image
        raise PaylabError(f"{name} cannot be read: {reason}") from error


def _text(code: zxingcpp.Barcode) -> str:
    try:
        return bytes(code.bytes).decode()
    except UnicodeDecodeError:
        return str(code.text)


@dataclass(frozen=True)
class _Reading:
    """A QR text, its payload if readable, and its problem."""

    text: str
    payload: Payload | None
    problem: EMVError | None

    def rows(self) -> list[Row]:
        """Rows of payee, amount and checks."""
        if (payload := self.payload) is None:
            return [("CRC", "not checked: the text is not EMV")]
        wanted, found = payload.crc, self.text[-4:]
        crc = f"{found}, correct" if found == wanted else f"wrong: {wanted} expected, {found} found"
        known = [
            ("Issuer", payload.issuer),
            ("Name", payload.merchant_name),
            ("City", payload.city),
            ("Country", payload.country),
            ("Amount", _amount(payload)),
            ("Currency", payload.currency),
            ("Use", "may be paid many times" if payload.is_static else "may be paid once"),
            ("CRC", crc),
        ]
        return [(label, value or "not said") for label, value in known]

    def fields(self) -> list[Row]:
        """Rows of all fields by path and name."""
        return [
            (
                f"{field.path} {field.name}",
                f"holds {len(field.fields)} fields:" if field.fields else field.value,
            )
            for field in (self.payload.walk() if self.payload else ())
        ]


def read_qr(text: str) -> _Reading:
    """Read any text; never raises."""
    payload = None
    with suppress(EMVError):
        payload = parse(text, verify=False)
    return _Reading(text, payload, next(iter(check(text)), None))


def _amount(payload: Payload) -> str:
    text = payload.find("54")
    if text is None:
        return "the payer chooses"
    return f"{text!r} is not an amount" if payload.amount is None else text


SIZE = 300


class QR:
    """A QR code beside a table of its fields; text that is not EMV is drawn too.

    `size` is in pixels; `about` are additional rows, and `where` names the service.
    """

    def __init__(
        self, payload: str, *, size: int = SIZE, about: Iterable[Row] = (), where: str = ""
    ) -> None:
        self.payload, self.size, self.about = payload, _checked(size), tuple(about)
        self.where = where
        self.modules: Modules = modules(payload)

    @cached_property
    def reading(self) -> _Reading:
        """The payload's fields and its problem."""
        return read_qr(self.payload)

    def table(self) -> list[Row]:
        """The fields of the code, as rows of label and text."""
        return [*self.reading.rows(), *self.about]

    def png(self, size: int | None = None) -> bytes:
        """The picture as PNG, `size` pixels a side."""
        return self.modules.png(_checked(size or self.size))

    def svg(self, size: int | None = None) -> str:
        """The picture as SVG."""
        return self.modules.svg(_checked(size or self.size))

    def terminal(self, *, ansi: bool = False) -> str:
        """The picture in half blocks for a dark terminal; with `ansi`, for any."""
        return self.modules.terminal(ansi=ansi)

    def save(self, path: str | Path) -> Path:
        """Write a .png or .svg file; an existing file is replaced atomically."""
        target = path_of(path)
        writers = {".png": self.png, ".svg": lambda: self.svg().encode()}
        write = writers.get(target.suffix.lower())
        if write is None:
            raise ConfigError(f"{target.name}: a QR code is saved as .png or .svg")
        if not target.parent.is_dir():
            raise ConfigError(f"cannot write {target.name}: there is no folder {target.parent}")
        data = write()
        with replace(target) as sink:
            sink.write(data)
        return target

    @property
    def title(self) -> str:
        """The heading of the card."""
        return "Scan to pay" if self.reading.problem is None else "This QR code is not valid"

    def __repr__(self) -> str:
        rows = [*self._problem(), *self.table(), ("Text", self.payload)]
        return html.plain_text(self.title, rows, self.where)

    def _problem(self) -> list[Row]:
        problem = self.reading.problem
        return [] if problem is None else [("Do not pay", str(problem))]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        parts = [html.warning(f"{label}: {text}") for label, text in self._problem()]
        parts.append(html.table(self.table()))
        if fields := self.reading.fields():
            parts.append(html.folded(f"All {len(fields)} fields in the code", html.table(fields)))
        parts.append(html.folded("The text in the code", html.copyable(self.payload)))
        text = html.column(html.heading(self.title), *parts)
        picture = self.modules.img(self.size, "QR code")
        return {
            "text/html": html.card(picture, text, label=self.where),
            "image/png": b64encode(self.png()).decode(),
            "image/svg+xml": self.svg(),
            "text/plain": repr(self),
        }


def _checked(size: int) -> int:
    if not SMALLEST <= size <= LARGEST:
        raise PaylabError(f"size must be {SMALLEST} to {LARGEST} pixels, not {size}")
    return size
