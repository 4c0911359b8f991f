"""The amounts of an exact column in another type."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.types import is_float_dtype, is_integer_dtype

from ..errors.base import ExactnessError
from . import arithmetic, decimals
from .currency_rows import CurrencyRows
from .exact_decimal import ExactDecimal, find_class
from .float_errors import USE_DECIMAL
from .pandas_callers import is_plotting

Array = np.ndarray[Any, Any]
LARGE_COLUMN = 10_000  # elements


def convert_amounts(amounts: pa.Array, dtype: Any) -> Any:
    """The amounts as text, integers, floats or an Arrow type; None for any other type.

    ExactnessError if integers or the Arrow type do not hold all amounts.
    """
    if isinstance(dtype, pd.StringDtype):
        return pd.array(write_texts(amounts), dtype)
    if isinstance(dtype, pd.ArrowDtype):
        return pd.arrays.ArrowExtensionArray(_cast(amounts, dtype.pyarrow_dtype))
    if is_integer_dtype(dtype):
        integers = arithmetic.read_whole_numbers(amounts, dtype).cast(pa.int64())
        nullable_dtype: Any = pd.Int64Dtype()
        return nullable_dtype.__from_arrow__(integers).astype(dtype)
    if is_float_dtype(dtype):
        floats = make_numpy_array(amounts, float)
        return floats.astype(dtype) if isinstance(dtype, np.dtype) else pd.array(floats, dtype)
    return None


def write_texts(amounts: pa.Array) -> pa.Array:
    """The amounts as text in plain digits."""
    return decimals.write(pa.chunked_array([amounts])).combine_chunks()


def _cast(amounts: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """The amounts in a type of Arrow; ExactnessError if it does not hold all of them."""
    if pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type):
        return write_texts(amounts).cast(arrow_type)
    if pa.types.is_floating(arrow_type):
        return _cast_to_floats(amounts).cast(arrow_type)
    try:
        return amounts.cast(arrow_type)
    except pa.ArrowInvalid as error:
        message = (
            f"not all amounts fit {arrow_type}: {error}; round them first, or use a wider type"
        )
        raise ExactnessError(message) from None


def enter_arrow_column(amounts: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """The amounts that are put into a column of Arrow; ExactnessError if it does not hold them."""
    if pa.types.is_floating(arrow_type):
        raise ExactnessError(f"amounts do not get into floats: {USE_DECIMAL}")
    return _cast(amounts, arrow_type)


def _cast_to_floats(amounts: pa.Array) -> pa.Array:
    """The nearest floats, from text: Arrow rounds decimals to other floats than Python does."""
    return amounts.cast(pa.string()).cast(pa.float64())


def list_elements(
    amounts: pa.Array, currencies: CurrencyRows | None, missing: object = pd.NA
) -> list[Any]:
    """The amounts as ExactDecimal that know their currencies, with `missing` for missing ones."""
    texts = amounts.cast(pa.string()).to_pylist()
    was_collecting = gc.isenabled()
    if len(texts) > LARGE_COLUMN:  # Python would look for garbage after every 700 elements
        gc.disable()
    try:
        if currencies is None:
            return [missing if text is None else ExactDecimal(text) for text in texts]
        # NO_CURRENCY is -1, which takes the last item.
        classes = [find_class(name) for name in (*currencies.names, None)]
        return [
            missing if text is None else classes[name_index](text)
            for text, name_index in zip(texts, currencies.name_indexes.tolist(), strict=True)
        ]
    finally:
        if was_collecting:
            gc.enable()


def make_numpy_array(
    amounts: pa.Array,
    dtype: Any,
    missing: Any = pd.NA,
    currencies: CurrencyRows | None = None,
) -> Array:
    """The amounts as an array of decimals, or of a type; missing floats are NaN by default.

    Without a type, the array has floats for matplotlib: it cannot draw pies, boxes and images of
    objects.
    """
    if dtype is None and is_plotting():
        dtype = float
    if dtype is None:
        return _make_objects(amounts, currencies, missing)
    element_type = np.dtype(dtype)
    is_integer = element_type.kind in "iu"  # signed or unsigned
    is_float = element_type.kind == "f"
    if is_integer:
        return _make_integers(amounts, element_type, missing)
    if is_float:
        return _make_floats(amounts, element_type, missing)
    return _make_objects(amounts, currencies, missing).astype(element_type)


def _make_objects(amounts: pa.Array, currencies: CurrencyRows | None, missing: object) -> Array:
    """The amounts as an array of ExactDecimal, with `missing` for missing ones."""
    elements = np.empty(len(amounts), dtype=object)
    elements[:] = list_elements(amounts, currencies, missing)
    return elements


def _make_floats(amounts: pa.Array, float_type: np.dtype[Any], missing: Any) -> Array:
    """The amounts as floats; a missing one is `missing`, or NaN if that is pd.NA."""
    arrow_floats = _cast_to_floats(amounts)
    floats: Array = arrow_floats.to_numpy(zero_copy_only=False).astype(float_type)
    if missing is pd.NA:
        return floats  # Arrow's nulls are NaN in it
    return np.where(np.asarray(amounts.is_null()), missing, floats)


def _make_integers(amounts: pa.Array, integer_type: np.dtype[Any], missing: object) -> Array:
    """The amounts as integers; ExactnessError if one is missing or not whole."""
    integers = arithmetic.read_whole_numbers(amounts, integer_type)
    if missing is not pd.NA:
        integers = integers.fill_null(missing)
    if integers.null_count:
        raise ExactnessError(f'missing amounts are no {integer_type}: write .astype("Int64")')
    return np.asarray(integers)
