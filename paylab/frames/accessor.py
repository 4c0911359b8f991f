"""`frame.paylab`: questions about transfers, and exports of a frame.

frame.paylab.stuck(older_than="1h")
frame.paylab.to_database("books.duckdb")
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, ConfigError, OptionError, Problem
from ..errors.names import with_name_suggestions
from ..spec import status
from ..spec.time_arguments import read_time_argument
from ..storage.addresses import local_target
from . import databases, excel, files, summaries, times
from .entered_currencies import warn_of_written_currencies
from .frame_forms import as_floats, as_table, with_named_index
from .windows import Rolling

FINAL_STATUSES = {*status.TRANSFER.final, *status.CONVERSION.final}


@with_name_suggestions
@explain_arguments
@pd.api.extensions.register_dataframe_accessor("paylab")
class Accessor:
    """Summaries, files and tables of a frame of transfers or conversions."""

    def __init__(self, frame: pd.DataFrame) -> None:
        """Use the rows of a frame."""
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

        Arrow's own `mean` is cut to the decimals of the column, also in pandas' Arrow columns, and
        its quantiles are floats: compute these in the frame.
        A named index is in front; intervals, such as bins of `pd.cut`, and periods are text.

        >>> frame.paylab.arrow().num_rows
        130
        """
        named_frame = with_named_index(self._frame)
        warn_of_written_currencies(named_frame)
        return as_table(named_frame)

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
        if isinstance(window, int) and min_periods is not None and min_periods > window:
            message = f"min_periods is {min_periods}: it is at most the window, {window}"
            raise ArgumentError(message, "min_periods")
        return Rolling(self._frame, window, min_periods, on, by)

    def stuck(
        self, older_than: str | pd.Timedelta = "1h", now: datetime | str | None = None
    ) -> pd.DataFrame:
        """The rows that are not final and are older than `older_than`, oldest first.

        `now` is by default the time at which the frame was fetched.

        >>> len(frame.paylab.stuck(older_than="1h"))
        0
        """
        if "age" in self._frame:
            raise ConfigError("the frame has a column age already: rename it before stuck()")
        known_now = read_time_argument(now or self._frame.attrs.get("fetched_at"), "now")
        age_min = times.read_timedelta(older_than, "older_than")
        ages = pd.Timestamp(known_now or pd.Timestamp.now("UTC")) - self._frame["created_at"]
        is_open = ~self._frame["status"].isin(FINAL_STATUSES)
        stuck_rows = self._frame[is_open & (ages > age_min)].sort_values("created_at")
        stuck_rows.insert(0, "age", ages[stuck_rows.index])
        return stuck_rows

    def failures(self, by: Sequence[str] | str = "corridor") -> pd.DataFrame:
        """The number of failed rows, their share, and the reasons, per corridor.

        >>> frame.paylab.failures()["failed"].sum()
        3
        """
        measure_names = ["rows", "failed", "failure_rate", "failure_reasons"]
        return self._summarize_without_sums(by, measure_names)

    def durations(self, by: Sequence[str] | str = "corridor") -> pd.DataFrame:
        """Seconds to completion per corridor: median, p95 and p99.

        >>> frame.paylab.durations().columns.tolist()
        ['corridor', 'completed', 'p50', 'p95', 'p99']
        """
        return self._summarize_without_sums(by, ["completed", "p50", "p95", "p99"])

    def to_csv(self, path: str | os.PathLike[str]) -> Path | str:
        """Write a CSV file; see `paylab.frames.to_csv`.

        >>> frame.paylab.to_csv("transfers.csv").name
        'transfers.csv'
        """
        return files.to_csv(self._frame, path)

    def to_excel(self, path: str | os.PathLike[str], tz: str = "UTC") -> Path | str:
        """Write a workbook: amounts as numbers with their decimals, text as text, times in `tz`.

        A number of more than 15 digits, which a spreadsheet would round, is text with all digits:
        `SUM` leaves it out, and a SheetTextWarning names its column. `read_excel` reads it exactly.

        >>> frame.paylab.to_excel("transfers.xlsx").name
        'transfers.xlsx'
        """
        if isinstance(path, pd.ExcelWriter):  # its path would work, and lose the other sheets
            message = "path is an ExcelWriter: give a path, or use frame.to_excel(writer) of pandas"
            raise ArgumentError(message, "path")
        if not os.fspath(path).lower().endswith(".xlsx"):  # no program would open it
            message = "is the path of a workbook and must end in .xlsx; to_csv() writes CSV"
            raise OptionError([Problem("path", message)])
        fact_by_name = {
            str(fact_name): fact
            for fact_name, fact in self._frame.attrs.items()
            if fact is not None
        }
        with local_target(path) as (target_path, shown_path):
            excel.write_workbook([self.arrow()], target_path, tz=tz, about=fact_by_name)
        return shown_path

    def to_database(
        self,
        target: object,
        table: str = "transfers",
        *,
        if_exists: databases.IfExists = "replace",
        schema: str | None = None,
    ) -> int:
        """Write the rows to a table of a database, all or none; return their number.

        `target` is a DuckDB file (.duckdb, .ddb, .db) or connection, or the URL, engine or
        connection of a database that SQLAlchemy knows, such as postgresql://host/books. If the
        table exists, `if_exists` is "fail", "replace", "append", or "upsert": rows with an id that
        the table has replace the old ones. Amounts are DECIMAL(24, 6) and rates DECIMAL(13, 8),
        wider if a value needs it. SQLite has no exact numbers: amounts are text there, so `>`,
        `order by` and `max` compare letters. A table whose columns would round an amount is
        refused, also one of SQLite with columns of DECIMAL or NUMERIC, which are floats.
        `paylab.frames.read_sql` reads it back.

        >>> frame.paylab.to_database("transfers.duckdb", if_exists="upsert")
        130
        """
        return databases.write_table(self.arrow(), target, table, if_exists, schema)

    def _summarize_without_sums(
        self, by: Sequence[str] | str, measures: Sequence[str]
    ) -> pd.DataFrame:
        """The columns of the grouping and these measures; rows of all currencies are one group."""
        summary = self.summarize(by, sums=False)
        key_names = [by] if isinstance(by, str) else list(by)
        return summary[[*key_names, *measures]]
