"""What a delivery is answered: 2xx once it is kept, a 4xx that says why not, a 5xx to try again.

A plain function of method, content type and body; a port and the embedded simulator are
shells around it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from threading import Lock

from ..events import Event, UnreadableEventError, read
from .store import Arrival, Store

MOST_BYTES = 256 * 1024
"""A body past this is refused: an event is a kilobyte or two."""

Then = Callable[[Arrival], int]
"""What else happens to an event that is kept; it gives the status to answer."""

UNANSWERED = 0
"""The status of a handler that could not be reached."""
BAD_GATEWAY = 502

log = logging.getLogger("paylab")


@dataclass(frozen=True)
class Answer:
    """A status and its reason."""

    status: int
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Broken:
    """How often, and how likely each time, a receiver answers with a status of its own."""

    status: int = 503
    times: int = 0
    probability: float = 1.0
    chance: Random = field(default_factory=Random)

    def strikes(self) -> bool:
        """Whether it does so now."""
        hit = self.times > 0 and self.chance.random() < self.probability
        self.times -= hit
        return hit


class Receiver:
    """Takes deliveries; `then` is called, and `listeners` are told, after an event is kept."""

    def __init__(
        self, store: Store, clock: Callable[[], datetime], then: Then | None = None
    ) -> None:
        self._store, self._clock, self._then = store, clock, then
        self.listeners: list[Callable[[Arrival], object]] = []
        self._lock = Lock()
        self._broken = Broken()

    def receive(self, method: str, content_type: str, body: bytes) -> Answer:
        """Answer one delivery."""
        refusal = _refusal(method, content_type, body) or self._break()
        if refusal:
            return refusal
        try:
            event = read(body)
            return self._keep(event, body)
        except (UnreadableEventError, RecursionError, UnicodeError) as error:
            return Answer(400, f"not an event: {str(error)[:200]}")

    def deliver(self, _: str, body: bytes) -> int:
        """Take a delivery inside this process: what a courier calls in place of a socket."""
        return self.receive("POST", "application/json", body).status

    def answer(self, broken: Broken) -> None:
        """Answer deliveries with a status, unread: a receiver that is broken."""
        self._broken = broken

    def _break(self) -> Answer | None:
        with self._lock:
            strikes = self._broken.strikes()
        return Answer(self._broken.status, "broken on request") if strikes else None

    def _keep(self, event: Event, body: bytes) -> Answer:
        try:
            arrival = self._store.add(event, body, self._clock())
        except Exception:
            log.exception("an event could not be kept")
            return Answer(503, "the event could not be kept")
        status = self._pass_on(arrival)
        self._tell(replace(arrival, answered=status if self._then else None))
        return Answer(status or BAD_GATEWAY)

    def _pass_on(self, arrival: Arrival) -> int:
        """A handler that raises makes it a 500, so that the event is delivered again."""
        if self._then is None:
            return 200
        try:
            return self._then(arrival)
        except Exception:
            log.exception("a handler of %s failed", arrival.type)
            return 500

    def _tell(self, arrival: Arrival) -> None:
        for listener in list(self.listeners):
            try:
                listener(arrival)
            except Exception:
                log.exception("a listener of the inbox failed")


def _refusal(method: str, content_type: str, body: bytes) -> Answer | None:
    if method != "POST":
        return Answer(405, "events are posted", {"allow": "POST"})
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        return Answer(415, "events are application/json")
    if len(body) > MOST_BYTES:
        return Answer(413, f"the body is larger than {MOST_BYTES} bytes")
    return None
