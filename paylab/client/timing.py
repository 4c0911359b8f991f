"""How long the parts of an attempt took, measured where a real network is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Spent:
    """Seconds of connecting (TLS included), of waiting for the answer, and of reading it."""

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
    """Listens to httpcore's steps; a transport without a network tells of none."""

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
        """The parts, once there are any."""
        if not self._took:
            return None
        sums = [sum(self._took.get(step, 0.0) for step in steps) for steps in PARTS.values()]
        return Spent(*sums)


@cache
def _step(event: str) -> tuple[str, str]:
    """`http11.receive_response_body.started` as the step and what became of it."""
    step, _, moment = event.rpartition(".")
    return step.rpartition(".")[2], moment
