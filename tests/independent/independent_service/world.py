"""The state of the service: tables of objects, and steps that run at a due time."""

from __future__ import annotations

import heapq
import itertools
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from .refusals import Refusal

Row = dict[str, Any]
"""An object as the service sends it. Keys that begin with an underscore are never sent."""

TABLES = (
    "individuals",
    "images",
    "financial_accounts",
    "quotes",
    "transfers",
    "conversion_accounts",
    "conversions",
    "webhook_subscriptions",
)


def timestamp(moment: float) -> str:
    """ISO 8601 in UTC with milliseconds."""
    text = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


class World:
    """Tables by name, and a queue of steps that run at their due times."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.now = clock()
        self.tables: dict[str, dict[str, Row]] = {name: {} for name in TABLES}
        self._steps: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def advance(self) -> None:
        """Run every step that is due."""
        until = max(self.now, self.clock())
        while self._steps and self._steps[0][0] <= until:
            due, _, step = heapq.heappop(self._steps)
            self.now = max(self.now, due)
            step()
        self.now = until

    def after(self, delay: float, step: Callable[[], None]) -> None:
        """Schedule a step to run `delay` seconds from now."""
        heapq.heappush(self._steps, (self.now + delay, next(self._numbers), step))

    def add(self, table: str, row: Row) -> Row:
        """Store a new object with an id, a creation time and an update time."""
        moment = timestamp(self.now)
        whole = {"id": str(uuid.uuid4()), **row, "created_at": moment, "updated_at": moment}
        whole["_number"] = next(self._numbers)
        self.tables[table][whole["id"]] = whole
        return whole

    def change(self, row: Row, **values: Any) -> None:
        """Change fields of an object and its update time. A value of None is stored as null."""
        row.update(values, updated_at=timestamp(self.now))

    def find(self, table: str, key: object, what: str) -> Row:
        """The object with this id; without one, raise a 404."""
        found = self.tables[table].get(key) if isinstance(key, str) else None
        if found is None:
            raise Refusal(404, f"{what} not found")
        return found

    def rows(self, table: str, **equal: Any) -> list[Row]:
        """The objects of a table with these values, oldest first."""
        items = equal.items()
        return [
            row
            for row in self.tables[table].values()
            if all(row.get(key) == value for key, value in items)
        ]
