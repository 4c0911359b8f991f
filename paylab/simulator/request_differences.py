"""Finds the fields in which a request differs from the fields that a test expects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation

from ..errors.suggestions import find_nearest_name
from ..redaction.hiding import HIDDEN
from ..spec.json_path import join_path
from ..spec.text import JsonMapping, JsonValue

VALUE_TEXT_MAX = 600
"""Maximum characters of a value in a text."""

NOT_SENT = "was not sent"


def field_differences(row: JsonMapping, fields: Mapping[str, object]) -> list[str]:
    """A sentence for each expected field that was sent with another value, or not at all."""
    body = row["body"] if isinstance(row["body"], Mapping) else {}
    return list(_find_differences("", fields, {**row["query"], **body}))


def _find_differences(field_path: str, expected: JsonValue, sent_value: JsonValue) -> Iterator[str]:
    """Yield a sentence for each field in which two values differ.

    An object may have more fields than expected.
    """
    are_objects = isinstance(expected, Mapping) and isinstance(sent_value, Mapping)
    if not are_objects:
        if not _are_equal(expected, sent_value):
            yield f"{field_path}: {sent_value!r} was sent, not {expected!r}"
        return
    for member_name, expected_value in expected.items():
        member_path = join_path(field_path, member_name)
        if member_name in sent_value:
            yield from _find_differences(member_path, expected_value, sent_value[member_name])
            continue
        nearest_name = find_nearest_name(member_name, sent_value)
        suggestion_text = f", but {nearest_name} was" if nearest_name else ""
        yield f"{member_path}: {expected_value!r} {NOT_SENT}{suggestion_text}"


def _are_equal(expected: JsonValue, sent_value: JsonValue) -> bool:
    """Whether two values are equal, amounts as numbers. A hidden value equals any."""
    if isinstance(expected, bool) or isinstance(sent_value, bool):
        return expected is sent_value or bool(sent_value == HIDDEN)
    if sent_value in (expected, HIDDEN):
        return True
    try:
        return Decimal(str(expected)) == Decimal(str(sent_value))
    except InvalidOperation:
        return False


def short_json(value: JsonValue) -> str:
    """A value as JSON, cut to 600 characters."""
    value_text = json_text(value)
    if len(value_text) <= VALUE_TEXT_MAX:
        return value_text
    return f"{value_text[:VALUE_TEXT_MAX]}..."


def json_text(value: JsonValue) -> str:
    """A value as JSON; text as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)
