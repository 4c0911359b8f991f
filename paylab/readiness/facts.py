"""The rows of a journal as facts that can be asked for: requests, deliveries, events, controls."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from ..spec import timestamps
from ..spec.text import JsonMapping, JsonValue

_STATUS = re.compile(r"\b[45]\d\d\b")

LOST_KINDS = ("timeout", "drop_after", "truncate")
"""Faults after which a client cannot know whether its request was carried out."""


@dataclass(frozen=True, eq=False)
class RecordFacts:
    """What all records have: a place in the sequence, two times, and the test that ran."""

    row: JsonMapping
    world: str

    @cached_property
    def sequence(self) -> int:
        """The place in the sequence."""
        return int(self.row["sequence"])

    @cached_property
    def at(self) -> datetime:
        """The time of the world."""
        return timestamps.from_text(self.row["at"])

    @cached_property
    def real_at(self) -> datetime:
        """The time of the machine."""
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
        """The number of the request."""
        return int(self.row["number"])

    @property
    def method(self) -> str:
        """The method."""
        return str(self.row["method"])

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
        answered_items = answer.get("data", [answer]) if isinstance(answer, dict) else answer
        return (
            [item for item in answered_items if isinstance(item, dict)]
            if isinstance(answered_items, list)
            else []
        )

    @property
    def query(self) -> JsonMapping:
        """The query parameters."""
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
        fault = self.row["verdicts"].get("fault") or {}
        if fault.get("kind") == "custom":
            return fault.get("status") is not None
        return fault.get("kind") in ("status", "html", "refuse", "timeout", "bad_cursor")

    def verdict(self, layer: str) -> str:
        """The result of a layer: passed, refused, skipped, or empty if it is not known."""
        verdict = self.row["verdicts"].get(layer)
        return (verdict.get("result") or "") if isinstance(verdict, dict) else str(verdict or "")

    @property
    def is_signed_well(self) -> bool:
        """Whether the signature passed; without a verdict, whether the service took it."""
        signature_verdict = self.verdict("signature")
        return signature_verdict == "passed" if signature_verdict else self.status not in (0, 401)

    @property
    def is_expected(self) -> bool:
        """Whether the test expects this refusal: one of the statuses it names, or any."""
        expects = self.row.get("expects") or ""
        statuses = _STATUS.findall(expects)
        is_refused = 400 <= self.status < 600
        return bool(expects) and is_refused and (not statuses or str(self.status) in statuses)

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
        """Whether the client cannot know what became of the request: no answer, or half of one."""
        return not self.is_received and self.fault != "refuse"

    @property
    def is_own_timeout(self) -> bool:
        """Whether the client hung up before it had the answer."""
        return bool(self.row.get("hung_up"))

    @property
    def is_spoiled(self) -> bool:
        """Whether the body that was received is cut, or is no JSON object where one belongs."""
        if self.row.get("sent") == "part" and not self.row.get("hung_up"):
            return True
        has_text = isinstance(self.row.get("answer"), str)
        is_failed_by_gateway = self.status >= 500 and self.fault != "status"
        return self.is_received and has_text and (self.is_ok or is_failed_by_gateway)

    @cached_property
    def sameness(self) -> tuple[str, ...]:
        """What two requests have in common that are the same one, sent twice."""
        query = json.dumps(self.query, sort_keys=True)
        return self.method, str(self.row["path"]), query, self.row.get("body_sha256") or ""

    @cached_property
    def order(self) -> str:
        """The order of a POST: its reference, otherwise its terms.

        The quote is no term of an order that names its amount.
        """
        reference = self.fields.get("client_reference_id")
        if reference:
            return f"{self.operation} {reference}"
        terms = dict(self.fields)
        if any(name.endswith("_amount") for name in terms):
            terms.pop("quote_id", None)
        return f"{self.operation} {json.dumps(terms, sort_keys=True)}"

    @property
    def duration(self) -> float:
        """The seconds that it took. 0 if they are not known."""
        return float(self.row.get("duration") or 0)


@dataclass(frozen=True, eq=False)
class NoteFacts(RecordFacts):
    """An event, an attempt to deliver one, or a control."""

    def __getitem__(self, name: str) -> Any:
        return self.row.get(name)

    @property
    def kind(self) -> str:
        """Event, delivery or control."""
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
        body_values: list[JsonValue] = [*body.values()] if isinstance(body, dict) else []
        objects = [value for value in body_values if isinstance(value, dict)]
        return objects[0] if objects else {}


def gap_seconds(earlier: RecordFacts, later: RecordFacts) -> float:
    """The seconds between two records on the clock that moved more, from the end of a request."""
    duration = earlier.duration if isinstance(earlier, RequestFacts) else 0.0
    real_seconds = (later.real_at - earlier.real_at).total_seconds() - duration
    world_seconds = (later.at - earlier.at).total_seconds()
    return max(real_seconds, world_seconds, 0.0)


def client_seconds(earlier: RequestFacts, later: RequestFacts) -> float:
    """The seconds between two requests on the clock by which the client dates the later one.

    That of the world if it is nearer to the date, or if there is no date.
    """
    date = timestamps.read(later.row["headers"].get("x-date"))
    if date is not None and abs(date - later.real_at) < abs(date - later.at):
        return (later.real_at - earlier.real_at).total_seconds()
    return (later.at - earlier.at).total_seconds()
