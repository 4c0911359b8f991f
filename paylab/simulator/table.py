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
    """Rows by id, listed by position.

    `order` is that of `listed`: newest_first, oldest_first or unknown. Assumption `list.order`.
    """

    order: str = "newest_first"
    rows: dict[str, Row] = field(default_factory=dict)
    _order: list[Row] = field(default_factory=list)

    def put(self, row: Row) -> None:
        """Add or update a row."""
        row_before = self.rows.get(row["id"])
        self.rows[row["id"]] = row
        if row_before is row:
            return
        if row_before is not None:
            self._unlist(row_before)
        insort(self._order, row, key=self._place)

    def extend(self, rows: Iterable[Row]) -> None:
        """Add many rows at once."""
        self.rows.update((row["id"], row) for row in rows)
        self._order = sorted(self.rows.values(), key=self._place)

    def remove(self, row_id: str) -> None:
        """Remove a row."""
        self._unlist(self.rows.pop(row_id))

    def _unlist(self, row: Row) -> None:
        del self._order[bisect_left(self._order, self._place(row), key=self._place)]

    def listed(self, after: Place | None = None) -> Iterator[Row]:
        """Rows in list order, optionally after a position."""
        order = self._order
        if after is not None and self.order == "unknown":
            after = shuffled(after)
        if self.order == "oldest_first":
            first = 0 if after is None else bisect_right(order, after, key=self._place)
            places = range(first, len(order))
        else:
            last = len(order) if after is None else bisect_left(order, after, key=self._place)
            places = range(last - 1, -1, -1)
        return map(order.__getitem__, places)

    def _place(self, row: Row) -> Place:
        return shuffled(row_place(row)) if self.order == "unknown" else row_place(row)

    def __len__(self) -> int:
        return len(self.rows)
