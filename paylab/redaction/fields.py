"""Secrets by the name of their field: document numbers, and share tokens of verification."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ..spec import codes
from ..spec.operations.bodies import TOKEN as TOKEN_FIELDS

VALUE = r"""(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\[[^\[\]{}]*\]?|[^\s,}\])"'\[{&<]+)"""
NUMBER_FIELD = re.compile(
    rf"""\b(?:(?:document[._-]?)?numbers?|documents?)["'\]]{{0,2}}\s*[:=]\s*b?({VALUE})""",
    re.IGNORECASE,
)
"""The number of a document in JSON, in a repr and in a query: a text, a number or a list."""

NESTED_NUMBER_FIELD = (
    re.compile(
        rf"""\bnumbers?["']?\s*[:=]\s*[\[{{][\[{{\s]{{0,20}}(?:["']?\w+["']?\s*:\s*)?({VALUE})""",
        re.IGNORECASE,
    ),
    re.compile(r"<(?:\w+:)?(?:document_?)?number[^<>]{0,100}>([^<>]{1,100})<", re.IGNORECASE),
)
"""The number of a document in a nested object or list, and in XML."""
TYPE_NAMES = [name for name in codes.DOCUMENT_TYPES if len(name) > 2]
"""The types of documents after which a field may be named."""
_ANY_TYPE = "|".join(TYPE_NAMES)
OWN_NAME = rf"""\b(?:{_ANY_TYPE})(?:[._-]?number)?["'\]]{{0,2}}\s*[:=]"""
NUMBER_IN_OWN_FIELD = re.compile(rf"""{OWN_NAME}\s*b?({VALUE})""", re.IGNORECASE)
"""The number of a document in a field named after its type, such as `curp`."""

DOCUMENT_NAME = re.compile(rf"(?:{_ANY_TYPE})(?:[._-]?number)?", re.IGNORECASE)
"""The name of a field named after the type of a document, such as `curp` or `curp_number`."""

REFUSED_NUMBER = re.compile(
    r"""\{[^{}]{0,500}["']document[._]?number["'][^{}]{0,500}\}?""", re.IGNORECASE
)
"""A service's message about a document number: field, optional value, text."""
WORD_WITH_DIGITS = re.compile(
    r"(?<![\w.-])(?=[\w.-]{0,30}\d{4})[A-Za-z0-9][\w.-]{3,30}[A-Za-z0-9](?!\w)"
)

LABELLED_NUMBER = re.compile(
    rf"""\b(?:document|{_ANY_TYPE})(?:[\ ._-]?(?:number|no\.?|id))?[\ :='"]{{1,4}}
        (?P<number>(?=[\w.-]{{0,30}}\d[\w.-]{{0,10}}\d[\w.-]{{0,10}}\d[\w.-]{{0,10}}\d)
        [A-Za-z0-9][\w.-]{{3,30}}[A-Za-z0-9])(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
"""The number of a document in a sentence: a word with at least four digits after its label."""

LIST_ITEM = re.compile(r""""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s,\[\]"']+)""")
UNQUOTED_GROUP = 3
"""The group of `LIST_ITEM` without quotes."""

SENTENCE_WORDS = re.compile(r"[a-z]{2,} [a-z]{2,}")
"""Two words in a row, which occur in messages but not in document numbers."""

TOKEN = re.compile(
    r"""\btoken["']?\s*[:=]\s*b?(?:"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|([^\s,}\])"'\[{&<]+))""",
    re.IGNORECASE,
)
BESIDE_TOKEN = frozenset(field.name for field in TOKEN_FIELDS if not field.secret)
"""The fields beside a share token, by which it differs from the token of a page."""

_BESIDE_TOKEN = re.compile(
    rf"""\b(?:{"|".join(sorted(BESIDE_TOKEN))})["']?\s*[:=]""", re.IGNORECASE
)
TOKEN_DISTANCE_MAX = 1000
"""Maximum characters between a share token and the name of a field beside it."""


class FoundText(NamedTuple):
    """A text that was found in another one: decoded, and where it starts and ends there."""

    text: str
    start: int
    end: int


def find_share_tokens(text: str) -> Iterator[FoundText]:
    """Yield the share tokens of identity verification, without their quotes.

    A `token` counts only beside another field of a share token, such as `applicant_id`.
    """
    if "token" not in fold_case(text):
        return
    for token_match in TOKEN.finditer(text):
        field_start, field_end = token_match.span()
        text_before = text[max(0, field_start - TOKEN_DISTANCE_MAX) : field_start]
        text_after = text[field_end : field_end + TOKEN_DISTANCE_MAX]
        members_before = text_before.rpartition("{")[2]
        members_after = text_after.partition("}")[0]
        if _BESIDE_TOKEN.search(members_before) or _BESIDE_TOKEN.search(members_after):
            group_number = token_match.lastindex or 0
            yield FoundText(token_match[group_number], *token_match.span(group_number))


def has_share_token(names: Collection[object]) -> bool:
    """Whether the `token` of an object with these fields is a share token, not one of a page."""
    return "token" in names and not BESIDE_TOKEN.isdisjoint(names)


def fold_case(text: str) -> str:
    """Put a text in lower case without changing its length, as the flag IGNORECASE compares.

    `str.lower` turns "\u0130" into two characters, so offsets would no longer fit the text.
    """
    if text.isascii():
        return text.lower()
    # Of all letters only the first becomes two; the others have a second form in lower case.
    text = text.replace("\u0130", "i").replace("\u0131", "i").replace("\u017f", "s")
    return text.lower().replace("\u03c2", "\u03c3")


class _AsciiTable(dict[int, int]):
    """A table for `str.translate`, filled on demand: the ASCII character for a code point.

    A character that stands for none is mapped to itself.
    """

    def __missing__(self, code: int) -> int:
        """Find the ASCII character for a code point, and keep it."""
        self[code] = ord(_fold_character(chr(code)))
        return self[code]


_ASCII_TABLE = _AsciiTable()


def fold_to_ascii(text: str) -> str:
    """Replace look-alikes by ASCII digits, letters, dashes and spaces, one for one.

    A full-width digit becomes a digit, and a non-breaking space becomes a space.
    """
    return text if text.isascii() else text.translate(_ASCII_TABLE)


def _fold_character(character: str) -> str:
    """The ASCII digit, dash, space or letter that a character stands for, else the character."""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    unicode_category = unicodedata.category(character)
    if unicode_category in ("Pd", "Zs") or character == "\u2212":  # the last one is the minus sign
        return " " if unicode_category == "Zs" else "-"
    normalized_text = unicodedata.normalize("NFKC", character)
    # Circled and superscript digits have no decimal value, and a letter that becomes two has none.
    return normalized_text if len(normalized_text) == 1 and normalized_text.isascii() else character
