"""Rows of one kind by id, and in order of creation, so that a page costs the same in any world."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
"""A resource as the service answers it, and under "_" what only the simulator knows."""

Place = tuple[str, str]
"""Where a row stands in its list: (created_at, id)."""


def row_place(row: Row) -> Place:
    """A row's place in its list; rows without a date stand by id."""
    return row.get("created_at", ""), row["id"]


@dataclass
class Table:
    """Rows by id, listed by place; `by` names the hidden field that splits the list, if any."""

    by: str | None = None
    rows: dict[str, Row] = field(default_factory=dict)
    _order: dict[str | None, list[Place]] = field(default_factory=dict)

    def put(self, row: Row) -> None:
        """Add a row, or note that it changed."""
        if row["id"] not in self.rows:
            for lane in self._lanes(row):
                insort(self._order.setdefault(lane, []), row_place(row))
        self.rows[row["id"]] = row

    def extend(self, rows: Iterable[Row]) -> None:
        """Add many rows at once."""
        for row in rows:
            self.rows[row["id"]] = row
            place = row_place(row)
            for lane in self._lanes(row):
                self._order.setdefault(lane, []).append(place)
        for order in self._order.values():
            order.sort()

    def remove(self, row_id: str) -> None:
        """Take a row out."""
        row = self.rows.pop(row_id)
        for lane in self._lanes(row):
            order = self._order[lane]
            del order[bisect_left(order, row_place(row))]

    def newest(self, lane: str | None = None, *, before: Place | None = None) -> Iterator[Row]:
        """Rows from the newest to the oldest, starting before a place."""
        order = self._order.get(lane, [])
        end = len(order) if before is None else bisect_left(order, before)
        for index in range(end - 1, -1, -1):
            yield self.rows[order[index][1]]

    def _lanes(self, row: Row) -> tuple[str | None, ...]:
        return (None,) if self.by is None else (None, row["_"][self.by])

    def __len__(self) -> int:
        return len(self.rows)
