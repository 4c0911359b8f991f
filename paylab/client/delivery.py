"""Sends a request until it is answered: attempts, waits between them, and the deadline."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import NamedTuple

from . import exchange
from .attempt import Attempts
from .call import Later
from .calls import CallLog
from .clock import skew_warning
from .exchange import Deadline, Exchange
from .request import Outgoing
from .retries import asked_wait, is_lost, wait_before_retry
from .settings import Settings

log = logging.getLogger("paylab")

Look = Callable[[Outgoing, Exchange, Later, datetime], Outgoing | None]
"""Finds what a lost attempt made: the GET of it, or None."""


class Delivered(NamedTuple):
    """The request that was answered, its answer, and whether an earlier attempt was lost."""

    request: Outgoing
    result: Exchange
    later: Later
    after_lost: bool


class Delivery:
    """Sends requests with retries; `ahead` is how far the service's clock is ahead, if known."""

    def __init__(  # noqa: PLR0913 - each is a door to the world that a test shuts
        self,
        attempts: Attempts,
        calls: CallLog,
        settings: Settings,
        deadline: Deadline,
        sleep: Callable[[float], None],
        random: Random,
    ) -> None:
        self.attempts, self.calls = attempts, calls
        self.ahead: float | None = None
        self._settings, self._deadline = settings, deadline
        self._sleep, self._random = sleep, random
        self._skew_told = False

    def send(self, request: Outgoing, look: Look) -> Delivered:
        """Send a request until it is answered for good, within the deadline of the call."""
        with self._deadline.within(self._limit(request)):
            return self._until_answered(request, look)

    def _limit(self, request: Outgoing) -> float:
        """The seconds that a whole call may take; more for a large body."""
        size = request.length or 0
        return (
            exchange.TIMES * (request.timeout or self._settings.timeout) + size / exchange.SLOWEST
        )

    def _until_answered(self, request: Outgoing, look: Look) -> Delivered:
        begun, lost = self.attempts.clock() if request.find else None, False
        for attempt in count(1):
            result, later = self.attempt(request, attempt)
            if begun and is_lost(result) and (found := look(request, result, later, begun)):
                return self.send(found, look)
            wait = self._wait(request, result, attempt)
            if wait is None:
                return Delivered(request, result, later, lost)
            lost = lost or is_lost(result)
            log.debug("trying again in %.2f s", wait)
            self._deadline.extend(wait)
            self._sleep(wait)
        raise AssertionError("count() does not end")

    def least_ahead(self) -> timedelta:
        """The least time by which the service's clock is ahead: Date has whole seconds, if any."""
        ahead, tolerance = self.ahead, self._settings.service.signing.tolerance
        known = ahead is not None and abs(ahead) < tolerance
        return timedelta(seconds=ahead - 2 if ahead is not None and known else -tolerance)

    def _wait(self, request: Outgoing, result: Exchange, attempt: int) -> float | None:
        if attempt > self._settings.max_retries:
            return None
        if self._deadline.left() <= 0:
            return None
        limits = self._settings.service.rate_limits
        asked = asked_wait(result.headers, self.attempts.clock(), limits.header, limits.unit)
        return wait_before_retry(request.repeatable, result, attempt, asked, self._random)

    def attempt(self, outgoing: Outgoing, attempt: int) -> tuple[Exchange, Later]:
        """Send once and keep the call."""
        result, later = self.attempts.make(outgoing, attempt)
        self.calls.keep(later)
        if not later.patient or log.isEnabledFor(logging.DEBUG):
            log.debug("%s", later.call)
        self._tell_skew(later.skew)
        return result, later

    def _tell_skew(self, skew: float | None) -> None:
        """Warn once about a clock difference before it becomes an error."""
        self.ahead = self.ahead if skew is None else skew
        warning = skew_warning(skew, self._settings.service.signing.tolerance)
        if warning and not self._skew_told:
            log.warning("%s", warning)
        self._skew_told = warning is not None
