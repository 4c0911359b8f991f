"""Which field an error names: under a key for names, as steps, or as the source of the error."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .error_words import fold_keys
from .text import JsonMapping, JsonValue

FIELD_KEYS = (
    "field", "fieldname", "param", "parameter", "pointer", "loc", "propertyname", "attribute",
    "target", "property", "propertypath", "instancepath", "jsonpath",
)  # fmt: skip
ITEM_FIELD_KEYS = (*FIELD_KEYS, "path", "name", "key", "location", "reference")
"""In a list of problems, these name a field too; elsewhere a path is that of the request."""
REQUEST_PARTS = frozenset({"body", "query", "path", "header", "headers"})
"""Where in a request a field is: never a field itself."""
FIELD_PATH = re.compile(r"[a-z]\w*([.\[_]\w+\]?)+")


def read_source_field(source: JsonValue) -> object:
    """The field that the source of an error names, as JSON:API has it, or as a path."""
    if isinstance(source, dict):
        return read_field_name(fold_keys(source), ITEM_FIELD_KEYS)
    return source if isinstance(source, str) and FIELD_PATH.fullmatch(source) else ""


def read_field_name(by_name: JsonMapping, keys: Iterable[str]) -> object:
    """The name of the field that an object is about, or the list of keys to it; "" without one.

    `by_name` is the object with folded keys.
    """
    for key in keys:
        field = by_name.get(key)
        if str(field).lower() in REQUEST_PARTS:
            continue
        is_path = isinstance(field, list) and all(isinstance(item, str | int) for item in field)
        is_name = isinstance(field, str | int) and field is not True
        if field and (is_path or is_name):
            return field
    path = by_name.get("path")
    is_path_of_field = isinstance(path, list)  # a text is the path of the request
    return path if is_path_of_field and path else ""
