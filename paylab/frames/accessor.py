"""`frame.paylab`: what an analyst of transfers asks next, and the ways out of a frame.

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

from ..errors import ConfigError, ExactnessError, Problem, RuleError
from ..spec import status
from . import decimals, excel, summaries
from .decimal_array import FLOAT_DIGITS
from .frame import as_floats
from .summary_sql import quoted

BATCH = 10_000  # rows sent to a database at a time
FILES = (".duckdb", ".ddb", ".db")
FINAL = {*status.TRANSFER.final, *status.CONVERSION.final}
FAILURES = ("rows", "failed", "failure_rate", "failure_reasons")
DURATIONS = ("completed", "p50", "p95", "p99")


@pd.api.extensions.register_dataframe_accessor("paylab")
class Accessor:
    """Questions about a frame of transfers or conversions, and files and tables made of it."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def floats(self) -> pd.DataFrame:
        """The frame with amounts as floats, for statistics and plots; `attrs` says so.

        A float keeps about 15 digits: do not add up money with it.
        """
        return as_floats(self._frame)

    def arrow(self) -> pa.Table:
        """The frame as an Arrow table, which DuckDB and polars query with exact decimals."""
        kept = self._frame.reset_index() if any(self._frame.index.names) else self._frame
        return pa.Table.from_pandas(kept, preserve_index=False)

    def summarize(
        self, by: Sequence[str] | str = ("status",), *, tz: str = "UTC", sums: bool = True
    ) -> pd.DataFrame:
        """Counts, sums, rates, completion times, reasons; see `paylab.frames.summarize`."""
        return summaries.summarize(self._frame, by, tz=tz, sums=sums)

    def stuck(
        self, older_than: str | pd.Timedelta = "1h", now: datetime | str | None = None
    ) -> pd.DataFrame:
        """The rows that are not final and were created longer ago, the oldest first.

        `now` is the time at which the frame was fetched, when it is known.
        """
        moment = pd.Timestamp(now or self._frame.attrs.get("fetched_at") or pd.Timestamp.now("UTC"))
        moment = moment.tz_localize("UTC") if moment.tz is None else moment
        try:
            least = pd.Timedelta(older_than)
        except ValueError:
            told = f"{older_than!r} is not a duration: write 30min, 1h or 2D"
            raise RuleError([Problem("older_than", told)]) from None
        age = moment - self._frame["created_at"]
        is_open = ~self._frame["status"].isin(FINAL)
        found = self._frame[is_open & (age > least)].sort_values("created_at")
        found.insert(0, "age", age[found.index])
        return found

    def failures(self, by: Sequence[str] | str = "corridor") -> pd.DataFrame:
        """How many rows failed, which share of all rows that is, and why, for each corridor."""
        return self._measures(by, FAILURES)

    def durations(self, by: Sequence[str] | str = "corridor") -> pd.DataFrame:
        """Seconds to completion for each corridor: median, p95 and p99."""
        return self._measures(by, DURATIONS)

    def to_excel(self, path: str | os.PathLike[str], tz: str = "UTC") -> Path:
        """Write a workbook: amounts as numbers with their places, text as text, times in `tz`."""
        about = {str(name): value for name, value in self._frame.attrs.items() if value is not None}
        return excel.write([self.arrow()], Path(path), tz=tz, about=about)

    def to_database(self, target: str | os.PathLike[str], table: str = "transfers") -> int:
        """Replace a table of a database by the rows, amounts as DECIMAL; gives their number.

        `target` is a DuckDB file (.duckdb, .ddb, .db) or the URL of a database that SQLAlchemy
        knows, such as postgresql://host/books.
        """
        text = os.fspath(target)
        if "://" in text:
            return _to_url(text, table, self.arrow())
        if Path(text).suffix.lower() not in FILES:
            raise ConfigError(f"{text} is neither a database URL nor a {', '.join(FILES)} file")
        return _to_duckdb(text, table, self.arrow())

    def _measures(self, by: Sequence[str] | str, names: Sequence[str]) -> pd.DataFrame:
        found = self.summarize(by, sums=False)
        keys = [by] if isinstance(by, str) else list(by)
        return found[[*keys, *names]]


def _to_duckdb(path: str, table: str, rows: pa.Table) -> int:
    import duckdb

    for at, field in enumerate(rows.schema):
        if pa.types.is_decimal256(field.type):  # DuckDB's decimals have at most 38 digits
            rows = rows.set_column(at, field.name, summaries.amount(rows[field.name], field.name))
    with duckdb.connect(path) as connection:
        connection.register("rows_of_frame", rows)
        connection.execute(f"create or replace table {quoted(table)} as from rows_of_frame")
    return int(rows.num_rows)


def _to_url(url: str, table: str, rows: pa.Table) -> int:
    try:
        import sqlalchemy as sql
    except ImportError:
        raise ConfigError("a database URL needs SQLAlchemy: pip install sqlalchemy") from None
    engine = sql.create_engine(url)
    is_sqlite = engine.dialect.name == "sqlite"
    columns = [sql.Column(each.name, _type(sql, each.type, is_sqlite)) for each in rows.schema]
    made = sql.Table(table, sql.MetaData(), *columns)
    texts = [each.name for each in rows.schema if is_sqlite and pa.types.is_decimal(each.type)]
    for name in texts:
        _require_digits(rows[name], name)
    with engine.begin() as connection:
        made.drop(connection, checkfirst=True)
        made.create(connection)
        for batch in rows.to_batches(BATCH):
            connection.execute(made.insert(), [_record(row, texts) for row in batch.to_pylist()])
    engine.dispose()
    return int(rows.num_rows)


def _require_digits(column: pa.ChunkedArray, name: str) -> None:
    """ExactnessError when SQLite, which has floats alone, would round a value."""
    exact = decimals.narrowest(column)
    if decimals.integers(exact) + exact.type.scale > FLOAT_DIGITS:
        message = f"SQLite keeps {FLOAT_DIGITS} digits of a number, {name} needs more"
        raise ExactnessError(f"{message}; use DuckDB or PostgreSQL, or floats()")


def _record(row: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """A row for a database; SQLite has no decimals, and reads their digits from text."""
    exact = {name: format(row[name], "f") for name in texts if row[name] is not None}
    return row | exact


def _type(sql: Any, kind: pa.DataType, is_sqlite: bool) -> Any:
    if pa.types.is_decimal(kind) and is_sqlite:
        # SQLAlchemy's own type warns that SQLite has floats; `_require_digits` has checked.
        class Digits(sql.types.UserDefinedType):  # type: ignore[misc]
            cache_ok = True

            def get_col_spec(self, **_: Any) -> str:
                return f"DECIMAL({kind.precision}, {kind.scale})"

        return Digits()
    if pa.types.is_decimal(kind):
        return sql.Numeric(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return sql.DateTime(timezone=True)
    if pa.types.is_integer(kind):
        return sql.BigInteger()
    return sql.Interval() if pa.types.is_duration(kind) else sql.Text()
