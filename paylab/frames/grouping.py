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
    group_quantiles = [column[start:end]._quantile(shares, interpolation) for start, end in groups]
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
    order = np.argsort(ids, kind="stable")
    bounds = np.searchsorted(np.asarray(ids)[order], np.arange(ngroups + 1))
    if how == "cumsum" and skipna:
        totals = arithmetic.grouped_totals(column._values, order[bounds[0] :], np.asarray(ids))
        if totals is not None:
            return column._replace_values(totals)
    without_currencies = type(column)(column._values)
    parts = [without_currencies.take(part) for part in np.split(order, bounds)[1:-1]]
    if how in arithmetic.RUNNING:
        running = [part._accumulate(how, skipna=skipna) for part in parts]
        places = np.full(len(column), -1)
        places[order[bounds[0] :]] = np.arange(len(column) - bounds[0])
        return column._concat_same_type([column[:0], *running]).take(places, allow_fill=True)
    reduction_options = {
        name: value for name, value in options.items() if name in ("skipna", "ddof")
    }
    single = [part._reduce(how, min_count=max(min_count, 0), **reduction_options) for part in parts]
    if how in STATISTICS:
        return np.array([np.nan if pd.isna(figure) else figure for figure in single], dtype=float)
    return np.array(single, bool) if how in ("any", "all") else column._from_sequence(single)
