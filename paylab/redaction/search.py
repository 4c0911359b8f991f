"""Finds what must not be shown: secrets, numbers of documents, signatures, tokens and images."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from hashlib import sha256
from itertools import chain

from ..spec import codes
from . import escapes
from .escapes import Found
from .fields import (
    BARE,
    ENCLOSED,
    ITEM,
    LABELLED,
    NAMED,
    NUMBER,
    REFUSED,
    TYPES,
    VALUE,
    WORD_WITH_DIGITS,
    WORDS,
    casefolded,
    share_tokens,
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
    | b(?P<sign>["'])(?P<bytes>(?:\\x89PNG|\\xff\\xd8\\xff|%PDF-|II\*\\x00|MM\\x00\*
        |\\x00\\x00\\x00.{{1,4}}ftyp)(?:(?!(?P=sign))[^\\]|\\.){{20,}}+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""An image or PDF as a data URI, as bare Base64 and as the repr of bytes."""

_MARKS = (
    "data:", "ivborw0k", "/9j/", "jvberi0", "sukqa", "tu0ak", "r0lgod", "uklgr", "z0ex",
    "b'\\", "b'ii*", "b'mm\\", "b'%pdf", 'b"\\', 'b"ii*', 'b"mm\\', 'b"%pdf',
)  # fmt: skip

_END = r"""[^\s,;"'<>&\\]+"""
_IS = r"""(?:\\?['"]?\s*[:=]\s*b?\\?['"]?|\\?['"]\s*,\s*b?\\?['"](?!x-|host\b))"""
# The value of a header or field with this name, in text, JSON or tuples.
PLACES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("signature", re.compile(rf"\bSignature=({_END})", re.IGNORECASE)),
    ("signature", re.compile(rf"\bSignature{_IS}([A-Za-z0-9+/=_-]{{20,}})", re.IGNORECASE)),
    ("credential", re.compile(rf"\bCredential=({_END})", re.IGNORECASE)),
    ("x-api-key", re.compile(rf"\bx-api-key{_IS}({_END})", re.IGNORECASE)),
    (
        "authorization",
        re.compile(
            rf"\b(?:proxy-)?authorization{_IS}\w+\s+(?!Credential)({_END})",
            re.IGNORECASE,
        ),
    ),
)
SIGNATURE = re.compile(r"(?<![A-Za-z0-9+/])((?:[A-Za-z0-9+/][\r\n]{0,2}){86}==)")
"""Base64 of 64 characters: the service's signatures are Base64 of 64 hexadecimal digits."""

DOCUMENT_TYPES = frozenset(codes.DOCUMENT_TYPES)
_TYPE = rf"""["']?\btype["']?\s*[:=]\s*["']?(?:{"|".join(codes.DOCUMENT_TYPES)})\b["']?"""
_KEY = r"""\bnumber["']?\s*[:=]\s*"""
BESIDE = (
    re.compile(rf"""{_TYPE}[^{{}}]{{0,200}}?{_KEY}({VALUE})""", re.IGNORECASE),
    re.compile(rf"""{_KEY}({VALUE})[^{{}}]{{0,200}}?{_TYPE}""", re.IGNORECASE),
)
"""The number of a document that is recognised by its type before or after it."""

NO_NUMBER = frozenset("0 .-/")
"""Placeholder numbers of examples, which are not searched elsewhere."""

NUMBER_LENGTH_MIN = 5
"""Minimum characters of a document number that is also searched by value."""

VALUES_MAX = 1000
"""Maximum document numbers and share tokens that are searched by value."""

LONGEST = 2**18
"""Maximum characters of a text that are searched and kept, without images."""

SHORTEST_SECRET = 8
"""Minimum length of a secret that is also found inside words."""


def clean(text: str, secrets: Iterable[Secret], values: Iterable[str] = ()) -> str:
    """The text without secrets, `values`, signatures, document numbers, tokens and images."""
    return escapes.replace_found(_short(text), partial(_find_secrets, secrets, values))


def named_values(text: str) -> list[str]:
    """The document numbers and share tokens that a text names, each also without its signs."""
    values = list[str]()

    def find(text: str, _: int) -> Iterable[Found]:
        for value, _start, _end in numbers(text):
            for number in (value, "".join(filter(str.isalnum, value))):
                if len(number) >= NUMBER_LENGTH_MIN and not set(number) <= NO_NUMBER:
                    values.append(number)
        for token, _start, _end in share_tokens(text):
            if len(token) >= SHORTEST_SECRET:
                values.append(escapes.decode(token))
        return ()

    escapes.replace_found(_short(text), find)
    return values[:VALUES_MAX]


def _find_secrets(
    secrets: Iterable[Secret], values: Iterable[str], text: str, depth: int
) -> Iterator[Found]:
    """The parts of a text that are hidden; `depth` is how often it was decoded."""
    yield from _SHORTENED(text, depth)
    folded_text = casefolded(text)
    for secret in secrets:
        yield from _find_value(secret.reveal(), text, folded_text)
    for value in values:
        for part in _find_value(value, text, folded_text):
            yield part._replace(put=_mask(text, part.start, part.end, depth))
    for word, pattern in PLACES:
        if word in folded_text:
            yield from (Found(*match.span(1), HIDDEN) for match in pattern.finditer(text))
    for match in SIGNATURE.finditer(text) if "==" in text else ():
        if is_signature(match[1]):
            yield Found(*match.span(1), HIDDEN)
    for _, start, end in (*numbers(text), *share_tokens(text)):
        yield Found(start, end, _mask(text, start, end, depth))


def _short(text: str) -> str:
    """The text with images shortened; only the beginning of a long text."""
    if len(text) <= LONGEST:
        return text
    text = escapes.replace_plain(text, _SHORTENED)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… <{len(text)} characters>"


def is_signature(text: str) -> bool:
    """Whether Base64 text has the form of a request signature."""
    try:
        return bool(re.fullmatch(rb"[0-9a-f]{64}", a2b_base64(text)))
    except ValueError:
        return False


def find_images(keep: Callable[[re.Match[str]], str | None]) -> escapes.Find:
    """A function that finds images; `keep` returns the replacement, or None to leave an image."""

    def find(text: str, _: int) -> Iterator[Found]:
        words = casefolded(text)
        if any(mark in words for mark in _MARKS):
            for match in IMAGE.finditer(text):
                replacement = keep(match)
                if replacement is not None:
                    yield Found(*match.span(), replacement)

    return find


def image_bytes(match: re.Match[str]) -> bytes:
    """The bytes of an image; its text when they cannot be decoded."""
    text = match["data"] or match["bare"]
    if text is None:
        return match[0].encode("utf-8", "surrogatepass")
    try:
        return a2b_base64(
            escapes.decode(text.replace("\\/", "/")).replace("-", "+").replace("_", "/") + "=="
        )
    except ValueError:
        return text.encode()


def _shortened(match: re.Match[str]) -> str:
    """An image as type, size and hash."""
    data = image_bytes(match)
    kind = match["type"] or match["kind"]
    prefix = f"data:{kind or ''};base64," if kind or match["data"] else ""
    return f"{prefix}<{len(data)} bytes, sha256 {sha256(data).hexdigest()[:16]}>"


_SHORTENED = find_images(_shortened)


def numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """The document numbers that the text names, decoded, and their places without quotes."""
    words = casefolded(text)
    patterns = [NAMED] if any(name in words for name in TYPES) else []
    patterns += [NUMBER, *ENCLOSED] if "document" in words else []
    patterns += BESIDE if "number" in words else ()
    for match in chain.from_iterable(pattern.finditer(text) for pattern in patterns):
        for item in ITEM.finditer(text, *match.span(1)):
            group = item.lastindex or 0
            value = escapes.decode(item[group])
            digits = sum(map(str.isdigit, value))
            if "://" in value:  # the address of a document is no number
                continue
            if digits >= (1 if group < BARE else 4) and not WORDS.search(value):
                yield value, *item.span(group)
    if patterns:
        for match in LABELLED.finditer(text):
            yield escapes.decode(match["number"]), *match.span("number")
    for refused in REFUSED.finditer(text) if "document" in words else ():
        for token in WORD_WITH_DIGITS.finditer(text, *refused.span()):
            yield escapes.decode(token[0]), *token.span()


def _mask(text: str, start: int, end: int, depth: int) -> str:
    """`***`, quoted when it replaces a JSON number."""
    character_before = text[:start].rstrip()[-1:]
    character_after = text[end:].lstrip()[:1]
    is_json = (
        depth == 0 and character_before in (":", "[", ",") and character_after in (",", "]", "}")
    )
    return f'"{HIDDEN}"' if is_json else HIDDEN


def _find_value(value: str, text: str, folded_text: str) -> Iterator[Found]:
    """The places of a value: plain in any case, or as Base64 or hexadecimal inside other text."""
    for form in _forms(value):
        for at in places(form, folded_text):
            end = at + len(form)
            around = text[max(0, at - 1) : at] + text[end : end + 1]
            if len(value) >= SHORTEST_SECRET or not re.search(r"\w", around):
                yield Found(at, end, HIDDEN)
    for form in _encoded(value):
        for at in places(form, text):
            yield Found(at, at + len(form), HIDDEN)


def places(form: str, text: str) -> Iterator[int]:
    """Where a text occurs in another one, without overlaps."""
    at = text.find(form)
    while at >= 0:
        yield at
        at = text.find(form, at + len(form))


@lru_cache(maxsize=4096)
def _forms(value: str) -> tuple[str, ...]:
    """The forms of a value in lower case: plain, decoded, and with plus signs for spaces."""
    forms = {value, escapes.decode(value), value.replace(" ", "+")}
    return tuple(sorted({casefolded(form) for form in forms if form}, key=len, reverse=True))


@lru_cache(maxsize=4096)
def _encoded(value: str) -> tuple[str, ...]:
    """The Base64 of the value at each of its three alignments, and its hexadecimal form."""
    encodings: set[str] = set()
    for text in {value, json.dumps(value)[1:-1]}:
        data = text.encode("utf-8", "surrogatepass")
        if len(data) < SHORTEST_SECRET:
            continue
        for shift in range(3):
            code = b64encode(bytes(shift) + data).decode()
            code = code[(shift * 8 + 5) // 6 : (shift + len(data)) * 8 // 6]
            encodings |= {code, code.replace("+", "-").replace("/", "_")}
        encodings |= {data.hex(), data.hex().upper()}
    return tuple(encodings)
