"""The currencies of amounts in a frame in which columns or cells are set, or rows are added."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import pandas as pd

from ..errors.base import warn_caller
from .columns import find_currency_column
from .currency_rows import CurrencyRows, CurrencyWarning
from .decimal_dtype import DecimalDtype


def note_entered_currencies(frame: pd.DataFrame, entered_names: Collection[str]) -> None:
    """Give amounts the currencies of a frame in which columns were set.

    A new column of currencies counts for all its amounts. A new amount that knows no currency gets
    that of its row.
    """
    if not any(name.endswith("currency") or find_currency_column(name) for name in entered_names):
        return
    for amount_name, currency_name in _list_amounts(frame, entered_names):
        column_array: Any = frame[amount_name].array
        is_new_amount = amount_name in entered_names and _has_unknown_currency(column_array)
        if is_new_amount or currency_name in entered_names:
            try:
                currency_rows = CurrencyRows.of(frame[currency_name])
            except (TypeError, UnicodeError):  # lists, or text that is none: no currencies
                continue
            array_class = type(column_array)
            array_with_currencies = array_class(column_array.__arrow_array__(), currency_rows)
            position: Any = frame.columns.get_loc(amount_name)
            frame.isetitem(position, array_with_currencies)


def warn_of_other_currencies(frame: pd.DataFrame) -> None:
    """Warn of amounts in another currency than the column of their currencies says.

    They were set into their rows from others, and would be added to amounts of that currency.
    """
    for amount_name, currency_name, other_names in _find_other_currencies(frame):
        warn_caller(
            f"{amount_name} has amounts in {', '.join(sorted({*other_names}))} in rows with "
            f"another {currency_name}, in which they are added: set {currency_name} too",
            CurrencyWarning,
        )


def warn_of_written_currencies(frame: pd.DataFrame) -> None:
    """Warn of such amounts that are written, since they are read in the currency of their row."""
    for amount_name, currency_name, other_names in _find_other_currencies(frame):
        warn_caller(
            f"{amount_name} has amounts in {', '.join(sorted({*other_names}))} in rows with "
            f"another {currency_name}, in which they are written (rows: {len(other_names)}): set "
            f"{currency_name} too",
            CurrencyWarning,
        )


def _find_other_currencies(frame: pd.DataFrame) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each amount that has others than its currencies: its name, theirs, and the others."""
    row_currencies_by_name: dict[str, CurrencyRows] = {}
    for amount_name, currency_name in _list_amounts(frame, [*map(str, frame.columns)]):
        column_array: Any = frame[amount_name].array
        if column_array.currencies is None:
            continue
        if currency_name not in row_currencies_by_name:
            try:
                row_currencies_by_name[currency_name] = CurrencyRows.of(frame[currency_name])
            except (TypeError, UnicodeError):  # lists, or text that is none: no currencies
                continue
        row_currencies = row_currencies_by_name[currency_name]
        other_names = column_array.currencies.find_others(
            row_currencies, column_array.__arrow_array__()
        )
        if other_names:
            yield amount_name, currency_name, other_names


def _list_amounts(frame: pd.DataFrame, entered_names: Collection[str]) -> list[tuple[str, str]]:
    """The names of amounts that were set, or whose currencies were, each with its currencies'."""
    if not frame.columns.is_unique:
        return []
    pairs = []
    for name in frame.columns:
        currency_name = find_currency_column(name) if isinstance(name, str) else None
        is_entered = name in entered_names or currency_name in entered_names
        has_currency = is_entered and currency_name in frame.columns
        if has_currency and isinstance(frame[name].dtype, DecimalDtype):
            pairs.append((name, str(currency_name)))
    return pairs


def _has_unknown_currency(array: Any) -> bool:
    """Whether an amount of a column is in an unknown currency."""
    currencies: CurrencyRows | None = array.currencies
    if currencies is None:
        return True
    is_unknown = currencies.name_indexes < 0
    return bool(is_unknown.any() and (is_unknown & ~array.isna()).any())
