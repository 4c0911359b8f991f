"""Sums of each amount per currency."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from .columns import find_currency_column
from .decimal_array import DecimalArray
from .decimal_dtype import DecimalDtype
from .exact_frame import ExactFrame


@explain_arguments
def by_currency(frame: pd.DataFrame) -> pd.DataFrame:
    """The sum of each amount in each currency: a row per currency, missing where it has none.

    The currency of an amount is in its own column, that of `total_fee` in `fee_currency`.
    Amounts without a currency have a row of their own at the end, `NaN`.

    >>> paylab.frames.by_currency(frame).index.name
    'currency'
    """
    column_names = [column_name for column_name in frame.columns if isinstance(column_name, str)]
    amount_names = [
        column_name for column_name in column_names if _has_currency(frame, column_name)
    ]
    if not amount_names:
        raise ConfigError("the frame has no amount with a column of its currency")
    sums: dict[str, pd.Series[Any]] = {}
    for amount_name in amount_names:
        currencies = frame[find_currency_column(amount_name) or ""].astype("string").str.upper()
        # A row without amount and currency adds nothing: it would only make the row `NaN`.
        is_counted = (frame[amount_name].notna() | currencies.notna()).to_numpy(bool)
        groups = frame.loc[is_counted, amount_name].groupby(
            currencies[is_counted].to_numpy(), dropna=False
        )
        sums[amount_name] = groups.sum(min_count=1)  # missing, not 0, without an amount
    totals = ExactFrame(sums).sort_index()
    totals.index.name = "currency"
    for column_index in range(len(amount_names)):
        # Without the currencies of the rows: a sum of totals is then no warning.
        total_amounts = totals.iloc[:, column_index].array.__arrow_array__()
        totals.isetitem(column_index, DecimalArray(total_amounts))
    return totals


def _has_currency(frame: pd.DataFrame, column_name: str) -> bool:
    """Whether a column has exact amounts, and another column their currency."""
    if not isinstance(frame[column_name].dtype, DecimalDtype):
        return False
    return find_currency_column(column_name) in frame.columns
