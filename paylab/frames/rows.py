"""Rows of any origin with the columns and types that a summary reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import ConfigError, ExactnessError
from . import decimals, times
from .measures import AMOUNTS, COLUMNS, quoted

GLOB = re.compile(r"([*?\[])")
MOST = 38  # digits of a decimal that DuckDB computes with
TYPES = {
    **dict.fromkeys(AMOUNTS, pa.decimal128(18, 2)),
    "completed_in": pa.int64(),
    "created_at": times.INSTANT,
}
CONVERSION = {
    "source_amount": "deposit_amount",
    "source_currency": "deposit_currency",
    "destination_amount": "payout_amount",
    "destination_currency": "payout_currency",
}


def prepared(data: pd.DataFrame | pa.Table | None) -> pa.Table:
    """A frame or a table with all the columns a summary reads, exact or an error."""
    table = _table(data)
    columns = {name: table[name] for name in table.column_names} | _of_conversions(table)
    for name in COLUMNS:
        columns[name] = _typed(name, columns.get(name), table.num_rows)
    product = getattr(data, "attrs", {}).get("filter", {}).get("product_type")
    if product and "product_type" not in table.column_names:
        columns["product_type"] = pa.repeat(product, table.num_rows)
    return pa.table({name: _plain(column) for name, column in columns.items()})


def parquet_rows(files: Sequence[str]) -> tuple[str | None, list[str]]:
    """SQL for the rows of Parquet files, and their columns; None when they need preparing."""
    schemas = [pq.read_schema(file) for file in files]
    if not schemas or not all(_ready(schema) for schema in schemas):
        return None, []
    names = schemas[0].names
    if any(_amount_types(schema) != _amount_types(schemas[0]) for schema in schemas):
        return None, []
    absent = [name for name in COLUMNS if name not in names]
    nulls = "".join(f", null::{_sql_type(name)} as {name}" for name in absent)
    listed = ", ".join(map(_literally, files))
    reader = f"read_parquet([{listed}], hive_partitioning = false)"
    wanted = ", ".join(quoted(name) for name in names)
    return f"(select {wanted}{nulls} from {reader})", [*names, *absent]  # noqa: S608 - quoted


def _literally(file: str) -> str:
    """A path as SQL that is not taken for a pattern."""
    escaped = GLOB.sub(r"[\1]", file)
    return "'" + escaped.replace("'", "''") + "'"


def _ready(schema: pa.Schema) -> bool:
    """Whether DuckDB can sum the amounts as they are."""
    types = [schema.field(name).type for name in AMOUNTS if name in schema.names]
    exact = all(pa.types.is_decimal128(kind) for kind in types)
    return exact and "deposit_amount" not in schema.names and "source_amount" in schema.names


def _amount_types(schema: pa.Schema) -> list[pa.DataType]:
    return [schema.field(name).type for name in AMOUNTS if name in schema.names]


def _sql_type(name: str) -> str:
    if name in AMOUNTS:
        return "decimal(18, 2)"
    return {"completed_in": "bigint", "created_at": "timestamptz"}.get(name, "varchar")


def _table(data: pd.DataFrame | pa.Table | None) -> pa.Table:
    if data is None:
        return pa.table({})
    if isinstance(data, pa.Table):
        return data
    if not isinstance(data, pd.DataFrame):
        raise ConfigError(f"cannot summarise a {type(data).__name__}")
    try:
        return pa.Table.from_pandas(data, preserve_index=False)
    except pa.ArrowException as error:
        raise ExactnessError(f"a column cannot be read exactly: {error!s:.200}") from None


def _of_conversions(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """The columns of conversions under the names transfers have."""
    if "deposit_amount" not in table.column_names:
        return {}
    found = {name: table[of] for name, of in CONVERSION.items() if of in table.column_names}
    ends = [name in table.column_names for name in ("created_at", "payout_completed_at")]
    if all(ends):
        begun, ended = (
            _typed_time(table[name], name) for name in ("created_at", "payout_completed_at")
        )
        found["completed_in"] = pc.seconds_between(begun, ended)
    return found


def _typed(name: str, column: pa.ChunkedArray | None, rows: int) -> pa.ChunkedArray:
    if column is None or pa.types.is_null(column.type):
        return pa.chunked_array([pa.nulls(rows, TYPES.get(name, pa.string()))])
    if name in AMOUNTS:
        return _amount(column, name)
    if name == "created_at":
        return _typed_time(column, name)
    if name == "completed_in" and _is_text(column):
        return decimals.read_seconds(column.cast(pa.string()), name)
    return column


def _amount(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    if _is_text(column) or pa.types.is_integer(column.type):
        column = decimals.read(column.cast(pa.string()), name)
    if not pa.types.is_decimal(column.type):
        raise ExactnessError(f"{name} holds {column.type}, which is not exact")
    if pa.types.is_decimal128(column.type):
        return column
    try:
        return column.cast(pa.decimal128(MOST, column.type.scale))
    except pa.ArrowInvalid:
        return decimals.within(column, name, MOST)


def _typed_time(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    if _is_text(column):
        return times.read(column.cast(pa.string()), name)
    return column.cast(times.INSTANT)


def _is_text(column: pa.ChunkedArray) -> bool:
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _plain(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Words as text: partitions whose dictionaries differ then have one type."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
