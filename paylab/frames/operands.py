"""The values that are computed or compared with exact decimals, as Arrow decimals.

They are decimals, integers or the text of numbers. A comparison with a float uses its printed
digits, so that `amount == 1437.92` finds the amount, and warns; arithmetic with a float raises
ExactnessError.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_float_dtype, is_list_like, is_object_dtype

from ..errors.base import ExactnessError, PaylabError, PaylabWarning, warn_caller
from . import decimals
from .exact_decimal import USE_DECIMAL

WINDOWS = (
    "windows of pandas compute with floats: write frame.paylab.rolling(7).sum(), which is exact, "
    "or compute with each `for window in amounts.rolling(7)`; for statistics write "
    "amounts.astype(float).rolling(7)"
)
INTERPOLATED = (
    "interpolation computes with floats: write amounts.ffill(), which is exact, or "
    "amounts.astype(float).interpolate()"
)


class WindowError(PaylabError):
    """`rolling`, `expanding` or `ewm` of exact amounts, which pandas would compute with floats."""


class FloatWarning(PaylabWarning):
    """A float was compared with exact amounts."""


def exact_decimals(values: Any) -> pa.Array:
    """Anything list-like as Arrow decimals; ExactnessError for floats and other text."""
    array = _convert_to_arrow(values)
    if array is None:
        return decimals.from_numbers(map(_exact_number, values)).combine_chunks()
    if pa.types.is_decimal128(array.type):
        return array
    if pa.types.is_decimal(array.type):
        return decimals.fit_width(array)
    if pa.types.is_integer(array.type):
        return decimals.fit_width(array.cast(pa.decimal128(20, 0)))
    if pa.types.is_null(array.type) or array.null_count == len(array):
        return pa.nulls(len(array), pa.decimal128(18, 2))
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        texts = pa.chunked_array([array.cast(pa.string())])
        return decimals.read_decimals(texts, "amount").combine_chunks()
    raise ExactnessError(_describe_inexact(array))


def refuse_floats(values: Any) -> None:
    """ExactnessError if a number, a column or a frame has a float."""
    for value in np.asarray(values, dtype=object).flat:
        if isinstance(value, float | np.floating) and not is_missing_value(value):
            raise ExactnessError(f"{value!r} is a float, which is not exact: {USE_DECIMAL}")


def convert_operand(other: object, rows: int) -> pa.Array:
    """The other operand of arithmetic: a column, or one number for all rows."""
    if is_list_like(other):
        return _require_length(exact_decimals(other), rows)
    if isinstance(other, str) or (number(other) is None and not is_missing_value(other)):
        raise TypeError(f"amounts do not compute with {other!r:.{decimals.SHOWN_LENGTH}}")
    return pa.repeat(exact_decimals([other])[0], rows)


def read_compared(other: Any, rows: int) -> pa.Array:
    """The other operand of a comparison; values that are not numbers are missing."""
    if not is_list_like(other):
        return pa.repeat(decimals.from_numbers([number(other)])[0], rows)
    array = _convert_to_arrow(other)
    if array is not None and not pa.types.is_floating(array.type):
        return _require_length(exact_decimals(array), rows)
    return _require_length(decimals.from_numbers(map(number, other)).combine_chunks(), rows)


def number(value: Any) -> Decimal | None:
    """A number with its printed digits; None for anything else and for infinite values."""
    if isinstance(value, str):
        return Decimal(value.strip()) if decimals.NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, bool | np.bool_) or is_missing_value(value):
        return None
    if isinstance(value, float | np.floating):
        value = Decimal(repr(float(value)))
    if isinstance(value, int | np.integer):
        value = Decimal(int(value))
    return value if isinstance(value, Decimal) and value.is_finite() else None


def is_missing_value(value: Any) -> bool:
    """None, NaN, NaT and NA."""
    return not is_list_like(value) and bool(pd.isna(value))


def warn_of_floats(other: Any) -> None:
    """Warn, at the line of the caller, when a float is compared for equality."""
    values = other if is_list_like(other) else [other]
    kind = getattr(values, "dtype", "object")
    if is_object_dtype(kind):
        has_float = any(isinstance(value, float) and math.isfinite(value) for value in values)
    else:
        has_float = is_float_dtype(kind)
    if has_float:
        message = (
            "exact amounts are compared with a float; it is taken as it is printed. Compare with "
            'Decimal("1437.92"), or with frame.paylab.floats()'
        )
        warn_caller(message, FloatWarning)


def _describe_inexact(array: pa.Array) -> str:
    """Why values are not exact, and what to write instead."""
    if pa.types.is_boolean(array.type):
        return "true and false are no amounts: write amounts.where(mask, 0) for amounts * mask"
    if pa.types.is_floating(array.type) and pc.all(pc.equal(array, pc.round(array))).as_py():
        return (
            f"{array.type} values are not exact, also if they are whole: write 0 for 0.0, and "
            '.astype("Int64") for a column of whole numbers with missing ones'
        )
    return f"{array.type} values are not exact: {USE_DECIMAL}"


def _convert_to_arrow(values: object) -> pa.Array | None:
    try:
        chunks = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    array = chunks.combine_chunks() if isinstance(chunks, pa.ChunkedArray) else chunks
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return None if pa.types.is_decimal(array.type) and array.type.scale < 0 else array


def _exact_number(value: object) -> Decimal | None:
    refuse_floats([value])
    exact = number(value)
    if exact is None and not is_missing_value(value):
        raise ExactnessError(f"{value!r:.{decimals.SHOWN_LENGTH}} is not a number")
    return exact


def _require_length(values: Sequence[object], rows: int) -> pa.Array:
    if len(values) != rows:
        raise ValueError(f"{len(values)} values beside a column of {rows}")
    return values
