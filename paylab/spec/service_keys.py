"""A key of a service.toml, and the values that it can have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from urllib.parse import unquote

Value = str | int | tuple[str, ...] | tuple[int, ...]

NONE = "none"
"""The value of a key for a feature that a service does not have."""


@dataclass(frozen=True)
class Key:
    """A setting of a service.toml: type, default, and other supported values.

    `others` are values that a service could plausibly have. `field` is the field of an account's
    details whose words an `allowed` key lists. `base` is the key of all lists from which a key of
    one list inherits its value (`default` is then None).
    """

    name: str
    type: str
    row: str
    origin: str
    ask: str
    default: Value | None
    others: tuple[Value, ...]
    values: tuple[Value, ...] = ()
    least: int = 0
    most: int = 0
    may_hold: tuple[str, ...] = ()
    field: str = ""
    base: str = ""

    @property
    def optional(self) -> bool:
        """Whether "none" is a value: the service has no such thing."""
        return NONE in (self.default, *self.others)

    @property
    def example(self) -> Value:
        """The default, or another value if the default is "none" or that of another key."""
        return next(each for each in (self.default, *self.others) if each not in (None, NONE))

    @property
    def holds(self) -> tuple[str, ...]:
        """The placeholders that a path must have."""
        return tuple(_PLACEHOLDER.findall(str(self.example)))

    def read(self, value: object) -> Value:
        """The value in the form of a Service; ValueError says what it must be."""
        if self.optional and value == NONE:
            return NONE
        return READERS[self.type](self, value)


_NAME = re.compile(r"[!-~](?:[ -~]{0,98}[!-~])?")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_PATH = re.compile(r"(?:/(?:[A-Za-z0-9._~%!$&'()*+,;=:@-]|\{[a-z_]+\})+)+")


def _read_word(key: Key, value: object) -> Value:
    for word in key.values:
        if word == value and type(word) is type(value):
            return word
    raise ValueError(f"must be one of {', '.join(map(_written, key.values))}")


def _read_name(key: Key, value: object) -> Value:
    if isinstance(value, str) and value != NONE and _NAME.fullmatch(value):
        return value
    none = f', or "{NONE}"' if key.optional else ""
    raise ValueError(f"must be a name: 1 to 100 printable ASCII characters{none}")


def _read_path(key: Key, value: object) -> Value:
    form = f"must be a path such as {_written(key.example)}"
    none = f', or "{NONE}" if there is no such operation' if key.optional else ""
    if not isinstance(value, str) or not _PATH.fullmatch(value):
        raise ValueError(f"{form}{none}")
    if any(unquote(part) in (".", "..") for part in value.split("/")):
        raise ValueError(f'{form} without a "." or ".." between slashes{none}')
    found = _PLACEHOLDER.findall(value)
    wrong = [name for name in found if name not in (*key.holds, *key.may_hold)]
    missing = [name for name in key.holds if name not in found]
    if wrong or missing or len(set(found)) < len(found) or value.startswith("/_simulator"):
        placeholders = [f"{{{name}}}" for name in (*key.holds, *key.may_hold)]
        hold = f" that holds {', '.join(placeholders)}" if placeholders else " without {...}"
        raise ValueError(f"{form}{hold}{none}")
    return value


def _read_integer(key: Key, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and key.least <= value <= key.most:
        return value
    raise ValueError(f"must be a whole number from {key.least} to {key.most}")


def _read_integers(key: Key, value: object) -> Value:
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of whole numbers from {key.least} to {key.most}")
    return tuple(_read_integer(key, each) for each in value)


def _read_words(key: Key, value: object) -> Value:
    of = f", each one of {', '.join(map(str, key.values))}" if key.values else ""
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of words{of}")
    for each in value:
        if not isinstance(each, str) or not _NAME.fullmatch(each):
            raise ValueError(f"must be a list of words{of}: {each!r} is none")
        if key.values and each not in key.values:
            raise ValueError(f"must be a list of words{of}: not {each!r}{_like(each, key.values)}")
    if len(set(value)) < len(value):
        raise ValueError("must not contain a word twice")
    return tuple(value)


def _like(word: str, known: Iterable[Value]) -> str:
    near = get_close_matches(word, map(str, known))
    return f" (is {near[0]!r} meant?)" if near else ""


def _written(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


READERS: Mapping[str, Callable[[Key, object], Value]] = {
    "word": _read_word,
    "name": _read_name,
    "path": _read_path,
    "integer": _read_integer,
    "integers": _read_integers,
    "words": _read_words,
}
