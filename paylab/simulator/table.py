"""Rows of one kind by id and in list order; reading a page takes constant time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from ..spec.text import JsonObject

INTERNALS = "_"
"""The field of a row that has the simulator's internal fields."""

Row = JsonObject
"""A resource as the service returns it, and its `INTERNALS`."""

Position = tuple[str, str]
"""The position of a row in its list: (created_at, id)."""


def row_position(row: Row) -> Position:
    """The position of a row: creation time, then id."""
    return row.get("created_at", ""), row["id"]


def shuffle_position(position: Position) -> Position:
    """The position of a row in a list without a known order: it depends on the id alone."""
    _, row_id = position
    digest = sha256(row_id.encode(errors="surrogatepass")).hexdigest()
    return digest, row_id


@dataclass
class Table:
    """Rows by id, listed by position.

    `order` is that of `list_rows`: newest_first, oldest_first or unknown. Assumption `list.order`.
    """

    order: str = "newest_first"
    rows: dict[str, Row] = field(default_factory=dict)
    _sorted_rows: list[Row] = field(default_factory=list)

    def put(self, row: Row) -> None:
        """Add a row, or replace the row with its id, at its position in the list."""
        old_row = self.rows.get(row["id"])
        self.rows[row["id"]] = row
        if old_row is row:
            return
        if old_row is not None:
            self._remove_sorted_row(old_row)
        insort(self._sorted_rows, row, key=self._read_position)

    def extend(self, rows: Iterable[Row]) -> None:
        """Add many rows at once."""
        self.rows.update((row["id"], row) for row in rows)
        self._sorted_rows = sorted(self.rows.values(), key=self._read_position)

    def remove(self, row_id: str) -> None:
        """Remove a row."""
        self._remove_sorted_row(self.rows.pop(row_id))

    def _remove_sorted_row(self, row: Row) -> None:
        """Remove a row from the sorted list."""
        index = bisect_left(self._sorted_rows, self._read_position(row), key=self._read_position)
        del self._sorted_rows[index]

    def list_rows(self, after_position: Position | None = None) -> Iterator[Row]:
        """Rows in list order, optionally after a position.

        Rows are kept with the oldest first, so a list with the newest first walks from the end.
        In the unknown order, rows are kept by shuffled positions.
        """
        sorted_rows = self._sorted_rows
        if after_position is not None and self.order == "unknown":
            after_position = shuffle_position(after_position)
        # The row at the position itself is not listed.
        if self.order == "oldest_first":
            start_index = 0
            if after_position is not None:
                start_index = bisect_right(sorted_rows, after_position, key=self._read_position)
            indexes = range(start_index, len(sorted_rows))
        else:  # the newest first, or the unknown order
            stop_index = len(sorted_rows)
            if after_position is not None:
                stop_index = bisect_left(sorted_rows, after_position, key=self._read_position)
            indexes = range(stop_index - 1, -1, -1)
        return map(sorted_rows.__getitem__, indexes)

    def _read_position(self, row: Row) -> Position:
        """The position of a row; rows are sorted by it."""
        position = row_position(row)
        if self.order == "unknown":
            return shuffle_position(position)
        return position

    def __len__(self) -> int:
        return len(self.rows)
