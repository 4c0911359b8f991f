"""Columns of a frame as text: amounts with the decimals of their currency, times as ISO 8601."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..spec.codes import minor_unit
from . import decimals, times
from .columns import find_currency_column


def csv_texts(table: pa.Table) -> pa.Table:
    """All columns as the text of a CSV file."""
    return pa.table(
        {column_name: csv_text(table, column_name) for column_name in table.column_names}
    )


def csv_text(table: pa.Table, column_name: str) -> pa.ChunkedArray:
    """A column as the text of a CSV file: amounts without an exponent, times as ISO 8601."""
    column = table[column_name]
    if pa.types.is_decimal(column.type):
        return amount_texts(table, column_name)
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return times.to_texts(column)
    is_words = pa.types.is_dictionary(column.type) or pa.types.is_large_string(column.type)
    return column.cast(pa.string()) if is_words else column


def amount_texts(table: pa.Table, amount_name: str) -> pa.ChunkedArray:
    """The amounts with the decimals of the currency in each row, and more only if needed.

    Amounts without a column of their currency have all decimals of their Arrow type.
    """
    full_texts = decimals.write(table[amount_name])
    currency_name = find_currency_column(amount_name)
    if currency_name not in table.column_names:
        return full_texts
    currencies = table[currency_name].cast(pa.string())
    places_by_currency = {
        currency: minor_unit(currency or "") for currency in pc.unique(currencies).to_pylist()
    }
    trimmed_texts = full_texts
    for decimal_places in sorted(set(places_by_currency.values())):
        currencies_with_places = [
            currency for currency, places in places_by_currency.items() if places == decimal_places
        ]
        places_mask = pc.is_in(currencies, value_set=pa.array(currencies_with_places, pa.string()))
        texts_at_places = decimals.trim_zeros(
            full_texts, table[amount_name].type.scale, decimal_places
        )
        trimmed_texts = pc.if_else(places_mask, texts_at_places, trimmed_texts)
    return trimmed_texts
