"""Operations on the groups of an exact column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from . import arithmetic, machine_integers
from .currency_rows import CurrencyRows


def find_quantiles(
    column: Any, shares: Any, interpolation: str, row_ranges: Iterable[tuple[int, int]]
) -> Any:
    """The quantiles of each group, as one column: first all of the first group, and so on.

    `row_ranges` have the first row of each group and the row after its last. Each group that has
    several currencies warns.
    """
    group_quantiles = [
        column[first_row:end_row]._quantile(shares, interpolation)
        for first_row, end_row in row_ranges
    ]
    return column._concat_same_type([column[:0], *group_quantiles])


def compute_by_group(  # noqa: PLR0913 - as pandas calls it
    column: Any, how: str, ids: Any, ngroups: int, min_count: int, options: Mapping[str, Any]
) -> Any:
    """A sum, a running sum or another result per group; `ids` has the group of each row.

    Sums, extremes and running sums of all groups are computed at once, other results one by one.
    """
    group_of_row = np.asarray(ids)
    skipna = options.get("skipna", True)
    if how in ("sum", "min", "max") and skipna:
        group_amounts = arithmetic.aggregate_by_group(
            column._values, how, group_of_row, ngroups, min_count
        )
        return type(column)(group_amounts, _currencies_of_groups(column, group_of_row, ngroups))
    rows_of_groups = _split_rows(group_of_row, ngroups)
    if how == "cumsum" and skipna:
        totals = machine_integers.add_running_by_group(
            column._values, _join_rows(rows_of_groups), group_of_row
        )
        if totals is not None:
            return column._replace_values(totals)
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


def _currencies_of_groups(column: Any, group_of_row: Any, group_count: int) -> CurrencyRows | None:
    """The currency of each group, so that a sum over groups warns too."""
    currencies: CurrencyRows | None = column.currencies
    return currencies and currencies.of_groups(group_of_row, group_count)


def _split_rows(group_of_row: Any, group_count: int) -> list[Any]:
    """The numbers of the rows of each group; rows in no group (-1) are left out."""
    grouped_rows = np.argsort(group_of_row, kind="stable")
    start_positions = np.searchsorted(group_of_row[grouped_rows], np.arange(group_count + 1))
    # Before the first group are the rows in no group; after the last one are none.
    return np.split(grouped_rows, start_positions)[1:-1]


def _join_rows(rows_by_group: Sequence[Any]) -> Any:
    """The numbers of the rows, group after group."""
    return np.concatenate([np.empty(0, np.intp), *rows_by_group])


def _restore_order(
    column: Any, running_columns: Sequence[Any], rows_by_group: Sequence[Any]
) -> Any:
    """The results of all groups in the order of the rows; missing for rows in no group."""
    joined_column = column._concat_same_type([column[:0], *running_columns])
    positions = np.full(len(column), -1)
    positions[_join_rows(rows_by_group)] = np.arange(len(joined_column))
    return joined_column.take(positions, allow_fill=True)


def _reduce_groups(
    column: Any,
    how: str,
    group_columns: Sequence[Any],
    min_count: int,
    options: Mapping[str, Any],
) -> Any:
    """One number, or one boolean, per group."""
    option_by_name = {
        option_name: options[option_name]
        for option_name in ("skipna", "ddof")
        if option_name in options
    }
    group_results = [
        group_column._reduce(how, min_count=max(min_count, 0), **option_by_name)
        for group_column in group_columns
    ]
    if how in arithmetic.INEXACT_REDUCTIONS:
        floats = [np.nan if pd.isna(statistic) else statistic for statistic in group_results]
        return np.array(floats, dtype=float)
    if how in ("any", "all"):
        return np.array(group_results, bool)
    numbers = [None if pd.isna(number) else number for number in group_results]
    return type(column)(arithmetic.fit_quotients(numbers))
