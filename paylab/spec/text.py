"""Text from the service: made safe to print, and JSON with exact numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NoReturn, TypeAlias
from unicodedata import normalize

from ..errors.text import plain as plain
from ..errors.text import printable as printable
from ..errors.text import printable_lines as printable_lines

JsonValue: TypeAlias = Any
"""A decoded JSON value: text, a number, a bool, None, a list or an object of them."""

JsonObject: TypeAlias = dict[str, JsonValue]
"""A JSON object, such as a body or a row; whoever reads a member checks its type."""

JsonMapping: TypeAlias = Mapping[str, JsonValue]
"""A JSON object that is only read."""


def normalize_name(text: str) -> str:
    """Write a name, such as a reference, in Unicode NFC and without spaces around it."""
    return normalize("NFC", text).strip()


def read_json(json_text: bytes | str) -> Any:
    """Read a JSON text, with fractions as Decimal; ValueError for no JSON, NaN or Infinity."""
    if isinstance(json_text, bytes):
        json_text = json_text.decode(json.detect_encoding(json_text), "surrogatepass")
    try:
        return LAST_MEMBER_DECODER.decode(json_text)
    except ArithmeticError:  # its exponent is too large for Decimal
        raise ValueError("it contains a number that is too large") from None


def write_json(value: object, write_text: Callable[[str], str] = json.dumps) -> str:
    """Write the value as one line; reading it gives an equal value.

    The line is ASCII, unless `write_text` writes texts and the names of members in another way.
    """
    if isinstance(value, Decimal):
        return _write_number(value)
    if isinstance(value, Mapping):
        member_texts = (
            f"{write_text(str(member_name))}: {write_json(member_value, write_text)}"
            for member_name, member_value in value.items()
        )
        return f"{{{', '.join(member_texts)}}}"
    if isinstance(value, list | tuple):
        item_texts = (write_json(item, write_text) for item in value)
        return f"[{', '.join(item_texts)}]"
    return write_text(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def show_json(value: object) -> str:
    """The value as one line of JSON for people, with names such as Jörg as they are."""
    return write_json(value, _write_text)


def format_json(value: object, margin: str = "") -> str:
    """The value as indented JSON for people; reading it gives an equal value."""
    inner_margin = f"{margin}  "
    if isinstance(value, Mapping) and value:
        member_texts = (
            f"{inner_margin}{format_json(str(member_name))}: {format_json(member, inner_margin)}"
            for member_name, member in value.items()
        )
        return "{\n" + ",\n".join(member_texts) + f"\n{margin}}}"
    if isinstance(value, list | tuple) and value:
        item_lines = (f"{inner_margin}{format_json(item, inner_margin)}" for item in value)
        return "[\n" + ",\n".join(item_lines) + f"\n{margin}]"
    return show_json(value)


def _write_text(member_text: str) -> str:
    """Write text as JSON in which only invisible characters are escaped, not all but ASCII."""
    json_text = json.dumps(member_text, ensure_ascii=False)
    if printable(json_text) == json_text:
        return json_text
    return "".join(map(_escape_invisible, json_text))


def _escape_invisible(character: str) -> str:
    """Return a visible character unchanged, and an invisible one as its escape `\\uXXXX`."""
    return character if printable(character) == character else json.dumps(character)[1:-1]


def _write_number(number: Decimal) -> str:
    """Write a Decimal as a JSON number that is read as a Decimal again: 5 becomes `5.0`."""
    if not number.is_finite():
        raise ValueError(f"{number} is not JSON")
    number_text = Decimal.__str__(number)
    is_fraction_or_exponent = "." in number_text or "E" in number_text
    return number_text if is_fraction_or_exponent else f"{number_text}.0"


def _refuse_constant(constant_name: str) -> NoReturn:
    """Raise ValueError for NaN or Infinity, which Python's reader of JSON would accept."""
    raise ValueError(f"{constant_name} is not JSON")


class RepeatedMemberError(ValueError):
    """An object of JSON has two members of one name: readers differ in which one they take."""


def _join_members(names_and_values: list[tuple[str, JsonValue]]) -> JsonObject:
    """Make the object of these members; RepeatedMemberError if two have the same name."""
    member_by_name = dict(names_and_values)
    if len(member_by_name) == len(names_and_values):
        return member_by_name
    member_names = [member_name for member_name, _ in names_and_values]
    repeated_name = next(
        member_name for member_name in member_names if member_names.count(member_name) > 1
    )
    raise RepeatedMemberError(f"has an object with two members {plain(repeated_name, 60)!r}")


EXACT_DECODER = json.JSONDecoder(
    parse_float=Decimal, parse_constant=_refuse_constant, object_pairs_hook=_join_members
)
"""Reads decimal fractions as what they are, and refuses an object with two members of one name.

A number too large for Decimal is an ArithmeticError.
"""

LAST_MEMBER_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant)
"""As `EXACT_DECODER`, but takes the last of two members of one name: it serves all but pages."""


CASE_CHANGES: Mapping[str, Callable[[str], str]] = {
    "any": str,
    "upper": str.upper,
    "lower": str.lower,
}
"""How a word is written, by the setting of its case."""
