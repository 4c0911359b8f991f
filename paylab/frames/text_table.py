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


def _text_column(rows: Sequence[Row], column: Column, first_row: int) -> pa.Array:
    field_values = _find_values(rows, column.keys)
    if column.kind == "list":
        field_values = [_join_words(value) for value in field_values]
    try:
        return pa.array(field_values, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):  # a number, a list, an unpaired surrogate
        _refuse_floats(field_values, column, first_row)
        return text_array(field_values)


def _join_words(field_value: object) -> object:
    is_word_list = isinstance(field_value, list) and all(
        isinstance(item, str) for item in field_value
    )
    return ",".join(cast("list[str]", field_value)) if is_word_list else field_value


def text_array(values: Sequence[object]) -> pa.Array:
    """Values of any kind as text; unpaired surrogates become question marks."""
    value_texts = map(as_text, values)
    return pa.array([text and text.encode("utf-8", "replace") for text in value_texts], pa.string())


def _find_values(rows: Sequence[Row], keys: Sequence[str]) -> Sequence[object]:
    found_values: Sequence[object] = rows
    if "*" in keys:
        star_index = keys.index("*")
        lists = _find_values(rows, keys[:star_index])
        inner_keys = keys[star_index + 1 :]
        return [
            _find_values(items, inner_keys) if isinstance(items, list) else None for items in lists
        ]
    for key in keys:
        found_values = [
            value.get(key) if isinstance(value, dict) else None for value in found_values
        ]
    return found_values


def _refuse_floats(values: Sequence[object], column: Column, first_row: int) -> None:
    if column.kind not in ("amount", "seconds"):
        return
    for row_number, field_value in enumerate(values, first_row):
        if isinstance(field_value, float):
            raise ExactnessError(
                f"{column.name}, row {row_number}: {field_value!r} is a float, not the text that "
                "was sent; parse the JSON with parse_float=Decimal"
            )


def _unknown_columns(rows: Sequence[Row], schema: Schema) -> dict[str, pa.Array]:
    shape = path_tree(schema)
    known_names = set(schema.names)
    columns: dict[str, list[object]] = {}
    for row_index, row in enumerate(rows):
        for field_name, field_value in unknown_fields(row, shape):
            encodable = field_name.encode("utf-8", "replace").decode()
            free = f"extra.{encodable}" if encodable in known_names else encodable
            columns.setdefault(free, [None] * len(rows))[row_index] = field_value
    return {field_name: text_array(values) for field_name, values in columns.items()}


def json_column(rows: Sequence[Row], schema: Schema) -> pa.Array:
    """The unknown fields of each row as one JSON object by dotted name; null if it has none."""
    shape = path_tree(schema)
    fields = [dict(unknown_fields(row, shape)) for row in rows]
    return pa.array([write_json(known) if known else None for known in fields], pa.string())


def unknown_fields(
    row: Mapping[str, object], shape: Tree, at: str = ""
) -> Iterator[tuple[str, object]]:
    """The fields of a row that have a value and no column, by dotted name."""
    for field_name, field_value in row.items():
        branch = shape.get(field_name)
        if branch and isinstance(branch, dict) and isinstance(field_value, dict):
            yield from unknown_fields(field_value, branch, f"{at}{field_name}.")
        elif not isinstance(branch, Column) and field_value is not None:
            yield at + field_name, field_value
