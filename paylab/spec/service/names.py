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


def translate_to_our_names(values: Mapping[str, object]) -> dict[str, Any]:
    """The values by dotted key; lists of required fields have our names for those of the service.

    A list belongs to the table of names beside it.
    """
    translated_values = dict(values)
    for key, value in values.items():
        if key.endswith(REQUIRED):
            table = key.removesuffix(REQUIRED)
            translated_values[key] = _translate_required_fields(table, value, values)
    return translated_values


def _translate_required_fields(
    table: str, required: object, value_by_key: Mapping[str, object]
) -> Any:
    """A list of required fields in our names; a value that is no list is unchanged."""
    if not isinstance(required, list | tuple):
        return required
    our_names = {}
    for name_key in _name_settings(table):
        their_name = value_by_key.get(name_key, keys()[name_key].default)
        our_names[their_name] = name_key.partition(FIELDS_MARK)[2]
    return [_translate_field(field, our_names) for field in required]


def _translate_field(field: object, our_names: Mapping[Any, str]) -> object:
    """Our name for a field of the service; a name of ours, or of no field, is unchanged."""
    if not isinstance(field, str) or field in our_names.values():
        return field
    return our_names.get(field, field)


def _name_settings(table: str) -> list[str]:
    """The settings that name the fields of an object."""
    return [key for key in keys() if key.startswith(f"{table}{FIELDS_MARK}")]


def check_names(values: Mapping[str, object], changed_keys: Collection[str]) -> None:
    """ServiceError if two fields of one object have the same name, or one is inside the other.

    `values` are all settings by key.
    """
    for changed_key in changed_keys:
        table, _, field = changed_key.partition(FIELDS_MARK)
        if not field:
            continue
        other_keys = [
            other_name for other_name in _name_settings(table) if other_name != changed_key
        ]
        for other_key in (*other_keys, *_list_unrenamed_fields(table)):
            default_name = other_key.rpartition(".")[2]
            other_name = values.get(other_key, default_name)
            if _are_same_place(str(values[changed_key]), str(other_name)):
                message = f"{changed_key} and {other_key} cannot both be {values[changed_key]!r}"
                raise ServiceError(message, changed_key)


def _list_unrenamed_fields(table: str) -> list[str]:
    """The fields of a body that no setting renames."""
    operations = [
        operation
        for operation in OPERATIONS.values()
        if key_of(operation.names) == f"{table}.fields"
    ]
    references = {field.name for operation in operations for field in operation.references}
    field_names = {
        field_name for operation in operations for field_name in operation.by_name
    } - references
    renamed = {key.partition(FIELDS_MARK)[2] for key in _name_settings(table)}
    return [f"{table}.{field_name}" for field_name in sorted(field_names - renamed)]


def _are_same_place(field_path: str, other_path: str) -> bool:
    """Whether two places are the same, or one is inside the other."""
    is_inside_other = f"{field_path}.".startswith(f"{other_path}.")
    is_around_other = f"{other_path}.".startswith(f"{field_path}.")
    return is_inside_other or is_around_other
