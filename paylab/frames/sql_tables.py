"""Tables of the databases that SQLAlchemy knows, by URL, engine or connection.

SQLite has no exact numbers: amounts are text there, of a declared type that says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import ConfigError
from ..errors.extras import extra_imports
from . import decimals
from .csv_text import amount_texts
from .table_columns import ID, TableColumn

BATCH_ROWS = 10_000  # rows per insert
IDS_MAX = 1_000  # ids per statement: a database limits its parameters
HAS_FLOATS = {b"has_floats": b"yes"}
HAS_NUMBER_TEXTS = {b"has_number_texts": b"yes"}
SQLITE = "sqlite"
SQLITE_AMOUNT = "DECIMAL_TEXT"
"""The declared type of amounts in SQLite, which stores any type with TEXT in its name as text."""


class SqlTable:
    """A table of a connection of SQLAlchemy, in a transaction."""

    def __init__(self, connection: Any, name: str, schema: str | None) -> None:
        """Name the table; it need not exist."""
        self._connection = connection
        self._name = name
        self._schema = schema

    def columns(self) -> dict[str, TableColumn] | None:
        """Its columns; None if there is no such table."""
        import sqlalchemy as sql

        inspector = sql.inspect(self._connection)
        if not inspector.has_table(self._name, schema=self._schema):
            return None
        raw_columns = inspector.get_columns(self._name, schema=self._schema)
        dialect_name = self._connection.dialect.name
        return {
            column["name"]: _describe_column(sql, column["type"], dialect_name)
            for column in raw_columns
        }

    def replace(self, rows: pa.Table) -> None:
        """Create the table anew, with these rows."""
        sql_table = self.make_table(rows)
        sql_table.drop(self._connection, checkfirst=True)
        sql_table.create(self._connection)
        self.insert(rows)

    def insert(self, rows: pa.Table) -> None:
        """Add rows, BATCH_ROWS per statement."""
        sql_table = self.make_table(rows)
        for batch in self._convert_for_storage(rows).to_batches(BATCH_ROWS):
            self._connection.execute(sql_table.insert(), batch.to_pylist())

    def delete(self, rows: pa.Table) -> None:
        """Delete the rows of the table that have the id of one of `rows`."""
        sql_table = self.make_table(rows)
        ids = rows[ID].to_pylist()
        for first_index in range(0, len(ids), IDS_MAX):
            id_condition = sql_table.c[ID].in_(ids[first_index : first_index + IDS_MAX])
            self._connection.execute(sql_table.delete().where(id_condition))

    def _convert_for_storage(self, rows: pa.Table) -> pa.Table:
        """The rows as the database stores them: amounts are text in SQLite."""
        if self._connection.dialect.name != SQLITE:
            return rows
        stored_columns = [
            amount_texts(rows, column_name)
            if pa.types.is_decimal(rows[column_name].type)
            else rows[column_name]
            for column_name in rows.column_names
        ]
        return pa.table(stored_columns, rows.column_names)

    def make_table(self, rows: pa.Table) -> Any:
        """SQLAlchemy's description of a table with the columns of the rows."""
        import sqlalchemy as sql

        dialect_name = self._connection.dialect.name
        sql_columns = [
            sql.Column(field.name, _choose_sql_type(sql, field.type, dialect_name))
            for field in rows.schema
        ]
        return sql.Table(self._name, sql.MetaData(), *sql_columns, schema=self._schema)


def _choose_sql_type(sql: Any, arrow_type: pa.DataType, dialect_name: str) -> Any:
    """The type of a new column; `sql` is the module SQLAlchemy."""
    if pa.types.is_decimal(arrow_type):
        if dialect_name == SQLITE:
            return make_amount_type()
        return sql.DECIMAL(arrow_type.precision, arrow_type.scale)
    if pa.types.is_timestamp(arrow_type):
        return sql.DateTime(timezone=True)
    if pa.types.is_integer(arrow_type):
        return sql.BigInteger()
    if pa.types.is_floating(arrow_type):
        return sql.Double()
    return sql.Interval() if pa.types.is_duration(arrow_type) else sql.Text()


def make_amount_type() -> Any:
    """The type of a column of amounts in SQLite."""
    from sqlalchemy.types import UserDefinedType

    class AmountText(UserDefinedType[str]):
        """Text, with a name by which `query_sql` recognizes amounts."""

        cache_ok = True

        def get_col_spec(self, **_: object) -> str:
            """The name of the type in SQL."""
            return SQLITE_AMOUNT

    return AmountText()


def _describe_column(sql: Any, sql_type: Any, dialect_name: str) -> TableColumn:
    """A column that exists, by its type; `sql` is the module SQLAlchemy.

    SQLite stores a number that is not whole as a float, also in a column of DECIMAL.
    """
    is_number = isinstance(sql_type, sql.Numeric)
    if isinstance(sql_type, sql.Float) or (is_number and dialect_name == SQLITE):
        return TableColumn("float")
    if is_number:
        return TableColumn("number", sql_type.precision, sql_type.scale)
    return TableColumn("text" if isinstance(sql_type, sql.String) else "other")


@contextmanager
def open_sql(target: Any, purpose: str = "written") -> Iterator[Any]:
    """A connection in a transaction, of a URL, an engine or a connection that is given.

    ConfigError for an error of the database. Its message says that the database cannot be "read"
    or "written": `purpose` is one of these words.
    """
    with extra_imports():
        import sqlalchemy as sql
    is_url = isinstance(target, str)
    engine_or_connection = _make_engine(sql, target) if is_url else target
    # A connection has its engine as a part, and an engine itself.
    engine = getattr(engine_or_connection, "engine", engine_or_connection)
    try:
        with _begin_transaction(engine_or_connection) as connection:
            yield connection
    except (sql.exc.SQLAlchemyError, ImportError) as error:
        database_name = engine.url.render_as_string(hide_password=True)
        reason_text = _describe_error(error, str(engine.url.password or ""))
        raise ConfigError(f"{database_name} cannot be {purpose}: {reason_text}") from None
    finally:
        if is_url:
            engine.dispose()


def _describe_error(error: Exception, password: str) -> str:
    """The first line of the driver's message, without the password."""
    message = str(getattr(error, "orig", None) or error)
    if password:
        message = message.replace(password, "***")
    first_line = message.strip().partition("\n")[0]
    return f"{first_line:.200}"


def _make_engine(sql: Any, url: str) -> Any:
    """The engine of a database; ConfigError if the URL or its driver cannot be used."""
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
    """A connection in a transaction; in yours, if your connection has begun one."""
    is_engine = not hasattr(target, "in_transaction")
    if is_engine:
        return target.begin()
    return nullcontext(target) if target.in_transaction() else _begin_own_transaction(target)


@contextmanager
def _begin_own_transaction(connection: Any) -> Iterator[Any]:
    """A transaction on a connection that is not in one."""
    with connection.begin():
        yield connection


def query_sql(target: Any, query: str) -> pa.Table:
    """The result of a query: exact numbers, aware times, and text.

    A column with a float in one of its rows has the metadata `HAS_FLOATS` in its field, and one of
    numbers as text, where SQLite has amounts, `HAS_NUMBER_TEXTS`.
    """
    with open_sql(target, "read") as connection:
        query_result = connection.exec_driver_sql(query)
        column_names = list(query_result.keys())
        rows = query_result.fetchall()
        amount_names = _find_text_amounts(connection, query)
    # Without rows, `zip` yields no columns.
    cells_of_columns = list(zip(*rows, strict=True)) or [() for _ in column_names]
    columns = [_make_column(list(cells)) for cells in cells_of_columns]
    fields = [
        pa.field(
            column_name, column.type, metadata=HAS_FLOATS if float in map(type, cells) else None
        )
        for column_name, column, cells in zip(column_names, columns, cells_of_columns, strict=True)
    ]
    table = pa.table(columns, schema=pa.schema(fields))
    for column_index, column_name in enumerate(column_names):
        column = table.column(column_index)
        if not amount_names or not pa.types.is_string(column.type):
            continue
        text_field = table.field(column_index)
        if column_name in amount_names:
            amounts = decimals.read_texts(column, column_name)
            table = table.set_column(column_index, text_field.with_type(amounts.type), amounts)
        elif _has_number_texts(column):
            number_field = text_field.with_metadata(HAS_NUMBER_TEXTS)
            table = table.set_column(column_index, number_field, column)
    return table


def _has_number_texts(texts: pa.ChunkedArray) -> bool:
    """Whether all texts are numbers, one of them with a point: identifiers have none."""
    is_number = pc.match_substring_regex(texts, r"^-?[0-9]+(\.[0-9]+)?$")
    has_point = pc.match_substring(texts, ".")
    return bool(pc.all(is_number).as_py() and pc.any(has_point).as_py())


def _find_text_amounts(connection: Any, query: str) -> set[str]:
    """The columns of amounts that `to_database` wrote, as text, to tables of SQLite in a query."""
    if connection.dialect.name != SQLITE:
        return set()
    # Only names whose columns are amounts in all of these tables.
    columns_sql = (
        "select column.name from sqlite_master as item, pragma_table_info(item.name) as column "
        "where instr(lower(?), lower(item.name)) group by column.name having min(column.type = ?)"
    )
    return set(connection.exec_driver_sql(columns_sql, (query, SQLITE_AMOUNT)).scalars())


def _make_column(cells: list[Any]) -> pa.ChunkedArray:
    """A column of the type of its cells; text if they are of several types, or all missing."""
    present_cells = [cell for cell in cells if cell is not None]
    if not present_cells:
        return pa.chunked_array([pa.nulls(len(cells), pa.string())])
    if all(isinstance(cell, Decimal) for cell in present_cells):
        return decimals.from_numbers(cells)
    if all(isinstance(cell, datetime) for cell in present_cells):
        cells = [cell and _add_zone(cell) for cell in cells]
    try:
        return pa.chunked_array([pa.array(cells)])
    except pa.ArrowException:  # SQLite has values of several types in a column
        cell_texts = [None if cell is None else str(cell) for cell in cells]
        return pa.chunked_array([pa.array(cell_texts, pa.string())])


def _add_zone(instant: datetime) -> datetime:
    """A time without a zone is in UTC: SQLite keeps none."""
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
