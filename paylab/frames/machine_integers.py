"""Exact columns as 64-bit integers without their point: faster for at most 18 digits."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

IntegerArray: TypeAlias = np.ndarray[Any, Any]
MACHINE_DIGITS = 18  # an integer of 64 bits holds them


def read_unscaled(amounts: pa.Array) -> IntegerArray:
    """Decimals of at most 18 digits as 64-bit integers without their point; missing ones as 0."""
    # A decimal128 is two little-endian words of 64 bits. Up to 18 digits are in the lower one.
    low_words = np.frombuffer(amounts.buffers()[1], dtype="<i8")[2 * amounts.offset :: 2]
    integers = low_words[: len(amounts)]
    if not amounts.null_count:
        return integers
    return np.where(np.asarray(amounts.is_null()), 0, integers)


def make_decimals(
    integers: IntegerArray, decimal_places: int, is_missing: IntegerArray | None = None
) -> pa.Array:
    """64-bit integers as decimals with the point before the last `decimal_places` digits."""
    word_pairs = np.empty((len(integers), 2), dtype="<i8")
    word_pairs[:, 0] = integers
    word_pairs[:, 1] = integers >> 63  # the sign
    amounts = pa.Array.from_buffers(
        pa.decimal128(MACHINE_DIGITS, decimal_places),
        len(integers),
        [None, pa.py_buffer(word_pairs)],
    )
    if is_missing is None or not is_missing.any():
        return amounts
    return pc.if_else(pa.array(is_missing), pa.scalar(None, amounts.type), amounts)


def change_places(amounts: pa.Array, decimal_places: int) -> pa.Array | None:
    """The amounts with another number of decimal places; None if a digit would be lost."""
    integers = _move_point(read_unscaled(amounts), amounts.type.scale, decimal_places)
    if integers is None:
        return None
    return make_decimals(integers, decimal_places, np.asarray(amounts.is_null()))


def _move_point(integers: IntegerArray, old_places: int, new_places: int) -> IntegerArray | None:
    """Unscaled integers for another number of decimal places; None if a digit would be lost."""
    if new_places >= old_places:
        wider_integers: IntegerArray = integers * 10 ** (new_places - old_places)
        return wider_integers
    divisor = 10 ** (old_places - new_places)
    quotients: IntegerArray = integers // divisor
    return quotients if (quotients * divisor == integers).all() else None


def add_running_by_group(
    amounts: pa.Array, grouped_rows: IntegerArray, group_of_row: IntegerArray
) -> pa.Array | None:
    """Running totals within each group; None if 64-bit integers do not hold them.

    `grouped_rows` are the numbers of the rows, group after group; `group_of_row` is -1 for a row
    that is in no group, whose total is missing.
    """
    if amounts.type.precision > MACHINE_DIGITS:
        return None
    integers = read_unscaled(amounts)
    if not _have_fitting_totals(integers):
        return None
    totals_over_groups = np.cumsum(integers[grouped_rows])  # over all groups
    # -2 is no group, so that the first row starts one too.
    start_positions = np.flatnonzero(np.diff(group_of_row[grouped_rows], prepend=-2))
    totals_before_groups = totals_over_groups[:0]  # without rows there are no groups
    if len(start_positions):
        totals_before_groups = np.where(
            start_positions > 0, totals_over_groups[start_positions - 1], 0
        )
    group_sizes = np.diff(np.append(start_positions, len(grouped_rows)))
    running_totals = np.zeros(len(amounts), dtype=np.int64)
    running_totals[grouped_rows] = totals_over_groups - np.repeat(totals_before_groups, group_sizes)
    is_missing = np.asarray(amounts.is_null()) | (group_of_row < 0)
    return make_decimals(running_totals, amounts.type.scale, is_missing)


def find_largest(integers: IntegerArray) -> int:
    """The largest integer without its sign; 0 without integers."""
    return max(int(integers.max()), -int(integers.min())) if len(integers) else 0


def _have_fitting_totals(integers: IntegerArray) -> bool:
    """Whether every running total has at most 18 digits."""
    return bool(find_largest(integers) * len(integers) < 10**MACHINE_DIGITS)


def add_running(amounts: pa.Array, *, skipna: bool) -> pa.Array | None:
    """Running totals of all amounts; None if 64-bit integers do not hold them.

    The total is missing where an amount is; without `skipna`, also in all rows after it.
    """
    if amounts.type.precision > MACHINE_DIGITS:
        return None
    integers = read_unscaled(amounts)
    if not _have_fitting_totals(integers):
        return None
    is_missing = np.asarray(amounts.is_null())
    if not skipna and len(is_missing):
        is_missing = np.maximum.accumulate(is_missing)  # true from the first missing amount on
    return make_decimals(np.cumsum(integers), amounts.type.scale, is_missing)


def run_extremes(
    integers: IntegerArray, is_missing: IntegerArray, *, is_largest: bool
) -> IntegerArray:
    """The largest or the smallest of the integers up to each one, of those not missing."""
    limits = np.iinfo(np.int64)
    if is_largest:
        return np.maximum.accumulate(np.where(is_missing, limits.min, integers))
    return np.minimum.accumulate(np.where(is_missing, limits.max, integers))
