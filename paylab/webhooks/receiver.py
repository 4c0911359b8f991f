"""The webhook receiver: the answer to a delivery, and the loopback server.

A plain function of method, content type and body; a port and the embedded simulator are
shells around it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from threading import Lock
from typing import Any

from .. import loopback
from ..errors import ConfigError
from ..serving import ServingThread, listen
from .event import Event, UnreadableEventError, read
from .store import Arrival, EventStore

MOST_BYTES = 256 * 1024
"""A body past this is refused: an event is a kilobyte or two."""

Then = Callable[[Arrival], int]
"""What else happens to an event that is kept; it gives the status to answer."""

UNANSWERED = 0
"""The status of a handler that could not be reached."""
BAD_GATEWAY = 502

log = logging.getLogger("paylab")


@dataclass(frozen=True)
class DeliveryAnswer:
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
        """Whether it does so for this delivery."""
        hit = self.times > 0 and self.chance.random() < self.probability
        self.times -= hit
        return hit


class Receiver:
    """Stores deliveries, then calls `then` and the `listeners`."""

    def __init__(
        self, store: EventStore, clock: Callable[[], datetime], then: Then | None = None
    ) -> None:
        self._store, self._clock, self._then = store, clock, then
        self.listeners: list[Callable[[Arrival], object]] = []
        self._lock = Lock()
        self._broken = Broken()

    def receive(self, method: str, content_type: str, body: bytes) -> DeliveryAnswer:
        """Answer one delivery."""
        refusal = _refusal(method, content_type, body) or self._break()
        if refusal:
            return refusal
        try:
            event = read(body, self._store.wrapper)
            return self._keep(event, body)
        except (UnreadableEventError, RecursionError, UnicodeError) as error:
            return DeliveryAnswer(400, f"not an event: {str(error)[:200]}")

    def deliver(self, _: str, body: bytes) -> int:
        """Accept a delivery inside this process, without a socket."""
        return self.receive("POST", "application/json", body).status

    def answer(self, broken: Broken) -> None:
        """Answer deliveries with a status without reading them, as a broken receiver does."""
        self._broken = broken

    def _break(self) -> DeliveryAnswer | None:
        with self._lock:
            strikes = self._broken.strikes()
        return DeliveryAnswer(self._broken.status, "broken on request") if strikes else None

    def _keep(self, event: Event, body: bytes) -> DeliveryAnswer:
        try:
            arrival = self._store.add(event, body, self._clock())
        except Exception:
            log.exception("an event could not be kept")
            return DeliveryAnswer(503, "the event could not be kept")
        status = self._pass_on(arrival)
        self._tell(replace(arrival, answered=status if self._then else None))
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

    def _tell(self, arrival: Arrival) -> None:
        for listener in list(self.listeners):
            try:
                listener(arrival)
            except Exception:
                log.exception("a listener of the inbox failed")


def _refusal(method: str, content_type: str, body: bytes) -> DeliveryAnswer | None:
    if method != "POST":
        return DeliveryAnswer(405, "events are posted", {"allow": "POST"})
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        return DeliveryAnswer(415, "events are application/json")
    if len(body) > MOST_BYTES:
        return DeliveryAnswer(413, f"the body is larger than {MOST_BYTES} bytes")
    return None


Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

AT_ONCE = 64
"""Deliveries that are read and kept at the same time; the others wait, unread."""

WAITING = 1_000
"""Deliveries that may wait; one more is asked to come again."""

WORKERS = 4
BODY_SECONDS = 10.0
"""Seconds a sender has for its body."""


class InboxApp:
    """One receiver behind one path."""

    def __init__(self, receiver: Receiver, path: str, allowed: Collection[str] = ()) -> None:
        self._receiver, self._path, self._allowed = receiver, path, allowed
        self._open = asyncio.Semaphore(AT_ONCE)
        self._present = 0
        self._pool = ThreadPoolExecutor(WORKERS, "paylab-inbox")

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        await _send(send, await self._answer(scope, receive))

    async def _answer(self, scope: Message, receive: Receive) -> DeliveryAnswer:
        given = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = loopback.host_refusal(given.get(b"host"), given.get(b"origin"), self._allowed)
        if refused:
            return DeliveryAnswer(*refused)
        if scope["path"] != self._path:
            return DeliveryAnswer(404, "events are posted elsewhere")
        if self._present >= AT_ONCE + WAITING:
            return DeliveryAnswer(503, "too many deliveries at once", {"retry-after": "1"})
        self._present += 1
        try:
            async with self._open:
                return await self._take(scope, receive)
        finally:
            self._present -= 1

    async def _take(self, scope: Message, receive: Receive) -> DeliveryAnswer:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await _read(receive)
        except TimeoutError:
            return DeliveryAnswer(408, "the body did not come in time")
        if body is None:
            return DeliveryAnswer(400, "the body did not come whole")
        loop = asyncio.get_running_loop()
        kind = dict(scope["headers"]).get(b"content-type", b"").decode("latin-1")
        receiver = self._receiver.receive
        return await loop.run_in_executor(self._pool, receiver, scope["method"], kind, body)

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown(wait=False)


async def _read(receive: Receive) -> bytes | None:
    """The body, or as much of it as shows that it is too large; None when the sender left."""
    parts: list[bytes] = []
    total = 0
    while total <= MOST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        total += len(parts[-1])
        if not message.get("more_body"):
            break
    return b"".join(parts)


async def _send(send: Send, answer: DeliveryAnswer) -> None:
    body = answer.text.encode("ascii", "backslashreplace")
    length = str(len(body))
    # What was not read to its end is not worth reading on: the connection ends with the answer.
    close = {"connection": "close"} if answer.status in (403, 404, 408, 413, 421, 503) else {}
    headers = {"content-type": "text/plain", "content-length": length, **close, **answer.headers}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


HOST = "127.0.0.1"


class Port:
    """Listens on loopback, on a path that cannot be guessed, because events are unsigned."""

    def __init__(
        self, receiver: Receiver, port: int = 0, allowed_hosts: Collection[str] = ()
    ) -> None:
        self._socket = _listen(port)
        self.number: int = self._socket.getsockname()[1]
        self.path = f"/events/{secrets.token_urlsafe(12)}"
        self._app = InboxApp(receiver, self.path, allowed_hosts)
        self._serving = ServingThread(self._app, self._socket, "paylab-inbox")

    @property
    def url(self) -> str:
        """Where events are posted."""
        return f"http://{HOST}:{self.number}{self.path}"

    def start(self) -> Port:
        """Start to listen; returns once connections are accepted."""
        try:
            self._serving.start()
        except TimeoutError:
            raise ConfigError(f"the inbox could not start on port {self.number}") from None
        return self

    def stop(self) -> None:
        """Stop listening."""
        self._serving.stop()
        self._app.close()


def _listen(port: int) -> socket.socket:
    try:
        return listen(HOST, port)
    except (OSError, OverflowError) as error:
        told = getattr(error, "strerror", None) or error
        raise ConfigError(f"cannot listen on {HOST} port {port}: {told}") from None
