"""The journal of a world: every request that reached it, its answer, and each layer's verdict.

Requests are stored as they came and redacted when they are read, so that answering one costs
nothing more. Requests to the control API are not stored.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..errors.base import Problem
from ..redaction.hiding import HIDDEN, Secret
from ..redaction.redaction import Redaction
from ..spec import timestamps
from .messages import KeyRefusedError, RefusedError, Reply, Request

if TYPE_CHECKING:
    from ..signing.findings import Finding

MOST = 10_000
"""Maximum stored requests; the oldest are dropped first."""

MOST_STORED = 64 * 1024 * 1024
"""Maximum bytes of all stored bodies; the oldest requests are dropped first."""

LONGEST = 128 * 1024
"""Maximum bytes of a stored body; the rest of a longer one is left out."""


@dataclass
class JournalEntry:
    """A request and what became of it, as references.

    `layer` is the one that answered the request. `fault` is the fault that was applied, and
    `takes_key` is whether the operation takes an Idempotency-Key.
    """

    request: Request
    at: datetime
    layer: str = "signature"
    operation: str = ""
    refused: RefusedError | None = None
    finding: Finding | None = None
    fault: Mapping[str, Any] | None = None
    takes_key: bool = False
    number: int = field(init=False)
    reply: Reply = field(init=False)
    sizes: tuple[int, int] = field(init=False)


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

    def entries(self, after: int) -> list[JournalEntry]:
        """The requests with a number above `after`, oldest first."""
        return [entry for entry in self._entries if entry.number > after]

    def __len__(self) -> int:
        return len(self._entries)


def _stored(entry: JournalEntry) -> int:
    return len(entry.request.body) + len(entry.reply.body)


SHOWN = 2000
"""Characters that are shown of a body that was too long to be stored."""

LAYERS = ("signature", "route", "strictness", "rules", "done")
"""The layers that a request passes, in order."""

Remarks = Callable[[str, Request], list[Problem]]
"""What an operation does not know in a request."""


def journal_rows(
    journal: Journal, remarks: Remarks, secrets: Iterable[str], after: int
) -> list[Any]:
    """The requests with a number above `after` as JSON, oldest first, without these secrets."""
    redaction = Redaction([Secret(text) for text in secrets])
    return [entry_row(entry, remarks, redaction) for entry in journal.entries(after)]


def entry_row(entry: JournalEntry, remarks: Remarks, redaction: Redaction) -> dict[str, Any]:
    """A request as JSON, without signature, keys and document numbers."""
    request = entry.request
    reply = entry.reply
    return {
        "number": entry.number,
        "at": timestamps.to_text(entry.at),
        "method": request.method,
        "path": redaction.text(request.path),
        "query": redaction.json(request.query_items()),
        "headers": _headers(request.headers, redaction),
        "body": _body(request.body, entry.sizes[0], redaction),
        "operation": entry.operation or None,
        "verdicts": redaction.json(_verdicts(entry, remarks)),
        "status": reply.status,
        "answer_headers": redaction.headers(reply.headers),
        "answer": _body(reply.body, entry.sizes[1], redaction),
    }


def _verdicts(entry: JournalEntry, remarks: Remarks) -> dict[str, Any]:
    ignored = remarks(entry.operation, entry.request)
    strictness = {
        **_passed(entry, "strictness"),
        "remarks": [_problem(remark) for remark in ignored],
    }
    is_key_refused = isinstance(entry.refused, KeyRefusedError)
    return {
        "signature": _passed(entry, "signature"),
        "route": _passed(entry, "route"),
        "rules": {"result": "skipped"} if is_key_refused else _passed(entry, "rules"),
        "idempotency": _idempotency(entry),
        "fault": entry.fault,
        "strictness": strictness,
    }


def _passed(entry: JournalEntry, layer: str) -> dict[str, Any]:
    """The result of a layer: passed, refused or skipped."""
    refused_at = LAYERS.index(entry.layer)
    layer_at = LAYERS.index(layer)
    if refused_at > layer_at:
        return {"result": "passed"}
    if refused_at < layer_at or entry.refused is None:
        return {"result": "skipped"}
    verdict: dict[str, Any] = {"result": "refused", "message": entry.refused.text}
    if entry.finding is not None:
        names = ("reason", "mistake", "line")
        verdict |= {name: getattr(entry.finding, name) for name in names}
    if entry.refused.problems:
        verdict["problems"] = [_problem(problem) for problem in entry.refused.problems]
    return verdict


def _idempotency(entry: JournalEntry) -> str:
    if not entry.takes_key or entry.layer in ("signature", "route"):
        return "none"
    if isinstance(entry.refused, KeyRefusedError):
        return "conflict" if entry.refused.status == 409 else f"refused: {entry.refused.text}"
    if "idempotency-key" not in entry.request.headers:
        return "no key"
    return "replayed" if "idempotency-replayed" in entry.reply.headers else "new"


def _headers(headers: Mapping[str, str], redaction: Redaction) -> dict[str, str]:
    hidden = {name: HIDDEN for name in ("authorization", "x-api-key") if name in headers}
    return redaction.headers(headers) | hidden


def _body(body: bytes, size: int, redaction: Redaction) -> Any:
    """The decoded JSON of a body, else its text; None for no body."""
    text = body.decode(errors="replace")
    if size > len(body):
        return f"{redaction.text(text)[:SHOWN]}... ({size} bytes)"
    try:
        return redaction.json(json.loads(text))
    except (ValueError, RecursionError):
        return redaction.text(text) or None


def _problem(problem: Problem) -> dict[str, str]:
    return {"field": problem.field, "message": problem.message, "source": problem.source}
