"""Rows as a flat Arrow table of text: the columns of a schema, with values as they were sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from ..errors.base import ExactnessError
from ..spec.text import write_json
from .columns import Column, Schema

EXTRA = "extra"
"""The column of a dataset with the unknown fields of a row, as JSON."""

Row = dict[str, Any]
Tree = dict[str, Any]


@dataclass(frozen=True)
class PagePart:
    """Decoded pages: the rows, the number of rows per page, whether more follow, and the cursor."""

    table: pa.Table
    sizes: tuple[int, ...]
    more: bool
    cursor: str | None = None


def text_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of the flat table: all text."""
    return pa.schema([(name, pa.string()) for name in schema.names])


def text_table(
    rows: Sequence[Row], schema: Schema, *, extra: bool = False, start: int = 0
) -> pa.Table:
    """The rows as columns of text; `extra` appends a column for every unknown field.

    `start` is the number of the first row, for messages.
    """
    columns = {column.name: _text_column(rows, column, start) for column in schema.columns}
    if extra:
        columns |= _unknown_columns(rows, schema)
    return pa.table(columns)


def as_text(value: object) -> str | None:
    """A JSON value as text: text and numbers as sent, other values as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def path_tree(schema: Schema) -> Tree:
    """The columns as nested dicts in the shape of the service's objects."""
    root: Tree = {}
    for column in schema.columns:
        *parents, leaf = column.keys
        branch = root
        for parent in parents:
            branch = branch.setdefault(parent, {})
        branch[leaf] = column
    return root


def _text_column(rows: Sequence[Row], column: Column, start: int) -> pa.Array:
    values = _find_values(rows, column.keys)
    if column.kind == "list":
        values = [_join_words(value) for value in values]
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):  # a number, a list, an unpaired surrogate
        _refuse_floats(values, column, start)
        return _text_array(values)


def _join_words(value: object) -> object:
    words = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return ",".join(cast("list[str]", value)) if words else value


def _text_array(values: Sequence[object]) -> pa.Array:
    texts = map(as_text, values)
    return pa.array([text and text.encode("utf-8", "replace") for text in texts], pa.string())


def _find_values(rows: Sequence[Row], keys: Sequence[str]) -> Sequence[object]:
    values: Sequence[object] = rows
    if "*" in keys:
        at = keys.index("*")
        lists = _find_values(rows, keys[:at])
        inner = keys[at + 1 :]
        return [_find_values(items, inner) if isinstance(items, list) else None for items in lists]
    for key in keys:
        values = [value.get(key) if isinstance(value, dict) else None for value in values]
    return values


def _refuse_floats(values: Sequence[object], column: Column, start: int) -> None:
    if column.kind not in ("amount", "seconds"):
        return
    for row, value in enumerate(values, start):
        if isinstance(value, float):
            raise ExactnessError(
                f"{column.name}, row {row}: {value!r} is a float, not the text that was "
                "sent; parse the JSON with parse_float=Decimal"
            )


def _unknown_columns(rows: Sequence[Row], schema: Schema) -> dict[str, pa.Array]:
    shape = path_tree(schema)
    known_names = set(schema.names)
    columns: dict[str, list[object]] = {}
    for place, row in enumerate(rows):
        for name, value in unknown_fields(row, shape):
            encodable = name.encode("utf-8", "replace").decode()
            free = f"extra.{encodable}" if encodable in known_names else encodable
            columns.setdefault(free, [None] * len(rows))[place] = value
    return {name: _text_array(values) for name, values in columns.items()}


def json_column(rows: Sequence[Row], schema: Schema) -> pa.Array:
    """The unknown fields of each row as one JSON object by dotted name; null if it has none."""
    shape = path_tree(schema)
    fields = [dict(unknown_fields(row, shape)) for row in rows]
    return pa.array([write_json(known) if known else None for known in fields], pa.string())


def unknown_fields(
    row: Mapping[str, object], shape: Tree, at: str = ""
) -> Iterator[tuple[str, object]]:
    """The fields of a row that have a value and no column, by dotted name."""
    for key, value in row.items():
        branch = shape.get(key)
        if branch and isinstance(branch, dict) and isinstance(value, dict):
            yield from unknown_fields(value, branch, f"{at}{key}.")
        elif not isinstance(branch, Column) and value is not None:
            yield at + key, value
