"""The outcome of each payout of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..client.orders import NOTHING_SENT, REFUSALS, UNDECIDED
from ..errors import api
from ..errors.base import ChoiceError, PaylabError, RuleError

MADE = frozenset({"created", "replayed", "found", "done"})


@dataclass(frozen=True)
class Outcome:
    """The outcome of a row as a word, its transfer, and the error if there is none.

    created: made now. replayed: sent again, and the service repeated its earlier answer. found: in
    the list of the service. done: in the ledger. refused: by the service; correct it and send it
    again. conflict: the reference was used with other values, or with another API key. unknown: no
    response; send it again. unsent: not sent.
    """

    word: str
    transfer: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    stops: PaylabError | None = None
    """The error that ends the whole batch."""
    is_limited: bool = False
    """Whether too many requests were sent at once: one at a time may pass."""

    @property
    def is_made(self) -> bool:
        """Whether the row has a transfer."""
        return self.word in MADE


def word_of(error: PaylabError) -> str:
    """The outcome of a row by its error: whether it proves that nothing was made."""
    if isinstance(error, RuleError):
        return "refused"
    if error.after_lost or isinstance(error, api.RateLimitError | api.ServerError):
        return "unknown"
    if isinstance(error, ChoiceError | api.ConflictError):
        return "conflict"
    if isinstance(error, api.APIStatusError):
        is_refused = error.status in REFUSALS and error.status not in UNDECIDED
        return "refused" if is_refused else "unknown"
    return "unsent" if error.hint == NOTHING_SENT else "unknown"


def problems_of(error: PaylabError) -> str:
    """The problems of an error, or its text."""
    problems = "; ".join(map(str, getattr(error, "problems", ())))
    return problems or str(error)
