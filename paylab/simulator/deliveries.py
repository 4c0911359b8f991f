"""The webhook deliveries of a simulator: to look at, to wait for, to repeat and to pause."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, overload

from ..errors.arguments import explain_arguments
from ..errors.base import UnknownNameError, WaitTimeoutError
from ..errors.names import find_nearest_names
from ..errors.text import printable_lines
from ..spec import timestamps
from ..spec.codes import EVENTS
from .clock import seconds

Delivery = Mapping[str, Any]
"""An attempt: number, id, event_type, resource_id, url, attempt, status, error, at, headers, body.

A signature in its headers is hidden.
"""

_PATH = "/_simulator/deliveries"


@explain_arguments
class Deliveries(Sequence[Delivery]):
    """Every attempt to deliver an event, oldest first. `ask` sends a control request."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask
        self._returned: dict[str | None, int] = {}

    def of(self, event_type: str) -> list[Delivery]:
        """Those of an event type; UnknownNameError for a type that there is not.

        >>> lab.simulator.deliveries.of("transfer.failed")
        []
        """
        check_type(event_type)
        return [delivery for delivery in self() if delivery["event_type"] == event_type]

    def wait(
        self,
        event_type: str | None = None,
        *,
        timeout: float = 5.0,
        within: float | str | timedelta | None = None,
    ) -> Delivery:
        """Wait for the next attempt, of an event type or any: the first not returned before.

        Each type, and any, is counted for itself. The attempt may have been made before the call.
        WaitTimeoutError after `timeout` real seconds, or when `within`, like "30s" or "3 days", has
        passed on the simulator's clock. On a frozen clock only what is due is waited for: otherwise
        an error says to advance the clock.

        >>> lab.simulator.deliveries.wait("transfer.completed")
        Traceback (most recent call last):
        paylab.errors.api.UnprocessableError: 422 the clock is frozen and no delivery is due: ...
        """
        __tracebackhide__ = True
        if event_type is not None:
            check_type(event_type)
        end = time.monotonic() + timeout
        last = None if within is None else self._now() + timedelta(seconds=seconds(within))
        while not (delivery := self._next(event_type, end - time.monotonic())):
            if time.monotonic() >= end or (last is not None and self._now() > last):
                event_name = event_type or "another event"
                raise WaitTimeoutError(
                    f"{event_name} was not delivered in time; so far:\n{self.text()}"
                )
            time.sleep(0.01)  # a simulator in this process does not wait itself
        self._returned[event_type] = delivery["number"]
        return delivery

    def _next(self, event_type: str | None, left: float) -> Delivery:
        """The next attempt; empty if there is none yet."""
        params: dict[str, Any] = {"after": self._returned.get(event_type, 0)}
        params |= {"event_type": event_type} if event_type else {}
        params["wait"] = min(max(left, 0), 5.0)  # the client has a timeout of its own
        deliveries = self._ask("GET", _PATH, params=params)
        return dict(deliveries[0]) if deliveries else {}

    def _now(self) -> Any:
        return timestamps.from_text(self._ask("GET", "/_simulator")["clock"]["now"])

    def redeliver(self, delivery: Delivery | None = None) -> int:
        """Deliver the event of an attempt again, or all; returns the number of deliveries.

        "All" is each event since a subscription was made, also one that was never delivered.

        >>> lab.simulator.deliveries.redeliver()
        0
        """
        which = "all" if delivery is None else delivery["id"]
        answer = self._ask("POST", _PATH, json={"redeliver": which})
        return int(answer["redelivered"])

    def pause(self) -> None:
        """Hold all deliveries until `resume`; events are queued meanwhile.

        >>> lab.simulator.deliveries.pause()
        """
        self._ask("POST", _PATH, json={"paused": True})

    def resume(self) -> None:
        """Deliver what was held.

        >>> lab.simulator.deliveries.resume()
        """
        self._ask("POST", _PATH, json={"paused": False})

    def text(self, last: int = 10) -> str:
        """The last attempts, one per line.

        >>> lab.simulator.deliveries.text()
        'no deliveries'
        """
        rows = self()[-last:]
        return printable_lines("\n".join(map(_line, rows))) or "no deliveries"

    def __call__(self) -> list[dict[str, Any]]:
        """All attempts as a list, as `lab.simulator.events()` has the events."""
        return list(self._ask("GET", _PATH))

    @overload
    def __getitem__(self, at: int) -> Delivery: ...
    @overload
    def __getitem__(self, at: slice) -> list[Delivery]: ...
    def __getitem__(self, at: int | slice) -> Delivery | Sequence[Delivery]:
        return self()[at]

    def __len__(self) -> int:
        return len(self())

    def __iter__(self) -> Iterator[Delivery]:
        return iter(self())

    def __repr__(self) -> str:
        return f"<{len(self)} deliveries; of(type), wait(type), redeliver(), pause(), text()>"


def check_type(event_type: str) -> None:
    """UnknownNameError for a type of event that there is not."""
    if event_type not in EVENTS:
        raise UnknownNameError("event type", event_type, find_nearest_names(event_type, EVENTS))


def _line(row: Delivery) -> str:
    result = row["status"] if row["error"] is None else row["error"]
    attempt = f"attempt {row['attempt']}"
    return f"{row['event_type']} {row['resource_id']} to {row['url']}: {attempt} -> {result}"
