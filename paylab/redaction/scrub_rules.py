"""A rule of `paylab scrub`: a kind of secret, how it is found, and what is only a placeholder."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import Any, NamedTuple

from ..corridors.examples import DOCUMENTS, PEOPLE
from ..spec.codes import IMAGE_MIN
from .encodings import is_image
from .search import decode_image

PDF = "application/pdf"
SHORTEST_URI = 60
QR_CODE = 2**16
LONGEST_WORD = 24
_EXAMPLE_DOCUMENTS = (*DOCUMENTS.values(), *(person["document"] for person in PEOPLE.values()))
EXAMPLE_NUMBERS = frozenset(str(document["number"]) for document in _EXAMPLE_DOCUMENTS)


Spans = Iterator[tuple[int, int]]


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
    form: str | re.Pattern[str],
    is_harmless: Callable[[str], bool],
    words: tuple[str, ...] = (),
    example: str = "",
) -> Rule:
    """A rule for the first group of a form, or the whole match, unless its text is allowed."""
    pattern = re.compile(form)
    group = 1 if pattern.groups else 0

    def find(text: str) -> Spans:
        matches = pattern.finditer(text)
        return (match.span(group) for match in matches if not is_harmless(match[group]))

    return Rule(kind, find, words, example=example)


def is_small_base64_image(base64: str) -> bool:
    """Whether Base64 is that of a thumbnail or a QR code."""
    try:
        return is_small_image(binascii.a2b_base64(base64))
    except ValueError:
        return False


def is_small_image(data: bytes) -> bool:
    """Whether an image is smaller than any of the service, or a square PNG of two colours."""
    if len(data) < IMAGE_MIN:
        return True
    if len(data) > QR_CODE or not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return False
    width, height, depth = unpack_from(">IIB", data, 16)
    return bool(width == height and depth == 1)


def is_small_picture(data: bytes) -> bool:
    """Whether an image is small; a PDF never is."""
    return is_small_image(data) and not data.startswith(b"%PDF")


def is_image_list(items: list[Any]) -> bool:
    """Whether a list of numbers is an image."""
    is_bytes = len(items) >= 16 and all(type(item) is int and 0 <= item < 256 for item in items)
    image_bytes = bytes(items) if is_bytes else b""
    return is_image(image_bytes) and not is_small_picture(image_bytes)


def replace_image(match: re.Match[str]) -> str | None:
    """The replacement of an image; None for a small one that is not a PDF."""
    image_bytes = decode_image(match)
    image_type = (match["type"] or match["kind"] or "").replace("\\", "").lower()
    is_pdf = image_type == PDF or image_bytes.startswith((b"%PDF", b"b'%PDF", b'b"%PDF'))
    if not is_pdf and is_small_image(image_bytes):
        return None
    kind_name = "data URI" if image_type else "PDF" if is_pdf else "image"
    return None if len(match[0]) < SHORTEST_URI else f"[removed: {kind_name}]"


_STAND_IN = re.compile(
    r"(?:an?|your|my|our|the|this|some|test|demo|example|fake|dummy|secret|share|token|api|key|paylab|id"
    r"|here|name|value|env|change|me|placeholder|x{3,}|[\W_])+",
    re.IGNORECASE,
)


_WORDS = re.compile(rf"_*[A-Za-z]{{1,{LONGEST_WORD}}}\d{{0,3}}(?:_+[A-Za-z]{{0,12}}\d{{0,3}})*")


def is_stand_in(word: str) -> bool:
    """Whether a text is a placeholder: `***`, `env:NAME`, `<SECRET>`, `$NAME`, `your-key`."""
    is_reference = word.startswith(("env:", "keyring:", "<", "[", "$", "...", "***"))
    without_fields = re.sub(r"\{[^{}]*\}", "", word)
    return is_reference or not without_fields or bool(_STAND_IN.fullmatch(without_fields))


def is_placeholder(word: str) -> bool:
    """Whether a text is a placeholder or a word of prose."""
    return is_stand_in(word) or (len(word) <= LONGEST_WORD and not any(map(str.isdigit, word)))


def is_word(text: str) -> bool:
    """Whether a text without quotes is a placeholder, a word, or a name in code."""
    text_parts = text.split(".")
    is_path = len(text_parts) > 1 and all(
        p.isidentifier() and len(p) <= LONGEST_WORD for p in text_parts
    )
    return is_path or is_placeholder(text) or bool(_WORDS.fullmatch(text))


def is_example_number(number: str) -> bool:
    """Whether a document number belongs to an example person or is all zeros."""
    return number in EXAMPLE_NUMBERS or not set(number) & set("123456789")
