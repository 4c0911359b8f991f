"""Rules of verification images: number, sides, sizes and types."""

from __future__ import annotations

import binascii
import re

from ..errors.base import Problem
from ..light_dataclass import light_dataclass
from ..spec import codes
from .fields import as_object, flat, is_object, need, one_of

_HEAD = re.compile(r"data:([a-z]+/[a-z]+);base64,")
# The spec says only "base64-encoded data URI": RFC 2397 also allows capitals and parameters.
_ANY_HEAD = re.compile(r"data:([a-z]+/[a-z]+)(?:;[^;,]*)*;base64,", re.IGNORECASE)
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
# The limits that hold whether a KB is 1,000 or 1,024 bytes.
SURE_MIN = 10_000
SURE_MAX = 15_000_000
_BOUNDS = "images.bounds"
_CONTENT = "images.content"
SPECIMEN = b"paylab-specimen:"
"""The prefix of the outcome inside a specimen, in a comment, a text chunk or a tag."""
_OUTCOME = re.compile(SPECIMEN + b"([a-z_]{1,60})")
# One container, two names: phones use either for the same file.
_SAME = {"image/heif": "image/heic"}
_NO_KIND = "is not a PDF, JPEG, PNG, HEIC, HEIF or TIFF file"


@light_dataclass(frozen=True)
class ImageSize:
    """Content that is encoded while it is sent: its size and first bytes."""

    size: int
    head: bytes

    @property
    def mime(self) -> str | None:
        """The type by its first bytes."""
        return sniff(self.head)


def check(body: object) -> list[Problem]:
    """Problems of an upload; contents are decoded one at a time, if their size is valid."""
    return is_object(body) or need(as_object(body), "images", _images)


def warn(size: int, field: str) -> list[Problem]:
    """A warning for an image that is too large if 15 MB are 15,000,000 bytes."""
    if not SURE_MAX < size <= codes.IMAGE_MAX:
        return []
    message = f"is more than {SURE_MAX:,} bytes: a service may count that as more than 15 MB"
    return [Problem(field, message, _BOUNDS)]


def decode_content(data_uri: str) -> tuple[str, bytes]:
    """The declared MIME type and the bytes of a data URI; ValueError if invalid."""
    mime = declared(data_uri)
    if mime is None:
        raise ValueError("must be a data URI like data:image/png;base64,...")
    try:
        return mime, binascii.a2b_base64(data_uri.partition(",")[2], strict_mode=True)
    except ValueError:
        raise ValueError("must be valid Base64 after the comma") from None


def declared(data_uri: object, head: re.Pattern[str] = _HEAD) -> str | None:
    """The MIME type a Base64 data URI declares, or None."""
    match = head.match(data_uri) if isinstance(data_uri, str) else None
    return match[1].lower() if match else None


def sniff(data: bytes) -> str | None:
    """The MIME type by the first bytes, if it is one of the six."""
    mime_type = next((mime for magic, mime in _SIGNATURES if data.startswith(magic)), None)
    return mime_type or (_BRANDS.get(data[8:12]) if data[4:8] == b"ftyp" else None)


def specimen_outcome(data_uri: str) -> str:
    """The status detail code in a specimen of this package, or ""."""
    try:
        outcome = _OUTCOME.search(decode_content(data_uri)[1])
    except ValueError:
        return ""
    return outcome[1].decode() if outcome else ""


def decoded_size(data_uri: str) -> int:
    """The size of the content in bytes, computed without decoding."""
    start = data_uri.index(",") + 1
    padding = data_uri.endswith("=") + data_uri.endswith("==")
    return (len(data_uri) - start) // 4 * 3 - padding


def _images(value: object, field: str) -> list[Problem]:
    if not isinstance(value, list | tuple):
        return [Problem(field, "must be a list")]
    counted = 1 <= len(value) <= codes.IMAGES_MAX
    count = [] if counted else [Problem(field, f"must be 1 to {codes.IMAGES_MAX} images")]
    first = enumerate(value[: codes.IMAGES_MAX])
    return count + flat(_image(item, f"{field}.{at}") for at, item in first)


def _image(item: object, at: str) -> list[Problem]:
    image = as_object(item)
    return is_object(item, at) or [
        *need(image, "type", one_of(codes.IMAGE_SIDES), at=at),
        *need(image, "content", _content, at=at),
    ]


def _content(value: object, field: str) -> list[Problem]:
    if isinstance(value, ImageSize):
        return _size(value.size, field) if value.mime else [Problem(field, _NO_KIND)]
    mime = declared(value)
    if not isinstance(value, str) or mime not in codes.IMAGE_TYPES:
        types = ", ".join(codes.IMAGE_TYPES)
        source = _CONTENT if declared(value, _ANY_HEAD) in codes.IMAGE_TYPES else "spec"
        return [Problem(field, f"must be a Base64 data URI of one of {types}", source)]
    return _size(decoded_size(value), field) or _decoded(value, field)


def _size(size: int, field: str) -> list[Problem]:
    """Problems of a size; the source is the spec if it is wrong for any definition of KB and MB."""
    least = codes.IMAGE_MIN
    most = codes.IMAGE_MAX
    if least <= size <= most:
        return []
    bound = (
        f"at least 10 KB ({least:,} bytes)" if size < least else f"at most 15 MB ({most:,} bytes)"
    )
    source = _BOUNDS if SURE_MIN <= size <= codes.IMAGE_MAX else "spec"
    return [Problem(field, f"must be {bound} when decoded", source)]


def _decoded(data_uri: str, field: str) -> list[Problem]:
    try:
        mime, data = decode_content(data_uri)
    except ValueError as error:
        return [Problem(field, str(error), _CONTENT if _with_breaks(data_uri) else "spec")]
    sniffed = sniff(data)
    if sniffed and _SAME.get(sniffed, sniffed) == _SAME.get(mime, mime):
        return []
    actual = f"of {sniffed}" if sniffed else "of no known type"
    return [Problem(field, f"says {mime}, but its first bytes are {actual}", _CONTENT)]


def _with_breaks(data_uri: str) -> bool:
    """Whether it is valid Base64 except for blanks and line breaks, which many decoders skip."""
    try:
        decode_content("".join(data_uri.split()))
    except ValueError:
        return False
    return True
