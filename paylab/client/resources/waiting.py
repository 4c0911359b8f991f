"""Waiting: ask again until a status is reached. Nothing is ever posted again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Set
from dataclasses import dataclass
from typing import Any, TypeVar

from ...errors import WaitTimeoutError
from ...printable import plain

R = TypeVar("R")

TIMEOUT = 120.0
EVERY = 1.0

Until = str | Collection[str] | Callable[[Any], bool]
"""A status, several, or a function of the resource that says when to stop."""


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to ask; the time is counted by the sleeps alone."""

    sleep: Callable[[float], None]
    timeout: float = TIMEOUT
    every: float = EVERY

    def poll(
        self, look: Callable[[], R | None], until: Until, what: str, final: Set[str] = frozenset()
    ) -> R:
        """What `look` sees once `until` holds; WaitTimeoutError carries what it saw last.

        A status in `final` that is not the one waited for ends the wait: nothing follows it.
        """
        reached, waited = _reached(until), 0.0
        while True:
            seen = look()
            if seen is not None and reached(seen):
                return seen
            if not callable(until) and getattr(seen, "status", None) in final:
                raise WaitTimeoutError(f"{what} {_state(seen)}, which is final", seen)
            if waited >= self.timeout:
                raise WaitTimeoutError(f"{what} {_state(seen)} after {waited:g} s", seen)
            pause = min(self.every, self.timeout - waited)
            self.sleep(pause)
            waited += pause


def _reached(until: Until) -> Callable[[Any], bool]:
    if callable(until):
        return until
    statuses = {until} if isinstance(until, str) else set(until)
    return lambda seen: seen.status in statuses


def _state(seen: Any) -> str:
    return "was not there" if seen is None else f"was {plain(str(seen.status), 60)}"
