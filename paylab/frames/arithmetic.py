"""Exact arithmetic on Arrow decimals: sums, products, comparisons, means and quantiles.

Arrow computes with the precision of a type, not of its values: it refuses products that would
fit, and a sum of 38 digits wraps to a negative number. Each function here first measures the
values, chooses a type with enough digits, and raises ExactnessError past 76 digits.

The other operand is decimals, integers or the text of numbers. A comparison with a float uses its
printed digits, so that `amount == 1437.92` finds the amount, and warns; arithmetic with a float
raises ExactnessError.
"""

from __future__ import annotations

import math
import operator
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pandas.api.types import is_float_dtype, is_list_like, is_object_dtype

from ..errors import ExactnessError
from . import decimals
from .decimals import MOST, integers

NARROW = 38  # digits of Arrow's decimal128
WIDE = Context(prec=1_000, Emax=999_999, Emin=-999_999)
DIGITS = 28  # of a quotient, as in Python's own decimal arithmetic
COMPARE = {
    operator.eq: pc.equal,
    operator.ne: pc.not_equal,
    operator.lt: pc.less,
    operator.le: pc.less_equal,
    operator.gt: pc.greater,
    operator.ge: pc.greater_equal,
}


def _typed(integers: int, places: int) -> pa.DataType:
    """A decimal type for these digits before and after the point; ExactnessError past 76."""
    if integers + places > MOST:
        raise ExactnessError(f"the result needs more than {MOST} digits")
    width = max(integers + places, 1)
    return (pa.decimal128 if width <= NARROW else pa.decimal256)(width, places)


def narrowed(values: pa.Array) -> pa.Array:
    """The values with the fewest decimal places possible."""
    texts = decimals.trimmed(pa.chunked_array([values]))
    return texts.cast(_typed(*decimals.measure(texts))).combine_chunks()


def same_scale(*columns: pa.Array, carry: int = 0) -> list[pa.Array]:
    """The columns in one type that holds all of them, with `carry` more digits."""
    places = max(column.type.scale for column in columns)
    before = max(map(integers, columns)) + carry
    if before + places > MOST:
        columns = tuple(map(narrowed, columns))
        places = max(column.type.scale for column in columns)
    kind = _typed(max(before, 1), places)
    return [column.cast(kind) for column in columns]


def add(left: pa.Array, right: pa.Array) -> pa.Array:
    """The sums, row by row."""
    return _added(pc.add, left, right)


def subtract(left: pa.Array, right: pa.Array) -> pa.Array:
    """The differences, row by row."""
    return _added(pc.subtract, left, right)


def multiply(left: pa.Array, right: pa.Array) -> pa.Array:
    """The products, row by row, with all decimal places."""
    sides = [left, right]
    if sum(integers(side) + side.type.scale for side in sides) >= MOST:
        sides = [narrowed(side) for side in sides]
    widths = [(max(integers(side), 1), side.type.scale) for side in sides]
    before, places = (sum(each) for each in zip(*widths, strict=True))
    if before + places >= MOST:
        return _by_value(WIDE.multiply, left, right)
    is_wide = before + places >= NARROW
    one, other = (
        side.cast((pa.decimal256 if is_wide else pa.decimal128)(sum(width), width[1]))
        for side, width in zip(sides, widths, strict=True)
    )
    return pc.multiply(one, other)


def divide(left: pa.Array, right: pa.Array) -> pa.Array:
    """The quotients at 28 significant digits, rounded half to even, as in Python's `Decimal`.

    Missing for a division by 0.
    """
    return _by_value(Context(prec=DIGITS).divide, left, right)


def floor_divide(left: pa.Array, right: pa.Array) -> pa.Array:
    """The whole quotients, rounded down; missing for a division by 0."""
    return _by_value(lambda a, b: (a - _modulo(a, b)) / b, left, right)


def modulo(left: pa.Array, right: pa.Array) -> pa.Array:
    """The remainders, with the sign of the divisor; missing for a division by 0."""
    return _by_value(_modulo, left, right)


def compare(op: Callable[[Any, Any], Any], left: pa.Array, right: pa.Array) -> pa.Array:
    """The comparison, row by row; null if a value is missing."""
    try:
        return COMPARE[op](*same_scale(left, right))
    except ExactnessError:
        pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
        return pa.array([None if a is None or b is None else op(a, b) for a, b in pairs])


def total(values: pa.Array) -> Decimal:
    """The exact sum of the values, without missing ones, with any number of digits."""
    try:
        return pc.sum(_with_room(values)).as_py() or Decimal(0)
    except ExactnessError:
        return reduce(WIDE.add, values.drop_null().to_pylist(), Decimal(0))


def mean(values: pa.Array) -> Decimal | None:
    """The sum divided by the count, at 28 significant digits or as many as the sum has."""
    count = len(values) - values.null_count
    return quotient(total(values), count) if count else None


def quotient(whole: Decimal, count: int) -> Decimal:
    """A sum divided by a count."""
    return Context(prec=max(DIGITS, len(whole.as_tuple().digits))).divide(whole, Decimal(count))


def _with_room(values: pa.Array) -> pa.Array:
    """The values in a type that holds their sum; ExactnessError past 76 digits."""
    places = values.type.scale
    kind = _typed(integers(values) + len(str(len(values))), places)
    is_wide = pa.types.is_decimal256(kind)
    return values.cast(pa.decimal256(MOST, places) if is_wide else pa.decimal128(NARROW, places))


def quantile(values: pa.Array, share: Decimal, interpolation: str = "linear") -> Decimal | None:
    """The exact quantile of the values, without missing ones, interpolated as in pandas."""
    kept = values.drop_null()
    if not len(kept):
        return None
    ordered = kept.take(pc.sort_indices(kept))
    place = share * (len(ordered) - 1)
    low = int(place)
    part = place - low
    below: Decimal = ordered[low].as_py()
    above: Decimal = ordered[low + bool(part)].as_py()
    if interpolation == "nearest":
        return above if part > Decimal("0.5") or (part == Decimal("0.5") and low % 2) else below
    weight = {"linear": part, "lower": Decimal(0), "higher": Decimal(1)}
    between = weight.get(interpolation, Decimal("0.5"))
    return WIDE.add(below, WIDE.multiply(WIDE.subtract(above, below), between))


def rounded(values: pa.Array, places: int) -> pa.Array:
    """The values rounded half to even, as Python's `round` does."""
    if places < 0:
        step = Decimal(1).scaleb(-places)
        return _by_value(lambda a, _: a.quantize(step, ROUND_HALF_EVEN, WIDE), values, values)
    if places >= values.type.scale:
        return values
    roomy = values.cast(_typed(integers(values) + 1, values.type.scale))
    near = pc.round(roomy, places, round_mode="half_to_even")
    return near.cast(_typed(integers(near), places))


def from_values(found: Iterable[Decimal | None]) -> pa.Array:
    """Decimals as a column of the narrowest type that holds them."""
    values = list(found)
    try:
        exact = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, ValueError):
        pass  # an exponent, or values that fit one type only without trailing zeros
    else:
        if pa.types.is_decimal(exact.type) and exact.type.scale >= 0:
            return exact
        if pa.types.is_null(exact.type):
            return exact.cast(decimals.working_type(0, 0))
    texts = [None if value is None or value.is_nan() else str(value) for value in values]
    column = pa.chunked_array([pa.array(texts, pa.string())])
    return decimals.read(column, "amount").combine_chunks()


def product(values: pa.Array) -> Decimal:
    """The exact product of the values, without missing ones."""
    return reduce(WIDE.multiply, values.drop_null().to_pylist(), Decimal(1))


def grouped(values: pa.Array, how: str, ids: Any, groups: int, least: int) -> pa.Array:
    """The `sum`, `min` or `max` per group; null for groups with fewer than `least` values.

    `ids` has the group number of each value; -1 is no group.
    """
    roomy = _with_room(values)
    rows = pa.table({"id": ids, "v": roomy}).filter(pc.field("id") >= 0)
    if how == "sum" and least <= 0:  # the sum of a group without values is 0
        zero = pa.scalar(Decimal(0), roomy.type)
        rows = rows.set_column(1, "v", pc.coalesce(rows["v"], zero))
        empty = pa.table({"id": range(groups), "v": pa.repeat(zero, groups)})
        rows = pa.concat_tables([rows, empty], promote_options="permissive")
    found = rows.group_by("id").aggregate([("v", how), ("v", "count")])
    found = found.filter(pc.field("v_count") >= least)
    places = pc.index_in(pa.array(range(groups)), found["id"])
    return found[f"v_{how}"].combine_chunks().take(places)


def _added(op: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    one, other = same_scale(left, right, carry=1)
    if one.type.precision == MOST:  # Arrow needs a digit more, although `carry` is enough
        return _by_value(WIDE.add if op is pc.add else WIDE.subtract, left, right)
    if one.type.precision == NARROW:
        wide = pa.decimal256(MOST - 1, one.type.scale)
        one, other = one.cast(wide), other.cast(wide)
    return op(one, other)


def _modulo(left: Decimal, right: Decimal) -> Decimal:
    rest = WIDE.remainder(left, right)
    return rest + right if rest and (rest < 0) != (right < 0) else rest


def _by_value(
    op: Callable[[Decimal, Decimal], Decimal], left: pa.Array, right: pa.Array
) -> pa.Array:
    pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
    return from_values(_result(op, *pair) for pair in pairs)


def _result(
    op: Callable[[Decimal, Decimal], Decimal], left: Decimal | None, right: Decimal | None
) -> Decimal | None:
    if left is None or right is None:
        return None
    try:
        return op(left, right)
    except (DivisionByZero, InvalidOperation):
        return None


OURS = ("paylab.frames.", "pandas.")
USE_DECIMAL = 'write Decimal("1.16") or text, or compute with floats: frame.paylab.floats()'


class FloatWarning(UserWarning):
    """A float was compared with exact amounts."""


def exact_decimals(values: Any) -> pa.Array:
    """Anything list-like as Arrow decimals; ExactnessError for floats and other text."""
    found = _arrow(values)
    if found is None:
        return from_values([_exact_number(value) for value in values])
    if pa.types.is_decimal(found.type):
        return found
    if pa.types.is_integer(found.type):
        return found.cast(pa.decimal128(20, 0))
    if pa.types.is_null(found.type) or found.null_count == len(found):
        return pa.nulls(len(found), pa.decimal128(18, 2))
    if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
        texts = pa.chunked_array([found.cast(pa.string())])
        return decimals.read(texts, "amount").combine_chunks()
    raise ExactnessError(f"{found.type} values are not exact: {USE_DECIMAL}")


def beside(other: Any, rows: int) -> pa.Array:
    """The other operand of arithmetic: a column, or one number for all rows."""
    if is_list_like(other):
        return _fitted(exact_decimals(other), rows)
    if isinstance(other, str) or (number(other) is None and not is_missing(other)):
        raise TypeError(f"amounts do not compute with {other!r:.{decimals.SHOWN}}")
    return pa.repeat(exact_decimals([other])[0], rows)


def compared(other: Any, rows: int) -> pa.Array:
    """The other operand of a comparison; values that are not numbers are missing."""
    if not is_list_like(other):
        return pa.repeat(from_values([number(other)])[0], rows)
    found = _arrow(other)
    if found is not None and not pa.types.is_floating(found.type):
        return _fitted(exact_decimals(found), rows)
    return _fitted(from_values(map(number, other)), rows)


def number(value: Any) -> Decimal | None:
    """A number with its printed digits; None for anything else and for infinite values."""
    if isinstance(value, str):
        return Decimal(value.strip()) if decimals.NUMBER.fullmatch(value.strip()) else None
    if isinstance(value, bool | np.bool_) or is_missing(value):
        return None
    if isinstance(value, float | np.floating):
        value = Decimal(repr(float(value)))
    if isinstance(value, int | np.integer):
        value = Decimal(int(value))
    return value if isinstance(value, Decimal) and value.is_finite() else None


def is_missing(value: Any) -> bool:
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
        warnings.warn(message, FloatWarning, stacklevel=_callers_level())


def _callers_level() -> int:
    """The stack level of the first frame outside pandas and this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and str(frame.f_globals.get("__name__", "")).startswith(OURS):
        level, frame = level + 1, frame.f_back
    return level


def _arrow(values: Any) -> pa.Array | None:
    try:
        found = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    whole = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    if pa.types.is_dictionary(whole.type):
        whole = whole.dictionary_decode()
    return None if pa.types.is_decimal(whole.type) and whole.type.scale < 0 else whole


def _exact_number(value: Any) -> Decimal | None:
    if isinstance(value, float | np.floating) and not is_missing(value):
        raise ExactnessError(f"{value!r} is a float, which is not exact: {USE_DECIMAL}")
    found = number(value)
    if found is None and not is_missing(value):
        raise ExactnessError(f"{value!r:.{decimals.SHOWN}} is not a number")
    return found


def _fitted(values: Sequence[Any], rows: int) -> pa.Array:
    if len(values) != rows:
        raise ValueError(f"{len(values)} values beside a column of {rows}")
    return values
