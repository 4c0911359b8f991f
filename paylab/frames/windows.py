"""Exact rolling windows: `frame.paylab.rolling(7)["source_amount"].sum()`.

pandas computes its windows with floats.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_float_dtype

from ..errors.base import ConfigError, OptionError, Problem
from ..errors.names import raise_unknown_attribute
from ..errors.suggestions import find_suggestion
from . import arithmetic, decimals, quantiles, times
from .currency_rows import CurrencyRows
from .currency_windows import find_window_currencies
from .decimal_array import DecimalArray
from .decimal_dtype import DecimalDtype
from .exact_operators import EXACT_CONTEXT, divide

Amounts = list[Decimal]
Bounds = list[tuple[int, int]]
Compute = Callable[[Amounts, Bounds], list[Any]]
"""Computes one result for each window of some amounts, of which none is missing."""
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
        return self._compute_windows(_sum_windows, warns=True)

    def mean(self) -> Windows:
        """The mean of each window; a quotient without end has 28 digits."""
        return self._compute_windows(_average_windows, warns=True)

    def min(self) -> Windows:
        """The smallest amount of each window."""
        return self._compute_windows(_find_minima)

    def max(self) -> Windows:
        """The largest amount of each window."""
        return self._compute_windows(_find_maxima)

    def median(self) -> Windows:
        """The exact median of each window."""
        return self.quantile(Decimal("0.5"))

    def quantile(self, share: Decimal | float) -> Windows:
        """An exact quantile of each window, with linear interpolation."""
        exact_share = Decimal(str(share))

        def compute_quantiles(amounts: Amounts, bounds: Bounds) -> list[Any]:
            windows = _sort_windows(amounts, bounds)
            return [quantiles.interpolate_quantile(window, exact_share) for window in windows]

        return self._compute_windows(compute_quantiles, warns=True)

    if not TYPE_CHECKING:  # mypy would allow every name

        def __getattr__(self, name: str) -> NoReturn:
            """AttributeError that says what to write for a window function of pandas."""
            has_pandas_name = hasattr(pd.core.window.Rolling, name) and not name.startswith("_")
            if has_pandas_name:
                float_code = f"amounts.astype(float).rolling({self.window!r}).{name}()"
                exact_names = "sum, mean, min, max, median and quantile"
                message = f"exact windows have {exact_names}, but no {name}: write {float_code}"
                raise AttributeError(message)
            raise_unknown_attribute(self, name)

    def _compute_windows(self, compute: Compute, *, warns: bool = False) -> Windows:
        """Compute the windows of each column; `warns` if windows of several currencies do."""
        rows_of_groups = self._find_groups()
        column_names = self._choose_columns()

        def compute_column(column: pd.Series[Any]) -> pd.Series[Any]:
            return self._compute_column(column, rows_of_groups, compute, warns=warns)

        if self.is_column:
            return compute_column(self.frame[column_names[0]])
        result_frame: pd.DataFrame = self.frame[column_names].apply(compute_column)
        return result_frame

    def _compute_column(
        self, column: Any, groups: list[Any], compute: Compute, *, warns: bool
    ) -> pd.Series[Any]:
        """The results of a column's windows, group by group, in the order of its rows."""
        amount_array: DecimalArray = column.array
        amounts = [None if amount is pd.NA else amount for amount in amount_array]
        results: list[Decimal | None] = [None] * len(amount_array)
        group_of_row = np.full(len(amount_array), -1, dtype=np.int64)  # -1 is no group
        for group_number, group_rows in enumerate(groups):
            group_of_row[group_rows] = group_number
            group_amounts = [amounts[row_index] for row_index in group_rows]
            group_results = self._compute_group(group_amounts, group_rows, compute)
            for row_index, row_result in zip(group_rows, group_results, strict=True):
                results[row_index] = row_result
        is_mean = compute is _average_windows
        values = arithmetic.fit_quotients(results) if is_mean else decimals.from_results(results)
        exact_array = DecimalArray(values)
        if amount_array.currencies:
            arrow_amounts = amount_array.__arrow_array__()
            if warns:
                amount_array.currencies.warn_of_sums(arrow_amounts, group_of_row)
                exact_array.currencies = self._find_currencies(amount_array, groups)
            else:  # one of the amounts
                exact_array.currencies = amount_array.currencies.of_chosen(
                    group_of_row, arrow_amounts, exact_array.__arrow_array__()
                )
        return pd.Series(exact_array, index=column.index, name=column.name)

    def _find_currencies(self, amount_array: Any, groups: list[Any]) -> CurrencyRows:
        """The currency of what each window adds."""
        start_positions: list[int] = []
        for group_rows in groups:
            first_position = len(start_positions)
            bounds = self._find_bounds(group_rows)
            start_positions += [first_position + window_start for window_start, _ in bounds]
        grouped_rows = np.concatenate([np.empty(0, dtype=np.int64), *groups])
        return find_window_currencies(
            amount_array.currencies,
            grouped_rows,
            np.array(start_positions, dtype=np.int64),
            amount_array.__arrow_array__(),
        )

    def _compute_group(
        self, amounts: Sequence[Decimal | None], group_rows: Any, compute: Compute
    ) -> list[Decimal | None]:
        """The result of each row of a group; None if its window has too few amounts."""
        present_amounts = [amount for amount in amounts if amount is not None]
        # How many amounts are present before each row: the bounds without missing amounts.
        present_counts = [0, *accumulate(amount is not None for amount in amounts)]
        bounds = [
            (present_counts[start], present_counts[end])
            for start, end in self._find_bounds(group_rows)
        ]
        amount_count_min = self._count_required_amounts()
        full_row_indexes = [
            row_index
            for row_index, (start, end) in enumerate(bounds)
            if end - start >= amount_count_min
        ]
        full_results = compute(
            present_amounts, [bounds[row_index] for row_index in full_row_indexes]
        )
        results: list[Decimal | None] = [None] * len(amounts)
        for row_index, row_result in zip(full_row_indexes, full_results, strict=True):
            results[row_index] = row_result
        return results

    def _count_required_amounts(self) -> int:
        """The fewest amounts of a window with a result: at least one, also for `min_periods=0`."""
        if self.min_periods is not None:
            return max(1, self.min_periods)
        return self.window if isinstance(self.window, int) else 1

    def _choose_columns(self) -> list[str]:
        """The exact columns of the frame, or those that are chosen of them."""
        dtypes = self.frame.dtypes
        exact_names = [
            str(name) for name, dtype in dtypes.items() if isinstance(dtype, DecimalDtype)
        ]
        for column_name in self.columns or ():
            if column_name not in exact_names:
                raise ConfigError(self._describe_inexact_column(column_name, exact_names))
        if not exact_names:
            raise ConfigError(f"the frame has no exact column: {self._describe_floats()}")
        return [str(name) for name in self.columns or exact_names]

    def _describe_inexact_column(self, column_name: str, exact_names: Sequence[str]) -> str:
        """What is wrong with a column that windows cannot have, and what to write."""
        message = f"{column_name!r:.60} is not an exact column of the frame"
        if column_name in self.frame and is_float_dtype(self.frame[column_name]):
            return f"{message}, it has floats: {self._describe_floats()}"
        suggestion = find_suggestion(str(column_name), exact_names)
        hint_text = (
            f"use {suggestion}" if suggestion else f"it has {', '.join(exact_names) or 'none'}"
        )
        return f"{message}: {hint_text}"

    def _describe_floats(self) -> str:
        """What to write for windows of floats, and for exact ones."""
        return f'write frame.rolling({self.window!r}) for floats, or make it with amounts="exact"'

    def _find_groups(self) -> list[Any]:
        """The positions of the rows of each group."""
        if self.by is None:
            return [np.arange(len(self.frame))]
        grouped_rows = self.frame.reset_index(drop=True).groupby(cast(Any, self.by), observed=True)
        return [np.sort(positions) for positions in grouped_rows.indices.values()]

    def _find_bounds(self, group_rows: Any) -> Bounds:
        """The first row of each window, and the row after its last, counted within the group."""
        end_indexes = np.arange(1, len(group_rows) + 1)  # a window ends with its own row
        if isinstance(self.window, int):
            if self.window < 1:
                message = f"{self.window} is not a number of rows or a duration such as 7D"
                raise OptionError([Problem("window", message)])
            start_indexes = np.maximum(0, end_indexes - self.window)
        else:
            row_times = self._read_row_times()[group_rows]
            window_length = np.timedelta64(times.read_timedelta(self.window, "window"))
            start_indexes = np.searchsorted(row_times, row_times - window_length, side="right")
        return list(zip(start_indexes.tolist(), end_indexes.tolist(), strict=True))

    def _read_row_times(self) -> Any:
        """The time of each row; ConfigError if a row is older than the row before it."""
        time_column = self.frame.index if self.on is None else self.frame[self.on]
        if not is_datetime64_any_dtype(time_column):
            place_text = "the index" if self.on is None else repr(self.on)
            message = (
                f'windows of a duration need times, and {place_text} has none: on="created_at"'
            )
            raise ConfigError(message)
        row_times = pd.DatetimeIndex(pd.Series(time_column).to_numpy("datetime64[us]"))
        if not row_times.is_monotonic_increasing:
            sorting_code = "sort_index()" if self.on is None else f'sort_values("{self.on}")'
            raise ConfigError(
                f"windows of a duration need rows in order: write frame.{sorting_code}"
            )
        return row_times.to_numpy()


def _sum_windows(amounts: Amounts, bounds: Bounds) -> list[Decimal]:
    totals = [Decimal(0), *accumulate(amounts, EXACT_CONTEXT.add)]
    return [
        EXACT_CONTEXT.subtract(totals[window_end], totals[window_start])
        for window_start, window_end in bounds
    ]


def _average_windows(amounts: Amounts, bounds: Bounds) -> list[Decimal]:
    sums = _sum_windows(amounts, bounds)
    sizes = [Decimal(window_end - window_start) for window_start, window_end in bounds]
    return list(map(divide, sums, sizes))


def _find_minima(amounts: Amounts, bounds: Bounds) -> list[Decimal]:
    return [window[0] for window in _sort_windows(amounts, bounds)]


def _find_maxima(amounts: Amounts, bounds: Bounds) -> list[Decimal]:
    return [window[-1] for window in _sort_windows(amounts, bounds)]


def _sort_windows(amounts: Amounts, bounds: Bounds) -> Iterator[Amounts]:
    """Yield the ascending amounts of each window.

    It is always the same list, changed for the next window. Neither the start nor the end of a
    window is before the start or end of the window before it.
    """
    plain_amounts = [Decimal(amount) for amount in amounts]  # which compare faster
    window_amounts: Amounts = []
    window_start = window_end = 0
    for start, end in bounds:
        for amount in plain_amounts[window_end:end]:
            insort(window_amounts, amount)
        for amount in plain_amounts[window_start:start]:
            del window_amounts[bisect_left(window_amounts, amount)]
        window_start, window_end = start, end
        yield window_amounts
