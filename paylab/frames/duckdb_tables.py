"""Tables of DuckDB, in a file or a connection of yours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors.base import ConfigError
from ..errors.extras import extra_imports
from ..storage.addresses import is_url, one_sentence
from .summary_sql import quote_name
from .table_columns import TableColumn

DUCKDB_SUFFIXES = (".duckdb", ".ddb", ".db")
ROWS = "rows_of_frame"
COLUMNS_SQL = """
    select column_name, data_type, numeric_precision, numeric_scale from information_schema.columns
    where table_name = ? and table_schema = coalesce(?, current_schema())"""


def is_duckdb(target: object) -> bool:
    """Whether a target is a DuckDB file or connection, not a database of SQLAlchemy.

    ConfigError for anything else.
    """
    if is_url(target):
        return False
    if isinstance(target, str | os.PathLike):
        file_name = os.fspath(target)
        if Path(file_name).suffix.lower() not in DUCKDB_SUFFIXES:
            suffixes_text = ", ".join(DUCKDB_SUFFIXES)
            raise ConfigError(f"{file_name} is neither a database URL nor a {suffixes_text} file")
        return True
    if type(target).__name__ == "DuckDBPyConnection":
        return True
    if hasattr(target, "dialect"):
        return False
    raise ConfigError(
        "the database must be a URL such as postgresql://host/books, an engine or connection of "
        f"SQLAlchemy, or a DuckDB file or connection, not a {type(target).__name__}"
    )


class DuckTable:
    """A table of a DuckDB connection, in a transaction."""

    def __init__(self, connection: Any, name: str, schema: str | None) -> None:
        """Name the table; it need not exist."""
        self._connection = connection
        self._name = name
        self._schema = schema

    def columns(self) -> dict[str, TableColumn] | None:
        """Its columns; None if there is no such table."""
        column_rows = self._connection.execute(COLUMNS_SQL, [self._name, self._schema]).fetchall()
        column_by_name = {
            column_name: _describe_column(type_name, precision, decimal_places)
            for column_name, type_name, precision, decimal_places in column_rows
        }
        return column_by_name or None

    def replace(self, rows: pa.Table) -> None:
        """Create the table anew, with these rows."""
        self._execute_with_rows("create or replace table {table} as from {rows}", rows)

    def insert(self, rows: pa.Table) -> None:
        """Add rows; columns are matched by name."""
        self._execute_with_rows("insert into {table} by name from {rows}", rows)

    def delete(self, rows: pa.Table) -> None:
        """Delete the rows of the table that have the id of one of `rows`."""
        self._execute_with_rows("delete from {table} where id in (select id from {rows})", rows)

    def _execute_with_rows(self, sql: str, rows: pa.Table) -> None:
        """Execute SQL that reads the rows, by the name ROWS, and writes the table."""
        table_name = quote_name(self._name)
        if self._schema:
            table_name = f"{quote_name(self._schema)}.{table_name}"
        self._connection.register(ROWS, rows)
        try:
            self._connection.execute(sql.format(table=table_name, rows=ROWS))
        except Exception:
            with suppress(Exception):  # a second failure would hide the first
                self._connection.unregister(ROWS)
            raise
        self._connection.unregister(ROWS)


def _describe_column(
    type_name: str, precision: int | None, decimal_places: int | None
) -> TableColumn:
    """Describe a column of DuckDB by its type, such as DECIMAL(24,6)."""
    if type_name.startswith("DECIMAL"):
        return TableColumn("number", precision, decimal_places)
    if type_name in ("DOUBLE", "FLOAT", "REAL"):
        return TableColumn("float")
    return TableColumn("text" if type_name == "VARCHAR" else "other")


@contextmanager
def open_duckdb(target: Any, purpose: str = "written") -> Iterator[Any]:
    """A connection to a DuckDB file, in a transaction; a connection that is given stays open.

    ConfigError for an error of DuckDB. Its message says that the file cannot be "read" or
    "written": `purpose` is one of these words.
    """
    with extra_imports():
        import duckdb
    is_path = isinstance(target, str | os.PathLike)
    try:
        connection = duckdb.connect(os.fspath(target)) if is_path else target
        try:
            connection.execute("begin")
            yield connection
            connection.execute("commit")
        except BaseException:
            connection.execute("rollback")
            raise
        finally:
            if is_path:
                connection.close()
    except duckdb.Error as error:
        database_name = os.fspath(target) if is_path else "the DuckDB database"
        raise ConfigError(f"{database_name} cannot be {purpose}: {one_sentence(error)}") from None


def query_duckdb(target: Any, sql: str) -> pa.Table:
    """The result of a query; a file that does not exist is not created."""
    if isinstance(target, str | os.PathLike) and not Path(target).exists():
        raise ConfigError(f"there is no file {os.fspath(target)}")
    with open_duckdb(target, "read") as connection:
        return connection.sql(sql).to_arrow_table()
