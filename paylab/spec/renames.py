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
        self.their_names = {our: their for our, their in names.items() if our != their}
        self.our_names = {their: our for our, their in self.their_names.items()}
        self.nested = {our: their for our, their in self.their_names.items() if "." in their}
        self._flat = {our: their for our, their in self.their_names.items() if "." not in their}
        self._flat_ours = {their: our for our, their in self._flat.items()}

    def send(self, body: Mapping[str, object]) -> dict[str, Any]:
        """An object with the service's names; other fields are unchanged."""
        sent_body = _rename_keys(body, self._flat)
        for our_name, path in self.nested.items():
            if our_name in body:
                del sent_body[our_name]
                _set_at_path(sent_body, path, body[our_name])
        return sent_body

    def read(self, body: Mapping[str, object]) -> dict[str, Any]:
        """An object of the service with our names; other fields are unchanged."""
        nested_fields, flat_body = self.split_nested(body)
        return {**_rename_keys(flat_body, self._flat_ours), **nested_fields}

    def split_nested(self, body: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The values inside objects by our names, and the rest of an object of the service."""
        nested_fields = {}
        remaining = dict(body)
        for our_name, their_path in self.nested.items():
            if value_at(body, their_path) is not None:
                nested_fields[our_name] = value_at(body, their_path)
                remaining = _remove_at_path(remaining, their_path.split("."))
        return nested_fields, remaining

    def our_place(self, path: str) -> str:
        """The place of a field of the service in our names."""
        for their, our_name in self.our_names.items():
            if f"{path}.".startswith(f"{their}."):
                return our_name + path[len(their) :]
        return path


def _rename_keys(body: Mapping[str, object], new_name_by_key: Mapping[str, str]) -> dict[str, Any]:
    """The object with other names; a field that already has one of the new names is dropped."""
    new_names = {new_name_by_key[name] for name in body if name in new_name_by_key}
    return {
        new_name_by_key.get(name, name): value
        for name, value in body.items()
        if name in new_name_by_key or name not in new_names
    }


def _set_at_path(body: dict[str, Any], path: str, new_value: object) -> None:
    """Set a value at a path; the objects on the way are copies."""
    first_name, _, inner_path = path.partition(".")
    if not inner_path:
        body[first_name] = new_value
        return
    inner_object = body.get(first_name)
    inner_copy = dict(inner_object) if isinstance(inner_object, Mapping) else {}
    _set_at_path(inner_copy, inner_path, new_value)
    body[first_name] = inner_copy


def _remove_at_path(body: Mapping[str, Any], steps: list[str]) -> dict[str, Any]:
    """The object without the value at a path, and without objects that are empty then."""
    first_name, *inner_steps = steps
    remaining = dict(body)
    inner_object = remaining.pop(first_name)
    inner_remaining = _remove_at_path(inner_object, inner_steps) if inner_steps else None
    if inner_remaining:
        remaining[first_name] = inner_remaining
    return remaining


@lru_cache
def make_names(table: FrozenDict[str], without: tuple[str, ...] = ()) -> Names:
    """The names of a table of settings, except those of some fields."""
    return Names({our: their for our, their in table.items() if our not in without})


SAME_NAMES = Names({})
"""The names of a service that has ours."""

Convert = Callable[[Names, Mapping[str, Any]], Body]
"""Renames the fields of an object."""
