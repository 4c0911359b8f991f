"""Verification images: limits, replacement by side, and the start of the verification."""

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
    """The path to upload images of a Mexican on-ramp individual."""
    return f"/v1/individuals/{service.person('MX', 'on_ramp')['id']}/verification_images"


def front(content):
    """An image of the front of the document."""
    return {"type": "document-front", "content": content}


@pytest.mark.parametrize(("mime", "magic"), TYPES)
def test_each_image_type_is_accepted_with_its_own_first_bytes(service, path, image, mime, magic):
    """Each image type is accepted with its own first bytes."""
    answer = service.post(path, {"images": [front(image(10_240, mime, magic))]})
    assert answer.status == 200
    assert answer["images"][0]["content_type"] == mime


@pytest.mark.parametrize(
    ("size", "status"), [(10_239, 400), (10_240, 200), (15_728_640, 200), (15_728_641, 400)]
)
def test_an_image_may_have_from_10_kb_to_15_mb(service, path, image, size, status):
    """An image may have from 10 KB to 15 MB."""
    assert service.post(path, {"images": [front(image(size))]}).status == status


@pytest.mark.parametrize(("count", "status"), [(0, 400), (1, 200), (10, 200), (11, 400)])
def test_a_request_may_have_from_1_to_10_images(service, path, image, count, status):
    """A request may have from 1 to 10 images."""
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
def test_an_invalid_image_is_refused_with_its_field_and_index(service, path, image, entry, field):
    """An invalid image returns a 400 that names the field and the index of the image."""
    answer = service.post(path, {"images": [front(image()) | entry]})
    assert (answer.status, [*answer.fields]) == (400, [field])


@pytest.mark.parametrize("body", [{}, {"images": None}, {"images": {}}, {"images": [7]}])
def test_a_body_without_a_list_of_images_returns_400(service, path, body):
    """A body without a list of images returns 400."""
    assert service.post(path, body).status == 400


def test_an_upload_replaces_the_images_of_its_sides(service, path, image):
    """An upload replaces the images of its sides; of two images of a side the last is kept."""
    old = service.post(path, {"images": [front(image())]}).json["images"]
    two = [front(image()), front(image(10_240, "application/pdf", b"%PDF-"))]
    service.post(path, {"images": two})
    [new] = service.get(path)["images"]
    assert (new["type"], new["content_type"]) == ("document-front", "application/pdf")
    assert new["id"] != old[0]["id"]


def test_leaves_action_required_when_complete(service, image):
    """The status details list the missing sides until all sides are uploaded."""
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


def test_a_get_returns_the_metadata_of_the_images_without_their_content(service, path):
    """A GET returns the metadata of the images without their content."""
    assert service.get(path).json["images"] == []
    made = path.split("/")[3]
    answer = service.upload(made, "selfie")
    read = service.get(path)
    assert (read.status, read.json) == (200, answer.json)
    assert answer.json.keys() == {"individual_id", "images"}
    fields = {"id", "type", "content_type", "created_at", "updated_at"}
    assert answer["images"][0].keys() == fields


def test_images_of_an_individual_that_needs_none_are_refused(service):
    """An unknown individual returns 404, one that verifies by token 400, an active one 422."""
    tokened, done = service.person("US", "on_ramp")["id"], service.person()["id"]
    assert [service.upload(each).status for each in ("x", tokened, done)] == [404, 400, 422]


def test_nothing_more_is_accepted_after_the_last_image(service):
    """An upload for a pending individual returns 422."""
    made = service.person("MX", "on_ramp")["id"]
    assert [service.upload(made).status for _ in range(2)] == [200, 422]


def test_images_read_of_nobody(service):
    """The images of an unknown individual return 404."""
    assert service.get("/v1/individuals/x/verification_images").status == 404
