"""The queue of events to deliver: events of one resource are delivered in order.

A row is one delivery. A lane has the rows of one subscription and one resource in the order of
their rank, a number that grows; the first row of a lane is its head.
"""

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
        """Queue rows by their rank."""
        self._lanes: dict[str, deque[Row]] = {}
        self._heads: list[tuple[str, float, str]] = []
        self.is_paused = False
        for delivery_row in sorted(rows, key=lambda delivery_row: float(delivery_row["rank"])):
            self.add(delivery_row)

    def add(self, row: Row) -> None:
        """Append a row to its lane; a row that is alone there can be taken when it is due."""
        lane = self._lanes.setdefault(row["lane"], deque())
        lane.append(row)
        if len(lane) == 1:
            self.schedule_head(row)

    def lane(self, name: str) -> tuple[Row, ...]:
        """The rows of a lane, in order."""
        return tuple(self._lanes.get(name, ()))

    def schedule_head(self, row: Row) -> None:
        """Let the first row of a lane be taken when it is due."""
        heapq.heappush(self._heads, (row["due"], row["rank"], row["lane"]))

    def remove(self, row: Row) -> None:
        """Remove a row from its lane; if it was the first, the next one can be taken."""
        lane_name = row["lane"]
        lane = self._lanes.get(lane_name, deque())
        is_first = bool(lane) and lane[0]["id"] == row["id"]
        remaining_rows = deque(lane_row for lane_row in lane if lane_row["id"] != row["id"])
        if not remaining_rows:
            self._lanes.pop(lane_name, None)
            return
        self._lanes[lane_name] = remaining_rows
        if is_first:
            self.schedule_head(remaining_rows[0])

    def next_due(self) -> str | None:
        """The time when the next row is due. None if none is, or while the queue is paused."""
        while self._heads and self._find_first() is None:
            heapq.heappop(self._heads)
        if self.is_paused or not self._heads:
            return None
        due_text, _, _ = self._heads[0]
        return due_text

    def is_busy(self, now: str) -> bool:
        """Whether an event is due or being delivered."""
        if self.is_paused:
            return False
        return any(lane[0]["due"] <= now for lane in self._lanes.values())

    def __len__(self) -> int:
        return sum(map(len, self._lanes.values()))

    def take_due(self, now_text: str) -> Row | None:
        """A row that is due at a time, or None.

        It stays first of its lane until `remove` or `schedule_head`.
        """
        due_text = self.next_due()
        if due_text is None or due_text > now_text:
            return None
        delivery_row = self._find_first()
        heapq.heappop(self._heads)
        return delivery_row

    def _find_first(self) -> Row | None:
        """The row of the heap's first entry, unless it was removed or moved."""
        due_text, rank, lane_name = self._heads[0]
        lane = self._lanes.get(lane_name)
        if lane and (lane[0]["due"], lane[0]["rank"]) == (due_text, rank):
            return lane[0]
        return None
