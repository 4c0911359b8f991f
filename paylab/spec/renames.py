"""The names of a service's fields, where they differ from ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from .json_path import value_at
from .service.frozen import FrozenDict

Body = dict[str, Any]


class Names:
    """The names of a service's fields: from our names to theirs, and back.

    A name of the service may step into objects: `individual.id` is `id` in the object `individual`.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.their_names = {
            our_name: their_name for our_name, their_name in names.items() if our_name != their_name
        }
        self.our_names = {their_name: our_name for our_name, their_name in self.their_names.items()}
        self.nested = {
            our_name: their_name
            for our_name, their_name in self.their_names.items()
            if "." in their_name
        }
        self._flat = {
            our_name: their_name
            for our_name, their_name in self.their_names.items()
            if "." not in their_name
        }
        self._flat_ours = {their_name: our_name for our_name, their_name in self._flat.items()}

    def send(self, our_object: Mapping[str, object]) -> dict[str, Any]:
        """An object with the service's names; other fields are unchanged."""
        their_object = _rename_keys(our_object, self._flat)
        for our_name, their_path in self.nested.items():
            if our_name in our_object:
                del their_object[our_name]
                _set_at_path(their_object, their_path, our_object[our_name])
        return their_object

    def read(self, their_object: Mapping[str, object]) -> dict[str, Any]:
        """An object of the service with our names; other fields are unchanged."""
        nested_fields, other_fields = self.split_nested(their_object)
        return {**_rename_keys(other_fields, self._flat_ours), **nested_fields}

    def split_nested(
        self, their_object: Mapping[str, object]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The values inside objects by our names, and the rest of an object of the service."""
        nested_fields = {}
        other_fields = dict(their_object)
        for our_name, their_path in self.nested.items():
            nested_value = value_at(their_object, their_path)
            if nested_value is not None:
                nested_fields[our_name] = nested_value
                other_fields = _remove_at_path(other_fields, their_path.split("."))
        return nested_fields, other_fields

    def find_our_path(self, path: str) -> str:
        """The path of a field of the service in our names; only its first name can differ."""
        for their_path, our_name in self.our_names.items():
            if f"{path}.".startswith(f"{their_path}."):
                return our_name + path.removeprefix(their_path)
        return path


def _rename_keys(json_object: Mapping[str, object], new_names: Mapping[str, str]) -> dict[str, Any]:
    """The object with `new_names` by old name; a field that had one of them before is dropped."""
    used_new_names = {new_names[old_name] for old_name in json_object if old_name in new_names}
    return {
        new_names.get(old_name, old_name): value
        for old_name, value in json_object.items()
        if old_name in new_names or old_name not in used_new_names
    }


def _set_at_path(json_object: dict[str, Any], path: str, new_value: object) -> None:
    """Set a value at a path; the objects on the way are copies."""
    first_name, _, inner_path = path.partition(".")
    if not inner_path:
        json_object[first_name] = new_value
        return
    inner_object = json_object.get(first_name)
    inner_copy = dict(inner_object) if isinstance(inner_object, Mapping) else {}
    _set_at_path(inner_copy, inner_path, new_value)
    json_object[first_name] = inner_copy


def _remove_at_path(json_object: Mapping[str, Any], keys: list[str]) -> dict[str, Any]:
    """The object without the value at a path, and without objects that are empty then."""
    first_key, *inner_keys = keys
    remaining = dict(json_object)
    inner_object = remaining.pop(first_key)
    inner_remaining = _remove_at_path(inner_object, inner_keys) if inner_keys else None
    if inner_remaining:
        remaining[first_key] = inner_remaining
    return remaining


@lru_cache
def make_names(table: FrozenDict[str], without: tuple[str, ...] = ()) -> Names:
    """The names of a table of settings, except those of some fields."""
    return Names(
        {our_name: their_path for our_name, their_path in table.items() if our_name not in without}
    )


SAME_NAMES = Names({})
"""The names of a service that has ours."""

Convert = Callable[[Names, Mapping[str, Any]], Body]
"""Renames the fields of an object."""
