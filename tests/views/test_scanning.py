"""Reading a QR code from a file or an image, and errors if there is not exactly one text."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from paylab.errors import PaylabError
from paylab.views.qr import QR, scan


def side_by_side(*texts):
    """A PNG of several codes side by side."""
    sheet = Image.new("L", (300 * len(texts) or 300, 300), 255)
    for number, text in enumerate(texts):
        sheet.paste(Image.open(BytesIO(QR(text).png(300))), (300 * number, 0))
    out = BytesIO()
    sheet.save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("name", ["code.png", "code.jpg"])
def test_scan_reads_a_png_or_jpeg_file_from_its_path(tmp_path, komo, name):
    """`scan` reads a file from a path, as text or as Path, in PNG or JPEG."""
    path = tmp_path / name
    Image.open(BytesIO(QR(komo).png())).convert("L").save(path)
    assert scan(path) == scan(str(path)) == komo


def test_an_image_that_has_the_same_code_twice_gives_its_text_once(komo):
    """An image that has the same code twice gives its text once."""
    assert scan(side_by_side(komo, komo)) == komo


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (side_by_side(), "has no QR codes"),
        (side_by_side("one", "two"), "has 2 QR codes"),
        (b"not a picture", "cannot be read"),
        (b"", "cannot be read"),
        ("missing.png", "cannot be read"),
    ],
)
def test_the_error_says_why_no_text_was_read(picture, reason):
    """The error says why no text was read."""
    with pytest.raises(PaylabError, match=reason):
        scan(picture)
