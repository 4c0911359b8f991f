"""A program that makes previews of pictures and PDFs and reads QR codes, in its own process.

Hostile files can crash a decoder or exhaust memory. This file imports nothing of paylab: it is run
by `paylab/child.py`.
"""

from __future__ import annotations

import json
import warnings
from contextlib import closing, suppress
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import zxingcpp
    from PIL import Image

EDGE = 320
"""Length of a preview's longer side, in pixels."""

SECONDS = 5
MEMORY = 2**30
"""Limits of CPU seconds for a file, and of address space."""

FORMATS = ("JPEG", "PNG", "WEBP", "HEIF", "GIF", "BMP", "TIFF")
"""The formats that are read; Pillow would give an EPS to Ghostscript, which runs what it says."""

PDF = "application/pdf"
QR = "qr"


def read_picture(request: bytes) -> bytes:
    """A preview as JPEG of a file of a MIME type, or for `qr` the texts of its codes as JSON.

    The MIME type or `qr` is before the first NUL, the file after it.
    """
    import pillow_heif
    from PIL import Image, UnidentifiedImageError

    limit()
    kind, _, content = request.partition(b"\0")
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    pillow_heif.register_heif_opener()
    file = BytesIO(content)
    try:
        if kind.decode() == QR:
            return json.dumps(qr_texts(file)).encode()
        image = pdf_page(file) if kind.decode() == PDF else photo(file)
    except UnidentifiedImageError:
        raise ValueError("it is not a picture") from None
    picture = BytesIO()
    image.save(picture, "JPEG", quality=80)  # only the pixels, no EXIF
    return picture.getvalue()


def limit() -> None:
    """Limit this process for the next file by the system's means; not every system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        spent = int(usage.ru_utime + usage.ru_stime) + 1
        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, spent + SECONDS),
            (resource.RLIMIT_AS, MEMORY),
        ):
            with suppress(ValueError, OSError):
                highest = resource.getrlimit(kind)[1]
                resource.setrlimit(kind, (most, highest))


def photo(file: BytesIO) -> Image.Image:
    """The photo as a small upright image."""
    from PIL import Image, ImageOps

    image = Image.open(file, formats=FORMATS)
    image.draft("RGB", (EDGE, EDGE))
    image.thumbnail((EDGE, EDGE))
    return ImageOps.exif_transpose(image).convert("RGB")


def pdf_page(file: BytesIO) -> Image.Image:
    """The first page of a PDF."""
    import pypdfium2

    with closing(pypdfium2.PdfDocument(file)) as document:
        first = document[0]
        width, height = first.get_size()
        image: Image.Image = first.render(scale=EDGE / max(width, height)).to_pil()
        return image.convert("RGB")


def qr_texts(file: BytesIO) -> list[str]:
    """The different texts of the QR codes in a picture."""
    import zxingcpp
    from PIL import Image

    with Image.open(file, formats=FORMATS) as image:
        picture = image.convert("L")
    only = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    return sorted({_text(code) for code in zxingcpp.read_barcodes(picture, formats=only)})


def _text(code: zxingcpp.Barcode) -> str:
    try:
        return bytes(code.bytes).decode()
    except UnicodeDecodeError:
        return str(code.text)
