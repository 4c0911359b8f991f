"""The simulator's clock, which can run, be frozen, sped up or advanced."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TypedDict

from ..spec import timestamps
from ..spec.text import JsonMapping, JsonObject

START = datetime(2026, 1, 15, 12, 0, 0, tzinfo=UTC)
"""The start time of a frozen world. Assumption `clock.frozen`."""

END = datetime(9000, 1, 1, tzinfo=UTC)
"""The maximum time of a clock, so that later dates can still be written."""


SPEED_MIN = 0.001
SPEED_MAX = 1_000_000
"""The limits of simulated seconds per real second."""


class ClockOptions(TypedDict, total=False):
    """The options of a clock that a user chooses."""

    frozen: bool
    speed: float
    start: datetime | None


CLOCK_DEFAULTS = ClockOptions(frozen=True, speed=1.0, start=None)


class Clock:
    """Simulated time as a linear function of real time: base + speed x seconds since then.

    `start` is the first time. By default it is START for a frozen clock, else the machine's time.
    """

    def __init__(
        self,
        *,
        frozen: bool = True,
        speed: float = 1.0,
        wall: Callable[[], float] = time.time,
        start: datetime | None = None,
    ) -> None:
        """Start the clock; `wall` gives the real time in seconds since 1970."""
        self._wall = wall
        self.frozen = frozen
        self.speed = speed
        real_time = wall()
        default_start = START if frozen else datetime.fromtimestamp(real_time, UTC)
        self._base = start or default_start
        self._base_real_time = real_time

    def now(self) -> datetime:
        """The current time, without fractions of a millisecond."""
        passed_seconds = 0.0
        if not self.frozen:
            # If the machine's clock is set back, simulated time waits at its last base.
            passed_seconds = max(0.0, self._wall() - self._base_real_time) * self.speed
        seconds_until_end = (END - self._base).total_seconds()
        world_time = self._base + timedelta(seconds=min(passed_seconds, seconds_until_end))
        # A finer time would differ from the same time read from the text of an answer.
        return world_time.replace(microsecond=world_time.microsecond // 1000 * 1000)

    def jump(self, to: datetime) -> None:
        """Advance to a time. The clock never goes back."""
        self._base = min(max(to, self.now()), END)
        self._base_real_time = self._wall()

    def set(self, *, frozen: bool | None = None, speed: float | None = None) -> None:
        """Freeze the clock or let it run; `speed` is simulated seconds per real second."""
        # A new base: otherwise the new speed would apply to the time before as well.
        self.jump(self.now())
        if speed is not None:
            self.speed = speed
            self.frozen = False
        if frozen is not None:
            self.frozen = frozen

    def real_seconds_until(self, moment: datetime) -> float | None:
        """The real seconds until a time. None on a frozen clock."""
        if self.frozen:
            return None
        return max(0.0, (moment - self.now()).total_seconds() / self.speed)

    def state(self) -> dict[str, object]:
        """The clock as JSON for the summary."""
        return {"now": timestamps.to_text(self.now()), "frozen": self.frozen, "speed": self.speed}

    def dump(self) -> JsonObject:
        """The clock as JSON for the file. A running clock goes on while the simulator is closed."""
        return {
            "base": timestamps.to_text(self._base),
            # A real time would make the files of equal frozen worlds differ.
            "since": None if self.frozen else self._base_real_time,
            "frozen": self.frozen,
            "speed": self.speed,
        }

    def restore(self, dump: JsonMapping) -> None:
        """Restore the clock from a `dump`. An invalid one changes nothing."""
        # All of it is read before anything is changed: an invalid value raises an error.
        base_time = timestamps.from_text(str(dump["base"]))
        base_real_time = self._wall() if dump["since"] is None else float(dump["since"])
        is_frozen = bool(dump["frozen"])
        speed = float(dump["speed"])
        self._base = base_time
        self._base_real_time = base_real_time
        self.frozen = is_frozen
        self.speed = speed
