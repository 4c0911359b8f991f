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
    _last: int | None = None
    _is_partial: bool = False
    _has_warned: bool = False

    def ahead(self, pending: int) -> bool:
        """Whether to fetch the next page while `pending` pages are not decoded yet."""
        if self.row_filter.since is not None and self.order == "newest_first":
            return False
        return self.limit is None or self.kept + pending * PAGE_MAX < self.limit

    def apply(self, part: PagePart) -> PagePart:
        """The part with only the wanted rows."""
        row_filter = self.row_filter
        table = (
            part.table if row_filter.since is None else self._select_newer(part, row_filter.since)
        )
        table = table if row_filter.until is None else _select_older(table, row_filter.until)
        if row_filter.statuses is not None:
            status_array = pa.array(sorted(row_filter.statuses))
            table = table.filter(pc.is_in(table["status"], status_array))
        for field_name, field_value in row_filter.fields.items():
            table = table.filter(_is_equal(table, field_name, field_value))
        table = table if self.limit is None else self._select_first(table, self.limit)
        self.reached |= self.kept == self.limit
        self._is_partial |= table.num_rows < part.table.num_rows
        sizes = _cut_sizes(part.sizes, table.num_rows)
        return replace(part, table=table, sizes=sizes, more=part.more or self._is_partial)

    def _select_first(self, table: pa.Table, limit: int) -> pa.Table:
        """The rows up to the limit; a row that the list repeats counts once."""
        for row_number, id_ in enumerate(table["id"].to_pylist()):
            if id_ in self._ids:
                continue
            if self.kept == limit:
                return table.slice(0, row_number)
            self._ids.update({id_} - {None})
            self.kept += 1
        return table

    def _select_newer(self, page_part: PagePart, since: datetime) -> pa.Table:
        """The rows that are new enough, and those with an unreadable time."""
        created = times.read_times(page_part.table["created_at"], "created_at")
        since_scalar = pa.scalar(since, times.INSTANT)
        message = UNDECLARED
        if self.order == "newest_first" and not self._is_newest_first(created):
            self.order = "unknown"
            message = CONTRADICTED
        if self.order == "newest_first":
            self.reached |= self._last is not None and self._last < int(since_scalar.value)
        elif page_part.more and not self._has_warned:
            self._has_warned = True
            warn_caller(message, OrderWarning)
        return page_part.table.filter(pc.fill_null(pc.greater_equal(created, since_scalar), True))

    def _is_newest_first(self, created: pa.ChunkedArray) -> bool:
        """Whether times never increase, starting from the last known one; ignores missing times."""
        instants = created.drop_null().cast(pa.int64()).to_numpy()
        if not len(instants):
            return True
        last_value = instants[:1] if self._last is None else [self._last]
        self._last = int(instants[-1])
        return not bool((np.diff(np.concatenate([last_value, instants])) > 0).any())


def _select_older(table: pa.Table, until: datetime) -> pa.Table:
    """The rows that are old enough, and those with an unreadable time."""
    created = times.read_times(table["created_at"], "created_at")
    until_scalar = pa.scalar(until, times.INSTANT)
    return table.filter(pc.fill_null(pc.less(created, until_scalar), True))


def _is_equal(table: pa.Table, column_name: str, wanted_text: str) -> pa.ChunkedArray:
    """Whether a text is this one in any Unicode form, or has it between commas."""
    column_texts = pc.utf8_trim_whitespace(pc.utf8_normalize(table[column_name], "NFC"))
    is_equal = pc.equal(column_texts, wanted_text)
    if column_name != "product_types":
        return is_equal
    return pc.match_substring(
        pc.binary_join_element_wise("", column_texts, "", ","), f",{wanted_text},"
    )


def _cut_sizes(sizes: tuple[int, ...], rows_left: int) -> tuple[int, ...]:
    """The numbers of rows per page after cutting the total."""
    fitted = []
    for size in sizes:
        fitted.append(min(size, rows_left))
        rows_left -= fitted[-1]
    return tuple(fitted)
