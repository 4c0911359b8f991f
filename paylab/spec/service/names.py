"""The names that a service has for fields: in lists of required fields, and contradictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors.base import ServiceError
from ..operations.records import OPERATIONS
from .keys import keys
from .setting import key_of

FIELDS_MARK = ".fields."
REQUIRED = ".required"


def with_our_names(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values by dotted key; lists of required fields have our names for those of the service.

    A list belongs to the table of names beside it.
    """
    return {
        key: _ours(key.removesuffix(REQUIRED), value, values) if key.endswith(REQUIRED) else value
        for key, value in values.items()
    }


def _ours(table: str, words: Any, values: Mapping[str, Any]) -> Any:
    """Required fields in our names; a value that is no list is unchanged."""
    if not isinstance(words, list | tuple):
        return words
    ours = [name for name in keys() if name.startswith(f"{table}{FIELDS_MARK}")]
    theirs = {
        values.get(name, keys()[name].default): name.partition(FIELDS_MARK)[2] for name in ours
    }
    known = {name.partition(FIELDS_MARK)[2] for name in ours}
    return [
        theirs.get(word, word) if isinstance(word, str) and word not in known else word
        for word in words
    ]


def check_names(values: Mapping[str, Any], changed_keys: Collection[str]) -> None:
    """ServiceError if two fields of one object have the same name, or one is inside the other.

    `values` are all settings by key.
    """
    for key in changed_keys:
        table, _, field = key.partition(FIELDS_MARK)
        if not field:
            continue
        for other_key in (*_other_keys(table, key), *_unrenamed_fields(table)):
            default_name = other_key.rpartition(".")[2]
            name = values.get(other_key, default_name)
            if _collide(str(values[key]), str(name)):
                message = f"{key} and {other_key} cannot both be {values[key]!r}"
                raise ServiceError(message, key)


def _other_keys(table: str, key: str) -> list[str]:
    return [name for name in keys() if name.startswith(f"{table}{FIELDS_MARK}") and name != key]


def _unrenamed_fields(table: str) -> list[str]:
    """The fields of a body that no setting renames."""
    operations = [
        operation
        for operation in OPERATIONS.values()
        if key_of(operation.names) == f"{table}.fields"
    ]
    references = {field.name for operation in operations for field in operation.references}
    names = {name for operation in operations for name in operation.by_name} - references
    renamed = {name.partition(FIELDS_MARK)[2] for name in _other_keys(table, "")}
    return [f"{table}.{name}" for name in sorted(names - renamed)]


def _collide(name: str, other_name: str) -> bool:
    """Whether two places are the same, or one is inside the other."""
    return f"{name}.".startswith(f"{other_name}.") or f"{other_name}.".startswith(f"{name}.")
