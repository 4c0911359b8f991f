"""The rows of a list to keep: a limit and a filter; and when reading can end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors.base import PaylabWarning, warn_caller
from ..spec.codes import PAGE_MAX
from ..spec.row_filter import RowFilter
from ..spec.service.lists import Order
from . import times
from .text_table import PagePart


class OrderWarning(PaylabWarning):
    """The whole list is read to find rows since a time, because its order is not known."""


UNDECLARED = (
    "the order of the list is not known, so all of it is read; if you know that the service lists"
    ' the newest rows first, set lists.order = "newest_first" in service.toml, or connect with'
    ' list_order="newest_first"'
)
CONTRADICTED = "the list is not newest first as declared, so all of it is read"


@dataclass
class Selection:
    """Keeps at most `limit` ids of the rows that a filter keeps.

    Reading ends before the end of the list only if `order` is "newest_first", no row contradicted
    that, and the last row is older than the filter's `since`.
    """

    limit: int | None = None
    row_filter: RowFilter = field(default_factory=RowFilter)
    order: Order = "unknown"
    kept: int = 0
    reached: bool = False
    _ids: set[str] = field(default_factory=set)
    _last_microseconds: int | None = None
    _has_dropped: bool = False
    _has_warned: bool = False

    def may_prefetch(self, pending: int) -> bool:
        """Whether to fetch the next page while `pending` pages are not decoded yet.

        Not if the pending pages may be the last ones that are needed.
        """
        if self.row_filter.since is not None and self.order == "newest_first":
            return False
        return self.limit is None or self.kept + pending * PAGE_MAX < self.limit

    def apply(self, page_part: PagePart) -> PagePart:
        """The pages with only the wanted rows; pages are given in the order of the list."""
        row_filter = self.row_filter
        table = page_part.table
        if row_filter.since is not None:
            table = self._select_newer(page_part, row_filter.since)
        if row_filter.until is not None:
            table = _select_older(table, row_filter.until)
        if row_filter.statuses is not None:
            wanted_statuses = pa.array(sorted(row_filter.statuses))
            table = table.filter(pc.is_in(table["status"], wanted_statuses))
        for field_name, wanted_text in row_filter.fields.items():
            table = table.filter(_has_text(table, field_name, wanted_text))
        if self.limit is not None:
            table = self._select_first(table, self.limit)
            self.reached |= self.kept == self.limit
        self._has_dropped |= table.num_rows < page_part.table.num_rows
        return replace(
            page_part,
            table=table,
            sizes=_cut_sizes(page_part.sizes, table.num_rows),
            more=page_part.more or self._has_dropped,  # a result without all rows is incomplete
        )

    def _select_first(self, table: pa.Table, limit: int) -> pa.Table:
        """The rows up to the limit; a row that the list repeats counts once."""
        for row_index, id_ in enumerate(table["id"].to_pylist()):
            if id_ in self._ids:
                continue
            if self.kept == limit:
                return table.slice(0, row_index)
            if id_ is not None:  # each row without an id counts
                self._ids.add(id_)
            self.kept += 1
        return table

    def _select_newer(self, page_part: PagePart, since: datetime) -> pa.Table:
        """The rows that are new enough, and those with an unreadable time."""
        created_times = times.read_times(page_part.table["created_at"], "created_at")
        since_time = pa.scalar(since, times.INSTANT)
        message = UNDECLARED
        if self.order == "newest_first" and not self._continues_newest_first(created_times):
            self.order = "unknown"
            message = CONTRADICTED
        if self.order == "newest_first":
            last_microseconds = self._last_microseconds
            is_last_older = last_microseconds is not None and last_microseconds < since_time.value
            self.reached |= is_last_older  # no newer row follows an older one
        elif page_part.more and not self._has_warned:
            self._has_warned = True
            warn_caller(message, OrderWarning)
        newer_mask = pc.greater_equal(created_times, since_time)
        return page_part.table.filter(pc.fill_null(newer_mask, True))

    def _continues_newest_first(self, created_times: pa.ChunkedArray) -> bool:
        """Note the times of the next rows; return whether none is later than the one before it.

        Missing times are ignored.
        """
        microseconds = created_times.drop_null().cast(pa.int64()).to_numpy()
        if not len(microseconds):
            return True
        if self._last_microseconds is not None:
            microseconds = np.concatenate([[self._last_microseconds], microseconds])
        self._last_microseconds = int(microseconds[-1])
        return not bool((np.diff(microseconds) > 0).any())


def _select_older(table: pa.Table, until: datetime) -> pa.Table:
    """The rows that are old enough, and those with an unreadable time."""
    created_times = times.read_times(table["created_at"], "created_at")
    older_mask = pc.less(created_times, pa.scalar(until, times.INSTANT))
    return table.filter(pc.fill_null(older_mask, True))


def _has_text(table: pa.Table, column_name: str, wanted_text: str) -> pa.ChunkedArray:
    """Whether each row has this text in a column, in any Unicode form.

    In `product_types`, which has several words joined by commas, whether one of them is the text.
    """
    column_texts = pc.utf8_trim_whitespace(pc.utf8_normalize(table[column_name], "NFC"))
    if column_name != "product_types":
        return pc.equal(column_texts, wanted_text)
    comma_framed_texts = pc.binary_join_element_wise("", column_texts, "", ",")
    return pc.match_substring(comma_framed_texts, f",{wanted_text},")


def _cut_sizes(sizes: tuple[int, ...], row_count: int) -> tuple[int, ...]:
    """The numbers of rows per page when the first `row_count` rows of all pages are left."""
    new_sizes = []
    remaining_rows = row_count
    for size in sizes:
        new_size = min(size, remaining_rows)
        new_sizes.append(new_size)
        remaining_rows -= new_size
    return tuple(new_sizes)
