"""The journal of a world: every request that reached it, and its answer.

Requests are stored as they came and redacted when they are read, so that answering one costs
nothing more. Requests to the control API are not stored.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..signing.findings import Finding
from .messages import Refused, Reply, Request

MOST = 10_000
"""Maximum stored requests; the oldest are dropped first."""

MOST_STORED = 64 * 1024 * 1024
"""Maximum bytes of all stored bodies; the oldest requests are dropped first."""

LONGEST = 128 * 1024
"""Maximum bytes of a stored body; the rest of a longer one is left out."""


@dataclass(slots=True)
class JournalEntry:
    """A request and what became of it, as references.

    `layer` is the one that answered the request. `fault` is the fault that was applied.
    """

    request: Request
    at: datetime
    number: int = 0
    layer: str = "signature"
    operation: str = ""
    refused: Refused | None = None
    finding: Finding | None = None
    fault: Mapping[str, Any] | None = None
    reply: Reply = field(default_factory=lambda: Reply(0))
    sizes: tuple[int, int] = (0, 0)


class Journal:
    """The latest requests of one world, oldest first. `dropped` counts those that were dropped."""

    def __init__(self) -> None:
        self._entries: deque[JournalEntry] = deque()
        self._bytes = self._count = self.dropped = 0

    def add(self, entry: JournalEntry, reply: Reply) -> None:
        """Store a request with its answer, and drop the oldest ones beyond the limits."""
        request = entry.request
        entry.sizes = len(request.body), len(reply.body)
        if max(entry.sizes) > LONGEST:
            entry.request = replace(request, body=request.body[:LONGEST])
            reply = replace(reply, body=reply.body[:LONGEST])
        entry.reply = reply
        self._count += 1
        entry.number = self._count
        self._entries.append(entry)
        self._bytes += _stored(entry)
        while len(self._entries) > MOST or self._bytes > MOST_STORED:
            self._bytes -= _stored(self._entries.popleft())
            self.dropped += 1

    def amend(self, request: Request, reply: Reply) -> None:
        """Replace the answer of the latest request, as when its changes could not be stored."""
        if self._entries and self._entries[-1].request is request:
            self._entries[-1].reply = reply

    def clear(self) -> None:
        """Forget every request."""
        self._entries.clear()
        self._bytes = self.dropped = 0  # the numbers go on, for those who follow them

    def entries(self, after: int = 0) -> list[JournalEntry]:
        """The requests with a number above `after`, oldest first."""
        return [entry for entry in self._entries if entry.number > after]

    def __len__(self) -> int:
        return len(self._entries)


def _stored(entry: JournalEntry) -> int:
    return len(entry.request.body) + len(entry.reply.body)
