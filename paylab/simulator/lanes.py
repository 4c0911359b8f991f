"""Who may go next: events of one resource for one subscriber wait in a lane, one behind another."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable

from .table import Row


class Lanes:
    """The order of an outbox; only the first of each lane may be taken, and only when it is due."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._lanes: dict[str, deque[Row]] = {}
        self._heads: list[tuple[str, float, str]] = []
        for row in sorted(rows, key=lambda row: float(row["rank"])):
            self.add(row)

    def add(self, row: Row) -> None:
        """Put a row at the end of its lane."""
        lane = self._lanes.setdefault(row["lane"], deque())
        lane.append(row)
        if len(lane) == 1:
            self.wait(row)

    def wait(self, row: Row) -> None:
        """Let the first of a lane wait for its time."""
        heapq.heappush(self._heads, (row["due"], row["rank"], row["lane"]))

    def done(self, row: Row) -> None:
        """Take a row out; whoever stood behind it is next."""
        lane = self._lanes.get(row["lane"], deque())
        was_first = bool(lane) and lane[0]["id"] == row["id"]
        rest = deque(each for each in lane if each["id"] != row["id"])
        if not rest:
            self._lanes.pop(row["lane"], None)
            return
        self._lanes[row["lane"]] = rest
        if was_first:
            self.wait(rest[0])

    def next_due(self) -> str | None:
        """When the next row may be taken."""
        while self._heads and self._first() is None:
            heapq.heappop(self._heads)
        return self._heads[0][0] if self._heads else None

    def take(self, now: str) -> Row | None:
        """Take a row that is due; it stays first of its lane until `done` or `wait`."""
        due = self.next_due()
        if due is None or due > now:
            return None
        row = self._first()
        heapq.heappop(self._heads)
        return row

    def _first(self) -> Row | None:
        """The row the heap's first entry speaks of, unless it went or moved meanwhile."""
        due, rank, name = self._heads[0]
        lane = self._lanes.get(name)
        if lane and (lane[0]["due"], lane[0]["rank"]) == (due, rank):
            return lane[0]
        return None
