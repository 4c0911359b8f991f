"""The currencies of running sums and extremes, and of sums and other results of windows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .currency_rows import NO_CURRENCY, CurrencyRows, find_nothing
from .machine_integers import IntegerArray


def find_running_currencies(
    currencies: CurrencyRows | None,
    name: str,
    group_of_row: IntegerArray,
    amounts: pa.Array,
    running_amounts: pa.Array,
) -> CurrencyRows | None:
    """The currencies of running sums, products or extremes of groups of amounts; -1 is no group.

    Those of products are unknown.
    """
    if not currencies or name == "cumprod":
        return None
    if (currencies.name_indexes == currencies.name_indexes[:1]).all():
        return currencies
    grouped_rows = np.argsort(group_of_row, kind="stable")
    if name != "cumsum":
        extremes = running_amounts.cast(amounts.type)
        return _find_extreme_currencies(currencies, grouped_rows, amounts, extremes)
    sorted_groups = group_of_row[grouped_rows]
    start_positions = np.searchsorted(sorted_groups, sorted_groups)
    return find_window_currencies(currencies, grouped_rows, start_positions, amounts)


def _find_extreme_currencies(
    currencies: CurrencyRows, grouped_rows: IntegerArray, amounts: pa.Array, extremes: pa.Array
) -> CurrencyRows:
    """The currencies of the running extremes: that of the last row of the group that has it."""
    is_extreme = np.asarray(pc.equal(amounts, extremes).fill_null(False))[grouped_rows]
    last_positions = np.maximum.accumulate(np.where(is_extreme, np.arange(len(grouped_rows)), -1))
    chosen_rows = np.empty(len(grouped_rows), dtype=np.int64)
    chosen_rows[grouped_rows] = grouped_rows[last_positions]
    return currencies.take(chosen_rows, np.asarray(extremes.is_null()))


def find_window_currencies(
    currencies: CurrencyRows,
    grouped_rows: IntegerArray,
    start_positions: IntegerArray,
    amounts: pa.Array,
) -> CurrencyRows:
    """The currency of what is added in each window; unknown if it has several.

    A window of missing amounts and zeros has the currency of its last row. `grouped_rows` are the
    numbers of the rows, group after group; a window ends at each of these positions, and begins at
    a start position.
    """
    if (currencies.name_indexes == currencies.name_indexes[:1]).all():
        return currencies
    name_indexes = currencies.name_indexes[grouped_rows]
    is_added = (name_indexes != NO_CURRENCY) & ~find_nothing(amounts)[grouped_rows]
    added_positions = np.flatnonzero(is_added)
    added_indexes = name_indexes[added_positions]
    # An amount in another currency than the one before it begins a run.
    is_run_start = np.diff(added_indexes, prepend=NO_CURRENCY) != 0
    run_starts = np.maximum.accumulate(np.where(is_run_start, np.arange(len(added_indexes)), 0))
    positions = np.arange(len(grouped_rows))
    last_added = np.maximum.accumulate(np.where(is_added, positions, -1))
    last_in_other_currency = np.full(len(grouped_rows), -1, dtype=np.int64)
    has_run_before = run_starts > 0
    last_in_other_currency[added_positions[has_run_before]] = added_positions[
        run_starts[has_run_before] - 1
    ]
    has_amounts = last_added >= start_positions
    window_indexes = np.where(has_amounts, name_indexes[last_added], name_indexes)
    window_indexes[has_amounts & (last_in_other_currency[last_added] >= start_positions)] = (
        NO_CURRENCY
    )
    indexes_of_rows = currencies.name_indexes.copy()
    indexes_of_rows[grouped_rows] = window_indexes
    return CurrencyRows(indexes_of_rows, currencies.names)
