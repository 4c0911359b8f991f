"""The signed requests of a probe: dialect, budget, pace and permissions."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

import httpx

from ..client.call_log import CallLog
from ..client.request import SIGNATURE, Nonces, OutgoingRequest
from ..client.retries import asked_wait
from ..client.sender import Sender
from ..client.settings import Settings
from ..errors import PaylabError
from ..signing.canonical import body_hash, key_bytes, signed_headers, signed_path
from ..spec.text import write_json
from ..spec.timestamps import to_text
from .answers import ServiceReply

BUDGET = 150
TOO_MANY = 429
MOST_WAITS = 5
LONGEST_WAIT = 120.0
ASK_FOR_WRITE = "it creates objects: allow that with --write"


class NotAskedError(PaylabError):
    """A request that this run may not send; the message says why."""


class BudgetError(NotAskedError):
    """The budget of requests is used up."""


@dataclass(frozen=True)
class Dialect:
    """How a request is signed; `shift` seconds are added to X-Date."""

    empty_query: Any = "omit"
    key_encoding: str = "utf-8"
    hash_encoding: str = "hex"
    empty_body: str = "hash"
    signed_path: str = "whole"
    nonce: bool = True
    shift: float = 0.0
    damaged: bool = False


class DialectAuth(httpx.Auth):
    """Signs in the current dialect, or with a deliberately invalid signature."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime], random: Random) -> None:
        self._settings, self._clock, self._nonces = settings, clock, Nonces(random)
        self.dialect = Dialect()

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the signed headers to the request."""
        path, _, query = request.url.raw_path.decode("ascii").partition("?")
        now, dialect = self._clock(), self.dialect
        headers, signature = signed_headers(
            self._settings.api_key.reveal(),
            key_bytes(self._settings.secret_key.reveal(), dialect.key_encoding),
            request.method,
            request.headers["Host"],
            signed_path(f"{path}/damaged" if dialect.damaged else path, dialect.signed_path),
            query,
            content_hash=body_hash(request.content, dialect.hash_encoding, dialect.empty_body),
            date=to_text(now + timedelta(seconds=dialect.shift)),
            nonce=self._nonces.next(now) if dialect.nonce else None,
            empty_query=dialect.empty_query,
        )
        request.headers.update(headers)
        request.extensions[SIGNATURE] = signature
        yield request


@dataclass
class Requests:
    """Sends the requests of a probe, one at a time.

    `budget` is the maximum number of requests, `pace` the minimum seconds between two. With
    `read_only` only GETs are sent; `writes` allows requests that create objects.
    """

    sender: Sender
    dialect: Dialect = field(default_factory=Dialect)
    budget: int = BUDGET
    pace: float = 0.0
    writes: bool = False
    sent: int = 0
    limited: list[ServiceReply] = field(default_factory=list)
    accepted: list[ServiceReply] = field(default_factory=list)

    def __post_init__(self) -> None:
        sender = self.sender
        self.calls = CallLog(most=2 * self.budget + 100)
        self._auth = DialectAuth(sender.settings, sender.clock, sender.random)
        self._connection = sender.connection(self._auth)
        self._last = -1e9

    def get(self, target: str, dialect: Dialect | None = None) -> ServiceReply:
        """Send a GET."""
        return self._ask("GET", target, None, dialect)

    def refused(
        self,
        path: str,
        body: Any,
        key: str | None = None,
        *,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
    ) -> ServiceReply:
        """Send a request that must be refused; record it if it succeeded."""
        given = headers or {}
        reply = self._ask(method, path, body, idempotency_key=key, given_headers=given)
        if reply.went_well:
            self.accepted.append(reply)
        return reply

    def write(
        self, path: str, body: Any, key: str | None = None, *, method: str = "POST"
    ) -> ServiceReply:
        """Send a request that may create or delete an object of this probe."""
        if not self.writes:
            raise NotAskedError(ASK_FOR_WRITE)
        return self._ask(method, path, body, idempotency_key=key)

    def close(self) -> None:
        """Close the connection."""
        self._connection.http.close()

    def new_key(self) -> str:
        """A new Idempotency-Key."""
        return self.sender.new_key()

    def sleep(self, seconds: float) -> None:
        """Wait by the clock of the service."""
        self.sender.sleep(seconds)

    def can_send(self, target: str) -> bool:
        """Whether a path can be part of a request."""
        try:
            _url(self.sender.settings.base_url + target)
        except NotAskedError:
            return False
        return True

    def _ask(
        self, method: str, target: str, body: Any, dialect: Dialect | None = None, **fields: Any
    ) -> ServiceReply:
        """Send; after a 429 wait as requested and send again. `fields` are those of the request."""
        if method != "GET" and self.sender.settings.read_only:
            raise NotAskedError("only GETs may be sent: read_only is set")
        url = _url(self.sender.settings.base_url + target)
        content = None if body is None else write_json(body).encode()
        outgoing = OutgoingRequest(method, target.partition("?")[0], url, content, **fields)
        reply = self._send(outgoing, dialect)
        for number in range(MOST_WAITS):
            if reply.status != TOO_MANY:
                break
            self.limited.append(reply)
            wait = _retry_after(reply, self.sender.clock()) or 2.0**number
            self.sleep(min(wait, LONGEST_WAIT))
            reply = self._send(outgoing, dialect)
        return reply

    def _send(self, outgoing: OutgoingRequest, dialect: Dialect | None) -> ServiceReply:
        if self.sent >= self.budget:
            raise BudgetError(f"the budget of {self.budget} requests is used up: run it again")
        pause = self._last + self.pace - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        self.sent += 1
        self._auth.dialect = dialect or self.dialect
        exchange, deferred = self._connection.send(outgoing)
        self._last = time.monotonic()
        self.calls.keep(deferred)
        return ServiceReply(exchange, deferred, self.sender.redaction)


def _url(text: str) -> httpx.URL:
    """A URL; NotAskedError if it cannot be sent, as with an id of control characters."""
    try:
        return httpx.URL(text)
    except (httpx.InvalidURL, ValueError) as error:
        raise NotAskedError(f"the path cannot be sent: {error}") from None


RETRY_HEADERS = (
    *("retry-after", "retry-after-ms", "x-retry-after", "ratelimit-reset", "x-ratelimit-reset"),
    *("x-rate-limit-reset", "rate-limit-reset", "x-ratelimit-retry-after"),
)


def retry_header(reply: ServiceReply) -> tuple[str, str] | None:
    """The header of a 429 with the time to wait, and its value."""
    found = ((name, reply.headers[name]) for name in RETRY_HEADERS if name in reply.headers)
    return next(found, None)


def retry_unit(name: str, value: str, now: datetime) -> str:
    """The unit of such a header: seconds, milliseconds, unix_time or date."""
    try:
        number = float(value)
    except ValueError:
        return "date"
    if number > now.timestamp() / 2:
        return "unix_time"
    return "milliseconds" if name.endswith("-ms") or number >= 1000 else "seconds"


def _retry_after(reply: ServiceReply, now: datetime) -> float | None:
    """The seconds to wait after a 429; None if unknown."""
    found = retry_header(reply)
    if found is None:
        return None
    return asked_wait(reply.headers, now, found[0], retry_unit(*found, now))
