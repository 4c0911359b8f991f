"""The quantiles of an exact column, and of its groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import decimals, quantiles
from .decimals import DIGITS_MAX
from .machine_integers import IntegerArray

Column: TypeAlias = Any
"""A `DecimalArray`, which imports this module."""
TOO_LONG_BETWEEN = (
    f"a number between two amounts needs more than {DIGITS_MAX} digits: write .quantile(..., "
    'interpolation="nearest"), or round the amounts first, as .round(6) does'
)
ROWS_PER_GROUP_MAX = 1_000
"""With more rows per group on average, Arrow's functions for each group are as fast."""


def compute_quantiles(
    amounts: pa.Array, shares: Sequence[float], interpolation: str
) -> pa.ChunkedArray:
    """The exact quantiles at shares such as 0.95, which is taken as it is printed."""
    exact_shares = [Decimal(repr(float(share))) for share in shares]
    quantile_numbers = [
        quantiles.find_quantile(amounts, share, interpolation) for share in exact_shares
    ]
    return decimals.from_results(quantile_numbers, TOO_LONG_BETWEEN)


def find_quantiles(
    column: Column, shares: Any, interpolation: str, row_ranges: Iterable[tuple[int, int]]
) -> Any:
    """The quantiles of each group, as one column: first all of the first group, and so on.

    `row_ranges` have the first row of each group and the row after its last. Each group that has
    several currencies warns.
    """
    row_ranges = list(row_ranges)
    if has_small_groups(len(column), len(row_ranges)):
        return _find_all_quantiles(column, shares, interpolation, row_ranges)
    group_quantiles = [
        column[first_row:end_row]._quantile(shares, interpolation)
        for first_row, end_row in row_ranges
    ]
    return column._concat_same_type([column[:0], *group_quantiles])


def _find_all_quantiles(
    column: Column, shares: Any, interpolation: str, row_ranges: Sequence[tuple[int, int]]
) -> Any:
    """The quantiles of all groups at once, in the same order."""
    group_of_row = np.full(len(column), -1)
    for group_number, (first_row, end_row) in enumerate(row_ranges):
        group_of_row[first_row:end_row] = group_number
    column._warn_of_currencies(group_of_row)
    exact_shares = [Decimal(repr(float(share))) for share in shares]
    quantile_numbers = interpolate_groups(
        column._values, group_of_row, len(row_ranges), exact_shares, interpolation
    )
    currencies = column.currencies and column.currencies.of_groups(
        group_of_row, len(row_ranges), column._values
    )
    group_of_result = np.repeat(np.arange(len(row_ranges)), len(shares))
    return type(column)(
        decimals.from_results(quantile_numbers, TOO_LONG_BETWEEN),
        currencies and currencies.take(group_of_result),
    )


def has_small_groups(row_count: int, group_count: int) -> bool:
    """Whether all groups are computed at once."""
    return row_count <= group_count * ROWS_PER_GROUP_MAX


def interpolate_groups(
    amounts: pa.Array,
    group_of_row: IntegerArray,
    group_count: int,
    shares: Sequence[Decimal],
    interpolation: str,
) -> list[Decimal | None]:
    """The exact quantiles of each group: first all of the first group, and so on.

    None for a group without amounts. Rows of -1 are in no group.
    """
    ascending_amounts, amount_counts = _sort_by_group(amounts, group_of_row, group_count)
    places = _find_places(amount_counts.tolist(), shares, interpolation)
    # Each quantile is between two amounts: all lower ones are taken, and all higher ones.
    lower_positions = pa.array([place.lower for place in places], pa.int64())
    higher_positions = pa.array([place.higher for place in places], pa.int64())
    lower_amounts = ascending_amounts.take(lower_positions).to_pylist()
    higher_amounts = ascending_amounts.take(higher_positions).to_pylist()
    return [
        None if lower is None else quantiles.interpolate(lower, higher, place.weight)
        for lower, higher, place in zip(lower_amounts, higher_amounts, places, strict=True)
    ]


def _sort_by_group(
    amounts: pa.Array, group_of_row: IntegerArray, group_count: int
) -> tuple[pa.Array, IntegerArray]:
    """The amounts, ascending within each group and group after group, and the count of each."""
    present_rows = np.flatnonzero((group_of_row >= 0) & ~np.asarray(amounts.is_null()))
    group_of_present_row = group_of_row[present_rows]
    present_amounts = amounts.take(pa.array(present_rows))
    row_order = pc.sort_indices(
        pa.table({"group": group_of_present_row, "amount": present_amounts}),
        sort_keys=[("group", "ascending"), ("amount", "ascending")],
    )
    amount_counts = np.bincount(group_of_present_row, minlength=group_count)
    return present_amounts.take(row_order), amount_counts


class QuantilePlace(NamedTuple):
    """The positions of the amounts around a quantile, and the weight of the higher one."""

    lower: int | None
    higher: int | None
    weight: Decimal


NO_PLACE = QuantilePlace(None, None, Decimal(0))
"""The place in a group without amounts."""


def _find_places(
    amount_counts: Sequence[int], shares: Sequence[Decimal], interpolation: str
) -> list[QuantilePlace]:
    """The place of each quantile among the sorted amounts of all groups.

    `amount_counts` has the number of amounts of each group.
    """

    @cache
    def find_places_in_group(amount_count: int) -> list[tuple[int, int, Decimal]]:
        return [
            quantiles.find_weighted_place(share, amount_count, interpolation) for share in shares
        ]

    places: list[QuantilePlace] = []
    group_start = 0
    for amount_count in amount_counts:
        if not amount_count:
            places += [NO_PLACE] * len(shares)
            continue
        for lower_index, higher_index, weight in find_places_in_group(amount_count):
            places.append(
                QuantilePlace(group_start + lower_index, group_start + higher_index, weight)
            )
        group_start += amount_count
    return places
