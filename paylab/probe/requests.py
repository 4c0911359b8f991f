"""The signed requests of a probe: dialect, budget, pace and permissions."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from random import Random
from typing import Any

import httpx

from ..client.call_log import CallLog
from ..client.request import SIGNATURE, Nonces, OutgoingRequest
from ..client.sender import Sender
from ..client.settings import Settings
from ..errors import PaylabError
from ..signing.canonical import EMPTY_HASH, body_hash, key_bytes, signed_headers
from ..spec.text import write_json
from ..spec.timestamps import to_text
from .answers import ServiceReply

BUDGET = 150
TOO_MANY = 429
MOST_WAITS = 5
LONGEST_WAIT = 120.0


class NotAskedError(PaylabError):
    """A request that this run may not send; the message says why."""


class BudgetError(NotAskedError):
    """The budget of requests is used up."""


@dataclass(frozen=True)
class Dialect:
    """How a request is signed; `shift` seconds are added to X-Date."""

    empty_query: Any = "omit"
    key_encoding: str = "utf-8"
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
            f"{path}/damaged" if dialect.damaged else path,
            query,
            content_hash=body_hash(request.content) if request.content else EMPTY_HASH,
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
    perf: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        sender = self.sender
        self.calls = CallLog(most=2 * self.budget + 100)
        self._auth = DialectAuth(sender.settings, sender.clock, sender.random)
        self._connection = replace(sender.connection(self._auth), perf=self.perf)
        self._last = -1e9

    def get(self, path: str, query: str = "", *, dialect: Dialect | None = None) -> ServiceReply:
        """Send a GET."""
        return self._ask("GET", f"{path}?{query}" if query else path, None, {}, dialect)

    def refused(
        self,
        path: str,
        body: Any,
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "POST",
        dialect: Dialect | None = None,
    ) -> ServiceReply:
        """Send a request that must be refused; record it if it succeeded."""
        reply = self._ask(method, path, body, headers or {}, dialect)
        if reply.went_well:
            self.accepted.append(reply)
        return reply

    def write(
        self, path: str, body: Any, headers: Mapping[str, str] | None = None, method: str = "POST"
    ) -> ServiceReply:
        """Send a request that may create or delete an object of this probe."""
        if not self.writes:
            raise NotAskedError("it creates objects: allow that with --write")
        return self._ask(method, path, body, headers or {}, None)

    def close(self) -> None:
        """Close the connection."""
        self._connection.http.close()

    def new_key(self) -> str:
        """A new Idempotency-Key."""
        return self.sender.new_key()

    def sleep(self, seconds: float) -> None:
        """Wait by the clock of the service."""
        self.sender.sleep(seconds)

    def _ask(
        self,
        method: str,
        target: str,
        body: Any,
        headers: Mapping[str, str],
        dialect: Dialect | None,
    ) -> ServiceReply:
        if method != "GET" and self.sender.settings.read_only:
            raise NotAskedError("only GETs may be sent: read_only is set")
        content = body if body is None or isinstance(body, bytes) else write_json(body).encode()
        url = _url(self.sender.settings.base_url + target)
        key = headers.get("Idempotency-Key")
        others = {name: value for name, value in headers.items() if name != "Idempotency-Key"}
        outgoing = OutgoingRequest(
            method, target.partition("?")[0], url, content, idempotency_key=key
        )
        return self._until_allowed(replace(outgoing, given_headers=others), dialect)

    def can_send(self, target: str) -> bool:
        """Whether a path can be part of a request."""
        try:
            _url(self.sender.settings.base_url + target)
        except NotAskedError:
            return False
        return True

    def _until_allowed(self, outgoing: OutgoingRequest, dialect: Dialect | None) -> ServiceReply:
        """Send; after a 429 wait as requested and send again."""
        waits = self._waits()
        while True:
            reply = self._send(outgoing, dialect)
            wait = next(waits, None) if reply.status == TOO_MANY else None
            if wait is None:
                return reply
            self.limited.append(reply)
            self.sleep(min(_retry_after(reply, self.sender.clock()) or wait, LONGEST_WAIT))

    @staticmethod
    def _waits() -> Generator[float, None, None]:
        yield from (2.0**number for number in range(MOST_WAITS))

    def _send(self, outgoing: OutgoingRequest, dialect: Dialect | None) -> ServiceReply:
        if self.sent >= self.budget:
            raise BudgetError(f"the budget of {self.budget} requests is used up: run it again")
        pause = self._last + self.pace - self.perf()
        if pause > 0:
            time.sleep(pause)
        self.sent += 1
        self._auth.dialect = dialect or self.dialect
        exchange, deferred = self._connection.send(outgoing)
        self._last = self.perf()
        self.calls.keep(deferred)
        return ServiceReply(exchange, deferred, self.sender.redaction, self.sent)


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
    unit = retry_unit(*found, now)
    try:
        if unit == "date":
            return max(0.0, (parsedate_to_datetime(found[1]) - now).total_seconds())
    except (TypeError, ValueError):
        return None
    number = float(found[1])
    scale = {
        "seconds": number,
        "milliseconds": number / 1000,
        "unix_time": number - now.timestamp(),
    }
    return max(0.0, scale[unit])
