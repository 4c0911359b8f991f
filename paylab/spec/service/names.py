"""The names that a service has for fields: in lists of required fields, and contradictions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors.base import ServiceError
from ..operations.records import OPERATIONS
from .error_bodies import ErrorSettings
from .keys import setting_keys
from .setting import setting_key_of
from .value_types import NONE

FIELDS_MARK = ".fields."
REQUIRED = ".required"


def translate_to_our_names(values: Mapping[str, object]) -> dict[str, Any]:
    """Replace the service's names by ours in lists of required fields, such as `quotes.required`.

    `values` are by dotted key. The names of a list are those of the table `fields` beside it.
    """
    translated_values = dict(values)
    for setting_key, setting_value in values.items():
        if setting_key.endswith(REQUIRED):
            table_name = setting_key.removesuffix(REQUIRED)
            translated_values[setting_key] = _translate_required_fields(
                table_name, setting_value, values
            )
    return translated_values


def _translate_required_fields(
    table_name: str, required: object, value_by_key: Mapping[str, object]
) -> Any:
    """Rename a list of required fields to our names; a value that is no list is unchanged.

    `table_name` is the dotted name of the table that the list stands in.
    """
    if not isinstance(required, list | tuple):
        return required
    our_name_by_theirs = {}
    for name_key in _list_name_keys(table_name):
        their_name = value_by_key.get(name_key, setting_keys()[name_key].default)
        if isinstance(their_name, str):  # any other value is refused later
            our_name_by_theirs[their_name] = name_key.partition(FIELDS_MARK)[2]
    return [_translate_field(field, our_name_by_theirs) for field in required]


def _translate_field(field: object, our_names: Mapping[Any, str]) -> object:
    """Our name for a field of the service; a name of ours, or of no field, is unchanged."""
    if not isinstance(field, str) or field in our_names.values():
        return field
    return our_names.get(field, field)


def _list_name_keys(table_name: str) -> list[str]:
    """The keys of the names of an object's fields, such as `quotes.fields.total_fee`."""
    return [
        setting_key
        for setting_key in setting_keys()
        if setting_key.startswith(f"{table_name}{FIELDS_MARK}")
    ]


def check_names(values: Mapping[str, object], changed_keys: Collection[str]) -> None:
    """Raise ServiceError if two fields of an object have the same name, or one is in the other.

    `values` are all settings by key. Only names under `changed_keys` are compared with others.
    """
    for changed_key in changed_keys:
        table_name, _, field_name = changed_key.partition(FIELDS_MARK)
        if not field_name:
            continue
        other_keys = [
            name_key for name_key in _list_name_keys(table_name) if name_key != changed_key
        ]
        for other_key in (*other_keys, *_list_unrenamed_fields(table_name)):
            default_name = other_key.rpartition(".")[2]
            other_name = values.get(other_key, default_name)
            if _are_same_or_nested(str(values[changed_key]), str(other_name)):
                message = f"{changed_key} and {other_key} cannot both be {values[changed_key]!r}"
                raise ServiceError(message, changed_key)


def check_error_places(errors: ErrorSettings, changed_keys: Collection[str]) -> None:
    """Raise ServiceError if two values of an error body would have the same place.

    They are the text and the field problems, and the field and the text of each problem. Field
    problems that are an object by field can have the place of the text: it is then a member of it.
    """
    is_object_of_fields = errors.list_form == "by_field" and errors.words == errors.problems
    if NONE not in (errors.words, errors.problems) and not is_object_of_fields:
        _check_places(
            {"errors.words": errors.words_beside_problems, "errors.problems": errors.problems},
            changed_keys,
        )
    if errors.list_form == "objects":
        _check_places(
            {"errors.field": errors.field, "errors.message": errors.message}, changed_keys
        )


def _check_places(place_by_key: Mapping[str, str], changed_keys: Collection[str]) -> None:
    """Raise ServiceError if two places are the same, or one is inside the other."""
    if not _are_same_or_nested(*place_by_key.values()):
        return
    keys_text = " and ".join(place_by_key)
    places_text = " and ".join(map(repr, place_by_key.values()))
    wrong_key = next(
        (place_key for place_key in place_by_key if place_key in changed_keys), "errors.list_form"
    )
    raise ServiceError(
        f"{keys_text} need places of their own in an error body, not {places_text}", wrong_key
    )


def _list_unrenamed_fields(table_name: str) -> list[str]:
    """The dotted names, with the table, of the fields of a body that no setting can rename."""
    operations = [
        operation
        for operation in OPERATIONS.values()
        if setting_key_of(operation.names) == f"{table_name}.fields"
    ]
    reference_names = {field.name for operation in operations for field in operation.references}
    field_names = {
        field_name for operation in operations for field_name in operation.by_name
    } - reference_names
    renamable_names = {
        name_key.partition(FIELDS_MARK)[2] for name_key in _list_name_keys(table_name)
    }
    return [f"{table_name}.{field_name}" for field_name in sorted(field_names - renamable_names)]


def _are_same_or_nested(field_path: str, other_path: str) -> bool:
    """Whether two dotted paths are the same, or one leads into the other: `a` and `a.id`."""
    is_inside_other = f"{field_path}.".startswith(f"{other_path}.")
    is_around_other = f"{other_path}.".startswith(f"{field_path}.")
    return is_inside_other or is_around_other
