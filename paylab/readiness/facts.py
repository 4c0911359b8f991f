"""The rows of a journal as facts that can be asked for.

A record is one row. It is a request of the integration, or a note: an event, a delivery (an
attempt to send an event to a receiver), or a control of the simulator.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from ..spec import timestamps
from ..spec.text import JsonMapping

_STATUS = re.compile(r"\b[45]\d\d\b")

LOST_KINDS = ("timeout", "drop_after", "truncate")
"""Faults after which a client cannot know whether its request was carried out."""


@dataclass(frozen=True, eq=False)
class RecordFacts:
    """The members of all records: a place in the sequence, two times, and the test that ran."""

    row: JsonMapping
    world: str

    @cached_property
    def sequence(self) -> int:
        """The number of the record in the journal. Records are in the order of their numbers."""
        return int(self.row["sequence"])

    @cached_property
    def at(self) -> datetime:
        """When it began, by the simulated clock of the world."""
        return timestamps.from_text(self.row["at"])

    @cached_property
    def real_at(self) -> datetime:
        """When it began, by the clock of the machine."""
        return timestamps.from_text(self.row.get("real_at") or self.row["at"])

    @property
    def test(self) -> str:
        """The name of the test. Empty if no test was named."""
        return self.row.get("test") or ""

    @property
    def scope(self) -> tuple[str, str]:
        """The world and the test: a program may start anew in the next one."""
        return self.world, self.test


@dataclass(frozen=True, eq=False)
class RequestFacts(RecordFacts):
    """A request of the integration, what was answered, and what the client received of it."""

    @property
    def number(self) -> int:
        """The number of the request, counted without other records, as evidence names it."""
        return int(self.row["number"])

    @property
    def method(self) -> str:
        """The HTTP method in capitals."""
        return str(self.row["method"])

    @property
    def last_path_segment(self) -> str:
        """The part of the path after its last slash: the id of an object that is read alone."""
        return str(self.row["path"]).rpartition("/")[2]

    @property
    def operation(self) -> str:
        """The operation, like "transfers.create". Empty if there is none at the path."""
        return self.row.get("operation") or ""

    @property
    def status(self) -> int:
        """The status that the service decided on. 0 if it is not known."""
        return int(self.row["status"])

    @property
    def fields(self) -> JsonMapping:
        """The body as an object. Empty if it is none."""
        body = self.row.get("body")
        return body if isinstance(body, dict) else {}

    @property
    def answer(self) -> JsonMapping:
        """The answer of the service as an object. Empty if it is none."""
        answer = self.row.get("answer")
        return answer if isinstance(answer, dict) else {}

    @cached_property
    def objects(self) -> list[JsonMapping]:
        """The objects in the answer: itself, or the items of a list."""
        answer = self.row.get("answer")
        answer_items = answer.get("data", [answer]) if isinstance(answer, dict) else answer
        if not isinstance(answer_items, list):
            return []
        return [item for item in answer_items if isinstance(item, dict)]

    @property
    def query(self) -> JsonMapping:
        """The query parameters by name; empty without any."""
        return self.row.get("query") or {}

    @property
    def key(self) -> str:
        """The Idempotency-Key. Empty if there is none."""
        return self.row["headers"].get("idempotency-key") or ""

    @property
    def fault(self) -> str:
        """The kind of the fault that was applied. Empty if there was none."""
        return (self.row["verdicts"].get("fault") or {}).get("kind") or ""

    @property
    def is_answered_by_fault(self) -> bool:
        """Whether a fault made the status, in place of the service."""
        fault_verdict = self.row["verdicts"].get("fault") or {}
        if fault_verdict.get("kind") == "custom":
            return fault_verdict.get("status") is not None  # it may only delay the answer
        return fault_verdict.get("kind") in ("status", "html", "refuse", "timeout", "bad_cursor")

    def verdict(self, layer: str) -> str:
        """The result of a layer: passed, refused, skipped, or empty if it is not known."""
        layer_verdict = self.row["verdicts"].get(layer) or ""
        if isinstance(layer_verdict, dict):
            return layer_verdict.get("result") or ""
        return str(layer_verdict)

    @property
    def is_signed_well(self) -> bool:
        """Whether the signature passed; without a verdict, whether the service took it."""
        signature_verdict = self.verdict("signature")
        return signature_verdict == "passed" if signature_verdict else self.status not in (0, 401)

    @property
    def is_expected(self) -> bool:
        """Whether this is a refusal that the test expects: with its status, or with any status."""
        expected_text = self.row.get("expects") or ""
        is_refused = 400 <= self.status < 600
        if not expected_text or not is_refused:
            return False
        expected_statuses = _STATUS.findall(expected_text)
        # A text that names no status expects any refusal.
        return not expected_statuses or str(self.status) in expected_statuses

    @property
    def is_ok(self) -> bool:
        """Whether the service answered with a 2xx, received or not."""
        return 200 <= self.status < 300

    @property
    def is_received(self) -> bool:
        """Whether the client received a whole answer."""
        return self.row.get("sent", "whole") == "whole" and not self.row.get("hung_up")

    @property
    def is_lost(self) -> bool:
        """Whether the client cannot know what became of the request: no answer, or half of one.

        A connection that was refused is no loss: nothing was sent.
        """
        return not self.is_received and self.fault != "refuse"

    @property
    def is_own_timeout(self) -> bool:
        """Whether the client hung up before it had the answer."""
        return bool(self.row.get("hung_up"))

    @property
    def is_spoiled(self) -> bool:
        """Whether the received body is cut, or is text where the service answers with JSON."""
        if self.row.get("sent") == "part" and not self.row.get("hung_up"):
            return True
        is_text = isinstance(self.row.get("answer"), str)
        # A gateway answers 5xx with a page; the fault "status" answers as the service does.
        is_page_of_gateway = self.status >= 500 and self.fault != "status"
        return self.is_received and is_text and (self.is_ok or is_page_of_gateway)

    @cached_property
    def fingerprint(self) -> tuple[str, ...]:
        """Method, path, query and hash of the body: equal in a request that is sent twice."""
        query_text = json.dumps(self.query, sort_keys=True)
        return self.method, str(self.row["path"]), query_text, self.row.get("body_sha256") or ""

    @cached_property
    def order_identity(self) -> str:
        """The identity of the order of a POST: its reference, otherwise its other fields as JSON.

        The quote is left out of an order that names its amount: a new quote is the same order.
        """
        payment_reference = self.fields.get("client_reference_id")
        if payment_reference:
            return f"{self.operation} {payment_reference}"
        order_fields = dict(self.fields)
        if any(field_name.endswith("_amount") for field_name in order_fields):
            order_fields.pop("quote_id", None)
        return f"{self.operation} {json.dumps(order_fields, sort_keys=True)}"

    @property
    def duration(self) -> float:
        """The seconds until the answer was sent. 0 if they are not known."""
        return float(self.row.get("duration") or 0)


@dataclass(frozen=True, eq=False)
class NoteFacts(RecordFacts):
    """An event, an attempt to deliver one, or a control."""

    def __getitem__(self, field_name: str) -> Any:
        return self.row.get(field_name)

    @property
    def kind(self) -> str:
        """The kind of the note: "event", "delivery" or "control"."""
        return str(self.row["kind"])

    @property
    def is_taken(self) -> bool:
        """Whether the receiver answered a delivery with a 2xx."""
        status = self.row.get("status")
        return status is not None and 200 <= int(status) < 300

    @property
    def is_refused(self) -> bool:
        """Whether the receiver answered a delivery with anything but a 2xx.

        A delivery without an answer is not refused: it still runs, or the receiver is down.
        """
        return self.row.get("status") is not None and not self.is_taken

    @property
    def payload(self) -> JsonMapping:
        """The object that an event carries, with `id` and `status`. Empty if there is none."""
        body = self.row.get("body")
        if not isinstance(body, dict):
            return {}
        body_objects: list[JsonMapping] = [
            member for member in body.values() if isinstance(member, dict)
        ]
        return body_objects[0] if body_objects else {}


def gap_seconds(earlier: RecordFacts, later: RecordFacts) -> float:
    """The seconds between two records, from the end of `earlier` if it is a request.

    They are measured on the clock that moved more: a test may advance the clock of the world.
    """
    duration_seconds = earlier.duration if isinstance(earlier, RequestFacts) else 0.0
    real_seconds = (later.real_at - earlier.real_at).total_seconds() - duration_seconds
    world_seconds = (later.at - earlier.at).total_seconds()
    return max(real_seconds, world_seconds, 0.0)


def client_seconds(earlier: RequestFacts, later: RequestFacts) -> float:
    """The seconds between two requests, on the clock that the client used for the later X-Date.

    That is the clock of the machine if the date is nearer to it, and otherwise the world's.
    """
    request_date = timestamps.read_or_none(later.row["headers"].get("x-date"))
    is_real_time = request_date is not None and abs(request_date - later.real_at) < abs(
        request_date - later.at
    )
    if is_real_time:
        return (later.real_at - earlier.real_at).total_seconds()
    return (later.at - earlier.at).total_seconds()
