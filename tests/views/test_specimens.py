"""Specimen images: their size, file type, reproducibility, stamp and verification outcome."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO

import pytest
from PIL import Image

import paylab
from paylab.errors import PaylabError
from paylab.rules.images import specimen_outcome
from paylab.spec.codes import IMAGE_MIN, IMAGE_SIDES
from paylab.views.specimens import specimen

MAGIC = {"jpeg": b"\xff\xd8\xff", "png": b"\x89PNG\r\n\x1a\n", "tiff": b"II*\x00", "pdf": b"%PDF-"}


@pytest.mark.parametrize("kind", MAGIC)
def test_each_side_has_a_picture_of_the_right_type_and_size(kind):
    """Each side has a picture of its own, of the right type and size, the same every time."""
    drawn = [specimen(side, kind=kind) for side in IMAGE_SIDES]
    assert len({*drawn}) == len(IMAGE_SIDES)
    assert min(map(len, drawn)) >= IMAGE_MIN
    assert all(data.startswith(MAGIC[kind]) for data in drawn)
    assert drawn[0] == specimen(IMAGE_SIDES[0], kind=kind)
    shown = {"jpeg": drawn[0]._repr_jpeg_(), "png": drawn[0]._repr_png_()}
    assert [name for name, picture in shown.items() if picture] == [
        name for name in shown if name == kind
    ]
    assert len(repr(drawn[0])) < 60


@pytest.mark.parametrize(
    ("side", "change", "differs"),
    [
        ("document-front", {"name": "Bea"}, True),
        ("document-back", {"name": "Bea"}, True),
        ("selfie", {"name": "Bea"}, True),
        ("document-front", {"country": "PH"}, True),
        ("document-back", {"country": "PH"}, True),
        ("selfie", {"country": "PH"}, False),
    ],
)
def test_names_and_countries_differ(side, change, differs):
    """Every side shows the name; the two sides of the document also show the country."""
    given = {"name": "Ana", "country": "MX"}
    assert (specimen(side, **given | change) != specimen(side, **given)) is differs


@pytest.mark.parametrize("side", IMAGE_SIDES)
def test_the_middle_of_the_picture_has_the_red_pixels_of_the_stamp(side):
    """The middle of the picture has the red pixels of the stamp."""
    image = Image.open(BytesIO(specimen(side, kind="png")))
    data = image.crop((100, 50, 700, 450)).tobytes()
    colours = zip(data[::3], data[1::3], data[2::3], strict=True)
    assert sum(red > 180 and green < 170 and blue < 170 for red, green, blue in colours) > 10_000


@pytest.mark.parametrize("name", ["", "María José\nde la Cruz " * 9, "最佳", "\ud800"])
def test_a_specimen_can_be_made_for_any_name(name):
    """A specimen can be made for any name."""
    assert specimen("document-front", name=name)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"side": "document-left"},
            "side: no specimen has 'document-left'; is document-front meant",
        ),
        (
            {"side": "selfie", "kind": "gif"},
            "kind: no specimen has 'gif': it must be one of jpeg, png",
        ),
    ],
)
def test_an_unknown_side_or_kind_is_refused_with_the_list_of_known_ones(change, reason):
    """An unknown side or kind is refused with the list of known ones."""
    with pytest.raises(PaylabError, match=reason):
        specimen(**change)


def test_a_fault_without_its_name_is_an_error_that_names_the_parameters():
    """Python's own error counts the arguments, and names none."""
    words = r"specimen\(\) takes only side without a name: it takes name=, country=, kind=, fault="
    with pytest.raises(TypeError, match=words):
        specimen("selfie", "verification_image_blurry")


@pytest.mark.parametrize("kind", MAGIC)
@pytest.mark.parametrize("fault", ["verification_image_blurry", "verification_age_mismatch"])
def test_a_specimen_carries_its_outcome(kind, fault):
    """Every file type stores the verification outcome; a good specimen stores none."""
    types = {"jpeg": "image/jpeg", "png": "image/png", "tiff": "image/tiff"}
    head = f"data:{types.get(kind, 'application/pdf')};base64,"
    made = [specimen("selfie", kind=kind, fault=one) for one in (fault, None)]
    texts = [head + b64encode(one).decode() for one in made]
    assert [specimen_outcome(text) for text in texts] == [fault, ""]


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("verification_image_blurry", "action_required"),
        ("verification_age_mismatch", "rejected"),
    ],
)
def test_the_simulator_follows_the_outcome(fault, status):
    """The specimen decides the verification outcome until a new image of the side replaces it."""
    with paylab.connect() as lab:
        fields = paylab.examples.individual("MX", consent_at=lab.clock())
        person = lab.individuals.create(**fields)
        sides = {"document-front": specimen("document-front")}
        lab.individuals.upload_images(
            person.id, sides | {"selfie": specimen("selfie", fault=fault)}
        )
        ended = lab.individuals.wait(person.id)
        assert (ended.status, [one.code for one in ended.status_details]) == (status, [fault])
        if status == "action_required":
            lab.individuals.upload_images(person.id, {"selfie": specimen("selfie")})
            assert lab.individuals.wait(person.id).status == "active"
