"""The webhook deliveries of a simulator: to look at, to wait for, to repeat and to pause."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, overload

from ..errors.arguments import explain_arguments
from ..errors.base import UnknownNameError, WaitTimeoutError
from ..errors.choices import find_choice
from ..errors.names import with_name_suggestions
from ..errors.text import printable_lines
from ..spec import timestamps
from ..spec.codes import EVENTS
from ..spec.text import JsonObject
from ..spec.time_arguments import read_seconds

Delivery = Mapping[str, Any]
"""An attempt: number, id, event_type, resource_id, url, attempt, status, error, at, headers, body.

`at` is a time in UTC. A signature in its headers is hidden.
"""

DELIVERIES_PATH = "/_simulator/deliveries"

REQUEST_WAIT_SECONDS = 5.0
"""Maximum seconds that one request waits for a delivery."""


@with_name_suggestions
@explain_arguments
class Deliveries(Sequence[Delivery]):
    """Every attempt to deliver an event, oldest first. `send_control` sends a control request."""

    def __init__(self, send_control: Callable[..., Any]) -> None:
        """Start with no attempt returned by `wait`."""
        self._send_control = send_control
        self._last_numbers: dict[str | None, int] = {}

    def of(self, event_type: str) -> list[Delivery]:
        """The attempts of an event type. UnknownNameError for a type that does not exist.

        >>> lab.simulator.deliveries.of("transfer.failed")
        []
        """
        check_event_type(event_type)
        return [delivery for delivery in self() if delivery["event_type"] == event_type]

    def wait(
        self,
        event_type: str | None = None,
        *,
        timeout: float = 5.0,
        within: float | str | timedelta | None = None,
    ) -> Delivery:
        """Wait for the first attempt, of an event type or of any, that was not returned before.

        It may have been made before the call. Calls with a type and calls without one do not
        affect each other. WaitTimeoutError after `timeout` real seconds, or when `within`, like
        "30s" or "3 days", has passed on the simulator's clock. If the clock is frozen and no
        delivery is due, an error says to advance the clock.

        >>> lab.simulator.deliveries.wait("transfer.completed")
        Traceback (most recent call last):
        paylab.errors.api.UnprocessableError: 422 the clock is frozen and no delivery is due: ...
        """
        __tracebackhide__ = True
        if event_type is not None:
            check_event_type(event_type)
        deadline = time.monotonic() + timeout
        latest_moment: datetime | None = None
        if within is not None:
            latest_moment = self._read_time() + timedelta(seconds=read_seconds(within))
        delivery = self._find_next(event_type, timeout)
        while delivery is None:
            is_expired = latest_moment is not None and self._read_time() > latest_moment
            if is_expired or time.monotonic() >= deadline:
                event_name = event_type or "another event"
                raise WaitTimeoutError(
                    f"{event_name} was not delivered in time; so far:\n{self.text()}",
                    hint="wait longer with timeout= or within=, or make the event again",
                )
            time.sleep(0.01)  # a simulator in this process does not wait itself
            delivery = self._find_next(event_type, deadline - time.monotonic())
        self._last_numbers[event_type] = delivery["number"]
        return delivery

    def _find_next(self, event_type: str | None, wait_seconds: float) -> Delivery | None:
        """The first attempt that was not returned before. None if there is none in time."""
        params: JsonObject = {"after": self._last_numbers.get(event_type, 0)}
        if event_type:
            params["event_type"] = event_type
        # The client has a timeout of its own.
        params["wait"] = min(max(wait_seconds, 0), REQUEST_WAIT_SECONDS)
        delivery_rows = self._send_control("GET", DELIVERIES_PATH, params=params)
        if not delivery_rows:
            return None
        return _read_delivery(delivery_rows[0])

    def _read_time(self) -> datetime:
        """The time of the simulator's clock."""
        summary = self._send_control("GET", "/_simulator")
        return timestamps.from_text(summary["clock"]["now"])

    def redeliver(self, delivery: Delivery | None = None) -> int:
        """Deliver the event of an attempt again, or all events. Returns the number of deliveries.

        `delivery` is one attempt of this list. Without it, each event since a subscription was made
        is delivered, also one that never was.

        >>> lab.simulator.deliveries.redeliver()
        0
        """
        delivery_id = "all" if delivery is None else delivery["id"]
        answer = self._send_control("POST", DELIVERIES_PATH, json={"redeliver": delivery_id})
        return int(answer["redelivered"])

    def pause(self) -> None:
        """Hold all deliveries until `resume`. Events are queued meanwhile.

        >>> lab.simulator.deliveries.pause()
        """
        self._send_control("POST", DELIVERIES_PATH, json={"paused": True})

    def resume(self) -> None:
        """Deliver what was held.

        >>> lab.simulator.deliveries.resume()
        """
        self._send_control("POST", DELIVERIES_PATH, json={"paused": False})

    def text(self, last: int = 10) -> str:
        """The last attempts, one per line.

        >>> lab.simulator.deliveries.text()
        'no deliveries'
        """
        last_deliveries = self()[-last:]
        return (
            printable_lines("\n".join(map(_describe_delivery, last_deliveries))) or "no deliveries"
        )

    def __call__(self) -> list[JsonObject]:
        """All attempts as a list, as `lab.simulator.events()` has the events."""
        return list(map(_read_delivery, self._send_control("GET", DELIVERIES_PATH)))

    @overload
    def __getitem__(self, index: int) -> Delivery: ...
    @overload
    def __getitem__(self, index: slice) -> list[Delivery]: ...
    def __getitem__(self, index: int | slice) -> Delivery | Sequence[Delivery]:
        return self()[index]

    def __len__(self) -> int:
        return len(self())

    def __iter__(self) -> Iterator[Delivery]:
        return iter(self())

    def __repr__(self) -> str:
        return f"<{len(self)} deliveries; of(type), wait(type), redeliver(), pause(), text()>"


def _read_delivery(delivery_row: JsonObject) -> JsonObject:
    """An attempt with its time as a time."""
    return {**delivery_row, "at": timestamps.from_text(delivery_row["at"])}


def check_event_type(event_type: str) -> None:
    """UnknownNameError if there is no such type of event."""
    if event_type not in EVENTS:
        # The letters of the whole say too little: transfer.paid is not transfer.failed.
        meant_type = find_choice(event_type, list(EVENTS))
        raise UnknownNameError(
            "event type", event_type, (meant_type,) if meant_type else (), EVENTS
        )


def _describe_delivery(delivery: Delivery) -> str:
    """An attempt on a line: its event, the receiver, and the status or the error."""
    outcome_text = delivery["status"] if delivery["error"] is None else delivery["error"]
    event_text = f"{delivery['event_type']} {delivery['resource_id']} to {delivery['url']}"
    return f"{event_text}: attempt {delivery['attempt']} -> {outcome_text}"
