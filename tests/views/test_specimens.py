"""Specimen pictures: large enough, of the kind asked for, the same each time, and marked."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from paylab.errors import PaylabError
from paylab.spec.codes import IMAGE_MIN, IMAGE_SIDES
from paylab.views.specimens import specimen

MAGIC = {"jpeg": b"\xff\xd8\xff", "png": b"\x89PNG\r\n\x1a\n", "tiff": b"II*\x00", "pdf": b"%PDF-"}


@pytest.mark.parametrize("kind", MAGIC)
@pytest.mark.parametrize("side", IMAGE_SIDES)
def test_bytes(side, kind):
    """Over the service's least size, starting as its kind does, the same twice."""
    data = specimen(side, kind=kind)
    assert len(data) >= IMAGE_MIN
    assert data.startswith(MAGIC[kind])
    assert data == specimen(side, kind=kind)


@pytest.mark.parametrize("kind", ["jpeg", "png", "tiff"])
def test_picture(kind):
    """800 by 500 pixels of colour."""
    image = Image.open(BytesIO(specimen("selfie", kind=kind)))
    assert (image.size, image.mode) == ((800, 500), "RGB")


def test_sides_and_names_differ():
    """Each side, name and country has a picture of its own."""
    made = [specimen(side, name="Ana", country="MX") for side in IMAGE_SIDES]
    made += [specimen("document-front", name="Bea", country="MX"), specimen("document-front")]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("side", IMAGE_SIDES)
def test_marked(side):
    """Red of the stamp lies along the diagonal."""
    image = Image.open(BytesIO(specimen(side, kind="png")))
    data = image.crop((100, 50, 700, 450)).tobytes()
    colours = zip(data[::3], data[1::3], data[2::3], strict=True)
    assert sum(red > 180 and green < 170 and blue < 170 for red, green, blue in colours) > 10_000


@pytest.mark.parametrize("name", ["", "María José\nde la Cruz " * 9, "最佳", "\ud800"])
def test_any_name(name):
    """Any name can be written on a card."""
    assert specimen("document-front", name=name)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"side": "document-left"}, "no specimen of side 'document-left'; there is document-front"),
        ({"side": "selfie", "kind": "gif"}, "no specimen of kind 'gif'; there is jpeg, png"),
    ],
)
def test_refusals(change, reason):
    """An unknown side or kind is refused with the list of known ones."""
    with pytest.raises(PaylabError, match=reason):
        specimen(**change)
