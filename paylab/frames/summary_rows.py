"""The rows of a summary: transfers or conversions with exact amounts and typed times."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors.base import ConfigError, ExactnessError
from ..files import unreadable_error
from . import decimals, times
from .summary_sql import AMOUNTS, COLUMNS, quote_name, sql_text

GLOB = re.compile(r"([*?\[])")  # DuckDB reads a path as a pattern
TYPES = {
    **dict.fromkeys(AMOUNTS, (pa.decimal128(18, 2), "decimal(18, 2)")),
    "completed_in": (pa.int64(), "bigint"),
    "created_at": (times.INSTANT, "timestamptz"),
}
WORD = pa.string(), "varchar"
CONVERSION = {
    "source_amount": "deposit_amount",
    "source_currency": "deposit_currency",
    "destination_amount": "payout_amount",
    "destination_currency": "payout_currency",
}


def prepare_rows(data: pd.DataFrame | pa.Table | None) -> pa.Table:
    """The data as a table with all columns of a summary; ExactnessError for inexact amounts."""
    table = _read_table(data)
    columns = {
        column_name: table[column_name] for column_name in table.column_names
    } | _rename_conversion_columns(table)
    for column_name in COLUMNS:
        columns[column_name] = _convert_column(
            column_name, columns.get(column_name), table.num_rows
        )
    product = getattr(data, "attrs", {}).get("filter", {}).get("product_type")
    if product and "product_type" not in table.column_names:
        columns["product_type"] = pa.repeat(product, table.num_rows)
    return pa.table(columns)


def parquet_rows(files: Sequence[str]) -> tuple[str | None, list[str]]:
    """SQL for the rows of Parquet files, and their columns; None if `prepared` is needed."""
    schemas = [_schema_of(file) for file in files]
    schema_kinds = {(frozenset(schema.names), *_amount_types(schema)) for schema in schemas}
    if len(schema_kinds) != 1 or not all(map(pa.types.is_decimal128, _amount_types(schemas[0]))):
        return None, []
    column_names = schemas[0].names
    if "deposit_amount" in column_names or "source_amount" not in column_names:
        return None, []
    absent = [name for name in COLUMNS if name not in column_names]
    nulls = "".join(f", null::{TYPES.get(name, WORD)[1]} as {name}" for name in absent)
    file_list = ", ".join(sql_text(GLOB.sub(r"[\1]", file)) for file in files)
    reader = f"read_parquet([{file_list}], hive_partitioning = false)"
    column_list = ", ".join(quote_name(name) for name in column_names)
    return f"(select {column_list}{nulls} from {reader})", [*column_names, *absent]  # noqa: S608 - quoted


def _schema_of(file: str) -> pa.Schema:
    try:
        return pq.read_schema(file)
    except (pa.ArrowException, OSError) as error:
        raise unreadable_error(file, "Parquet", error) from None


def _amount_types(schema: pa.Schema) -> list[pa.DataType]:
    return [schema.field(name).type for name in AMOUNTS if name in schema.names]


def _read_table(frame_or_table: pd.DataFrame | pa.Table | None) -> pa.Table:
    if frame_or_table is None:
        return pa.table({})
    if isinstance(frame_or_table, pa.Table):
        return frame_or_table
    if not isinstance(frame_or_table, pd.DataFrame):
        raise ConfigError(f"cannot summarise a {type(frame_or_table).__name__}")
    try:
        return pa.Table.from_pandas(frame_or_table, preserve_index=False)
    except pa.ArrowException as error:
        raise ExactnessError(f"a column cannot be read exactly: {error!s:.200}") from None


def _rename_conversion_columns(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """The columns of conversions, with the names of transfers."""
    if "deposit_amount" not in table.column_names:
        return {}
    measures = {name: table[of] for name, of in CONVERSION.items() if of in table.column_names}
    ends = [name for name in ("created_at", "payout_completed_at") if name in table.column_names]
    if len(ends) == 2:
        moments = (_typed_time(table[name], name) for name in ends)
        measures["completed_in"] = pc.seconds_between(*moments)
    return measures


def _convert_column(
    column_name: str, column: pa.ChunkedArray | None, row_count: int
) -> pa.ChunkedArray:
    if column is None or pa.types.is_null(column.type):
        return pa.chunked_array([pa.nulls(row_count, TYPES.get(column_name, WORD)[0])])
    if column_name in AMOUNTS:
        return _read_amounts(column, column_name)
    if column_name == "created_at":
        return _typed_time(column, column_name)
    if column_name == "completed_in" and _is_text(column):
        return decimals.join_seconds(
            [decimals.read_texts(column.cast(pa.string()), column_name)], column_name
        )
    return column


def _read_amounts(column: pa.ChunkedArray, column_name: str) -> pa.ChunkedArray:
    """A column as exact decimals of at most 38 digits; ExactnessError past that."""
    if _is_text(column) or pa.types.is_integer(column.type):
        column = decimals.read_decimals(column.cast(pa.string()), column_name)
    if not pa.types.is_decimal(column.type):
        raise ExactnessError(f"{column_name} holds {column.type}, which is not exact")
    if pa.types.is_decimal128(column.type):
        return column
    return decimals.read_decimals(decimals.write(column), column_name)


def _typed_time(column: pa.ChunkedArray, column_name: str) -> pa.ChunkedArray:
    if _is_text(column):
        return times.read_times(column.cast(pa.string()), column_name)
    return column.cast(times.INSTANT)


def _is_text(column: pa.ChunkedArray) -> bool:
    arrow_type = column.type
    if pa.types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))


def decode_categories(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Categories as text, also those of no row, so that all partitions have the same type."""
    if not pa.types.is_dictionary(column.type):
        return column
    value_type = column.type.value_type
    return column.cast(pa.string() if pa.types.is_null(value_type) else value_type)
