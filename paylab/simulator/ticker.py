"""The thread that carries out the steps and deliveries of a served simulator."""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread
from typing import Any

from ..errors.base import SimulatorError
from ..serving import GRACE_SECONDS
from ..spec import timestamps


class Ticker(Thread):
    """A thread that carries out steps and deliveries when they are due."""

    def __init__(self, simulator: Any) -> None:
        super().__init__(name="paylab-clock", daemon=True)
        self._simulator, self._stopped = simulator, Event()

    def run(self) -> None:
        """Carry out steps, deliver, sleep; until stopped."""
        changed = self._simulator.changed
        while not self._stopped.is_set():
            changed.clear()
            with suppress(SimulatorError):  # a full disk: the next request reports it
                self._simulator.settle()
            self._simulator.delivery.start_due()
            changed.wait(self._pause())

    def stop(self) -> None:
        """Stop the thread now."""
        self._stopped.set()
        self._simulator.changed.set()
        self.join(GRACE_SECONDS)

    def _pause(self) -> float | None:
        due = self._simulator.next_due()
        clock = self._simulator.world.clock
        return None if due is None else clock.real_seconds_until(timestamps.from_text(due))
