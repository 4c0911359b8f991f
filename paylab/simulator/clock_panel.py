"""The clock of a simulator as `lab.simulator.clock`: to read, advance, freeze and run it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError
from ..errors.names import with_name_suggestions
from ..spec import timestamps
from ..spec.text import JsonObject
from ..spec.time_arguments import read_seconds


@with_name_suggestions
@explain_arguments
class ClockPanel:
    """The simulator's clock."""

    def __init__(self, send_control: Callable[..., Any]) -> None:
        """Control the clock by requests that `send_control` sends."""
        self._send_control = send_control

    def _read_state(self) -> JsonObject:
        """The clock in the simulator's summary: now, frozen and speed."""
        return dict(self._send_control("GET", "/_simulator")["clock"])

    def _change_clock(self, **change: object) -> None:
        """Change the clock by the fields of its control, such as `frozen`."""
        self._send_control("POST", "/_simulator/clock", json=change)

    @property
    def now(self) -> datetime:
        """The simulator's time, aware and in UTC."""
        return self.reading()[0]

    def reading(self) -> tuple[datetime, float]:
        """The simulator's time, and its seconds per real second: 0 when frozen.

        >>> lab.simulator.clock.reading()[1]
        0.0
        """
        clock_state = self._read_state()
        speed = 0.0 if clock_state["frozen"] else float(clock_state["speed"])
        return timestamps.from_text(clock_state["now"]), speed

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen."""
        return bool(self._read_state()["frozen"])

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return float(self._read_state()["speed"])

    @speed.setter
    def speed(self, speed: float) -> None:
        """Set the speed."""
        self._change_clock(speed=speed)

    def advance(self, span: float | str | timedelta) -> None:
        """Advance by seconds, a timedelta, or a span like "90s", "24h", "3 days" or "23h 59m".

        >>> lab.simulator.clock.advance("24h")
        """
        seconds = read_seconds(span)
        if seconds < 0:
            raise ArgumentError(f"span must not be negative, and is {seconds:g} s", "span")
        self._change_clock(advance_seconds=seconds)

    def freeze(self) -> None:
        """Freeze the clock.

        >>> lab.simulator.clock.freeze()
        """
        self._change_clock(frozen=True)

    def run(self, speed: float = 1.0) -> None:
        """Run the clock at this many simulated seconds per real second.

        >>> lab.simulator.clock.run(speed=60)
        """
        self._change_clock(speed=speed, frozen=False)

    def __repr__(self) -> str:
        return "<clock: now, frozen, speed ask the simulator; advance(span), freeze(), run(speed)>"
