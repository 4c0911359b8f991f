"""The records of a journal: a request with its answer, and a note of anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any, Literal, Protocol

from ..signing.canonical import ReceivedRequest
from ..spec.text import JsonObject

NoteKind = Literal["event", "delivery", "control"]
"""What a note is about; requests have records of their own."""

SENT_WHOLE = "whole"
SENT_PART = "part"
SENT_NOTHING = "nothing"


class Answer(Protocol):
    """A status, headers by lower-case name, and a body."""

    @property
    def status(self) -> int:
        """The HTTP status of the answer."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the answer, by lower-case name."""

    @property
    def body(self) -> bytes:
        """The body of the answer; empty without one."""


@dataclass(slots=True)
class Ending:
    """How an exchange ended on its connection; made when the request has arrived.

    `seconds` is None while it is under way. `sent` is how much of the answer was sent: whole, part
    or nothing. `has_hung_up` means that the client closed the connection before.
    """

    begun: float = field(default_factory=perf_counter)
    seconds: float | None = None
    sent: str = SENT_WHOLE
    bytes_sent: int | None = None
    has_hung_up: bool = False

    def close(self, sent: str = SENT_WHOLE, bytes_sent: int | None = None) -> None:
        """Record the end. Without `bytes_sent`, all bytes of the answer were sent."""
        self.seconds = perf_counter() - self.begun
        self.sent = sent
        self.bytes_sent = bytes_sent

    def hang_up(self, sent: str = SENT_NOTHING, bytes_sent: int = 0) -> None:
        """Record that the client closed the connection before it had the whole answer."""
        self.close(sent, bytes_sent)
        self.has_hung_up = True


def no_verdicts(_: RequestRecord) -> JsonObject:
    """The verdicts of a request that no layer has judged."""
    return {}


@dataclass(slots=True)
class RequestRecord:
    """A request with its answer, as references.

    `at` is the time of the world and `real_at` that of the machine, in seconds since 1970.
    `verdicts` makes the verdict of each layer when they are read. `sizes` and `hashes` are those
    of both bodies before they were cut; hashes are made when they are read unless a body is cut.
    """

    request: ReceivedRequest
    at: datetime
    real_at: float
    sequence: int
    test: str = ""
    expects: str = ""
    operation: str = ""
    verdicts: Callable[[RequestRecord], JsonObject] = no_verdicts
    ending: Ending | None = None
    number: int = 0
    reply: Answer = field(init=False)
    sizes: tuple[int, int] = (0, 0)
    hashes: tuple[str, str] | None = None


@dataclass(slots=True)
class Note:
    """An event, an attempt to deliver one, or a control, with its facts as JSON."""

    kind: NoteKind
    sequence: int
    at: datetime
    real_at: float
    test: str
    expects: str
    facts: dict[str, Any]
