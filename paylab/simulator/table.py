"""Rows of one kind by id and in order of creation; a page costs the same at any size."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

Row = dict[str, Any]
"""A resource as the service answers it, and under "_" what only the simulator knows."""

Place = tuple[str, str]
"""Where a row stands in its list: (created_at, id)."""


def row_place(row: Row) -> Place:
    """The place of a row in its list: creation time, then id."""
    return row.get("created_at", ""), row["id"]


def shuffled(place: Place) -> Place:
    """A place that says nothing about time, and stays the same when rows are added."""
    return sha256(place[1].encode(errors="surrogatepass")).hexdigest(), place[1]


@dataclass
class Table:
    """Rows by id, listed by place; `by` names an internal field that splits the list.

    `order` is that of `listed`: newest_first, oldest_first or unknown. Assumption `list.order`.
    """

    by: str | None = None
    order: str = "newest_first"
    rows: dict[str, Row] = field(default_factory=dict)
    _order: dict[str | None, list[Place]] = field(default_factory=dict)

    def put(self, row: Row) -> None:
        """Add or update a row."""
        if row["id"] not in self.rows:
            for lane in self._lanes(row):
                insort(self._order.setdefault(lane, []), self._place(row))
        self.rows[row["id"]] = row

    def extend(self, rows: Iterable[Row]) -> None:
        """Add many rows at once."""
        for row in rows:
            self.rows[row["id"]] = row
            place = self._place(row)
            for lane in self._lanes(row):
                self._order.setdefault(lane, []).append(place)
        for order in self._order.values():
            order.sort()

    def remove(self, row_id: str) -> None:
        """Remove a row."""
        row = self.rows.pop(row_id)
        for lane in self._lanes(row):
            order = self._order[lane]
            del order[bisect_left(order, self._place(row))]

    def listed(self, lane: str | None = None, *, after: Place | None = None) -> Iterator[Row]:
        """Rows in the order of the list, those that follow a place if one is given."""
        order, places = self._order.get(lane, []), range(0)
        if after is not None and self.order == "unknown":
            after = shuffled(after)
        if self.order == "oldest_first":
            places = range(0 if after is None else bisect_right(order, after), len(order))
        else:
            places = range((len(order) if after is None else bisect_left(order, after)) - 1, -1, -1)
        for index in places:
            yield self.rows[order[index][1]]

    def _place(self, row: Row) -> Place:
        return shuffled(row_place(row)) if self.order == "unknown" else row_place(row)

    def _lanes(self, row: Row) -> tuple[str | None, ...]:
        return (None,) if self.by is None else (None, row["_"][self.by])

    def __len__(self) -> int:
        return len(self.rows)
