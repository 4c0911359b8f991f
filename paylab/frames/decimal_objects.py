"""Columns of objects that hold Python's Decimals, made exact.

pandas adds them with the 28 digits of Python, divides and compares their means as floats, and
`DataFrame.round` skips them.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
from pandas.api.types import is_object_dtype

from ..errors.base import ExactnessError
from .exact_decimal import ExactDecimal
from .operands import is_missing_value


def make_exact(result: Any) -> Any:
    """A column of Decimals, or the columns of a frame, as exact ones; anything else unchanged.

    A column with a Decimal of more than 38 digits stays one of objects.
    """
    if isinstance(result, pd.DataFrame):
        for position, dtype in enumerate(result.dtypes):
            if is_object_dtype(dtype):
                result.isetitem(position, make_exact(result.iloc[:, position]))
        return result
    is_column = isinstance(result, pd.Series) and is_object_dtype(result.dtype)
    return convert_objects(result) if is_column and holds_decimals(result) else result


def exact_values(values: Any) -> Any:
    """An array of objects as exact decimals if it has a Decimal of Python; else unchanged.

    One with elements of exact columns only is wanted as objects.
    """
    if not is_object_dtype(values.dtype) or values.ndim != 1 or not holds_decimals(values):
        return values
    if all(isinstance(value, ExactDecimal) or is_missing_value(value) for value in values):
        return values
    exact_column = convert_objects(pd.Series(values, copy=False))
    return values if is_object_dtype(exact_column.dtype) else exact_column.array


def convert_objects(column: Any) -> Any:
    """A column or array of Decimals as exact decimals; unchanged if one has too many digits."""
    try:
        return column.astype("decimal")
    except (ExactnessError, pa.ArrowException):
        return column


def holds_decimals(values: Any) -> bool:
    """Whether all values are finite Decimals, at least one, or missing."""
    has_decimal = False
    for value in values:
        if isinstance(value, Decimal) and value.is_finite():
            has_decimal = True
        elif not is_missing_value(value):
            return False
    return has_decimal
