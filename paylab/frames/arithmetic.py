"""Exact arithmetic on Arrow decimals: sums, products, comparisons, means and quantiles.

Arrow computes with the precision of a type, not of its values: it refuses products that would
fit, and a sum of 38 digits wraps to a negative number. Each function here first measures the
values, chooses a type with enough digits, and raises ExactnessError past 76 digits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal, DivisionByZero, InvalidOperation
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

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
    texts = decimals.each(
        decimals.write(pa.chunked_array([values])), lambda text, _: decimals.shortest(text)
    )
    before, places = decimals.measure(texts)
    return texts.cast(_typed(before, places)).combine_chunks()


def same_scale(*columns: pa.Array, carry: int = 0) -> list[pa.Array]:
    """The columns in one type that holds all of them, with `room` more digits."""
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
    width = integers(values) + len(str(len(values)))
    places = values.type.scale
    if width + places > MOST:
        return _added_up(values)
    kind = (pa.decimal128 if width + places <= NARROW else pa.decimal256)(
        NARROW if width + places <= NARROW else MOST, places
    )
    return pc.sum(values.cast(kind)).as_py() or Decimal(0)


def mean(values: pa.Array) -> Decimal | None:
    """The sum divided by the count, at 28 significant digits or as many as the sum has."""
    count = len(values) - values.null_count
    return quotient(total(values), count) if count else None


def quotient(whole: Decimal, count: int) -> Decimal:
    """A sum divided by a count."""
    return Context(prec=max(DIGITS, len(whole.as_tuple().digits))).divide(whole, Decimal(count))


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
    near = pc.round(
        values.cast(_typed(integers(values) + 1, values.type.scale)),
        places,
        round_mode="half_to_even",
    )
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
    texts = [None if value is None or value.is_nan() else _plain(value) for value in values]
    return decimals.read(
        pa.chunked_array([pa.array(texts, pa.string())]), "amount"
    ).combine_chunks()


def _plain(value: Decimal) -> str:
    """A decimal in plain digits, unless its exponent is too large."""
    return format(value, "f") if abs(value.adjusted()) <= MOST else str(value)


def product(values: pa.Array) -> Decimal:
    """The exact product of the values, without missing ones."""
    result = Decimal(1)
    for value in values.drop_null().to_pylist():
        result = WIDE.multiply(result, value)
    return result


def grouped(values: pa.Array, how: str, ids: Any, groups: int, least: int) -> pa.Array:
    """The `sum`, `min` or `max` per group; null for groups with fewer than `least` values.

    `ids` has the group number of each value; -1 is no group.
    """
    places = values.type.scale
    kind = _typed(integers(values) + len(str(len(values))), places)
    is_wide = pa.types.is_decimal256(kind)
    room = pa.decimal256(MOST, places) if is_wide else pa.decimal128(NARROW, places)
    rows = pa.table({"id": ids, "v": values.cast(room)}).filter(pc.field("id") >= 0)
    if how == "sum" and least <= 0:  # the sum of a group without values is 0
        rows = rows.set_column(1, "v", pc.coalesce(rows["v"], pa.scalar(Decimal(0), room)))
        empty = pa.table({"id": range(groups), "v": pa.repeat(pa.scalar(Decimal(0), room), groups)})
        rows = pa.concat_tables([rows, empty], promote_options="permissive")
    found = rows.group_by("id").aggregate([("v", how), ("v", "count")])
    found = found.filter(pc.field("v_count") >= least)
    return (
        found[f"v_{how}"].combine_chunks().take(pc.index_in(pa.array(range(groups)), found["id"]))
    )


def _added(op: Callable[..., pa.Array], left: pa.Array, right: pa.Array) -> pa.Array:
    one, other = same_scale(left, right, carry=1)
    room = one.type.precision  # a digit more is there by `carry`
    if room in (NARROW, MOST):
        wide = pa.decimal256(MOST - 1, one.type.scale)
        if room == MOST:
            return _by_value(WIDE.add if op is pc.add else WIDE.subtract, left, right)
        one, other = one.cast(wide), other.cast(wide)
    return op(one, other)


def _modulo(left: Decimal, right: Decimal) -> Decimal:
    rest = WIDE.remainder(left, right)
    return rest + right if rest and (rest < 0) != (right < 0) else rest


def _by_value(
    op: Callable[[Decimal, Decimal], Decimal], left: pa.Array, right: pa.Array
) -> pa.Array:
    return from_values(
        _result(op, a, b) for a, b in zip(left.to_pylist(), right.to_pylist(), strict=True)
    )


def _result(
    op: Callable[[Decimal, Decimal], Decimal], left: Decimal | None, right: Decimal | None
) -> Decimal | None:
    if left is None or right is None:
        return None
    try:
        return op(left, right)
    except (DivisionByZero, InvalidOperation):
        return None


def _added_up(values: pa.Array) -> Decimal:
    result = Decimal(0)
    for value in values.to_pylist():
        result = result if value is None else WIDE.add(result, value)
    return result
