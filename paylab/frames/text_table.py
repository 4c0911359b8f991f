"""Rows as a flat Arrow table of text: the columns of a schema, with values as they were sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from ..errors.base import ExactnessError
from ..spec.text import JsonObject, write_json
from .columns import Column, Schema
from .operands import is_missing_value

EXTRA = "extra"
"""The column of a dataset with the unknown fields of a row, as JSON."""

Row = JsonObject
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
    return pa.schema([(column_name, pa.string()) for column_name in schema.names])


def text_table(
    rows: Sequence[Row], schema: Schema, *, extra: bool = False, first_row: int = 0
) -> pa.Table:
    """The rows as columns of text; `extra` appends a column for every unknown field.

    Fields of inner objects may also stand under the names of their columns, as in the records of
    a frame. `first_row` is the number of the first of these rows in the list, for messages.
    """
    schema = _use_column_names(schema, rows)
    column_by_name = {
        schema_column.name: _make_text_column(rows, schema_column, first_row)
        for schema_column in schema.columns
    }
    if extra:
        column_by_name |= _make_unknown_columns(rows, schema)
    return pa.table(column_by_name)


def _use_column_names(schema: Schema, rows: Sequence[Row]) -> Schema:
    """The schema with the path `deposit_amount` for `deposit.amount` if the rows are so."""
    field_names: set[str] = set().union(*rows)
    columns = [
        replace(schema_column, path=schema_column.name)
        if schema_column.name in field_names and schema_column.keys[0] not in field_names
        else schema_column
        for schema_column in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def as_text(value: object) -> str | None:
    """A JSON value as text: text and numbers as sent, other values as JSON.

    None for a missing value of pandas, as in the records of a frame.
    """
    if value is None or isinstance(value, str):
        return value
    if is_missing_value(value):
        return None
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def path_tree(schema: Schema) -> Tree:
    """The columns as nested dicts in the shape of the service's objects."""
    column_tree: Tree = {}
    for schema_column in schema.columns:
        *parent_keys, last_key = schema_column.keys
        branch = column_tree
        for parent_key in parent_keys:
            branch = branch.setdefault(parent_key, {})
        branch[last_key] = schema_column
    return column_tree


def _make_text_column(rows: Sequence[Row], column: Column, first_row: int) -> pa.Array:
    """The fields of a column as text; ExactnessError for an amount that is a float."""
    field_values = _find_values(rows, column.keys)
    if column.kind == "list":
        field_values = [_join_words(value) for value in field_values]
    try:
        return pa.array(field_values, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):  # a number, a list, an unpaired surrogate
        _refuse_floats(field_values, column, first_row)
        return text_array(field_values)


def _join_words(field_value: object) -> object:
    """A list of texts joined by commas; any other value unchanged."""
    if not isinstance(field_value, list):
        return field_value
    if not all(isinstance(list_item, str) for list_item in field_value):
        return field_value
    return ",".join(field_value)


def text_array(values: Sequence[object]) -> pa.Array:
    """Values of any kind as text; unpaired surrogates become question marks."""
    value_texts = map(as_text, values)
    utf8_bytes = [
        value_text and value_text.encode("utf-8", "replace") for value_text in value_texts
    ]
    return pa.array(utf8_bytes, pa.string())


def _find_values(objects: Sequence[object], keys: Sequence[str]) -> Sequence[object]:
    """The value that each object has at the path of `keys`; None if it has none.

    A `*` in the path stands for every item of a list: the value is then a list.
    """
    if "*" in keys:
        star_index = keys.index("*")
        item_lists = _find_values(objects, keys[:star_index])
        item_keys = keys[star_index + 1 :]
        return [
            _find_values(items, item_keys) if isinstance(items, list) else None
            for items in item_lists
        ]
    values = objects
    for path_key in keys:
        values = [value.get(path_key) if isinstance(value, dict) else None for value in values]
    return values


def _refuse_floats(field_values: Sequence[object], column: Column, first_row: int) -> None:
    """ExactnessError for a number that a JSON parser has rounded to a float."""
    if column.kind not in ("amount", "seconds"):
        return
    for row_number, field_value in enumerate(field_values, first_row):
        if isinstance(field_value, float) and not is_missing_value(field_value):
            raise ExactnessError(
                f"{column.name}, row {row_number}: {field_value!r} is a float, not the text that "
                "was sent; parse the JSON with parse_float=Decimal"
            )


def _make_unknown_columns(rows: Sequence[Row], schema: Schema) -> dict[str, pa.Array]:
    """A column of text for each unknown field; `extra.NAME` if a known column has its name."""
    column_tree = path_tree(schema)
    known_names = set(schema.names)
    values_by_column: dict[str, list[object]] = {}
    for row_index, row in enumerate(rows):
        for field_name, field_value in unknown_fields(row, column_tree):
            column_name = field_name.encode("utf-8", "replace").decode()
            if column_name in known_names:
                column_name = f"extra.{column_name}"
            column_values = values_by_column.setdefault(column_name, [None] * len(rows))
            column_values[row_index] = field_value
    return {column_name: text_array(values) for column_name, values in values_by_column.items()}


def json_column(rows: Sequence[Row], schema: Schema) -> pa.Array:
    """The unknown fields of each row as one JSON object by dotted name; null if it has none."""
    column_tree = path_tree(schema)
    fields_of_rows = [dict(unknown_fields(row, column_tree)) for row in rows]
    json_texts = [
        write_json(value_by_field) if value_by_field else None for value_by_field in fields_of_rows
    ]
    return pa.array(json_texts, pa.string())


def unknown_fields(
    fields: Mapping[str, object], column_tree: Tree, path_prefix: str = ""
) -> Iterator[tuple[str, object]]:
    """Yield the fields that have a value and no column, by dotted name.

    `path_prefix` is the name of the object that has the fields, with a dot: `deposit.`
    """
    for field_name, field_value in fields.items():
        branch = column_tree.get(field_name)
        if branch and isinstance(branch, dict) and isinstance(field_value, dict):
            yield from unknown_fields(field_value, branch, f"{path_prefix}{field_name}.")
        elif not isinstance(branch, Column) and field_value is not None:
            yield path_prefix + field_name, field_value
