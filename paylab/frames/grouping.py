"""Operations on the groups of an exact column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

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
    if how in ("sum", "min", "max") and skipna:
        group_amounts = arithmetic.aggregate_by_group(
            column._values, how, group_of_row, ngroups, min_count
        )
        return type(column)(group_amounts, _currencies_of_groups(column, group_of_row, ngroups))
    has_small_groups = _has_small_groups(len(column), ngroups)
    if how in ("mean", "median") and skipna and min_count <= 1 and has_small_groups:
        amounts = column._values
        numbers = (
            _find_means(amounts, group_of_row, ngroups)
            if how == "mean"
            else _interpolate_groups(amounts, group_of_row, ngroups, [Decimal("0.5")], "linear")
        )
        statistics = arithmetic.fit_quotients(numbers)
        return type(column)(statistics, _currencies_of_groups(column, group_of_row, ngroups))
    rows_of_groups = _split_rows(group_of_row, ngroups)
    if how == "cumsum" and skipna:
        running_sums = machine_integers.add_running_by_group(
            column._values, _join_rows(rows_of_groups), group_of_row
        )
        if running_sums is not None:
            return column._replace_values(running_sums)
    # Without currencies: the warning was given for the whole column already.
    plain_column = type(column)(column._values)
    group_columns = [plain_column.take(rows) for rows in rows_of_groups]
    if how in arithmetic.RUNNING:
        running_columns = [
            group_column._accumulate(how, skipna=skipna) for group_column in group_columns
        ]
        return _restore_order(column, running_columns, rows_of_groups)
    results = _reduce_groups(column, how, group_columns, min_count, options)
    if isinstance(results, type(column)):
        results.currencies = _currencies_of_groups(column, group_of_row, ngroups)
    return results


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
        return boolean_type.__from_arrow__(pc.not_equal(column._values, 0))
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
    """The currency of each group, so that a sum over groups warns too."""
    currencies: CurrencyRows | None = column.currencies
    return currencies and currencies.of_groups(group_of_row, group_count)


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


def _reduce_groups(
    column: Column,
    how: str,
    group_columns: Sequence[Column],
    min_count: int,
    options: Mapping[str, Any],
) -> Any:
    """One number per group."""
    skipna = options.get("skipna", True)
    group_results = [
        group_column._reduce(how, min_count=max(min_count, 0), skipna=skipna)
        for group_column in group_columns
    ]
    numbers = [None if pd.isna(number) else number for number in group_results]
    return type(column)(arithmetic.fit_quotients(numbers))


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
    present_rows = np.flatnonzero((group_of_row >= 0) & ~np.asarray(amounts.is_null()))
    present_table = pa.table(
        {"group": group_of_row[present_rows], "amount": amounts.take(pa.array(present_rows))}
    )
    row_order = pc.sort_indices(
        present_table, sort_keys=[("group", "ascending"), ("amount", "ascending")]
    )
    ascending_amounts = present_table["amount"].combine_chunks().take(row_order)
    amount_counts = np.bincount(group_of_row[present_rows], minlength=group_count)
    start_positions = (np.cumsum(amount_counts) - amount_counts).tolist()
    places_by_count = {
        amount_count: [
            arithmetic.find_weighted_place(share, amount_count, interpolation) for share in shares
        ]
        for amount_count in set(amount_counts.tolist())
        if amount_count
    }
    # Each quantile is between two amounts: of all of them the lower and the higher one are taken.
    lower_positions: list[int | None] = []
    higher_positions: list[int | None] = []
    weights: list[Decimal] = []
    for start_position, amount_count in zip(start_positions, amount_counts.tolist(), strict=True):
        for lower_index, higher_index, weight in places_by_count.get(amount_count, ()):
            lower_positions.append(start_position + lower_index)
            higher_positions.append(start_position + higher_index)
            weights.append(weight)
        if not amount_count:
            lower_positions += [None] * len(shares)
            higher_positions += [None] * len(shares)
            weights += [Decimal(0)] * len(shares)
    lower_amounts = ascending_amounts.take(pa.array(lower_positions, pa.int64())).to_pylist()
    higher_amounts = ascending_amounts.take(pa.array(higher_positions, pa.int64())).to_pylist()
    return [
        None if lower is None else arithmetic.interpolate(lower, higher, weight)
        for lower, higher, weight in zip(lower_amounts, higher_amounts, weights, strict=True)
    ]
