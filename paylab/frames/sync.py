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
from .decode import Decoder, bodies
from .pages import Tally, read_pages
from .parquet_types import columns_too_narrow, convert_types, warn_of_wide, widen_types
from .repeats import Rows, find_repeated, id_hashes, without_repeats
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


@dataclass(frozen=True)
class SyncResult:
    """The numbers of rows that a sync has added, changed and removed, and of pages read."""

    new: int
    updated: int
    pages: int
    removed: int = 0


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
    _days: dict[str, list[pa.Table]] = field(default_factory=dict)
    _hashes: list[Rows] = field(default_factory=list)
    _listed: dict[str, list[Rows]] = field(default_factory=dict)
    _has_stored: bool = False
    _wide: set[str] = field(default_factory=set)
    _narrow_types: pa.Schema | None = None

    def run(self, overlap: timedelta, *, full: bool = False) -> SyncResult:
        """Read rows from `overlap` before the newest known one; with `full`, all rows."""
        schema = SCHEMAS[self.pull.kind]
        self._stored_state = replace(
            self.state, open=dict(self.state.open), days=dict(self.state.days)
        )
        if self.state.is_rewriting:
            self._rewrite()
        self.newest = timestamps.read(self.state.newest)
        selection = Selection()
        alone = set[str]()
        if self.pull.order == "newest_first" and not full:
            since, alone = self._find_start(overlap)
            selection = Selection(row_filter=RowFilter(since=since), order=self.pull.order)
        elif self.newest and not full:
            warn_caller(UNDECLARED, OrderWarning)
        pages = bodies(self.pull.fetch)
        read_pages(pages, schema, self._take, self.tally, selection=selection, as_json=True)
        self._flush(set(self._days))
        self._ask(alone, schema)
        if full and self.tally.complete:
            self._remove_unlisted()
        self.state.newest = self._find_newest_time()
        write_state(self.files, self.state)
        if self._narrow_types is not None:
            warn_of_wide(self._wide, self._narrow_types)
        warn_of_repeats(len(find_repeated(self._hashes)))
        return SyncResult(self.new, self.updated, self.tally.pages, self.removed)

    def _find_start(self, overlap: timedelta) -> tuple[datetime | None, set[str]]:
        """The time from which to read, None for all rows, and the rows to read alone."""
        try:
            begin = self.newest - overlap if self.newest else None
        except OverflowError:
            begin = None
        opened = {id_: timestamps.read(text) for id_, text in self.state.open.items()}
        older = {id_: at for id_, at in opened.items() if begin and (at is None or at < begin)}
        if not older or not begin:
            return begin, set()
        if not self._walks_back(older):
            return begin, set(older)
        known_times = [at for at in older.values() if at]
        return (min(known_times) if len(known_times) == len(older) else None), set()

    def _walks_back(self, old: dict[str, datetime | None]) -> bool:
        """Whether reading pages back to the oldest row costs less than reading rows alone."""
        if self.pull.kind == "conversions":  # single rows cannot be read
            return True
        oldest = min(timestamps.to_text(at)[:10] if at else "" for at in old.values())
        return sum(n for day, n in self.state.days.items() if day >= oldest) < PAGE_MAX * len(old)

    def _find_newest_time(self) -> str | None:
        """The time of the newest row, at most now, or later rows would seem to be older."""
        fetched_at = self.pull.origin().get("fetched_at")
        times = [
            self.newest,
            timestamps.from_text(fetched_at) if fetched_at and self.newest else None,
        ]
        return timestamps.to_text(min(filter(None, times))) if self.newest else None

    def _ask(self, ids: set[str], schema: Schema) -> None:
        bodies = [body for body in map(self.pull.one, sorted(ids)) if body is not None]
        pages = [b'{"data":[' + body + b'],"has_next_page":false,"cursor":null}' for body in bodies]
        if pages:
            page_part = Decoder(schema, as_json=True).decode(pages)
            for day, table in _split_by_day(self._convert_types(page_part.table)):
                self._write(day, table)

    def _take(self, page_part: PagePart) -> None:
        if not page_part.table.num_rows:
            return
        self._hashes.append(id_hashes(page_part.table))
        typed_rows = self._convert_types(page_part.table)
        times = [self.newest, pc.max(typed_rows["created_at"]).as_py()]
        self.newest = max(filter(None, times), default=None)
        days = dict(_split_by_day(typed_rows))
        self._flush({day for day in self._days if day > max(days)})
        for day, table in days.items():
            self._days.setdefault(day, []).append(table)
            self._listed.setdefault(day, []).append(id_hashes(table))

    def _convert_types(self, text_table: pa.Table) -> pa.Table:
        """The rows in the types of the files, which get wider if a value needs it."""
        types = self.state.types
        narrow = columns_too_narrow(text_table, types) - {*self.state.fixed}
        if narrow:
            self._narrow_types = self._narrow_types or types
            self._wide |= narrow
            types = widen_types(types, narrow)
        if EXTRA not in text_table.column_names:
            text_table = text_table.append_column(EXTRA, pa.nulls(text_table.num_rows, pa.string()))
        known_types = types.remove(types.get_field_index(EXTRA))
        typed_rows = convert_types(text_table, SCHEMAS[self.pull.kind], types=known_types)
        if narrow:
            self.state.set_types(types)
            self._rewrite()
        return typed_rows.append_column(EXTRA, text_table[EXTRA])

    def _rewrite(self) -> None:
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
            self._store(file_name, pq.read_table(BytesIO(self.files.read(file_name) or b"")))
        self._stored_state.is_rewriting = False
        self.state.is_rewriting = False
        write_state(self.files, self._stored_state)

    def _store(self, file_name: str, rows: pa.Table) -> None:
        """Replace a file by rows in the types of the state."""
        sink = BytesIO()
        pq.write_table(cast_to_types(rows, self.state.types), sink, compression="zstd")
        self.files.write(file_name, sink.getvalue())

    def _remove_unlisted(self) -> None:
        """Remove the rows that the service does not list any more."""
        for file_name in self.files.names(PARQUET):
            day = file_name.partition("/")[0].removeprefix("created_day=")
            rows = pq.read_table(BytesIO(self.files.read(file_name) or b""))
            kept = np.zeros(rows.num_rows, bool)
            kept[rows["id"].is_valid().to_numpy()] = np.isin(
                id_hashes(rows),
                np.concatenate([np.empty(0, np.uint64), *self._listed.get(day, [])]),
            )
            kept |= (day in self._listed) & rows["id"].is_null().to_numpy()
            if kept.all():
                continue
            self.removed += int((~kept).sum())
            for id_ in rows["id"].filter(pa.array(~kept)).to_pylist():
                self.state.open.pop(id_, None)
            self.state.days[day] = int(kept.sum())
            if kept.any():
                self._store(file_name, rows.filter(pa.array(kept)))
            else:
                self.files.remove(file_name)
                del self.state.days[day]

    def _flush(self, days: Iterable[str]) -> None:
        for day in sorted(days):
            tables = [cast_to_types(table, self.state.types) for table in self._days.pop(day)]
            self._write(day, pa.concat_tables(tables))

    def _write(self, day: str, stored_rows: pa.Table) -> None:
        """Replace the file of a day; of a row that it already has, the newest version is kept."""
        if not self._has_stored:  # first: no other account continues an interrupted sync
            write_state(self.files, self._stored_state)
            self._has_stored = True
        file_name = f"created_day={day}/part-0.parquet"
        stored = self.files.read(file_name)
        types = self.state.types
        stored_rows = cast_to_types(stored_rows, types)
        old_rows = stored_rows.slice(0, 0)
        if stored is not None:
            old_rows = cast_to_types(pq.read_table(BytesIO(stored)), types)
        table = without_repeats(
            pa.concat_tables([old_rows.filter(old_rows["id"].is_valid()), stored_rows])
        )
        ids = stored_rows["id"].combine_chunks()
        rows_before, rows_after = (
            rows.filter(pc.is_in(rows["id"], value_set=ids)) for rows in (old_rows, table)
        )
        self.new += rows_after.num_rows - rows_before.num_rows
        self.updated += _count_changes(rows_before, rows_after)
        self._note(rows_after)
        self.state.days[day] = table.num_rows
        self._store(file_name, table.sort_by([("created_at", "descending")]))

    def _note(self, rows: pa.Table) -> None:
        """Store the rows that may still change, with their time of creation if known."""
        machine = status.MACHINES[self.pull.kind]
        for id_, word, created in zip(
            *(rows[name].to_pylist() for name in ("id", "status", "created_at")), strict=True
        ):
            self.state.open.pop(id_, None)
            if id_ and not machine.is_final(word):
                self.state.open[id_] = timestamps.to_text(created) if created else ""


def _split_by_day(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """The rows of a table by day of creation, `2026-01-31`, in order of appearance."""
    days = pc.fill_null(table["created_at"].cast(pa.date32()).cast(pa.string()), NO_DAY)
    for day in pc.unique(days).to_pylist():
        yield day, table.filter(pc.equal(days, day))


def _count_changes(old: pa.Table, now: pa.Table) -> int:
    """The number of rows whose status or update time has changed."""
    pairs = [
        set(zip(*(table[name].to_pylist() for name in ("id", "status", "updated_at")), strict=True))
        for table in (old, now)
    ]
    return len(pairs[0] - pairs[1])
