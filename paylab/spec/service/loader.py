"""Lay values by name over the settings of a service, with one error for each wrong one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors.base import ConfigWarning, warn_caller
from .files import FILL_IN
from .frozen import to_json_value
from .gone import replace_gone_keys
from .key import Key
from .keys import is_group, keys, read_value, unknown_setting_message
from .names import FIELDS_MARK, check_names, with_our_names
from .tree import ServiceSettings

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

EXTRA = "extra"


class WrongSettingError(Exception):
    """The wrong settings of a file, by dotted key with what is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("\n".join(self.problems.values()))


def flatten_values(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The values by dotted key; those of a table that is one setting stay together."""
    for name, value in values.items():
        key = f"{prefix}{name}"
        operation = key.removeprefix(f"{EXTRA}.")
        setting = keys().get(key)
        if operation != key:
            yield EXTRA, {operation: value}
        elif key == EXTRA and isinstance(value, Mapping):
            yield from ((EXTRA, {name: inner}) for name, inner in value.items())
        elif (
            setting and setting.field and isinstance(value, Mapping) and {*value} == {setting.field}
        ):
            yield key, value[setting.field]
        elif setting is None and isinstance(value, Mapping) and is_group(key):
            yield from flatten_values(value, f"{key}.")
        else:
            yield key, value


def merge_values(values: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    """The values by dotted key; constants of several operations are one value."""
    merged: dict[str, Any] = {}
    for key, value in values:
        if key == EXTRA and isinstance(value, Mapping):
            merged[key] = {**merged.get(key, {}), **value}
        else:
            merged[key] = value
    return merged


def read_declared_settings(values: Mapping[str, object]) -> tuple[ServiceSettings, dict[str, Any]]:
    """The default settings with other values, nested or by dotted key, and these by dotted key.

    Keys of older files are replaced, with a ConfigWarning for each.
    """
    current_values, replacements = replace_gone_keys(merge_values(flatten_values(values)))
    for sentence in replacements.values():
        warn_caller(sentence, ConfigWarning)
    current_values = with_our_names(current_values)
    settings = read_settings(current_values)
    declared = {key: read_value(settings, key) for key in current_values}
    if any(FIELDS_MARK in key for key in declared):
        check_names({key: read_value(settings, key) for key in keys()}, declared)
    return settings, declared


def read_settings(values: Mapping[str, object]) -> ServiceSettings:
    """The default settings with other values by dotted key.

    WrongSettingError with one problem for each unknown key and each wrong value.
    """
    settings = ServiceSettings()
    tree = _to_json_value(settings)
    problems: dict[str, str] = {}
    for key, value in values.items():
        if key not in keys():
            problems[key] = unknown_setting_message(key)
        elif value is None or _is_of_another_type(keys()[key], value):
            problems[key] = f"{key} {_describe_requirement(keys()[key])}, not {value!r:.80}"
        else:
            *groups, leaf = key.split(".")
            table = tree
            for group in groups:
                table = table[group]
            table[leaf] = to_json_value(value)
    problems |= _check_constants(values.get(EXTRA, {}))
    try:
        text = json.dumps(tree, default=repr)
        settings = _adapter().validate_json(text, strict=True)
    except ValueError as error:
        problems |= _validation_problems(error, values)
    if problems:
        ordered_keys = sorted(problems, key=[*values, *problems].index)
        raise WrongSettingError({key: problems[key] for key in ordered_keys})
    return settings


@cache
def _adapter() -> TypeAdapter[ServiceSettings]:
    from pydantic import TypeAdapter

    return TypeAdapter(ServiceSettings)


def _to_json_value(value: object) -> Any:
    """A group of settings as JSON has it."""
    if is_dataclass(value):
        return {field.name: _to_json_value(getattr(value, field.name)) for field in fields(value)}
    return to_json_value(value)


def _check_constants(constants_by_operation: object) -> dict[str, str]:
    """The problems of constant fields by key: no table, no such operation, or no values."""
    from ..operations.records import OPERATIONS

    if not isinstance(constants_by_operation, Mapping):
        return {EXTRA: f"{EXTRA} must be a table of operations, not {constants_by_operation!r:.80}"}
    names = [name for name, operation in OPERATIONS.items() if operation.fields]
    problems = {}
    for operation, constants in constants_by_operation.items():
        title = f'{EXTRA}."{operation}"'
        key = f"{EXTRA}.{operation}"
        verb = _find_unquoted_verb(operation, constants, names)
        if verb:
            name = f"{operation}.{verb}"
            problems[f"{EXTRA}.{name}"] = (
                f'{EXTRA}.{name} needs quotes around the operation: write [{EXTRA}."{name}"]'
            )
        elif operation not in names:
            near_names = get_close_matches(operation, names, 1)
            hint = f"those with a body are {', '.join(names)}"
            if near_names:
                hint = f"nearest: {near_names[0]}"
            problems[key] = f"{title} names no operation; {hint}"
        elif not isinstance(constants, Mapping):
            problems[key] = f"{title} must be a table of fields"
        elif FILL_IN in json.dumps(constants, default=repr):
            fields = ", ".join(_find_unfilled_fields(constants))
            problems[key] = f"{title} has no value for {fields}: write one in place of {FILL_IN!r}"
    return problems


def _find_unquoted_verb(resource: str, constants: object, known: Collection[str]) -> str:
    """The verb of an operation without quotes, which TOML reads as two tables; else empty."""
    verbs = constants if isinstance(constants, Mapping) else ()
    return next((verb for verb in verbs if f"{resource}.{verb}" in known), "")


def _find_unfilled_fields(constants: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    """The constant fields that nobody has given a value."""
    for name, value in constants.items():
        if isinstance(value, Mapping):
            yield from _find_unfilled_fields(value, f"{prefix}{name}.")
        elif value == FILL_IN:
            yield f"{prefix}{name}"


def _validation_problems(error: ValueError, values: Mapping[str, object]) -> dict[str, str]:
    """The problem of each wrong value by its key."""
    problems: dict[str, str] = {}
    validation_error: ValidationError = error  # type: ignore[assignment] # pydantic is loaded
    for detail in validation_error.errors(include_url=False):
        path = ".".join(map(str, detail["loc"]))
        key = next((name for name in values if f"{path}.".startswith(f"{name}.")), path)
        if key not in problems and key != EXTRA:
            requirement = detail.get("ctx", {}).get("error") or _describe_requirement(keys()[key])
            problems[key] = f"{key} {requirement}, not {values.get(key)!r:.80}"
    return problems


def _is_of_another_type(key: Key, value: object) -> bool:
    """Whether a value only equals a word, such as 401.0, True or 1."""
    return any(word == value and type(word) is not type(value) for word in key.words)


def _describe_requirement(key: Key) -> str:
    """What a value must be."""
    if key.words:
        return f"must be one of {', '.join(map(_quote_word, key.words))}"
    return f"must be a {key.kind}"


def _quote_word(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
