"""Reading a QR code from a picture, with a library that had no hand in drawing it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Protocol

from PIL import Image

from ..errors import ConfigError, PaylabError


class Barcode(Protocol):
    """What the library says about one code it found."""

    bytes: bytes
    text: str


def scan(image: str | Path | bytes) -> str:
    """The text of the one QR code in a picture, given as a file or as its bytes."""
    reader = _reader()
    picture = _open(image)
    found = reader.read_barcodes(picture, formats=reader.BarcodeFormat.QRCode)
    texts = sorted({_text(code) for code in found})
    if len(texts) != 1:
        raise PaylabError(f"{len(texts) or 'no'} QR codes in the picture; it must show one")
    return texts[0]


def _reader() -> ModuleType:
    try:
        import zxingcpp
    except ImportError:
        message = "scanning needs zxing-cpp: pip install 'paylab[scan]'"
        raise ConfigError(message) from None
    module: ModuleType = zxingcpp
    return module


def _open(image: str | Path | bytes) -> Image.Image:
    try:
        with Image.open(BytesIO(image) if isinstance(image, bytes) else image) as picture:
            return picture.convert("L")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise PaylabError(f"the picture cannot be read: {error}") from error


def _text(code: Barcode) -> str:
    try:
        return bytes(code.bytes).decode()
    except UnicodeDecodeError:
        return str(code.text)
