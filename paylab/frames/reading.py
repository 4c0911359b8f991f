"""Pages read into columns: fetched here, decoded in a thread beside, up to a limit or a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import PagingError
from ..spec.codes import PAGE_MAX
from ..spec.paging import MOST_EMPTY, Order
from . import times
from .decode import Decoder, PagePart
from .pages import Tally, worked
from .schema import Schema


class OrderWarning(UserWarning):
    """All of a list is read to find the rows since a time, because its order is not known."""


UNDECLARED = (
    "the order of the list is not known, so all of it is read; if you know that the service lists"
    ' the newest rows first, connect with list_order="newest_first"'
)
CONTRADICTED = "the list is not newest first as declared, so all of it is read"


@dataclass
class Cut:
    """At most `limit` rows, none created before `since`, whatever the order of the list is.

    The reading ends before the end of the list only when `order` declares that the newest rows
    come first, no row contradicted that, and the last row is older than `since`.
    """

    limit: int | None = None
    since: datetime | None = None
    order: Order = "unknown"
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
        table = table if self.limit is None else table.slice(0, self.limit - self.kept)
        self.kept += table.num_rows
        self.reached |= self.kept == self.limit
        self._is_partial |= table.num_rows < part.table.num_rows
        sizes = _fitted(part.sizes, table.num_rows)
        return replace(part, table=table, sizes=sizes, more=part.more or self._is_partial)

    def _newer(self, part: PagePart, since: datetime) -> pa.Table:
        """The rows that are new enough, and those whose time cannot be read."""
        created = times.read_times(part.table["created_at"], "created_at")
        start = pa.scalar(since, times.INSTANT)
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


T = TypeVar("T")


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
