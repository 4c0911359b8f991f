"""Merges of frames whose keys are exact amounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd
from pandas.api.types import is_float_dtype, is_list_like

from ..errors.arguments import explain_arguments
from ..errors.base import ExactnessError
from .decimal_array import DecimalDtype


@explain_arguments
def merge_exact(
    left: pd.DataFrame, right: pd.DataFrame | pd.Series, **options: Any
) -> pd.DataFrame:
    """`pandas.merge` with its keywords; ExactnessError if exact amounts are matched with floats.

    pandas itself would find only the floats that are equal to an amount in binary.

    >>> paylab.frames.merge(frame, frame[["id"]], on="id").shape == frame.shape
    True
    """
    refuse_float_keys(left, right, options)
    return pd.DataFrame.merge(left, right, **options)


def refuse_float_keys(left: pd.DataFrame, right: Any, options: Mapping[str, Any]) -> None:
    """ExactnessError if a key is an amount on one side and a float on the other."""
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
        if any(is_exact) and any(is_float_dtype(key_column.dtype) for key_column in key_pair):
            name = key_pair[is_exact.index(True)].name
            raise ExactnessError(
                f"{name} is exact on one side of the merge and a float on the other: read the "
                'other column as text, and write .astype("decimal")'
            )


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
