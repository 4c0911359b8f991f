"""Names, contacts, birth dates, addresses and accounts of people: taken out of shared files."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from . import escapes
from .escapes import Found
from .redaction import HIDDEN

_FIELDS = (
    r"(?:given|family|first|last|middle|full|holder|sender|recipient|beneficiary|legal"
    r"|account_holder)_?name|\w*e-?mail|\w*phone(?:_number)?|mobile|date_of_birth|birth_?date|dob"
    r"|clabe|line_?[12]|street|city|state|postal_?code|zip_?code|address|account_number|iban|bic"
    r"|sort_code|pix_key|upi_id|qrph_payload"
)
FIELD = re.compile(_FIELDS, re.IGNORECASE)
_IN_TEXT = re.compile(
    rf"""(?<!\w)(?:{_FIELDS})["']?\s*[:=]\s*b?(?:"((?:[^"\\]|\\.)+)"?|'((?:[^'\\]|\\.)+)'"""
    r"""|([^\s,;&#}\])"'\[{(]{2,}))""",
    re.IGNORECASE,
)
_PACKED = ("eyJ", "W3s", "WyJ")
"""How Base64 of `{"`, `[{` and `["` begins."""

_FORMS = (
    re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"),
    re.compile(r"(?<![\w.+])\+\d[\d ()-]{6,18}\d(?!\w)"),
    re.compile(r"(?<![\w.+-])(?:\(\d{2,4}\) ?|\d{2,4}[ -])\d{3,4}[ -]\d{4}(?![\w-])"),
    re.compile(r"(?<![\w.+-])\d{18}(?![\w.-])"),
)
"""An e-mail, a phone number in its international form or in groups, a CLABE."""


def impersonal(value: Any) -> Any:
    """Parsed JSON, or a text, without what tells who a person is."""
    if isinstance(value, str):
        packed = _repacked(value) if value.startswith(_PACKED) else None
        return packed or escapes.replace_found(value, _found)
    if isinstance(value, list):
        return [impersonal(item) for item in value]
    if isinstance(value, dict):
        clean = {name: _item(name, item) for name, item in value.items()}
        if FIELD.fullmatch(str(value.get("name"))) and isinstance(value.get("value"), str):
            clean["value"] = HIDDEN if value["value"] else ""
        if value.get("encoding") == "base64" and isinstance(value.get("text"), str):
            clean["text"] = _repacked(value["text"]) or clean["text"]
        return clean
    return value


def _item(name: str, item: Any) -> Any:
    if name == "address" and isinstance(item, dict):
        return {
            part: text if part == "country" else _item(name, text) for part, text in item.items()
        }
    if FIELD.fullmatch(name) and not isinstance(item, dict | list | bool | None):
        return HIDDEN if item != "" else item
    return impersonal(item)


def _repacked(text: str) -> str | None:
    """Base64 of a text, such as snapshots and HAR files have it, cleaned; None for other data."""
    try:
        body = b64decode(text, validate=True).decode()
    except ValueError:
        return None
    return b64encode(escapes.replace_found(body, _found).encode()).decode()


def bare_urls(value: Any) -> Any:
    """Parsed JSON whose fields `url` have no user, password and query: tokens are kept there."""
    if isinstance(value, list):
        return [bare_urls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _bare(item) if name == "url" and isinstance(item, str) else bare_urls(item)
        for name, item in value.items()
    }


def _bare(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _found(text: str, _: int) -> Iterator[Found]:
    for match in _IN_TEXT.finditer(text):
        group = match.lastindex or 0
        if match[group] not in ("null", "None", HIDDEN):
            yield Found(*match.span(group), HIDDEN)
    for form in _FORMS:
        for match in form.finditer(text):
            yield Found(*match.span(), HIDDEN)
