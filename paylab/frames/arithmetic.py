"""Exact arithmetic on Arrow decimals: sums, products, comparisons, means and quantiles.

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
from . import decimals
from .decimals import DIGITS_MAX, TOO_LONG, fit_width
from .exact_decimal import DIGITS, divide, raise_to_power

SPARE_DIGITS = 4  # left for what is computed with quotients that fill their column
MACHINE_DIGITS = 18  # an integer of 64 bits holds them
WIDE = Context(prec=1_000, Emax=999_999, Emin=-999_999)
COMPARE = {
    operator.eq: pc.equal,
    operator.ne: pc.not_equal,
    operator.lt: pc.less,
    operator.le: pc.less_equal,
    operator.gt: pc.greater,
    operator.ge: pc.greater_equal,
}


def compare_rows(op: Callable[[Any, Any], Any], left: pa.Array, right: pa.Array) -> pa.Array:
    """The comparison, row by row; null if a value is missing."""
    try:
        return COMPARE[op](left, right)
    except pa.ArrowInvalid:  # no type of 38 digits holds both
        return COMPARE[op](_widen_for_product(left), _widen_for_product(right))


def _compute_mean(numbers: pa.Array) -> Decimal | None:
    """The sum divided by the count; see `quotient`."""
    return divide(_sum(numbers), Decimal(len(numbers))) if len(numbers) else None


def _sum(numbers: pa.Array) -> Decimal:
    """The exact sum, with any number of digits."""
    return pc.sum(_widen_for_sum(numbers)).as_py() or Decimal(0)


def _require_short(number: Decimal) -> Decimal:
    """The value; ExactnessError if it needs more than 38 digits."""
    decimals.from_numbers([number])
    return number


def _widen_for_sum(numbers: pa.Array) -> pa.Array:
    """The values in a type that holds their sum, because Arrow's sums wrap silently."""
    carry = len(str(len(numbers)))
    scale = numbers.type.scale
    fits = numbers.type.precision + carry <= DIGITS_MAX
    return numbers.cast(
        pa.decimal128(DIGITS_MAX, scale) if fits else pa.decimal256(2 * DIGITS_MAX, scale)
    )


def _widen_for_product(numbers: pa.Array) -> pa.Array:
    """The values in a type for the digits that they need, from which Arrow can go up to 76."""
    digits = decimals.integers(numbers) + numbers.type.scale
    return numbers.cast(pa.decimal256(max(1, digits), numbers.type.scale))


def _compute_columns(op: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    """The result in Arrow's own type, or, if that has more than 38 digits, as few as it needs."""
    try:
        return op(left, right)
    except pa.ArrowInvalid:
        pass
    try:
        return fit_width(op(_widen_for_product(left), _widen_for_product(right)))
    except pa.ArrowInvalid:
        raise ExactnessError(TOO_LONG) from None


def quantile(values: pa.Array, share: Decimal, interpolation: str = "linear") -> Decimal | None:
    """The exact quantile of the values, without missing ones, interpolated as in pandas."""
    present = values.drop_null()
    if not len(present):
        return None
    ordered = present.take(pc.sort_indices(present))
    position = share * (len(ordered) - 1)
    low = int(position)
    fraction = position - low
    lower_value: Decimal = ordered[low].as_py()
    higher_value: Decimal = ordered[low + bool(fraction)].as_py()
    if interpolation == "nearest":
        return (
            higher_value
            if fraction > Decimal("0.5") or (fraction == Decimal("0.5") and low % 2)
            else lower_value
        )
    weight = {"linear": fraction, "lower": Decimal(0), "higher": Decimal(1)}
    between = weight.get(interpolation, Decimal("0.5"))
    return WIDE.add(lower_value, WIDE.multiply(WIDE.subtract(higher_value, lower_value), between))


def rounded(values: pa.Array, places: int, mode: str = "half_to_even") -> pa.Array:
    """The values rounded half to even, as Python's `round` does, or in another mode of Arrow."""
    if places >= values.type.scale:
        return values
    roomy = values.cast(pa.decimal256(2 * DIGITS_MAX, values.type.scale))
    rounded_values = pc.round(roomy, places, round_mode=mode)
    return fit_width(rounded_values.cast(pa.decimal256(2 * DIGITS_MAX, max(0, places))))


def aggregate_by_group(
    values: pa.Array, aggregate: str, group_numbers: object, group_count: int, count_min: int
) -> pa.Array:
    """The `sum`, `min` or `max` per group; null for groups with fewer than `count_min` values.

    `group_numbers` has the group of each value; -1 is no group.
    """
    wide_values = _widen_for_sum(values) if aggregate == "sum" else values
    grouped_rows = pa.table({"group": group_numbers, "value": wide_values}).filter(
        pc.field("group") >= 0
    )
    groups = grouped_rows.group_by("group").aggregate([("value", aggregate), ("value", "count")])
    groups = groups.filter(pc.field("value_count") >= count_min)
    # Arrow returns the groups in any order: a result is taken for each number, null without one.
    rows_of_groups = pc.index_in(pa.array(range(group_count)), groups["group"])
    results = groups[f"value_{aggregate}"].combine_chunks().take(rows_of_groups)
    if aggregate == "sum" and count_min <= 0:  # the sum of a group without values is 0
        results = pc.coalesce(results, pa.scalar(Decimal(0), results.type))
    return fit_width(results)


def _modulo(left: Decimal, right: Decimal) -> Decimal:
    remainder = WIDE.remainder(left, right)
    return WIDE.add(remainder, right) if remainder and (remainder < 0) != (right < 0) else remainder


def _floor_divide(left: Decimal, right: Decimal) -> Decimal:
    return WIDE.divide_int(WIDE.subtract(left, _modulo(left, right)), right)


def fit_quotients(numbers: Sequence[Decimal | None]) -> pa.ChunkedArray:
    """Quotients and means as one column, rounded to the decimal places that it has room for.

    A quotient with fewer than 28 digits is exact and is not rounded.
    """
    try:
        return decimals.from_numbers(numbers)
    except ExactnessError:
        digits_before = max([0, *(number.adjusted() + 1 for number in numbers if number)])
        places = max(0, DIGITS_MAX - SPARE_DIGITS - digits_before)
        return decimals.from_numbers(
            number
            if not number or len(number.as_tuple().digits) < DIGITS
            else WIDE.quantize(number, Decimal((0, (1,), -places)))
            for number in numbers
        )


def _divide_columns(left: pa.Array, right: pa.Array) -> pa.ChunkedArray:
    return fit_quotients(_list_by_row(divide, left, right))


def _compute_by_row(
    op: Callable[[Decimal, Decimal], Decimal], left: pa.Array, right: pa.Array
) -> pa.ChunkedArray:
    return decimals.from_numbers(_list_by_row(op, left, right))


def _list_by_row(
    op: Callable[[Decimal, Decimal], Decimal], left: pa.Array, right: pa.Array
) -> list[Decimal | None]:
    """The result of Python's decimals, row by row; None for a division by 0."""

    def result(one: Decimal | None, other: Decimal | None) -> Decimal | None:
        try:
            return None if one is None or other is None else op(one, other)
        except (DivisionByZero, InvalidOperation):
            return None

    return list(map(result, left.to_pylist(), right.to_pylist()))


OPERATORS: dict[str, Callable[[pa.Array, pa.Array], Any]] = {
    "add": partial(_compute_columns, pc.add),
    "sub": partial(_compute_columns, pc.subtract),
    "mul": partial(_compute_columns, pc.multiply),
    "truediv": _divide_columns,
    "floordiv": partial(_compute_by_row, _floor_divide),
    "mod": partial(_compute_by_row, _modulo),
    "pow": partial(_compute_by_row, raise_to_power),
}
REDUCTIONS: dict[str, Callable[[pa.Array], Any]] = {
    "sum": lambda values: _require_short(_sum(values)),
    "prod": lambda values: _require_short(reduce(WIDE.multiply, values.to_pylist(), Decimal(1))),
    "mean": _compute_mean,
    "median": lambda values: quantile(values, Decimal("0.5")),
    "min": lambda values: pc.min(values).as_py(),
    "max": lambda values: pc.max(values).as_py(),
    "any": lambda values: any(values.to_pylist()),
    "all": lambda values: all(values.to_pylist()),
}
RUNNING: dict[str, Callable[[Any, Any], Any]] = {
    "cumsum": WIDE.add,
    "cumprod": WIDE.multiply,
    "cummin": min,
    "cummax": max,
}


def reduce_numbers(array: pa.Array, name: str, least: int = 0) -> Any:
    """The sum, mean or other reduction, without missing values; None for fewer than `least`."""
    if name not in REDUCTIONS:
        hint = ': write .agg(["first", "max", "min", "last"])' if name == "ohlc" else ""
        raise TypeError(f"decimals have no {name}{hint}")
    numbers = array.drop_null()
    return REDUCTIONS[name](numbers) if len(numbers) >= least else None


def compute_running(array: pa.Array, name: str, *, skipna: bool = True) -> pa.Array:
    """Running totals, products or extremes; without `skipna`, missing from a missing value on."""
    if name == "cumsum" and array.type.precision <= MACHINE_DIGITS:
        totals = _running_machine_totals(array, skipna=skipna)
        if totals is not None:
            return totals
    numbers = array.to_pylist()
    if not skipna and None in numbers:
        numbers[numbers.index(None) :] = [None] * (len(numbers) - numbers.index(None))
    running_totals = accumulate((value for value in numbers if value is not None), RUNNING[name])
    return decimals.from_numbers(
        None if value is None else next(running_totals) for value in numbers
    )


def read_unscaled(array: pa.Array) -> Any:
    """Decimals of at most 18 digits as 64-bit integers without their point; missing ones as 0."""
    low_words = np.frombuffer(array.buffers()[1], dtype="<i8")[2 * array.offset :: 2]
    integers = low_words[: len(array)]
    return np.where(np.asarray(array.is_null()), 0, integers) if array.null_count else integers


def make_decimals(integers: Any, scale: int, is_missing: Any = None) -> pa.Array:
    """64-bit integers as decimals with `scale` places."""
    word_pairs = np.empty((len(integers), 2), dtype="<i8")
    word_pairs[:, 0] = integers
    word_pairs[:, 1] = integers >> 63  # the sign
    amounts = pa.Array.from_buffers(
        pa.decimal128(MACHINE_DIGITS, scale), len(integers), [None, pa.py_buffer(word_pairs)]
    )
    if is_missing is None or not is_missing.any():
        return amounts
    return pc.if_else(pa.array(is_missing), pa.scalar(None, amounts.type), amounts)


def narrow(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """As `decimals.narrow_scale`, with integers of the machine if they hold the values."""
    scale = column.type.scale
    width = decimals.integers(column)
    if not len(column) or width + scale > MACHINE_DIGITS:
        return decimals.narrow_scale(column)
    amounts = column.combine_chunks()
    integers = read_unscaled(amounts)
    for decimal_places in decimals.SCALES:
        if width + decimal_places > MACHINE_DIGITS:
            break
        if decimal_places >= scale:
            exact = integers * 10 ** (decimal_places - scale)
        elif not (integers % 10 ** (scale - decimal_places)).any():
            exact = integers // 10 ** (scale - decimal_places)
        else:
            continue
        is_missing = np.asarray(amounts.is_null())
        return pa.chunked_array([make_decimals(exact, decimal_places, is_missing)])
    return decimals.narrow_scale(column)


def sum_groups(array: pa.Array, order: Any, ids: Any) -> pa.Array | None:
    """Running totals of groups whose rows are `order`; None if integers do not hold them."""
    if array.type.precision > MACHINE_DIGITS:
        return None
    integers = read_unscaled(array)
    if not _fits(integers):
        return None
    totals = np.cumsum(integers[order])
    starts = np.flatnonzero(np.diff(ids[order], prepend=-2))
    earlier_totals = np.where(starts > 0, totals[starts - 1], 0) if len(starts) else totals[:0]
    sizes = np.diff(np.append(starts, len(order)))
    group_totals = np.zeros(len(array), dtype=np.int64)
    group_totals[order] = totals - np.repeat(earlier_totals, sizes)
    is_missing = np.asarray(array.is_null()) | (ids < 0)
    return make_decimals(group_totals, array.type.scale, is_missing)


def _fits(integers: Any) -> bool:
    """Whether every running total has at most 18 digits."""
    largest = max(abs(int(integers.max())), abs(int(integers.min()))) if len(integers) else 0
    return bool(largest * len(integers) < 10**MACHINE_DIGITS)


def _running_machine_totals(array: pa.Array, *, skipna: bool) -> pa.Array | None:
    integers = read_unscaled(array)
    if not _fits(integers):
        return None
    is_missing = np.asarray(array.is_null())
    if not skipna:
        is_missing = np.maximum.accumulate(is_missing) if len(is_missing) else is_missing
    return make_decimals(np.cumsum(integers), array.type.scale, is_missing)


def read_whole_numbers(values: pa.Array, kind: object) -> pa.Array:
    """The values as integers of a type of numpy or pandas; ExactnessError if one does not fit."""
    try:
        return values.cast(pa.from_numpy_dtype(getattr(kind, "numpy_dtype", kind)))
    except pa.ArrowInvalid as error:
        message = f"not all amounts are whole numbers that fit {kind}: {error}; round them first"
        raise ExactnessError(message) from None
