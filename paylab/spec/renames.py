"""The names of a service's fields, where they differ from ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from .json_path import value_at
from .service.frozen import FrozenDict
from .text import JsonMapping, JsonObject

Body = JsonObject


class Names:
    """The names of a service's fields: from our names to theirs, and back.

    A name of the service may step into objects: `individual.id` is `id` in the object `individual`.

    >>> names = Names({"phone": "phone_number", "individual_id": "individual.id"})
    >>> names.to_theirs({"phone": "+52", "individual_id": "ind_1"})
    {'phone_number': '+52', 'individual': {'id': 'ind_1'}}
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        """Sort the names: `names` maps ours to theirs, and equal ones are left out.

        `nested_paths` has their dotted names by ours, the flat names are the others.
        """
        self.their_names = {
            our_name: their_name for our_name, their_name in names.items() if our_name != their_name
        }
        self.our_names = {their_name: our_name for our_name, their_name in self.their_names.items()}
        self.nested_paths = {
            our_name: their_name
            for our_name, their_name in self.their_names.items()
            if "." in their_name
        }
        self._their_flat_names = {
            our_name: their_name
            for our_name, their_name in self.their_names.items()
            if "." not in their_name
        }
        self._our_flat_names = {
            their_name: our_name for our_name, their_name in self._their_flat_names.items()
        }

    def to_theirs(self, our_object: Mapping[str, object]) -> JsonObject:
        """Rename the fields of an object from our names to the service's; others are unchanged.

        A field that had one of the service's names before is dropped.
        """
        flat_fields = {
            our_name: field_value
            for our_name, field_value in our_object.items()
            if our_name not in self.nested_paths
        }
        their_object = _rename_keys(flat_fields, self._their_flat_names)
        for our_name, their_path in self.nested_paths.items():
            if our_name in our_object:
                _set_at_path(their_object, their_path, our_object[our_name])
        return their_object

    def to_ours(self, their_object: Mapping[str, object]) -> JsonObject:
        """Rename the fields of an object from the service's names to ours; others are unchanged.

        A field that had one of our names before is dropped.
        """
        nested_fields, other_fields = self.split_nested(their_object)
        return {**_rename_keys(other_fields, self._our_flat_names), **nested_fields}

    def split_nested(
        self, their_object: Mapping[str, object]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Take the values that we have under flat names out of the objects of the service.

        `{"individual": {"id": "ind_1"}, "phone": "+52"}` becomes `{"individual_id": "ind_1"}`
        and `{"phone": "+52"}`.
        """
        nested_fields = {}
        other_fields = dict(their_object)
        for our_name, their_path in self.nested_paths.items():
            nested_value = value_at(their_object, their_path)
            if nested_value is not None:
                nested_fields[our_name] = nested_value
                other_fields = _remove_at_path(other_fields, their_path.split("."))
        return nested_fields, other_fields

    def find_our_path(self, path: str) -> str:
        """The path of a field of the service in our names.

        If `individual_id` is their "person.id", then "person.id" is "individual_id". If `address`
        is their "home", then "home.city" is "address.city".
        """
        for their_path, our_name in self.our_names.items():
            is_field_or_inside = path == their_path or path.startswith(f"{their_path}.")
            if is_field_or_inside:
                return our_name + path.removeprefix(their_path)
        return path


def _rename_keys(json_object: Mapping[str, object], new_names: Mapping[str, str]) -> JsonObject:
    """Rename the keys of an object; `new_names` has the new name of each old one.

    A field that had one of the new names before is dropped: the renamed field takes its place.
    """
    used_new_names = {new_names[old_name] for old_name in json_object if old_name in new_names}
    return {
        new_names.get(old_name, old_name): field_value
        for old_name, field_value in json_object.items()
        if old_name in new_names or old_name not in used_new_names
    }


def _set_at_path(json_object: JsonObject, path: str, new_value: object) -> None:
    """Set a value at a dotted path; objects on the way are replaced by changed copies."""
    first_name, _, inner_path = path.partition(".")
    if not inner_path:
        json_object[first_name] = new_value
        return
    inner_object = json_object.get(first_name)
    inner_copy = dict(inner_object) if isinstance(inner_object, Mapping) else {}
    _set_at_path(inner_copy, inner_path, new_value)
    json_object[first_name] = inner_copy


def _remove_at_path(json_object: JsonMapping, keys: list[str]) -> JsonObject:
    """Copy an object without the value at a path of keys; objects that become empty are dropped."""
    first_key, *inner_keys = keys
    remaining_fields = dict(json_object)
    inner_object = remaining_fields.pop(first_key)
    remaining_inner_fields = _remove_at_path(inner_object, inner_keys) if inner_keys else None
    if remaining_inner_fields:
        remaining_fields[first_key] = remaining_inner_fields
    return remaining_fields


@lru_cache
def make_names(table: FrozenDict[str], without: tuple[str, ...] = ()) -> Names:
    """The names in a table of settings; the fields in `without` keep our names."""
    return Names(
        {our_name: their_path for our_name, their_path in table.items() if our_name not in without}
    )


SAME_NAMES = Names({})
"""The names of a service that has ours."""

Convert = Callable[[Names, JsonMapping], Body]
"""Renames the fields of an object."""
