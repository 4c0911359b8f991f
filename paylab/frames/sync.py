"""A sync: the rows of a list that are new or may have changed, written day by day.

Rows are read in the list's order, newest first if that is declared, and a day is written when
older rows come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors.base import warn_caller
from ..spec import status, timestamps
from ..spec.codes import PAGE_MAX
from ..spec.repeats import warn_of_repeats
from ..spec.row_filter import RowFilter
from ..spec.service.lists import Order
from ..storage.stores import Store
from .columns import SCHEMAS, ListName, Schema
from .decode import Decoder, bodies, make_page
from .pages import Tally, read_pages
from .parquet_types import columns_too_narrow, convert_types, warn_of_wide, widen_types
from .repeats import IdHashes, drop_repeats, find_repeated, hash_ids
from .results import SyncResult
from .selection import UNDECLARED, OrderWarning, Selection
from .sync_state import PARQUET, State, cast_to_types, write_state
from .text_table import EXTRA, PagePart

OVERLAP = timedelta(hours=48)
NO_DAY = "__HIVE_DEFAULT_PARTITION__"  # the partition name that all engines read as null


class SyncedList(Protocol):
    """A list of the service: its pages and objects, as they were sent."""

    kind: ListName
    order: Order
    account: str
    """Identifies the service and account, without the key itself."""

    def fetch(self, cursor: str | None) -> bytes:
        """One page."""

    def one(self, id_: str) -> bytes | None:
        """One object; None if it cannot be read alone."""

    def origin(self) -> dict[str, Any]:
        """The source of the rows."""


class Source(Protocol):
    """A source to sync with: `lab.transfers` or `lab.conversions`."""

    def pull(self) -> Any:
        """The list."""


@dataclass
class Sync:
    """A sync in progress: reads the list, writes each day when it is complete, then the state."""

    files: Store
    pull: SyncedList
    state: State
    tally: Tally
    new: int = 0
    updated: int = 0
    removed: int = 0
    newest: datetime | None = None
    _stored_state: State = field(default_factory=State)
    _unwritten_days: dict[str, list[pa.Table]] = field(default_factory=dict)
    _hashes: list[IdHashes] = field(default_factory=list)
    """Of the ids of all rows that were read."""
    _hashes_by_day: dict[str, list[IdHashes]] = field(default_factory=dict)
    _has_stored_state: bool = False
    _wide_columns: set[str] = field(default_factory=set)
    """The columns that this sync made wider."""
    _narrow_types: pa.Schema | None = None
    """The columns of the files before it, if there are such columns."""

    def run(self, overlap: timedelta, *, full: bool = False) -> SyncResult:
        """Read rows from `overlap` before the newest known one; with `full`, all rows."""
        schema = SCHEMAS[self.pull.kind]
        # A rewrite stores this copy: the state itself has rows that are not written yet.
        self._stored_state = replace(
            self.state, open=dict(self.state.open), days=dict(self.state.days)
        )
        if self.state.is_rewriting:
            self._rewrite_files()
        self.newest = timestamps.read_or_none(self.state.newest)
        selection, ids_to_fetch_alone = self._choose_selection(overlap, full=full)
        pages = bodies(self.pull.fetch)
        read_pages(pages, schema, self._collect_rows, self.tally, selection=selection, as_json=True)
        self._write_days(set(self._unwritten_days))
        self._fetch_single_rows(ids_to_fetch_alone, schema)
        if full and self.tally.complete:
            self._remove_unlisted()
        self.state.newest = self._find_newest_time()
        write_state(self.files, self.state)
        self._warn_of_changes()
        return SyncResult(self.new, self.updated, self.tally.pages, self.removed)

    def _choose_selection(self, overlap: timedelta, *, full: bool) -> tuple[Selection, set[str]]:
        """The rows of the list to read, and the ids of older rows to fetch alone.

        They are all rows of the list with `full`, and if its order is not known.
        """
        if self.pull.order == "newest_first" and not full:
            since, ids_to_fetch_alone = self._find_start(overlap)
            selection = Selection(row_filter=RowFilter(since=since), order=self.pull.order)
            return selection, ids_to_fetch_alone
        if self.newest and not full:
            warn_caller(UNDECLARED, OrderWarning)
        return Selection(), set()

    def _warn_of_changes(self) -> None:
        """Warn of columns that this sync made wider, and of rows that the list repeated."""
        if self._narrow_types is not None:
            warn_of_wide(self._wide_columns, self._narrow_types, self.state.types)
        warn_of_repeats(len(find_repeated(self._hashes)))

    def _find_start(self, overlap: timedelta) -> tuple[datetime | None, set[str]]:
        """The time from which to read, and the ids of rows to read alone.

        The time is None for all rows. Open rows that are older are read alone if this costs less.
        """
        start_time = self._subtract_overlap(overlap)
        if start_time is None:
            return None, set()
        time_by_id = {
            id_: timestamps.read_or_none(created_text)
            for id_, created_text in self.state.open.items()
        }
        older_times_by_id = {
            id_: created_at
            for id_, created_at in time_by_id.items()
            if created_at is None or created_at < start_time
        }
        if not older_times_by_id:
            return start_time, set()
        if not self._is_cheaper_by_pages(older_times_by_id):
            return start_time, set(older_times_by_id)
        known_times = [created_at for created_at in older_times_by_id.values() if created_at]
        if len(known_times) < len(older_times_by_id):  # of unknown age: only all rows are sure
            return None, set()
        return min(known_times), set()

    def _subtract_overlap(self, overlap: timedelta) -> datetime | None:
        """The newest known time less the overlap; None without one, or before the year 1."""
        try:
            return self.newest - overlap if self.newest else None
        except OverflowError:
            return None

    def _is_cheaper_by_pages(self, older: dict[str, datetime | None]) -> bool:
        """Whether reading pages back to the oldest row costs less than reading rows alone."""
        if self.pull.kind == "conversions":  # single rows cannot be read
            return True
        oldest_day = min(
            timestamps.to_text(created)[:10] if created else "" for created in older.values()
        )
        row_count = sum(count for day, count in self.state.days.items() if day >= oldest_day)
        return row_count < PAGE_MAX * len(older)

    def _find_newest_time(self) -> str | None:
        """The time of the newest row, at most now, or later rows would seem to be older.

        None if no row has been read yet.
        """
        if self.newest is None:
            return None
        fetched_at = self.pull.origin().get("fetched_at")
        now = timestamps.from_text(fetched_at) if fetched_at else self.newest
        return timestamps.to_text(min(self.newest, now))

    def _fetch_single_rows(self, ids: set[str], schema: Schema) -> None:
        """Fetch the rows of these ids one by one, and write them; some may not exist any more."""
        json_objects = [self.pull.one(id_) for id_ in sorted(ids)]
        pages = [make_page(json_object) for json_object in json_objects if json_object is not None]
        if not pages:
            return
        page_part = Decoder(schema, as_json=True).decode(pages)
        for day, day_rows in _split_by_day(self._convert_types(page_part.table)):
            self._write_day(day, day_rows)

    def _collect_rows(self, page_part: PagePart) -> None:
        """Keep the rows of some pages by day, and write the days later than all these rows."""
        if not page_part.table.num_rows:
            return
        self._hashes.append(hash_ids(page_part.table))
        typed_rows = self._convert_types(page_part.table)
        newest_created_at = pc.max(typed_rows["created_at"]).as_py()
        self.newest = max(filter(None, [self.newest, newest_created_at]), default=None)
        tables_by_day = dict(_split_by_day(typed_rows))
        # In a list with the newest rows first, no more rows of later days come.
        newest_day = max(tables_by_day)
        self._write_days({day for day in self._unwritten_days if day > newest_day})
        for day, day_rows in tables_by_day.items():
            self._unwritten_days.setdefault(day, []).append(day_rows)
            self._hashes_by_day.setdefault(day, []).append(hash_ids(day_rows))

    def _convert_types(self, text_table: pa.Table) -> pa.Table:
        """The rows in the types of the files. The types get wider first if a value needs it."""
        narrow_columns = columns_too_narrow(text_table, self.state.types, self.state.fixed)
        if narrow_columns:
            self._widen_files(narrow_columns)
        if EXTRA not in text_table.column_names:
            text_table = text_table.append_column(EXTRA, pa.nulls(text_table.num_rows, pa.string()))
        # Only the columns of the list are converted: EXTRA, which stays text, is added after it.
        file_schema = self.state.types
        schema_of_list = file_schema.remove(file_schema.get_field_index(EXTRA))
        typed_rows = convert_types(text_table, SCHEMAS[self.pull.kind], arrow_schema=schema_of_list)
        return typed_rows.append_column(EXTRA, text_table[EXTRA])

    def _widen_files(self, narrow_columns: set[str]) -> None:
        """Give these columns wider types, in the state and in every file."""
        file_schema = self.state.types
        self._narrow_types = self._narrow_types or file_schema  # those before the first widening
        self._wide_columns |= narrow_columns
        self.state.set_types(widen_types(file_schema, narrow_columns, self.state.fixed))
        self._rewrite_files()

    def _rewrite_files(self) -> None:
        """Give every file the columns of the state, before a value that needs them is written.

        1. Store the new columns, and that a rewrite is under way: a sync that is interrupted here
           is continued by the next one.
        2. Rewrite each file. Its values are exact in the old types and in the new ones.
        3. Store that the rewrite has ended.
        """
        self._stored_state.columns = dict(self.state.columns)
        self._stored_state.fixed = self.state.fixed
        self._stored_state.is_rewriting = True
        write_state(self.files, self._stored_state)
        for file_name in self.files.names(PARQUET):
            self._store_file(file_name, pq.read_table(BytesIO(self.files.read(file_name) or b"")))
        self._stored_state.is_rewriting = False
        self.state.is_rewriting = False
        write_state(self.files, self._stored_state)

    def _store_file(self, file_name: str, rows: pa.Table) -> None:
        """Replace a file by rows in the types of the state."""
        parquet_buffer = BytesIO()
        pq.write_table(cast_to_types(rows, self.state.types), parquet_buffer, compression="zstd")
        self.files.write(file_name, parquet_buffer.getvalue())

    def _remove_unlisted(self) -> None:
        """Remove the rows that the service does not list any more."""
        for file_name in self.files.names(PARQUET):
            day = file_name.partition("/")[0].removeprefix("created_day=")
            rows = pq.read_table(BytesIO(self.files.read(file_name) or b""))
            listed_mask = self._find_listed(day, rows)
            if listed_mask.all():
                continue
            self.removed += int((~listed_mask).sum())
            for id_ in rows["id"].filter(pa.array(~listed_mask)).to_pylist():
                self.state.open.pop(id_, None)
            if listed_mask.any():
                self.state.days[day] = int(listed_mask.sum())
                self._store_file(file_name, rows.filter(pa.array(listed_mask)))
            else:
                self.files.remove(file_name)
                self.state.days.pop(day, None)

    def _find_listed(self, day: str, rows: pa.Table) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether the service listed each row of a day in this sync.

        A row without an id is taken for listed if any row of its day is.
        """
        hashes_of_day = self._hashes_by_day.get(day, [])
        listed_hashes = np.concatenate([np.empty(0, np.uint64), *hashes_of_day])
        id_mask = rows["id"].is_valid().to_numpy()
        listed_mask = np.full(rows.num_rows, day in self._hashes_by_day)
        listed_mask[id_mask] = np.isin(hash_ids(rows), listed_hashes)
        return listed_mask

    def _write_days(self, days: Iterable[str]) -> None:
        """Write the rows of complete days."""
        for day in sorted(days):
            tables = self._unwritten_days.pop(day)
            tables_of_same_types = [
                cast_to_types(day_rows, self.state.types) for day_rows in tables
            ]
            self._write_day(day, pa.concat_tables(tables_of_same_types))

    def _write_day(self, day: str, new_rows: pa.Table) -> None:
        """Add rows to the file of a day; of a row that it already has, the newest version stays."""
        if not self._has_stored_state:  # first: no other account continues an interrupted sync
            write_state(self.files, self._stored_state)
            self._has_stored_state = True
        file_name = f"created_day={day}/part-0.parquet"
        new_rows = cast_to_types(new_rows, self.state.types)
        old_rows = self._read_day(file_name)
        # Without an id, old and new rows cannot be told apart: only the new ones stay.
        old_rows_with_id = old_rows.filter(old_rows["id"].is_valid())
        unique_rows = drop_repeats(pa.concat_tables([old_rows_with_id, new_rows]))
        new_ids = new_rows["id"].combine_chunks()
        rows_before = old_rows.filter(pc.is_in(old_rows["id"], value_set=new_ids))
        rows_after = unique_rows.filter(pc.is_in(unique_rows["id"], value_set=new_ids))
        self.new += rows_after.num_rows - rows_before.num_rows
        self.updated += _count_changes(rows_before, rows_after)
        self._note_open_rows(rows_after)
        self.state.days[day] = unique_rows.num_rows
        self._store_file(file_name, unique_rows.sort_by([("created_at", "descending")]))

    def _read_day(self, file_name: str) -> pa.Table:
        """The stored rows of a day, in the types of the state; no rows without a file."""
        parquet_bytes = self.files.read(file_name)
        if parquet_bytes is None:
            return self.state.types.empty_table()
        return cast_to_types(pq.read_table(BytesIO(parquet_bytes)), self.state.types)

    def _note_open_rows(self, rows: pa.Table) -> None:
        """Note the rows that may still change, with their time of creation if it is known."""
        machine = status.MACHINES[self.pull.kind]
        columns = (rows[column_name].to_pylist() for column_name in ("id", "status", "created_at"))
        for id_, row_status, created_at in zip(*columns, strict=True):
            self.state.open.pop(id_, None)
            if id_ and not machine.is_final(row_status):
                self.state.open[id_] = timestamps.to_text(created_at) if created_at else ""


def _split_by_day(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The rows of a table by day of creation, `2026-01-31`, in order of appearance."""
    days = pc.fill_null(table["created_at"].cast(pa.date32()).cast(pa.string()), NO_DAY)
    for day in pc.unique(days).to_pylist():
        yield day, table.filter(pc.equal(days, day))


def _count_changes(rows_before: pa.Table, rows_after: pa.Table) -> int:
    """The number of rows whose status or update time has changed."""
    return len(_find_versions(rows_before) - _find_versions(rows_after))


def _find_versions(rows: pa.Table) -> set[tuple[object, ...]]:
    """The id, status and update time of each row."""
    columns = (rows[column_name].to_pylist() for column_name in ("id", "status", "updated_at"))
    return set(zip(*columns, strict=True))
