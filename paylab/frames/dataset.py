"""A dataset: partitioned Parquet, one file a day, kept up to date with the service."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import ConfigError
from ..spec import status, timestamps
from ..spec.paging import Order
from . import dask as across
from . import summaries
from .cursors import bodies
from .decode import Decoder, PagePart
from .pages import UNDECLARED, Cut, OrderWarning, Progress, Tally, read_pages
from .parquet import by_day, typed
from .schema import SCHEMAS, Kept, Schema
from .storage import Folder, storage

if TYPE_CHECKING:
    import dask.dataframe as dd


STATE = "_sync.json"
FINAL = {"transfers": status.TRANSFER, "conversions": status.CONVERSION}
PAGE = 100


class SyncedList(Protocol):
    """A list of the service: its pages and its single objects, as they were sent."""

    kind: Kept
    order: Order

    def fetch(self, cursor: str | None) -> bytes:
        """One page."""

    def one(self, id_: str) -> bytes | None:
        """One object; None when it cannot be had alone."""

    def origin(self) -> dict[str, Any]:
        """Where the rows come from."""


class Source(Protocol):
    """What a dataset syncs with: `lab.transfers` or `lab.conversions`."""

    def pull(self) -> Any:
        """The list."""


@dataclass(frozen=True)
class Synced:
    """What a sync did."""

    new: int
    updated: int
    pages: int


@dataclass
class State:
    """What is known after a sync: all rows up to `newest`, those of `open` not yet final."""

    kind: str = ""
    base_url: str = ""
    newest: str | None = None
    open: dict[str, str] = field(default_factory=dict)
    days: dict[str, int] = field(default_factory=dict)


class Dataset:
    """Transfers or conversions under an address, partitioned by day of creation.

    `address` is a folder, or anything fsspec knows, with `options` for it.
    """

    def __init__(self, address: str, **options: Any) -> None:
        self.address, self._options = str(address), options
        self._files = storage(self.address, options)

    def __repr__(self) -> str:
        return f"Dataset({self.address!r})"

    def sync(self, source: Source, progress: Progress | None = None) -> Synced:
        """Fetch what is new and what may have changed since the last time.

        Only what is new and still open is read when the source declares that its newest rows
        come first; of a list in an unknown order all rows are read, with an OrderWarning. Every
        day's file is replaced at once, so that a reader sees each row once at any moment.
        Interrupted, the next sync does again what is missing.
        """
        pull = source.pull()
        with self._files.locked():
            return _Sync(self, pull, self._state(pull), Tally(progress)).run()

    def summarize(
        self,
        by: Sequence[str] | str = ("status",),
        cluster: Any = None,
        *,
        tz: str = "UTC",
        sums: bool = True,
    ) -> pd.DataFrame:
        """`paylab.frames.summarize` over all days; on `cluster`, a Dask client or address."""
        groups = summaries.grouping(by, tz, sums=sums)
        if cluster is not None:
            found = across.on_cluster(cluster, across.partials, self.partitions(), groups=groups)
        elif isinstance(self._files, Folder) and self._files.path.is_dir():
            return summaries.of_folder(self.address, groups)
        else:
            found = [across.partials(each, groups) for each in self.partitions()]
        parts = list(chain.from_iterable(found))
        return summaries.merge(parts or [summaries.nothing(groups)], groups)

    def dask(self) -> dd.DataFrame:
        """All days as a lazy Dask frame; amounts exact, with room to add and sum."""
        return across.lazily(self.partitions())

    def partitions(self) -> list[across.Partition]:
        """The files of the days, oldest first."""
        names = self._files.names(".parquet")
        return [across.Partition(self.address, name, self._options) for name in names]

    def _state(self, pull: SyncedList) -> State:
        text = self._files.read(STATE)
        origin = pull.origin()["base_url"]
        state = State(**json.loads(text)) if text else State(pull.kind, origin)
        if (state.kind, state.base_url) != (pull.kind, origin):
            raise ConfigError(
                f"{self.address} holds {state.kind} of {state.base_url}; name another folder"
            )
        return state


@dataclass
class _Sync:
    """One run: walks the list, writes days as soon as they are complete, then the state."""

    dataset: Dataset
    pull: SyncedList
    state: State
    tally: Tally
    new: int = 0
    updated: int = 0
    newest: datetime | None = None
    _days: dict[str, list[pa.Table]] = field(default_factory=dict)

    def run(self) -> Synced:
        schema = SCHEMAS[self.pull.kind]
        waiting = dict(self.state.open)
        self.newest = timestamps.from_text(self.state.newest) if self.state.newest else None
        walk, cut = True, Cut()
        if self.pull.order == "newest_first":
            walk = self._walks_back(waiting)
            cut = Cut(since=self._since(waiting if walk else {}), order=self.pull.order)
        elif self.newest:
            warnings.warn(UNDECLARED, OrderWarning, stacklevel=3)
        for table in read_pages(bodies(self.pull.fetch), schema, _texts, self.tally, cut=cut):
            self._take(table, schema)
        if not walk:
            self._ask(set(waiting), schema)
        self._flush(set(self._days))
        self.state.newest = self._until()
        self.dataset._files.write(STATE, json.dumps(asdict(self.state)).encode())
        return Synced(self.new, self.updated, self.tally.pages)

    def _walks_back(self, waiting: dict[str, str]) -> bool:
        """Whether pages back to the oldest open row cost less than asking for each alone."""
        if not waiting or self.pull.kind == "conversions":  # which cannot be asked for alone
            return True
        oldest = min(waiting.values())[:10]  # empty where a time could not be read
        return sum(n for day, n in self.state.days.items() if day >= oldest) < PAGE * len(waiting)

    def _since(self, waiting: dict[str, str]) -> datetime | None:
        """The time from which rows are wanted; None for all of them."""
        texts = [self.state.newest, *waiting.values()]
        return min(map(timestamps.from_text, filter(None, texts))) if all(texts) else None

    def _until(self) -> str | None:
        """The time of the newest row; not in the future, or later rows would seem to be older."""
        now = self.pull.origin().get("fetched_at")
        times = [self.newest, timestamps.from_text(now) if now and self.newest else None]
        return timestamps.to_text(min(filter(None, times))) if self.newest else None

    def _ask(self, ids: set[str], schema: Schema) -> None:
        found = [body for body in map(self.pull.one, sorted(ids)) if body is not None]
        pages = [b'{"data":[' + body + b'],"has_next_page":false,"cursor":null}' for body in found]
        if pages:
            self._take(Decoder(schema).decode(pages).table, schema, count=False)

    def _take(self, texts: pa.Table, schema: Schema, *, count: bool = True) -> None:
        if not texts.num_rows:
            return
        rows = typed(texts, schema)
        self._note(rows)
        self.newest = max(
            filter(None, [self.newest, pc.max(rows["created_at"]).as_py()]), default=None
        )
        days = dict(by_day(rows))
        if count:
            self._flush({day for day in self._days if day > max(days)})
        for day, table in days.items():
            self._days.setdefault(day, []).append(table)

    def _note(self, rows: pa.Table) -> None:
        """Remember which rows may still change, and when they were created if that is known."""
        final = FINAL[self.pull.kind]
        for id_, word, created in zip(
            *(rows[name].to_pylist() for name in ("id", "status", "created_at")), strict=True
        ):
            self.state.open.pop(id_, None)
            if id_ and not final.is_final(word):
                self.state.open[id_] = timestamps.to_text(created) if created else ""

    def _flush(self, days: Iterable[str]) -> None:
        for day in sorted(days):
            self._write(day, _latest(pa.concat_tables(self._days.pop(day))))

    def _write(self, day: str, fresh: pa.Table) -> None:
        name = f"created_day={day}/part-0.parquet"
        before = self.dataset._files.read(name)
        table = fresh
        if before is not None:
            old = pq.read_table(BytesIO(before))
            again = pc.is_in(old["id"], value_set=fresh["id"].combine_chunks())
            self.updated += _changed(old.filter(again), fresh)
            table = pa.concat_tables([fresh, old.filter(pc.invert(again))])
            self.new -= old.filter(again).num_rows
        self.new += fresh.num_rows
        self.state.days[day] = table.num_rows
        self.dataset._files.write(name, _parquet(table.sort_by([("created_at", "descending")])))


def _texts(part: PagePart) -> pa.Table:
    return part.table


def _latest(rows: pa.Table) -> pa.Table:
    """Each row once: a list that changes while it is read may give one twice."""
    ids = pd.Series(rows["id"].to_pylist(), dtype=object)
    return rows.filter(pa.array(~ids.duplicated(keep="last") | ids.isna()))


def _changed(old: pa.Table, fresh: pa.Table) -> int:
    """How many rows have another status or time of update than before."""
    pairs = [
        set(zip(*(table[name].to_pylist() for name in ("id", "status", "updated_at")), strict=True))
        for table in (old, fresh)
    ]
    return len(pairs[0] - pairs[1])


def _parquet(table: pa.Table) -> bytes:
    sink = BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()
