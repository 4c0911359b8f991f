"""Columns of objects that hold Python's Decimals, made exact.

pandas adds them with the 28 digits of Python, divides and compares their means as floats, and
`DataFrame.round` skips them.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import ExtensionArray, ExtensionDtype
from pandas.api.types import is_float_dtype, is_integer_dtype, is_list_like, is_object_dtype

from ..errors.base import ExactnessError
from ..spec.money import warn_of_comparison
from .exact_decimal import ExactDecimal
from .operands import has_amount_categories, is_missing_value, read_number

Values: TypeAlias = Any
"""A column, array or frame, a list, a single value, or the type of one of them."""


def make_exact(result: Values) -> Values:
    """A column of Decimals, or the columns of a frame, as exact ones; anything else unchanged.

    A column that needs more than 38 digits stays one of objects.
    """
    if isinstance(result, pd.DataFrame):
        for position, dtype in enumerate(result.dtypes):
            if _may_be_of_decimals(dtype):
                column = result.iloc[:, position]
                exact_column = convert_decimals(column)
                if exact_column is not column:
                    result.isetitem(position, exact_column)
        return result
    return convert_decimals(result) if isinstance(result, pd.Series) else result


class ResultConverter:
    """Converts what functions returned for a column of Arrow or text, as its array does.

    Amounts become an exact column: as decimals of Arrow they would lose their currencies.
    """

    def __init__(self, array: Values) -> None:
        self.array = array

    def _cast_pointwise_result(self, results: Values) -> Values:
        """The hook of pandas for the results of `combine`, and of `agg` of groups."""
        exact_results = convert_decimals(results)
        is_converted = exact_results is not results
        return exact_results if is_converted else self.array._cast_pointwise_result(results)

    def map_values(self, mapper: object, na_action: object) -> Values:
        """The results of a function or dict for each value of the column."""
        untyped_pandas: Values = pd
        results = untyped_pandas.core.algorithms.map_array(self.array, mapper, na_action)
        return self._cast_pointwise_result(results) if isinstance(results, np.ndarray) else results


def is_of_arrow_decimals(dtype: object) -> bool:
    """Whether a type is one of Arrow's decimals, which have no currencies."""
    return isinstance(dtype, pd.ArrowDtype) and bool(pa.types.is_decimal(dtype.pyarrow_dtype))


def _may_be_of_decimals(dtype: Values) -> bool:
    """Whether a type is one of objects, or of Arrow's decimals, or of categories of these."""
    if is_of_arrow_decimals(dtype):
        return True
    return has_amount_categories(dtype) or bool(is_object_dtype(dtype))


def convert_decimals(values: Values) -> Values:
    """A column, array or list of Decimals as exact decimals; anything else unchanged.

    The Decimals may be objects, with whole numbers and missing values among them, categories, or
    decimals of Arrow, whose means pandas cuts. Objects stay objects if they need more than 38
    digits together: then they are those of exact columns, which add without rounding.
    """
    if not _is_of_decimals(values):
        return values
    column: Values = values
    if not isinstance(values, pd.Series):
        column = pd.Series(values, dtype=getattr(values, "dtype", object))
    try:
        exact_column = column.astype("decimal")
    except (ExactnessError, pa.ArrowException):
        return _list_exact_objects(values)
    return exact_column if isinstance(values, pd.Series) else exact_column.array


def _list_exact_objects(values: Values) -> Values:
    """A column or array with each Decimal as an element of exact columns; others unchanged."""
    if not is_object_dtype(getattr(values, "dtype", "category")):
        return values
    elements = np.empty(len(values), dtype=object)
    elements[:] = [ExactDecimal(value) if type(value) is Decimal else value for value in values]
    if isinstance(values, pd.Series):
        return values._constructor(elements, index=values.index, name=values.name, dtype=object)
    return elements


def _is_of_decimals(values: Values) -> bool:
    """Whether the values of a column, array or list are Decimals that can be made exact."""
    if isinstance(values, list):
        return _has_only_decimals(values)
    if not isinstance(values, pd.Series | np.ndarray | ExtensionArray):
        return False
    dtype: Values = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        categories = dtype.categories
        return str(categories.dtype) == "decimal" or _has_only_decimals(categories)
    if is_of_arrow_decimals(dtype):
        return True
    return bool(is_object_dtype(dtype)) and values.ndim == 1 and _has_only_decimals(values)


def is_kept_as_objects(values: Values) -> bool:
    """Whether values are a column of objects that has elements of exact columns only.

    It was made by `astype(object)`, and is wanted as it is.
    """
    is_column = isinstance(values, pd.Series | pd.Index) and is_object_dtype(values.dtype)
    return is_column and all(
        isinstance(value, ExactDecimal) or is_missing_value(value) for value in values
    )


def widen_integers(owner: Values, other: Values) -> Values:
    """A column or frame with whole numbers as exact amounts if `other` is a Decimal or has them.

    Pandas cuts the results of its own integers and a Decimal, or makes them objects.
    ExactnessError for a column of floats of Arrow, as which pandas would take the Decimal.
    """
    return _widen(owner, other, _may_lose_decimals)


def widen_operands(left: Values, right: Values) -> tuple[Values, Values]:
    """Both operands, with whole numbers as exact amounts where the other one has Decimals.

    Those of a right operand with other labels would become floats when pandas aligns it.
    ExactnessError for a column of floats that are not all missing.
    """
    is_labelled = isinstance(right, pd.Series | pd.DataFrame)
    is_aligned = is_labelled and not any(right.index.equals(labels) for labels in left.axes)
    if isinstance(right, pd.DataFrame) and isinstance(left, pd.DataFrame):
        is_aligned |= not right.columns.equals(left.columns)
    widened_right = widen_integers(right, left) if is_aligned else right
    return _widen(left, widened_right, _is_number), widened_right


def _widen(owner: Values, other: Values, is_widened: Callable[[Values], bool]) -> Values:
    """A column or frame with columns of some types as exact amounts if `other` has Decimals."""
    if not has_decimals(other):
        return owner
    if isinstance(owner, pd.DataFrame):
        widened_names = [
            column_name
            for column_name, dtype in owner.dtypes.items()
            if is_widened(dtype) and _meets_decimals(column_name, other)
        ]
        return owner.astype(dict.fromkeys(widened_names, "decimal"))
    return owner.astype("decimal") if is_widened(owner.dtype) else owner


def widen_compared(owner: Values, values: Values) -> Values:
    """A column or frame with its numbers as exact amounts if they are looked up among Decimals.

    Floats are taken as they are printed, and warn.
    """
    if not has_decimals(values):
        return owner
    if isinstance(owner, pd.Series):
        return _read_printed(owner)
    widened_frame = owner.copy()
    for position in range(owner.shape[1]):
        widened_frame.isetitem(position, _read_printed(owner.iloc[:, position]))
    return widened_frame


def _read_printed(column: Values) -> Values:
    """A column of numbers as exact amounts; another one unchanged."""
    if not is_float_dtype(column.dtype):
        return column.astype("decimal") if is_integer_dtype(column.dtype) else column
    numbers = [read_number(value) for value in column]
    first_number = next(filter(None, numbers), None)
    if first_number is not None:
        warn_of_comparison(float(first_number))
    return column._constructor(numbers, index=column.index, name=column.name, dtype="decimal")


def _may_lose_decimals(dtype: Values) -> bool:
    """Whether pandas would cut or round a Decimal beside numbers of a type."""
    has_arrow_floats = isinstance(dtype, ExtensionDtype) and bool(is_float_dtype(dtype))
    return bool(is_integer_dtype(dtype)) or has_arrow_floats


def _is_number(dtype: Values) -> bool:
    """Whether a type is one of integers or floats."""
    return bool(is_integer_dtype(dtype) or is_float_dtype(dtype))


def _meets_decimals(column_name: object, other: Values) -> bool:
    """Whether a column of a frame is computed with the Decimals of the other operand."""
    if not isinstance(other, pd.DataFrame):
        return True
    return column_name in other.columns and has_decimals(other[column_name])


def has_decimals(values: Values) -> bool:
    """Whether a value is a Decimal, or a column, list or frame has them."""
    if isinstance(values, pd.DataFrame):
        return any(
            has_decimals(values.iloc[:, column_index]) for column_index in range(values.shape[1])
        )
    if isinstance(values, Decimal) or str(getattr(values, "dtype", "")) == "decimal":
        return True
    return is_list_like(values) and _has_only_decimals(values)


def _has_only_decimals(values: Values) -> bool:
    """Whether objects have a Decimal, and only finite ones, whole numbers and missing values."""
    if not is_object_dtype(getattr(values, "dtype", "object")):
        return False
    has_decimal = False
    for value in values:
        if isinstance(value, Decimal) and value.is_finite():
            has_decimal = True
        elif not _is_whole(value) and not is_missing_value(value):
            return False
    return has_decimal


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
