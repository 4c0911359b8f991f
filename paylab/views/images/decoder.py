"""A program that reads an image from stdin and writes a small JPEG to stdout.

It runs in a separate process, because hostile files can crash a decoder or exhaust memory. It
imports nothing of paylab, so that it starts quickly.
"""

from __future__ import annotations

import sys
import warnings
from contextlib import closing, suppress
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

EDGE = 320
"""Length of a preview's longer side, in pixels."""

SECONDS, MEMORY = 5, 2**30
"""Limits of CPU seconds and address space for a file."""


def decode_stdin() -> None:
    """Write a JPEG, or fail: the file is broken, or has too many pixels."""
    from PIL import Image

    limit()
    data = BytesIO(sys.stdin.buffer.read())
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    image = pdf_page(data) if sys.argv[1] == "application/pdf" else photo(data)
    out = BytesIO()
    image.save(out, "JPEG", quality=80)  # only the pixels, no EXIF
    sys.stdout.buffer.write(out.getvalue())


def limit() -> None:
    """Limit this process by the system's means; not every system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        for kind, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_CPU, SECONDS),
            (resource.RLIMIT_AS, MEMORY),
        ):
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (most, most))


def photo(file: BytesIO) -> Image.Image:
    """The photo as a small upright image."""
    import pillow_heif
    from PIL import Image, ImageOps

    pillow_heif.register_heif_opener()
    image = Image.open(file)
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


if __name__ == "__main__":
    decode_stdin()
