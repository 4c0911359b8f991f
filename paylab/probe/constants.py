"""Constant fields of a body that the settings add: values of a service, or to be filled in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..spec.envelope import walk_values
from ..spec.json_path import last_name
from ..spec.service.files import FILL_IN
from ..spec.service.frozen import FrozenDict, freeze_value, to_json_value
from ..spec.service.service import Service
from ..spec.text import read_json

MOST_VALUES = 4
LISTED = re.compile(r"allowed|options|enum|accepted|values|choices|one_?of", re.IGNORECASE)


def add_constant(service: Service, operation: str, place: str, value: object) -> FrozenDict[Any]:
    """The constant fields of a service with one more, at a dotted place of an operation."""
    extra = to_json_value(service.extra)
    parent, field_name = find_object_of_field(extra, operation, place)
    parent[field_name] = value
    frozen: FrozenDict[Any] = freeze_value(extra)
    return frozen


def find_object_of_field(
    extra: dict[str, Any], operation: str, place: str
) -> tuple[dict[str, Any], str]:
    """The object that has the field at a dotted place, and the name of the field in it.

    Of `purpose.code` it is the object `purpose`, which is added if needed, and `code`.
    """
    *object_names, field_name = place.split(".")
    parent = extra.setdefault(operation, {})
    for object_name in object_names:
        parent = parent.setdefault(object_name, {})
    return parent, field_name


def find_blanks(extra: Mapping[str, object]) -> set[tuple[str, str]]:
    """The operations and the dotted places of constants that a user has to fill in."""
    return {
        (operation, field_path)
        for operation, constants in to_json_value(extra).items()
        for field_path, field_value in walk_values(constants, 4)
        if field_value == FILL_IN
    }


def find_listed_words(content: bytes) -> list[str]:
    """The words that a refusal lists as values, beside its message."""
    try:
        body = read_json(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return []
    refusal = body[0] if isinstance(body, list) and body else body
    for field_path, members in walk_values(refusal, 4):
        is_listed = isinstance(members, list) and LISTED.search(last_name(field_path))
        if is_listed and members and all(isinstance(member, str) for member in members):
            return list(members[:MOST_VALUES])
    return []


def read_sent_body(content: object) -> Mapping[str, Any]:
    """The body of a request as it was sent; empty if it is not JSON."""
    try:
        body = json.loads(content) if isinstance(content, bytes) else {}
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
