"""Merges of frames whose keys are exact amounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd
from pandas.api.types import (
    is_bool_dtype,
    is_float_dtype,
    is_integer_dtype,
    is_list_like,
    is_object_dtype,
    is_string_dtype,
)

from ..errors.arguments import explain_arguments
from ..errors.base import ExactnessError
from .decimal_array import DecimalDtype


@explain_arguments
def merge_exact(
    left: pd.DataFrame, right: pd.DataFrame | pd.Series, **options: Any
) -> pd.DataFrame:
    """`pandas.merge` with its keywords; ExactnessError if amounts are matched with other kinds.

    pandas itself would find only the floats that are equal to an amount in binary, and stop at
    integers and text with errors that do not say what to write.

    >>> paylab.frames.merge(frame, frame[["id"]], on="id").shape == frame.shape
    True
    """
    refuse_other_keys(left, right, options)
    return pd.DataFrame.merge(left, right, **options)


def refuse_other_keys(left: pd.DataFrame, right: Any, options: Mapping[str, Any]) -> None:
    """ExactnessError if a key is an exact amount on one side and another kind on the other."""
    right_frame = right.to_frame() if isinstance(right, pd.Series) else right
    on, left_on, right_on = (options.get(name) for name in ("on", "left_on", "right_on"))
    left_index, right_index = (options.get(name, False) for name in ("left_index", "right_index"))
    is_unnamed = on is None and left_on is None and not left_index
    if is_unnamed and options.get("how") != "cross":
        on = [name for name in left.columns if name in right_frame.columns]
    pairs = zip(
        _find_merge_keys(left, left_on if on is None else on, is_index=left_index),
        _find_merge_keys(right_frame, right_on if on is None else on, is_index=right_index),
        strict=False,
    )
    for key_pair in pairs:
        is_exact = [isinstance(key_column.dtype, DecimalDtype) for key_column in key_pair]
        if sum(is_exact) == 1:
            exact_key = key_pair[is_exact.index(True)]
            _require_decimals(key_pair[is_exact.index(False)], exact_key.name)


def refuse_other_index(left: pd.DataFrame, others: object, on: object) -> None:
    """As `refuse_other_keys`, for a join with the index of one or more frames."""
    for right in others if isinstance(others, list | tuple) else [others]:
        keys = {"left_on": on, "left_index": on is None, "right_index": True}
        refuse_other_keys(left, right, keys)


def _require_decimals(key_column: Any, name: object) -> None:
    """ExactnessError unless a key column holds decimals, in whatever type."""
    key_values = getattr(key_column.dtype, "categories", key_column)
    kind = key_values.dtype
    if is_float_dtype(kind):
        message = 'a float on the other: read the other column as text and write .astype("decimal")'
    elif is_object_dtype(kind):
        if pd.api.types.infer_dtype(key_values, skipna=False) == "decimal":
            return
        message = 'other objects on the other: write .astype("decimal") there'
    elif is_bool_dtype(kind) or is_integer_dtype(kind) or is_string_dtype(kind):
        message = f'{kind} on the other: write .astype("decimal") there'
    else:
        return
    raise ExactnessError(f"{name} is exact on one side of the merge and {message}")


def _find_merge_keys(frame: pd.DataFrame, names: Any, *, is_index: bool) -> list[Any]:
    """The columns and levels of the index that a merge compares."""
    if is_index:
        return [frame.index.get_level_values(level) for level in range(frame.index.nlevels)]
    name_list = names if isinstance(names, list | tuple) else [names]
    key_columns: list[Any] = []
    for name in name_list:
        if is_list_like(name):
            key_columns.append(pd.Series(cast(Any, name)))
        elif name in frame.columns:
            key_columns.append(frame[name])
        elif name in frame.index.names:
            key_columns.append(frame.index.get_level_values(name))
    return key_columns
