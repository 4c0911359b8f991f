"""The service's time: ours corrected by its Date header, or a simulator's clock."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

from ..client.sender import Sender
from ..errors import PaylabError
from ..simulator.panel import Panel

CLOCKS_AGREE = 2.0
"""Seconds; Date has no fractions."""


class ServiceTime:
    """What time it is on the service, and waiting: on a frozen simulator, waiting moves its clock.

    `controls` gives the controls of the simulator that is the service, if it is one; `pause` waits
    where time passes by itself.
    """

    def __init__(
        self,
        client: Sender,
        controls: Callable[[], Panel | None],
        *,
        in_process: bool = False,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client, self._controls, self.in_process = client, controls, in_process
        self._pause = pause

    def now(self) -> datetime:
        """The time by which the service judges; a simulator behind a URL is asked."""
        if not self.in_process:
            with suppress(PaylabError):
                panel = self._controls()
                if panel is not None:
                    self._client.delivery.ahead = (
                        panel.clock.now - self._client.clock()
                    ).total_seconds()
        return self.seen()

    def span(self) -> tuple[datetime, datetime]:
        """The earliest and the latest that it may be at the service, by which keys expire.

        A simulator says what its time is. A Date may be wrong, and so may this machine's clock.
        """
        with suppress(PaylabError):
            if self._controls() is not None:
                told = self.now()
                return told, told
        both = self._client.clock(), self.seen()
        return min(both), max(both)

    def seen(self) -> datetime:
        """The same as far as the latest Date header tells; nothing is asked."""
        ahead = self._client.delivery.ahead or 0.0
        if abs(ahead) < CLOCKS_AGREE:
            return self._client.clock()
        try:
            return self._client.clock() + timedelta(seconds=ahead)
        except OverflowError:
            return self._client.clock()

    def sleep(self, seconds: float) -> None:
        """Wait; where the clock of a simulator stands still, move it on instead."""
        if not self.move_on(seconds):
            self._pause(seconds)

    def move_on(self, seconds: float) -> bool:
        """Move a frozen simulator's clock on; False where time passes by itself."""
        try:
            panel = self._controls()
            if panel is None or not panel.clock.frozen:
                return False
            panel.clock.advance(seconds)
        except PaylabError:
            logging.getLogger("paylab").debug("the simulator did not answer; waiting instead")
            return False
        return True

    def stands_still(self) -> bool:
        """Whether time passes only when somebody moves it."""
        panel = self._controls()
        return panel is not None and panel.clock.frozen
