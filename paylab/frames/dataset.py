"""A dataset: partitioned Parquet, one file per day, kept up to date with the service."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import partial
from importlib import import_module
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import ConfigError, Problem, RuleError
from ..spec import status, timestamps
from ..spec.codes import PAGE_MAX
from ..spec.paging import Order
from . import summaries
from .columns import SCHEMAS, Kept, Schema
from .decode import Decoder, bodies
from .files import by_day, typed
from .pages import UNDECLARED, Cut, OrderWarning, Progress, Tally, read_pages
from .partitions import Folder, Partition, lazily, on_cluster, partials, storage, whole_partition

if TYPE_CHECKING:
    import dask.dataframe as dd


STATE = "_sync.json"
AT_ONCE = 8  # accounts, when no cluster is given


class SyncedList(Protocol):
    """A list of the service: its pages and objects, as they were sent."""

    kind: Kept
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
class Synced:
    """The result of a sync."""

    new: int
    updated: int
    pages: int


@dataclass
class State:
    """The state after a sync: all rows up to `newest` are known, those in `open` are not final.

    Folders of older versions have no account: the next sync adopts one.
    """

    kind: str = ""
    base_url: str = ""
    account: str = ""
    newest: str | None = None
    open: dict[str, str] = field(default_factory=dict)
    days: dict[str, int] = field(default_factory=dict)


class Dataset:
    """Transfers or conversions under an address, partitioned by day of creation.

    `address` is a folder or an fsspec URL with `options`.
    """

    def __init__(self, address: str, **options: Any) -> None:
        self.address, self._options = str(address), options
        if not self.address.strip():
            raise ConfigError("the address is empty: name a folder")
        self._files = storage(self.address, options)

    def __repr__(self) -> str:
        return f"Dataset({self.address!r})"

    def sync(self, source: Source, progress: Progress | None = None) -> Synced:
        """Fetch new rows and rows that may have changed since the last sync.

        If the source declares newest first, only new and open rows are read; for a list in an
        unknown order all rows are read, with an OrderWarning. Each day's file is replaced
        atomically, so that a reader always sees each row once. After an interruption, the next
        sync continues.

        >>> paylab.frames.Dataset("days").sync(lab.transfers)
        Synced(new=130, updated=0, pages=2)
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
        """`paylab.frames.summarize` over all days; on `cluster`, a Dask client or address.

        >>> dataset.summarize(by="status")["rows"].sum()
        130
        """
        groups = summaries.grouping(by, tz, sums=sums)
        if cluster is None and isinstance(self._files, Folder) and self._files.path.is_dir():
            return summaries.of_folder(self.address, groups)
        if cluster is not None and groups.is_daily:  # no list of times has to be sent
            days = on_cluster(cluster, whole_partition, self.partitions(), groups=groups)
            summary = summaries.joined(days, groups)
            if summary is not None:
                return summary
        found = on_cluster(cluster, partials, self.partitions(), groups=groups)
        parts = list(chain.from_iterable(found))
        return summaries.merge(parts or [summaries.nothing(groups)], groups)

    def dask(self) -> dd.DataFrame:
        """All days as a lazy Dask frame; amounts are exact, with enough digits for sums.

        >>> dataset.dask()  # doctest: +SKIP
        """
        return lazily(self.partitions())

    def partitions(self) -> list[Partition]:
        """The files of the days, oldest first.

        >>> len(dataset.partitions()) > 10
        True
        """
        names = self._files.names(".parquet")
        return [Partition(self.address, name, self._options) for name in names]

    def _state(self, pull: SyncedList) -> State:
        text = self._files.read(STATE)
        url, account = pull.origin()["base_url"], pull.account
        state = State(**json.loads(text)) if text else State(pull.kind, url, account)
        theirs = f"{self.address} holds {state.kind} of"
        if (state.kind, state.base_url) != (pull.kind, url):
            raise ConfigError(f"{theirs} {state.base_url}; name another folder")
        if state.account not in ("", account):
            again = f"or, if only the key is new, delete {STATE} in it"
            raise ConfigError(f"{theirs} another account of {url}; name another folder, {again}")
        state.account = account
        return state

    def _store(self, state: State) -> None:
        self._files.write(STATE, json.dumps(asdict(state)).encode())


@dataclass
class _Sync:
    """A sync in progress: reads the list, writes each day when it is complete, then the state."""

    dataset: Dataset
    pull: SyncedList
    state: State
    tally: Tally
    new: int = 0
    updated: int = 0
    newest: datetime | None = None
    _begun: State | None = None
    _days: dict[str, list[pa.Table]] = field(default_factory=dict)

    def run(self) -> Synced:
        schema = SCHEMAS[self.pull.kind]
        waiting = dict(self.state.open)
        self._begun = replace(self.state, open=waiting, days=dict(self.state.days))
        self.newest = timestamps.from_text(self.state.newest) if self.state.newest else None
        walk, cut = True, Cut()
        if self.pull.order == "newest_first":
            walk = self._walks_back(waiting)
            cut = Cut(since=self._since(waiting if walk else {}), order=self.pull.order)
        elif self.newest:
            warnings.warn(UNDECLARED, OrderWarning, stacklevel=3)
        pages = bodies(self.pull.fetch)
        for table in read_pages(pages, schema, lambda part: part.table, self.tally, cut=cut):
            self._take(table, schema)
        if not walk:
            self._ask(set(waiting), schema)
        self._flush(set(self._days))
        self.state.newest = self._until()
        self.dataset._store(self.state)
        return Synced(self.new, self.updated, self.tally.pages)

    def _walks_back(self, waiting: dict[str, str]) -> bool:
        """Whether reading pages back to the oldest open row costs less than reading rows alone."""
        if not waiting or self.pull.kind == "conversions":  # single rows cannot be read
            return True
        oldest = min(waiting.values())[:10]  # empty if a time was unreadable
        return sum(n for day, n in self.state.days.items() if day >= oldest) < PAGE_MAX * len(
            waiting
        )

    def _since(self, waiting: dict[str, str]) -> datetime | None:
        """The time from which to read rows; None for all."""
        texts = [self.state.newest, *waiting.values()]
        return min(map(timestamps.from_text, filter(None, texts))) if all(texts) else None

    def _until(self) -> str | None:
        """The time of the newest row, at most now, or later rows would seem to be older."""
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
        times = [self.newest, pc.max(rows["created_at"]).as_py()]
        self.newest = max(filter(None, times), default=None)
        days = dict(by_day(rows))
        if count:
            self._flush({day for day in self._days if day > max(days)})
        for day, table in days.items():
            self._days.setdefault(day, []).append(table)

    def _note(self, rows: pa.Table) -> None:
        """Store the rows that may still change, with their time of creation if known."""
        machine = status.MACHINES[self.pull.kind]
        for id_, word, created in zip(
            *(rows[name].to_pylist() for name in ("id", "status", "created_at")), strict=True
        ):
            self.state.open.pop(id_, None)
            if id_ and not machine.is_final(word):
                self.state.open[id_] = timestamps.to_text(created) if created else ""

    def _flush(self, days: Iterable[str]) -> None:
        for day in sorted(days):
            self._write(day, _latest(pa.concat_tables(self._days.pop(day))))

    def _write(self, day: str, fresh: pa.Table) -> None:
        if self._begun:  # before any row, so that no other account continues an interrupted sync
            self.dataset._store(self._begun)
            self._begun = None
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
        sink = BytesIO()
        pq.write_table(table.sort_by([("created_at", "descending")]), sink, compression="zstd")
        self.dataset._files.write(name, sink.getvalue())


def _latest(rows: pa.Table) -> pa.Table:
    """Each row once: a list that changes while it is read may repeat rows."""
    ids = pd.Series(rows["id"].to_pylist(), dtype=object)
    return rows.filter(pa.array(~ids.duplicated(keep="last") | ids.isna()))


def _changed(old: pa.Table, fresh: pa.Table) -> int:
    """The number of rows whose status or update time has changed."""
    pairs = [
        set(zip(*(table[name].to_pylist() for name in ("id", "status", "updated_at")), strict=True))
        for table in (old, fresh)
    ]
    return len(pairs[0] - pairs[1])


@dataclass
class Paced:
    """A list with a limit of requests per second; also its own source."""

    inner: SyncedList
    gap: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _next: float = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def pull(self) -> Paced:
        """The list itself."""
        return self

    def fetch(self, cursor: str | None) -> bytes:
        """One page, after the required pause."""
        self._wait()
        return self.inner.fetch(cursor)

    def one(self, id_: str) -> bytes | None:
        """One object, after the required pause."""
        self._wait()
        return self.inner.one(id_)

    def _wait(self) -> None:
        now = self.clock()
        if now < self._next:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + self.gap


def from_profile(profile: str) -> Any:
    """The transfers of a profile; secrets are read on the machine where the task runs."""
    return import_module("paylab").connect(profile=profile).transfers


def collect_accounts(
    profiles: Sequence[str],
    into: str,
    *,
    per_second: float = 5.0,
    cluster: Any = None,
    source: Callable[[str], Any] = from_profile,
) -> dict[str, Synced]:
    """Sync the transfers of each profile into `into/PROFILE`, many at once.

    Each account is one task: its requests are sequential, at most `per_second`.
    On `cluster` (a Dask client or address) the tasks run there, otherwise in threads.
    """
    names = list(dict.fromkeys(profiles))
    _refuse(names)
    work = partial(_collect, into=into, gap=1 / per_second, source=source)
    if cluster is not None:
        done = on_cluster(cluster, work, names)
    else:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            done = list(threads.map(work, names))
    return dict(zip(names, done, strict=True))


def _collect(name: str, into: str, gap: float, source: Callable[[str], Any]) -> Synced:
    return Dataset(f"{into.rstrip('/')}/{name}").sync(Paced(source(name).pull(), gap))


def _refuse(names: Sequence[str]) -> None:
    """RuleError for profile names that are not valid folder names."""
    bad = [name for name in names if not name.strip(".") or "/" in name or "\\" in name]
    if bad:
        raise RuleError([Problem("profiles", f"{name!r} cannot name a folder") for name in bad])
