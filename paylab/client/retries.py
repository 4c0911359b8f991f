"""When a request is sent again, how long a call may take, and whether the clocks agree."""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import NamedTuple

import httpcore

from ..spec.timestamps import from_http, to_text
from .call import DeferredCall
from .request import Exchange, OutgoingRequest
from .settings import Settings

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0
# No retry if the service asks to wait longer: a cell would hang.
LONGEST_RETRY_AFTER = 60.0
# More digits would be an unreasonable wait.
MOST_DIGITS = 18
TOO_MANY_REQUESTS = 429
RETRY_AFTER = "retry-after"
CLOCKS_AGREE = 2.0
"""Seconds; Date has no fractions."""

NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
SERVER_ERRORS = 500

WORTH_SAYING = 30.0
"""Seconds of difference from which on it is said, long before it is an error."""


log = logging.getLogger("paylab")


TIMES = 4
"""All attempts of a call together may take so many times its timeout; pauses are not counted."""

SLOWEST = 50_000
"""Bytes a second at which an upload is still waited for."""


class Deadline(threading.local):
    """The deadline of the current call, per thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Set a deadline in seconds; a nested call has its own."""
        before = self._at
        self._at = self._clock() + seconds
        try:
            yield
        finally:
            self._at = before

    def extend(self, seconds: float) -> None:
        """Extend the deadline by a pause."""
        self._at += seconds

    @property
    def has_passed(self) -> bool:
        """Whether no time is left."""
        return self._at <= self._clock()

    def cap(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float | None:
        """A timeout cut to the time left; an error when none is left."""
        left = self._at - self._clock()
        if left <= 0:
            raise error("the deadline of the whole call has passed")
        if left == math.inf:
            return timeout
        return left if timeout is None else min(timeout, left)


class Delivered(NamedTuple):
    """The request that was answered, what came back, and whether an earlier attempt was lost."""

    request: OutgoingRequest
    exchange: Exchange
    deferred: DeferredCall
    after_lost: bool


Look = Callable[[Delivered, datetime], OutgoingRequest | None]
"""Finds what a lost attempt made: the GET of it, or None."""


@dataclass
class Delivery:
    """Sends requests with retries; `ahead` is by how much the service's clock is ahead, if known.

    `attempt` sends once, and `keep` stores the record of each attempt. `product` is the Server
    header of the latest answer; None before the first answer. `ask` asks a simulator for its
    time, and `reading` is its answer, when it came, and its seconds per real second.
    """

    settings: Settings
    deadline: Deadline
    attempt: Callable[[OutgoingRequest, int], tuple[Exchange, DeferredCall]]
    keep: Callable[[DeferredCall], None]
    clock: Callable[[], datetime]
    sleep: Callable[[float], None]
    random: Random
    ahead: float | None = None
    product: str | None = None
    is_skew_told: bool = False
    ask: Callable[[], datetime] | None = None
    reading: tuple[datetime, datetime, float] | None = None

    def __post_init__(self) -> None:
        self._much = min(WORTH_SAYING, self.settings.service.signing.tolerance)

    def send(self, request: OutgoingRequest, look: Look) -> Delivered:
        """Send a request with retries, within the deadline of the call."""
        seconds = TIMES * (request.timeout or self.settings.timeout)
        begun, lost = self.clock() if request.find else None, False
        with self.deadline.within(seconds + (request.length or 0) / SLOWEST):
            for number in count(1):
                exchange, deferred = self.attempt(request, number)
                self.keep(deferred)
                if exchange.status:
                    self.product = exchange.headers.get("server", "")
                if not deferred.patient or log.isEnabledFor(logging.DEBUG):
                    log.debug("%s", deferred.call)
                if exchange.skew is not None:
                    self.ahead, is_much = exchange.skew, abs(exchange.skew) >= self._much
                    if is_much and not self.is_skew_told:
                        self._warn_of_skew(exchange.skew)
                    self.is_skew_told = is_much
                if exchange.went_well:
                    break
                if begun and is_lost(exchange):
                    found = look(Delivered(request, exchange, deferred, lost), begun)
                    if found is not None:
                        return self.send(found, look)
                wait = self._wait(request, exchange, number)
                if wait is None:
                    break
                lost = lost or is_lost(exchange)
                log.debug("trying again in %.2f s", wait)
                self.deadline.extend(wait)
                self.sleep(wait)
        return Delivered(request, exchange, deferred, lost)

    def seen(self) -> datetime:
        """The service's time as far as the latest answer tells; nothing is asked."""
        now, ahead = self.clock(), self.ahead or 0.0
        if abs(ahead) < CLOCKS_AGREE:
            return now
        with suppress(OverflowError):
            return now + timedelta(seconds=ahead)
        return now

    def earliest(self) -> datetime:
        """The earliest that it may be at the service, by which an order is dated.

        A simulator behind a URL is asked only if it was not yet, or if its clock was moved since.
        """
        if self.reading is not None:
            theirs, at, speed = self.reading
            with suppress(OverflowError):
                return theirs + (self.clock() - at) * speed
            return theirs
        return self.ask() if self.ask is not None else min(self.clock(), self.seen())

    def least_ahead(self) -> timedelta:
        """The minimum time by which the service's clock is ahead: Date has only whole seconds."""
        ahead, tolerance = self.ahead, self.settings.service.signing.tolerance
        known = ahead is not None and abs(ahead) < tolerance
        return timedelta(seconds=ahead - 2 if ahead is not None and known else -tolerance)

    def _wait(self, request: OutgoingRequest, exchange: Exchange, number: int) -> float | None:
        """Seconds to wait before the next attempt; None when there must be none."""
        if number > self.settings.max_retries or self.deadline.has_passed:
            return None
        limits = self.settings.service.rate_limits
        asked = asked_wait(exchange.headers, self.clock(), limits.header, limits.unit)
        return wait_before_retry(request.repeatable, exchange, number, asked, self.random)

    def _warn_of_skew(self, skew: float) -> None:
        """Warn about a clock difference before it becomes an error."""
        tolerance = self.settings.service.signing.tolerance
        side = "ahead of" if skew > 0 else "behind"
        verdict = "too much: every request is refused" if abs(skew) > tolerance else "much"
        words = f"{abs(skew):.0f} s {side} this machine's, which is {verdict}"
        allowed = f"{tolerance} s are allowed: set this machine's clock"
        log.warning("the service's clock is %s; %s", words, allowed)


def wait_before_retry(
    repeatable: bool, exchange: Exchange, attempt: int, asked: float | None, random: Random
) -> float | None:
    """Seconds to wait before the next attempt; None for no retry.

    `repeatable` says whether the request is safe to send twice. `asked`
    are the seconds that the service asks to wait, None if it does not say.
    """
    # A request answered 429 was refused before it was carried out.
    refused = exchange.status == TOO_MANY_REQUESTS
    if not refused and not (repeatable and may_pass(exchange)):
        return None
    if asked is None:
        return backoff(attempt, random)
    return asked if asked <= LONGEST_RETRY_AFTER else None


def may_pass(exchange: Exchange) -> bool:
    """Whether the next attempt may succeed."""
    if exchange.trouble is not None:
        return exchange.trouble.may_pass
    status = exchange.status or 0
    return status == TOO_MANY_REQUESTS or status >= SERVER_ERRORS


def is_lost(exchange: Exchange) -> bool:
    """Whether the request may have been carried out although there is no usable response."""
    if exchange.trouble is not None:
        return exchange.trouble.arrived and exchange.status != TOO_MANY_REQUESTS
    return (exchange.status or 0) >= SERVER_ERRORS


def backoff(attempt: int, random: Random) -> float:
    """Full jitter: a random time up to a bound that doubles with each attempt."""
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))


def asked_wait(headers: Mapping[str, str], now: datetime, header: str, unit: str) -> float | None:
    """Seconds that an answer asks to wait, by the header of its service or by Retry-After."""
    text = headers.get(header.lower(), "").strip()
    if header.lower() != RETRY_AFTER and not text:
        return retry_after(headers.get(RETRY_AFTER, ""), now)
    if unit in ("milliseconds", "unix_time") and NUMBER.fullmatch(text):
        number = float(text[:MOST_DIGITS])
        return number / 1000 if unit == "milliseconds" else max(0.0, number - now.timestamp())
    return retry_after(text, now)


def retry_after(text: str, now: datetime) -> float | None:
    """The seconds of a Retry-After header (seconds or a date); None if unreadable."""
    text = text.strip()
    if NUMBER.fullmatch(text):
        return float(text[:MOST_DIGITS])
    moment = from_http(text)
    return None if moment is None else max(0.0, (moment - now).total_seconds())


def not_before(asked: float | None, now: datetime) -> str | None:
    """The time until which the service asks not to be called; None for a short wait."""
    if asked is None or asked <= LONGEST_RETRY_AFTER:
        return None
    try:
        return to_text(now + timedelta(seconds=asked))
    except OverflowError:
        return "the year 9999"
