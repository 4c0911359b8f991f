"""Finds what must not be shown: secrets, numbers of documents, signatures, tokens and images."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from hashlib import sha256

from ..spec import codes
from . import escapes
from .escapes import Replacement
from .fields import (
    LABELLED_NUMBER,
    LIST_ITEM,
    NESTED_NUMBER_FIELD,
    NUMBER_FIELD,
    NUMBER_IN_OWN_FIELD,
    REFUSED_NUMBER,
    SENTENCE_WORDS,
    TYPE_NAMES,
    UNQUOTED_GROUP,
    VALUE,
    WORD_WITH_DIGITS,
    FoundText,
    find_share_tokens,
    fold_case,
)
from .hiding import HIDDEN, Secret

_CODE = (
    r"(?:(?-i:[A-Za-z0-9+/_-]++)|\\{1,8}(?:[nr/]|u00[0-9a-f]{2})|%[0-9a-f]{2}|&\#x?[0-9a-f]{1,6};|&(?:sol|plus);"
    r"|[\r\n]{1,2}(?=[A-Za-z0-9+/]{16}))++(?:=|%3d|&\#61;|\\u003d){0,2}"
)
IMAGE = re.compile(
    rf"""
      data:(?P<type>[\w.+-]+\\?/[\w.+-]+)?(?:;[^,;"'<>\s]{{1,200}}){{0,8}};base64,(?P<data>{_CODE})
    | data:(?P<kind>image/(?!svg)[\w.+-]+|application/pdf)(?:;[^,;"'<>\s]{{1,200}}){{0,8}},
        (?P<percent>[^\s"'<>]{{40,}})
    | (?<![A-Za-z0-9+/])(?=(?:iVBORw0K|/9j/|JVBERi0|SUkqA|TU0AK|R0lGOD|UklGR
        |AAAA[A-Za-z0-9+/]{{2}}Z0eX)
        [A-Za-z0-9+/_%&\\-]{{40}})(?P<bare>{_CODE})
    | b(?P<quote>["'])(?P<bytes>(?:\\x89PNG|\\xff\\xd8\\xff|%PDF-|II\*\\x00|MM\\x00\*
        |\\x00\\x00\\x00.{{1,4}}ftyp)(?:(?!(?P=quote))[^\\]|\\.){{20,}}+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""An image or PDF as a data URI, as bare Base64 and as the repr of bytes."""

_IMAGE_STARTS = (
    "data:", "ivborw0k", "/9j/", "jvberi0", "sukqa", "tu0ak", "r0lgod", "uklgr", "z0ex",
    "b'\\", "b'ii*", "b'mm\\", "b'%pdf", 'b"\\', 'b"ii*', 'b"mm\\', 'b"%pdf',
)  # fmt: skip

_VALUE_END = r"""[^\s,;"'<>&\\]+"""
_NAME_END_AND_SEPARATOR = (
    r"""(?:\\?['"]?\s*[:=]\s*b?\\?['"]?|\\?['"]\s*,\s*b?\\?['"](?!x-|host\b))"""
)
# The value of a header or field with this name, in text, JSON or tuples.
LABELLED_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("signature", re.compile(rf"\bSignature=({_VALUE_END})", re.IGNORECASE)),
    (
        "signature",
        re.compile(
            rf"\bSignature{_NAME_END_AND_SEPARATOR}([A-Za-z0-9+/=_-]{{20,}})", re.IGNORECASE
        ),
    ),
    ("credential", re.compile(rf"\bCredential=({_VALUE_END})", re.IGNORECASE)),
    (
        "x-api-key",
        re.compile(rf"\bx-api-key{_NAME_END_AND_SEPARATOR}({_VALUE_END})", re.IGNORECASE),
    ),
    (
        "authorization",
        re.compile(
            rf"\b(?:proxy-)?authorization{_NAME_END_AND_SEPARATOR}\w+\s+(?!Credential)({_VALUE_END})",
            re.IGNORECASE,
        ),
    ),
)
SIGNATURE = re.compile(r"(?<![A-Za-z0-9+/])((?:[A-Za-z0-9+/][\r\n]{0,2}){86}==)")
"""Base64 of 64 characters: the service's signatures are Base64 of 64 hexadecimal digits."""

DOCUMENT_TYPES = frozenset(codes.DOCUMENT_TYPES)
_TYPE = rf"""["']?\btype["']?\s*[:=]\s*["']?(?:{"|".join(codes.DOCUMENT_TYPES)})\b["']?"""
_KEY = r"""\bnumber["']?\s*[:=]\s*"""
BESIDE_DOCUMENT_TYPE = (
    re.compile(rf"""{_TYPE}[^{{}}]{{0,200}}?{_KEY}({VALUE})""", re.IGNORECASE),
    re.compile(rf"""{_KEY}({VALUE})[^{{}}]{{0,200}}?{_TYPE}""", re.IGNORECASE),
)
"""The number of a document that is recognised by its type before or after it."""

PLACEHOLDER_CHARACTERS = frozenset("0 .-/")
"""Placeholder numbers of examples, which are not searched elsewhere."""

NUMBER_LENGTH_MIN = 5
"""Minimum characters of a document number that is also searched by value."""

_URL_SAFE = str.maketrans("-_", "+/")

VALUES_MAX = 1000
"""Maximum document numbers and share tokens that are searched by value."""

TEXT_LENGTH_MAX = 2**18
"""Maximum characters of a text that are searched and kept, without images."""

SECRET_LENGTH_MIN = 8
"""Minimum length of a secret that is also found inside words."""


def clean(text: str, secrets: Iterable[Secret], values: Iterable[str] = ()) -> str:
    """Hide secrets, `values`, signatures, document numbers, share tokens and images in a text."""
    return escapes.replace_in_layers(_shorten(text), partial(_find_secrets, secrets, values))


def find_named_values(text: str) -> list[str]:
    """The document numbers and share tokens in a text.

    A number is listed twice: as it stands, and with its letters and digits alone.
    """
    named_values = list[str]()

    def collect_values(layer_text: str, _depth: int) -> Iterable[Replacement]:
        """Collect the values in a decoded text, and replace nothing."""
        named_values.extend(_find_distinctive_values(layer_text))
        return ()

    escapes.replace_in_layers(_shorten(text), collect_values)
    return named_values[:VALUES_MAX]


def _find_distinctive_values(text: str) -> Iterator[str]:
    """Yield the document numbers and share tokens that are long enough to search elsewhere."""
    for document_number, _start, _end in find_document_numbers(text):
        for spelling in (document_number, "".join(filter(str.isalnum, document_number))):
            is_placeholder = PLACEHOLDER_CHARACTERS.issuperset(spelling)
            if len(spelling) >= NUMBER_LENGTH_MIN and not is_placeholder:
                yield spelling
    for token, _start, _end in find_share_tokens(text):
        if len(token) >= SECRET_LENGTH_MIN:
            yield escapes.decode(token)


def _find_secrets(
    secrets: Iterable[Secret], values: Iterable[str], text: str, depth: int
) -> Iterator[Replacement]:
    """Yield replacements of the secrets in a text; `depth` is how often it was decoded.

    They may overlap: `replace_parts` merges them.
    """
    yield from _find_shortened_images(text, depth)
    folded_text = fold_case(text)
    for secret in secrets:
        yield from _find_secret_text(secret.reveal(), text, folded_text)
    for named_value in values:
        for secret_start, secret_end, _ in _find_secret_text(named_value, text, folded_text):
            yield Replacement(
                secret_start, secret_end, _choose_mark(text, secret_start, secret_end, depth)
            )
    for label_word, pattern in LABELLED_PATTERNS:
        if label_word in folded_text:
            for match in pattern.finditer(text):
                yield Replacement(match.start(1), match.end(1), HIDDEN)
    if "==" in text:  # faster than the pattern alone
        for match in SIGNATURE.finditer(text):
            if is_signature(match[1]):
                yield Replacement(match.start(1), match.end(1), HIDDEN)
    for _, secret_start, secret_end in (*find_document_numbers(text), *find_share_tokens(text)):
        yield Replacement(
            secret_start, secret_end, _choose_mark(text, secret_start, secret_end, depth)
        )


def _shorten(text: str) -> str:
    """Cut a text that is too long even with short images; any other text stays as it is."""
    if len(text) <= TEXT_LENGTH_MAX:
        return text
    short_text = escapes.replace_in_text(text, _find_shortened_images)
    if len(short_text) <= TEXT_LENGTH_MAX:
        return short_text
    return f"{short_text[:TEXT_LENGTH_MAX]}… <{len(short_text)} characters>"


def is_signature(text: str) -> bool:
    """Whether Base64 text has the form of a request signature."""
    try:
        return bool(re.fullmatch(rb"[0-9a-f]{64}", a2b_base64(text)))
    except ValueError:
        return False


def make_image_finder(replace_match: Callable[[re.Match[str]], str | None]) -> escapes.Find:
    """Make a function that finds images in a text.

    `replace_match` returns the text in place of an image, or None for an image that stays.
    """

    def find(text: str, _depth: int) -> Iterator[Replacement]:
        """Yield the replacements of the images; a text without the start of any is not searched."""
        folded_text = fold_case(text)
        if any(image_start in folded_text for image_start in _IMAGE_STARTS):
            for match in IMAGE.finditer(text):
                replacement = replace_match(match)
                if replacement is not None:
                    yield Replacement(*match.span(), replacement)

    return find


def decode_image(match: re.Match[str]) -> bytes:
    """The bytes of an image that a pattern found; the bytes of its text if it is undecodable."""
    base64_text = match["data"] or match["bare"]
    if base64_text is None:
        return match[0].encode("utf-8", "surrogatepass")
    try:
        plain_base64 = escapes.decode(base64_text.replace("\\/", "/")).translate(_URL_SAFE)
        return a2b_base64(plain_base64 + "==")  # padding that is too long is ignored
    except ValueError:
        return base64_text.encode()


def _describe_image(match: re.Match[str]) -> str:
    """Describe an image in its place: `data:image/png;base64,<70 bytes, sha256 9f...>`."""
    image_bytes = decode_image(match)
    image_type = match["type"] or match["kind"]
    prefix = f"data:{image_type or ''};base64," if image_type or match["data"] else ""
    return f"{prefix}<{len(image_bytes)} bytes, sha256 {sha256(image_bytes).hexdigest()[:16]}>"


_find_shortened_images = make_image_finder(_describe_image)


def find_document_numbers(text: str) -> Iterator[FoundText]:
    """Yield the document numbers in fields, beside labels and in refusals, without quotes."""
    lower_text = fold_case(text)
    field_patterns = _choose_field_patterns(lower_text)
    for field_pattern in field_patterns:
        for field_match in field_pattern.finditer(text):
            yield from _find_numbers_in_value(text, *field_match.span(1))
    if field_patterns:
        for label_match in LABELLED_NUMBER.finditer(text):
            labelled_number = escapes.decode(label_match["number"])
            yield FoundText(labelled_number, *label_match.span("number"))
    if "document" in lower_text:
        for message_match in REFUSED_NUMBER.finditer(text):
            for number_match in WORD_WITH_DIGITS.finditer(text, *message_match.span()):
                yield FoundText(escapes.decode(number_match[0]), *number_match.span())


def _choose_field_patterns(lower_text: str) -> list[re.Pattern[str]]:
    """The patterns for fields of document numbers that can match in a text in lower case."""
    patterns: list[re.Pattern[str]] = []
    if any(type_name in lower_text for type_name in TYPE_NAMES):
        patterns.append(NUMBER_IN_OWN_FIELD)
    if "document" in lower_text:
        patterns += [NUMBER_FIELD, *NESTED_NUMBER_FIELD]
    if "number" in lower_text:
        patterns += BESIDE_DOCUMENT_TYPE
    return patterns


def _find_numbers_in_value(text: str, value_start: int, value_end: int) -> Iterator[FoundText]:
    """Yield the numbers in the value of a field; the value may be a list."""
    for item_match in LIST_ITEM.finditer(text, value_start, value_end):
        group_number = item_match.lastindex or 0
        decoded_value = escapes.decode(item_match[group_number])
        if "://" in decoded_value:  # the address of a document is no number
            continue
        is_quoted = group_number < UNQUOTED_GROUP
        digits_min = 1 if is_quoted else 4  # a word without quotes may be prose
        has_digits = sum(map(str.isdigit, decoded_value)) >= digits_min
        if has_digits and not SENTENCE_WORDS.search(decoded_value):
            yield FoundText(decoded_value, *item_match.span(group_number))


def _choose_mark(text: str, start: int, end: int, depth: int) -> str:
    """The mark that replaces a part of a text: `***`, in quotes if the part is a number of JSON.

    Without quotes the text would be no JSON any more.
    """
    character_before = text[:start].rstrip()[-1:]
    character_after = text[end:].lstrip()[:1]
    is_json_number = character_before in (":", "[", ",") and character_after in (",", "]", "}")
    is_decoded = depth > 0  # quotes would have to be escaped
    return f'"{HIDDEN}"' if is_json_number and not is_decoded else HIDDEN


def _find_secret_text(secret_text: str, text: str, folded_text: str) -> Iterator[Replacement]:
    """Yield replacements of a secret: plain in any case, or as Base64 or hexadecimal digits.

    A short secret is not looked for inside words.
    """
    for spelling in _list_spellings(secret_text):
        for spelling_start in find_occurrences(spelling, folded_text):
            spelling_end = spelling_start + len(spelling)
            character_before = text[max(0, spelling_start - 1) : spelling_start]
            character_after = text[spelling_end : spelling_end + 1]
            is_inside_word = re.search(r"\w", character_before + character_after) is not None
            if len(secret_text) >= SECRET_LENGTH_MIN or not is_inside_word:
                yield Replacement(spelling_start, spelling_end, HIDDEN)
    for spelling in _list_encodings(secret_text):
        for spelling_start in find_occurrences(spelling, text):
            yield Replacement(spelling_start, spelling_start + len(spelling), HIDDEN)


def find_occurrences(part: str, text: str) -> Iterator[int]:
    """Yield every offset of `part` in `text`, without overlaps."""
    part_start = text.find(part)
    while part_start >= 0:
        yield part_start
        part_start = text.find(part, part_start + len(part))


@lru_cache(maxsize=4096)
def _list_spellings(secret_text: str) -> tuple[str, ...]:
    """A secret in lower case as it is, decoded, and with "+" for spaces; the longest first."""
    spellings = {secret_text, escapes.decode(secret_text), secret_text.replace(" ", "+")}
    folded_spellings = {fold_case(spelling) for spelling in spellings if spelling}
    return tuple(sorted(folded_spellings, key=len, reverse=True))


@lru_cache(maxsize=4096)
def _list_encodings(secret_text: str) -> tuple[str, ...]:
    """The Base64 of a secret at each of its three alignments, and its hexadecimal form."""
    encodings: set[str] = set()
    # Base64 may hold JSON, in which the secret has escapes.
    for spelling in {secret_text, json.dumps(secret_text)[1:-1]}:
        spelling_bytes = spelling.encode("utf-8", "surrogatepass")
        if len(spelling_bytes) < SECRET_LENGTH_MIN:
            continue
        # Base64 depends on the bytes before: zero, one or two of a group of three.
        for padding_size in range(3):
            padded_base64 = b64encode(bytes(padding_size) + spelling_bytes).decode()
            # Without the characters that also depend on the bytes before or after: 6 bits each.
            first_index = (padding_size * 8 + 5) // 6
            end_index = (padding_size + len(spelling_bytes)) * 8 // 6
            base64_text = padded_base64[first_index:end_index]
            encodings |= {base64_text, base64_text.replace("+", "-").replace("/", "_")}
        encodings |= {spelling_bytes.hex(), spelling_bytes.hex().upper()}
    return tuple(encodings)
