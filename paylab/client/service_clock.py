"""The clocks of a session: how time passes here, and what is known of the time at the service."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random, SystemRandom

from ..errors.base import PaylabError
from ..light_dataclass import light_dataclass
from ..logs import log

utcnow = partial(datetime.now, UTC)
"""The current time of this machine, aware, in UTC."""


@light_dataclass(frozen=True)
class Timing:
    """How time passes for a session, and where its random numbers come from.

    `clock` is the wall clock, `perf` a stopwatch.
    """

    clock: Callable[[], datetime] = utcnow
    sleep: Callable[[float], None] = time.sleep
    perf: Callable[[], float] = time.perf_counter
    random: Random = field(default_factory=SystemRandom)


DATE_ERROR_SECONDS = 2.0
"""The most by which a difference read from Date is wrong: Date has no fractions of a second, and
its answer was under way for some time."""

WARNED_SKEW_SECONDS = 30.0
"""A warning is logged from this difference in seconds on, long before it is an error."""

SimulatorTime = Callable[[], tuple[datetime, float] | None]
"""Asks a simulator for its time and its seconds per real second; None for another service."""


class ServiceClock:
    """Estimates the time at the service: from the Date header, or from a simulator's own clock.

    `clock` is this machine's, `tolerance` the difference in seconds that a signature may have.
    `ask` asks for the time of a simulator behind a URL; a PaylabError means no answer. With `warns`
    a large difference is logged.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        tolerance: float,
        ask: SimulatorTime | None = None,
        *,
        warns: bool = True,
    ) -> None:
        """Start without an answer: the clocks count as equal."""
        self._clock = clock
        self._warns = warns
        self._tolerance = tolerance
        self._ask = ask
        self._ahead: float | None = None
        self._reading: tuple[datetime, datetime, float] | None = None
        self._has_answer = False
        self._warned_level = 0

    def observe(self, status: int | None, skew: float | None = None) -> None:
        """Learn from an answer how far the clocks are apart.

        A large difference is warned of once, and once more when it is too large for a signature.
        """
        self._has_answer = self._has_answer or status is not None
        if skew is None:
            return
        self._ahead = skew
        is_large = abs(skew) >= min(WARNED_SKEW_SECONDS, self._tolerance)
        is_refused = abs(skew) > self._tolerance
        warning_level = int(is_large) + int(is_refused)  # 0 is no warning
        if self._warns and warning_level > self._warned_level:
            side = "ahead of" if skew > 0 else "behind"
            difference_text = f"{abs(skew):.0f} s {side} this machine's"
            refused_text = ", so every request is refused" if is_refused else ""
            advice = f"{self._tolerance} s are allowed{refused_text}: set this machine's clock"
            log.warning("the service's clock is %s; %s", difference_text, advice)
        # After clocks that agree, the same difference is warned of again.
        self._warned_level = max(warning_level, self._warned_level) if warning_level else 0

    @property
    def is_known(self) -> bool:
        """Whether an answer or a simulator told the time."""
        return self._ahead is not None

    def now(self) -> datetime:
        """The time at the service; a simulator behind a URL is asked for it."""
        self._ask_simulator()
        return self._to_service_time(self._clock())

    def span(self) -> tuple[datetime, datetime]:
        """The earliest and the latest time that it may be at the service.

        A simulator behind a URL is asked, and its time is exact. Otherwise the Date header or
        this machine's clock may be wrong, so both count.
        """
        is_exact = self._ask_simulator()
        now = self._clock()
        service_now = self._to_service_time(now)
        if is_exact:
            return service_now, service_now
        return min(now, service_now), max(now, service_now)

    def earliest(self) -> datetime:
        """The earliest time that it may be at the service.

        A simulator behind a URL is asked only if it was not yet, or if its clock was moved since.
        """
        if self._reading is None:
            return self.span()[0]
        service_time, read_at, speed = self._reading
        # A fast clock can pass the last date that Python has.
        with suppress(OverflowError):
            return service_time + (self._clock() - read_at) * speed
        return service_time

    def forget(self) -> None:
        """Ask the simulator again: its clock may have been moved."""
        self._reading = None

    def _ask_simulator(self) -> bool:
        """Ask a simulator for its time; False if it is none, or did not answer."""
        if self._ask is None:
            return False
        with suppress(PaylabError):
            clock_reading = self._ask()
            if clock_reading is not None:
                now = self._clock()
                service_time, speed = clock_reading
                self._reading = service_time, now, speed
                self._ahead = (service_time - now).total_seconds()
                return True
            if self._has_answer:  # the service answers, and is no simulator
                self._ask = None
        return False

    def _to_service_time(self, now: datetime) -> datetime:
        """The time at the service for a time of this machine; the same if the clocks agree."""
        seconds_ahead = self._ahead or 0.0
        # A correction by less than the error of Date would only add noise.
        if abs(seconds_ahead) < DATE_ERROR_SECONDS:
            return now
        with suppress(OverflowError):
            return now + timedelta(seconds=seconds_ahead)
        return now
