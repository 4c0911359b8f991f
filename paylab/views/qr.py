"""QR codes: drawn beside their fields, explained, and read from an image."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ..emvqr.text import Payload, check, parse
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, EMVError, PaylabError, ProgramError
from ..files import path_of, replace, require_parent
from . import html
from .drawing import QUIET_ZONE, Modules, modules
from .html import Row
from .programs import read_qr_codes

SMALLEST = 21 + 2 * QUIET_ZONE
LARGEST = 10_000


def scan(image: str | Path | bytes | BinaryIO) -> str:
    """Read the only QR code in a picture, given as a path, an open file or bytes."""
    name = f"{image}" if isinstance(image, str | Path) else "the picture"
    try:
        texts = read_qr_codes(_content(image))
    except (OSError, ProgramError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PaylabError(f"{name} cannot be read: {reason}") from None
    if len(texts) != 1:
        raise PaylabError(f"the picture has {len(texts) or 'no'} QR codes: it must have one")
    return texts[0]


def _content(image: str | Path | bytes | BinaryIO) -> bytes:
    if isinstance(image, bytes):
        return image
    return path_of(image).read_bytes() if isinstance(image, str | Path) else image.read()


class QRText:
    """Any QR text, its payload if readable, and its problem."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.payload = None
        with suppress(EMVError):
            self.payload = parse(text, verify=False)
        self.problem = next(iter(check(text)), None)

    def rows(self) -> list[Row]:
        """Rows of payee, amount and checks."""
        if (payload := self.payload) is None:
            return [("CRC", "not checked: the text is not EMV")]
        expected_crc = payload.crc
        stated_crc = self.text[-4:]
        crc = (
            f"{stated_crc}, correct"
            if stated_crc == expected_crc
            else f"wrong: {expected_crc} expected, {stated_crc} found"
        )
        payload_rows = [
            ("Issuer", payload.issuer),
            ("Name", payload.merchant_name),
            ("City", payload.city),
            ("Country", payload.country),
            ("Amount", _amount(payload)),
            ("Currency", payload.currency),
            ("Use", "may be paid many times" if payload.is_static else "may be paid once"),
            ("CRC", crc),
        ]
        return [(label, value or "not said") for label, value in payload_rows]

    def fields(self) -> list[Row]:
        """Rows of all fields by path and name."""
        return [
            (
                f"{field.path} {field.name}",
                f"holds {len(field.fields)} fields:" if field.fields else field.value,
            )
            for field in (self.payload.walk() if self.payload else ())
        ]


def _amount(payload: Payload) -> str:
    text = payload.find("54")
    if text is None:
        return "the payer chooses"
    return f"{text!r} is not an amount" if payload.amount is None else text


SIZE = 300


@explain_arguments
class QR:
    """A QR code beside a table of its fields; text that is not EMV is drawn too.

    `size` is in pixels; `about` are additional rows, and `where` names the service. `check` says
    what else is wrong with the text, such as another country; it is empty if nothing is.
    """

    def __init__(
        self,
        payload: str,
        *,
        size: int = SIZE,
        about: Iterable[Row] = (),
        where: str = "",
        check: Callable[[str], str] = lambda _: "",
    ) -> None:
        self.payload = payload
        self.size = _checked(size)
        self.about = tuple(about)
        self.where = where
        self.modules: Modules = modules(payload)
        self.reading = QRText(payload)
        self.problem = str(self.reading.problem or check(payload))

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
        require_parent(target)
        data = write()
        with replace(target) as sink:
            sink.write(data)
        return target

    @property
    def title(self) -> str:
        """The heading of the card."""
        return "This QR code is not valid" if self.problem else "Scan to pay"

    def __repr__(self) -> str:
        rows = [*self._problem(), *self.table(), ("Text", self.payload)]
        return html.plain_text(self.title, rows, self.where)

    def _problem(self) -> list[Row]:
        return [("Do not pay", self.problem)] if self.problem else []

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
