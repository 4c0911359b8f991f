"""From nested rows to a flat Arrow table of text, every value exactly as it was sent.

Types come afterwards, from the text: that is what keeps amounts exact, and an export never
needs them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import pyarrow as pa

from ..errors import ExactnessError
from .pages import Row
from .schema import Column, Schema

Tree = dict[str, Any]


def text_schema(schema: Schema) -> pa.Schema:
    """The Arrow schema of the flat table: text throughout."""
    return pa.schema([(name, pa.string()) for name in schema.names])


def text_table(
    rows: Sequence[Row], schema: Schema, *, extra: bool = False, start: int = 0
) -> pa.Table:
    """The rows as columns of text; `extra` appends a column for every unknown field.

    `start` is the number of the first row, for messages.
    """
    columns = {column.name: _column(rows, column, start) for column in schema.columns}
    if extra:
        columns |= _unknown_columns(rows, schema)
    return pa.table(columns)


def as_text(value: object) -> str | None:
    """A JSON value as one text: text and numbers as they were written, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def tree(schema: Schema) -> Tree:
    """The columns in the shape of the service's objects: dicts by key, columns at the leaves."""
    root: Tree = {}
    for column in schema.columns:
        *parents, leaf = column.keys
        branch = root
        for parent in parents:
            branch = branch.setdefault(parent, {})
        branch[leaf] = column
    return root


def _column(rows: Sequence[Row], column: Column, start: int) -> pa.Array:
    values = _values(rows, column.keys)
    if column.kind == "list":
        values = [_joined(value) for value in values]
    try:
        return pa.array(values, pa.string())
    except (pa.ArrowException, UnicodeEncodeError):  # a number, a list, half a surrogate pair
        _refuse_floats(values, column, start)
        return _text_array(values)


def _joined(value: object) -> object:
    words = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return ",".join(cast("list[str]", value)) if words else value


def _text_array(values: Sequence[object]) -> pa.Array:
    texts = map(as_text, values)
    return pa.array([text and text.encode("utf-8", "replace") for text in texts], pa.string())


def _values(rows: Sequence[Row], keys: Sequence[str]) -> Sequence[object]:
    values: Sequence[object] = rows
    for key in keys:
        values = [value.get(key) if isinstance(value, dict) else None for value in values]
    return values


def _refuse_floats(values: Sequence[object], column: Column, start: int) -> None:
    if column.kind not in ("amount", "seconds"):
        return
    for row, value in enumerate(values, start):
        if isinstance(value, float):
            raise ExactnessError(
                f"{column.name}, row {row}: {value!r} came as a float and is no longer what "
                "was sent; parse the JSON with parse_float=Decimal"
            )


def _unknown_columns(rows: Sequence[Row], schema: Schema) -> dict[str, pa.Array]:
    shape, known = tree(schema), set(schema.names)
    columns: dict[str, list[object]] = {}
    for place, row in enumerate(rows):
        for name, value in _unknown(row, shape):
            free = f"extra.{name}" if name in known else name
            columns.setdefault(free, [None] * len(rows))[place] = value
    return {name: _text_array(values) for name, values in columns.items()}


def _unknown(row: Mapping[str, object], shape: Tree, at: str = "") -> Iterator[tuple[str, object]]:
    for key, value in row.items():
        branch = shape.get(key)
        if branch and isinstance(branch, dict) and isinstance(value, dict):
            yield from _unknown(value, branch, f"{at}{key}.")
        elif not isinstance(branch, Column) and value is not None:
            yield at + key, value
