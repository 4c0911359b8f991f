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
from ..spec.text import JsonObject, JsonValue
from .messages import KeyRefusedError, RefusedError, Reply, Request

if TYPE_CHECKING:
    from ..signing.findings import Finding

REQUESTS_MAX = 10_000
"""Maximum stored requests; the oldest are dropped first."""

BODIES_BYTES_MAX = 64 * 1024 * 1024
"""Maximum bytes of all stored bodies; the oldest requests are dropped first."""

BODY_BYTES_MAX = 128 * 1024
"""Maximum bytes of a stored body; the rest of a longer one is left out."""


@dataclass
class JournalEntry:
    """A request with its answer and the result of each layer, as references.

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
        self._bytes = 0
        self._count = 0
        self.dropped = 0

    def add(self, entry: JournalEntry, reply: Reply) -> None:
        """Store a request with its answer, and drop the oldest ones beyond the limits."""
        request = entry.request
        entry.sizes = len(request.body), len(reply.body)
        if max(entry.sizes) > BODY_BYTES_MAX:
            entry.request = replace(request, body=request.body[:BODY_BYTES_MAX])
            reply = replace(reply, body=reply.body[:BODY_BYTES_MAX])
        entry.reply = reply
        self._count += 1
        entry.number = self._count
        self._entries.append(entry)
        self._bytes += _stored_bytes(entry)
        while len(self._entries) > REQUESTS_MAX or self._bytes > BODIES_BYTES_MAX:
            self._bytes -= _stored_bytes(self._entries.popleft())
            self.dropped += 1

    def amend(self, request: Request, reply: Reply) -> None:
        """Replace the answer of the latest request, as when its changes could not be stored."""
        if self._entries and self._entries[-1].request is request:
            self._entries[-1].reply = reply

    def clear(self) -> None:
        """Forget every request."""
        self._entries.clear()
        self._bytes = 0
        self.dropped = 0
        # `_count` stays: programs that follow the journal go on by number.

    def entries(self, after: int) -> list[JournalEntry]:
        """The requests with a number above `after`, oldest first."""
        return [entry for entry in self._entries if entry.number > after]

    def __len__(self) -> int:
        return len(self._entries)


def _stored_bytes(entry: JournalEntry) -> int:
    return len(entry.request.body) + len(entry.reply.body)


BODY_TEXT_MAX = 2000
"""Characters that are shown of a body that was too long to be stored."""

LAYERS = ("signature", "route", "strictness", "rules", "done")
"""The layers that a request passes, in order."""

Remarks = Callable[[str, Request], list[Problem]]
"""What an operation does not know in a request."""


def journal_rows(
    journal: Journal, remarks: Remarks, secrets: Iterable[str], after: int
) -> list[JsonObject]:
    """The requests with a number above `after` as JSON, oldest first, without these secrets."""
    redaction = Redaction([Secret(secret) for secret in secrets])
    return [entry_row(entry, remarks, redaction) for entry in journal.entries(after)]


def entry_row(entry: JournalEntry, remarks: Remarks, redaction: Redaction) -> JsonObject:
    """A request as JSON, without signature, keys and document numbers."""
    request = entry.request
    reply = entry.reply
    return {
        "number": entry.number,
        "at": timestamps.to_text(entry.at),
        "method": request.method,
        "path": redaction.text(request.path),
        "query": redaction.json(request.query_items()),
        "headers": _redact_headers(request.headers, redaction),
        "body": _redact_body(request.body, entry.sizes[0], redaction),
        "operation": entry.operation or None,
        "verdicts": redaction.json(_verdicts(entry, remarks)),
        "status": reply.status,
        "answer_headers": redaction.headers(reply.headers),
        "answer": _redact_body(reply.body, entry.sizes[1], redaction),
    }


def _verdicts(entry: JournalEntry, remarks: Remarks) -> JsonObject:
    """The verdict of each layer as JSON."""
    problems = remarks(entry.operation, entry.request)
    strictness = _layer_verdict(entry, "strictness")
    strictness["remarks"] = [_problem_json(problem) for problem in problems]
    rules = _layer_verdict(entry, "rules")
    if isinstance(entry.refused, KeyRefusedError):
        rules = {"result": "skipped"}
    return {
        "signature": _layer_verdict(entry, "signature"),
        "route": _layer_verdict(entry, "route"),
        "rules": rules,
        "idempotency": _idempotency_verdict(entry),
        "fault": entry.fault,
        "strictness": strictness,
    }


def _layer_verdict(entry: JournalEntry, layer: str) -> JsonObject:
    """The result of a layer: passed, refused or skipped."""
    last_index = LAYERS.index(entry.layer)
    index = LAYERS.index(layer)
    if index < last_index:
        return {"result": "passed"}
    if index > last_index or entry.refused is None:
        return {"result": "skipped"}
    verdict: JsonObject = {"result": "refused", "message": entry.refused.text}
    if entry.finding is not None:
        verdict["reason"] = entry.finding.reason
        verdict["mistake"] = entry.finding.mistake
        verdict["line"] = entry.finding.line
    if entry.refused.problems:
        verdict["problems"] = [_problem_json(problem) for problem in entry.refused.problems]
    return verdict


def _idempotency_verdict(entry: JournalEntry) -> str:
    """What happened with the Idempotency-Key of a request."""
    if not entry.takes_key or entry.layer in ("signature", "route"):
        return "none"
    if isinstance(entry.refused, KeyRefusedError):
        is_conflict = entry.refused.status == 409
        return "conflict" if is_conflict else f"refused: {entry.refused.text}"
    if "idempotency-key" not in entry.request.headers:
        return "no key"
    return "replayed" if "idempotency-replayed" in entry.reply.headers else "new"


def _redact_headers(headers: Mapping[str, str], redaction: Redaction) -> dict[str, str]:
    redacted_headers = redaction.headers(headers)
    for name in ("authorization", "x-api-key"):
        if name in headers:
            redacted_headers[name] = HIDDEN
    return redacted_headers


def _redact_body(body: bytes, size: int, redaction: Redaction) -> JsonValue:
    """The decoded JSON of a body, or its text if it is not JSON. None for no body.

    `size` is the size of the whole body, of which only the beginning may be stored.
    """
    text = body.decode(errors="replace")
    if size > len(body):
        return f"{redaction.text(text)[:BODY_TEXT_MAX]}... ({size} bytes)"
    try:
        return redaction.json(json.loads(text))
    except (ValueError, RecursionError):
        return redaction.text(text) or None


def _problem_json(problem: Problem) -> dict[str, str]:
    return {"field": problem.field, "message": problem.message, "source": problem.source}
