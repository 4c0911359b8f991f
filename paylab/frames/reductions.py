"""Sums, means, extremes and statistics of an exact column."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from . import arithmetic
from .currency_rows import CurrencyRows, name_one, warn_of_currencies
from .currency_windows import find_running_currencies
from .exact_decimal import make_element

Column: TypeAlias = Any
"""A `DecimalArray`, which imports this module."""
ADDED = ("sum", "mean", "median", "cumsum", *arithmetic.INEXACT_REDUCTIONS)
"""What adds amounts, and so warns of several currencies."""


def reduce_column(  # noqa: PLR0913 - the options of pandas
    column: Column,
    name: str,
    *,
    skipna: bool,
    keepdims: bool = False,
    min_count: int = 0,
    ddof: int = 1,
    **_: object,
) -> Any:
    """The result of a reduction such as "sum": an element that knows its currency, or `pd.NA`.

    It is a float for `std` and other statistics, and a position for `argmax`. With `keepdims` it is
    a column of one row. Without `skipna`, it is missing if an amount is.
    """
    if name in ("argmin", "argmax"):
        position = getattr(column, name)(skipna=skipna)
        return np.array([position]) if keepdims else position
    added_currencies: list[str] = []
    if column.currencies and name in ADDED:
        added_currencies = column.currencies.find_added(column._values)
        warn_of_currencies(added_currencies)
    result = None
    if skipna or not column._values.null_count:
        result = _reduce_amounts(column, name, min_count, ddof)
    if isinstance(result, Decimal):
        result = make_element(result, name_one(added_currencies))
        if column.currencies and name in ("min", "max"):
            result = _find_element(column, result)
    if not keepdims:
        return pd.NA if result is None else result
    if isinstance(result, Decimal) or result is None:
        return column._from_sequence([result])
    return pd.array([result], type(result))  # of a float, or of true or false


def run_column(
    column: Column, name: str, *, skipna: bool
) -> tuple[pa.Array | pa.ChunkedArray, CurrencyRows | None]:
    """The running sums, products or extremes of a column, and their currencies."""
    running_amounts = arithmetic.compute_running(column._values, name, skipna=skipna)
    one_group = np.zeros(len(column), dtype=np.int64)
    currencies = find_running_currencies(
        column.currencies, name, one_group, column._values, running_amounts
    )
    return running_amounts, currencies


def _reduce_amounts(column: Column, name: str, min_count: int, ddof: int) -> Any:
    """The result without its currency; None for fewer than `min_count` amounts."""
    if name not in arithmetic.INEXACT_REDUCTIONS:
        return arithmetic.reduce_numbers(column._values, name, min_count)
    compute_statistic = getattr(pd.Series(column.to_numpy(float)), name)
    has_ddof = name not in ("skew", "kurt")
    return compute_statistic(ddof=ddof) if has_ddof else compute_statistic()


def _find_element(column: Column, amount: Decimal) -> Any:
    """The first element that is this amount, which knows the currency of its row."""
    position = pc.index(column._values, pa.scalar(amount, column._values.type)).as_py()
    return column[position]
