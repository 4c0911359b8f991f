"""Verification images: bounds, merging by side, and when the check begins."""

from __future__ import annotations

import pytest

TYPES = [
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff\xe0"),
    ("application/pdf", b"%PDF-1.7"),
    ("image/tiff", b"II*\x00"),
    ("image/tiff", b"MM\x00*"),
    ("image/heic", b"\x00\x00\x00\x18ftypheic"),
    ("image/heif", b"\x00\x00\x00\x18ftypmif1"),
]


@pytest.fixture
def path(service):
    """Where a Mexican on-ramp individual uploads."""
    return f"/v1/individuals/{service.person('MX', 'on_ramp')['id']}/verification_images"


def front(content):
    """One image of the front."""
    return {"type": "document-front", "content": content}


@pytest.mark.parametrize(("mime", "magic"), TYPES)
def test_the_six_types(service, path, image, mime, magic):
    """Each type with its own first bytes."""
    answer = service.post(path, {"images": [front(image(10_240, mime, magic))]})
    assert answer.status == 200
    assert answer["images"][0]["content_type"] == mime


@pytest.mark.parametrize(
    ("size", "status"), [(10_239, 400), (10_240, 200), (15_728_640, 200), (15_728_641, 400)]
)
def test_size_bounds(service, path, image, size, status):
    """10 KB and 15 MB are inside."""
    assert service.post(path, {"images": [front(image(size))]}).status == status


@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 200), (10, 200), (11, 400)])
def test_count_bounds(service, path, image, count, status):
    """1 to 10 images."""
    assert service.post(path, {"images": [front(image())] * count}).status == status


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"type": "back"}, "images.0.type"),
        ({"type": None}, "images.0.type"),
        ({"content": None}, "images.0.content"),
        ({"content": "data:image/gif;base64,AAAA"}, "images.0.content"),
        ({"content": "data:image/png;base64," + "!" * 20_000}, "images.0.content"),
        ({"content": "data:image/png;base64," + "A" * 20_000}, "images.0.content"),
        ({"content": 7}, "images.0.content"),
    ],
)
def test_a_bad_image(service, path, image, entry, field):
    """The field that is wrong, by its place in the list."""
    answer = service.post(path, {"images": [front(image()) | entry]})
    assert (answer.status, [*answer.fields]) == (400, [field])


@pytest.mark.parametrize("body", [{}, {"images": None}, {"images": {}}, {"images": [7]}])
def test_no_images(service, path, body):
    """Anything but a list of images."""
    assert service.post(path, body).status == 400


def test_merged_by_side(service, path, image):
    """Only the sides that came are replaced; a side that comes twice: the last wins."""
    old = service.post(path, {"images": [front(image())]}).json["images"]
    two = [front(image()), front(image(10_240, "application/pdf", b"%PDF-"))]
    service.post(path, {"images": two})
    [new] = service.get(path)["images"]
    assert (new["type"], new["content_type"]) == ("document-front", "application/pdf")
    assert new["id"] != old[0]["id"]


def test_leaves_action_required_when_complete(service, image):
    """Until the last side is there the individual says what is missing."""
    made = service.person("PH", "on_ramp")
    path = f"/v1/individuals/{made['id']}"
    seen = []
    for side in ("document-front", "selfie", "document-back"):
        service.upload(made["id"], side)
        now = service.get(path).json
        seen.append((now["status"], [each["code"][13:] for each in now.get("status_details", [])]))
    assert seen == [
        ("action_required", ["back_image_needed", "selfie_needed"]),
        ("action_required", ["back_image_needed"]),
        ("pending", []),
    ]


def test_read_back(service, path):
    """The metadata, and never the bytes."""
    assert service.get(path).json["images"] == []
    made = path.split("/")[3]
    answer = service.upload(made, "selfie")
    assert service.get(path).json == answer.json
    assert answer.json.keys() == {"individual_id", "images"}
    fields = {"id", "type", "content_type", "created_at", "updated_at"}
    assert answer["images"][0].keys() == fields


def test_refused_to_others(service):
    """404 for nobody, 400 for who verifies by token, 422 when nothing is asked for."""
    tokened, done = service.person("US", "on_ramp")["id"], service.person()["id"]
    assert [service.upload(each).status for each in ("x", tokened, done)] == [404, 400, 422]


def test_nothing_more_after_the_last(service):
    """A pending individual is not asked for anything."""
    made = service.person("MX", "on_ramp")["id"]
    assert [service.upload(made).status for _ in range(2)] == [200, 422]


def test_images_read_of_nobody(service):
    """404."""
    assert service.get("/v1/individuals/x/verification_images").status == 404
