"""Operations on the groups of an exact column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from . import arithmetic

STATISTICS = ("std", "var", "sem", "skew", "kurt")  # these have no exact value


def quantiles(column: Any, shares: Any, interpolation: str, groups: Iterable[Any]) -> Any:
    """The quantiles of each group; `groups` are the first row and the row after the last."""
    group_quantiles = [
        column[first_row:end_row]._quantile(shares, interpolation) for first_row, end_row in groups
    ]
    return column._concat_same_type([column[:0], *group_quantiles])


def by_group(  # noqa: PLR0913 - as pandas calls it
    column: Any, how: str, ids: Any, ngroups: int, min_count: int, options: Mapping[str, Any]
) -> Any:
    """A sum, a running sum or another result per group; `ids` has the group of each row."""
    skipna = options.get("skipna", True)
    if how in ("sum", "min", "max") and skipna:
        aggregated = arithmetic.aggregate_by_group(
            column._values, how, np.asarray(ids), ngroups, min_count
        )
        return type(column)(aggregated)
    rows_by_group = np.argsort(ids, kind="stable")
    bounds = np.searchsorted(np.asarray(ids)[rows_by_group], np.arange(ngroups + 1))
    if how == "cumsum" and skipna:
        totals = arithmetic.sum_groups(column._values, rows_by_group[bounds[0] :], np.asarray(ids))
        if totals is not None:
            return column._replace_values(totals)
    without_currencies = type(column)(column._values)
    group_columns = [
        without_currencies.take(group_rows) for group_rows in np.split(rows_by_group, bounds)[1:-1]
    ]
    if how in arithmetic.RUNNING:
        running = [group_column._accumulate(how, skipna=skipna) for group_column in group_columns]
        positions = np.full(len(column), -1)
        positions[rows_by_group[bounds[0] :]] = np.arange(len(column) - bounds[0])
        return column._concat_same_type([column[:0], *running]).take(positions, allow_fill=True)
    reduction_options = {
        name: value for name, value in options.items() if name in ("skipna", "ddof")
    }
    single = [
        group_column._reduce(how, min_count=max(min_count, 0), **reduction_options)
        for group_column in group_columns
    ]
    if how in STATISTICS:
        return np.array([np.nan if pd.isna(figure) else figure for figure in single], dtype=float)
    if how in ("any", "all"):
        return np.array(single, bool)
    numbers = [None if pd.isna(number) else number for number in single]
    return type(column)(arithmetic.fit_quotients(numbers))
