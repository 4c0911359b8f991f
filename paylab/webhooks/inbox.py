"""The webhook inbox: received events, waiting, replay and answers."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import httpx

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, ConfigError, OptionError, Problem, WaitTimeoutError
from ..errors.extras import bundle_or_text, display_or_text
from ..errors.names import with_name_suggestions
from ..loopback import is_loopback
from ..spec import codes
from ..spec.text import JsonMapping, plain, write_json
from .arrival import Arrival
from .arrivals import Arrivals, describe_unknown_type
from .difference import Difference, differences
from .event import Event, read_event
from .event_log import EventLog
from .receiver import BAD_GATEWAY, Receiver, SimulatedFailure

FORWARD_SECONDS = 10.0


def check_target(url: str) -> str:
    """Return an address for events; ConfigError unless it is https, or http on this machine."""
    invalid_url_error = ConfigError(
        f"{url[:80]!a} is not a URL that can receive events, such as http://127.0.0.1:8000/events"
    )
    try:
        url_parts = urlsplit(url)
        host_name = url_parts.hostname or ""
        _ = url_parts.port  # reading the port detects an invalid one
    except ValueError:
        raise invalid_url_error from None
    if not host_name or url_parts.scheme not in ("http", "https"):
        raise invalid_url_error
    if url_parts.scheme == "http" and not is_loopback(host_name):
        raise ConfigError("events are sent to other machines by https only")
    return url


def post_event(
    url: str,
    body: bytes,
    *,
    timeout: float = FORWARD_SECONDS,
    signature: Mapping[str, str] | None = None,
) -> int | None:
    """Post an event to a handler and return the status; None if it cannot be reached.

    Redirects are not followed. `signature` is the header with the service's signature of the body.
    """
    value_by_header = {"content-type": "application/json", "user-agent": "paylab-inbox"}
    value_by_header |= signature or {}
    # On this machine no proxy is needed, and a certificate is usually self-signed.
    is_local = is_loopback(urlsplit(check_target(url)).hostname or "")
    try:
        with httpx.Client(timeout=timeout, trust_env=not is_local, verify=not is_local) as client:
            return client.post(url, content=body, headers=value_by_header).status_code
    except (httpx.HTTPError, httpx.InvalidURL):
        return None


WAIT_SECONDS = 60.0
POLL_SECONDS = 0.5


EventLike = Event | Arrival | JsonMapping


@dataclass(frozen=True)
class InboxFunctions:
    """The functions of an inbox: wait, look up a resource, display, close."""

    sleep: Callable[[float], None]
    look_up: Callable[[str, str], JsonMapping | None]
    show: Callable[[Inbox], Any]
    close: Callable[[], None]


@with_name_suggestions
@explain_arguments
class Inbox(Arrivals):
    """Received events; open until `close`, the end of a `with` block or of the process.

    A notebook shows it as a live table. `url` receives the events; `since` is the time from which
    they should be complete.
    """

    def __init__(
        self, events: EventLog, receiver: Receiver, functions: InboxFunctions, url: str
    ) -> None:
        """`receiver` stores deliveries in `events`; `functions` are what a lab does for it."""
        super().__init__(events)
        self.url = url
        self.is_open = True
        self._receiver = receiver
        self._lab_functions = functions
        self._closing = Lock()
        self._process = os.getpid()
        atexit.register(self.close)

    def __enter__(self) -> Inbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unsubscribe and stop receiving; received events can still be read.

        In a forked process nothing happens: the inbox belongs to the process that opened it.

        >>> lab.inbox().close()
        """
        with self._closing:
            if not self.is_open or os.getpid() != self._process:
                return
            self.is_open = False
        atexit.unregister(self.close)
        self._lab_functions.close()

    def wait(
        self,
        event_type: codes.EventType | str | None = None,
        /,
        *,
        timeout: float = WAIT_SECONDS,
        every: float = POLL_SECONDS,
        **conditions: str,
    ) -> Event:
        """Wait for the first matching event; the type and the conditions are those of `where`.

        On a frozen clock, waiting advances the clock.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     event.type
        'transfer.created'
        """
        if event_type is not None:
            conditions = {"type": event_type, **conditions}
        matching_arrivals = self.where(**conditions)
        waited_seconds = 0.0
        while not matching_arrivals:
            if waited_seconds >= timeout:
                condition_texts = [
                    f"{condition_name} {condition_value}"
                    for condition_name, condition_value in conditions.items()
                ]
                expectation_text = ", ".join(condition_texts) or "any type"
                type_hint = describe_unknown_type(conditions.get("type", "*"))
                message = f"no event with {expectation_text} after {waited_seconds:g} s"
                hint = "wait longer with timeout=, or look at all that arrived: inbox.where()"
                raise WaitTimeoutError("; ".join(filter(None, [message, type_hint])), hint=hint)
            # The pauses are added up: on a frozen clock they move the clock and take no real time.
            pause_seconds = min(every, timeout - waited_seconds)
            self._lab_functions.sleep(pause_seconds)
            waited_seconds += pause_seconds
        return matching_arrivals[0].event

    def replay(self, event: EventLike, to: str | None = None) -> int:
        """Deliver an event again, to a URL or to this inbox, and return the status of the answer.

        The event is one of this inbox, or a line of a saved file.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     inbox.replay(event)
        200
        """
        if isinstance(event, Arrival):
            body = event.body
        else:
            delivery_object = self._log.wrapper.delivery(self._convert_to_event(event))
            body = write_json(delivery_object).encode()
        if to is None or to == self.url:
            return self._receiver.replay(body).status
        return post_event(to, body) or BAD_GATEWAY

    def difference(self, event: EventLike) -> list[Difference] | None:
        """Return the differences from the resource now; None if it cannot be looked up.

        >>> with lab.inbox() as inbox:
        ...     order = lab.transfers.create(quote_id=quote)
        ...     event = inbox.wait(id=order.id)
        ...     inbox.difference(event)
        []
        """
        delivered_event = self._convert_to_event(event)
        resource_fields = self._lab_functions.look_up(delivered_event.family, delivered_event.id)
        if resource_fields is None:
            return None
        return differences(delivered_event.payload, resource_fields)

    def answer(
        self, status: int, times: int = 1, *, probability: float = 1.0, seed: int = 0
    ) -> None:
        """Answer the next deliveries with this status, to see how the service reacts.

        OptionError for what is no status from 200 to 599, or no number of deliveries.

        >>> with lab.inbox() as inbox:
        ...     inbox.answer(503, times=2)
        """
        problems = []
        if type(status) is not int or not 200 <= status <= 599:
            problems.append(Problem("status", f"must be from 200 to 599, not {status!r:.60}"))
        if type(times) is not int or times < 0:
            problems.append(Problem("times", f"must be a whole number, not {times!r:.60}"))
        if problems:
            raise OptionError(problems)
        random = Random(seed)  # noqa: S311 - the same every time
        self._receiver.answer(SimulatedFailure(status, times, probability, random))

    def on_arrival(self, listener: Callable[[Arrival], object]) -> Callable[[], None]:
        """Call a function with each arrival, until the returned function is called.

        >>> with lab.inbox() as inbox:
        ...     stop = inbox.on_arrival(print)
        """
        self._receiver.listeners.append(listener)
        return lambda: self._receiver.listeners.remove(listener)

    def _convert_to_event(self, event: EventLike) -> Event:
        """Return the event of an arrival or of a line; ArgumentError for any other value."""
        if isinstance(event, Mapping):
            return read_event(event, self._log.wrapper)
        if isinstance(event, Arrival):
            return event.event
        if not isinstance(event, Event):
            raise ArgumentError(
                f"event must be one of an inbox, such as inbox[-1], not {plain(repr(event), 60)}",
                "event",
            )
        return event

    def _count_text(self) -> str:
        """Describe the inbox and the number of its events: "Inbox, open: 2 events"."""
        state_text = "open" if self.is_open else "closed"
        return f"Inbox, {state_text}: {super()._count_text()}"

    def _repr_mimebundle_(self, **_: object) -> Any:
        """The live table as a widget, or text where widgets cannot be shown."""
        return bundle_or_text(lambda: self._lab_functions.show(self), repr(self))

    def _ipython_display_(self) -> None:
        """Display the live table in a notebook."""
        display_or_text(lambda: self._lab_functions.show(self))
