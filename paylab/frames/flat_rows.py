"""Rows of a frame as the objects that they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from .columns import Schema


def replace_missing(row: Mapping[str, object]) -> dict[str, object]:
    """A row with None for each missing value of pandas.

    >>> replace_missing({"status": float("nan"), "completed_in": pd.NA, "id": "tr_1"})
    {'status': None, 'completed_in': None, 'id': 'tr_1'}
    """
    return {field_name: None if _is_missing(value) else value for field_name, value in row.items()}


def _is_missing(value: object) -> bool:
    is_float_nan = isinstance(value, float) and value != value  # noqa: PLR0124 - only NaN differs
    return value is pd.NA or value is pd.NaT or is_float_nan


def nest_columns(row: Mapping[str, object], schema: Schema) -> dict[str, object]:
    """An object from a row of a frame: the column `deposit_amount` is the field `deposit.amount`.

    Columns whose object the row has, such as `deposit`, are left as they are.
    """
    nested = dict(row)
    for column in schema.columns:
        root_name = column.keys[0]
        is_nested = root_name != column.name
        if is_nested and column.name in row and root_name not in row:
            _set_field(nested, column.keys, nested.pop(column.name))
    return nested


def _set_field(parent: dict[str, Any], keys: list[str], value: object) -> None:
    """Set the field at a path; at `*`, the value has one item for each object, after commas."""
    name, *inner_keys = keys
    if not inner_keys:
        parent[name] = value
    elif inner_keys[0] != "*":
        _set_field(parent.setdefault(name, {}), inner_keys, value)
    elif value is not None:
        items = str(value).split(",")
        objects = parent.setdefault(name, [{} for _ in items])
        for object_, item in zip(objects, items, strict=False):
            _set_field(object_, inner_keys[1:], item)
