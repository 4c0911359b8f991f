"""Sums of each amount per currency."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from .columns import currency_of
from .decimal_array import DecimalArray, DecimalDtype
from .frame import ExactFrame


@explain_arguments
def by_currency(frame: pd.DataFrame) -> pd.DataFrame:
    """The sum of each amount in each currency: a row per currency, missing where it has none.

    The currency of an amount is in its own column, that of `total_fee` in `fee_currency`.
    Amounts without a currency have a row of their own at the end, `NaN`.

    >>> paylab.frames.by_currency(frame).index.name
    'currency'
    """
    amounts = [
        str(amount_name) for amount_name in frame.columns if _is_amount(frame, str(amount_name))
    ]
    if not amounts:
        raise ConfigError("the frame has no amount with a column of its currency")
    sums: dict[str, pd.Series[Any]] = {}
    for amount_name in amounts:
        currency = frame[currency_of(amount_name) or ""].astype("string").str.upper()
        is_counted = (frame[amount_name].notna() | currency.notna()).to_numpy(bool)
        amounts_of_rows = frame.loc[is_counted, amount_name]
        currency_of_rows = currency[is_counted].to_numpy()
        sums[amount_name] = amounts_of_rows.groupby(currency_of_rows, dropna=False).sum(min_count=1)
    totals = ExactFrame(sums).sort_index()
    totals.index.name = "currency"
    for index in range(len(amounts)):
        totals.isetitem(index, DecimalArray(totals.iloc[:, index].array.__arrow_array__()))
    return totals


def _is_amount(frame: pd.DataFrame, column_name: str) -> bool:
    if column_name not in frame.columns or not isinstance(frame[column_name].dtype, DecimalDtype):
        return False
    return currency_of(column_name) in frame.columns
