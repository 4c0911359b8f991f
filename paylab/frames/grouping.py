"""Operations on the groups of an exact column."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from . import arithmetic, decimals, machine_integers
from .column_quantiles import TOO_LONG_BETWEEN, has_small_groups, interpolate_groups
from .currency_rows import find_zeros
from .currency_windows import find_running_currencies
from .exact_operators import make_divider
from .machine_integers import IntegerArray

Column: TypeAlias = Any
"""A `DecimalArray`, which imports this module."""
COMPUTED_BY_PANDAS = {
    *arithmetic.INEXACT_REDUCTIONS,
    *("any", "all", "rank", "idxmin", "idxmax", *arithmetic.RUNNING_EXTREMES),
}
"""Results per group that are no sums: pandas computes them from floats, booleans or ranks."""


def compute_by_group(  # noqa: PLR0913 - as pandas calls it
    column: Column,
    how: str,
    ids: object,
    ngroups: int,
    min_count: int,
    options: Mapping[str, Any],
) -> Any:
    """A sum, a running sum or another result per group; `ids` has the group of each row.

    Means and medians of a few groups are computed for one group after another; other results for
    all groups at once.
    """
    if how in COMPUTED_BY_PANDAS:
        return _compute_with_pandas(
            column, how, ids, ngroups=ngroups, min_count=min_count, **options
        )
    group_of_row = np.asarray(ids)
    skipna = options.get("skipna", True)
    if how in arithmetic.RUNNING:
        running_amounts = _compute_running(
            column._values, how, group_of_row, ngroups, skipna=skipna
        )
        return _make_running_column(column, how, group_of_row, running_amounts)
    group_amounts = _compute_at_once(column._values, how, group_of_row, ngroups, min_count)
    if group_amounts is None:
        group_amounts = _compute_one_by_one(column, how, group_of_row, ngroups)
    if not skipna:
        group_amounts = _blank_incomplete_groups(group_amounts, column._values, group_of_row)
    results = type(column)(group_amounts)
    currencies = column.currencies
    if how in ("min", "max") and currencies:
        results.currencies = currencies.of_extremes(group_of_row, column._values, results._values)
    elif how != "prod" and currencies:
        results.currencies = currencies.of_groups(group_of_row, ngroups, column._values)
    return results


def _compute_at_once(
    amounts: pa.Array, how: str, group_of_row: IntegerArray, group_count: int, min_count: int
) -> Any:
    """A result per group of its present amounts; None for what is not computed at once."""
    if how in ("sum", "min", "max"):
        return arithmetic.aggregate_by_group(amounts, how, group_of_row, group_count, min_count)
    if how == "prod":
        return _multiply_groups(amounts, group_of_row, group_count, min_count)
    if not has_small_groups(len(amounts), group_count):
        return None
    if how == "mean":
        return arithmetic.fit_quotients(_find_means(amounts, group_of_row, group_count))
    if how == "median":
        middle = [Decimal("0.5")]
        medians = interpolate_groups(amounts, group_of_row, group_count, middle, "linear")
        return decimals.from_results(medians, TOO_LONG_BETWEEN)
    return None


def _compute_one_by_one(
    column: Column, how: str, group_of_row: IntegerArray, group_count: int
) -> pa.ChunkedArray:
    """One number per group, from the column of each group; means are rounded as `/` is."""
    plain_column = type(column)(column._values)  # the whole column has warned of currencies already
    numbers = []
    for rows in _split_rows(group_of_row, group_count):
        group_result = plain_column.take(rows)._reduce(how)
        numbers.append(None if pd.isna(group_result) else group_result)
    return arithmetic.fit_quotients(numbers) if how == "mean" else decimals.from_results(numbers)


def _multiply_groups(
    amounts: pa.Array, group_of_row: IntegerArray, group_count: int, count_min: int
) -> pa.ChunkedArray:
    """The product per group; missing for groups with fewer than `count_min` amounts."""
    products = [Decimal(1)] * group_count
    counts = [0] * group_count
    multiply = arithmetic.WIDE_CONTEXT.multiply
    for amount, group_number in zip(amounts.to_pylist(), group_of_row.tolist(), strict=True):
        if amount is not None and group_number >= 0:
            products[group_number] = multiply(products[group_number], amount)
            counts[group_number] += 1
    return decimals.from_results(
        product if count >= count_min else None
        for product, count in zip(products, counts, strict=True)
    )


def _blank_incomplete_groups(
    group_amounts: pa.Array | pa.ChunkedArray, amounts: pa.Array, group_of_row: IntegerArray
) -> pa.Array | pa.ChunkedArray:
    """The results of groups, missing for each group that has a missing amount."""
    incomplete_groups = group_of_row[np.asarray(amounts.is_null()) & (group_of_row >= 0)]
    is_incomplete = np.zeros(len(group_amounts), dtype=bool)
    is_incomplete[incomplete_groups] = True
    no_amount = pa.scalar(None, group_amounts.type)
    return pc.if_else(pa.array(is_incomplete), no_amount, group_amounts)


def _compute_running(
    amounts: pa.Array, how: str, group_of_row: IntegerArray, group_count: int, *, skipna: bool
) -> pa.Array | pa.ChunkedArray:
    """The running sums or products within each group, in the order of the rows.

    Missing where an amount is, and for rows in no group; without `skipna`, also in all rows of a
    group after its first missing amount.
    """
    if how == "cumsum" and skipna:
        running_sums = machine_integers.add_running_by_group(
            amounts, _sort_rows(group_of_row), group_of_row
        )
        if running_sums is not None:
            return running_sums
    combine = arithmetic.RUNNING[how]
    last_results: list[Decimal | None] = [None] * group_count
    ended_groups = set()
    results: list[Decimal | None] = []
    for amount, group_number in zip(amounts.to_pylist(), group_of_row.tolist(), strict=True):
        if amount is None and not skipna:
            ended_groups.add(group_number)
        if amount is None or group_number < 0 or group_number in ended_groups:
            results.append(None)
            continue
        last_result = last_results[group_number]
        running_amount = amount if last_result is None else combine(last_result, amount)
        last_results[group_number] = running_amount
        results.append(running_amount)
    return decimals.from_results(results)


def _make_running_column(
    column: Column, how: str, group_of_row: IntegerArray, running_amounts: Any
) -> Any:
    """A column of running results, with their currencies."""
    currencies = find_running_currencies(
        column.currencies, how, group_of_row, column._values, running_amounts
    )
    return type(column)(running_amounts, currencies)


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
    if how in arithmetic.RUNNING_EXTREMES:
        results[group_of_row < 0] = pd.NA
        extremes = _find_extremes(column, results)
        return _make_running_column(column, how, group_of_row, extremes)
    return results


def _make_pandas_numbers(column: Column, how: str) -> Any:
    """The amounts as pandas takes them for a result per group; missing ones are missing."""
    if how in arithmetic.INEXACT_REDUCTIONS:
        return pd.array(column.to_numpy(float), dtype="Float64")
    if how in ("any", "all"):
        boolean_type: Any = pd.BooleanDtype()
        return boolean_type.__from_arrow__(pc.invert(find_zeros(column._values)))
    has_integers = how in arithmetic.RUNNING_EXTREMES and _fits_machine(column)
    integers = (
        machine_integers.read_unscaled(column._values)
        if has_integers
        else column._values_for_argsort()
    )
    return pd.arrays.IntegerArray(integers.astype(np.int64), column.isna())


def _fits_machine(column: Column) -> bool:
    """Whether the amounts are compared as integers of 64 bits, and else by their ranks."""
    return bool(column._values.type.precision <= machine_integers.MACHINE_DIGITS)


def _find_extremes(column: Column, results: Any) -> pa.Array:
    """The amounts of a column that have these integers or ranks."""
    is_missing = results.isna()
    integers = results.to_numpy(np.int64, na_value=0)
    if _fits_machine(column):
        return machine_integers.make_decimals(integers, column._values.type.scale, is_missing)
    row_by_rank = np.zeros(len(column) + 2, dtype=np.int64)  # ranks start at 1
    row_by_rank[column._values_for_argsort()] = np.arange(len(column))
    return column._values.take(pa.array(row_by_rank[integers], mask=is_missing))


def _sort_rows(group_of_row: IntegerArray) -> IntegerArray:
    """The numbers of the rows, group after group; rows in no group (-1) are left out."""
    sorted_rows = np.argsort(group_of_row, kind="stable")
    return sorted_rows[np.count_nonzero(group_of_row < 0) :]


def _split_rows(group_of_row: IntegerArray, group_count: int) -> list[IntegerArray]:
    """The numbers of the rows of each group; rows in no group (-1) are left out."""
    grouped_rows = _sort_rows(group_of_row)
    start_positions = np.searchsorted(group_of_row[grouped_rows], np.arange(1, group_count))
    return np.split(grouped_rows, start_positions) if group_count else []


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
