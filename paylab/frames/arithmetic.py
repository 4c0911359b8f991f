"""Exact arithmetic on Arrow decimals: sums, products, comparisons and means.

Arrow computes with the precision of a type, not of its values: it refuses products that would
fit, and a sum of 38 digits wraps to a negative number. The functions here then compute with 76
digits, and raise ExactnessError for a result of more than 38.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, DivisionByZero, InvalidOperation
from functools import partial, reduce
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ExactnessError
from . import decimals, machine_integers, quantiles
from .decimals import DIGITS_MAX, TOO_LONG, fit_width
from .exact_operators import (
    DIGITS,
    compute_modulo,
    divide,
    floor_divide,
    make_divider,
    raise_to_power,
)
from .machine_integers import MACHINE_DIGITS

SPARE_DIGITS = 4  # left for what is computed with quotients that fill their column
WIDE_CONTEXT = Context(prec=1_000, Emax=999_999, Emin=-999_999)
COMPARE = {
    operator.eq: pc.equal,
    operator.ne: pc.not_equal,
    operator.lt: pc.less,
    operator.le: pc.less_equal,
    operator.gt: pc.greater,
    operator.ge: pc.greater_equal,
}


def compare_rows(
    comparison: Callable[[Any, Any], Any], left: pa.Array, right: pa.Array
) -> pa.Array:
    """Compare two columns row by row, to booleans; null if one of the two amounts is missing."""
    compare_arrays = COMPARE[comparison]
    try:
        return compare_arrays(left, right)
    except pa.ArrowInvalid:  # no type of 38 digits holds both
        return compare_arrays(_widen_for_product(left), _widen_for_product(right))


def _compute_mean(amounts: pa.Array) -> Decimal | None:
    """The sum divided by the count, as `divide` rounds it; None without amounts."""
    if not len(amounts):
        return None
    return divide(_sum_exactly(amounts), Decimal(len(amounts)))


def _sum_exactly(amounts: pa.Array) -> Decimal:
    """The exact sum, with any number of digits; 0 without amounts."""
    return pc.sum(widen_for_sum(amounts)).as_py() or Decimal(0)


def _require_short(number: Decimal) -> Decimal:
    """The number unchanged; ExactnessError if it needs more than 38 digits."""
    decimals.from_results([number])
    return number


def widen_for_sum(amounts: pa.Array) -> pa.Array:
    """The amounts in a type that holds their sum, because Arrow's sums wrap silently."""
    carry_digit_count = len(str(len(amounts)))  # a sum of 100 amounts has at most 2 digits more
    decimal_places = amounts.type.scale
    if amounts.type.precision + carry_digit_count <= DIGITS_MAX:
        return amounts.cast(pa.decimal128(DIGITS_MAX, decimal_places))
    return amounts.cast(pa.decimal256(2 * DIGITS_MAX, decimal_places))


def _widen_for_product(amounts: pa.Array) -> pa.Array:
    """The amounts in a 256-bit type of as few digits as they need.

    Arrow adds the digits of both factors for a product, and refuses more than 76.
    """
    decimal_places = amounts.type.scale
    digit_count = decimals.count_integer_digits(amounts) + decimal_places
    return amounts.cast(pa.decimal256(max(1, digit_count), decimal_places))


def _compute_columns(
    arrow_function: Callable[..., pa.Array], left: pa.Array, right: pa.Array
) -> pa.Array:
    """The result of an Arrow function; ExactnessError if it needs more than 38 digits."""
    try:
        return arrow_function(left, right)
    except pa.ArrowInvalid:
        # Arrow goes by the digits that the types allow. Try again with those of the amounts.
        pass
    try:
        wide_result = arrow_function(_widen_for_product(left), _widen_for_product(right))
        return fit_width(wide_result)
    except pa.ArrowInvalid:
        raise ExactnessError(TOO_LONG) from None


def round_amounts(
    amounts: pa.Array, decimal_places: int, round_mode: str = "half_to_even"
) -> pa.Array:
    """Round to some decimal places, half to even as Python does, or in another mode of Arrow."""
    if decimal_places >= amounts.type.scale:
        return amounts
    wide_amounts = amounts.cast(pa.decimal256(2 * DIGITS_MAX, amounts.type.scale))
    rounded_amounts = pc.round(wide_amounts, decimal_places, round_mode=round_mode)
    # Negative places round to tens, hundreds and so on: no decimals are left.
    amounts_without_zeros = rounded_amounts.cast(
        pa.decimal256(2 * DIGITS_MAX, max(0, decimal_places))
    )
    return fit_width(amounts_without_zeros)


def aggregate_by_group(
    amounts: pa.Array, aggregate: str, group_numbers: object, group_count: int, count_min: int
) -> pa.Array:
    """The `sum`, `min` or `max` per group; null for groups with fewer than `count_min` amounts.

    `group_numbers` has the group of each amount; -1 is no group.
    """
    wide_amounts = widen_for_sum(amounts) if aggregate == "sum" else amounts
    amount_table = pa.table({"group": group_numbers, "amount": wide_amounts})
    grouped_table = amount_table.filter(pc.field("group") >= 0)
    aggregates = [("amount", aggregate), ("amount", "count")]
    result_table = grouped_table.group_by("group").aggregate(aggregates)
    result_table = result_table.filter(pc.field("amount_count") >= count_min)
    # Arrow returns the groups in any order: a result is taken for each number, null without one.
    result_positions = pc.index_in(pa.array(range(group_count)), result_table["group"])
    results = result_table[f"amount_{aggregate}"].combine_chunks().take(result_positions)
    if aggregate == "sum" and count_min <= 0:  # the sum of a group without amounts is 0
        results = pc.coalesce(results, pa.scalar(Decimal(0), results.type))
    return fit_width(results)


def fit_quotients(numbers: Sequence[Decimal | None]) -> pa.ChunkedArray:
    """Quotients and means as one column, rounded to the decimal places that it has room for.

    A quotient with fewer than 28 digits is exact and is not rounded. None is missing.
    """
    try:
        return decimals.from_numbers(numbers)
    except ExactnessError:
        integer_digits = max([0, *(number.adjusted() + 1 for number in numbers if number)])
        decimal_places = max(0, DIGITS_MAX - SPARE_DIGITS - integer_digits)
        return decimals.from_numbers(_round_quotient(number, decimal_places) for number in numbers)


def _round_quotient(number: Decimal | None, decimal_places: int) -> Decimal | None:
    """A quotient without end with fewer decimal places; an exact one unchanged."""
    if not number or len(number.as_tuple().digits) < DIGITS:
        return number
    return WIDE_CONTEXT.quantize(number, Decimal((0, (1,), -decimal_places)))


def _divide_columns(left: pa.Array, right: pa.Array) -> pa.ChunkedArray:
    """Divide row by row; missing for a division by 0."""
    return fit_quotients(_compute_numbers_by_row(make_divider(), left, right))


def _compute_by_row(
    decimal_function: Callable[[Decimal, Decimal], Decimal], left: pa.Array, right: pa.Array
) -> pa.ChunkedArray:
    """The results of a function of two decimals as a column."""
    return decimals.from_results(_compute_numbers_by_row(decimal_function, left, right))


def _compute_numbers_by_row(
    decimal_function: Callable[[Decimal, Decimal], Decimal], left: pa.Array, right: pa.Array
) -> list[Decimal | None]:
    """The result of each row, computed by Python; None for a division by 0 or a missing number."""

    def compute_row(left_number: Decimal | None, right_number: Decimal | None) -> Decimal | None:
        if left_number is None or right_number is None:
            return None
        try:
            return decimal_function(left_number, right_number)
        except (DivisionByZero, InvalidOperation):
            return None

    return list(map(compute_row, left.to_pylist(), right.to_pylist()))


def compute_fmod(left: pa.Array, right: pa.Array) -> pa.Array:
    """The remainders with the signs of the dividends, as `numpy.fmod` has them."""
    return _compute_by_row(WIDE_CONTEXT.remainder, left, right).combine_chunks()


OPERATORS: dict[str, Callable[[pa.Array, pa.Array], Any]] = {
    "add": partial(_compute_columns, pc.add),
    "sub": partial(_compute_columns, pc.subtract),
    "mul": partial(_compute_columns, pc.multiply),
    "truediv": _divide_columns,
    "floordiv": partial(_compute_by_row, floor_divide),
    "mod": partial(_compute_by_row, compute_modulo),
    "pow": partial(_compute_by_row, raise_to_power),
}
REDUCTIONS: dict[str, Callable[[pa.Array], Any]] = {
    "sum": lambda amounts: _require_short(_sum_exactly(amounts)),
    "prod": lambda amounts: _require_short(
        reduce(WIDE_CONTEXT.multiply, amounts.to_pylist(), Decimal(1))
    ),
    "mean": _compute_mean,
    "median": lambda amounts: quantiles.find_quantile(amounts, Decimal("0.5")),
    "min": lambda amounts: pc.min(amounts).as_py(),
    "max": lambda amounts: pc.max(amounts).as_py(),
    "any": lambda amounts: any(amounts.to_pylist()),
    "all": lambda amounts: all(amounts.to_pylist()),
}
INEXACT_REDUCTIONS = ("std", "var", "sem", "skew", "kurt")  # these have no exact value
RUNNING_EXTREMES = ("cummin", "cummax")
RUNNING: dict[str, Callable[[Any, Any], Any]] = {
    "cumsum": WIDE_CONTEXT.add,
    "cumprod": WIDE_CONTEXT.multiply,
}


def reduce_numbers(amounts: pa.Array, reduction: str, count_min: int = 0) -> Any:
    """The sum, mean or other reduction without missing amounts; None for fewer than `count_min`."""
    if reduction not in REDUCTIONS:
        hint_text = ': write .agg(["first", "max", "min", "last"])' if reduction == "ohlc" else ""
        raise TypeError(f"decimals have no {reduction}{hint_text}")
    present_amounts = amounts.drop_null()
    if len(present_amounts) < count_min:
        return None
    return REDUCTIONS[reduction](present_amounts)


def compute_running(amounts: pa.Array, running: str, *, skipna: bool = True) -> pa.Array:
    """Running totals, products or extremes (`cumsum`, `cumprod`, `cummin`, `cummax`).

    The result is missing where an amount is; without `skipna`, also in all rows after it.
    """
    if running == "cumsum":
        totals = machine_integers.add_running(amounts, skipna=skipna)
        if totals is not None:
            return totals
    if running in RUNNING_EXTREMES:
        return _run_extremes(amounts, is_largest=running == "cummax", skipna=skipna)
    numbers = amounts.to_pylist()
    if not skipna and None in numbers:
        first_missing_index = numbers.index(None)
        numbers[first_missing_index:] = [None] * (len(numbers) - first_missing_index)
    running_numbers = accumulate(
        (number for number in numbers if number is not None), RUNNING[running]
    )
    return decimals.from_results(
        None if number is None else next(running_numbers) for number in numbers
    )


def _run_extremes(amounts: pa.Array, *, is_largest: bool, skipna: bool) -> pa.Array:
    """The largest or the smallest amount up to each row."""
    is_missing = np.asarray(amounts.is_null())
    if not skipna and len(is_missing):
        is_missing = np.maximum.accumulate(is_missing)  # true from the first missing amount on
    if amounts.type.precision <= MACHINE_DIGITS:
        integers = machine_integers.read_unscaled(amounts)
        extremes = machine_integers.run_extremes(integers, is_missing, is_largest=is_largest)
        return machine_integers.make_decimals(extremes, amounts.type.scale, is_missing)
    ranks = np.asarray(pc.rank(amounts, tiebreaker="dense")).astype(np.int64)
    row_by_rank = np.zeros(len(amounts) + 2, dtype=np.int64)  # ranks start at 1
    row_by_rank[ranks] = np.arange(len(amounts))
    extreme_ranks = machine_integers.run_extremes(ranks, is_missing, is_largest=is_largest)
    extreme_rows = row_by_rank[np.where(is_missing, 0, extreme_ranks)]
    return amounts.take(pa.array(extreme_rows, mask=is_missing))


def read_whole_numbers(amounts: pa.Array, integer_type: object) -> pa.Array:
    """The amounts as integers of a type of numpy or pandas; ExactnessError if one does not fit."""
    numpy_type = getattr(integer_type, "numpy_dtype", integer_type)
    try:
        return amounts.cast(pa.from_numpy_dtype(numpy_type))
    except pa.ArrowInvalid as error:
        misfit_text = f"not all amounts are whole numbers that fit {integer_type}: {error}"
        raise ExactnessError(f"{misfit_text}; round them first") from None


def narrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Narrow the scale like `decimals.narrow_scale`; faster for amounts of at most 18 digits."""
    integer_digits = decimals.count_integer_digits(column)
    if not len(column) or integer_digits + column.type.scale > MACHINE_DIGITS:
        return decimals.narrow_scale(column)
    for decimal_places in decimals.SCALES:
        if integer_digits + decimal_places > MACHINE_DIGITS:
            break
        narrow_amounts = machine_integers.change_places(column.combine_chunks(), decimal_places)
        if narrow_amounts is not None:
            return pa.chunked_array([narrow_amounts])
    return decimals.narrow_scale(column)
