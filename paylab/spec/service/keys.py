"""The settings of a service by dotted key: for files, the probe and the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, get_args, get_type_hints

from ...errors.base import ServiceError
from .frozen import FrozenDict, frozen_value
from .key import Key, literals_of, parts_of
from .setting import CHOSEN, Setting
from .tree import ServiceSettings

MOST_PLACES = 6
"""The largest number of settings of one name that an error lists."""


@cache
def keys() -> Mapping[str, Key]:
    """Every setting by its dotted key, in the order of the tree."""
    return {key.name: key for key in _walk(ServiceSettings(), "", ())}


Stated = tuple[tuple[str, Setting], ...]
"""What is stated about a setting and the groups that it is in, each with the name it stands at."""


def _walk(group: Any, at: str, above: Stated) -> Iterator[Key]:
    """The keys of a group and of the groups inside it."""
    hints = get_type_hints(type(group), include_extras=True)
    known: dict[str, Key] = {}
    for field in fields(group):
        name = f"{at}{field.name}"
        value = getattr(group, field.name)
        hint = hints[field.name]
        own = [each for each in parts_of(hint) if isinstance(each, Setting)]
        stated = (*above, *((name, setting) for setting in own))
        title = "".join(setting.inherits for setting in own)
        if title:
            yield from _inherited(value, name, title, known)
        elif is_dataclass(value):
            yield from _walk(value, f"{name}.", stated)
        elif any(setting.question for setting in own):
            listed = [*_of_field(group, name, hint, value, stated)]
            known |= dict.fromkeys([field.name], listed[0]) if listed else {}
            yield from listed


def _of_field(group: Any, name: str, hint: Any, value: Any, stated: Stated) -> Iterator[Key]:
    """The key of a field, or those of a table of names."""
    settings = [setting for _, setting in stated]
    question = _last(setting.question for setting in settings)
    word_field = getattr(group, "field", "") if "{field}" in question else ""
    if "{field}" in question and not word_field:
        return  # an account without a field of fixed words
    is_table = isinstance(value, FrozenDict) and len(value) > 0
    for our, default in value.items() if is_table else [("", value)]:
        full = f"{name}.{our}" if is_table else name
        annotation = get_args(parts_of(hint)[0])[0] if is_table else hint
        yield Key(
            full,
            annotation,
            default,
            _filled(question, name, our or name.rpartition(".")[2], word_field),
            _last(setting.row for setting in settings),
            _last(setting.origin for setting in settings) or CHOSEN,
            _others(full, annotation, default, stated),
            _last(setting.base for setting in settings),
            word_field,
        )


def _inherited(group: Any, at: str, title: str, known: Mapping[str, Key]) -> Iterator[Key]:
    """The settings of one member: as those of all members, unless it has its own."""
    hints = get_type_hints(type(group), include_extras=True)
    for field in fields(group):
        common = known[field.name]
        own = getattr(group, field.name)
        yield replace(
            common,
            name=f"{at}.{field.name}",
            annotation=hints[field.name],
            default=own,
            others=common.others if own is None else (common.default,),
            base=common.name,
            question=f"{title}: {common.question}",
        )


def _filled(question: str, name: str, our: str, word_field: str) -> str:
    """A question with the names that it is about."""
    account = name.partition(".")[2].rpartition(".")[0].replace(".", " ")
    for placeholder, text in {"name": our, "account": account, "field": word_field}.items():
        question = question.replace(f"{{{placeholder}}}", text)
    return question


def _others(name: str, annotation: Any, default: Any, stated: Stated) -> tuple[Any, ...]:
    """The other values that are stated for a key; of a word, all other words."""
    for at, setting in reversed(stated):
        listed = setting.others
        if isinstance(listed, Mapping):
            listed = listed.get(name.removeprefix(f"{at}."), ())
        if listed:
            return tuple(listed)
    return tuple(word for word in literals_of(annotation) if word != default)


def _last(texts: Iterable[str]) -> str:
    return next((text for text in [*texts][::-1] if text), "")


def own_value(settings: ServiceSettings, key: str) -> Any:
    """The value of a key; None for one that is inherited."""
    found: Any = settings
    for name in key.split("."):
        found = found[name] if isinstance(found, FrozenDict) else getattr(found, name)
    return frozen_value(found)


def value_of(settings: ServiceSettings, key: str) -> Any:
    """The value of a key that is in force."""
    own = own_value(settings, key)
    return own_value(settings, keys()[key].base) if own is None else own


def is_group(key: str) -> bool:
    """Whether a dotted key is that of a table of settings."""
    return any(name.startswith(f"{key}.") for name in keys())


def known_key(key: str) -> Key:
    """The key of this name; ServiceError with similar names if it does not exist."""
    if key in keys():
        return keys()[key]
    raise ServiceError(unknown_setting(key), key)


def _places(word: str) -> list[str]:
    """The settings and tables of a name inside other tables."""
    paths = (name.split(".") for name in keys())
    inside = (path[: path.index(word, 1) + 1] for path in paths if word in path[1:])
    return list(dict.fromkeys(map(".".join, inside)))


def unknown_setting(key: str) -> str:
    """That a key does not exist, with similar names, or with all that are possible."""
    if is_group(key):
        return f"{key} is a table, not a value"
    group = key
    part = key
    while group and not is_group(group):
        group, _, part = group.rpartition(".")
    start = f"{group}." if group else ""
    inside = [name.removeprefix(start) for name in keys() if name.startswith(start)]
    names = dict.fromkeys(name.partition(".")[0] for name in inside)
    from difflib import get_close_matches  # only for a wrong name

    word = part.partition(".")[0]
    elsewhere = _places(word)
    if not group and 0 < len(elsewhere) <= MOST_PLACES:
        return f"there is no setting {key}; there are {', '.join(elsewhere)}"
    near = get_close_matches(part, names, 2)
    listed = ", ".join(start + name for name in near or names)
    hint = f"nearest: {listed}" if near else f"{group or 'a service.toml'} has: {listed}"
    return f"there is no setting {key}; {hint}"
