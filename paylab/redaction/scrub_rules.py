"""What `paylab scrub` removes: keys, tokens, document numbers and images, a rule for each kind."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from struct import unpack_from
from typing import NamedTuple

from stdnum.ar import cuit
from stdnum.br import cnpj, cpf
from stdnum.co import nit

from ..corridors.examples import DOCUMENTS, PEOPLE
from ..spec.codes import IMAGE_MIN
from .fields import share_tokens
from .search import PLACES, SIGNATURE, is_signature, numbers

KEY_NAME = re.compile(
    r"\w*(?:api|secret|access|private|signing)[_-]?keys?\w*|\w*secret|x-api-key|\w*password",
    re.IGNORECASE,
)

QR_CODE = 2**16
LONGEST_WORD = 24
_SHOWN = (*DOCUMENTS.values(), *(person["document"] for person in PEOPLE.values()))
EXAMPLES = frozenset(str(document["number"]) for document in _SHOWN)


Spans = Iterator[tuple[int, int]]


class Rule(NamedTuple):
    """A kind of secret, and the function that finds its places in a text."""

    kind: str
    find: Callable[[str], Spans]


def _form(kind: str, form: str | re.Pattern[str], is_allowed: Callable[[str], bool]) -> Rule:
    """A rule for the first group of a form, or the whole match, unless its text is allowed."""
    pattern = re.compile(form)
    group = 1 if pattern.groups else 0

    def find(text: str) -> Spans:
        matches = pattern.finditer(text)
        return (match.span(group) for match in matches if not is_allowed(match[group]))

    return Rule(kind, find)


_KEY_WORD = re.compile("key|secret|password", re.IGNORECASE)
"""Every name that KEY_NAME or _KEY_END finds has one of these words."""


def _named_key(form: str, is_allowed: Callable[[str], bool]) -> Rule:
    """A rule for a key beside its name; a text without such a name is not searched."""
    rule = _form("key", form, is_allowed)
    return Rule("key", lambda text: rule.find(text) if _KEY_WORD.search(text) else iter(()))


def _share_tokens(text: str) -> Spans:
    """The share tokens of identity verification."""
    return (
        (start, end)
        for value, start, end in share_tokens(text)
        if not (is_stand_in if text[start - 1] in "\"'" else is_placeholder)(value)
    )


def is_small(base64: str) -> bool:
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


_STAND_IN = re.compile(
    r"(?:an?|your|my|our|the|this|some|test|demo|example|fake|dummy|secret|share|token|api|key|paylab|id"
    r"|here|name|value|env|change|me|placeholder|x{3,}|[\W_])+",
    re.IGNORECASE,
)


_WORDS = re.compile(rf"_*[A-Za-z]{{1,{LONGEST_WORD}}}\d{{0,3}}(?:_+[A-Za-z]{{0,12}}\d{{0,3}})*")


def is_stand_in(word: str) -> bool:
    """Whether a text is a placeholder: `***`, `env:NAME`, `<SECRET>`, `$NAME`, `your-key`."""
    named = word.startswith(("env:", "keyring:", "<", "[", "$", "...", "***"))
    rest = re.sub(r"\{[^{}]*\}", "", word)
    return named or not rest or bool(_STAND_IN.fullmatch(rest))


def is_placeholder(word: str) -> bool:
    """Whether a text is a placeholder or a word of prose."""
    return is_stand_in(word) or (len(word) <= LONGEST_WORD and not any(map(str.isdigit, word)))


def is_word(text: str) -> bool:
    """Whether a text without quotes is a placeholder, a word, or a name in code."""
    parts = text.split(".")
    is_path = len(parts) > 1 and all(p.isidentifier() and len(p) <= LONGEST_WORD for p in parts)
    return is_path or is_placeholder(text) or bool(_WORDS.fullmatch(text))


def is_example(number: str) -> bool:
    """Whether a document number belongs to an example person or is all zeros."""
    return number in EXAMPLES or not set(number) & set("123456789")


def _unless(is_valid: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda number: is_example(number) or not is_valid(number)


def _never(_: str) -> bool:
    return False


# Bounded: a long word of many such names would be searched from each of them to its end.
_KEY_NAME = rf"(?:{KEY_NAME.pattern})".replace(r"\w*", r"\w{0,80}")
_KEY_END = r"(?:(?:api|secret|access|private|signing)[ _-]?keys?\w{0,40}|secret|password)"
"""The name of a key from the word that tells it."""
_PART = r"""(?:[^"'\\\n]|\\.)"""
_PREFIX = "[rbfuRBFU]{0,2}"
_JOINED = rf"""{_PREFIX}(?:\"\"\"|'''|["'])({_PART}{{4,}}(?:["']\s*\+?\s*{_PREFIX}["']{_PART}+)*)"""
"""A literal, or several joined ones; the group is the text between the outer quotes."""
_TYPES = (
    r"cuit|cuil|cpf|cnpj|cc|ce|nit|pep|curp|tin|eu[ _-]residence[ _-]permit|emirates[ _-]id"
    r"|driv(?:er'?s?|ing)[ _-]licen[cs]e|national[ _-]id|passport"
)

_BETWEEN = r"""(?:[\s:=,#"'|]|</?\w[^<>]{0,200}>){0,40}"""
"""Quotes, commas and tags between a name and its value, or between two cells of a table."""
_TAG = r"</?(?!t(?:r|head|body)\b)\w[^<>]{0,200}>"
"""A tag within one row of a table."""
_BARE = r"""([^\s"'`,;()\[\]{}<>&\\]{8,}+)"""
_NUMBER = r"((?=(?:[A-Z.\-/ ]{0,6}\d){5})[A-Z]{0,3}[ -]?\d[A-Z0-9.\-/]{3,20}[A-Z0-9])"

# In this order: text found by one rule is skipped by the next ones.
LONG: tuple[Rule, ...] = (
    _form(
        "signature",
        r"Signature=((?:[A-Za-z0-9+/]\s{0,8}){86}==|[A-Za-z0-9+/]{40,}={0,2}"
        r"|[A-Za-z0-9+/]{8,}(?:[\r\n]+[A-Za-z0-9+/]{8,})+={0,2})",
        _never,
    ),
    _form("signature", SIGNATURE, lambda text: not is_signature(text)),
    _form("key", r"(?<![A-Za-z0-9])[ps]k_[A-Za-z]+_[0-9A-Za-z]{16,}", _never),
)
RULES: tuple[Rule, ...] = (
    *LONG,
    *(_form("key", pattern, is_placeholder) for name, pattern in PLACES if name != "signature"),
    _named_key(
        rf"""(?i)(?<!\w){_KEY_NAME}(?:["'\])]*\s*(?::\s*[\w.]+\s*)?(?:[:=!]?=|:)|["']\s*,"""
        rf"""|["'\])]+\s*or\b)\s*(?:\w*\(\s*)?{_JOINED}""",
        lambda text: is_stand_in(text) or KEY_NAME.fullmatch(text) is not None,
    ),
    _named_key(
        rf"(?i)(?<!\w){_KEY_NAME}[\"'\])]*:[ \t]*([^\s\"'`,;()\[\]{{}}<>]{{8,}}+)(?![(\[])",
        is_placeholder,
    ),
    _form(
        "key",
        r"(?i)[?&](?:\w*[_-])?(?:key|token|secret|sig|signature|password)=([^\s&#\"'<>\\]{6,})",
        is_stand_in,
    ),
    _form(
        "key",
        r"PAYLAB_(?:API|SECRET)_KEY[\"'\])]*\s*[=:]\s*[\"']?([^\s\"']{8,})",
        is_placeholder,
    ),
    _named_key(
        rf"(?i)(?:%(?:set_)?env|export|setenv|set)\s+{_KEY_NAME}\s*[= ]\s*"
        r"[\"']?([^\s\"']{8,})",
        is_placeholder,
    ),
    _named_key(
        rf"(?i){_KEY_END}[\"'\])]{{0,4}}[ \t]{{0,9}}=[ \t]{{0,9}}{_BARE}(?![(\[\\])",
        is_word,
    ),
    _named_key(
        rf"(?i){_KEY_END}[\s:=\"']{{0,40}}{_TAG}(?:[\s:=\"']|{_TAG}){{0,40}}{_BARE}"
        r"(?=[\"']?\s{0,40}<)",
        is_word,
    ),
    _form(
        "CURP",
        r"(?i)(?<![A-Z0-9])[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?!\w)",
        lambda number: is_example(number.upper()),
    ),
    _form("CNPJ", r"(?<![\w.])\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}(?!\w)", is_example),
    _form("CPF", r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\w)", is_example),
    _form("TIN", r"(?<![\w.-])\d{3}-\d{3}-\d{3}(?:-\d{3,5})?(?![\w-])", is_example),
    _form("Emirates ID", r"(?<![\w-])784-\d{4}-\d{7}-\d(?![\w-])", _never),
    _form("CUIT", r"(?<![\w-])(?:2[03-7]|3[034])-\d{8}-\d(?![\w-])", is_example),
    _form("NIT", r"(?<![\w.])\d{1,3}(?:\.\d{3}){2}-\d(?![\w-])", is_example),
    _form("NIT", r"(?<![\w.+-])\d{9}-\d(?![\w-])", _unless(nit.is_valid)),
    _form("CPF", r"(?<![\w.+-])\d{11}(?![\w.-])", _unless(cpf.is_valid)),
    _form("CUIT", r"(?<![\w.+-])(?:2[03-7]|3[034])\d{9}(?![\w.-])", _unless(cuit.is_valid)),
    _form("CNPJ", r"(?<![\w.+-])\d{14}(?![\w.-])", _unless(cnpj.is_valid)),
    Rule(
        "document number",
        lambda text: ((start, end) for it, start, end in numbers(text) if not is_example(it)),
    ),
    Rule("share token", _share_tokens),
    _form(
        "document number",
        rf"(?i)(?<![\w])(?:{_TYPES})(?:[ _-](?:no|number|id)\b\.?)?{_BETWEEN}"
        rf"(?:number{_BETWEEN})?{_NUMBER}(?!\w)",
        is_example,
    ),
    _form(
        "document number",
        rf"(?i)(?<![\w])number{_BETWEEN}{_NUMBER}{_BETWEEN}type{_BETWEEN}(?:{_TYPES})(?!\w)",
        is_example,
    ),
)
