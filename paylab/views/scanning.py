"""Reading a QR code from a picture, with a library that had no hand in drawing it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import zxingcpp
from PIL import Image

from ..errors import PaylabError


def scan(image: str | Path | bytes) -> str:
    """The text of the one QR code in a picture, given as a file or as its bytes."""
    only = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    found = zxingcpp.read_barcodes(_open(image), formats=only)
    texts = sorted({_text(code) for code in found})
    if len(texts) != 1:
        raise PaylabError(f"{len(texts) or 'no'} QR codes in the picture; it must show one")
    return texts[0]


def _open(image: str | Path | bytes) -> Image.Image:
    try:
        with Image.open(BytesIO(image) if isinstance(image, bytes) else image) as picture:
            return picture.convert("L")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise PaylabError(f"the picture cannot be read: {error}") from error


def _text(code: zxingcpp.Barcode) -> str:
    try:
        return bytes(code.bytes).decode()
    except UnicodeDecodeError:
        return str(code.text)
