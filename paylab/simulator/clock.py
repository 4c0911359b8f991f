"""The simulator's one clock: it runs, is frozen, is sped up, or is moved on."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from .. import instants

START = datetime(2026, 1, 15, 12, 0, 0, tzinfo=UTC)
"""Where a frozen world begins, whenever it is launched. Gap `clock.frozen`."""


class Clock:
    """Simulated time as a straight line over real time: base + speed x seconds since then."""

    def __init__(
        self,
        *,
        frozen: bool = True,
        speed: float = 1.0,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._wall = wall
        self.frozen, self.speed = frozen, speed
        self._since = wall()
        self._base = START if frozen else datetime.fromtimestamp(self._since, UTC)

    def now(self) -> datetime:
        """The instant, cut to milliseconds."""
        if self.frozen:
            return self._base
        moment = self._base + timedelta(seconds=(self._wall() - self._since) * self.speed)
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    def jump(self, to: datetime) -> None:
        """Move on to an instant; a clock never goes back."""
        self._base, self._since = max(to, self.now()), self._wall()

    def freeze(self, frozen: bool) -> None:
        """Stop the clock where it is, or let it run on from there."""
        self.jump(self.now())
        self.frozen = frozen

    def set_speed(self, speed: float) -> None:
        """Simulated seconds that pass in a real one."""
        self.jump(self.now())
        self.speed, self.frozen = speed, False

    def real_seconds_until(self, moment: datetime) -> float | None:
        """How long to sleep until then; None on a frozen clock."""
        if self.frozen:
            return None
        return max(0.0, (moment - self.now()).total_seconds() / self.speed)

    def state(self) -> dict[str, object]:
        """The summary's account of the clock."""
        return {"now": instants.to_text(self.now()), "frozen": self.frozen, "speed": self.speed}

    def saved(self) -> dict[str, object]:
        """What a file keeps: a clock that runs goes on running while nobody looks."""
        return {
            "base": instants.to_text(self._base),
            "since": self._since,
            "frozen": self.frozen,
            "speed": self.speed,
        }

    def restore(self, saved: dict[str, object]) -> None:
        """Go on from what `saved` gave."""
        self._base = instants.from_text(str(saved["base"]))
        self._since = float(str(saved["since"]))
        self.frozen, self.speed = bool(saved["frozen"]), float(str(saved["speed"]))
