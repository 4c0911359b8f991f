"""The time an attempt takes, and the difference of the service's clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from ..spec.timestamps import from_http

WORTH_SAYING = 30.0
"""Seconds of difference from which on it is said, long before it is an error."""


def utcnow() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(UTC)


def skew(headers: Mapping[str, str], sent: datetime) -> float | None:
    """Seconds by which the service's clock is ahead; None without a readable Date header.

    Date has whole seconds and the answer took time, so one or two seconds mean nothing.
    """
    date = from_http(headers.get("date", ""))
    return None if date is None else (date - sent).total_seconds()


def skew_warning(seconds: float | None, tolerance: int) -> str | None:
    """A warning about a clock difference near the tolerance; None for a small one.

    `tolerance` is the difference at which the service refuses a signature.
    """
    if seconds is None or abs(seconds) < min(WORTH_SAYING, tolerance):
        return None
    side = "ahead of" if seconds > 0 else "behind"
    verdict = "too much: every request is refused" if abs(seconds) > tolerance else "much"
    return (
        f"the service's clock is {abs(seconds):.0f} s {side} this machine's, which is {verdict}; "
        f"{tolerance} s are allowed: set this machine's clock"
    )


@dataclass(frozen=True)
class Spent:
    """Seconds for connecting (TLS included), waiting for the answer, and reading it."""

    connecting: float
    waiting: float
    reading: float

    @property
    def total(self) -> float:
        """All three."""
        return self.connecting + self.waiting + self.reading

    def __str__(self) -> str:
        parts = [f"{name} {getattr(self, name) * 1000:.1f}" for name in PARTS]
        return f"{self.total * 1000:.1f} ms ({', '.join(parts)})"


PARTS = {
    "connecting": ("connect_tcp", "start_tls"),
    "waiting": ("send_request_headers", "send_request_body", "receive_response_headers"),
    "reading": ("receive_response_body",),
}
"""The steps httpcore tells of, by the part they belong to."""


class Stopwatch:
    """Measures the steps of httpcore; a transport without a network has none."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begun: dict[str, float] = {}
        self._took: dict[str, float] = {}

    def __call__(self, event: str, info: object) -> None:
        """A step began, ended or failed."""
        name, moment = _step(event)
        if moment == "started":
            self._begun[name] = self._clock()
        elif name in self._begun:
            self._took[name] = self._clock() - self._begun.pop(name)

    def spent(self) -> Spent | None:
        """The measured parts, if there are any."""
        if not self._took:
            return None
        sums = [sum(self._took.get(step, 0.0) for step in steps) for steps in PARTS.values()]
        return Spent(*sums)


@cache
def _step(event: str) -> tuple[str, str]:
    """`http11.receive_response_body.started` as the step and what became of it."""
    step, _, moment = event.rpartition(".")
    return step.rpartition(".")[2], moment
