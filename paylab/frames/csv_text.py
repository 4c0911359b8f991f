"""Columns of a frame as text: amounts with the decimals of their currency, times as ISO 8601."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from ..spec.codes import minor_unit
from . import decimals, times
from .columns import currency_of


def csv_texts(table: pa.Table) -> pa.Table:
    """All columns as the text of a CSV file."""
    return pa.table({name: csv_text(table, name) for name in table.column_names})


def csv_text(table: pa.Table, name: str) -> pa.ChunkedArray:
    """A column as the text of a CSV file: amounts without an exponent, times as ISO 8601."""
    column = table[name]
    if pa.types.is_decimal(column.type):
        return amount_texts(table, name)
    if pa.types.is_timestamp(column.type) and column.type.tz:
        return times.to_texts(column)
    is_words = pa.types.is_dictionary(column.type) or pa.types.is_large_string(column.type)
    return column.cast(pa.string()) if is_words else column


def amount_texts(table: pa.Table, name: str) -> pa.ChunkedArray:
    """The amounts with the decimals of the currency in each row, and more only if needed."""
    amount_column = decimals.write(table[name])
    currency = currency_of(name)
    if currency not in table.column_names:
        return amount_column
    currency_column = table[currency].cast(pa.string())
    units = {word: minor_unit(word or "") for word in pc.unique(currency_column).to_pylist()}
    trimmed_texts = amount_column
    for decimal_places in sorted(set(units.values())):
        currency_names = pa.array(
            [word for word in units if units[word] == decimal_places], pa.string()
        )
        trimmed = decimals.trim(amount_column, table[name].type.scale, decimal_places)
        trimmed_texts = pc.if_else(
            pc.is_in(currency_column, value_set=currency_names), trimmed, trimmed_texts
        )
    return trimmed_texts
