"""Comparisons of an exact column: a float is taken as it is printed, and `==` and `isin` warn."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_float_dtype, is_list_like, is_object_dtype

from ..spec.money import warn_of_comparison
from . import arithmetic, operands

Array = np.ndarray[Any, Any]


def compare_column(amounts: pa.Array, other: Any, comparison: Callable[[Any, Any], Any]) -> Array:
    """Compare each amount with a number or with a column; false where one is missing, as in pandas.

    TypeError for the order of amounts and what is no number.
    """
    if comparison in (operator.eq, operator.ne):
        _warn_of_floats(other)
    elif isinstance(other, float) and math.isinf(other):
        is_smaller_or_larger: Array = np.asarray(amounts.is_valid()) & comparison(0.0, other)
        return is_smaller_or_larger
    elif not is_list_like(other):
        operands.require_number(other)
    operand = operands.read_other_operand(other, len(amounts))
    arrow_booleans = arithmetic.compare_rows(comparison, amounts, operand)
    is_different = comparison is operator.ne  # so is a missing amount
    results: Array = np.asarray(arrow_booleans.fill_null(is_different))
    infinite_floats = _find_infinite(other) if is_list_like(other) else None
    if infinite_floats is None:
        return results
    is_missing = np.asarray(amounts.is_null())
    # A Decimal is finite: it compares with an infinite float as 0.0 does.
    return np.where((infinite_floats == 0) | is_missing, results, comparison(0.0, infinite_floats))


def _warn_of_floats(operand: Any) -> None:
    """Warn, at the line of the caller, if the operand of a comparison is or has a float."""
    values = operand if is_list_like(operand) else [operand]
    dtype = getattr(values, "dtype", "object")
    if not is_object_dtype(dtype) and not is_float_dtype(dtype):
        return
    for value in values:
        if isinstance(value, float | np.floating) and math.isfinite(value):
            warn_of_comparison(float(str(value)))
            return


def _find_infinite(operand: Any) -> Array | None:
    """The infinite values of a column as floats, 0 for others; None if there is none."""
    if not is_float_dtype(operand) and not is_object_dtype(operand):
        return None
    floats = [value if isinstance(value, float) and math.isinf(value) else 0.0 for value in operand]
    return np.array(floats) if any(floats) else None


def find_members(amounts: pa.Array, values: Any) -> Array:
    """A mask of the amounts that are among decimals, integers, floats or texts of numbers."""
    _warn_of_floats(values)
    numbers = {operands.read_number(member_value) for member_value in values} - {None}
    value_sets = [pa.array([], amounts.type)]
    for member_number in numbers:
        try:
            value_sets.append(pa.array([member_number], amounts.type))
        except pa.ArrowInvalid:  # it has more digits than the column, and equals no amount
            continue
    are_members = np.asarray(pc.is_in(amounts, pa.concat_arrays(value_sets)))
    has_missing = any(map(operands.is_missing_value, values))
    return are_members | np.asarray(amounts.is_null()) if has_missing else are_members
