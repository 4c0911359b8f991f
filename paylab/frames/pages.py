"""Pages of a list as columns.

The next page is fetched while a thread decodes the last one. Reading stops at a limit or time.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..spec.codes import PAGE_MAX
from ..spec.paging import Order
from . import columns as times
from .columns import Schema
from .decode import Decoder, PagePart

Progress = Callable[[int, int], object]
T = TypeVar("T")

FEW, MANY = 16, 24  # pages per batch: when the threads are idle, and when they are busy
THREADS = 2


@dataclass
class Tally:
    """Counts rows and pages, and whether the end of the list was reached.

    `progress(rows, pages)` is called after every page; when it returns False, fetching stops.
    """

    progress: Progress | None = None
    rows: int = 0
    pages: int = 0
    complete: bool = False
    stopped: bool = False

    def add(self, sizes: Iterable[int], *, complete: bool) -> None:
        """Count pages by their rows, and call `progress`."""
        self.complete = complete
        for rows in sizes:
            self.rows, self.pages = self.rows + rows, self.pages + 1
            if self.progress and self.progress(self.rows, self.pages) is False:
                self.stopped = True


@dataclass
class Worker:
    """Two threads that prepare batches of pages in parallel, and process them in order."""

    prepare: Callable[[Sequence[object]], Any]
    work: Callable[[Sequence[object], Any], Any]
    _pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, "paylab-pages")
    )
    _running: deque[Future[Any]] = field(default_factory=deque)
    _waiting: list[object] = field(default_factory=list)

    @property
    def pending(self) -> int:
        """The minimum number of pages without a result yet."""
        return len(self._waiting) + MANY * len(self._running)

    def take(self, page: object) -> None:
        """Take a page; work starts when a batch is complete."""
        self._waiting.append(page)
        if len(self._waiting) >= (MANY if self._running else FEW):
            self.submit()

    def submit(self) -> None:
        """Start work on the waiting pages."""
        if self._waiting:
            batch, self._waiting = self._waiting, []
            before = self._running[-1] if self._running else None
            self._running.append(self._pool.submit(self._run, batch, before))

    def _run(self, batch: Sequence[object], before: Future[Any] | None) -> Any:
        prepared = self.prepare(batch)
        if before:
            before.result()  # in order; nothing more is done after a failure
        return self.work(batch, prepared)

    def results(self, *, wait: bool) -> Iterator[Any]:
        """Yield finished results in order; with `wait`, all. At most two batches run."""
        if wait:
            self.submit()
        while self._running and (wait or self._running[0].done() or len(self._running) > THREADS):
            yield self._running.popleft().result()

    def close(self) -> None:
        """Stop the threads; pending work is cancelled."""
        self._pool.shutdown(cancel_futures=True)


def _until_interrupted(pages: Iterable[object], *, keep: bool) -> Iterator[object]:
    """The pages; with `keep`, an interrupt (Ctrl-C, a notebook's stop button) ends them."""
    try:
        yield from pages
    except KeyboardInterrupt:
        if not keep:
            raise


class OrderWarning(UserWarning):
    """The whole list is read to find rows since a time, because its order is not known."""


UNDECLARED = (
    "the order of the list is not known, so all of it is read; if you know that the service lists"
    ' the newest rows first, set lists.order = "newest_first" in service.toml, or connect with'
    ' list_order="newest_first"'
)
CONTRADICTED = "the list is not newest first as declared, so all of it is read"


@dataclass
class Cut:
    """Keeps at most `limit` rows, created at or after `since`, with one of `statuses` if given.

    Reading ends before the end of the list only if `order` is "newest_first", no row contradicted
    that, and the last row is older than `since`.
    """

    limit: int | None = None
    since: datetime | None = None
    order: Order = "unknown"
    statuses: frozenset[str] | None = None
    kept: int = 0
    reached: bool = False
    _last: int | None = None
    _is_partial: bool = False
    _has_warned: bool = False

    def ahead(self, pending: int) -> bool:
        """Whether to fetch the next page while `pending` pages are not decoded yet."""
        if self.since is not None and self.order == "newest_first":
            return False
        return self.limit is None or self.kept + pending * PAGE_MAX < self.limit

    def apply(self, part: PagePart) -> PagePart:
        """The part with only the wanted rows."""
        table = part.table if self.since is None else self._newer(part, self.since)
        if self.statuses is not None:
            table = table.filter(pc.is_in(table["status"], pa.array(sorted(self.statuses))))
        table = table if self.limit is None else table.slice(0, self.limit - self.kept)
        self.kept += table.num_rows
        self.reached |= self.kept == self.limit
        self._is_partial |= table.num_rows < part.table.num_rows
        sizes = _fitted(part.sizes, table.num_rows)
        return replace(part, table=table, sizes=sizes, more=part.more or self._is_partial)

    def _newer(self, part: PagePart, since: datetime) -> pa.Table:
        """The rows that are new enough, and those with an unreadable time."""
        created = times.read_times(part.table["created_at"], "created_at")
        start = pa.scalar(since, times.INSTANT)
        message = UNDECLARED
        if self.order == "newest_first" and not self._falls(created):
            self.order, message = "unknown", CONTRADICTED
        if self.order == "newest_first":
            self.reached |= self._last is not None and self._last < int(start.value)
        elif part.more and not self._has_warned:
            self._has_warned = True
            warnings.warn(message, OrderWarning, stacklevel=2)
        return part.table.filter(pc.fill_null(pc.greater_equal(created, start), True))

    def _falls(self, created: pa.ChunkedArray) -> bool:
        """Whether times never increase, starting from the last known one; ignores missing times."""
        values = created.drop_null().cast(pa.int64()).to_numpy()
        if not len(values):
            return True
        before = values[:1] if self._last is None else [self._last]
        self._last = int(values[-1])
        return not bool((np.diff(np.concatenate([before, values])) > 0).any())


def _fitted(sizes: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """The numbers of rows per page after cutting the total."""
    fitted = []
    for size in sizes:
        fitted.append(min(size, rows))
        rows -= fitted[-1]
    return tuple(fitted)


def read_pages(  # noqa: PLR0913 - what to read, what to keep of it, who watches
    pages: Iterable[object],
    schema: Schema,
    use: Callable[[PagePart], T],
    tally: Tally,
    *,
    cut: Cut,
    extra: bool = False,
) -> Iterator[T]:
    """Yield the results of `use` on the rows of all pages, in order.

    A page is the service's body as bytes, or its parsed JSON. `use` is called in other threads,
    one at a time and in order, with some pages each, while the next page is fetched here.
    """
    decoder = Decoder(schema, extra=extra)

    def work(batch: Sequence[object], quick: PagePart | None) -> tuple[T, tuple[int, ...], bool]:
        part = cut.apply(decoder.decode(batch, quick))
        return use(part), part.sizes, part.more

    def counted(*, wait: bool) -> Iterator[T]:
        for made, sizes, more in worker.results(wait=wait):
            tally.add(sizes, complete=not more)
            yield made

    with closing(Worker(decoder.quick, work)) as worker:
        for page in _until_interrupted(pages, keep=tally.progress is not None):
            worker.take(page)
            yield from counted(wait=not cut.ahead(worker.pending))
            if cut.reached or tally.stopped:
                break
        yield from counted(wait=True)
