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
from ..redaction.hiding import Secret
from ..signing.canonical import is_delivery_signature, key_bytes
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .arrival import Arrival
from .event import Event, UnreadableEventError, read_event
from .event_log import EventLog

MOST_BYTES = 256 * 1024
"""Maximum bytes of a body; an event has one or two kilobytes."""

Handler = Callable[[Arrival], int]
"""A function that handles a stored event and returns the status to answer."""

Check = Callable[[Mapping[str, str], bytes], str]
"""A function of headers (lower-case names) and body: why to refuse a delivery, or ""."""

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
    """A simulated failure: how often and how likely a receiver answers with a fixed status."""

    status: int = 503
    times: int = 0
    probability: float = 1.0
    chance: Random = field(default_factory=Random)

    def strikes(self) -> bool:
        """Whether this delivery fails."""
        hit = self.times > 0 and self.chance.random() < self.probability
        self.times -= hit
        return hit


def signature_check(service: Service, secret: Secret) -> Check | None:
    """A function that refuses deliveries without the service's signature; None if it sends none."""
    name = service.webhooks.signature_header
    encoding = service.signing.key_encoding

    def check(headers: Mapping[str, str], body: bytes) -> str:
        key = key_bytes(secret.reveal(), encoding)
        if is_delivery_signature(headers.get(name.lower(), ""), key, body):
            return ""
        message = f"the delivery has no {name} that is the HMAC-SHA256 of its body"
        return f"{message}: check webhooks.signature_header in service.toml"

    return None if name == NONE else check


class Receiver:
    """Stores deliveries that pass `check`, then calls `then` and the `listeners`."""

    def __init__(
        self,
        events: EventLog,
        clock: Callable[[], datetime],
        then: Handler | None = None,
        check: Check | None = None,
    ) -> None:
        self._events = events
        self._clock = clock
        self._then = then
        self._check = check
        self.listeners: list[Callable[[Arrival], object]] = []
        self._lock = Lock()
        self._broken = SimulatedFailure()

    def receive(
        self, method: str, content_type: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> DeliveryAnswer:
        """Answer one delivery; `headers` are by lower-case name."""
        if refusal := _refusal(method, content_type, body):
            return refusal
        if self._check and (reason := self._check(headers or {}, body)):
            log.warning("an event was refused: %s", reason)
            return DeliveryAnswer(401, reason)
        return self.replay(body, headers)

    def replay(self, body: bytes, headers: Mapping[str, str] | None = None) -> DeliveryAnswer:
        """Accept an event again without checking its signature."""
        with self._lock:
            strikes = self._broken.strikes()
        if strikes:
            return DeliveryAnswer(self._broken.status, "broken on request")
        try:
            return self._keep(read_event(body, self._events.wrapper), body, headers or {})
        except (UnreadableEventError, RecursionError, UnicodeError) as error:
            return DeliveryAnswer(400, f"not an event: {str(error)[:200]}")

    def deliver(self, _: str, body: bytes, headers: Mapping[str, str] | None = None) -> int:
        """Accept a delivery inside this process, without a socket."""
        lower = {name.lower(): value for name, value in (headers or {}).items()}
        return self.receive("POST", "application/json", body, lower).status

    def answer(self, broken: SimulatedFailure) -> None:
        """Answer deliveries with a status without reading them, as a broken receiver does."""
        self._broken = broken

    def _keep(self, event: Event, body: bytes, headers: Mapping[str, str]) -> DeliveryAnswer:
        try:
            stored = self._events.add(event, body, self._clock())
        except RecursionError:
            raise
        except Exception:
            log.exception("an event could not be kept")
            return DeliveryAnswer(503, "the event could not be stored")
        # The bytes of this delivery, which its signature is for: the first one's may differ.
        arrival = replace(stored, body=body, headers=headers)
        status = self._pass_on(arrival)
        answered = replace(arrival, answered=status if self._then else None)
        for listener in list(self.listeners):
            try:
                listener(answered)
            except Exception:
                log.exception("a listener of the inbox failed")
        return DeliveryAnswer(status or BAD_GATEWAY)

    def _pass_on(self, arrival: Arrival) -> int:
        """Call the handler; an exception becomes a 500, so that the event is delivered again."""
        if self._then is None:
            return 200
        try:
            return self._then(arrival)
        except Exception:
            log.exception("a handler of %s failed", arrival.type)
            return 500


def _refusal(method: str, content_type: str, body: bytes) -> DeliveryAnswer | None:
    if method != "POST":
        return DeliveryAnswer(405, "use POST for events", {"allow": "POST"})
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        return DeliveryAnswer(415, "the Content-Type must be application/json")
    if len(body) > MOST_BYTES:
        return DeliveryAnswer(413, f"the body is larger than {MOST_BYTES} bytes")
    return None
