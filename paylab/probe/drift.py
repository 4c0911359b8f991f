"""Drift: fields, statuses, codes, headers and types in responses that the settings do not have.

It is computed from the kept calls on access; no request is sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..client.call import Call
from ..spec import codes, models
from ..spec.json_path import value_at
from ..spec.operations.operation import Operation
from ..spec.operations.records import ANSWERED_AMOUNTS, OPERATIONS, answer_names
from ..spec.service.service import Service
from ..spec.service.statuses import STATUSES
from ..spec.service.value_types import NONE
from ..spec.status import MACHINES
from ..spec.text import printable
from .assumption_hints import of_answer

HEADERS = frozenset({
    "date", "content-type", "content-length", "connection", "keep-alive", "server", "vary",
    "transfer-encoding", "content-encoding", "cache-control", "etag", "location", "allow",
    "idempotency-replayed", "retry-after", "strict-transport-security", "set-cookie", "via",
})  # fmt: skip
"""Headers that every HTTP service may send."""


class _Difference(NamedTuple):
    """A difference: its kind, place, name, count, first call and key."""

    kind: str
    where: str
    what: str
    times: int
    first: int | None
    key: str

    def __str__(self) -> str:
        called = f", first in call {self.first}" if self.first else ""
        setting = f"; set {self.key}" if self.key else ""
        what = f"{self.kind} {self.what} of {self.where}"
        return printable(f"{what}, {self.times} times{called}{setting}")


class Drift(tuple[_Difference, ...]):
    """The differences of a session, the most frequent of each kind first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "<no drift>"

    @property
    def line(self) -> str:
        """One line for a display; empty when there is none."""
        kinds = dict.fromkeys(each.kind for each in self)
        named = ", ".join(f"{sum(e.kind == kind for e in self)} {kind}" for kind in kinds)
        return f"drift: {named} (lab.drift shows them)" if self else ""


def find_drift(
    calls: Iterable[Call], service: Service, events: Iterable[tuple[str, int | None]] = ()
) -> Drift:
    """Find what the responses to these calls have that the settings do not.

    `events` are the delivered event types.
    """
    met: dict[tuple[str, str, str], list[int | None]] = {}
    keys: dict[tuple[str, str, str], str] = {}
    for call in calls:
        for kind, where, what, key in answer_differences(call, service):
            met.setdefault((kind, where, what), []).append(call.number)
            keys[kind, where, what] = key
    known = (*codes.EVENT_TYPES, *service.webhooks.event_types)
    for name, number in events:
        if name not in known:
            met.setdefault(("event type", "webhooks", name), []).append(number)
            keys["event type", "webhooks", name] = "webhooks.event_types"
    rows = [
        _Difference(*place, len(numbers), numbers[0], keys[place]) for place, numbers in met.items()
    ]
    return Drift(sorted(rows, key=lambda row: (row.kind, -row.times, row.where, row.what)))


Found = tuple[str, str, str, str]


def answer_differences(call: Call, service: Service) -> Iterator[Found]:
    """The differences of one response, as kind, place, name and key."""
    if call.status is None:
        return
    for name in call.response_headers:
        if name.lower() not in HEADERS:
            key = "rate_limits.header" if call.status == 429 and "limit" in name.lower() else ""
            yield "header", "answers", name.lower(), key
    route = service.match(call.path)[0].get(call.method)
    if route is None or call.failed:
        return
    yield from _rows(route.operation, answer_of(call), service)


def answer_of(call: Call) -> Any:
    """The parsed body of a response; None if it is not JSON."""
    try:
        return json.loads(call.response_body.text) if call.response_body else None
    except (ValueError, RecursionError):
        return None


def _rows(operation: str, body: Any, service: Service) -> Iterator[Found]:
    record = OPERATIONS[operation]
    group = record.resource
    if not record.answer or operation.endswith("images"):
        return
    if record.is_list:
        form = service.list(group)
        rows = body if form.is_array else value_at(body, form.items)
    else:
        item = record.item(service)
        rows = [body if item == NONE else value_at(body, item)]
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield from _row(record, row, service)


def _row(record: Operation, row: dict[str, Any], service: Service) -> Iterator[Found]:
    group, model = record.resource, getattr(models, record.answer)
    names = answer_names(record.answer, service)
    doubts = {name: key for key, name in of_answer(model, row, service)}
    for name, value in names.read(row).items():
        if name not in model.model_fields:
            yield "field", group, str(name), doubts.get(name, "")
        if name in ANSWERED_AMOUNTS and value is not None:
            is_number = not isinstance(value, str)
            if is_number != (service.amounts.answers == "number"):
                found = "number" if is_number else "text"
                yield "type", group, f"{name} as {found}", "amounts.answers"
    key, status = f"statuses.{group}", row.get("status")
    if group in MACHINES and isinstance(status, str):
        known = (*MACHINES[group].states, *STATUSES[group](service.statuses))
        yield from [("status", group, status, key)] if status not in known else ()
    for detail in row.get("status_details") or ():
        code = detail.get("code") if isinstance(detail, dict) else None
        if code and code not in (*codes.STATUS_DETAIL_CODES, *service.statuses.detail_codes):
            yield "code", group, str(code), "statuses.detail_codes"
