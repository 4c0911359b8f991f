"""Read a service.toml, find the line of a key, and write one with its questions."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors.base import ServiceError
from ..text import plain
from .frozen import to_json_value
from .keys import setting_keys

SCHEMA_FILE = "service.schema.json"
"""The file beside a service.toml with the JSON Schema by which editors complete and check it."""

INTRODUCTION = """\
# What your service does differently from what paylab
# assumes. Each question above a key is one to ask your
# provider. Read it with paylab.Service.load() or
# paylab.connect(service=...).
"""
FILL_IN = "<fill in>"
"""The value of a constant field that a person has to choose."""
QUESTION_WIDTH = 96
_LINE_NUMBER = re.compile(r"at line (\d+)")
_TABLE_OR_KEY = re.compile(r"\s*(?:\[(?P<table>[^\[\]]+)\]|(?P<key>[^\s=#][^=#]*)=)")
_PART_OF_NAME = re.compile(r"\"([^\"]*)\"|'([^']*)'|([^\s.\"']+)")
FILE_BYTES_MAX = 2**20
"""Maximum bytes of a service.toml; a larger file could fill the memory."""


def read_service_file(path: Path) -> tuple[dict[str, Any], str]:
    """The tables of a file and its text; ServiceError if it is not readable or not TOML."""
    try:
        if path.exists() and not path.is_file():  # a pipe may never end
            raise ServiceError(f"{path} cannot be read: it is not a regular file")
        if path.stat().st_size > FILE_BYTES_MAX:
            raise ServiceError(f"{path} is too large for a service.toml")
        file_text = path.read_text(encoding="utf-8-sig")  # Windows editors write a mark first
        return tomllib.loads(file_text), file_text
    except UnicodeDecodeError:
        raise ServiceError(f"{path} is not UTF-8 text") from None
    except RecursionError:
        raise ServiceError(f"{path} cannot be read: its values are nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        line_match = _LINE_NUMBER.search(str(error))
        # The error of a file that ends too early names no line: it is the last one.
        line_number = int(line_match[1]) if line_match else max(1, len(file_text.splitlines()))
        raise ServiceError(
            f"{path}, line {line_number}: this is not TOML: {error}", key="", line=line_number
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path that no file can have
        reason = getattr(error, "strerror", None) or error
        raise ServiceError(f"{plain(str(path), 80)} cannot be read: {reason}") from None


def find_line(text: str, key: str) -> int:
    """The number of the line of a TOML text that has a dotted key, counted from 1.

    If the text does not have the key, it is the line of the innermost table or key that the key is
    in. Without one, it is the first line of a key inside the key, or else the last line.
    """
    container_line_number = 0  # line of the key, or of the innermost table that has it
    container_name = ""  # name of that table
    inner_line_number = 0  # first line of a key inside the key
    for line_number, written_name in _find_written_names(text):
        is_key_or_around = f"{key}.".startswith(f"{written_name}.")
        if is_key_or_around and len(written_name) > len(container_name):
            container_line_number = line_number
            container_name = written_name
        elif written_name.startswith(f"{key}."):
            inner_line_number = inner_line_number or line_number
    return container_line_number or inner_line_number or len(text.splitlines())


def _find_written_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a TOML text with a table or a key: its number, and the dotted name."""
    table_name = ""
    for line_number, file_line in enumerate(text.splitlines(), 1):
        key_match = _TABLE_OR_KEY.match(file_line)
        if key_match is None:
            continue
        name_parts = _PART_OF_NAME.findall(key_match["table"] or key_match["key"])
        written_name = ".".join("".join(part_by_form) for part_by_form in name_parts)
        if key_match["table"]:
            table_name = written_name
            yield line_number, table_name
        else:
            yield line_number, f"{table_name}.{written_name}".strip(".")


def service_file_text(values: Mapping[str, object], schema: str = "") -> str:
    """The text of a service.toml with these values, each below its question.

    `values` are by dotted key; `schema` is the file or address of the JSON Schema.
    """
    entries_by_table: dict[str, list[str]] = {}
    for setting in setting_keys().values():
        if setting.name not in values:
            continue
        question_lines = textwrap.wrap(
            setting.question, QUESTION_WIDTH, initial_indent="# ", subsequent_indent="# "
        )
        for table_name, entry_lines in _write_table_entries(
            setting.name, to_json_value(values[setting.name])
        ):
            entries_by_table.setdefault(table_name, []).append(
                "\n".join([*question_lines, *entry_lines])
            )
    table_texts = [
        f"[{table_name}]\n" + "\n".join(entry_lines) + "\n"
        for table_name, entry_lines in entries_by_table.items()
    ]
    head_text = f"#:schema {schema}\n{INTRODUCTION}" if schema else INTRODUCTION
    return "\n".join([head_text, *table_texts])


def _write_table_entries(table_name: str, setting_value: object) -> Iterator[tuple[str, list[str]]]:
    """Yield the table of TOML that a value stands in, and its lines there.

    Constant fields, a mapping by operation, have a table for each operation.
    """
    if not isinstance(setting_value, Mapping):
        parent_table_name, _, leaf_key = table_name.rpartition(".")
        yield parent_table_name, [f"{leaf_key} = {_write_toml_value(setting_value)}"]
        return
    for operation_name, constants in setting_value.items():
        entry_lines = [
            f"{_write_toml_text(field_name)} = {_write_toml_value(constant)}"
            for field_name, constant in constants.items()
        ]
        yield f"{table_name}.{json.dumps(operation_name)}", entry_lines


def _write_toml_value(setting_value: object) -> str:
    """Write a value as TOML; an object becomes an inline table."""
    if isinstance(setting_value, Mapping):
        member_texts = (
            f"{_write_toml_text(member_name)} = {_write_toml_value(inner_value)}"
            for member_name, inner_value in setting_value.items()
        )
        return f"{{ {', '.join(member_texts)} }}"
    if isinstance(setting_value, list):
        return f"[{', '.join(map(_write_toml_value, setting_value))}]"
    if isinstance(setting_value, str):
        return _write_toml_text(setting_value)
    return json.dumps(setting_value)  # numbers and booleans are the same in JSON and in TOML


def _write_toml_text(text: str) -> str:
    """Write text in quotes, in ASCII: only TOML has an escape for a character above U+FFFF."""
    escaped_characters = (
        json.dumps(character)[1:-1] if character <= "\uffff" else f"\\U{ord(character):08x}"
        for character in text
    )
    return f'"{"".join(escaped_characters)}"'
