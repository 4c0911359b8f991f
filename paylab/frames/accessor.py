"""`frame.paylab`: questions about transfers, and exports of a frame.

frame.paylab.stuck(older_than="1h")
frame.paylab.to_database("books.duckdb")
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, ExactnessError
from ..errors.extras import extra_imports
from ..spec import status
from ..spec.time_arguments import read_since
from . import decimals, excel, files, summaries, times
from .decimal_array import FLOAT_DIGITS
from .frame_forms import as_floats
from .summary_sql import quoted
from .windows import Rolling

BATCH_ROWS = 10_000  # rows per insert
FILES = (".duckdb", ".ddb", ".db")
FINAL = {*status.TRANSFER.final, *status.CONVERSION.final}


@explain_arguments
@pd.api.extensions.register_dataframe_accessor("paylab")
class Accessor:
    """Summaries, files and tables of a frame of transfers or conversions."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def floats(self) -> pd.DataFrame:
        """The frame with amounts as floats, for statistics and plots; `attrs` says so.

        A float keeps about 15 digits: do not sum money with it.

        >>> frame.paylab.floats()["source_amount"].dtype
        dtype('float64')
        """
        return as_floats(self._frame)

    def arrow(self) -> pa.Table:
        """The frame as an Arrow table, which DuckDB and polars query with exact decimals.

        >>> frame.paylab.arrow().num_rows
        130
        """
        columns = self._frame.reset_index() if any(self._frame.index.names) else self._frame
        return pa.Table.from_pandas(columns, preserve_index=False)

    def summarize(
        self, by: Sequence[str] | str = ("status",), *, tz: str = "UTC", sums: bool = True
    ) -> pd.DataFrame:
        """Counts, sums, rates, completion times, reasons; see `paylab.frames.summarize`.

        >>> frame.paylab.summarize(by="status")["rows"].sum()
        130
        """
        return summaries.summarize(self._frame, by, tz=tz, sums=sums)

    def rolling(
        self,
        window: int | str | pd.Timedelta,
        *,
        min_periods: int | None = None,
        on: str | None = None,
        by: str | Sequence[str] | None = None,
    ) -> Rolling:
        """Exact windows of the last rows, or of a duration; pandas computes them with floats.

        A duration counts back from the time of each row, in the index or in the column `on`. With
        `by`, windows have rows of one group only. For all rows so far, as `expanding` does, write
        `rolling(len(frame), min_periods=1)`.

        >>> len(frame.paylab.rolling(7)["source_amount"].sum())
        130
        """
        return Rolling(self._frame, window, min_periods, on, by)

    def stuck(
        self, older_than: str | pd.Timedelta = "1h", now: datetime | str | None = None
    ) -> pd.DataFrame:
        """The rows that are not final and are older than `older_than`, oldest first.

        `now` is by default the time at which the frame was fetched.

        >>> len(frame.paylab.stuck(older_than="1h"))
        0
        """
        moment = read_since(now or self._frame.attrs.get("fetched_at"), "now")
        least = times.duration(older_than, "older_than")
        age = pd.Timestamp(moment or pd.Timestamp.now("UTC")) - self._frame["created_at"]
        is_open = ~self._frame["status"].isin(FINAL)
        rows = self._frame[is_open & (age > least)].sort_values("created_at")
        rows.insert(0, "age", age[rows.index])
        return rows

    def failures(self, by: Sequence[str] | str = "corridor") -> pd.DataFrame:
        """The number of failed rows, their share, and the reasons, per corridor.

        >>> frame.paylab.failures()["failed"].sum()
        3
        """
        return self._measures(by, ["rows", "failed", "failure_rate", "failure_reasons"])

    def durations(self, by: Sequence[str] | str = "corridor") -> pd.DataFrame:
        """Seconds to completion per corridor: median, p95 and p99.

        >>> frame.paylab.durations().columns.tolist()
        ['corridor', 'completed', 'p50', 'p95', 'p99']
        """
        return self._measures(by, ["completed", "p50", "p95", "p99"])

    def to_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write a CSV file; see `paylab.frames.to_csv`.

        >>> frame.paylab.to_csv("transfers.csv").name
        'transfers.csv'
        """
        return files.to_csv(self._frame, path)

    def to_excel(self, path: str | os.PathLike[str], tz: str = "UTC") -> Path:
        """Write a workbook: amounts as numbers with their decimals, text as text, times in `tz`.

        >>> frame.paylab.to_excel("transfers.xlsx").name
        'transfers.xlsx'
        """
        about = {str(name): value for name, value in self._frame.attrs.items() if value is not None}
        return excel.write_workbook([self.arrow()], Path(path), tz=tz, about=about)

    def to_database(self, target: str | os.PathLike[str], table: str = "transfers") -> int:
        """Replace a database table with the rows, amounts as DECIMAL; return the number of rows.

        `target` is a DuckDB file (.duckdb, .ddb, .db) or the URL of a database that SQLAlchemy
        knows, such as postgresql://host/books.

        >>> frame.paylab.to_database("transfers.duckdb")
        130
        """
        text = os.fspath(target)
        if "://" in text:
            return _to_url(text, table, self.arrow())
        if Path(text).suffix.lower() not in FILES:
            raise ConfigError(f"{text} is neither a database URL nor a {', '.join(FILES)} file")
        return _to_duckdb(text, table, self.arrow())

    def _measures(self, by: Sequence[str] | str, names: Sequence[str]) -> pd.DataFrame:
        summary = self.summarize(by, sums=False)
        keys = [by] if isinstance(by, str) else list(by)
        return summary[[*keys, *names]]


def _to_duckdb(path: str, table: str, rows: pa.Table) -> int:
    with extra_imports():
        import duckdb
    try:
        with duckdb.connect(path) as connection:
            connection.register("rows_of_frame", rows)
            connection.execute(f"create or replace table {quoted(table)} as from rows_of_frame")
    except duckdb.Error as error:
        raise _unwritten(path, str(error)) from None
    return int(rows.num_rows)


def _to_url(url: str, table: str, rows: pa.Table) -> int:
    with extra_imports():
        import sqlalchemy as sql
    try:
        engine = sql.create_engine(url, hide_parameters=True)
    except (sql.exc.NoSuchModuleError, ImportError) as error:
        raise ConfigError(f"the database URL needs a driver: {error}") from None
    except (sql.exc.SQLAlchemyError, ValueError):  # its text may contain the password
        raise ConfigError(
            "the database URL cannot be read: write postgresql://USER:PASSWORD@HOST:PORT/NAME, "
            "with %40 for @ and %2F for / in the password"
        ) from None
    try:
        _replace_table(sql, engine, table, rows)
    except (sql.exc.SQLAlchemyError, ImportError) as error:
        message = str(getattr(error, "orig", None) or error)
        secret = str(engine.url.password or "")
        hidden = message.replace(secret, "***") if secret else message
        raise _unwritten(engine.url.render_as_string(hide_password=True), hidden) from None
    finally:
        engine.dispose()
    return int(rows.num_rows)


def _replace_table(sql: Any, engine: Any, table: str, rows: pa.Table) -> None:
    columns = [sql.Column(field.name, _type(sql, field.type)) for field in rows.schema]
    new_table = sql.Table(table, sql.MetaData(), *columns)
    if engine.dialect.name == "sqlite":
        _require_digits(rows)
    with engine.begin() as connection:
        new_table.drop(connection, checkfirst=True)
        new_table.create(connection)
        for batch in rows.to_batches(BATCH_ROWS):
            connection.execute(new_table.insert(), batch.to_pylist())


def _unwritten(place: str, message: str) -> ConfigError:
    return ConfigError(f"{place} cannot be written: {message.strip().partition(chr(10))[0]:.200}")


def _require_digits(rows: pa.Table) -> None:
    """ExactnessError if SQLite, which has only floats, would round a value."""
    for name in rows.column_names:
        if not pa.types.is_decimal(rows[name].type):
            continue
        exact = decimals.narrowest(rows[name])
        if decimals.integers(exact) + exact.type.scale > FLOAT_DIGITS:
            message = f"SQLite keeps {FLOAT_DIGITS} digits of a number, {name} needs more"
            raise ExactnessError(f"{message}; use DuckDB or PostgreSQL, or floats()")


def _type(sql: Any, kind: pa.DataType) -> Any:
    if pa.types.is_decimal(kind):
        return sql.DECIMAL(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return sql.DateTime(timezone=True)
    if pa.types.is_integer(kind):
        return sql.BigInteger()
    return sql.Interval() if pa.types.is_duration(kind) else sql.Text()
