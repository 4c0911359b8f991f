"""Where to stop: after so many rows, or at the first that is too old."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc

from ..codes import PAGE_MAX
from . import times
from .decode import Part


@dataclass
class Cut:
    """At most `limit` rows, none created before `since`; lists are newest first."""

    limit: int | None = None
    since: datetime | None = None
    kept: int = 0
    reached: bool = False

    def ahead(self, pending: int) -> bool:
        """Whether the page after so many undecided ones is surely wanted."""
        if self.since is not None:
            return False
        return self.limit is None or self.kept + pending * PAGE_MAX < self.limit

    def apply(self, part: Part) -> Part:
        """The part without the rows that are not wanted."""
        left = part.table.num_rows if self.limit is None else self.limit - self.kept
        within = part.table.slice(0, left)
        table = within if self.since is None else within.filter(_since(within, self.since))
        self.kept += table.num_rows
        self.reached |= table.num_rows < part.table.num_rows or self.kept == self.limit
        more = part.more or table.num_rows < part.table.num_rows
        return replace(part, table=table, sizes=_fitted(part.sizes, table.num_rows), more=more)


def _since(table: pa.Table, since: datetime) -> pa.ChunkedArray:
    """True for rows that are new enough, and for those whose time cannot be read."""
    created = times.read(table["created_at"], "created_at")
    return pc.fill_null(pc.greater_equal(created, pa.scalar(since, times.INSTANT)), True)


def _fitted(sizes: tuple[int, ...], rows: int) -> tuple[int, ...]:
    """The rows of each page when only so many are left of all."""
    fitted = []
    for size in sizes:
        fitted.append(min(size, rows))
        rows -= fitted[-1]
    return tuple(fitted)
