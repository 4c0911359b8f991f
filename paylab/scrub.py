"""What must not be in a notebook that others read: found, named by cell, and taken out.

Pictures stay when they are smaller than any image the service would take (10 KB), or are
plainly QR codes: square, of two colours, at most 64 KB. Document numbers stay when they are
those of `paylab.examples`, or nothing but zeros.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from struct import unpack_from
from typing import Any

from stdnum.br import cnpj, cpf

from .codes import IMAGE_MIN
from .examples import PEOPLE

THUMBNAIL = IMAGE_MIN - 1
"""Bytes a picture may have: one less than the smallest image the service takes."""

QR_CODE = 2**16
LONGEST_WORD = 24
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
EXAMPLES = frozenset(str(person["document"]["number"]) for person in PEOPLE.values())

Report = Callable[[str], None]


@dataclass(frozen=True)
class Finding:
    """Something that must go: where it stands (`cell 3, outputs`) and what it is (`CURP`)."""

    where: str
    kind: str

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}"


def scrub(notebook: Mapping[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """The notebook without what was found in it, and what that was."""
    found: list[Finding] = []

    def report(where: str, kind: str) -> None:
        found.append(Finding(where, kind))

    cells = [_cell(cell, at, report) for at, cell in enumerate(notebook.get("cells", []), 1)]
    rest = {name: value for name, value in notebook.items() if name != "cells"}
    clean = _clean(rest, partial(report, "notebook"))
    return {name: cells if name == "cells" else clean[name] for name in notebook}, found


def _cell(cell: Any, number: int, report: Callable[[str, str], None]) -> Any:
    if not isinstance(cell, Mapping):
        return cell
    parts = ((name, value, f"cell {number}, {name}") for name, value in cell.items())
    return {name: _clean(value, partial(report, where)) for name, value, where in parts}


def _clean(value: Any, report: Report) -> Any:
    """Any part of a notebook without what must go."""
    if isinstance(value, str):
        return _text(value, report)
    if isinstance(value, list):
        return [_clean(one, report) for one in value]
    if not isinstance(value, Mapping):
        return value
    kept = {name: one for name, one in value.items() if not _dropped(name, one, report)}
    return {name: _clean(one, report) for name, one in kept.items()}


def _dropped(name: str, value: Any, report: Report) -> bool:
    """Whether an entry goes as a whole: widget state, or a picture under its MIME type."""
    if name == WIDGET_STATE or (isinstance(value, Mapping) and WIDGET_STATE in value):
        report("widget state")
        return True
    if not name.startswith("image/") or name.startswith("image/svg"):
        return False
    text = "".join(value) if isinstance(value, list) else str(value)
    if _is_small(text):
        return False
    report("image")
    return True


def _text(text: str, report: Report) -> str:
    for kind, pattern, allowed in PATTERNS:
        text = pattern.sub(partial(_replaced, kind, allowed, report), text)
    return text


def _replaced(
    kind: str, allowed: Callable[[str], bool], report: Report, match: re.Match[str]
) -> str:
    """The match with what must go in it replaced: its first group, or all of it."""
    group = 1 if match.re.groups else 0
    if allowed(match[group]):
        return match[0]
    report(kind)
    start, end = (at - match.start() for at in match.span(group))
    return f"{match[0][:start]}[removed: {kind}]{match[0][end:]}"


def _is_small(base64: str) -> bool:
    """Whether a picture is a thumbnail or a QR code."""
    try:
        data = binascii.a2b_base64(base64)
    except ValueError:
        return False
    return len(data) <= THUMBNAIL or (len(data) <= QR_CODE and _is_qr_code(data))


def _is_qr_code(data: bytes) -> bool:
    if not data.startswith(b"\x89PNG\r\n\x1a\n") or len(data) < 26:
        return False
    width, height, depth = unpack_from(">IIB", data, 16)
    return bool(width == height and depth == 1)


def _is_thumbnail(uri: str) -> bool:
    return _is_small(uri.partition(",")[2])


def _is_placeholder(word: str) -> bool:
    """`***`, `env:NAME`, `<SECRET>`, `$NAME`, `your-key`: a word that stands for a key."""
    named = word.startswith(("env:", "keyring:", "<", "[", "$", "{", "..."))
    return named or (len(word) <= LONGEST_WORD and not any(map(str.isdigit, word)))


def _is_example(number: str) -> bool:
    return number in EXAMPLES or not set(number) & set("123456789")


def _is_no_cpf(number: str) -> bool:
    return _is_example(number) or not cpf.is_valid(number)


def _is_no_cnpj(number: str) -> bool:
    return _is_example(number) or not cnpj.is_valid(number)


def _is_no_signature(text: str) -> bool:
    """The service's signatures are Base64 of 64 hexadecimal digits."""
    try:
        return not re.fullmatch(rb"[0-9a-f]{64}", binascii.a2b_base64(text))
    except ValueError:
        return True


def _never(_: str) -> bool:
    return False


# In this order: what was taken out by one is not looked at by the next.
PATTERNS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    (
        "data URI",
        re.compile(r"data:[\w.+/-]{0,80}(?:;[\w=-]{1,40}){0,4};base64,[A-Za-z0-9+/]{40,}={0,2}"),
        _is_thumbnail,
    ),
    ("signature", re.compile(r"Signature=([A-Za-z0-9+/]{40,}={0,2})"), _never),
    ("signature", re.compile(r"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{86}==)"), _is_no_signature),
    ("key", re.compile(r"\b[ps]k_[A-Za-z]+_[0-9A-Za-z]{16,}"), _never),
    ("key", re.compile(r"Credential=([^,\s\"']{8,})"), _is_placeholder),
    ("key", re.compile(r"(?i)x-api-key[\"']?\s*:\s*[\"']?([^\s\"',]{8,})"), _is_placeholder),
    (
        "key",
        re.compile(r"(?i)(?:api|secret)_key[\"']?\s*[:=]\s*[\"']([^\s\"']{8,})[\"']"),
        _is_placeholder,
    ),
    (
        "key",
        re.compile(r"PAYLAB_(?:API|SECRET)_KEY[\"'\]]*\s*=\s*[\"']?([^\s\"']{8,})"),
        _is_placeholder,
    ),
    ("CURP", re.compile(r"(?<![A-Z0-9])[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d(?!\w)"), _is_example),
    ("CNPJ", re.compile(r"(?<![\w.])\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}(?!\w)"), _is_example),
    ("CPF", re.compile(r"(?<![\w.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\w)"), _is_example),
    ("TIN", re.compile(r"(?<![\w.-])\d{3}-\d{3}-\d{3}(?:-\d{3,5})?(?![\w-])"), _is_example),
    ("CPF", re.compile(r"(?<![\w.+-])\d{11}(?![\w.-])"), _is_no_cpf),
    ("CNPJ", re.compile(r"(?<![\w.+-])\d{14}(?![\w.-])"), _is_no_cnpj),
)
