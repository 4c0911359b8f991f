"""A rule of `paylab scrub`: a kind of secret, how it is found, and which images stay."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import Any, NamedTuple

from ..spec.codes import IMAGE_MIN
from .encodings import is_image
from .search import decode_image

PDF = "application/pdf"
URI_LENGTH_MIN = 60
"""Minimum characters of an image in a text; less has no picture."""
LISTED_BYTES_MIN = 16
"""Minimum numbers of a list that can be an image: fewer do not show what kind of file it is."""
QR_CODE_BYTES_MAX = 2**16


Spans = Iterator[tuple[int, int]]
"""The start and end of each place in a text."""


class Rule(NamedTuple):
    """A kind of secret, and the function that finds its places in a text.

    A text is searched if it has one of the `words`, in lower case, and if `is_searched` says so:
    a test that costs little, and is true for every text in which the rule finds something.
    `example` is a text in which it finds one secret.
    """

    kind: str
    find: Callable[[str], Spans]
    words: tuple[str, ...] = ()
    is_searched: Callable[[str], bool] | None = None
    example: str = ""


def make_pattern_rule(
    kind: str,
    pattern_or_text: str | re.Pattern[str],
    is_harmless: Callable[[str], bool],
    words: tuple[str, ...] = (),
    example: str = "",
) -> Rule:
    """Make a rule that finds the first group of a pattern, or its whole match if it has no group.

    A match that is harmless is no secret.
    """
    pattern = re.compile(pattern_or_text)
    group_number = 1 if pattern.groups else 0

    def find(text: str) -> Spans:
        """Yield the places of the matches that are not harmless."""
        for match in pattern.finditer(text):
            if not is_harmless(match[group_number]):
                yield match.span(group_number)

    return Rule(kind, find, words, example=example)


def is_never_harmless(_text: str) -> bool:
    """False for any text: for a rule each of whose matches is a secret."""
    return False


def is_small_base64_image(base64_text: str) -> bool:
    """Whether Base64 is a thumbnail or a QR code; False if it is not Base64."""
    try:
        return is_small_image(binascii.a2b_base64(base64_text))
    except ValueError:
        return False


def is_small_image(image_bytes: bytes) -> bool:
    """Whether an image is too small for the service (10 KB), or is a QR code.

    A QR code is a square PNG of two colours, of at most 64 KB.
    """
    if len(image_bytes) < IMAGE_MIN:
        return True
    if len(image_bytes) > QR_CODE_BYTES_MAX or not image_bytes.startswith(b"\x89PNG\r\n\x1a\n"):
        return False
    # The header of a PNG has them at this offset.
    pixel_width, pixel_height, bit_depth = unpack_from(">IIB", image_bytes, 16)
    return bool(pixel_width == pixel_height and bit_depth == 1)


def is_small_picture(image_bytes: bytes) -> bool:
    """Whether an image is small; a PDF never is."""
    return is_small_image(image_bytes) and not image_bytes.startswith(b"%PDF")


def is_image_list(numbers: list[Any]) -> bool:
    """Whether a list has the bytes of an image as numbers; a small image does not count."""
    are_bytes = all(type(byte_value) is int and 0 <= byte_value < 256 for byte_value in numbers)
    if len(numbers) < LISTED_BYTES_MIN or not are_bytes:
        return False
    image_bytes = bytes(numbers)
    return is_image(image_bytes) and not is_small_picture(image_bytes)


def replace_image(match: re.Match[str]) -> str | None:
    """The mark in place of an image; None for one that stays: a small image that is no PDF."""
    image_bytes = decode_image(match)
    image_type = (match["type"] or match["kind"] or "").replace("\\", "").lower()
    is_pdf = image_type == PDF or image_bytes.startswith((b"%PDF", b"b'%PDF", b'b"%PDF'))
    is_small = not is_pdf and is_small_image(image_bytes)
    if is_small or len(match[0]) < URI_LENGTH_MIN:
        return None
    if image_type:
        return "[removed: data URI]"
    return "[removed: PDF]" if is_pdf else "[removed: image]"
