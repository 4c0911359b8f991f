"""Lay values by name over the settings of a service, with one error for each wrong one."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors.base import ConfigWarning, warn_caller
from .files import FILL_IN
from .frozen import to_json_value
from .gone import replace_gone_keys
from .key import SettingKey
from .keys import is_group, read_value, setting_keys, unknown_setting_message
from .names import FIELDS_MARK, check_error_places, check_names, translate_to_our_names
from .tree import ServiceSettings

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

EXTRA = "extra"


class WrongSettingError(Exception):
    """The wrong settings of a file, by dotted key with what is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        """Keep the problems; the message has a line for each."""
        self.problems = dict(problems)
        super().__init__("\n".join(self.problems.values()))


def flatten_values(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield nested values by dotted key: `{"signing": {"tolerance": 60}}` is `signing.tolerance`.

    A table that is one setting, such as constant fields, stays one value.
    """
    for member_name, nested_value in values.items():
        dotted_key = f"{prefix}{member_name}"
        setting = setting_keys().get(dotted_key)
        if dotted_key == EXTRA or dotted_key.startswith(f"{EXTRA}."):
            yield from _flatten_constants(dotted_key, nested_value)
        elif not isinstance(nested_value, Mapping):
            yield dotted_key, nested_value
        elif setting and {*nested_value} == {setting.field}:
            # The words of the one field of an account, under the name of the field.
            yield dotted_key, nested_value[setting.field]
        elif setting is None and is_group(dotted_key):
            yield from flatten_values(nested_value, f"{dotted_key}.")
        else:
            yield dotted_key, nested_value


def _flatten_constants(dotted_key: str, constants: object) -> Iterator[tuple[str, Any]]:
    """Yield constant fields under the key EXTRA, as a table of one operation each.

    They stand in a table of operations, or under `extra.` and the name of an operation.
    """
    if dotted_key != EXTRA:
        yield EXTRA, {dotted_key.removeprefix(f"{EXTRA}."): constants}
    elif isinstance(constants, Mapping):
        yield from (
            (EXTRA, {operation: constant_fields})
            for operation, constant_fields in constants.items()
        )
    else:
        yield EXTRA, constants  # refused later: it is no table


def merge_values(values: Iterator[tuple[str, Any]]) -> dict[str, Any]:
    """Collect values by dotted key; the constants of several operations become one value.

    WrongSettingError for a setting that stands there twice, in a table and by its dotted key.
    """
    value_by_key: dict[str, Any] = {}
    for dotted_key, setting_value in values:
        if dotted_key == EXTRA and isinstance(setting_value, Mapping):
            constants_by_operation = value_by_key.get(EXTRA, {})
            for operation in constants_by_operation.keys() & setting_value.keys():
                raise _make_repetition_error(f'{EXTRA}."{operation}"')
            value_by_key[EXTRA] = {**constants_by_operation, **setting_value}
        elif dotted_key in value_by_key:
            raise _make_repetition_error(dotted_key)
        else:
            value_by_key[dotted_key] = setting_value
    return value_by_key


def _make_repetition_error(key: str) -> WrongSettingError:
    return WrongSettingError(
        {key: f"{key} is set twice, in a table and by its dotted key: keep one of them"}
    )


def read_declared_settings(values: object) -> tuple[ServiceSettings, dict[str, Any]]:
    """The settings with these values over the defaults, and the same values by dotted key.

    `values` are nested or by dotted key. Keys of older files are replaced, with a ConfigWarning
    for each.
    """
    if not isinstance(values, Mapping):
        message = (
            f"a Service takes settings by dotted key, not {values!r:.80}; "
            "Service.load(path) reads a file"
        )
        raise WrongSettingError({"": message})
    current_values, sentence_by_gone_key = replace_gone_keys(merge_values(flatten_values(values)))
    for gone_key, sentence in sentence_by_gone_key.items():
        warn_caller(ConfigWarning(sentence, gone_key), ConfigWarning)
    current_values = translate_to_our_names(current_values)
    settings = read_settings(current_values)
    declared_values = {key: read_value(settings, key) for key in current_values}
    if any(FIELDS_MARK in key for key in declared_values):
        # A renamed field may clash with any other, also with one of an undeclared name.
        check_names(
            {key: read_value(settings, key) for key in setting_keys()},
            declared_values,
        )
    check_error_places(settings.errors, declared_values)
    return settings, declared_values


def read_settings(values: Mapping[str, object]) -> ServiceSettings:
    """The settings with these values, by dotted key, over the defaults.

    WrongSettingError with one problem for each unknown key and each wrong value.
    """
    settings = ServiceSettings()
    table_by_group: dict[str, Any] = {}  # the other groups keep their defaults
    problem_by_key: dict[str, str] = {}
    for dotted_key, setting_value in values.items():
        setting = setting_keys().get(dotted_key)
        if setting is None:
            problem_by_key[dotted_key] = unknown_setting_message(dotted_key)
            continue
        can_be_sent = _can_be_sent(setting_value)
        if can_be_sent and not _equals_word_of_other_type(setting, setting_value):
            group_name = dotted_key.partition(".")[0]
            if group_name not in table_by_group:
                table_by_group[group_name] = _to_json_value(getattr(settings, group_name))
            _set_in_tables(table_by_group, dotted_key, to_json_value(setting_value))
        elif can_be_sent or dotted_key != EXTRA:  # of EXTRA, _check_constants says which operation
            requirement_text = _describe_requirement(setting)
            problem_by_key[dotted_key] = (
                f"{dotted_key} {requirement_text}, not {setting_value!r:.80}"
            )
    problem_by_key |= _check_constants(values.get(EXTRA, {}))
    json_text = json.dumps(table_by_group)
    try:
        settings = _make_adapter().validate_json(json_text, strict=True)
    except ValueError as error:
        problem_by_key |= _list_validation_problems(error, values)
    if problem_by_key:
        # In the order of the file; the problems of constants have keys that it may not have.
        ordered_keys = sorted(problem_by_key, key=[*values, *problem_by_key].index)
        raise WrongSettingError({key: problem_by_key[key] for key in ordered_keys})
    return settings


def _set_in_tables(table: dict[str, Any], dotted_key: str, json_value: object) -> None:
    """Set the value of a dotted key in tables inside tables, all of which exist."""
    *table_names, last_name = dotted_key.split(".")
    for table_name in table_names:
        table = table[table_name]
    table[last_name] = json_value


@cache
def _make_adapter() -> TypeAdapter[ServiceSettings]:
    """The pydantic reader of all settings; made once, at the first file."""
    from pydantic import TypeAdapter

    return TypeAdapter(ServiceSettings)


def _to_json_value(setting_value: object) -> Any:
    """Copy a group of settings, or one setting, as a JSON value."""
    if is_dataclass(setting_value):
        return {
            field.name: _to_json_value(getattr(setting_value, field.name))
            for field in fields(setting_value)
        }
    return to_json_value(setting_value)


def _check_constants(constants_by_operation: object) -> dict[str, str]:
    """The problems of the setting `extra`, by key.

    It must be a table of operations, each a table of fields that are filled in.
    """
    from ..operations.records import OPERATIONS

    if not isinstance(constants_by_operation, Mapping):
        return {EXTRA: f"{EXTRA} must be a table of operations, not {constants_by_operation!r:.80}"}
    operation_names = [
        operation_name for operation_name, operation in OPERATIONS.items() if operation.fields
    ]
    problem_by_key = {}
    for table_name, constants in constants_by_operation.items():
        # TOML reads [extra.transfers.create] as a table `create` in a table `transfers`.
        unquoted_verb = _find_unquoted_verb(table_name, constants, operation_names)
        problem_text = _find_constants_problem(table_name, constants, operation_names)
        if unquoted_verb:
            wrong_key = f"{EXTRA}.{table_name}.{unquoted_verb}"
            problem_by_key[wrong_key] = (
                f"{wrong_key} needs quotes around the operation: "
                f'write [{EXTRA}."{table_name}.{unquoted_verb}"]'
            )
        elif problem_text:
            problem_by_key[f"{EXTRA}.{table_name}"] = f'{EXTRA}."{table_name}" {problem_text}'
    return problem_by_key


def _find_constants_problem(
    operation: str, constants: object, operation_names: Sequence[str]
) -> str:
    """Say what is wrong with the constant fields of one operation; "" if nothing is."""
    if operation not in operation_names:
        nearest_names = get_close_matches(operation, operation_names, 1)
        if nearest_names:
            return f"names no operation; nearest: {nearest_names[0]}"
        return f"names no operation; those with a body are {', '.join(operation_names)}"
    if not isinstance(constants, Mapping):
        return "must be a table of fields"
    for field_name, constant in constants.items():
        if not _can_be_sent({field_name: constant}):
            return (
                f"has a value that JSON does not have, {field_name!r:.40} = {constant!r:.80}: "
                "write text (a time too) in quotes, a finite number, true, false, a list or a table"
            )
    if FILL_IN in json.dumps(to_json_value(constants)):
        field_names_text = ", ".join(_find_unfilled_fields(constants))
        return f"has no value for {field_names_text}: write one in place of {FILL_IN!r}"
    return ""


def _can_be_sent(value: object) -> bool:
    """Whether a value is one of both TOML and JSON.

    That is text, a whole or finite number, true, false, or a list or table of such values; a time
    of TOML is none, nor is the null of JSON.
    """
    if isinstance(value, Mapping):
        return all(
            isinstance(member_name, str) and _can_be_sent(member_name) and _can_be_sent(member)
            for member_name, member in value.items()
        )
    if isinstance(value, tuple | list):
        return all(map(_can_be_sent, value))
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int)


def _find_unquoted_verb(table_name: str, table: object, known_operations: Collection[str]) -> str:
    """The verb of an operation that was written without quotes; "" if none was.

    TOML reads `[extra.transfers.create]` as a table `create` in a table `transfers`: the verb is
    "create".
    """
    inner_names = table if isinstance(table, Mapping) else ()
    return next(
        (
            inner_name
            for inner_name in inner_names
            if f"{table_name}.{inner_name}" in known_operations
        ),
        "",
    )


def _find_unfilled_fields(constants: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    """Yield the dotted paths of constant fields that still have the text `FILL_IN`."""
    for field_name, field_value in constants.items():
        if isinstance(field_value, Mapping):
            yield from _find_unfilled_fields(field_value, f"{prefix}{field_name}.")
        elif field_value == FILL_IN:
            yield f"{prefix}{field_name}"


def _list_validation_problems(
    error: ValueError, value_by_key: Mapping[str, object]
) -> dict[str, str]:
    """The problem of each wrong value by its key, from the error of pydantic."""
    problem_by_key: dict[str, str] = {}
    validation_error: ValidationError = error  # type: ignore[assignment] # pydantic is loaded
    for error_detail in validation_error.errors(include_url=False):
        dotted_path = ".".join(map(str, error_detail["loc"]))  # may lead into the value of a key
        wrong_key = next(
            (
                known_key
                for known_key in value_by_key
                if f"{dotted_path}.".startswith(f"{known_key}.")
            ),
            dotted_path,
        )
        # `_check_constants` has the problems of EXTRA.
        if wrong_key not in problem_by_key and wrong_key != EXTRA:
            # The error of a limit says what the value must be.
            limit_error = error_detail.get("ctx", {}).get("error")
            requirement_text = limit_error or _describe_requirement(setting_keys()[wrong_key])
            problem_by_key[wrong_key] = (
                f"{wrong_key} {requirement_text}, not {value_by_key.get(wrong_key)!r:.80}"
            )
    return problem_by_key


def _equals_word_of_other_type(setting: SettingKey, setting_value: object) -> bool:
    """Whether a value equals a word but has another type, as 401.0 and True equal 401 and 1."""
    return any(
        word == setting_value and type(word) is not type(setting_value) for word in setting.words
    )


def _describe_requirement(setting: SettingKey) -> str:
    """Say what a value must be: "must be one of ..." or "must be a path"."""
    if setting.words:
        return f"must be one of {', '.join(map(_quote_word, setting.words))}"
    return f"must be a {setting.kind}"


def _quote_word(setting_word: object) -> str:
    """Write a word as in TOML: text in double quotes, a number without."""
    return f'"{setting_word}"' if isinstance(setting_word, str) else str(setting_word)
