"""The rows of a summary: transfers or conversions with exact amounts and typed times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors.base import ConfigError, ExactnessError
from ..files import unreadable_error
from . import decimals, times
from .frame_forms import as_table, with_named_index
from .summary_sql import AMOUNT_COLUMNS, SUMMARIZED_COLUMNS, quote_name, sql_text
from .typed_columns import add_known_currencies, has_texts, read_exactly

GLOB = re.compile(r"([*?\[])")  # DuckDB reads a path as a pattern
# The type of a column in Arrow and in SQL; another column is a `WORD`.
TYPE_BY_COLUMN = {
    **dict.fromkeys(AMOUNT_COLUMNS, (pa.decimal128(18, 2), "decimal(18, 2)")),
    "completed_in": (pa.int64(), "bigint"),
    "created_at": (times.INSTANT, "timestamptz"),
}
WORD = pa.string(), "varchar"
CONVERSION_NAMES = {
    "source_amount": "deposit_amount",
    "source_currency": "deposit_currency",
    "destination_amount": "payout_amount",
    "destination_currency": "payout_currency",
}


def prepare_rows(data: pd.DataFrame | pa.Table | None) -> pa.Table:
    """The data as a table with all columns of a summary; ExactnessError for inexact amounts."""
    rows_table = _read_table(data)
    column_by_name = {field_name: rows_table[field_name] for field_name in rows_table.column_names}
    column_by_name |= _rename_conversion_columns(rows_table)
    for column_name in SUMMARIZED_COLUMNS:
        column = column_by_name.get(column_name)
        column_by_name[column_name] = _convert_column(column_name, column, rows_table.num_rows)
    # A list that was filtered by product has rows of this product, which does not stand in them.
    product_type = getattr(data, "attrs", {}).get("filter", {}).get("product_type")
    if product_type and "product_type" not in rows_table.column_names:
        column_by_name["product_type"] = pa.repeat(product_type, rows_table.num_rows)
    return pa.table(column_by_name)


def write_rows_sql(files: Sequence[str]) -> tuple[str | None, list[str]]:
    """SQL for the rows of Parquet files, and the names of its columns.

    The result is None and no names if only `prepare_rows` can read the files: they have several
    types, other decimals or conversions, or there are none.
    """
    schemas = [_read_schema(file_path) for file_path in files]
    schema_kinds = {(frozenset(schema.names), *_list_amount_types(schema)) for schema in schemas}
    if len(schema_kinds) != 1:
        return None, []
    if not all(map(pa.types.is_decimal128, _list_amount_types(schemas[0]))):
        return None, []
    column_names = schemas[0].names
    if "deposit_amount" in column_names or "source_amount" not in column_names:
        return None, []
    missing_names = [
        column_name for column_name in SUMMARIZED_COLUMNS if column_name not in column_names
    ]
    nulls_sql = "".join(
        f", null::{TYPE_BY_COLUMN.get(column_name, WORD)[1]} as {column_name}"
        for column_name in missing_names
    )
    files_sql = ", ".join(sql_text(GLOB.sub(r"[\1]", file_path)) for file_path in files)
    reader_sql = f"read_parquet([{files_sql}], hive_partitioning = false)"
    names_sql = ", ".join(map(quote_name, column_names))
    rows_sql = f"(select {names_sql}{nulls_sql} from {reader_sql})"  # noqa: S608 - quoted
    return rows_sql, [*column_names, *missing_names]


def _read_schema(file: str) -> pa.Schema:
    """The types of the columns of a Parquet file; ConfigError if it cannot be read."""
    try:
        return pq.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        raise unreadable_error(file, "Parquet", error) from None


def _list_amount_types(schema: pa.Schema) -> list[pa.DataType]:
    """The types of the amounts that the columns have."""
    return [
        schema.field(amount_name).type
        for amount_name in AMOUNT_COLUMNS
        if amount_name in schema.names
    ]


def _read_table(frame_or_table: pd.DataFrame | pa.Table | None) -> pa.Table:
    """The data as a table, empty for None; ConfigError for anything else."""
    if frame_or_table is None:
        return pa.table({})
    if isinstance(frame_or_table, pa.Table):
        return frame_or_table
    if not isinstance(frame_or_table, pd.DataFrame):
        type_name = type(frame_or_table).__name__
        raise ConfigError(f"a summary is of a DataFrame or an Arrow table, not of {type_name}")
    try:
        return as_table(add_known_currencies(with_named_index(frame_or_table)))
    except pa.ArrowException as error:
        raise ExactnessError(f"a column cannot be read exactly: {error!s:.200}") from None


def _rename_conversion_columns(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """The columns of conversions, with the names of transfers; none for transfers."""
    column_names = table.column_names
    if "deposit_amount" not in column_names:
        return {}
    column_by_transfer_name = {
        transfer_name: table[conversion_name]
        for transfer_name, conversion_name in CONVERSION_NAMES.items()
        if conversion_name in column_names
    }
    if "created_at" in column_names and "payout_completed_at" in column_names:
        created_times = _convert_times(table["created_at"], "created_at")
        completed_times = _convert_times(table["payout_completed_at"], "payout_completed_at")
        column_by_transfer_name["completed_in"] = _count_seconds(created_times, completed_times)
    return column_by_transfer_name


def _count_seconds(begin: pa.ChunkedArray, end: pa.ChunkedArray) -> pa.ChunkedArray:
    """The exact seconds between two columns of times: integers, or decimals if one is not whole."""
    microseconds = pc.microseconds_between(begin, end).cast(pa.decimal128(19, 0))
    seconds = pc.multiply(microseconds, pa.scalar(Decimal("0.000001"), pa.decimal128(6, 6)))
    return decimals.join_seconds([seconds], "completed_in")


def _convert_column(
    column_name: str, column: pa.ChunkedArray | None, row_count: int
) -> pa.ChunkedArray:
    """A column in the type that a summary needs; missing values if the data do not have it."""
    if column is None or pa.types.is_null(column.type):
        return pa.chunked_array([pa.nulls(row_count, TYPE_BY_COLUMN.get(column_name, WORD)[0])])
    if column_name in AMOUNT_COLUMNS:
        return read_exactly(column, column_name)
    if column_name == "created_at":
        return _convert_times(column, column_name)
    if column_name == "completed_in" and has_texts(column):
        seconds = decimals.read_texts(column.cast(pa.string()), column_name)
        return decimals.join_seconds([seconds], column_name)
    return column


def _convert_times(column: pa.ChunkedArray, column_name: str) -> pa.ChunkedArray:
    """Texts or times as times in UTC."""
    if has_texts(column):
        return times.read_times(column.cast(pa.string()), column_name)
    return column.cast(times.INSTANT)


def decode_categories(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Categories as their plain values; any other column is unchanged.

    A column without any category becomes text, so that all partitions have the same type.
    """
    if not pa.types.is_dictionary(column.type):
        return column
    value_type = column.type.value_type
    return column.cast(pa.string() if pa.types.is_null(value_type) else value_type)
