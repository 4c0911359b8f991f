"""Rules of verification images: number, sides, sizes and types."""

from __future__ import annotations

import binascii
import re
from collections.abc import Mapping

from ..errors.base import Problem
from ..light_dataclass import light_dataclass
from ..spec import codes
from .fields import check_field, check_object, join_problems, make_choice_check

_DATA_URI = re.compile(r"data:([a-z]+/[a-z]+);base64,")
# The spec says only "base64-encoded data URI": RFC 2397 also allows capitals and parameters.
_LENIENT_DATA_URI = re.compile(r"data:([a-z]+/[a-z]+)(?:;[^;,]*)*;base64,", re.IGNORECASE)
_SIGNATURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"%PDF-", "application/pdf"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)
_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs")
_BRANDS = dict.fromkeys(_HEIC_BRANDS, "image/heic")
_BRANDS |= dict.fromkeys((b"mif1", b"mif2", b"msf1", b"heif"), "image/heif")
# The sizes that are valid whether a KB is 1,000 or 1,024 bytes.
CERTAIN_SIZE_MIN = 10_000
CERTAIN_SIZE_MAX = 15_000_000
_BOUNDS = "images.bounds"
_CONTENT = "images.content"
SPECIMEN = b"paylab-specimen:"
"""The prefix of the outcome inside a specimen, in a comment, a text chunk or a tag."""
_OUTCOME = re.compile(SPECIMEN + b"([a-z_]{1,60})")
# One container, two names: phones use either for the same file.
_CANONICAL_TYPES = {"image/heif": "image/heic"}
_UNKNOWN_TYPE = "is not a PDF, JPEG, PNG, HEIC, HEIF or TIFF file"


@light_dataclass(frozen=True)
class ImageSize:
    """Content that is encoded while it is sent: its size and first bytes."""

    size: int
    head: bytes

    @property
    def mime(self) -> str | None:
        """The MIME type by its first bytes; None if it is not an image type of the spec."""
        return sniff_type(self.head)


def check(body: object) -> list[Problem]:
    """Check an upload; contents are decoded one at a time, if their size is valid."""
    if not isinstance(body, Mapping):
        return check_object(body)
    return check_field(body, "images", _check_images)


def find_warnings(size: int, field: str) -> list[Problem]:
    """Return a warning for an image that is too large if 15 MB are 15,000,000 bytes."""
    if not CERTAIN_SIZE_MAX < size <= codes.IMAGE_MAX:
        return []
    message = (
        f"is more than {CERTAIN_SIZE_MAX:,} bytes: a service may count that as more than 15 MB"
    )
    return [Problem(field, message, _BOUNDS)]


def decode_content(data_uri: str) -> tuple[str, bytes]:
    """Return the declared MIME type and the bytes of a data URI; ValueError if it is invalid."""
    declared_mime = declared_type(data_uri)
    if declared_mime is None:
        raise ValueError("must be a data URI like data:image/png;base64,...")
    try:
        return declared_mime, binascii.a2b_base64(data_uri.partition(",")[2], strict_mode=True)
    except ValueError:
        raise ValueError("must be valid Base64 after the comma") from None


def declared_type(data_uri: object, pattern: re.Pattern[str] = _DATA_URI) -> str | None:
    """Return the MIME type that a Base64 data URI declares; None if it is no data URI."""
    uri_match = pattern.match(data_uri) if isinstance(data_uri, str) else None
    return uri_match[1].lower() if uri_match else None


def sniff_type(first_bytes: bytes) -> str | None:
    """Return the MIME type that the first bytes show; None if it is not one of the six."""
    for signature, mime in _SIGNATURES:
        if first_bytes.startswith(signature):
            return mime
    # HEIC and HEIF files start with the length of a box, its type "ftyp" and their brand.
    return _BRANDS.get(first_bytes[8:12]) if first_bytes[4:8] == b"ftyp" else None


def specimen_outcome(data_uri: str) -> str:
    """Return the status detail code in a specimen of this package; "" for other images."""
    try:
        _, image_bytes = decode_content(data_uri)
    except ValueError:
        return ""
    outcome_match = _OUTCOME.search(image_bytes)
    return outcome_match[1].decode() if outcome_match else ""


def decoded_size(data_uri: str) -> int:
    """Return the size of the content in bytes, computed without decoding.

    Base64 writes 3 bytes as 4 characters, and pads the last group with "=".
    """
    content_start = data_uri.index(",") + 1
    padding_length = data_uri.endswith("=") + data_uri.endswith("==")
    return (len(data_uri) - content_start) // 4 * 3 - padding_length


def _check_images(images: object, field: str) -> list[Problem]:
    """Check the number of images, and each image up to the maximum number."""
    if not isinstance(images, list | tuple):
        return [Problem(field, "must be a list")]
    problems = []
    if not 1 <= len(images) <= codes.IMAGES_MAX:
        problems = [Problem(field, f"must be 1 to {codes.IMAGES_MAX} images")]
    checked_images = enumerate(images[: codes.IMAGES_MAX])
    return problems + join_problems(
        _check_image(image, f"{field}.{index}") for index, image in checked_images
    )


def _check_image(image: object, path: str) -> list[Problem]:
    """Check the side and the content of one image."""
    if not isinstance(image, Mapping):
        return check_object(image, path)
    return [
        *check_field(image, "type", make_choice_check(codes.IMAGE_SIDES), path=path),
        *check_field(image, "content", _check_content, path=path),
    ]


def _check_content(content: object, field: str) -> list[Problem]:
    """Check the type, the size and the bytes of an image."""
    if isinstance(content, ImageSize):
        return _check_unencoded_image(content, field)
    if not isinstance(content, str) or declared_type(content) not in codes.IMAGE_TYPES:
        return [_make_data_uri_problem(content, field)]
    return _check_size(decoded_size(content), field) or _check_bytes(content, field)


def _check_unencoded_image(image: ImageSize, field: str) -> list[Problem]:
    """Check the type and the size of an image that is encoded while it is sent."""
    if image.mime is None:
        return [Problem(field, _UNKNOWN_TYPE)]
    return _check_size(image.size, field)


def _make_data_uri_problem(content: object, field: str) -> Problem:
    """The problem of content that is no data URI of an image, or one in another spelling."""
    types_text = ", ".join(codes.IMAGE_TYPES)
    is_other_spelling = declared_type(content, _LENIENT_DATA_URI) in codes.IMAGE_TYPES
    rule_source = _CONTENT if is_other_spelling else "spec"
    return Problem(field, f"must be a Base64 data URI of one of {types_text}", rule_source)


def _check_size(size: int, field: str) -> list[Problem]:
    """Check a size; the source is the spec if it is wrong for any definition of KB and MB."""
    if codes.IMAGE_MIN <= size <= codes.IMAGE_MAX:
        return []
    if size < codes.IMAGE_MIN:
        limit_text = f"at least 10 KB ({codes.IMAGE_MIN:,} bytes)"
    else:
        limit_text = f"at most 15 MB ({codes.IMAGE_MAX:,} bytes)"
    rule_source = _BOUNDS if CERTAIN_SIZE_MIN <= size <= codes.IMAGE_MAX else "spec"
    return [Problem(field, f"must be {limit_text} when decoded", rule_source)]


def _check_bytes(data_uri: str, field: str) -> list[Problem]:
    """Check that the content is valid Base64 of a file of the declared type."""
    try:
        declared_mime, image_bytes = decode_content(data_uri)
    except ValueError as error:
        rule_source = _CONTENT if _is_base64_with_spaces(data_uri) else "spec"
        return [Problem(field, str(error), rule_source)]
    sniffed_mime = sniff_type(image_bytes)
    if sniffed_mime and _find_canonical_type(sniffed_mime) == _find_canonical_type(declared_mime):
        return []
    actual_text = f"of {sniffed_mime}" if sniffed_mime else "of no known type"
    return [
        Problem(field, f"says {declared_mime}, but its first bytes are {actual_text}", _CONTENT)
    ]


def _find_canonical_type(mime: str) -> str:
    """Return one name for types that are the same, such as image/heic for image/heif."""
    return _CANONICAL_TYPES.get(mime, mime)


def _is_base64_with_spaces(data_uri: str) -> bool:
    """Return whether it is Base64 with spaces or line breaks, which many decoders skip."""
    try:
        decode_content("".join(data_uri.split()))
    except ValueError:
        return False
    return True
