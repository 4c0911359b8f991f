"""The values of an exact column in another type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.types import is_float_dtype, is_integer_dtype

from ..errors.base import ExactnessError
from . import arithmetic, decimals
from .exact_decimal import make_elements

Array = np.ndarray[Any, Any]


def convert(values: pa.Array, target: Any) -> Any:
    """The values as text, integers, floats or an Arrow type; None for any other type.

    ExactnessError if integers or the Arrow type do not hold all values.
    """
    if isinstance(target, pd.StringDtype):
        return pd.array(write_texts(values), target)
    if isinstance(target, pd.ArrowDtype):
        return pd.arrays.ArrowExtensionArray(_cast(values, target.pyarrow_dtype))
    if is_integer_dtype(target):
        nullable_integer: Any = pd.Int64Dtype()
        whole_numbers = arithmetic.read_whole_numbers(values, target).cast(pa.int64())
        return nullable_integer.__from_arrow__(whole_numbers).astype(target)
    if is_float_dtype(target):
        floats = numpy_array(values, float)
        is_numpy = isinstance(target, np.dtype)
        return floats.astype(target) if is_numpy else pd.array(floats, target)
    return None


def write_texts(values: pa.Array) -> pa.Array:
    """The values as text in plain digits."""
    return decimals.write(pa.chunked_array([values])).combine_chunks()


def _cast(values: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type):
        return write_texts(values).cast(arrow_type)
    try:
        return values.cast(arrow_type)
    except pa.ArrowInvalid as error:
        message = (
            f"not all amounts fit {arrow_type}: {error}; round them first, or use a wider type"
        )
        raise ExactnessError(message) from None


def numpy_array(values: pa.Array, dtype: Any, missing: Any = pd.NA) -> Array:
    """The values as an array of decimals, or of a type; missing floats are NaN by default."""
    kind = "O" if dtype is None else np.dtype(dtype).kind
    if kind in "iu":
        return _whole_numbers(values, np.dtype(dtype), missing)
    if kind == "f":
        floats = values.cast(pa.string()).cast(pa.float64())  # rounds as Python does
        float_values: Array = floats.to_numpy(zero_copy_only=False).astype(dtype)
        return (
            float_values
            if missing is pd.NA
            else np.where(np.asarray(values.is_null()), missing, float_values)
        )
    objects = np.empty(len(values), dtype=object)
    objects[:] = make_elements(values.cast(pa.string()).to_pylist(), missing)
    return objects if dtype is None else objects.astype(dtype)


def _whole_numbers(values: pa.Array, integer_type: Any, missing: Any) -> Array:
    """The values as integers; ExactnessError if one is missing or not whole."""
    whole_numbers = arithmetic.read_whole_numbers(values, integer_type)
    if missing is not pd.NA:
        whole_numbers = whole_numbers.fill_null(missing)
    if whole_numbers.null_count:
        raise ExactnessError(f'missing amounts are no {integer_type}: write .astype("Int64")')
    return np.asarray(whole_numbers)
