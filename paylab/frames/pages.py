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
BATCH_PAGES = 24
"""Pages per batch: the first if the threads are idle, this many if they are busy."""
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
        for row_count in sizes:
            self.rows += row_count
            self.pages += 1
            if self.progress and self.progress(self.rows, self.pages) is False:
                self.stopped = True


@dataclass
class Worker:
    """Two threads that prepare batches of pages in parallel, and process them in order."""

    prepare: Callable[[Sequence[object]], Any]
    """Called with a batch of pages, in any order, by both threads at a time."""
    process: Callable[[Sequence[object], Any], Any]
    """Called with a batch and what `prepare` returned, in order, one call at a time."""
    _pool: Executor = field(default_factory=lambda: make_executor(THREADS, "paylab-pages"))
    _running: deque[Future[Any]] = field(default_factory=deque)
    _waiting: list[object] = field(default_factory=list)

    @property
    def pending(self) -> int:
        """The minimum number of pages without a result yet."""
        return len(self._waiting) + BATCH_PAGES * len(self._running)

    def add_page(self, page: object) -> None:
        """Add a page; work starts when a batch is complete."""
        self._waiting.append(page)
        batch_size = BATCH_PAGES if self._running else FIRST_BATCH_PAGES
        if len(self._waiting) >= batch_size:
            self.submit()

    def submit(self) -> None:
        """Start work on the waiting pages, if there are any."""
        if not self._waiting:
            return
        batch = self._waiting
        self._waiting = []
        earlier_future = self._running[-1] if self._running else None
        self._running.append(self._pool.submit(self._process_in_order, batch, earlier_future))

    def _process_in_order(self, batch: Sequence[object], earlier_future: Future[Any] | None) -> Any:
        """Prepare a batch at once, and process it after the one before it."""
        prepared_batch = self.prepare(batch)
        if earlier_future:
            earlier_future.result()  # in order; nothing more is done after a failure
        return self.process(batch, prepared_batch)

    def results(self, *, wait: bool) -> Iterator[Any]:
        """Yield finished results in order; with `wait`, all. At most two batches run."""
        if wait:
            self.submit()
        while self._running:
            must_wait = wait or len(self._running) > THREADS
            if not must_wait and not self._running[0].done():
                return
            yield self._running.popleft().result()

    def close(self) -> None:
        """Finish the pages that were taken, also after an error of a later one; stop the threads.

        So the rows that an interrupted call keeps do not depend on the speed of the threads.
        """
        self.submit()
        self._pool.shutdown()


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
    use_rows: Callable[[PagePart], object],
    tally: Tally,
    *,
    selection: Selection,
    extra: bool = False,
    as_json: bool = False,
) -> None:
    """Read the rows of all pages, in order, until the selection has all that it needs.

    A page is the service's body as bytes, or its parsed JSON. `use_rows` is called in other
    threads, one at a time and in order, with some pages each, while the next page is fetched here.
    """
    decoder = Decoder(schema, extra=extra, as_json=as_json)

    def process(
        batch: Sequence[object], quick_part: PagePart | None
    ) -> tuple[tuple[int, ...], bool]:
        """Use the rows of some pages; return the rows of each page, and whether more follow."""
        page_part = selection.apply(decoder.decode(batch, quick_part))
        use_rows(page_part)
        return page_part.sizes, page_part.more

    def count_results(*, wait: bool) -> None:
        """Count the pages that are processed; with `wait`, all that were added."""
        for sizes, has_more in worker.results(wait=wait):
            tally.add(sizes, complete=not has_more)

    with closing(Worker(decoder.decode_quickly, process)) as worker:
        for page in _until_interrupted(pages, keep=tally.progress is not None):
            worker.add_page(page)
            count_results(wait=not selection.may_prefetch(worker.pending))
            if selection.reached or tally.stopped:
                break
        count_results(wait=True)
