"""Build typed columns of a frame from tables of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast

import pandas as pd
import pyarrow as pa

from . import decimals, times
from .columns import Kind, Schema, currency_of
from .currency_rows import CurrencyRows
from .decimal_array import DecimalArray

Series: TypeAlias = "pd.Series[Any]"
Typed = dict[str, Any]
Read = Callable[[pa.ChunkedArray, str, int], Any]
Join = Callable[[list[Any], str], Any]


class Columns:
    """Builds a frame: tables of text are added and typed.

    Only the width of decimals and the categories are determined at the end.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._parts: list[tuple[Typed, int]] = []
        self._rows = 0

    def add(self, texts: pa.Table) -> None:
        """Type some rows; ExactnessError names the row of an inexact amount."""
        typed_columns = {}
        for column_name in texts.column_names:
            read_column, _ = STEPS[self._schema.kind(column_name)]
            typed_columns[column_name] = read_column(texts[column_name], column_name, self._rows)
        self._parts.append((typed_columns, texts.num_rows))
        self._rows += texts.num_rows

    def series(self) -> dict[str, Series]:
        """All added rows as columns; absent ones are missing values."""
        column_names = list(dict.fromkeys(chain.from_iterable(part for part, _ in self._parts)))
        columns = {name: self._make_series(name) for name in column_names}
        note_currencies(columns)
        return columns

    def _make_series(self, column_name: str) -> Series:
        read_column, join = STEPS[self._schema.kind(column_name)]
        column_parts = [
            part.pop(column_name, None) or read_column(_make_nulls(rows), column_name, 0)
            for part, rows in self._parts
        ]
        joined = join(column_parts, column_name)
        del column_parts
        pa.default_memory_pool().release_unused()  # only one column at a time is held twice
        return joined if isinstance(joined, pd.Series) else series(joined)


def note_currencies(columns: Mapping[str, Series]) -> None:
    """Tell each amount the currency of its rows, so that sums over several of them warn."""
    currency_rows_of: dict[str, CurrencyRows] = {}
    for column_name, column in columns.items():
        currency = currency_of(column_name)
        if currency and currency in columns and isinstance(column.array, DecimalArray):
            currency_rows_of.setdefault(currency, CurrencyRows.of(columns[currency]))
            column.array.currencies = currency_rows_of[currency]


def _make_nulls(row_count: int) -> pa.ChunkedArray:
    return pa.chunked_array([pa.nulls(row_count, pa.string())])


def series(array: pa.ChunkedArray) -> Series:
    """A column in its final type: exact decimals, numpy times, else Arrow types."""
    if pa.types.is_decimal(array.type):
        return pd.Series(DecimalArray(array))
    if pa.types.is_timestamp(array.type):
        return cast(Series, array.to_pandas())
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def _chain_chunks(column_parts: Sequence[pa.ChunkedArray], _: str) -> pa.ChunkedArray:
    chunks = [chunk for part in column_parts for chunk in part.chunks]
    return pa.chunked_array([pa.concat_arrays(chunks)] if chunks else [], column_parts[0].type)


def _join_words(column_parts: list[pa.ChunkedArray], name: str) -> Series:
    codes = pa.chunked_array(
        [chunk for part in column_parts for chunk in part.chunks], column_parts[0].type
    )
    categories: Series = codes.unify_dictionaries().combine_chunks().to_pandas()
    return categories.cat.reorder_categories(sorted(categories.cat.categories))


def _keep_texts(column_texts: pa.ChunkedArray, _name: str, _start: int) -> pa.ChunkedArray:
    return column_texts


STEPS: dict[Kind, tuple[Read, Join]] = {
    "text": (_keep_texts, _chain_chunks),
    "list": (_keep_texts, _chain_chunks),
    "word": (lambda texts, _name, _start: texts.dictionary_encode(), _join_words),
    "amount": (decimals.read_texts, decimals.join),
    "time": (times.read_times, _chain_chunks),
    "seconds": (decimals.read_texts, decimals.join_seconds),
}
"""How to type the texts of some pages, and how to join the results."""
