"""A small picture of an image, whatever its kind; never a decompression bomb."""

from __future__ import annotations

import warnings
from contextlib import closing
from io import BytesIO
from typing import BinaryIO

import pillow_heif
import pypdfium2
from PIL import Image, ImageOps

from ...errors import PaylabError

EDGE = 320
"""Pixels of the longer side of a preview."""

PDF = "application/pdf"
BROKEN = "cannot be shown here, so the file may be broken"


class UnreadableError(PaylabError):
    """An image that cannot be shown here; the service may still read it."""


class BombError(PaylabError):
    """A small file that would fill the memory once it is unpacked."""


def preview(file: BinaryIO, mime: str) -> bytes:
    """A JPEG of at most 320 pixels a side, upright; the first page of a PDF."""
    file.seek(0)
    image = _page(file) if mime == PDF else _photo(file)
    out = BytesIO()
    image.save(out, "JPEG", quality=80)  # of nothing but the pixels: no EXIF
    return out.getvalue()


def _photo(file: BinaryIO) -> Image.Image:
    pillow_heif.register_heif_opener()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return _small(Image.open(file))
    except (Image.DecompressionBombWarning, Image.DecompressionBombError):
        most = (Image.MAX_IMAGE_PIXELS or 0) // 10**6
        raise BombError(f"has more than {most} million pixels: make it smaller") from None
    except Exception:  # Decoders raise what they like, down to struct.error
        raise UnreadableError(BROKEN) from None


def _small(image: Image.Image) -> Image.Image:
    image.draft("RGB", (EDGE, EDGE))
    image.thumbnail((EDGE, EDGE))
    return ImageOps.exif_transpose(image).convert("RGB")


def _page(file: BinaryIO) -> Image.Image:
    try:
        with closing(pypdfium2.PdfDocument(file)) as document:
            page = document[0]
            width, height = page.get_size()
            scale = EDGE / max(width, height)
            image: Image.Image = page.render(scale=scale).to_pil()
            return image.convert("RGB")
    except Exception:  # As above
        raise UnreadableError(BROKEN) from None
