"""Pages of a list as columns.

The next page is fetched while a thread decodes the last one. Reading stops at a limit or a time.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import PagingError
from ..spec.codes import PAGE_MAX
from ..spec.paging import MOST_EMPTY, Order
from . import schema
from .decode import Decoder, PagePart
from .schema import Schema

Progress = Callable[[int, int], object]
T = TypeVar("T")

FEW, MANY = 8, 24  # pages worked on at a time: when the thread is idle, and when it is busy


@dataclass
class Tally:
    """What went by: rows, pages, and whether the last page said it was the last.

    `progress(rows, pages)` is called after every page; when it returns False no more pages are
    asked for.
    """

    progress: Progress | None = None
    rows: int = 0
    pages: int = 0
    complete: bool = False
    stopped: bool = False

    def add(self, sizes: Iterable[int], *, complete: bool) -> None:
        """Count pages by their rows, and tell whoever watches."""
        self.complete = complete
        for rows in sizes:
            self.rows, self.pages = self.rows + rows, self.pages + 1
            if self.progress and self.progress(self.rows, self.pages) is False:
                self.stopped = True


@dataclass
class Worker:
    """One thread that works on batches of pages in the order in which they came."""

    work: Callable[[Sequence[object]], Any]
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "paylab-pages"))
    _running: deque[Future[Any]] = field(default_factory=deque)
    _waiting: list[object] = field(default_factory=list)

    @property
    def pending(self) -> int:
        """Pages taken whose result was not given out yet, at least."""
        return len(self._waiting) + MANY * len(self._running)

    def take(self, page: object) -> None:
        """Take a page; work begins when there are enough for it to pay."""
        self._waiting.append(page)
        if len(self._waiting) >= (MANY if self._running else FEW):
            self.submit()

    def submit(self) -> None:
        """Begin work on what waits."""
        if self._waiting:
            batch, self._waiting = self._waiting, []
            self._running.append(self._pool.submit(self.work, batch))

    def results(self, *, wait: bool) -> Iterator[Any]:
        """What is done, in order; with `wait`, all of it. At most two batches are under way."""
        if wait:
            self.submit()
        while self._running and (wait or self._running[0].done() or len(self._running) > 1):
            yield self._running.popleft().result()

    def close(self) -> None:
        """End the thread; what nobody asked for any more is left undone."""
        self._pool.shutdown(cancel_futures=True)


def worked(
    pages: Iterable[object],
    work: Callable[[Sequence[object]], T],
    stop: Callable[[], bool] = lambda: False,
    ahead: Callable[[int], bool] = lambda pending: True,
    *,
    keep: bool = False,
) -> Iterator[T]:
    """The results of `work` on batches of pages; the next page is fetched meanwhile.

    `stop()` ends the fetching; `ahead(pending)` says whether to fetch while so many pages wait.
    With `keep`, an interrupt (Ctrl-C, a notebook's stop button) only ends the fetching as well.
    """
    worker = Worker(work)
    try:
        for page in _until_interrupted(pages, keep):
            worker.take(page)
            yield from worker.results(wait=not ahead(worker.pending))
            if stop():
                break
        yield from worker.results(wait=True)
    finally:
        worker.close()


def _until_interrupted(pages: Iterable[object], keep: bool) -> Iterator[object]:
    try:
        yield from pages
    except KeyboardInterrupt:
        if not keep:
            raise


class OrderWarning(UserWarning):
    """All of a list is read to find the rows since a time, because its order is not known."""


UNDECLARED = (
    "the order of the list is not known, so all of it is read; if you know that the service lists"
    ' the newest rows first, set lists.order = "newest_first" in service.toml, or connect with'
    ' list_order="newest_first"'
)
CONTRADICTED = "the list is not newest first as declared, so all of it is read"


@dataclass
class Cut:
    """At most `limit` rows, none created before `since`, with one of `statuses` if they are given.

    The reading ends before the end of the list only when `order` declares that the newest rows
    come first, no row contradicted that, and the last row is older than `since`.
    """

    limit: int | None = None
    since: datetime | None = None
    order: Order = "unknown"
    statuses: frozenset[str] | None = None
    kept: int = 0
    reached: bool = False
    _last: int | None = None
    _is_partial: bool = False
    _told: bool = False

    def ahead(self, pending: int) -> bool:
        """Whether to fetch the next page while so many are not decoded yet."""
        if self.since is not None and self.order == "newest_first":
            return False
        return self.limit is None or self.kept + pending * PAGE_MAX < self.limit

    def apply(self, part: PagePart) -> PagePart:
        """The part without the rows that are not wanted."""
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
        """The rows that are new enough, and those whose time cannot be read."""
        created = schema.read_times(part.table["created_at"], "created_at")
        start = pa.scalar(since, schema.INSTANT)
        message = UNDECLARED
        if self.order == "newest_first" and not self._falls(created):
            self.order, message = "unknown", CONTRADICTED
        if self.order == "newest_first":
            self.reached |= self._last is not None and self._last < int(start.value)
        elif part.more and not self._told:
            self._told = True
            warnings.warn(message, OrderWarning, stacklevel=2)
        return part.table.filter(pc.fill_null(pc.greater_equal(created, start), True))

    def _falls(self, created: pa.ChunkedArray) -> bool:
        """Whether the times never rise, from the last one seen on; missing ones say nothing."""
        values = created.drop_null().cast(pa.int64()).to_numpy()
        if not len(values):
            return True
        before = values[:1] if self._last is None else [self._last]
        self._last = int(values[-1])
        return not bool((np.diff(np.concatenate([before, values])) > 0).any())


def _fitted(sizes: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """The rows of each page when only so many are left of all."""
    fitted = []
    for size in sizes:
        fitted.append(min(size, rows))
        rows -= fitted[-1]
    return tuple(fitted)


@dataclass
class Empty:
    """Counts pages without rows: a list that holds nothing else has no end."""

    pages: int = 0

    def add(self, sizes: Iterable[int]) -> None:
        """Count some pages by their rows; PagingError when too many in a row have none."""
        for rows in sizes:
            self.pages = 0 if rows else self.pages + 1
            if self.pages > MOST_EMPTY:
                raise PagingError(f"the list gave {self.pages} empty pages in a row and goes on")


def read_pages(  # noqa: PLR0913 - what to read, what to keep of it, who watches
    pages: Iterable[object],
    schema: Schema,
    use: Callable[[PagePart], T],
    tally: Tally,
    *,
    cut: Cut | None = None,
    extra: bool = False,
) -> Iterator[T]:
    """What `use` makes of the rows of all pages, in order.

    A page is the service's body as bytes, or its parsed JSON. `use` is called in one other
    thread, with some pages at a time, while the next page is fetched here.
    """
    limits, decoder, empty = cut or Cut(), Decoder(schema, extra=extra), Empty()

    def work(batch: Sequence[object]) -> tuple[T, tuple[int, ...], bool]:
        decoded = decoder.decode(batch)
        empty.add(decoded.sizes)
        part = limits.apply(decoded)
        return use(part), part.sizes, part.more

    def enough() -> bool:
        return limits.reached or tally.stopped

    watched = tally.progress is not None
    for made, sizes, more in worked(pages, work, enough, limits.ahead, keep=watched):
        tally.add(sizes, complete=not more)
        yield made
