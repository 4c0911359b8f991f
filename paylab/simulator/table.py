"""Rows of one kind by id and in list order; reading a page takes constant time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

Row = dict[str, Any]
"""A resource as the service returns it; "_" has the simulator's internal fields."""

Place = tuple[str, str]
"""The position of a row in its list: (created_at, id)."""


def row_place(row: Row) -> Place:
    """The position of a row: creation time, then id."""
    return row.get("created_at", ""), row["id"]


def shuffled(place: Place) -> Place:
    """A stable position that does not depend on time."""
    return sha256(place[1].encode(errors="surrogatepass")).hexdigest(), place[1]


@dataclass
class Table:
    """Rows by id, listed by position; `by` is an internal field that splits the list.

    `order` is that of `listed`: newest_first, oldest_first or unknown. Assumption `list.order`.
    """

    by: str | None = None
    order: str = "newest_first"
    rows: dict[str, Row] = field(default_factory=dict)
    _order: dict[str | None, list[Row]] = field(default_factory=dict)

    def put(self, row: Row) -> None:
        """Add or update a row."""
        known = self.rows.get(row["id"])
        self.rows[row["id"]] = row
        if known is row:
            return
        if known is not None:
            self._unlist(known)
        for lane in self._lanes(row):
            insort(self._order.setdefault(lane, []), row, key=self._place)

    def extend(self, rows: Iterable[Row]) -> None:
        """Add many rows at once."""
        for row in rows:
            self.rows[row["id"]] = row
            for lane in self._lanes(row):
                self._order.setdefault(lane, []).append(row)
        for order in self._order.values():
            order.sort(key=self._place)

    def remove(self, row_id: str) -> None:
        """Remove a row."""
        self._unlist(self.rows.pop(row_id))

    def _unlist(self, row: Row) -> None:
        for lane in self._lanes(row):
            order = self._order[lane]
            del order[bisect_left(order, self._place(row), key=self._place)]

    def listed(self, lane: str | None = None, *, after: Place | None = None) -> Iterator[Row]:
        """Rows in list order, optionally after a position."""
        order = self._order.get(lane, [])
        if after is not None and self.order == "unknown":
            after = shuffled(after)
        if self.order == "oldest_first":
            first = 0 if after is None else bisect_right(order, after, key=self._place)
            places = range(first, len(order))
        else:
            last = len(order) if after is None else bisect_left(order, after, key=self._place)
            places = range(last - 1, -1, -1)
        for index in places:
            yield order[index]

    def _place(self, row: Row) -> Place:
        return shuffled(row_place(row)) if self.order == "unknown" else row_place(row)

    def _lanes(self, row: Row) -> tuple[str | None, ...]:
        return (None,) if self.by is None else (None, row["_"][self.by])

    def __len__(self) -> int:
        return len(self.rows)
