"""The simulator's one clock: it runs, is frozen, is sped up, or is moved on."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from ..spec import timestamps

START = datetime(2026, 1, 15, 12, 0, 0, tzinfo=UTC)
"""Where a frozen world begins, whenever it is launched. Gap `clock.frozen`."""

END = datetime(9000, 1, 1, tzinfo=UTC)
"""Where every clock stops: dates that follow from it can still be written."""


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
        since = wall()
        self._line = (START if frozen else datetime.fromtimestamp(since, UTC), since)

    def now(self) -> datetime:
        """The instant, cut to milliseconds."""
        base, since = self._line
        passed = 0.0 if self.frozen else max(0.0, self._wall() - since) * self.speed
        moment = base + timedelta(seconds=min(passed, (END - base).total_seconds()))
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)

    def jump(self, to: datetime) -> None:
        """Move on to an instant; a clock never goes back."""
        self._line = (min(max(to, self.now()), END), self._wall())

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
        return {"now": timestamps.to_text(self.now()), "frozen": self.frozen, "speed": self.speed}

    def saved(self) -> dict[str, object]:
        """What a file keeps: a clock that runs goes on running while nobody looks."""
        base, since = self._line
        return {
            "base": timestamps.to_text(base),
            "since": None if self.frozen else since,
            "frozen": self.frozen,
            "speed": self.speed,
        }

    def restore(self, saved: dict[str, object]) -> None:
        """Go on from what `saved` gave."""
        since = self._wall() if saved["since"] is None else float(str(saved["since"]))
        base, speed = timestamps.from_text(str(saved["base"])), float(str(saved["speed"]))
        self._line, self.frozen, self.speed = (base, since), bool(saved["frozen"]), speed
