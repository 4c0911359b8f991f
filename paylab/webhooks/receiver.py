"""The webhook receiver: the answer to a delivery.

A plain function of method, content type and body; a port and the embedded simulator call it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from threading import Lock

from ..logs import log
from .arrival import Arrival, ArrivalStore
from .event import Event, UnreadableEventError, read_event
from .verification import DeliveryCheck

BODY_BYTES_MAX = 256 * 1024
"""Maximum bytes of a body; an event has one or two kilobytes."""

Handler = Callable[[Arrival], int]
"""A function that handles a stored event and returns the status to answer."""

UNANSWERED = 0
"""The status of a handler that could not be reached."""
BAD_GATEWAY = 502


@dataclass(frozen=True)
class DeliveryAnswer:
    """A status and its reason."""

    status: int
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class SimulatedFailure:
    """A simulated failure: a status that is answered to some of the next deliveries.

    Each of the next deliveries fails with this probability, until `times` have failed.
    """

    status: int = 503
    times: int = 0
    probability: float = 1.0
    random: Random = field(default_factory=Random)

    def draw(self) -> bool:
        """Draw whether this delivery fails, and count it if it does."""
        has_failed = self.times > 0 and self.random.random() < self.probability
        if has_failed:
            self.times -= 1
        return has_failed


class Receiver:
    """Stores deliveries that pass `check`, then calls `handler` and the `listeners`."""

    def __init__(
        self,
        events: ArrivalStore,
        clock: Callable[[], datetime],
        handler: Handler | None = None,
        check: DeliveryCheck | None = None,
    ) -> None:
        """Store deliveries in `events` with the time of `clock`."""
        self._events = events
        self._clock = clock
        self._handler = handler
        self._check = check
        self.listeners: list[Callable[[Arrival], object]] = []
        self._lock = Lock()
        self._failure = SimulatedFailure()

    def receive(
        self, method: str, content_type: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> DeliveryAnswer:
        """Answer one delivery; `headers` are by lower-case name."""
        refusal_answer = _refuse_request(method, content_type, body)
        if refusal_answer is not None:
            return refusal_answer
        refusal_text = self._check(headers or {}, body) if self._check else ""
        if refusal_text:
            log.warning("an event was refused: %s", refusal_text)
            return DeliveryAnswer(401, refusal_text)
        return self._accept(body, headers or {})

    def replay(self, body: bytes, headers: Mapping[str, str] | None = None) -> DeliveryAnswer:
        """Accept an event again without checking its signature."""
        return self._accept(body, headers or {})

    def _accept(self, body: bytes, headers: Mapping[str, str]) -> DeliveryAnswer:
        """Read an event and handle it, unless a failure is simulated."""
        with self._lock:
            has_failed = self._failure.draw()
        if has_failed:
            return DeliveryAnswer(self._failure.status, "simulated failure")
        try:
            event = read_event(body, self._events.wrapper)
            return self._store_and_handle(event, body, headers)
        except (UnreadableEventError, RecursionError, UnicodeError) as error:
            return DeliveryAnswer(400, f"not an event: {str(error)[:200]}")

    def deliver(self, _url: str, body: bytes, headers: Mapping[str, str] | None = None) -> int:
        """Accept a delivery inside this process, without a socket, whatever its address is."""
        headers_by_lower_name = {
            header_name.lower(): header_value
            for header_name, header_value in (headers or {}).items()
        }
        return self.receive("POST", "application/json", body, headers_by_lower_name).status

    def answer(self, failure: SimulatedFailure) -> None:
        """Answer deliveries with a status without reading them, as a broken receiver does."""
        self._failure = failure

    def _store_and_handle(
        self, event: Event, body: bytes, headers: Mapping[str, str]
    ) -> DeliveryAnswer:
        """Store an event, then pass it to the handler and the listeners."""
        try:
            stored_arrival = self._events.add(event, body, self._clock())
        except (RecursionError, UnreadableEventError):  # nested deeper than a store can read: 400
            raise
        except Exception:
            log.exception("an event could not be kept")
            return DeliveryAnswer(503, "the event could not be stored")
        # The bytes of this delivery, which its signature is for: the first one's may differ.
        arrival = replace(stored_arrival, body=body, headers=headers)
        status = self._call_handler(arrival)
        answered_arrival = replace(arrival, answered=status if self._handler else None)
        for listener in list(self.listeners):
            try:
                listener(answered_arrival)
            except Exception:
                log.exception("a listener of the inbox failed")
        return DeliveryAnswer(status or BAD_GATEWAY)

    def _call_handler(self, arrival: Arrival) -> int:
        """Call the handler and return its status: 500 if it raises, so that the service retries."""
        if self._handler is None:
            return 200
        try:
            return self._handler(arrival)
        except Exception:
            log.exception("a handler of %s failed", arrival.type)
            return 500


def _refuse_request(method: str, content_type: str, body: bytes) -> DeliveryAnswer | None:
    """Return the refusal of a request that cannot be an event; None if it can be one."""
    if method != "POST":
        return DeliveryAnswer(405, "use POST for events", {"allow": "POST"})
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        return DeliveryAnswer(415, "the Content-Type must be application/json")
    if len(body) > BODY_BYTES_MAX:
        return DeliveryAnswer(413, f"the body is larger than {BODY_BYTES_MAX} bytes")
    return None
