"""Waiting at a service: asleep, or by advancing the clock of a frozen simulator."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NoReturn

from ..errors.base import ArgumentError, PaylabError
from ..logs import log
from ..spec.time_arguments import read_seconds

if TYPE_CHECKING:
    from ..simulator.clock_panel import ClockPanel

PROBE_PAUSE_SECONDS = 0.2
"""Seconds between two requests of a probe, unless the service is on this machine."""


class LabClock:
    """The clock of a lab: `lab.clock()` is the time in UTC.

    >>> lab.clock()
    datetime.datetime(2026, 1, 15, 12, 0, tzinfo=datetime.timezone.utc)
    """

    def __init__(self, read_time: Callable[[], datetime]) -> None:
        self._read_time = read_time

    def __call__(self) -> datetime:
        """The time in UTC."""
        return self._read_time()

    def __repr__(self) -> str:
        """The time, and how to read it."""
        return f"lab.clock() is {self():%Y-%m-%d %H:%M:%S} UTC"

    def __getattr__(self, name: str) -> NoReturn:
        """AttributeError with what reads this clock, and what moves that of a simulator."""
        raise AttributeError(
            f"lab.clock has no {name!r}: lab.clock() is the time; a simulator has "
            "lab.simulator.clock, as in lab.simulator.clock.advance('2h')"
        )


class ServiceTime:
    """Lets time pass at the service; on a frozen simulator, waiting advances its clock.

    `find_clock` returns the simulator's clock, or None for a real service; `pause` sleeps on a
    running clock; `in_process` is whether the service is in this process.
    """

    def __init__(
        self,
        find_clock: Callable[[], ClockPanel | None],
        *,
        in_process: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._find_clock = find_clock
        self._pause = pause
        self.in_process = in_process

    def reading(self) -> tuple[datetime, float] | None:
        """The time of a simulator and its seconds per real second; None for a real service."""
        clock = self._find_clock()
        return None if clock is None else clock.reading()

    def sleep(self, span: float | str | timedelta) -> None:
        """Sleep for a span, or advance the clock of a frozen simulator by it.

        A span is seconds, a timedelta, or text like "90s" or "3 days"; ArgumentError for others.
        """
        seconds = read_seconds(span)
        if seconds < 0:
            raise ArgumentError(f"span must be 0 or more, not {span!r:.60}", "span")
        if not self.move_on(seconds):
            self._pause(seconds)

    def move_on(self, seconds: float) -> bool:
        """Advance a frozen simulator's clock; False if the clock is running."""
        try:
            clock = self._find_clock()
            if clock is None or not clock.frozen:
                return False
            clock.advance(seconds)
        except PaylabError:
            log.debug("the simulator did not answer; waiting instead")
            return False
        return True

    def is_frozen(self) -> bool:
        """Whether the service is a simulator with a frozen clock."""
        clock = self._find_clock()
        return clock is not None and clock.frozen
