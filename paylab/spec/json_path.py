"""Values inside JSON by dotted names, such as `details.clabe` or `financial_accounts.0.type`.

Settings state where a service writes a value with such names, and problems name their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .service.value_types import NONE


def join_path(path: str, name: str | int) -> str:
    """Join two names with a dot: `document.number` from `document` and `number`."""
    return f"{path}.{name}" if path else str(name)


def last_name(path: str) -> str:
    """Return the last name of a dotted path: `number` of `document.number`."""
    return path.rpartition(".")[2]


def value_at(json_value: object, path: str) -> Any:
    """The value at a dotted path of keys; None if there is none, and for the path "none"."""
    if path == NONE:
        return None
    for path_key in path.split("."):
        json_value = json_value.get(path_key) if isinstance(json_value, dict) else None
    return json_value


def set_value_at(json_object: dict[str, object], path: str, value: object) -> None:
    """Set the value at a dotted path of keys; objects that are missing on the way are added.

    ValueError if the path leads through a value that is not an object.
    """
    *outer_keys, last_key = path.split(".")
    for outer_key in outer_keys:
        inner_object = json_object.setdefault(outer_key, {})
        if not isinstance(inner_object, dict):
            raise ValueError(f"{path} steps into a value that is no object")
        json_object = inner_object
    json_object[last_key] = value


def step_into(json_value: object, key_or_index: str) -> object:
    """Return the member of an object by its key, or the item of a list by its index, as text.

    None if there is none, and for any other value.
    """
    if isinstance(json_value, Mapping):
        return json_value.get(key_or_index)
    if not isinstance(json_value, list) or not key_or_index.isdecimal():
        return None
    index = int(key_or_index)
    return json_value[index] if index < len(json_value) else None
