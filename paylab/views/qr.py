"""QR codes: drawn beside their fields, explained, and read from an image."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ..emvqr.text import Payload, check, parse
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, ConfigError, EMVError, PaylabError, ProgramError
from ..files import path_of, replace, require_parent
from . import html
from .drawing import QUIET_ZONE, QRModules, encode_qr
from .html import Row
from .programs import read_qr_codes

PIXELS_MIN = 21 + 2 * QUIET_ZONE
"""Pixels a side of the smallest code with its border, at one pixel per module."""
PIXELS_MAX = 10_000
DEFAULT_PIXELS = 300


@explain_arguments
def scan(image: str | Path | bytes | BinaryIO) -> str:
    """Read the only QR code in a picture, given as a path, an open file or bytes.

    Raises ConfigError when it is no picture or cannot be read, and PaylabError when it has no code
    or several.
    """
    picture_name = f"{image}" if isinstance(image, str | Path) else "the picture"
    try:
        code_texts = read_qr_codes(_read_image(image))
    except OSError as error:
        raise ConfigError(f"{picture_name} cannot be read: {error.strerror or error}") from None
    except ProgramError as error:
        error_class = ConfigError if error.reason else PaylabError
        reason = error.reason or error
        raise error_class(f"{picture_name} cannot be read: {reason}") from None
    if len(code_texts) != 1:
        raise PaylabError(f"the picture has {len(code_texts) or 'no'} QR codes: it must have one")
    return code_texts[0]


def _read_image(image: str | Path | bytes | BinaryIO) -> bytes:
    """The bytes of a picture, which is given as a path, bytes or an open file."""
    if isinstance(image, bytes):
        return image
    if isinstance(image, str | Path):
        return path_of(image).read_bytes()
    return image.read()


class QRText:
    """A QR text, its payload if it is readable, and its problem."""

    def __init__(self, text: str) -> None:
        """Read the payload of a text, as far as it is readable, and check it."""
        self.text = text
        self.payload: Payload | None = None
        with suppress(EMVError):
            self.payload = parse(text, verify=False)
        self.problem = next(iter(check(text)), None)

    def rows(self) -> list[Row]:
        """Rows of payee, amount and checks."""
        payload = self.payload
        if payload is None:
            return [("CRC", "not checked: the text is not EMV")]
        payload_rows = [
            ("Issuer", payload.issuer),
            ("Name", payload.merchant_name),
            ("City", payload.city),
            ("Country", payload.country),
            ("Amount", _amount_text(payload)),
            ("Currency", payload.currency),
            ("Use", "may be paid many times" if payload.is_static else "may be paid once"),
            ("CRC", self._crc_text(payload.crc)),
        ]
        return [(label, row_text or "not given") for label, row_text in payload_rows]

    def _crc_text(self, computed_crc: str) -> str:
        """The CRC at the end of the text, and whether it is the computed one."""
        crc_in_text = self.text[-4:]
        if crc_in_text == computed_crc:
            return f"{crc_in_text}, correct"
        return f"wrong: {computed_crc} expected, {crc_in_text} found"

    def field_rows(self) -> list[Row]:
        """Rows of all fields by path and name; a field with fields inside shows their number.

        The last one is the CRC as the text has it, right or wrong.
        """
        if self.payload is None:
            return []
        emv_field_rows = []
        for emv_field in self.payload.walk():
            value_text = emv_field.value
            if emv_field.fields:
                value_text = f"holds {len(emv_field.fields)} fields:"
            emv_field_rows.append((f"{emv_field.path} {emv_field.name}", value_text))
        return [*emv_field_rows, ("63 CRC", self.text[-4:])]


def _amount_text(payload: Payload) -> str:
    """The amount as written in the code, which may be none; without one, the payer chooses."""
    amount_text = payload.find("54")
    if amount_text is None:
        return "the payer chooses"
    return f"{amount_text!r} is not an amount" if payload.amount is None else amount_text


@explain_arguments
class QR:
    """A QR code beside a table of its fields; text that is not EMV is drawn too.

    `size` is in pixels, and `about` are additional rows. `check` returns what else is wrong with
    the text, such as another country, or an empty text.
    """

    def __init__(
        self,
        payload: str,
        *,
        size: int = DEFAULT_PIXELS,
        about: Iterable[Row] = (),
        service_name: str = "",
        check: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Draw the code, and read its fields; `problem` is empty if nothing is wrong with it."""
        _check_size(size)
        self.payload = payload
        self.size = size
        self.about = tuple(about)
        self.service_name = service_name
        self.modules: QRModules = encode_qr(payload)
        self.qr_text = QRText(payload)
        self.problem = str(self.qr_text.problem or check(payload))

    def table(self) -> list[Row]:
        """The fields of the code, as rows of label and text."""
        return [*self.qr_text.rows(), *self.about]

    def png(self, size: int | None = None) -> bytes:
        """The picture as PNG, `size` pixels a side."""
        side_pixels = size or self.size
        _check_size(side_pixels)
        return self.modules.png(side_pixels)

    def svg(self, size: int | None = None) -> str:
        """The picture as SVG, `size` pixels a side."""
        side_pixels = size or self.size
        _check_size(side_pixels)
        return self.modules.svg(side_pixels)

    def terminal(self, *, ansi: bool = False) -> str:
        """The picture in half blocks for a dark terminal; with `ansi`, for any."""
        return self.modules.terminal(ansi=ansi)

    def save(self, path: str | Path) -> Path:
        """Write a .png or .svg file; an existing file is replaced atomically."""
        target_path = path_of(path)
        suffix = target_path.suffix.lower()
        if suffix not in (".png", ".svg"):
            raise ConfigError(f"{target_path.name}: a QR code is saved as .png or .svg")
        require_parent(target_path)
        file_bytes = self.png() if suffix == ".png" else self.svg().encode()
        with replace(target_path) as image_file:
            image_file.write(file_bytes)
        return target_path

    @property
    def title(self) -> str:
        """The heading of the card."""
        return "This QR code is not valid" if self.problem else "Scan to pay"

    def __repr__(self) -> str:
        """The card as plain text."""
        code_rows = [*self.table(), ("Text", self.payload)]
        if self.problem:
            code_rows.insert(0, ("Do not pay", self.problem))
        return html.plain_text(self.title, code_rows, self.service_name)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The card and the pictures for Jupyter, by MIME type."""
        picture_html = self.modules.img(self.size, "QR code")
        card_html = html.card(picture_html, self._html_column())
        return {
            "text/html": card_html,
            "image/png": b64encode(self.png()).decode(),
            "image/svg+xml": self.svg(),
            "text/plain": repr(self),
        }

    def _html_column(self) -> str:
        """The column beside the picture: the problem, the main fields, all fields, the text."""
        html_parts = [html.heading(self.title, self.service_name)]
        if self.problem:
            html_parts.append(html.warning(f"Do not pay: {self.problem}"))
        html_parts.append(html.table(self.table()))
        field_rows = self.qr_text.field_rows()
        if field_rows:
            summary_text = f"All {len(field_rows)} fields in the code"
            html_parts.append(html.collapsible_block(summary_text, html.table(field_rows)))
        payload_html = html.copyable_text(self.payload)
        html_parts.append(html.collapsible_block("The text in the code", payload_html))
        return html.column(*html_parts)


def _check_size(size: int) -> None:
    """Raise PaylabError for a size that is too small for a code, or too large."""
    if not PIXELS_MIN <= size <= PIXELS_MAX:
        raise ArgumentError(f"size must be {PIXELS_MIN} to {PIXELS_MAX} pixels, not {size}", "size")


__all__ = [
    "QR",
    "QRText",
    "scan",
]


def __dir__() -> list[str]:
    """The public names, which an editor completes."""
    return sorted(__all__)
