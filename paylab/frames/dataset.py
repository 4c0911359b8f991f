"""A dataset: partitioned Parquet, one file per day, kept up to date with the service."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError, OptionError, PaylabWarning, Problem, warn_caller
from ..errors.names import with_name_suggestions
from ..runtime import make_executor
from ..storage.addresses import write_address
from ..storage.stores import Folder, open_store
from . import summaries, times
from .column_choice import Names
from .columns import SCHEMAS, likeliest_schema
from .extract import Extract
from .pages import Progress, Tally
from .parquet_files import make_frame, read_part
from .parquet_types import Scale, polars_frame
from .partitions import (
    Partition,
    make_lazy_frame,
    on_cluster,
    summarize_partition_at_once,
    summarize_partition_in_parts,
)
from .results import SyncResult
from .sync import OVERLAP, Source, Sync, SyncedList
from .sync_state import PARQUET, STATE, State, file_schema, read_state
from .text_table import EXTRA

if TYPE_CHECKING:
    import dask.dataframe as dd
    import polars as pl


ACCOUNTS_AT_ONCE = 8  # accounts, when no cluster is given


@with_name_suggestions
@explain_arguments
class Dataset:
    """Transfers or conversions under an address, partitioned by day of creation.

    `address` is a folder or an fsspec URL with `options`. Amounts are DECIMAL(24, 6), rates
    DECIMAL(13, 8), in every file; `scale` are other decimals, of all amounts or by column, and are
    fixed when the dataset is made. Without it, a value that needs more rewrites all files with
    DECIMAL(38, 18), with a WiderDecimalWarning. The column `extra` has the fields that paylab does
    not know, as JSON. What a sync knows is in the file `FOLDER.sync.json` beside the folder.
    """

    def __init__(self, address: str, *, scale: Scale = None, **options: object) -> None:
        """Name the folder; nothing is read yet. `options` are those of its file system.

        `scale` are the decimals of amounts in a new dataset; ConfigError for an empty address.
        """
        if not str(address).strip():
            raise ConfigError("the address is empty: name a folder")
        self.address = str(address)
        self._options = options
        self._scale = scale
        self._files = open_store(self.address, options)

    def __repr__(self) -> str:
        return f"Dataset({write_address(self.address)!r})"

    def sync(
        self,
        source: Source,
        progress: Progress | None = None,
        *,
        overlap: timedelta | str = OVERLAP,
        full: bool = False,
    ) -> SyncResult:
        """Fetch new rows and rows that may have changed since the last sync.

        If the source declares newest first, these rows are read: those created since the newest
        known row, those of the `overlap` before it, and older ones that were not final. A row that
        appears late, or a final row that changes, is found if it was created within the overlap.
        `full=True` reads all rows, and removes those that the service does not list any more. For
        a list in an unknown order all rows are read, with an OrderWarning. A row that the list
        repeats is stored once, with its newest `updated_at`.
        Each day's file is replaced atomically, so that a reader always sees each row once. After
        an interruption, the next sync continues.

        >>> paylab.frames.Dataset("days").sync(lab.transfers)
        SyncResult(new=130, updated=0, pages=2, removed=0)
        """
        synced_list = source.pull()
        overlap_duration = times.read_timedelta(overlap, "overlap")
        with self._files.locked():
            state = self._open_state(synced_list)
            sync = Sync(self._files, pull=synced_list, state=state, tally=Tally(progress))
            return sync.run(overlap_duration, full=full)

    def frame(
        self,
        *,
        since: date | str | None = None,
        until: date | str | None = None,
        columns: Names | None = None,
    ) -> pd.DataFrame:
        """The rows created from `since` to before `until` as an exact frame.

        Files of other days are not opened. `columns` are the names of the columns to read. The
        columns are those of `lab.transfers.frame()`, and `extra` if the rows have unknown fields.

        >>> len(dataset.frame(since="2026-01-01", columns=["id", "status"]).columns)
        2
        """
        extract = Extract.from_arguments(since, until, columns)
        table = self._read_rows(extract)
        schema = SCHEMAS[self._find_kind(table)]
        has_empty_extra = EXTRA in table.column_names and not table[EXTRA].drop_null()
        if extract.columns is None and has_empty_extra:
            table = table.drop_columns(EXTRA)
        return make_frame(table, schema, extract.columns)

    def to_arrow(
        self,
        *,
        since: date | str | None = None,
        until: date | str | None = None,
        columns: Names | None = None,
    ) -> pa.Table:
        """The rows as an Arrow table, in the types of the files; see `frame`.

        Arrow's own `mean` is cut to the decimals of the column, and its quantiles are floats.

        >>> dataset.to_arrow(columns=["id"]).num_rows
        130
        """
        extract = Extract.from_arguments(since, until, columns)
        table = self._read_rows(extract)
        if extract.columns is None:
            return table
        # In the order asked for, and without columns that only the period needed.
        return table.select(extract.columns)

    def to_polars(
        self,
        *,
        since: date | str | None = None,
        until: date | str | None = None,
        columns: Names | None = None,
    ) -> pl.DataFrame:
        """The rows as a polars frame, in the types of the files; see `frame`.

        >>> dataset.to_polars(columns="id").height
        130
        """
        return polars_frame(self.to_arrow(since=since, until=until, columns=columns))

    def _read_rows(self, extract: Extract) -> pa.Table:
        """The rows of a part; without files, a table of the usual columns without rows.

        A PaylabWarning if nothing was ever synced.
        """
        table = read_part(self._files, self._files.names(PARQUET), self.address, extract)
        if table.num_columns:
            return table
        if read_state(self._files) is None:
            message = f"{self!r} is empty: check the folder, or fill it with .sync(lab.transfers)"
            warn_caller(message, PaylabWarning)
        schema = SCHEMAS[self._find_kind(table)]
        empty_table = file_schema(schema, self._scale).empty_table()
        return empty_table.select(extract.choose_columns(empty_table.column_names))

    def _find_kind(self, table: pa.Table) -> str:
        """The kind of the rows, as at the last sync; if there was none, the columns decide."""
        state = read_state(self._files)
        return state.kind if state else likeliest_schema(table.column_names).name

    def summarize(
        self,
        by: Sequence[str] | str = ("status",),
        cluster: object = None,
        *,
        tz: str = "UTC",
        sums: bool = True,
    ) -> pd.DataFrame:
        """`paylab.frames.summarize` over all days; on `cluster`, a Dask client or address.

        >>> dataset.summarize(by="status")["rows"].sum()
        130
        """
        row_grouping = summaries.grouping(by, tz, sums=sums)
        if cluster is None and isinstance(self._files, Folder) and self._files.path.is_dir():
            return summaries.summarize_folder(str(self._files.path), row_grouping)
        if cluster is not None and row_grouping.is_daily:  # no list of times has to be sent
            daily_summaries = on_cluster(
                cluster, summarize_partition_at_once, self.partitions(), groups=row_grouping
            )
            summary = summaries.join_partitions(daily_summaries, row_grouping)
            if summary is not None:
                return summary
        partial_summaries = on_cluster(
            cluster, summarize_partition_in_parts, self.partitions(), groups=row_grouping
        )
        return summaries.merge_partials(list(chain.from_iterable(partial_summaries)), row_grouping)

    def dask(self) -> dd.DataFrame:
        """All days as a lazy Dask frame, with exact amounts and sums.

        Sums do not warn of several currencies, and Dask has no quantiles of amounts.

        >>> dataset.dask()  # doctest: +SKIP
        """
        return make_lazy_frame(self.partitions())

    def partitions(self) -> list[Partition]:
        """The files of the days, oldest first.

        >>> len(dataset.partitions()) > 10
        True
        """
        file_names = self._files.names(PARQUET)
        return [Partition(self.address, file_name, self._options) for file_name in file_names]

    def _open_state(self, synced_list: SyncedList) -> State:
        """The state of the last sync, or a new one.

        ConfigError if the dataset has rows of another list, service, account or scale.
        """
        base_url = synced_list.origin()["base_url"]
        account_id = synced_list.account
        # If all files were removed, the rows are not known any more.
        known_state = read_state(self._files) if self._files.names(PARQUET) else None
        state = known_state or State(synced_list.kind, base_url, account_id)
        held_text = f"{write_address(self.address)} holds {state.kind} of"
        if (state.kind, state.base_url) != (synced_list.kind, base_url):
            raise ConfigError(f"{held_text} {state.base_url}; name another folder")
        if state.account not in ("", account_id):
            state_file_name = self._files.note_name(STATE).removeprefix("../")
            raise ConfigError(
                f"{held_text} another account of {base_url}; name another folder, or, if only the "
                f"key is new, delete {state_file_name}"
            )
        state.account = account_id
        state.fix_columns(self._files, self._scale)
        return state


@dataclass
class PacedSource:
    """A list with a limit of requests per second; also its own source.

    `gap` are the seconds between the begins of two requests.
    """

    inner: SyncedList
    gap: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _next_request_at: float = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def pull(self) -> PacedSource:
        """The list itself."""
        return self

    def fetch(self, cursor: str | None) -> bytes:
        """One page, after the required pause."""
        self._wait_for_turn()
        return self.inner.fetch(cursor)

    def one(self, id_: str) -> bytes | None:
        """One object, after the required pause."""
        self._wait_for_turn()
        return self.inner.one(id_)

    def _wait_for_turn(self) -> None:
        """Sleep until the next request may be sent."""
        now = self.clock()
        if now < self._next_request_at:
            self.sleep(self._next_request_at - now)
        self._next_request_at = max(now, self._next_request_at) + self.gap


def from_profile(profile: str) -> Any:
    """The transfers of a profile; secrets are read on the machine where the task runs."""
    return import_module("paylab").connect(profile=profile).transfers


@explain_arguments
def collect_accounts(  # noqa: PLR0913 - which accounts, where to, how fast, and how much
    profiles: Sequence[str],
    into: str,
    *,
    per_second: float = 5.0,
    cluster: object = None,
    source: Callable[[str], Any] = from_profile,
    overlap: timedelta | str = OVERLAP,
    full: bool = False,
) -> dict[str, SyncResult]:
    """Sync the transfers of each profile into `into/PROFILE`, many at once.

    Each account is one task: its requests are sequential, at most `per_second`. `overlap` and
    `full` are those of `Dataset.sync`.
    On `cluster` (a Dask client or address) the tasks run there, otherwise in threads.
    """
    profile_names = list(dict.fromkeys(profiles))
    problems = [
        Problem("profiles", f"{profile_name!r} cannot name a folder")
        for profile_name in profile_names
        if not profile_name.strip(".") or "/" in profile_name or "\\" in profile_name
    ]
    if problems:
        raise OptionError(problems)
    option_by_name = {"overlap": overlap, "full": full}
    sync_profile = partial(
        _sync_profile, into=into, gap=1 / per_second, source=source, sync_options=option_by_name
    )
    if cluster is not None:
        sync_results = on_cluster(cluster, sync_profile, profile_names)
    else:
        with make_executor(ACCOUNTS_AT_ONCE, "paylab-accounts") as executor:
            sync_results = list(executor.map(sync_profile, profile_names))
    return dict(zip(profile_names, sync_results, strict=True))


def _sync_profile(
    profile_name: str,
    into: str,
    gap: float,
    source: Callable[[str], Any],
    sync_options: dict[str, Any],
) -> SyncResult:
    """Sync the transfers of one profile; `gap` are the seconds between two requests."""
    dataset = Dataset(f"{into.rstrip('/')}/{profile_name}")
    paced_source = PacedSource(source(profile_name).pull(), gap)
    return dataset.sync(paced_source, **sync_options)
