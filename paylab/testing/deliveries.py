"""The webhook deliveries of a world, to look at and to wait for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

Delivery = Mapping[str, Any]
"""An attempt: event_type, resource_id, url, attempt, status, error, at, body."""

_PAUSE = 0.01
"""Seconds between two looks while waiting."""


class Deliveries(Sequence[Delivery]):
    """Every attempt to deliver an event, oldest first; `read` reads them."""

    def __init__(self, read: Callable[[], list[dict[str, Any]]]) -> None:
        self._read = read

    def of(self, event_type: str) -> list[Delivery]:
        """Those of an event type."""
        return [each for each in self._read() if each["event_type"] == event_type]

    def wait(self, event_type: str, *, times: int = 1, timeout: float = 5.0) -> Delivery:
        """Wait until an event type was delivered so many times, and return the latest.

        AssertionError after `timeout` real seconds.
        """
        deadline = time.monotonic() + timeout
        while len(found := self.of(event_type)) < times:
            if time.monotonic() > deadline:
                seen = self.text()
                raise AssertionError(f"{event_type} was delivered {len(found)} times:\n{seen}")
            time.sleep(_PAUSE)
        return found[-1]

    def text(self, last: int = 10) -> str:
        """The last attempts, one per line."""
        rows = self._read()[-last:]
        return "\n".join(map(_line, rows)) or "no deliveries"

    @overload
    def __getitem__(self, at: int) -> Delivery: ...
    @overload
    def __getitem__(self, at: slice) -> list[Delivery]: ...
    def __getitem__(self, at: int | slice) -> Delivery | Sequence[Delivery]:
        return self._read()[at]

    def __len__(self) -> int:
        return len(self._read())

    def __iter__(self) -> Iterator[Delivery]:
        return iter(self._read())

    def __repr__(self) -> str:
        return f"<{len(self)} deliveries; of(event_type), wait(event_type), text()>"


def _line(row: Delivery) -> str:
    result = row["status"] if row["error"] is None else row["error"]
    attempt = f"attempt {row['attempt']}"
    return f"{row['event_type']} {row['resource_id']} to {row['url']}: {attempt} -> {result}"
