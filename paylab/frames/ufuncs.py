"""numpy's functions of exact columns: exact, floats for those without exact value, or an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_object_dtype

from ..errors.base import ExactnessError
from . import arithmetic, decimals, operands
from .float_errors import require_objects
from .operand_currencies import find_operand_currencies

Column: TypeAlias = Any
"""A `DecimalArray`, which imports this module."""
ROUND_MODES = {
    np.floor: "down",
    np.ceil: "up",
    np.trunc: "towards_zero",
    np.rint: "half_to_even",
}
STATISTICS = {
    *(np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p),
    *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh),
    *(np.arcsinh, np.arccosh, np.arctanh, np.degrees, np.radians, np.rad2deg, np.deg2rad),
    *(np.arctan2, np.hypot, np.float_power, np.logaddexp, np.logaddexp2),
}
"""Functions that have no exact value: they give floats, as `std` does."""


def compute(function: Any, column: Column, inputs: Sequence[object]) -> Any:
    """Decimals, or an array of floats or booleans; None for functions that pandas computes.

    `column` is an exact column among the inputs, whose currencies the decimals have; the larger or
    smaller amounts are a column with currencies of its own.
    """
    values = column.__arrow_array__()
    # An amount beside a column of a frame comes as an array without dimensions.
    inputs = [
        operand.item() if isinstance(operand, np.ndarray) and not operand.ndim else operand
        for operand in inputs
    ]
    if function in ROUND_MODES:
        return arithmetic.round_amounts(values, decimal_places=0, round_mode=ROUND_MODES[function])
    if function is np.fabs:
        return pc.abs(values)
    if function in COMPUTED:
        return COMPUTED[function](column, inputs)
    if function in STATISTICS:
        return function(*(np.asarray(operand, dtype=float) for operand in inputs))
    if function in (np.isnan, np.isfinite):
        is_missing = np.asarray(values.is_null())
        return is_missing if function is np.isnan else ~is_missing
    require_objects(function)
    return None


def refuse_numpy_options(options: Mapping[str, Any]) -> None:
    """ExactnessError for `where` and an `out` of floats, by which numpy writes them itself."""
    if options.get("where", True) is not True:
        raise ExactnessError(
            "where= of numpy leaves other rows without a value: write result.where(mask); "
            "amounts / 0 is missing, so (amounts / others).fillna(0) needs no mask"
        )
    for out_array in options.get("out") or ():
        if out_array is not None and not is_object_dtype(out_array.dtype):
            raise ExactnessError(
                f"numpy would write amounts into out= as {out_array.dtype}: leave it out"
            )


def _pick_extremes(
    column: Column,
    inputs: Sequence[object],
    is_left_preferred: Callable[..., object],
    *,
    skips_missing: bool,
) -> Column:
    """The larger or smaller amount of each row, which keeps its own currency.

    An amount in an unknown currency gets that of its row, as a limit of `clip` does. The left
    amount is taken if both are equal.
    """
    row_count = len(column)
    columns = [_read_column(operand, column) for operand in inputs]
    both_columns = column._concat_same_type(columns)
    both_columns.currencies = both_columns.currencies and both_columns.currencies.fill_halves()
    amounts = both_columns.__arrow_array__()
    left, right = amounts[:row_count], amounts[row_count:]
    # Where one is missing, the left one is taken if it is the one to take.
    takes_left = pc.if_else(
        pc.or_(left.is_null(), right.is_null()),
        right.is_null() if skips_missing else left.is_null(),
        is_left_preferred(left, right),
    )
    row_numbers = np.arange(row_count)
    return both_columns.take(np.where(np.asarray(takes_left), row_numbers, row_numbers + row_count))


def _read_column(operand: Any, column: Column) -> Column:
    """An operand as a column beside another one, with the currencies that its amounts know."""
    amounts = operands.read_operand(operand, len(column))
    return type(column)(amounts, find_operand_currencies(operand, len(column)))


def _find_signs(column: Column, _inputs: Sequence[object]) -> Column:
    """1, 0 or -1 for each amount, in no currency."""
    signs = pc.sign(column.__arrow_array__()).cast(pa.decimal128(20, 0))  # any integer of 64 bits
    return type(column)(decimals.fit_width(signs))


def _compute_fmod(column: Column, inputs: Sequence[object]) -> object:
    """The remainder of each row, with the sign of the dividend."""
    left, right = (operands.read_operand(operand, len(column)) for operand in inputs)
    return arithmetic.compute_fmod(left, right)


COMPUTED: dict[object, Callable[[Column, Sequence[object]], object]] = {
    np.maximum: partial(_pick_extremes, is_left_preferred=pc.greater_equal, skips_missing=False),
    np.fmax: partial(_pick_extremes, is_left_preferred=pc.greater_equal, skips_missing=True),
    np.minimum: partial(_pick_extremes, is_left_preferred=pc.less_equal, skips_missing=False),
    np.fmin: partial(_pick_extremes, is_left_preferred=pc.less_equal, skips_missing=True),
    np.fmod: _compute_fmod,
    np.sign: _find_signs,
}
