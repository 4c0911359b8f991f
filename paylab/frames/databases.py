"""Frames in tables of databases, and queries of them with exact types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..errors.base import (
    ConfigError,
    ExactnessError,
    FloatWarning,
    OptionError,
    Problem,
    warn_caller,
)
from ..errors.suggestions import find_nearest_name
from ..errors.text import plain
from .columns import ListName, Schema, find_schema, likeliest_schema
from .duckdb_tables import DuckTable, is_duckdb, open_duckdb, query_duckdb
from .parquet_files import make_frame
from .parquet_types import convert_frame_types
from .sql_tables import HAS_FLOATS, HAS_NUMBER_TEXTS, SqlTable, open_sql, query_sql
from .summary_sql import quote_name
from .table_columns import require_fitting, require_ids
from .unknown_columns import UnknownColumnWarning

IfExists = Literal["fail", "replace", "append", "upsert"]
MODES = ("fail", "replace", "append", "upsert")
TABLE_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)?")


def write_table(
    rows: pa.Table, target: object, table: str, if_exists: IfExists, schema: str | None
) -> int:
    """Write rows to a table of a database, all or none; return their number."""
    _check_arguments(table, if_exists)
    if if_exists == "upsert":
        require_ids(rows)
    typed_rows = convert_frame_types(rows, likeliest_schema(rows.column_names))
    with _open_table(target, table, schema) as database_table:
        column_by_name = database_table.columns()
        if column_by_name is not None and if_exists == "fail":
            raise ConfigError(
                f"there is a table {table} already: choose if_exists="
                '"replace", "append" or "upsert", or another name'
            )
        if column_by_name is None or if_exists == "replace":
            database_table.replace(typed_rows)
            return int(rows.num_rows)
        require_fitting(column_by_name, typed_rows, table)
        if if_exists == "upsert":
            database_table.delete(typed_rows)  # the old versions of these rows
        database_table.insert(typed_rows)
    return int(rows.num_rows)


def _check_arguments(table: str, if_exists: str) -> None:
    """OptionError for an unknown mode, or a name that no table should have."""
    if if_exists not in MODES:
        nearest_mode_name = find_nearest_name(str(if_exists), MODES)
        hint_text = f"; nearest: {nearest_mode_name}" if nearest_mode_name else ""
        message = f"{if_exists!r:.40} must be one of {', '.join(MODES)}{hint_text}"
        raise OptionError([Problem("if_exists", message)])
    if not table.strip() or not table.isprintable():
        raise OptionError([Problem("table", "must be a name without control characters")])


@contextmanager
def _open_table(target: object, table: str, schema: str | None) -> Iterator[DuckTable | SqlTable]:
    """A table of a database, in a transaction."""
    if is_duckdb(target):
        with open_duckdb(target) as connection:
            yield DuckTable(connection, table, schema)
    else:
        with open_sql(target) as connection:
            yield SqlTable(connection, table, schema)


@explain_arguments
def read_sql(query: str, target: object, kind: ListName | None = None) -> pd.DataFrame:
    """The rows of a table or of a query as a frame with exact types.

    `query` is the name of a table, or SQL. `target` is a DuckDB file or connection, or a URL,
    engine or connection of SQLAlchemy. Amounts are exact: also those that `to_database` wrote to
    SQLite, as text, and whole numbers. An amount that the database has as a float, in one row or in
    all, is an ExactnessError, also one that it computes, such as a sum in SQLite or an `avg` in
    DuckDB; under another name it warns, and so do amounts of SQLite under another name, which are
    text. Without a warning, `median` and quantiles of DuckDB are
    rounded to the decimals of the column, and what SQLite compares or orders goes by the letters of
    the text.

    >>> _ = frame.paylab.to_database("books.duckdb")
    >>> paylab.frames.read_sql("transfers", "books.duckdb")["source_amount"].dtype.name
    'decimal'
    """
    sql = query
    if TABLE_NAME.fullmatch(query):
        table_name = ".".join(map(quote_name, query.split(".")))
        sql = f"select * from {table_name}"  # noqa: S608 - quoted
    rows = query_duckdb(target, sql) if is_duckdb(target) else query_sql(target, sql)
    schema = find_schema(kind) if kind else likeliest_schema(rows.column_names)
    _check_floats(rows, schema)
    _warn_of_number_texts(rows)
    return make_frame(rows, schema)


def _check_floats(table: pa.Table, schema: Schema) -> None:
    """ExactnessError for an amount that is a float, in one row or all; else a FloatWarning.

    A column with a float in some rows is one of texts, about which there is no warning.
    """
    for field in table.schema:
        column_name = field.name
        is_floating = pa.types.is_floating(field.type)
        has_floats = is_floating or field.metadata == HAS_FLOATS
        if has_floats and schema.kind(column_name) == "amount":
            raise ExactnessError(
                f"{column_name} is a float in this database. If the query computes it, as a sum "
                "in SQLite or an avg in DuckDB, read the rows and compute in the frame; if the "
                "table has it, write the table again from exact amounts with "
                "frame.paylab.to_database. A cast to text would keep the wrong digits"
            )
        if is_floating:
            message = (
                f"{plain(column_name, 60)} is a float in this database: for an exact sum or mean "
                "of amounts that it computed, read the rows, and add them in the frame"
            )
            warn_caller(message, FloatWarning)


def _warn_of_number_texts(table: pa.Table) -> None:
    """Warn of columns with numbers as text whose name is not that of an amount."""
    for field in table.schema:
        if field.metadata == HAS_NUMBER_TEXTS:
            shown_name = plain(field.name, 60)
            warn_caller(
                f"SQLite returned the numbers of {shown_name} as text, as it stores amounts: to "
                f'compute or compare them, write frame["{shown_name}"].astype("decimal"); SQLite '
                "itself compares such a column by its letters, for example in max()",
                UnknownColumnWarning,
            )
