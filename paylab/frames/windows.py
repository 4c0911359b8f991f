"""Exact rolling windows: `frame.paylab.rolling(7)["source_amount"].sum()`.

pandas computes its windows with floats.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import accumulate
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd

from ..errors.base import ConfigError, Problem, RuleError
from . import arithmetic, decimals, times
from .decimal_array import DecimalArray, DecimalDtype
from .exact_decimal import LIMIT, divide

Bounds = list[tuple[int, int]]
Numbers = list[Decimal]


Windows: TypeAlias = "pd.DataFrame | pd.Series[Any]"


@dataclass(frozen=True)
class Rolling:
    """The windows of each row: its last rows, or those of a duration up to its time.

    Results have the rows of the frame and its exact columns, or are the column that you choose;
    rows with fewer than `min_periods` amounts are missing, as in pandas.
    """

    frame: pd.DataFrame
    window: int | str | pd.Timedelta
    min_periods: int | None = None
    on: str | None = None
    by: str | Sequence[str] | None = None
    columns: tuple[str, ...] | None = None
    is_column: bool = False

    def __getitem__(self, columns: str | list[str]) -> Rolling:
        is_column = isinstance(columns, str)
        column_names = (columns,) if isinstance(columns, str) else tuple(columns)
        return replace(self, columns=column_names, is_column=is_column)

    def sum(self) -> Windows:
        """The exact sum of each window."""
        return self._compute_windows(_sum_windows, is_sum=True)

    def mean(self) -> Windows:
        """The mean of each window; a quotient without end has 28 digits."""
        return self._compute_windows(_average_windows, is_sum=True)

    def min(self) -> Windows:
        """The smallest amount of each window."""
        return self._compute_windows(lambda values, bounds: [min(values[a:b]) for a, b in bounds])

    def max(self) -> Windows:
        """The largest amount of each window."""
        return self._compute_windows(lambda values, bounds: [max(values[a:b]) for a, b in bounds])

    def median(self) -> Windows:
        """The exact median of each window."""
        return self.quantile(Decimal("0.5"))

    def quantile(self, share: Decimal | float) -> Windows:
        """An exact quantile of each window, with linear interpolation."""
        exact = Decimal(str(share))

        def quantiles(values: Numbers, bounds: Bounds) -> list[Any]:
            arrays = (decimals.from_numbers(values[a:b]).combine_chunks() for a, b in bounds)
            return [arithmetic.quantile(array, exact) for array in arrays]

        return self._compute_windows(quantiles)

    def _compute_windows(
        self, of: Callable[[Numbers, Bounds], list[Any]], *, is_sum: bool = False
    ) -> Windows:
        groups = self._find_groups()
        column_names = self._choose_columns()
        if self.is_column:
            return self._compute_column(self.frame[column_names[0]], groups, of, is_sum=is_sum)
        results: pd.DataFrame = self.frame[column_names].apply(
            lambda column: self._compute_column(column, groups, of, is_sum=is_sum)
        )
        return results

    def _compute_column(self, column: Any, groups: Any, of: Any, *, is_sum: bool) -> pd.Series[Any]:
        array: DecimalArray = column.array
        window_results: list[Any] = [None] * len(array)
        amounts = [None if amount is pd.NA else amount for amount in array]
        for window_rows in groups:
            bounds = self._find_bounds(window_rows)
            if is_sum and array.currencies:
                windows = np.zeros(len(array), dtype=np.int64) - 1
                windows[window_rows] = 0
                array.currencies.warn_of_sums(array.isna(), windows)
            group_values = [amounts[row_index] for row_index in window_rows]
            counts = [0, *accumulate(amount is not None for amount in group_values)]
            numbers = [amount for amount in group_values if amount is not None]
            count_min = self._count_required_rows()
            full = [
                (row_index, (counts[a], counts[b]))
                for row_index, (a, b) in zip(window_rows, bounds, strict=True)
                if counts[b] - counts[a] >= count_min
            ]
            results = of(numbers, [bound for _, bound in full])
            for (row_index, _), window_result in zip(full, results, strict=True):
                window_results[row_index] = window_result
        exact = DecimalArray(arithmetic.fit_quotients(window_results), array.currencies)
        return pd.Series(exact, index=column.index, name=column.name)

    def _count_required_rows(self) -> int:
        if self.min_periods is not None:
            return max(1, self.min_periods)
        return self.window if isinstance(self.window, int) else 1

    def _choose_columns(self) -> list[str]:
        exact = [n for n, kind in self.frame.dtypes.items() if isinstance(kind, DecimalDtype)]
        wrong = [name for name in self.columns or () if name not in exact]
        if wrong:
            raise ConfigError(f"{wrong[0]!r:.60} is not an exact column of the frame")
        return [str(name) for name in self.columns or exact]

    def _find_groups(self) -> list[Any]:
        """The positions of the rows of each group."""
        if self.by is None:
            return [np.arange(len(self.frame))]
        groups = self.frame.reset_index(drop=True).groupby(cast(Any, self.by), observed=True)
        return [np.sort(positions) for positions in groups.indices.values()]

    def _find_bounds(self, window_rows: Any) -> Bounds:
        """The first row of each window, and the row after its last."""
        ends = np.arange(1, len(window_rows) + 1)
        if isinstance(self.window, int):
            if self.window < 1:
                message = f"{self.window} is not a number of rows or a duration such as 7D"
                raise RuleError([Problem("window", message)])
            starts = np.maximum(0, ends - self.window)
        else:
            moments = self._read_moments()[window_rows]
            window_length = np.timedelta64(times.duration(self.window, "window"))
            starts = np.searchsorted(moments, moments - window_length, side="right")
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def _read_moments(self) -> Any:
        time_column = self.frame.index if self.on is None else self.frame[self.on]
        moments = pd.DatetimeIndex(pd.Series(time_column).to_numpy("datetime64[us]"))
        if not moments.is_monotonic_increasing:
            raise ConfigError('windows of a duration need rows in order: sort_values("created_at")')
        return moments.to_numpy()


def _sum_windows(values: Numbers, bounds: Bounds) -> list[Decimal]:
    totals = [Decimal(0), *accumulate(values, LIMIT.add)]
    return [LIMIT.subtract(totals[b], totals[a]) for a, b in bounds]


def _average_windows(values: Numbers, bounds: Bounds) -> list[Decimal]:
    sums = zip(_sum_windows(values, bounds), bounds, strict=True)
    return [divide(total, Decimal(b - a)) for total, (a, b) in sums]
