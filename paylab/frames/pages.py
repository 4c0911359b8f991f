"""Pages worked on by one thread, in order, while the next ones are fetched."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

Row = dict[str, Any]
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
