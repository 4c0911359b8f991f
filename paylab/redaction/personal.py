"""Personal data: names, addresses, contacts and account numbers, by field and by form."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..corridors.on_ramps import ON_RAMPS
from ..spec.operations.records import OPERATIONS
from . import escapes
from .escapes import Replacement
from .hiding import HIDDEN

_FIELD_NAMES = "|".join(
    {field.name: None for each in OPERATIONS.values() for field in each.walk() if field.personal}
) + (
    r"|(?:given|family|first|last|middle|full|holder|sender|recipient|beneficiary|legal"
    r"|account_holder)_?name|\w*e-?mail|\w*phone(?:_number)?|mobile"
    r"|date_?of_?birth|birth_?da(?:te|y)|dob|line_?[12]|street|address"
    r"|post(?:al)?_?code|zip_?code|applicant_?id|curp|cpf|cnpj|cui[tl]|ssn|passport|id_?number"
    r"|(?:tax|national|identity|passport)_?(?:id|no|number)"
    r"|account_number|iban|bic"
    r"|sort_?code|pix_key|upi_id|vpa|qr_payload|(?:wallet|public)_address|cbu(?:_cvu)?"
    r"|clabe_number|account_iban|swift|beneficiary"
    + "".join(f"|{on_ramp.detail}" for on_ramp in ON_RAMPS)
)
_SIGN_AND_VALUE = (
    r"""["']?\s*[:=]\s*b?(?:"((?:[^"\\]|\\.)+)"?|'((?:[^'\\]|\\.)+)'|([^\s,;&#}\])"'\[{(]{2,}))"""
)
_BASE64_JSON = re.compile(
    r"(?<![A-Za-z0-9])(?:ey[IA-Z]|ew[o0]|W3s|WyJ|Wwo)[A-Za-z0-9+/_-]{8,}={0,2}"
)
"""Base64 of JSON, which begins with `{"`, `[{` or `["`, with or without a line end after it."""
SHORTEST_BASE64_JSON = 32
"""Minimum characters of a text in which Base64 is searched: a name, a value and two braces."""
_URL_SAFE = str.maketrans("-_", "+/")

_PERSONAL_FORMS = (
    re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"),
    re.compile(r"(?<![\w.+])\+\d[\d ()-]{6,18}\d(?!\w)"),
    re.compile(r"(?<![\w.+-])(?:\(\d{2,4}\) ?|\d{2,4}[ -])\d{3,4}[ -]\d{4}(?![\w-])"),
    re.compile(r"(?<![\w.+-])\d{18}(?![\w.-])"),
)
"""An e-mail, a phone number in its international form or in groups, a CLABE."""


@lru_cache
def _field_patterns(
    field_names: frozenset[str] = frozenset(),
) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The names of personal fields, alone and before a value in text."""
    every = "|".join([_FIELD_NAMES, *map(re.escape, sorted(field_names))])
    forms = every, rf"(?<!\w)(?:{every}){_SIGN_AND_VALUE}"
    whole_pattern, text_pattern = (re.compile(form, re.IGNORECASE) for form in forms)
    return whole_pattern, text_pattern


def find_personal_names(values: Mapping[str, object]) -> frozenset[str]:
    """What a service calls the fields that hold personal data; `values` are its `diff()`."""
    named_values = ((key.partition(".fields.")[2], value) for key, value in values.items())
    return frozenset(
        str(their) for our, their in named_values if our and _field_patterns()[0].fullmatch(our)
    )


def hide_personal_data(value: object, names: frozenset[str] = frozenset()) -> Any:
    """Parsed JSON, or text, without personal data; `names` are more names of such fields."""
    if isinstance(value, str):
        packed = _clean_base64(value, names) if _BASE64_JSON.match(value) else None
        return packed or _clean_text(value, names)
    if isinstance(value, list):
        return [hide_personal_data(item, names) for item in value]
    if isinstance(value, dict):
        clean_members = {name: _clean_member(name, item, names) for name, item in value.items()}
        is_field = _field_patterns(names)[0].fullmatch(str(value.get("name")))
        if is_field and isinstance(value.get("value"), str):
            clean_members["value"] = HIDDEN if value["value"] else ""
        if value.get("encoding") == "base64" and isinstance(value.get("text"), str):
            clean_members["text"] = _clean_base64(value["text"], names) or clean_members["text"]
        return clean_members
    return value


def _clean_member(member_name: str, member: object, personal_names: frozenset[str]) -> Any:
    if member_name == "address" and isinstance(member, dict):
        return {
            part: text if part == "country" else _clean_member(member_name, text, personal_names)
            for part, text in member.items()
        }
    if _field_patterns(personal_names)[0].fullmatch(member_name) and not isinstance(
        member, dict | list | bool | None
    ):
        return HIDDEN if member != "" else member
    return hide_personal_data(member, personal_names)


def _clean_text(text: str, personal_names: frozenset[str]) -> str:
    """A text without personal data, also in Base64 of JSON inside it."""
    if len(text) >= SHORTEST_BASE64_JSON:
        text = _BASE64_JSON.sub(
            lambda match: _clean_base64(match[0], personal_names) or match[0], text
        )
    return escapes.replace_in_layers(text, partial(_find_personal_values, personal_names))


def _clean_base64(text: str, personal_names: frozenset[str]) -> str | None:
    """Base64 of a text, cleaned, as in snapshots and HAR files; None for other data."""
    code = "".join(text.split()).rstrip("=").translate(_URL_SAFE)
    try:
        body = b64decode(code + "=" * (-len(code) % 4), validate=True).decode()
    except ValueError:
        return None
    clean_body = _clean_text(body, personal_names)
    return text if clean_body == body else b64encode(clean_body.encode()).decode()


def hide_url_secrets(value: object) -> Any:
    """Parsed JSON whose `url` fields lose user, password and query, which may hold tokens."""
    if isinstance(value, list):
        return [hide_url_secrets(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _strip_url(item)
        if name == "url" and isinstance(item, str)
        else hide_url_secrets(item)
        for name, item in value.items()
    }


def _strip_url(url: str) -> str:
    try:
        url_parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    return urlunsplit(
        (url_parts.scheme, url_parts.netloc.rpartition("@")[2], url_parts.path, "", "")
    )


def _find_personal_values(
    personal_names: frozenset[str], text: str, _: int
) -> Iterator[Replacement]:
    for match in _field_patterns(personal_names)[1].finditer(text):
        group = match.lastindex or 0
        if match[group] not in ("null", "None", HIDDEN):
            yield Replacement(*match.span(group), HIDDEN)
    for form in _PERSONAL_FORMS:
        for match in form.finditer(text):
            yield Replacement(*match.span(), HIDDEN)
