"""Read the keys of a service.toml, with line numbers in errors; write it with the questions."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..errors.base import ServiceError
from .service_keys import Key, Value
from .text import plain

INTRODUCTION = """\
# What your service does differently from what paylab assumes. Each question above a key is one
# to ask your provider. Read it with paylab.Service.load() or paylab.connect(service=...).
"""
WIDTH = 96
_LINE = re.compile(r"at line (\d+)")
_NAMED = re.compile(r"\s*(?:\[(?P<table>[^\[\]]+)\]|(?P<key>[^\s=#][^=#]*)=)")


class KeyTable(dict[str, Key]):
    """The keys by dotted name."""

    def values_by_key(
        self, values: Mapping[str, Any], above: str = ""
    ) -> Iterator[tuple[str, Value]]:
        """The values by dotted key, in the form of a Service; ServiceError if invalid."""
        for name, value in values.items():
            key = f"{above}{name}"
            found = self.get(key)
            if found is None and isinstance(value, Mapping) and self._is_group(key):
                yield from self.values_by_key(value, f"{key}.")
            elif found and found.field and isinstance(value, Mapping) and {*value} == {found.field}:
                yield key, self.read(key, value[found.field])
            else:
                yield key, self.read(key, value)

    def read(self, key: str, value: object) -> Value:
        """The value of a key in the form of a Service; ServiceError if it is invalid."""
        try:
            return self.known(key).read(value)
        except ValueError as error:
            raise ServiceError(f"{key} {error}, not {value!r:.80}", key) from None

    def known(self, key: str) -> Key:
        """The key of this name; ServiceError with similar names if it does not exist."""
        if key in self:
            return self[key]
        if self._is_group(key):
            raise ServiceError(f"{key} is a table, not a value", key)
        raise ServiceError(f"there is no setting {key}{self._nearest(key)}", key)

    def _is_group(self, key: str) -> bool:
        return any(name.startswith(f"{key}.") for name in self)

    def _nearest(self, key: str) -> str:
        """Names similar to the first unknown part of a key, or all possible ones."""
        group = key
        while group and not self._is_group(group):
            group, _, part = group.rpartition(".")
        start = f"{group}." if group else ""
        inside = [name.removeprefix(start) for name in self if name.startswith(start)]
        names = dict.fromkeys(name.partition(".")[0] for name in inside)
        near = get_close_matches(part, names, 2)
        found = ", ".join(start + name for name in near or names)
        return f"; nearest: {found}" if near else f"; {group or 'a service.toml'} has: {found}"


def read_service_file(path: Path) -> tuple[dict[str, Any], str]:
    """The tables of a file and its text; ServiceError if it is not readable or not TOML."""
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text), text
    except UnicodeDecodeError:
        raise ServiceError(f"{path} is not UTF-8 text") from None
    except RecursionError:
        raise ServiceError(f"{path} cannot be read: its values are nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        line = int(found[1]) if found else max(1, len(text.splitlines()))
        raise ServiceError(f"{path}, line {line}: this is not TOML: {error}", "", line) from None
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        reason = getattr(error, "strerror", None) or error
        raise ServiceError(f"{plain(str(path), 80)} cannot be read: {reason}") from None


def line_of(text: str, key: str) -> int:
    """The line of a dotted key, or of the last table or key that it is in; else the last line."""
    lines, table, found, longest = text.splitlines(), "", 0, 0
    for number, line in enumerate(lines, 1):
        match = _NAMED.match(line)
        if match is None:
            continue
        name = re.sub(r"[\s\"']", "", match["table"] or match["key"])
        table, name = (name, name) if match["table"] else (table, f"{table}.{name}".strip("."))
        if f"{key}.".startswith(f"{name}.") and len(name) > longest:
            found, longest = number, len(name)
    return found or len(lines)


def service_file_text(keys: KeyTable, values: Mapping[str, Value]) -> str:
    """The text of a file with these values.

    A text of printable ASCII, a number and a list of them are the same in JSON and in TOML.
    """
    tables: dict[str, list[str]] = {}
    for key in keys.values():
        if key.name in values:
            group, _, name = key.name.rpartition(".")
            question = textwrap.wrap(key.ask, WIDTH, initial_indent="# ", subsequent_indent="# ")
            line = f"{name} = {json.dumps(values[key.name])}"
            tables.setdefault(group, []).append("\n".join([*question, line]))
    parts = [f"[{group}]\n" + "\n".join(lines) + "\n" for group, lines in tables.items()]
    return "\n".join([INTRODUCTION, *parts])
