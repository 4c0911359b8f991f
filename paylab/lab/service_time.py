"""The service's time: this machine's clock corrected by the Date header, or a simulator's."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from ..client.sender import Sender
from ..errors import PaylabError
from ..simulator.controls import Controls


class ServiceTime:
    """The service's time, and waiting; on a frozen simulator, waiting advances its clock.

    `controls()` returns the simulator's controls, or None for a real service; `pause` sleeps on
    a running clock.
    """

    def __init__(
        self,
        client: Sender,
        controls: Callable[[], Controls | None],
        *,
        in_process: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client, self._controls, self.in_process = client, controls, in_process
        self._pause = pause
        self._delivery = client.delivery
        self._delivery.ask = None if in_process else lambda: self.span()[0]

    def now(self) -> datetime:
        """The service's current time; a simulator behind a URL is asked for it."""
        if not self.in_process:
            with suppress(PaylabError):
                controls = self._controls()
                if controls is not None:
                    theirs, speed = controls.clock.reading()
                    now = self._client.clock()
                    self._delivery.reading = theirs, now, speed
                    self._delivery.ahead = (theirs - now).total_seconds()
        return self._delivery.seen()

    def was_moved(self) -> None:
        """Ask for the time again, because this lab sent a request to the control API."""
        self._delivery.reading = None

    def span(self) -> tuple[datetime, datetime]:
        """The earliest and latest possible time of the service, for the expiry of keys.

        A simulator's time is known. The Date header or this machine's clock can be wrong.
        """
        with suppress(PaylabError):
            if self._controls() is not None:
                now = self.now()
                return now, now
            if self._delivery.product is not None:  # it answers, and is no simulator
                self._delivery.ask = None
        both = self._client.clock(), self._delivery.seen()
        return min(both), max(both)

    def sleep(self, seconds: float) -> None:
        """Sleep, or advance the clock of a frozen simulator."""
        if not self.move_on(seconds):
            self._pause(seconds)

    def move_on(self, seconds: float) -> bool:
        """Advance a frozen simulator's clock; False if the clock is running."""
        try:
            controls = self._controls()
            if controls is None or not controls.clock.frozen:
                return False
            controls.clock.advance(seconds)
        except PaylabError:
            logging.getLogger("paylab").debug("the simulator did not answer; waiting instead")
            return False
        return True

    def stands_still(self) -> bool:
        """Whether the service is a simulator with a frozen clock."""
        controls = self._controls()
        return controls is not None and controls.clock.frozen
