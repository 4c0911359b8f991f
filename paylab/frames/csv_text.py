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
    texts = decimals.write(table[name])
    currency = currency_of(name)
    if currency not in table.column_names:
        return texts
    words = table[currency].cast(pa.string())
    units = {word: minor_unit(word or "") for word in pc.unique(words).to_pylist()}
    trimmed_texts = texts
    for places in sorted(set(units.values())):
        names = pa.array([word for word in units if units[word] == places], pa.string())
        trimmed = decimals.trim(texts, table[name].type.scale, places)
        trimmed_texts = pc.if_else(pc.is_in(words, value_set=names), trimmed, trimmed_texts)
    return trimmed_texts
