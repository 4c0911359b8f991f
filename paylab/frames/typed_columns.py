"""Build typed columns of a frame from tables of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast

import pandas as pd
import pyarrow as pa

from ..errors.base import ExactnessError
from . import decimals, times
from .columns import Kind, Schema, find_currency_column
from .currency_rows import CurrencyRows
from .decimal_array import DecimalArray

Series: TypeAlias = "pd.Series[Any]"
TypedColumns = dict[str, Any]
Read = Callable[[pa.ChunkedArray, str, int], Any]
Join = Callable[[list[Any], str], Any]


class Columns:
    """Builds a frame: tables of text are added and typed.

    Only the width of decimals and the categories are determined at the end.
    """

    def __init__(self, schema: Schema) -> None:
        """Start without rows; `schema` has the kinds of the columns."""
        self._schema = schema
        self._batches: list[tuple[TypedColumns, int]] = []
        """Typed columns by name, and the number of their rows."""
        self._row_count = 0

    def add(self, texts: pa.Table) -> None:
        """Type some rows; ExactnessError names the row of an inexact amount."""
        column_by_name = {}
        for column_name in texts.column_names:
            read_column, _ = COLUMN_BUILDERS[self._schema.kind(column_name)]
            column_by_name[column_name] = read_column(
                texts[column_name], column_name, self._row_count
            )
        self._batches.append((column_by_name, texts.num_rows))
        self._row_count += texts.num_rows

    def series(self) -> dict[str, Series]:
        """All added rows as columns; absent ones are missing values."""
        names_of_batches = (column_by_name.keys() for column_by_name, _ in self._batches)
        column_names = list(dict.fromkeys(chain.from_iterable(names_of_batches)))
        series_by_name = {
            column_name: self._make_series(column_name) for column_name in column_names
        }
        note_currencies(series_by_name)
        return series_by_name

    def _make_series(self, column_name: str) -> Series:
        """Join the parts of a column, and forget them."""
        read_column, join_columns = COLUMN_BUILDERS[self._schema.kind(column_name)]
        column_parts = []
        for column_by_name, row_count in self._batches:
            column_part = column_by_name.pop(column_name, None)  # its memory is free after the join
            if column_part is None:
                column_part = read_column(_make_nulls(row_count), column_name, 0)
            column_parts.append(column_part)
        joined_column = join_columns(column_parts, column_name)
        del column_part, column_parts
        pa.default_memory_pool().release_unused()  # only one column at a time is held twice
        return joined_column if isinstance(joined_column, pd.Series) else series(joined_column)


def note_currencies(columns: Mapping[str, Series]) -> None:
    """Tell each amount the currency of its rows, so that sums over several of them warn."""
    currencies_by_column: dict[str, CurrencyRows] = {}
    for column_name, column in columns.items():
        currency_name = find_currency_column(column_name)
        if currency_name is None or currency_name not in columns:
            continue
        if not isinstance(column.array, DecimalArray):
            continue
        if currency_name not in currencies_by_column:
            currencies_by_column[currency_name] = CurrencyRows.of(columns[currency_name])
        column.array.currencies = currencies_by_column[currency_name]


def add_known_currencies(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the columns of currencies that it lacks, where its amounts know them.

    So amounts that were selected without their currency are not added across currencies.
    """
    currencies_by_column: dict[str, Series] = {}
    for position, column_name in enumerate(frame.columns):
        currency_name = find_currency_column(str(column_name))
        if currency_name is None or currency_name in frame.columns:
            continue
        currency_rows = getattr(frame.iloc[:, position].array, "currencies", None)
        if currency_rows:
            currencies_by_column[currency_name] = pd.Series(currency_rows.texts, frame.index)
    return frame.assign(**currencies_by_column) if currencies_by_column else frame


def read_exactly(column: pa.ChunkedArray, column_name: str) -> pa.ChunkedArray:
    """Texts, whole numbers or decimals as exact decimals of at most 38 digits.

    ExactnessError for a number with more digits, and for numbers in floats or in another type.
    """
    arrow_type = column.type
    value_type = arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type
    has_no_number = column.null_count == len(column)
    if has_no_number or has_texts(column) or pa.types.is_integer(value_type):
        return decimals.read_decimals(column.cast(pa.string()), column_name)
    if not pa.types.is_decimal(arrow_type):
        raise ExactnessError(
            f"{column_name} holds {arrow_type}, which is not exact: write it as text or as decimals"
        )
    if pa.types.is_decimal128(arrow_type):
        return column
    return decimals.read_decimals(decimals.write(column), column_name)


def has_texts(column: pa.ChunkedArray) -> bool:
    """Whether a column has texts, also as the words of a category."""
    arrow_type = column.type
    if pa.types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    text_types = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(is_type(arrow_type) for is_type in text_types)


def _make_nulls(row_count: int) -> pa.ChunkedArray:
    """Texts that are all missing."""
    return pa.chunked_array([pa.nulls(row_count, pa.string())])


def series(array: pa.ChunkedArray) -> Series:
    """A column in its final type: exact decimals, numpy times, categories, else Arrow types."""
    if pa.types.is_decimal(array.type):
        return pd.Series(DecimalArray(array))
    if pa.types.is_timestamp(array.type):
        return cast(Series, array.to_pandas())
    if pa.types.is_dictionary(array.type):
        return cast(Series, array.unify_dictionaries().combine_chunks().to_pandas())
    return pd.Series(pd.arrays.ArrowExtensionArray(array))


def _chain_chunks(column_parts: Sequence[pa.ChunkedArray], _name: str) -> pa.ChunkedArray:
    """The parts, which have one type, as one column."""
    chunks = [chunk for column_part in column_parts for chunk in column_part.chunks]
    return pa.chunked_array([pa.concat_arrays(chunks)] if chunks else [], column_parts[0].type)


def _join_words(column_parts: list[pa.ChunkedArray], name: str) -> Series:
    """The parts as one column of categories, in alphabetical order."""
    encoded_words = pa.chunked_array(
        [chunk for column_part in column_parts for chunk in column_part.chunks],
        column_parts[0].type,
    )
    category_series: Series = encoded_words.unify_dictionaries().combine_chunks().to_pandas()
    distinct_words = cast(pd.Categorical, category_series.array).categories
    sorted_words = sorted(distinct_words)
    # So are those of most small frames, and pandas takes long.
    if sorted_words == list(distinct_words):
        return category_series
    return category_series.cat.reorder_categories(sorted_words)


def _keep_texts(column_texts: pa.ChunkedArray, _name: str, _start: int) -> pa.ChunkedArray:
    """The texts of a column that has texts, unchanged."""
    return column_texts


COLUMN_BUILDERS: dict[Kind, tuple[Read, Join]] = {
    "text": (_keep_texts, _chain_chunks),
    "list": (_keep_texts, _chain_chunks),
    "word": (lambda texts, _name, _start: texts.dictionary_encode(), _join_words),
    "amount": (decimals.read_texts, decimals.join),
    "time": (times.read_times, _chain_chunks),
    "seconds": (decimals.read_texts, decimals.join_seconds),
}
"""By kind: how to read the texts of some pages, and how to join the results to a column."""
