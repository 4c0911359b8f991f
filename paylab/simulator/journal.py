"""The journal of a world: every request that reached it, its answer, and the verdict of each layer.

Requests are stored as they came and redacted when they are read, so that answering one costs
nothing more. Requests to the control API are not stored.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl

from ..errors.base import Problem
from ..redaction.hiding import HIDDEN
from ..redaction.redaction import Redaction
from ..signing.findings import Finding
from ..spec import timestamps
from ..spec.operations.records import IDEMPOTENT
from .messages import KeyRefused, Refused, Reply, Request

MOST = 10_000
"""Maximum stored requests; the oldest are dropped first."""

MOST_STORED = 64 * 1024 * 1024
"""Maximum bytes of all stored bodies; the oldest requests are dropped first."""

LONGEST = 128 * 1024
"""Maximum bytes of a stored body; the rest of a longer one is left out."""

SHOWN = 2000
"""Characters that are shown of a body that was too long to be stored."""

Remarks = Callable[[str, Request], list[Problem]]
"""What an operation does not know in a request."""

LAYERS = ("signature", "route", "strictness", "rules", "done")
"""The layers that a request passes, in order."""


@dataclass(slots=True)
class JournalEntry:
    """A request and what became of it, as references; `row` has it as JSON.

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

    def row(self, remarks: Remarks, redaction: Redaction) -> dict[str, Any]:
        """The entry as JSON, without signature, keys and document numbers."""
        request, reply = self.request, self.reply
        query = parse_qsl(request.query, keep_blank_values=True, errors="replace")
        return {
            "number": self.number,
            "at": timestamps.to_text(self.at),
            "method": request.method,
            "path": redaction.text(request.path),
            "query": redaction.json(dict(query)),
            "headers": _headers(request.headers, redaction),
            "body": _body(request.body, self.sizes[0], redaction),
            "operation": self.operation or None,
            "verdicts": redaction.json(self._verdicts(remarks)),
            "status": reply.status,
            "answer_headers": redaction.headers(reply.headers),
            "answer": _body(reply.body, self.sizes[1], redaction),
        }

    def _verdicts(self, remarks: Remarks) -> dict[str, Any]:
        ignored = remarks(self.operation, self.request)
        strictness = {**self._passed("strictness"), "remarks": [_problem(each) for each in ignored]}
        is_key_refused = isinstance(self.refused, KeyRefused)
        return {
            "signature": self._passed("signature"),
            "rules": {"result": "skipped"} if is_key_refused else self._passed("rules"),
            "idempotency": self._idempotency(),
            "fault": self.fault,
            "strictness": strictness,
        }

    def _passed(self, layer: str) -> dict[str, Any]:
        """The result of a layer: passed, refused or skipped."""
        at, here = LAYERS.index(self.layer), LAYERS.index(layer)
        if at != here:
            return {"result": "passed" if at > here else "skipped"}
        if self.refused is None:
            return {"result": "skipped"}
        told: dict[str, Any] = {"result": "refused", "message": self.refused.text}
        if self.finding is not None:
            names = ("reason", "mistake", "line")
            told |= {name: getattr(self.finding, name) for name in names}
        if self.refused.problems:
            told["problems"] = [_problem(each) for each in self.refused.problems]
        return told

    def _idempotency(self) -> str:
        if self.operation not in IDEMPOTENT or self.layer in ("signature", "route"):
            return "none"
        if isinstance(self.refused, KeyRefused):
            return "conflict" if self.refused.status == 409 else f"refused: {self.refused.text}"
        if "idempotency-key" not in self.request.headers:
            return "no key"
        return "replayed" if "idempotency-replayed" in self.reply.headers else "new"


class Journal:
    """The latest requests of one world, oldest first. `dropped` counts those that were dropped."""

    def __init__(self) -> None:
        self._entries: deque[JournalEntry] = deque()
        self._bytes = self._count = self.dropped = 0
        self._is_paused = False

    def add(self, entry: JournalEntry, reply: Reply) -> None:
        """Store a request with its answer, and drop the oldest ones beyond the limits."""
        if self._is_paused:
            return
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

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Store nothing in a `with` block, as when a test prepares its objects."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def clear(self) -> None:
        """Forget every request."""
        self._entries.clear()
        self._bytes = self._count = self.dropped = 0

    def rows(self, remarks: Remarks, secrets: Iterable[str], after: int = 0) -> list[Any]:
        """The requests with a number above `after` as JSON, oldest first, redacted."""
        redaction = Redaction([_Key(text) for text in secrets])
        entries = [entry for entry in self._entries if entry.number > after]
        return [entry.row(remarks, redaction) for entry in entries]

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(frozen=True, repr=False)
class _Key:
    """A key of the world, as redaction reads it."""

    text: str

    def reveal(self) -> str:
        """The text."""
        return self.text


def _stored(entry: JournalEntry) -> int:
    return len(entry.request.body) + len(entry.reply.body)


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
