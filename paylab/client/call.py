"""One attempt of one call, as it is remembered: everything but its secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Call:
    """An attempt: what was asked, what came back, how long it took.

    `status` is None when no answer came; `error` then says why. Headers are by lower-case
    name, those that hold a secret left out.
    """

    when: datetime
    method: str
    path: str
    url: str
    status: int | None = None
    elapsed: float = 0.0
    attempt: int = 1
    idempotency_key: str | None = None
    replayed: bool = False
    request_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    response_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    error: str | None = None

    def __str__(self) -> str:
        outcome = str(self.status or "no answer") + (", replayed" if self.replayed else "")
        trouble = f" ({self.error})" if self.error else ""
        time = f"{self.elapsed * 1000:.0f} ms"
        return f"{self.method} {self.path} -> {outcome}{trouble} in {time}, attempt {self.attempt}"

    def __repr__(self) -> str:
        return f"<Call {self}>"
