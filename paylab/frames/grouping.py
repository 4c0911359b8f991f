"""Operations on the groups of an exact column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from . import arithmetic, decimals, machine_integers
from .currency_rows import CurrencyRows
from .exact_operators import make_divider
from .machine_integers import IntegerArray

Column: TypeAlias = Any
"""A `DecimalArray`, which imports this module."""
RUNNING_EXTREMES = ("cummin", "cummax")
COMPUTED_BY_PANDAS = {
    *arithmetic.INEXACT_REDUCTIONS,
    *("any", "all", "rank", "idxmin", "idxmax", *RUNNING_EXTREMES),
}
"""Results per group that are no sums: pandas computes them from floats, booleans or ranks."""
ROWS_PER_GROUP_MAX = 1_000
"""With more rows per group on average, Arrow's functions for each group are as fast."""


def find_quantiles(
    column: Column, shares: Any, interpolation: str, row_ranges: Iterable[tuple[int, int]]
) -> Any:
    """The quantiles of each group, as one column: first all of the first group, and so on.

    `row_ranges` have the first row of each group and the row after its last. Each group that has
    several currencies warns.
    """
    row_ranges = list(row_ranges)
    if _has_small_groups(len(column), len(row_ranges)):
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
    quantiles = _interpolate_groups(
        column._values, group_of_row, len(row_ranges), exact_shares, interpolation
    )
    currencies = _currencies_of_groups(column, group_of_row, len(row_ranges))
    group_of_result = np.repeat(np.arange(len(row_ranges)), len(shares))
    return type(column)(
        decimals.from_numbers(quantiles), currencies and currencies.take(group_of_result)
    )


def compute_by_group(  # noqa: PLR0913 - as pandas calls it
    column: Column,
    how: str,
    ids: object,
    ngroups: int,
    min_count: int,
    options: Mapping[str, Any],
) -> Any:
    """A sum, a running sum or another result per group; `ids` has the group of each row.

    Products and running products are computed for one group after another, also means and medians
    of a few groups; other results for all groups at once.
    """
    if how in COMPUTED_BY_PANDAS:
        return _compute_with_pandas(
            column, how, ids, ngroups=ngroups, min_count=min_count, **options
        )
    group_of_row = np.asarray(ids)
    skipna = options.get("skipna", True)
    if how in arithmetic.RUNNING:
        return _compute_running(column, how, group_of_row, ngroups, skipna=skipna)
    group_amounts = None
    if skipna:
        group_amounts = _compute_at_once(column._values, how, group_of_row, ngroups, min_count)
    if group_amounts is None:
        rows_of_groups = _split_rows(group_of_row, ngroups)
        group_amounts = _compute_one_by_one(column, how, rows_of_groups, min_count, skipna=skipna)
    results = type(column)(group_amounts)
    if how in ("min", "max") and column.currencies:
        results.currencies = column.currencies.of_extremes(
            group_of_row, column._values, results._values
        )
    else:
        results.currencies = _currencies_of_groups(column, group_of_row, ngroups)
    return results


def _compute_at_once(
    amounts: pa.Array, how: str, group_of_row: IntegerArray, group_count: int, min_count: int
) -> Any:
    """A sum, extreme, mean or median per group; None for what is not computed at once."""
    if how in ("sum", "min", "max"):
        return arithmetic.aggregate_by_group(amounts, how, group_of_row, group_count, min_count)
    if min_count > 1 or not _has_small_groups(len(amounts), group_count):
        return None
    if how == "mean":
        return arithmetic.fit_quotients(_find_means(amounts, group_of_row, group_count))
    if how == "median":
        middle = [Decimal("0.5")]
        medians = _interpolate_groups(amounts, group_of_row, group_count, middle, "linear")
        return arithmetic.fit_quotients(medians)
    return None


def _compute_one_by_one(
    column: Column,
    how: str,
    rows_of_groups: Sequence[IntegerArray],
    min_count: int,
    *,
    skipna: bool,
) -> pa.ChunkedArray:
    """One number per group, from the column of each group."""
    numbers = []
    for group_column in _split_column(column, rows_of_groups):
        number = group_column._reduce(how, min_count=max(min_count, 0), skipna=skipna)
        numbers.append(None if pd.isna(number) else number)
    return arithmetic.fit_quotients(numbers)


def _compute_running(
    column: Column, how: str, group_of_row: IntegerArray, group_count: int, *, skipna: bool
) -> Any:
    """The running sums or products within each group, in the order of the rows."""
    rows_of_groups = _split_rows(group_of_row, group_count)
    if how == "cumsum" and skipna:
        running_sums = machine_integers.add_running_by_group(
            column._values, _join_rows(rows_of_groups), group_of_row
        )
        if running_sums is not None:
            return column._replace_values(running_sums)
    running_columns = [
        group_column._accumulate(how, skipna=skipna)
        for group_column in _split_column(column, rows_of_groups)
    ]
    return _restore_order(column, running_columns, rows_of_groups)


def _split_column(column: Column, rows_of_groups: Sequence[IntegerArray]) -> list[Column]:
    """The column of each group, without currencies: the whole column has warned already."""
    plain_column = type(column)(column._values)
    return [plain_column.take(rows) for rows in rows_of_groups]


def _compute_with_pandas(column: Column, how: str, ids: object, **options: Any) -> Any:
    """A result per group that pandas computes from floats, booleans or ranks of the amounts.

    `how` is one of `COMPUTED_BY_PANDAS`; `ids` has the group of each row.
    """
    group_of_row = np.asarray(ids)
    numbers = _make_pandas_numbers(column, how)
    results = numbers._groupby_op(how=how, ids=group_of_row, **options)
    if how in arithmetic.INEXACT_REDUCTIONS:
        return results.to_numpy(float, na_value=np.nan)
    if how in ("any", "all"):
        return results.to_numpy(bool) if options.get("skipna", True) else results
    if how in RUNNING_EXTREMES:
        results[group_of_row < 0] = pd.NA
        return column._replace_values(_find_ranked_amounts(column, results))
    return results


def _make_pandas_numbers(column: Column, how: str) -> Any:
    """The amounts as pandas takes them for a result per group; missing ones are missing."""
    if how in arithmetic.INEXACT_REDUCTIONS:
        return pd.array(column.to_numpy(float), dtype="Float64")
    if how in ("any", "all"):
        boolean_type: Any = pd.BooleanDtype()
        return boolean_type.__from_arrow__(pc.invert(decimals.find_zeros(column._values)))
    ranks: Any = pd.array(column._values_for_argsort(), dtype="Int64")
    ranks[column.isna()] = pd.NA
    return ranks


def _find_ranked_amounts(column: Column, ranks: Any) -> pa.Array:
    """The amounts of a column that have these ranks."""
    row_by_rank = np.zeros(len(column) + 2, dtype=np.int64)  # ranks start at 1
    row_by_rank[column._values_for_argsort()] = np.arange(len(column))
    row_numbers = row_by_rank[ranks.to_numpy(np.int64, na_value=0)]
    return column._values.take(pa.array(row_numbers, mask=ranks.isna()))


def _currencies_of_groups(
    column: Column, group_of_row: IntegerArray, group_count: int
) -> CurrencyRows | None:
    """The currency of the amounts of each group, so that a sum over groups warns too."""
    currencies: CurrencyRows | None = column.currencies
    return currencies and currencies.of_groups(group_of_row, group_count, column._values)


def _split_rows(group_of_row: IntegerArray, group_count: int) -> list[IntegerArray]:
    """The numbers of the rows of each group; rows in no group (-1) are left out."""
    grouped_rows = np.argsort(group_of_row, kind="stable")
    start_positions = np.searchsorted(group_of_row[grouped_rows], np.arange(group_count + 1))
    # Before the first group are the rows in no group; after the last one are none.
    return np.split(grouped_rows, start_positions)[1:-1]


def _join_rows(rows_by_group: Sequence[IntegerArray]) -> IntegerArray:
    """The numbers of the rows, group after group."""
    return np.concatenate([np.empty(0, np.intp), *rows_by_group])


def _restore_order(
    column: Column, running_columns: Sequence[Column], rows_by_group: Sequence[IntegerArray]
) -> Any:
    """The results of all groups in the order of the rows; missing for rows in no group."""
    joined_column = column._concat_same_type([column[:0], *running_columns])
    positions = np.full(len(column), -1)
    positions[_join_rows(rows_by_group)] = np.arange(len(joined_column))
    return joined_column.take(positions, allow_fill=True)


def _has_small_groups(row_count: int, group_count: int) -> bool:
    """Whether all groups are computed at once."""
    return row_count <= group_count * ROWS_PER_GROUP_MAX


def _find_means(
    amounts: pa.Array, group_of_row: IntegerArray, group_count: int
) -> list[Decimal | None]:
    """The mean of each group, as `/` rounds it; None without amounts. Rows of -1 are in none."""
    amount_table = pa.table({"group": group_of_row, "amount": arithmetic.widen_for_sum(amounts)})
    grouped_table = amount_table.filter(pc.field("group") >= 0).group_by("group")
    sums_and_counts = grouped_table.aggregate([("amount", "sum"), ("amount", "count")]).to_pydict()
    divide = make_divider()
    means: list[Decimal | None] = [None] * group_count
    for group_number, amount_sum, amount_count in zip(
        sums_and_counts["group"],
        sums_and_counts["amount_sum"],
        sums_and_counts["amount_count"],
        strict=True,
    ):
        if amount_count:
            means[group_number] = divide(amount_sum, Decimal(amount_count))
    return means


def _interpolate_groups(
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
        None if lower is None else arithmetic.interpolate(lower, higher, place.weight)
        for lower, higher, place in zip(lower_amounts, higher_amounts, places, strict=True)
    ]


def _sort_by_group(
    amounts: pa.Array, group_of_row: IntegerArray, group_count: int
) -> tuple[pa.Array, IntegerArray]:
    """The amounts, ascending within each group and group after group, and the count of each."""
    present_rows = np.flatnonzero((group_of_row >= 0) & ~np.asarray(amounts.is_null()))
    present_groups = group_of_row[present_rows]
    present_amounts = amounts.take(pa.array(present_rows))
    row_order = pc.sort_indices(
        pa.table({"group": present_groups, "amount": present_amounts}),
        sort_keys=[("group", "ascending"), ("amount", "ascending")],
    )
    amount_counts = np.bincount(present_groups, minlength=group_count)
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
            arithmetic.find_weighted_place(share, amount_count, interpolation) for share in shares
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
