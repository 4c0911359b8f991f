"""The settings of a service by dotted key: for files, the probe and the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, get_args, get_type_hints

from ...errors.base import ServiceError
from .frozen import FrozenDict, freeze_value
from .key import SettingKey, annotation_parts, literal_words
from .setting import CHOSEN, Setting
from .tree import ServiceSettings

LISTED_PATHS_MAX = 6
"""The largest number of settings of one name that an error lists."""


@cache
def setting_keys() -> Mapping[str, SettingKey]:
    """Every setting by its dotted key, in the order of the tree."""
    return {key.name: key for key in _find_keys(ServiceSettings(), prefix="", outer_path=())}


SettingPath = tuple[tuple[str, Setting], ...]
"""The dotted name and the `Setting` of a key and of each group around it, outermost first."""


def _find_keys(group: Any, prefix: str, outer_path: SettingPath) -> Iterator[SettingKey]:
    """Yield the keys of a group and of the groups inside it.

    `prefix` starts their dotted names. `outer_path` is what is stated about the groups around it.
    """
    hint_by_field = get_type_hints(type(group), include_extras=True)
    # The keys that a later group of one list inherits.
    common_key_by_field: dict[str, SettingKey] = {}
    for field in fields(group):
        key_name = f"{prefix}{field.name}"
        group_value = getattr(group, field.name)
        type_hint = hint_by_field[field.name]
        settings = [
            annotation_part
            for annotation_part in annotation_parts(type_hint)
            if isinstance(annotation_part, Setting)
        ]
        settings_path = outer_path + tuple((key_name, setting) for setting in settings)
        inherited_title = "".join(setting.inherits for setting in settings)
        if inherited_title:
            yield from _make_inherited_keys(
                group_value, key_name, inherited_title, common_keys=common_key_by_field
            )
        elif is_dataclass(group_value):
            yield from _find_keys(group_value, f"{key_name}.", settings_path)
        elif any(setting.question for setting in settings):
            field_keys = list(_make_keys(group, key_name, type_hint, group_value, settings_path))
            if field_keys:
                common_key_by_field[field.name] = field_keys[0]
            yield from field_keys


def _make_keys(
    group: object, name: str, hint: object, default_value: object, settings_path: SettingPath
) -> Iterator[SettingKey]:
    """Yield the key of a field of `group`, or one key for each entry of a table of names.

    `name` is the dotted name of the field and `hint` its type. `settings_path` is what is stated
    about the field and the groups around it. Yield nothing for the words of an account type that
    has no field with fixed words.
    """
    settings = [setting for _, setting in settings_path]
    question_template = _find_last_text(setting.question for setting in settings)
    word_field = ""
    if "{field}" in question_template:
        word_field = getattr(group, "field", "")
        if not word_field:
            return
    for key_name, annotation, default in _list_entries(name, hint, default_value):
        our_name = key_name.rpartition(".")[2]
        yield SettingKey(
            name=key_name,
            annotation=annotation,
            default=default,
            question=_fill_question(question_template, name, our_name, word_field),
            row=_find_last_text(setting.row for setting in settings),
            origin=_find_last_text(setting.origin for setting in settings) or CHOSEN,
            others=_read_other_values(key_name, annotation, default, settings_path),
            base=_find_last_text(setting.base for setting in settings),
            field=word_field,
        )


def _list_entries(
    name: str, hint: object, default_value: object
) -> Iterator[tuple[str, object, object]]:
    """Yield the dotted name, type and default of each entry of a table of names.

    A value that is no table, or an empty one, is a single entry.
    """
    if not isinstance(default_value, FrozenDict) or not default_value:
        yield name, hint, default_value
        return
    name_type = get_args(annotation_parts(hint)[0])[0]
    for our_name, their_name in default_value.items():
        yield f"{name}.{our_name}", name_type, their_name


def _make_inherited_keys(
    group: Any, key_name: str, title: str, common_keys: Mapping[str, SettingKey]
) -> Iterator[SettingKey]:
    """Yield the keys of one member, such as `lists.transfers.order`.

    Each is as the common key, `lists.order`, except for its own default.
    """
    hint_by_field = get_type_hints(type(group), include_extras=True)
    for field in fields(group):
        common_key = common_keys[field.name]
        own_default = getattr(group, field.name)
        # A member with a default of its own plausibly has the common one instead.
        other_values = common_key.others if own_default is None else (common_key.default,)
        yield replace(
            common_key,
            name=f"{key_name}.{field.name}",
            annotation=hint_by_field[field.name],
            default=own_default,
            others=other_values,
            base=common_key.name,
            question=f"{title}: {common_key.question}",
        )


def _fill_question(question: str, key_name: str, our_name: str, word_field: str) -> str:
    """Fill `{name}`, `{account}` and `{field}` in a question.

    The account is what the dotted key has between its first and its last name: "MX bank_account".
    """
    account_text = key_name.partition(".")[2].rpartition(".")[0].replace(".", " ")
    text_by_placeholder = {"name": our_name, "account": account_text, "field": word_field}
    for placeholder, placeholder_text in text_by_placeholder.items():
        question = question.replace(f"{{{placeholder}}}", placeholder_text)
    return question


def _read_other_values(
    key_name: str, annotation: object, default: object, settings_path: SettingPath
) -> tuple[Any, ...]:
    """The other plausible values of a key: those of its own `Setting`, or of a group around it.

    A group states them by the rest of the dotted key. Without any, they are the other words of the
    key's `Literal`.
    """
    for group_name, setting in reversed(settings_path):  # the innermost first
        plausible_values = setting.others
        if isinstance(plausible_values, Mapping):
            key_in_group = key_name.removeprefix(f"{group_name}.")
            plausible_values = plausible_values.get(key_in_group, ())
        if plausible_values:
            return tuple(plausible_values)
    return tuple(
        literal_word for literal_word in literal_words(annotation) if literal_word != default
    )


def _find_last_text(annotation_texts: Iterable[str]) -> str:
    """The last text that is not empty, since an inner annotation overrules an outer one.

    "" if all are empty.
    """
    for annotation_text in reversed(list(annotation_texts)):
        if annotation_text:
            return annotation_text
    return ""


def read_own_value(settings: ServiceSettings, key: str) -> Any:
    """The value that settings have under a dotted key; None if it inherits that of another key."""
    setting_value: Any = settings
    for key_part in key.split("."):
        if isinstance(setting_value, FrozenDict):  # a table of names
            setting_value = setting_value[key_part]
        else:
            setting_value = getattr(setting_value, key_part)
    return freeze_value(setting_value)


def read_value(settings: ServiceSettings, key: str) -> Any:
    """The value in force under a dotted key: its own, or that of the key from which it inherits."""
    own_value = read_own_value(settings, key)
    return read_own_value(settings, setting_keys()[key].base) if own_value is None else own_value


def is_group(key: str) -> bool:
    """Whether a dotted key is that of a table of settings."""
    return any(setting_name.startswith(f"{key}.") for setting_name in setting_keys())


@cache
def find_settings_below(key_prefix: str) -> Mapping[str, SettingKey]:
    """The settings whose keys begin with a prefix, by the rest of their keys.

    Below `quotes.fields.` the setting `quotes.fields.payout_method` is `payout_method`.
    """
    return {
        setting.name.removeprefix(key_prefix): setting
        for setting in setting_keys().values()
        if setting.name.startswith(key_prefix)
    }


def find_setting_key(key: str) -> SettingKey:
    """The key of this name; ServiceError with similar names if it does not exist."""
    if key in setting_keys():
        return setting_keys()[key]
    raise ServiceError(unknown_setting_message(key), key)


def _find_paths_with(field_name: str) -> list[str]:
    """The dotted paths of all settings and tables of one name that are inside another table.

    For "order" they are `lists.order`, `lists.transfers.order`, `webhooks.order` and so on.
    """
    paths: list[str] = []
    for dotted_key in setting_keys():
        path_names = dotted_key.split(".")
        if field_name in path_names[1:]:
            name_end = path_names.index(field_name, 1) + 1
            paths.append(".".join(path_names[:name_end]))
    return list(dict.fromkeys(paths))


def _list_names_in_table(key_prefix: str) -> list[str]:
    """The names of the keys and tables right below a prefix, such as "signing." or ""."""
    inner_keys = [
        name.removeprefix(key_prefix) for name in setting_keys() if name.startswith(key_prefix)
    ]
    return list(dict.fromkeys(inner_key.partition(".")[0] for inner_key in inner_keys))


def unknown_setting_message(key: str) -> str:
    """Say that a key does not exist, with the nearest keys, or else all that are possible."""
    from difflib import get_close_matches  # only for a wrong name

    if is_group(key):
        return f"{key} is a table, not a value"
    known_table_name = key
    unknown_key_rest = key  # what the known table does not have
    while known_table_name and not is_group(known_table_name):
        known_table_name, _, unknown_key_rest = known_table_name.rpartition(".")
    # Without its table, a name can mean the settings of this name in all tables.
    paths_elsewhere = _find_paths_with(unknown_key_rest.partition(".")[0])
    if not known_table_name and 0 < len(paths_elsewhere) <= LISTED_PATHS_MAX:
        return f"there is no setting {key}; there are {', '.join(paths_elsewhere)}"
    key_prefix = f"{known_table_name}." if known_table_name else ""
    known_names = _list_names_in_table(key_prefix)
    nearest_names = get_close_matches(unknown_key_rest, known_names, 2)
    nearest_keys = [f"{key_prefix}{name}" for name in nearest_names]
    if nearest_keys:
        return f"there is no setting {key}; nearest: {', '.join(nearest_keys)}"
    all_keys_text = ", ".join(f"{key_prefix}{name}" for name in known_names)
    return f"there is no setting {key}; {known_table_name or 'a service.toml'} has: {all_keys_text}"
