"""Values inside JSON by dotted names, such as `details.clabe` or `financial_accounts.0.type`.

Settings state where a service writes a value with such names, and problems name their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .service.value_types import NONE


def join_path(path: str, name: str | int) -> str:
    """`document.number` from `document` and `number`."""
    return f"{path}.{name}" if path else str(name)


def last_name(path: str) -> str:
    """`number` from `document.number`."""
    return path.rpartition(".")[2]


def value_at(body: object, name: str) -> Any:
    """The value at a dotted path; None if there is none."""
    for part in [] if name == NONE else name.split("."):
        body = body.get(part) if isinstance(body, dict) else None
    return None if name == NONE else body


def set_value_at(body: dict[str, Any], key: str, value: object) -> None:
    """Set a value by a dotted key; ValueError if a step on the way has a value of another kind."""
    *groups, leaf = key.split(".")
    for group in groups:
        body = body.setdefault(group, {})
        if not isinstance(body, dict):
            raise ValueError(f"{key} steps into a value that is no object")
    body[leaf] = value


def step_into(body: object, part: str) -> object:
    """The value of one step into an object or a list; None if there is none."""
    if isinstance(body, Mapping):
        return body.get(part)
    if isinstance(body, list) and part.isdecimal() and int(part) < len(body):
        return body[int(part)]
    return None
