"""Exact arithmetic on Arrow decimals: sums, products, comparisons, means and quantiles.

Arrow computes with the precision of a type, not of its values: it refuses products that would
fit, and a sum of 38 digits wraps to a negative number. Each function here first measures the
values, chooses a type with enough digits, and raises ExactnessError past 38 digits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ExactnessError
from . import decimals
from .decimals import MOST, integers
from .operands import from_values

TOO_LONG = f"the result needs more than {MOST} digits"
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
    """A decimal type for these digits before and after the point; ExactnessError past 38."""
    if integers + places > MOST:
        raise ExactnessError(TOO_LONG)
    return pa.decimal128(max(integers + places, 1), places)


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
    if sum(map(sum, widths)) >= MOST:  # Arrow needs a digit more
        return _by_value(WIDE.multiply, left, right)
    one, other = (
        side.cast(pa.decimal128(sum(width), width[1]))
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


def compare_rows(op: Callable[[Any, Any], Any], left: pa.Array, right: pa.Array) -> pa.Array:
    """The comparison, row by row; null if a value is missing."""
    try:
        return COMPARE[op](*same_scale(left, right))
    except ExactnessError:
        pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
        return pa.array([None if a is None or b is None else op(a, b) for a, b in pairs])


def total(values: pa.Array) -> Decimal:
    """The exact sum of the values, without missing ones; ExactnessError past 38 digits."""
    return held(_sum(values))


def held(value: Decimal) -> Decimal:
    """The value; ExactnessError if it needs more than 38 digits."""
    from_values([value])
    return value


def mean(values: pa.Array) -> Decimal | None:
    """The sum divided by the count, at 28 significant digits or as many as the sum has."""
    count = len(values) - values.null_count
    return quotient(_sum(values), count) if count else None


def _sum(values: pa.Array) -> Decimal:
    """The exact sum, with any number of digits."""
    try:
        return pc.sum(_with_room(values)).as_py() or Decimal(0)
    except ExactnessError:
        return reduce(WIDE.add, values.drop_null().to_pylist(), Decimal(0))


def quotient(whole: Decimal, count: int) -> Decimal:
    """A sum divided by a count."""
    return Context(prec=max(DIGITS, len(whole.as_tuple().digits))).divide(whole, Decimal(count))


def _with_room(values: pa.Array) -> pa.Array:
    """The values in a type that holds their sum; ExactnessError if 38 digits may be too few."""
    places, carry = values.type.scale, len(str(len(values)))
    _typed(integers(values) + carry, places)
    return values.cast(pa.decimal128(MOST, places))


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
    if places >= values.type.scale:
        return values
    if places < 0 or integers(values) + values.type.scale >= MOST:
        step = Decimal(1).scaleb(-places)
        return _by_value(lambda a, _: a.quantize(step, ROUND_HALF_EVEN, WIDE), values, values)
    roomy = values.cast(_typed(integers(values) + 1, values.type.scale))
    near = pc.round(roomy, places, round_mode="half_to_even")
    return near.cast(_typed(integers(near), places))


def product(values: pa.Array) -> Decimal:
    """The exact product of the values, without missing ones; ExactnessError past 38 digits."""
    return held(reduce(WIDE.multiply, values.drop_null().to_pylist(), Decimal(1)))


def grouped(values: pa.Array, how: str, ids: Any, groups: int, least: int) -> pa.Array:
    """The `sum`, `min` or `max` per group; null for groups with fewer than `least` values.

    `ids` has the group number of each value; -1 is no group.
    """
    try:
        roomy = _with_room(values) if how == "sum" else values
    except ExactnessError:
        return _sums(values, np.asarray(ids), groups, least)
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


def _sums(values: pa.Array, ids: Any, groups: int, least: int) -> pa.Array:
    """The sums per group one by one, for values so long that Arrow's sums could overflow."""
    parts: list[list[Decimal]] = [[] for _ in range(groups)]
    for id_, value in zip(ids.tolist(), values.to_pylist(), strict=True):
        if id_ >= 0 and value is not None:
            parts[id_].append(value)
    return from_values(
        reduce(WIDE.add, part, Decimal(0)) if len(part) >= least else None for part in parts
    )


def _added(op: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    try:
        one, other = same_scale(left, right, carry=1)
        if one.type.precision < MOST:  # Arrow needs a digit more
            return op(one, other)
    except ExactnessError:
        pass  # the carry may not be needed
    return _by_value(WIDE.add if op is pc.add else WIDE.subtract, left, right)


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


REDUCTIONS: dict[str, Callable[[pa.Array], Any]] = {
    "sum": total,
    "prod": product,
    "mean": mean,
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


def reduced(array: pa.Array, name: str, least: int = 0) -> Any:
    """The sum, mean or other reduction of the values; None for fewer than `least`."""
    if name not in REDUCTIONS:
        raise TypeError(f"decimals have no {name}")
    values = array.drop_null()
    return REDUCTIONS[name](values) if len(values) >= least else None


def running(array: pa.Array, name: str, *, skipna: bool = True) -> pa.Array:
    """Running totals, products or extremes; without `skipna`, missing from a missing value on."""
    values = array.to_pylist()
    if not skipna and None in values:
        values[values.index(None) :] = [None] * (len(values) - values.index(None))
    found = accumulate((value for value in values if value is not None), RUNNING[name])
    return from_values(None if value is None else next(found) for value in values)
