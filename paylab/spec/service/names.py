"""The names that a service has for fields: in lists of required fields, and contradictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors.base import ServiceError
from ..operations.records import OPERATIONS
from .keys import keys
from .setting import key_of

TABLE = ".fields."
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
    ours = [name for name in keys() if name.startswith(f"{table}{TABLE}")]
    theirs = {values.get(name, keys()[name].default): name.partition(TABLE)[2] for name in ours}
    known = {name.partition(TABLE)[2] for name in ours}
    return [
        theirs.get(word, word) if isinstance(word, str) and word not in known else word
        for word in words
    ]


def check_names(values: Mapping[str, Any], given: Collection[str]) -> None:
    """ServiceError if two fields of one object have the same name, or one is inside the other."""
    for key in given:
        table, _, our = key.partition(TABLE)
        if not our:
            continue
        for other in (*_others(table, key), *_fixed(table)):
            name = values.get(other, other.rpartition(".")[2])
            if _collide(str(values[key]), str(name)):
                raise ServiceError(f"{key} and {other} cannot both be {values[key]!r}", key)


def _others(table: str, key: str) -> list[str]:
    return [name for name in keys() if name.startswith(f"{table}{TABLE}") and name != key]


def _fixed(table: str) -> list[str]:
    """The fields of a body that no setting renames."""
    bodies = [one for one in OPERATIONS.values() if key_of(one.names) == f"{table}.fields"]
    references = {field.name for one in bodies for field in one.references}
    names = {name for one in bodies for name in one.by_name} - references
    renamed = {name.partition(TABLE)[2] for name in _others(table, "")}
    return [f"{table}.{name}" for name in sorted(names - renamed)]


def _collide(name: str, other: str) -> bool:
    """Whether two places are the same, or one is inside the other."""
    return f"{name}.".startswith(f"{other}.") or f"{other}.".startswith(f"{name}.")
