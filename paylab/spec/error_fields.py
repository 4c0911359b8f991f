"""Which field an error names: under a key for names, as a list of keys, or as its source."""

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
    """The field that the `source` of an error names; "" if it names none.

    A source is an object such as `{"pointer": "/data/amount"}`, as in JSON:API, or a path.
    """
    if isinstance(source, dict):
        return read_field_name(fold_keys(source), ITEM_FIELD_KEYS)
    return source if isinstance(source, str) and FIELD_PATH.fullmatch(source) else ""


def read_field_name(folded_error: JsonMapping, keys: Iterable[str]) -> object:
    """The name of the field that an error is about, or the list of keys to it; "" without one.

    `folded_error` is the object of the error with folded keys, and `keys` are those to look at.
    """
    for key in keys:
        name_or_path = folded_error.get(key)
        if str(name_or_path).lower() in REQUEST_PARTS:  # such as "body": the field is in it
            continue
        is_path = isinstance(name_or_path, list) and all(
            isinstance(path_part, str | int) for path_part in name_or_path
        )
        is_name = isinstance(name_or_path, str | int) and name_or_path is not True
        if name_or_path and (is_path or is_name):
            return name_or_path
    # Under "path" only a list leads to a field: a text is the path of the request.
    path_keys = folded_error.get("path")
    return path_keys if isinstance(path_keys, list) and path_keys else ""
