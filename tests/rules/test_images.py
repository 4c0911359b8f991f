"""The rules of verification images, with real files made by Pillow."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO

import pytest
from PIL import Image

from paylab.rules import images
from paylab.spec import codes

SMALLEST, LARGEST = 10_240, 15_728_640
# The first bytes of a photo from a phone: size, ftyp, brand heic, compatible mif1 and heic.
HEIC = bytes.fromhex("000000186674797068656963000000006d69663168656963")
HEIF = HEIC.replace(b"ftypheic", b"ftypmif1")
AVIF = HEIC.replace(b"ftypheic", b"ftypavif")
JPEG = b"\xff\xd8\xff\xe0"


def picture(kind):
    """A small picture as a file of this kind."""
    file = BytesIO()
    Image.new("RGB", (64, 64), "teal").save(file, kind)
    return file.getvalue()


def uri(data, mime="image/jpeg", size=SMALLEST):
    """The bytes, filled up to a size, as a data URI."""
    return f"data:{mime};base64," + b64encode(data.ljust(size, b"\0")).decode()


def upload(content, side="selfie", count=1):
    """A body with the same image `count` times."""
    return {"images": [{"type": side, "content": content}] * count}


def said(body):
    """The message of the only problem, or an empty text."""
    problems = images.check(body)
    assert len(problems) <= 1
    return problems[0].message if problems else ""


GOOD = uri(JPEG)


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (picture("JPEG"), "image/jpeg"),
        (picture("PNG"), "image/png"),
        (picture("TIFF"), "image/tiff"),
        (b"MM\0*\0\0\0\x08", "image/tiff"),
        (picture("PDF"), "application/pdf"),
        (HEIC, "image/heic"),
        (HEIF, "image/heif"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(len(value)),
)
def test_a_file_is_accepted_only_as_its_type(data, mime):
    """A file is recognized and accepted only as its type; HEIC and HEIF pass as each other."""
    assert images.sniff_type(data) == mime
    good = [one for one in codes.IMAGE_TYPES if not images.check(upload(uri(data, one)))]
    family = ["image/heic", "image/heif"]
    assert good == (family if mime in family else [mime])


@pytest.mark.parametrize("data", [b"", b"\xff\xd8", b"GIF89a", AVIF, b"RIFF", b"%PDF", b"\0" * 99])
def test_a_file_of_none_of_the_six_types_is_not_recognized_and_is_refused(data):
    """A file of none of the six types is not recognized and is refused."""
    assert images.sniff_type(data) is None
    assert "no known type" in said(upload(uri(data)))


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (SMALLEST - 1, "at least 10 KB"),
        (SMALLEST, ""),
        (SMALLEST + 1, ""),
        (LARGEST - 1, ""),
        (LARGEST, ""),
        (LARGEST + 1, "at most 15 MB"),
    ],
)
def test_the_smallest_and_the_largest_size_are_accepted(size, words):
    """The smallest and the largest size are accepted; one byte less or more is refused."""
    message = said(upload(uri(JPEG, size=size)))
    assert words in message
    assert bool(words) is bool(message)


@pytest.mark.parametrize(("count", "good"), [(0, False), (1, True), (10, True), (11, False)])
def test_a_body_must_have_one_to_ten_images(count, good):
    """A body must have one to ten images."""
    assert (said(upload(GOOD, count=count)) == "") is good


@pytest.mark.parametrize("side", ["document-front", "document-back", "selfie"])
def test_each_of_the_three_sides_is_accepted_and_a_side_may_be_sent_twice(side):
    """Each of the three sides is accepted, and a side may be sent twice."""
    assert images.check(upload(GOOD, side, count=2)) == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "hello",
        GOOD.removeprefix("data:"),
        GOOD.replace("image/jpeg", "image/gif"),
        GOOD.replace("image/jpeg", "image/jpg"),
        GOOD.replace(";base64", ""),
        GOOD.replace("data:", "DATA:"),
        GOOD.replace("image/jpeg;", "image/jpeg;charset=utf-8;"),
        5,
        True,
        ["x"],
        {"data": "x"},
    ],
)
def test_only_a_base64_data_uri_of_one_of_the_six_types_is_accepted(content):
    """Only a Base64 data URI of one of the six types is accepted."""
    assert "must be a Base64 data URI" in said(upload(content))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("AAAA", "AA\nAA"),
        ("AAAA", "AA=A"),
        ("AAAA", "AA-_"),
        ("AAAA", "AAé/"),
        ("AAAA", "\ud83dAAA"),
    ],
)
def test_base64_with_line_breaks_padding_inside_or_another_alphabet_is_refused(old, new):
    """Base64 with line breaks, padding inside or another alphabet is refused."""
    assert "valid Base64" in said(upload(GOOD.replace(old, new, 1)))


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_base64_of_another_length_is_refused(cut):
    """Base64 whose length is not a multiple of four is refused."""
    assert "valid Base64" in said(upload(uri(JPEG, size=12_000)[:-cut]))


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["images"]),
        ({"images": "x"}, ["images"]),
        ({"images": {}}, ["images"]),
        ({"images": [5]}, ["images.0"]),
        ({"images": [{}]}, ["images.0.type", "images.0.content"]),
        ({"images": [{"type": "back", "content": GOOD}]}, ["images.0.type"]),
        ({"images": [{"type": ["selfie"], "content": GOOD}, None]}, ["images.0.type", "images.1"]),
        (
            {"images": [{"content": "x"}] * 12},
            [
                "images",
                *(f"images.{at}.{name}" for at in range(10) for name in ("type", "content")),
            ],
        ),
        ([], [""]),
    ],
)
def test_the_problems_have_these_fields_in_this_order(body, fields):
    """The problems have these fields, in this order; only the first ten images are checked."""
    assert [problem.field for problem in images.check(body)] == fields


def test_a_lawful_body_of_the_largest_size_is_accepted():
    """Ten images of the largest size, 210 MB of Base64, are accepted."""
    assert images.check(upload(uri(JPEG, size=LARGEST), count=10)) == []


def test_too_large_is_told_without_decoding():
    """An image that is too large is refused by its length, without decoding it."""
    assert "at most 15 MB" in said(upload("data:image/png;base64," + "!" * 30_000_000))


def test_decode_content_returns_the_declared_type_and_the_bytes_or_raises_valueerror():
    """`decode_content` returns the declared type and the bytes, or raises ValueError."""
    assert images.decode_content("data:image/png;base64,aGVsbG8=") == ("image/png", b"hello")
    with pytest.raises(ValueError, match="data URI"):
        images.decode_content("hello")
    with pytest.raises(ValueError, match="Base64"):
        images.decode_content("data:image/png;base64,aGVsbG8")


@pytest.mark.parametrize("data", [b"", b"a", b"ab", b"abc", b"abcd"])
def test_size_is_told_from_the_length(data):
    """The decoded size is computed from the length, with up to two padding characters."""
    text = f"data:image/png;base64,{b64encode(data).decode()}"
    assert images.decoded_size(text) == len(data)


def test_what_was_measured_is_immutable(mutable):
    """No value of the rules can be changed."""
    assert mutable("rules") == set()
