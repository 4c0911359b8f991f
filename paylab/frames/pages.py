"""Pages of a list as columns.

The next page is fetched while a thread decodes the last one. Reading stops at a limit or time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from ..runtime import make_executor
from .columns import Schema
from .decode import Decoder
from .selection import Selection
from .text_table import PagePart

Progress = Callable[[int, int], object]

FIRST_BATCH_PAGES = 16
BATCH_PAGES = 24  # pages per batch: when the threads are idle, and when they are busy
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
            self.rows = self.rows + rows
            self.pages = self.pages + 1
            if self.progress and self.progress(self.rows, self.pages) is False:
                self.stopped = True


@dataclass
class Worker:
    """Two threads that prepare batches of pages in parallel, and process them in order."""

    prepare: Callable[[Sequence[object]], Any]
    work: Callable[[Sequence[object], Any], Any]
    _pool: Executor = field(default_factory=lambda: make_executor(THREADS, "paylab-pages"))
    _running: deque[Future[Any]] = field(default_factory=deque)
    _waiting: list[object] = field(default_factory=list)

    @property
    def pending(self) -> int:
        """The minimum number of pages without a result yet."""
        return len(self._waiting) + BATCH_PAGES * len(self._running)

    def take(self, page: object) -> None:
        """Take a page; work starts when a batch is complete."""
        self._waiting.append(page)
        if len(self._waiting) >= (BATCH_PAGES if self._running else FIRST_BATCH_PAGES):
            self.submit()

    def submit(self) -> None:
        """Start work on the waiting pages."""
        if self._waiting:
            batch = self._waiting
            self._waiting = []
            earlier_run = self._running[-1] if self._running else None
            self._running.append(self._pool.submit(self._run, batch, earlier_run))

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


def read_pages(  # noqa: PLR0913 - what to read, what to keep of it, who watches
    pages: Iterable[object],
    schema: Schema,
    use: Callable[[PagePart], object],
    tally: Tally,
    *,
    selection: Selection,
    extra: bool = False,
    as_json: bool = False,
) -> None:
    """Use the rows of all pages, in order.

    A page is the service's body as bytes, or its parsed JSON. `use` is called in other threads,
    one at a time and in order, with some pages each, while the next page is fetched here.
    """
    decoder = Decoder(schema, extra=extra, as_json=as_json)

    def work(batch: Sequence[object], quick: PagePart | None) -> tuple[tuple[int, ...], bool]:
        part = selection.apply(decoder.decode(batch, quick))
        use(part)
        return part.sizes, part.more

    def count(*, wait: bool) -> None:
        for sizes, has_more in worker.results(wait=wait):
            tally.add(sizes, complete=not has_more)

    with closing(Worker(decoder.quick, work)) as worker:
        for page in _until_interrupted(pages, keep=tally.progress is not None):
            worker.take(page)
            count(wait=not selection.ahead(worker.pending))
            if selection.reached or tally.stopped:
                break
        count(wait=True)
