"""The simulator's controls in Python: `lab.simulator`, for a simulator here or behind a URL."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from .. import instants
from ..errors import SimulatorError
from ..events import Event, read

Ask = Callable[..., Any]
"""Sends a signed request: (method, path, json=None) -> the decoded answer."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])")


class Panel:
    """Everything that can be done to a simulator from outside the service's own operations."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.clock = ClockPanel(ask)
        self.faults = FaultPanel(ask)

    def summary(self) -> dict[str, Any]:
        """Clock, counts and seed."""
        return dict(self._ask("GET", "/_simulator"))

    def __repr__(self) -> str:
        summary = self.summary()
        counts = ", ".join(f"{count} {kind}" for kind, count in summary["counts"].items() if count)
        return f"<simulator seed {summary['seed']}, {self.clock}, {counts or 'empty'}>"

    def move(self, object_id: str, to: str, reason: str = "") -> dict[str, Any]:
        """Bring an object to a state by a legal move; an illegal one says which are legal."""
        body = {"to": to, "reason": reason}
        return dict(self._ask("POST", f"/_simulator/objects/{object_id}", json=body))

    def seed(self, *, transfers: int = 0, conversions: int = 0) -> dict[str, Any]:
        """Add a past of finished transfers and conversions; gives the summary."""
        body = {"transfers": transfers, "conversions": conversions}
        return dict(self._ask("POST", "/_simulator/seed", json=body))

    def reset(self) -> None:
        """Empty the world and set its clock as at the launch."""
        self._ask("POST", "/_simulator/reset", json={})

    def snapshot(self) -> dict[str, Any]:
        """The whole world as one JSON object, without keys."""
        return dict(self._ask("GET", "/_simulator/snapshot"))

    def restore(self, snapshot: dict[str, Any]) -> None:
        """Become what a snapshot holds."""
        self._ask("PUT", "/_simulator/snapshot", json=snapshot)

    def events(self, resource_id: str | None = None) -> list[Event]:
        """Every event so far, or those of one resource, oldest first."""
        rows = self._ask("GET", "/_simulator/events")
        return [read(row["body"]) for row in rows if resource_id in (None, row["resource_id"])]

    def deliveries(self) -> list[dict[str, Any]]:
        """Every attempt to deliver an event, oldest first."""
        return list(self._ask("GET", "/_simulator/deliveries"))

    def scenarios(self) -> list[dict[str, str]]:
        """The values that bring about an outcome: where, value, outcome."""
        return list(self._ask("GET", "/_simulator/scenarios"))


class ClockPanel:
    """The simulator's clock."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def _state(self) -> dict[str, Any]:
        return dict(self._ask("GET", "/_simulator")["clock"])

    def _set(self, **change: object) -> None:
        self._ask("POST", "/_simulator/clock", json=change)

    @property
    def now(self) -> datetime:
        """The simulator's instant, aware and UTC."""
        return instants.from_text(self._state()["now"])

    @property
    def frozen(self) -> bool:
        """Whether it stands still."""
        return bool(self._state()["frozen"])

    @property
    def speed(self) -> float:
        """Simulated seconds in a real one."""
        return float(self._state()["speed"])

    def advance(self, span: float | str) -> None:
        """Move on by seconds, or by a span like "90s", "5m", "24h" or "2d"."""
        self._set(advance_seconds=seconds(span))

    def freeze(self) -> None:
        """Stop it where it is."""
        self._set(frozen=True)

    def run(self, speed: float = 1.0) -> None:
        """Let it run, that many simulated seconds in a real one."""
        self._set(speed=speed, frozen=False)

    def __repr__(self) -> str:
        state = self._state()
        return f"{state['now']}, " + ("frozen" if state["frozen"] else f"x{state['speed']:g}")


class FaultPanel:
    """Faults that lie in wait."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def add(self, kind: str, **details: object) -> dict[str, Any]:
        """Lay a fault in wait; `details` are method, path, times, status and so on.

        Kinds: status, refuse, timeout, drop_after, truncate, html, skew, bad_cursor,
        event_duplicate, event_delay, event_reorder.
        """
        return dict(self._ask("POST", "/_simulator/faults", json={"kind": kind, **details}))

    def list(self) -> list[dict[str, Any]]:
        """The faults that wait, and how often each will strike."""
        return [*self._ask("GET", "/_simulator/faults")]

    def clear(self) -> None:
        """Take all of them away."""
        self._ask("DELETE", "/_simulator/faults")

    def __repr__(self) -> str:
        return f"<faults: {', '.join(fault['kind'] for fault in self.list()) or 'none'}>"


def seconds(span: float | str) -> float:
    """Seconds in a span: a number, or text like "24h"."""
    if not isinstance(span, str):
        return span
    match = _SPAN.fullmatch(span.strip())
    if match is None:
        raise SimulatorError(f'{span!r} is no span of time: write seconds, or "90s", "5m", "24h"')
    return float(match[1]) * _UNITS[match[2]]
