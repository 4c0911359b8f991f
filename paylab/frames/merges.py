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


@explain_arguments
def merge_exact(
    left: pd.DataFrame, right: pd.DataFrame | pd.Series, **options: Any
) -> pd.DataFrame:
    """`pandas.merge` with its keywords; ExactnessError if amounts are matched with other kinds.

    `pandas.merge` refuses floats too, and stops at text with an error of its own.

    >>> paylab.frames.merge(frame, frame[["id"]], on="id").shape == frame.shape
    True
    """
    refuse_other_keys(left, right, options)
    return pd.DataFrame.merge(left, right, **options)


def refuse_other_keys(left: pd.DataFrame, right: Any, options: Mapping[str, Any]) -> None:
    """ExactnessError if a key is an exact amount on one side and another kind on the other."""
    right_frame = right.to_frame() if isinstance(right, pd.Series) else right
    on = options.get("on")
    left_on = options.get("left_on")
    left_index = options.get("left_index", False)
    has_no_keys = on is None and left_on is None and not left_index
    if has_no_keys and options.get("how") != "cross":
        # As in pandas, the keys are then the columns that both frames have.
        on = [column_name for column_name in left.columns if column_name in right_frame.columns]
    left_keys = left_on if on is None else on
    right_keys = options.get("right_on") if on is None else on
    left_key_columns = _find_merge_keys(left, left_keys, is_index=left_index)
    right_key_columns = _find_merge_keys(
        right_frame, right_keys, is_index=options.get("right_index", False)
    )
    # Different numbers of keys are left to pandas, which refuses them.
    for left_key, right_key in zip(left_key_columns, right_key_columns, strict=False):
        is_left_exact = str(left_key.dtype) == "decimal"
        is_right_exact = str(right_key.dtype) == "decimal"
        if is_left_exact and not is_right_exact:
            _require_decimals(right_key, left_key.name)
        if is_right_exact and not is_left_exact:
            _require_decimals(left_key, right_key.name)


def refuse_other_index(left: pd.DataFrame, others: object, on: object) -> None:
    """Refuse like `refuse_other_keys`, for a join with the index of one or more frames."""
    for other_frame in others if isinstance(others, list | tuple) else [others]:
        option_by_name = {"left_on": on, "left_index": on is None, "right_index": True}
        refuse_other_keys(left, other_frame, option_by_name)


def _require_decimals(key: Any, exact_name: object) -> None:
    """ExactnessError unless a key has decimals, in whatever type.

    `exact_name` is the name of the exact key on the other side of the merge.
    """
    values = getattr(key.dtype, "categories", key)
    dtype = values.dtype
    if is_float_dtype(dtype):
        problem_text = (
            'a float on the other: read the other column as text and write .astype("decimal")'
        )
    elif is_object_dtype(dtype):
        if pd.api.types.infer_dtype(values, skipna=False) == "decimal":
            return
        problem_text = 'other objects on the other: write .astype("decimal") there'
    elif is_bool_dtype(dtype) or is_integer_dtype(dtype) or is_string_dtype(dtype):
        problem_text = f'{dtype} on the other: write .astype("decimal") there'
    else:
        return  # pandas refuses the other kinds, such as times, with a good error
    raise ExactnessError(f"{exact_name} is exact on one side of the merge and {problem_text}")


def _find_merge_keys(frame: pd.DataFrame, names: Any, *, is_index: bool) -> list[Any]:
    """The columns, and levels of the index, that a merge compares; `names` as pandas takes them.

    A name may also be an array of keys. A name that the frame does not have is left to pandas.
    """
    if is_index:
        return [frame.index.get_level_values(level) for level in range(frame.index.nlevels)]
    names_or_arrays = names if isinstance(names, list | tuple) else [names]
    keys: list[Any] = []
    for name_or_array in names_or_arrays:
        if is_list_like(name_or_array):
            keys.append(pd.Series(cast(Any, name_or_array)))
        elif name_or_array in frame.columns:
            keys.append(frame[name_or_array])
        elif name_or_array in frame.index.names:
            keys.append(frame.index.get_level_values(name_or_array))
    return keys
