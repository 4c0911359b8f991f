"""Sums of each amount per currency."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, ExactnessError
from .columns import find_currency_column
from .currency_rows import CurrencyRows
from .decimal_array import DecimalArray
from .decimal_dtype import DecimalDtype
from .entered_currencies import warn_of_other_currencies
from .exact_frame import ExactFrame
from .float_errors import name_error
from .frame_forms import with_named_index
from .typed_columns import add_known_currencies


@explain_arguments
def by_currency(frame: pd.DataFrame) -> pd.DataFrame:
    """The sum of each amount in each currency: a row per currency, missing where it has none.

    The currency of an amount is in its own column, that of `total_fee` in `fee_currency`. Your own
    columns are summed if they know their currency, as `frame["total_fee"] * 2` does; after a file
    or a database, only those with a column of currencies do: `own_amount` beside `own_currency`.
    Rates, and products and quotients of two columns or by one amount that knows its currency, do
    not know one and are left out. Amounts without a currency have a row of their own at the end,
    `NaN`. Amounts may be text or objects; ExactnessError for floats.

    >>> paylab.frames.by_currency(frame).index.name
    'currency'
    """
    named_frame = with_named_index(frame)
    _require_unique_names(named_frame)
    warn_of_other_currencies(named_frame)
    rows = add_known_currencies(named_frame)
    currencies_by_name = {
        column_name: currencies
        for column_name in rows.columns
        if (currencies := _find_currencies(rows, column_name)) is not None
    }
    if not currencies_by_name:
        raise ConfigError("the frame has no amount with a column of its currency")
    sums_by_name: dict[str, pd.Series[Any]] = {}
    for amount_name, own_currencies in currencies_by_name.items():
        amounts = _read_amounts(rows[amount_name])
        currencies = own_currencies.astype("string").str.upper()
        # A row without amount and currency adds nothing: it would only make the row `NaN`.
        is_counted = (amounts.notna() | currencies.notna()).to_numpy(bool)
        amount_groups = amounts[is_counted].groupby(currencies[is_counted].to_numpy(), dropna=False)
        # Without an amount, the sum is missing, and not 0.
        sums_by_name[amount_name] = amount_groups.sum(min_count=1)
    totals = ExactFrame(sums_by_name).sort_index()
    totals.index.name = "currency"
    row_currencies = CurrencyRows.of(pd.Series(totals.index))
    for column_index in range(totals.shape[1]):
        total_amounts = totals.iloc[:, column_index].array.__arrow_array__()
        totals.isetitem(column_index, DecimalArray(total_amounts, row_currencies))
    return totals


def _find_currencies(rows: pd.DataFrame, column_name: object) -> pd.Series[Any] | None:
    """The currency of each amount of a column; None for another column.

    It is in the column that the name of the amount leads to, else known to the amounts.
    """
    currency_name = find_currency_column(column_name) if isinstance(column_name, str) else None
    if currency_name in rows.columns:
        return rows[currency_name]
    currency_rows: CurrencyRows | None = getattr(rows[column_name].array, "currencies", None)
    if currency_rows is None or not currency_rows.names:
        return None
    return pd.Series(currency_rows.texts, rows.index)


def _read_amounts(column: Any) -> pd.Series[Any]:
    """The amounts of a column as exact decimals, without their own currencies.

    ExactnessError, with the name of the column, for floats.
    """
    try:
        amounts = column.astype(DecimalDtype()).array.__arrow_array__()
        return pd.Series(DecimalArray(amounts), column.index, name=column.name)
    except ExactnessError as error:
        raise name_error(error, column.name) from None


def _require_unique_names(rows: pd.DataFrame) -> None:
    """ConfigError for a name that two columns have."""
    repeated_names = rows.columns[rows.columns.duplicated()]
    if len(repeated_names):
        raise ConfigError(f"the frame has two columns {repeated_names[0]!r}: rename or drop one")
