"""Personal data: names, addresses, contacts and account numbers, by field and by form."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ..corridors.on_ramps import ON_RAMPS
from ..spec.operations.records import OPERATIONS
from ..spec.text import JsonMapping
from . import escapes
from .escapes import Replacement
from .hiding import HIDDEN

_FIELD_NAMES = "|".join(
    {
        field.name: None
        for operation in OPERATIONS.values()
        for field in operation.walk()
        if field.personal
    }
) + (
    r"|(?:given|family|first|last|middle|full|holder|sender|recipient|beneficiary|legal"
    r"|account_holder)_?name|\w*e-?mail|\w*phone(?:_number)?|mobile"
    r"|date_?of_?birth|birth_?da(?:te|y)|dob|line_?[12]|street|address"
    r"|post(?:al)?_?code|zip_?code|applicant_?id|curp|cpf|cnpj|cui[tl]|ssn|passport|id_?number"
    r"|(?:tax|national|identity|passport)_?(?:id|no|number)"
    r"|account_number|iban|bic"
    r"|sort_?code|pix_key|upi_id|vpa|qr_payload|(?:wallet|public)_address|cbu(?:_cvu)?"
    r"|clabe_number|account_iban|swift|beneficiary"
    + "".join(f"|{on_ramp.detail_name}" for on_ramp in ON_RAMPS)
)
_SEPARATOR_AND_VALUE = (
    r"""["']?\s*[:=]\s*b?(?:"((?:[^"\\]|\\.)+)"?|'((?:[^'\\]|\\.)+)'|([^\s,;&#}\])"'\[{(]{2,}))"""
)
_BASE64_JSON = re.compile(
    r"(?<![A-Za-z0-9])(?:ey[IA-Z]|ew[o0]|W3s|WyJ|Wwo)[A-Za-z0-9+/_-]{8,}={0,2}"
)
"""Base64 of JSON, which begins with `{"`, `[{` or `["`, with or without a line end after it."""
BASE64_JSON_LENGTH_MIN = 32
"""Minimum characters of a text in which Base64 is searched: a name, a value and two braces."""
_URL_SAFE = str.maketrans("-_", "+/")

_PERSONAL_FORMS = (
    re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"),
    re.compile(r"(?<![\w.+])\+\d[\d ()-]{6,18}\d(?!\w)"),
    re.compile(r"(?<![\w.+-])(?:\(\d{2,4}\) ?|\d{2,4}[ -])\d{3,4}[ -]\d{4}(?![\w-])"),
    re.compile(r"(?<![\w.+-])\d{18}(?![\w.-])"),
)
"""An e-mail, a phone number in its international form or in groups, a CLABE."""


class _FieldPatterns(NamedTuple):
    """The names of personal fields: alone, and before a value in text."""

    name: re.Pattern[str]
    value: re.Pattern[str]


@lru_cache
def _make_field_patterns(field_names: frozenset[str] = frozenset()) -> _FieldPatterns:
    """Make the patterns for the personal fields of the spec, and for more fields of these names."""
    any_name_pattern = "|".join([_FIELD_NAMES, *map(re.escape, sorted(field_names))])
    return _FieldPatterns(
        re.compile(any_name_pattern, re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{any_name_pattern}){_SEPARATOR_AND_VALUE}", re.IGNORECASE),
    )


def find_personal_names(settings: Mapping[str, object]) -> frozenset[str]:
    """Find the names of a service for fields with personal data, where they differ from the spec.

    `settings` are those of its `diff()`, such as `"individuals.fields.given_name": "first_name"`.
    """
    own_names = set()
    for setting_path, setting_value in settings.items():
        spec_name = setting_path.partition(".fields.")[2]
        if spec_name and _is_personal_name(spec_name):
            own_names.add(str(setting_value))
    return frozenset(own_names)


def _is_personal_name(field_name: str, personal_names: frozenset[str] = frozenset()) -> bool:
    """Whether a field of this name holds personal data, by its name in the spec or a service."""
    return _make_field_patterns(personal_names).name.fullmatch(field_name) is not None


def hide_personal_data(json_value: object, personal_names: frozenset[str] = frozenset()) -> Any:
    """Copy parsed JSON, or a text, with `***` in place of personal data.

    `personal_names` are more names of fields that hold such data.
    """
    if isinstance(json_value, str):
        is_base64 = _BASE64_JSON.match(json_value) is not None
        clean_base64 = _clean_base64(json_value, personal_names) if is_base64 else None
        return clean_base64 or _clean_text(json_value, personal_names)
    if isinstance(json_value, list):
        return [hide_personal_data(inner_value, personal_names) for inner_value in json_value]
    if isinstance(json_value, dict):
        return _clean_object(json_value, personal_names)
    return json_value


def _clean_object(json_object: JsonMapping, personal_names: frozenset[str]) -> Any:
    """Hide personal data in an object, also in a pair of name and value or a Base64 body of HAR."""
    clean_members = {
        member_name: _clean_member(member_name, member, personal_names)
        for member_name, member in json_object.items()
    }
    is_personal_pair = _is_personal_name(str(json_object.get("name")), personal_names)
    if is_personal_pair and isinstance(json_object.get("value"), str):
        clean_members["value"] = HIDDEN if json_object["value"] else ""
    if json_object.get("encoding") == "base64" and isinstance(json_object.get("text"), str):
        clean_base64 = _clean_base64(json_object["text"], personal_names)
        clean_members["text"] = clean_base64 or clean_members["text"]
    return clean_members


def _clean_member(member_name: str, member: object, personal_names: frozenset[str]) -> Any:
    """Hide a member of an object if it has a personal name; else hide what is personal inside it.

    Of an address everything but the country is hidden.
    """
    if member_name == "address" and isinstance(member, dict):
        clean_address = {}
        for line_name, line_value in member.items():
            is_country = line_name == "country"
            # Each line is hidden as if its own name was "address", which is personal.
            clean_address[line_name] = (
                line_value if is_country else _clean_member("address", line_value, personal_names)
            )
        return clean_address
    is_scalar = not isinstance(member, dict | list | bool | None)
    if is_scalar and _is_personal_name(member_name, personal_names):
        return HIDDEN if member != "" else member
    return hide_personal_data(member, personal_names)


def _clean_text(text: str, personal_names: frozenset[str]) -> str:
    """Hide personal data in a text, and in Base64 of JSON inside the text."""
    if len(text) >= BASE64_JSON_LENGTH_MIN:
        text = _BASE64_JSON.sub(
            lambda match: _clean_base64(match[0], personal_names) or match[0], text
        )
    return escapes.replace_in_layers(text, partial(_find_personal_values, personal_names))


def _clean_base64(base64_text: str, personal_names: frozenset[str]) -> str | None:
    """Hide personal data in Base64 of a text, and encode it again; None for other data."""
    normal_base64 = "".join(base64_text.split()).rstrip("=").translate(_URL_SAFE)
    padding = "=" * (-len(normal_base64) % 4)
    try:
        decoded_text = b64decode(normal_base64 + padding, validate=True).decode()
    except ValueError:
        return None
    clean_text = _clean_text(decoded_text, personal_names)
    return base64_text if clean_text == decoded_text else b64encode(clean_text.encode()).decode()


def hide_url_secrets(json_value: object) -> Any:
    """Copy parsed JSON with every `url` without user, password and query.

    These parts of a URL may be tokens.
    """
    if isinstance(json_value, list):
        return [hide_url_secrets(member) for member in json_value]
    if not isinstance(json_value, dict):
        return json_value
    clean_object = {}
    for member_name, member in json_value.items():
        is_url = member_name == "url" and isinstance(member, str)
        clean_object[member_name] = _strip_url(member) if is_url else hide_url_secrets(member)
    return clean_object


def _strip_url(url: str) -> str:
    """Cut user, password, query and fragment from a URL; `***` if it cannot be read."""
    try:
        url_parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    host_and_port = url_parts.netloc.rpartition("@")[2]
    return urlunsplit((url_parts.scheme, host_and_port, url_parts.path, "", ""))


def _find_personal_values(
    personal_names: frozenset[str], text: str, _depth: int
) -> Iterator[Replacement]:
    """Yield replacements of values of personal fields, and of e-mails, phones and CLABEs."""
    for value_match in _make_field_patterns(personal_names).value.finditer(text):
        group_number = value_match.lastindex or 0
        if value_match[group_number] not in ("null", "None", HIDDEN):
            yield Replacement(*value_match.span(group_number), HIDDEN)
    for form_pattern in _PERSONAL_FORMS:
        for value_match in form_pattern.finditer(text):
            yield Replacement(*value_match.span(), HIDDEN)
