"""The queue of events to deliver: events of one resource are delivered in order."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable

from .table import Row


class DeliveryQueue:
    """Events in lanes: only the first event of each lane can be taken, when it is due.

    While it `is_paused`, nothing is due.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._lanes: dict[str, deque[Row]] = {}
        self._heads: list[tuple[str, float, str]] = []
        self.is_paused = False
        for row in sorted(rows, key=lambda row: float(row["rank"])):
            self.add(row)

    def add(self, row: Row) -> None:
        """Append a row to its lane."""
        lane = self._lanes.setdefault(row["lane"], deque())
        lane.append(row)
        if len(lane) == 1:
            self.wait(row)

    def lane(self, name: str) -> tuple[Row, ...]:
        """The rows of a lane, in order."""
        return tuple(self._lanes.get(name, ()))

    def wait(self, row: Row) -> None:
        """Delay the first row of a lane."""
        heapq.heappush(self._heads, (row["due"], row["rank"], row["lane"]))

    def done(self, row: Row) -> None:
        """Remove a row from its lane."""
        lane = self._lanes.get(row["lane"], deque())
        was_first = bool(lane) and lane[0]["id"] == row["id"]
        remaining = deque(waiting_row for waiting_row in lane if waiting_row["id"] != row["id"])
        if not remaining:
            self._lanes.pop(row["lane"], None)
            return
        self._lanes[row["lane"]] = remaining
        if was_first:
            self.wait(remaining[0])

    def next_due(self) -> str | None:
        """The time when the next row is due."""
        while self._heads and self._first() is None:
            heapq.heappop(self._heads)
        return self._heads[0][0] if self._heads and not self.is_paused else None

    def is_busy(self, now: str) -> bool:
        """Whether an event is due or being delivered."""
        return not self.is_paused and any(lane[0]["due"] <= now for lane in self._lanes.values())

    def __len__(self) -> int:
        return sum(map(len, self._lanes.values()))

    def take(self, now: str) -> Row | None:
        """A row that is due; it stays first of its lane until `done` or `wait`."""
        due = self.next_due()
        if due is None or due > now:
            return None
        row = self._first()
        heapq.heappop(self._heads)
        return row

    def _first(self) -> Row | None:
        """The row of the heap's first entry, unless it was removed or moved."""
        due, rank, name = self._heads[0]
        lane = self._lanes.get(name)
        if lane and (lane[0]["due"], lane[0]["rank"]) == (due, rank):
            return lane[0]
        return None
