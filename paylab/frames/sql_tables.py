"""Tables of the databases that SQLAlchemy knows, by URL, engine or connection.

SQLite has no exact numbers: amounts are text there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ..errors.base import ConfigError
from ..errors.extras import extra_imports
from . import decimals
from .csv_text import amount_texts
from .table_columns import ID, TableColumn

BATCH_ROWS = 10_000  # rows per insert
IDS_MAX = 1_000  # ids per statement: a database limits its parameters
SQLITE = "sqlite"


class SqlTable:
    """A table of a connection of SQLAlchemy, in a transaction."""

    def __init__(self, connection: Any, name: str, schema: str | None) -> None:
        self._connection = connection
        self._name = name
        self._schema = schema

    def columns(self) -> dict[str, TableColumn] | None:
        """Its columns; None if there is no such table."""
        import sqlalchemy as sql

        inspector = sql.inspect(self._connection)
        if not inspector.has_table(self._name, schema=self._schema):
            return None
        columns = inspector.get_columns(self._name, schema=self._schema)
        return {column["name"]: _column_of(sql, column["type"]) for column in columns}

    def replace(self, rows: pa.Table) -> None:
        """Make it anew, with these rows."""
        table = self._table(rows)
        table.drop(self._connection, checkfirst=True)
        table.create(self._connection)
        self.insert(rows)

    def insert(self, rows: pa.Table) -> None:
        """Add rows."""
        table = self._table(rows)
        for batch in self._convert_for_storage(rows).to_batches(BATCH_ROWS):
            self._connection.execute(table.insert(), batch.to_pylist())

    def delete(self, rows: pa.Table) -> None:
        """Delete the rows that have the id of one of these."""
        table = self._table(rows)
        ids = rows[ID].to_pylist()
        for first_index in range(0, len(ids), IDS_MAX):
            chosen = table.c[ID].in_(ids[first_index : first_index + IDS_MAX])
            self._connection.execute(table.delete().where(chosen))

    def _convert_for_storage(self, rows: pa.Table) -> pa.Table:
        """The rows as the database stores them: amounts are text in SQLite."""
        if self._connection.dialect.name != SQLITE:
            return rows
        columns = [
            amount_texts(rows, name) if pa.types.is_decimal(rows[name].type) else rows[name]
            for name in rows.column_names
        ]
        return pa.table(columns, rows.column_names)

    def _table(self, rows: pa.Table) -> Any:
        import sqlalchemy as sql

        schema = self._convert_for_storage(rows.slice(0, 0)).schema
        columns = [sql.Column(field.name, _sql_type_of(sql, field.type)) for field in schema]
        return sql.Table(self._name, sql.MetaData(), *columns, schema=self._schema)


def _sql_type_of(sql: Any, arrow_type: pa.DataType) -> Any:
    if pa.types.is_decimal(arrow_type):
        return sql.DECIMAL(arrow_type.precision, arrow_type.scale)
    if pa.types.is_timestamp(arrow_type):
        return sql.DateTime(timezone=True)
    if pa.types.is_integer(arrow_type):
        return sql.BigInteger()
    if pa.types.is_floating(arrow_type):
        return sql.Double()
    return sql.Interval() if pa.types.is_duration(arrow_type) else sql.Text()


def _column_of(sql: Any, sql_type: Any) -> TableColumn:
    if isinstance(sql_type, sql.Float):
        return TableColumn("float")
    if isinstance(sql_type, sql.Numeric):
        return TableColumn("number", sql_type.precision, sql_type.scale)
    return TableColumn("text" if isinstance(sql_type, sql.String) else "other")


@contextmanager
def open_sql(target: Any, act: str = "written") -> Iterator[Any]:
    """A connection in a transaction, of a URL, an engine or a connection of yours."""
    with extra_imports():
        import sqlalchemy as sql
    engine = (
        _make_engine(sql, target) if isinstance(target, str) else getattr(target, "engine", target)
    )
    url = engine.url
    try:
        with _begin_transaction(target if not isinstance(target, str) else engine) as connection:
            yield connection
    except (sql.exc.SQLAlchemyError, ImportError) as error:
        message = str(getattr(error, "orig", None) or error)
        secret = str(url.password or "")
        hidden = message.replace(secret, "***") if secret else message
        first_line = hidden.strip().partition("\n")[0]
        database_name = url.render_as_string(hide_password=True)
        raise ConfigError(f"{database_name} cannot be {act}: {first_line:.200}") from None
    finally:
        if isinstance(target, str):
            engine.dispose()


def _make_engine(sql: Any, url: str) -> Any:
    try:
        return sql.create_engine(url, hide_parameters=True)
    except (sql.exc.NoSuchModuleError, ImportError) as error:
        raise ConfigError(f"the database URL needs a driver: {error}") from None
    except (sql.exc.SQLAlchemyError, ValueError):  # its text may contain the password
        raise ConfigError(
            "the database URL cannot be read: write postgresql://USER:PASSWORD@HOST:PORT/NAME, "
            "with %40 for @ and %2F for / in the password"
        ) from None


def _begin_transaction(target: Any) -> Any:
    """A connection in a transaction; that of a connection of yours, if there is one."""
    if not hasattr(target, "in_transaction"):
        return target.begin()
    return nullcontext(target) if target.in_transaction() else _begin_own_transaction(target)


@contextmanager
def _begin_own_transaction(connection: Any) -> Iterator[Any]:
    with connection.begin():
        yield connection


def query_sql(target: Any, query: str) -> pa.Table:
    """The result of a query: exact numbers, aware times, and text."""
    with open_sql(target, "read") as connection:
        query_result = connection.exec_driver_sql(query)
        column_names = list(query_result.keys())
        rows = query_result.fetchall()
    column_values = list(zip(*rows, strict=True)) or [() for _ in column_names]
    return pa.table([_make_column(list(cells)) for cells in column_values], column_names)


def _make_column(values: list[Any]) -> pa.ChunkedArray:
    present_values = [value for value in values if value is not None]
    if not present_values:
        return pa.chunked_array([pa.nulls(len(values), pa.string())])
    if all(isinstance(value, Decimal) for value in present_values):
        return decimals.from_numbers(values)
    if all(isinstance(value, datetime) for value in present_values):
        values = [value and _add_zone(value) for value in values]
    try:
        return pa.chunked_array([pa.array(values)])
    except pa.ArrowException:  # SQLite has values of several types in a column
        column_texts = [None if value is None else str(value) for value in values]
        return pa.chunked_array([pa.array(column_texts, pa.string())])


def _add_zone(instant: datetime) -> datetime:
    """A time without a zone is in UTC: SQLite keeps none."""
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
