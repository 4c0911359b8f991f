"""The journal of a world or of a proxy: its records in one sequence, within limits.

Requests are stored as they came and redacted when they are read, so that answering one costs
nothing more.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from ..signing.canonical import ReceivedRequest
from .record import Answer, Note, NoteKind, RequestRecord

REQUESTS_MAX = 10_000
"""Maximum stored requests; the oldest are dropped first."""

NOTES_MAX = 40_000
"""Maximum stored notes of events, deliveries and controls; the oldest are dropped first."""

BODIES_BYTES_MAX = 64 * 1024 * 1024
"""Maximum bytes of all stored bodies; the oldest requests are dropped first."""

BODY_BYTES_MAX = 128 * 1024
"""Maximum bytes of a stored body; the rest of a longer one is left out."""

TEST_HEADER = "x-paylab-test"
"""The header by which a test in any language names itself."""

TEST_LENGTH_MAX = 200
"""Maximum characters of the name of a test."""


class Journal:
    """The latest records, oldest first. `dropped` counts the requests that were dropped.

    `sequence` numbers all records in the order in which they began, `number` the requests only.
    `test` is the name of the test that runs, and `expects` the refusal that it expects.
    """

    def __init__(self, real_time: Callable[[], float] = time.time) -> None:
        """Start without records; `real_time` gives the seconds since 1970."""
        self._real_time = real_time
        self._requests: deque[RequestRecord] = deque()
        self._notes: deque[Note] = deque()
        self._bytes = 0
        self._count = 0
        self._sequence = 0
        self.dropped = 0
        self.test = ""
        self.expects = ""

    def record_arrival(self, request: ReceivedRequest, at: datetime) -> RequestRecord:
        """The record of a request that has arrived; `add_request` stores it with its answer."""
        test_name = request.headers.get(TEST_HEADER)
        if test_name is not None:
            # The header has no expectation: the same test keeps its own, another one has none.
            self.name_test(test_name, self.expects if test_name == self.test else "")
        self._sequence += 1
        return RequestRecord(
            request,
            at,
            real_at=self._real_time(),
            sequence=self._sequence,
            test=self.test,
            expects=self.expects,
        )

    def name_test(self, name: str, expects: str = "") -> None:
        """Set the name of the test of all that follows, and the refusal that it expects."""
        self.test = name[:TEST_LENGTH_MAX]
        self.expects = expects[:TEST_LENGTH_MAX]

    def add_request(self, record: RequestRecord, reply: Answer) -> None:
        """Store a request with its answer, and drop the oldest ones beyond the limits."""
        request = record.request
        record.reply = reply
        body_size = len(request.body)
        answer_size = len(reply.body)
        record.sizes = body_size, answer_size
        if body_size > BODY_BYTES_MAX or answer_size > BODY_BYTES_MAX:
            record.hashes = _hash(request.body), _hash(reply.body)
            record.request = replace(request, body=request.body[:BODY_BYTES_MAX])
            record.reply = StoredAnswer(reply.status, reply.headers, reply.body[:BODY_BYTES_MAX])
        self._count += 1
        record.number = self._count
        self._requests.append(record)
        self._bytes += _stored_bytes(record)
        while len(self._requests) > REQUESTS_MAX or self._bytes > BODIES_BYTES_MAX:
            self._bytes -= _stored_bytes(self._requests.popleft())
            self.dropped += 1

    def add_note(self, kind: NoteKind, at: datetime, **facts: object) -> Note:
        """Store an event, a delivery or a control. Its facts can be completed later."""
        self._sequence += 1
        note = Note(
            kind,
            self._sequence,
            at,
            real_at=self._real_time(),
            test=self.test,
            expects=self.expects,
            facts=dict(facts),
        )
        if len(self._notes) >= NOTES_MAX:
            self._notes.popleft()
        self._notes.append(note)
        return note

    def amend(self, request: ReceivedRequest, reply: Answer) -> None:
        """Replace the answer of the latest request, as when its changes could not be stored."""
        if self._requests and self._requests[-1].request is request:
            self._requests[-1].reply = reply

    def clear(self) -> None:
        """Forget every record; the counts of requests and records go on."""
        self._requests.clear()
        self._notes.clear()
        self._bytes = 0
        self.dropped = 0
        # The counts stay: programs that follow the journal go on by number.

    def count_requests(self) -> int:
        """The number of requests that were ever stored."""
        return self._count

    def requests(self, after: int = 0) -> list[RequestRecord]:
        """The requests with a number above `after`, oldest first."""
        # A copy: other threads add requests meanwhile.
        return [
            request_record for request_record in [*self._requests] if request_record.number > after
        ]

    def records(self, after: int = 0) -> list[RequestRecord | Note]:
        """Everything with a sequence number above `after`, in the order in which it began."""
        all_records: list[RequestRecord | Note] = [*self._requests, *self._notes]
        later_records = [
            journal_record for journal_record in all_records if journal_record.sequence > after
        ]
        return sorted(later_records, key=lambda journal_record: journal_record.sequence)

    def notes(self, after: int, notes_max: int) -> list[Note]:
        """The latest notes with a sequence number above `after`, oldest first."""
        later_notes: list[Note] = []
        for note in reversed([*self._notes]):  # a copy: other threads add notes meanwhile
            if note.sequence <= after or len(later_notes) >= notes_max:
                break
            later_notes.append(note)
        return later_notes[::-1]

    def __len__(self) -> int:
        return len(self._requests)


class StoredAnswer(NamedTuple):
    """An answer whose body may be cut."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def _hash(body: bytes) -> str:
    """The SHA-256 of a body in hex."""
    return sha256(body).hexdigest()


def _stored_bytes(request_record: RequestRecord) -> int:
    """The number of bytes of both bodies, as they are stored."""
    return len(request_record.request.body) + len(request_record.reply.body)
