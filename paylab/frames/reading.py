"""Which rows are wanted, and when no more of them can follow."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import PagingError
from ..spec.codes import PAGE_MAX
from ..spec.paging import MOST_EMPTY
from . import times
from .decode import Decoder, PagePart
from .pages import Tally, worked
from .schema import Schema

SURE = 8  # steps back in time: rows in no order begin with so many once in 362,880 lists


class OrderWarning(UserWarning):
    """A list that is not newest first, so that all of it is read to find the rows since a time."""


@dataclass
class RowOrder:
    """Whether the values of a column only fall, as far as they were seen."""

    falls: bool = True
    steps: int = 0
    last: int | None = None

    def add(self, instants: pa.ChunkedArray) -> None:
        """Look at the next values; missing ones say nothing."""
        values = instants.drop_null().cast(pa.int64()).to_numpy()
        if not len(values):
            return
        first = values[:1] if self.last is None else [self.last]
        changes = np.diff(np.concatenate([first, values]))
        self.falls = self.falls and not bool((changes > 0).any())
        self.steps += int((changes < 0).sum())
        self.last = int(values[-1])

    @property
    def is_sure(self) -> bool:
        """Whether this is no coincidence."""
        return self.falls and self.steps >= SURE


@dataclass
class Cut:
    """At most `limit` rows, none created before `since`, whatever the order of the list is.

    The reading ends early when the list was seen to be newest first, by creation or by update,
    and its last row is older than `since` by both: a row is not updated before it is created,
    so in either order no later row was created since then.
    """

    limit: int | None = None
    since: datetime | None = None
    kept: int = 0
    reached: bool = False
    _created: RowOrder = field(default_factory=RowOrder)
    _updated: RowOrder = field(default_factory=RowOrder)
    _is_partial: bool = False
    _told: bool = False

    def ahead(self, pending: int) -> bool:
        """Whether to fetch the next page while so many are not decoded yet."""
        if self.since is not None and self._has_order:
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

    @property
    def _has_order(self) -> bool:
        return self._created.falls or self._updated.falls

    def _newer(self, part: PagePart, since: datetime) -> pa.Table:
        """The rows that are new enough, and those whose time cannot be read."""
        created, updated = (_instants(part.table, name) for name in ("created_at", "updated_at"))
        self._created.add(created)
        self._updated.add(updated)
        start = pa.scalar(since, times.INSTANT)
        self.reached |= self._are_later_rows_older(int(start.value), updated)
        if not self._has_order and part.more and not self._told:
            self._told = True
            message = "the list is not newest first; all of it is read to find the rows since then"
            warnings.warn(message, OrderWarning, stacklevel=2)
        return part.table.filter(pc.fill_null(pc.greater_equal(created, start), True))

    def _are_later_rows_older(self, since: int, updated: pa.ChunkedArray) -> bool:
        last = self._updated.last if len(updated) and updated[-1].is_valid else self._created.last
        ends = (self._created.last, last)
        is_sure = self._created.is_sure or self._updated.is_sure
        return is_sure and all(end is not None and end < since for end in ends)


def _instants(table: pa.Table, name: str) -> pa.ChunkedArray:
    return times.read_times(table[name], name)


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
