"""What came of one payout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MADE = frozenset({"created", "replayed", "found", "done"})


@dataclass(frozen=True)
class Outcome:
    """A word, the transfer there is, and why there is none.

    created: made now. replayed: made within the last 24 hours, the service answered from memory.
    found: made before a crash. done: in the journal. refused: the service said no; can be sent
    again. conflict: the reference stands for another payout. unknown: no answer; look again.
    unsent: never left, because the service did not answer.
    """

    word: str
    transfer: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a transfer for the row."""
        return self.word in MADE
