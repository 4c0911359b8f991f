"""A program that makes previews of pictures and PDFs and reads QR codes, in its own process.

Hostile files can crash a decoder or exhaust memory. This file imports nothing of paylab: it is run
by `paylab/processes/child.py`.
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

PREVIEW_PIXELS = 320
"""Length of a preview's longer side, in pixels."""

CPU_SECONDS_MAX = 5
"""Maximum CPU seconds for a file."""

MEMORY_BYTES_MAX = 2**30
"""Maximum address space of this process."""

PICTURE_FORMATS = ("JPEG", "PNG", "WEBP", "HEIF", "GIF", "BMP", "TIFF")
"""The formats that are read; Pillow would give an EPS to Ghostscript, which runs what it says."""

PDF = "application/pdf"
QR = "qr"


def read_picture(request: bytes) -> bytes:
    """Make a preview of a file as JPEG, or read the texts of its QR codes as JSON.

    The request is a MIME type or `qr`, a NUL, and the file. Raises ValueError for a file that is
    no picture.
    """
    import pillow_heif
    from PIL import Image, UnidentifiedImageError

    limit_process()
    task_bytes, _, file_bytes = request.partition(b"\0")
    task_name = task_bytes.decode()
    # The filter that is added last is asked first: all warnings but that of a bomb are ignored.
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    pillow_heif.register_heif_opener()
    picture_file = BytesIO(file_bytes)
    try:
        if task_name == QR:
            return json.dumps(read_qr_texts(picture_file)).encode()
        image = read_pdf_page(picture_file) if task_name == PDF else read_photo(picture_file)
    except UnidentifiedImageError:
        raise ValueError("it is not a picture") from None
    jpeg_file = BytesIO()
    image.save(jpeg_file, "JPEG", quality=80)  # only the pixels, no EXIF
    return jpeg_file.getvalue()


def limit_process() -> None:
    """Limit this process for the next file by the system's means; not every system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource_usage = resource.getrusage(resource.RUSAGE_SELF)
        used_seconds = int(resource_usage.ru_utime + resource_usage.ru_stime) + 1
        limit_by_resource = {
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_CPU: used_seconds + CPU_SECONDS_MAX,
            resource.RLIMIT_AS: MEMORY_BYTES_MAX,
        }
        for resource_number, soft_limit in limit_by_resource.items():
            with suppress(ValueError, OSError):
                hard_limit = resource.getrlimit(resource_number)[1]
                resource.setrlimit(resource_number, (soft_limit, hard_limit))


def read_photo(picture_file: BytesIO) -> Image.Image:
    """Read a photo as a small upright image."""
    from PIL import Image, ImageOps

    image = Image.open(picture_file, formats=PICTURE_FORMATS)
    # A JPEG is decoded at a smaller size, which saves time and memory; others ignore it.
    image.draft("RGB", (PREVIEW_PIXELS, PREVIEW_PIXELS))
    image.thumbnail((PREVIEW_PIXELS, PREVIEW_PIXELS))
    return ImageOps.exif_transpose(image).convert("RGB")


def read_pdf_page(pdf_file: BytesIO) -> Image.Image:
    """Read the first page of a PDF as a small image."""
    import pypdfium2

    with closing(pypdfium2.PdfDocument(pdf_file)) as pdf_document:
        pdf_page = pdf_document[0]
        width_points, height_points = pdf_page.get_size()
        pixels_per_point = PREVIEW_PIXELS / max(width_points, height_points)
        image: Image.Image = pdf_page.render(scale=pixels_per_point).to_pil()
        return image.convert("RGB")


def read_qr_texts(picture_file: BytesIO) -> list[str]:
    """Read the different texts of the QR codes in a picture."""
    import zxingcpp
    from PIL import Image

    with Image.open(picture_file, formats=PICTURE_FORMATS) as image:
        grey_image = image.convert("L")
    barcode_formats = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    qr_codes = zxingcpp.read_barcodes(grey_image, formats=barcode_formats)
    return sorted({_read_code_text(qr_code) for qr_code in qr_codes})


def _read_code_text(qr_code: zxingcpp.Barcode) -> str:
    """The text of a code, as UTF-8 if it can be read so."""
    try:
        return bytes(qr_code.bytes).decode()
    except UnicodeDecodeError:
        return str(qr_code.text)
