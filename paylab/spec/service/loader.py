"""Lay values by name over the settings of a service, with one error for each wrong one."""

from __future__ import annotations

import json
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors.base import ConfigWarning
from .files import FILL_IN
from .frozen import plain_value
from .gone import without_gone
from .key import Key
from .keys import is_group, keys, unknown_setting, value_of
from .names import TABLE, check_names, with_our_names
from .tree import ServiceSettings

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

EXTRA = "extra"


class WrongSettingError(Exception):
    """The wrong settings of a file, by dotted key with what is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("\n".join(self.problems.values()))


def flat_values(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The values by dotted key; those of a table that is one setting stay together."""
    for name, value in values.items():
        key = f"{above}{name}"
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
            yield from flat_values(value, f"{key}.")
        else:
            yield key, value


def merged_values(values: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    """The values by dotted key; constants of several operations are one value."""
    found: dict[str, Any] = {}
    for key, value in values:
        is_joined = key == EXTRA and isinstance(value, Mapping)
        found[key] = {**found.get(key, {}), **value} if is_joined else value
    return found


def declared_settings(values: Mapping[str, Any]) -> tuple[ServiceSettings, dict[str, Any]]:
    """The default settings with other values, nested or by dotted key, and these by dotted key.

    Keys of older files are replaced, with a ConfigWarning for each.
    """
    known, instead = without_gone(merged_values(flat_values(values)))
    for sentence in instead.values():
        warnings.warn(sentence, ConfigWarning, stacklevel=4)
    known = with_our_names(known)
    settings = read_settings(known)
    declared = {key: value_of(settings, key) for key in known}
    if any(TABLE in key for key in declared):
        check_names({key: value_of(settings, key) for key in keys()}, declared)
    return settings, declared


def read_settings(values: Mapping[str, Any]) -> ServiceSettings:
    """The default settings with other values by dotted key.

    WrongSettingError with one problem for each unknown key and each wrong value.
    """
    whole = _plain(ServiceSettings())
    problems: dict[str, str] = {}
    for key, value in values.items():
        if key not in keys():
            problems[key] = unknown_setting(key)
            continue
        if value is None or _is_of_another_type(keys()[key], value):
            problems[key] = f"{key} {_must(keys()[key])}, not {value!r:.80}"
            continue
        *groups, last = key.split(".")
        group = whole
        for name in groups:
            group = group[name]
        group[last] = plain_value(value)
    problems |= _wrong_extra(values.get(EXTRA, {}))
    try:
        text = json.dumps(whole, default=repr)
        settings = _adapter().validate_json(text, strict=True)
    except ValueError as error:
        problems |= _messages(error, values)
        settings = ServiceSettings()
    if problems:
        ordered = sorted(problems, key=[*values, *problems].index)
        raise WrongSettingError({key: problems[key] for key in ordered})
    return settings


@cache
def _adapter() -> TypeAdapter[ServiceSettings]:
    from pydantic import TypeAdapter

    return TypeAdapter(ServiceSettings)


def _plain(value: Any) -> Any:
    """A group of settings as JSON has it."""
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return plain_value(value)


def _wrong_extra(extra: Any) -> dict[str, str]:
    """What is wrong with constant fields: an operation without a body, or no table."""
    from ..operations.records import OPERATIONS

    known = [name for name, operation in OPERATIONS.items() if operation.fields]
    problems = {}
    if not isinstance(extra, Mapping):
        return {EXTRA: f"{EXTRA} must be a table of operations, not {extra!r:.80}"}
    for operation, constants in extra.items():
        near = get_close_matches(operation, known, 1)
        hint = f"; nearest: {near[0]}" if near else f"; those with a body are {', '.join(known)}"
        verb = _verb(operation, constants, known)
        if verb:
            name = f"{operation}.{verb}"
            problems[f"{EXTRA}.{name}"] = (
                f'{EXTRA}.{name} needs quotes around the operation: write [{EXTRA}."{name}"]'
            )
        elif operation not in known:
            problems[f"{EXTRA}.{operation}"] = f'{EXTRA}."{operation}" names no operation{hint}'
        elif not isinstance(constants, Mapping):
            problems[f"{EXTRA}.{operation}"] = f'{EXTRA}."{operation}" must be a table of fields'
        elif FILL_IN in json.dumps(constants, default=repr):
            empty = ", ".join(_unfilled(constants))
            problems[f"{EXTRA}.{operation}"] = (
                f'{EXTRA}."{operation}" has no value for {empty}: write one in place of {FILL_IN!r}'
            )
    return problems


def _verb(resource: str, constants: Any, known: Collection[str]) -> str:
    """The verb of an operation without quotes, which TOML reads as two tables; else empty."""
    verbs = constants if isinstance(constants, Mapping) else ()
    return next((verb for verb in verbs if f"{resource}.{verb}" in known), "")


def _unfilled(constants: Mapping[str, Any], at: str = "") -> Iterator[str]:
    """The constant fields that nobody has given a value."""
    for name, value in constants.items():
        if isinstance(value, Mapping):
            yield from _unfilled(value, f"{at}{name}.")
        elif value == FILL_IN:
            yield f"{at}{name}"


def _messages(error: ValueError, values: Mapping[str, Any]) -> dict[str, str]:
    """The problem of each wrong value by its key."""
    problems: dict[str, str] = {}
    found: ValidationError = error  # type: ignore[assignment] # pydantic is imported by then
    for detail in found.errors(include_url=False):
        path = ".".join(map(str, detail["loc"]))
        key = next((name for name in values if f"{path}.".startswith(f"{name}.")), path)
        if key not in problems and key != EXTRA:
            must = detail.get("ctx", {}).get("error") or _must(keys()[key])
            problems[key] = f"{key} {must}, not {values.get(key)!r:.80}"
    return problems


def _is_of_another_type(key: Key, value: object) -> bool:
    """Whether a value only equals a word, such as 401.0, True or 1."""
    return any(word == value and type(word) is not type(value) for word in key.words)


def _must(key: Key) -> str:
    """What a value must be."""
    if key.words:
        return f"must be one of {', '.join(map(_written, key.words))}"
    return f"must be a {key.kind}"


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
