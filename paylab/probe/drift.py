"""Drift: fields, statuses, codes, headers and types in responses that the settings do not have.

It is computed from the kept calls on access; no request is sent.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..client.call import Call
from ..errors.arguments import explain_arguments
from ..errors.names import with_name_suggestions
from ..spec import codes, models
from ..spec.envelope import find_object_path
from ..spec.field_meanings import ANSWER_AMOUNTS
from ..spec.json_path import value_at
from ..spec.operations.operation import Operation
from ..spec.operations.records import NAMED, OPERATIONS, answer_names
from ..spec.resource import Resource
from ..spec.service.keys import keys
from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.service.statuses import STATUSES
from ..spec.service.value_types import NONE
from ..spec.status import MACHINES
from ..spec.text import printable

HEADERS = frozenset({
    "date", "content-type", "content-length", "connection", "keep-alive", "server", "vary",
    "transfer-encoding", "content-encoding", "cache-control", "etag", "location", "allow",
    "idempotency-replayed", "retry-after", "strict-transport-security", "set-cookie", "via",
})  # fmt: skip
"""Headers that every HTTP service may send."""
COMMON_WORDS = frozenset({"id", "at", "is", "of", "currency", "amount", "account", "source"})
"""Words that are in many names and do not identify a field."""


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
        if self.kind == "status":
            setting = f"; {self.key} makes it known (it ends no wait: pass until={self.what!r})"
        difference_text = f"{self.kind} {self.what} of {self.where}"
        return printable(f"{difference_text}, {self.times} times{called}{setting}")


@with_name_suggestions
@explain_arguments
class Drift(tuple[_Difference, ...]):
    """The differences of a session, the most frequent of each kind first."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "<no drift>"

    @property
    def line(self) -> str:
        """One line for a display; empty when there is none."""
        difference_kinds = dict.fromkeys(difference.kind for difference in self)
        named = ", ".join(
            f"{sum(e.kind == difference_kind for e in self)} {difference_kind}"
            for difference_kind in difference_kinds
        )
        return f"drift: {named} (lab.drift shows them)" if self else ""


def find_drift(
    calls: Iterable[Call], service: Service, events: Iterable[tuple[str, int | None]] = ()
) -> Drift:
    """Find what the responses to these calls have that the settings do not.

    `events` are the delivered event types.
    """
    met: dict[tuple[str, str, str], list[int | None]] = {}
    key_of_place: dict[tuple[str, str, str], str] = {}
    for call in calls:
        for difference_kind, operation_name, field_name, setting_key in answer_differences(
            call, service
        ):
            met.setdefault((difference_kind, operation_name, field_name), []).append(call.number)
            key_of_place[difference_kind, operation_name, field_name] = setting_key
    known_event_types = (*codes.EVENT_TYPES, *service.webhooks.event_types)
    for event_type, number in events:
        if event_type not in known_event_types:
            met.setdefault(("event type", "webhooks", event_type), []).append(number)
            key_of_place["event type", "webhooks", event_type] = "webhooks.event_types"
    differences = [
        _Difference(*difference, len(numbers), numbers[0], key_of_place[difference])
        for difference, numbers in met.items()
    ]
    return Drift(sorted(differences, key=lambda row: (row.kind, -row.times, row.where, row.what)))


Found = tuple[str, str, str, str]


def answer_differences(call: Call, service: Service) -> Iterator[Found]:
    """The differences of one response, as kind, place, name and key."""
    if call.status is None:
        return
    for header_name in call.response_headers:
        if header_name.lower() not in HEADERS:
            setting_key = (
                "rate_limits.header"
                if call.status == 429 and "limit" in header_name.lower()
                else ""
            )
            yield "header", "answers", header_name.lower(), setting_key
    route = service.match(call.path)[0].get(call.method)
    if route is None or call.failed:
        return
    yield from _find_rows(route.operation, answer_of(call), service)


def answer_of(call: Call) -> Any:
    """The parsed body of a response; None if it is not JSON."""
    try:
        return json.loads(call.response_body.text) if call.response_body else None
    except (ValueError, RecursionError):
        return None


def _find_rows(operation: str, body: object, service: Service) -> Iterator[Found]:
    operation_record = OPERATIONS[operation]
    group = operation_record.resource
    if not operation_record.answer or operation.endswith("images"):
        return
    if operation_record.is_list:
        form = service.list(group)
        rows = body if form.is_array else value_at(body, form.items)
    else:
        rows = [object_of(operation_record, body, service)]
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield from _check_row(operation_record, row, service)


def object_of(record: Operation, body: object, service: Service) -> Any:
    """The object in an answer: where the settings say, else the single nested one with an id."""
    envelope_path = record.item_path(service)
    stated = body if envelope_path == NONE else value_at(body, envelope_path)
    if isinstance(stated, dict) and stated.get("id"):
        return stated
    object_path = find_object_path(body, getattr(models, record.answer).model_fields)
    return value_at(body, object_path) if object_path else stated


def _check_row(record: Operation, row: dict[str, Any], service: Service) -> Iterator[Found]:
    group = record.resource
    model = getattr(models, record.answer)
    known_fields = answer_names(record.answer, service)
    doubts = {
        field_name: setting_key for setting_key, field_name in renamed_fields(model, row, service)
    }
    ours = known_fields.read(row)
    for field_name in ours:
        if field_name not in model.model_fields:
            yield "field", group, str(field_name), doubts.get(field_name, "")
    yield from _amount_types(group, ours, service)
    setting_key = f"statuses.{group}"
    status = row.get("status")
    if group in MACHINES and isinstance(status, str):
        known_statuses = (*MACHINES[group].states, *STATUSES[group](service.statuses))
        yield from [("status", group, status, setting_key)] if status not in known_statuses else ()
    for detail in row.get("status_details") or ():
        code = detail.get("code") if isinstance(detail, dict) else None
        if code and code not in (*codes.STATUS_DETAIL_CODES, *service.statuses.detail_codes):
            yield "code", group, str(code), "statuses.detail_codes"


def _amount_types(group: str, row: Mapping[str, object], service: Service) -> Iterator[Found]:
    """The amounts of another type than the settings say.

    The setting is named if all amounts have that type; a rate may differ from them.
    """
    amounts = {name: row[name] for name in row if name in ANSWER_AMOUNTS}
    types = {
        name: "text" if isinstance(amount, str) else "number"
        for name, amount in amounts.items()
        if amount is not None
    }
    of_amounts = {type_ for name, type_ in types.items() if name != "exchange_rate"}
    for amount_name, amount_type in types.items():
        if amount_type != service.amounts.answers:
            setting_key = "amounts.answers" if of_amounts == {amount_type} else ""
            yield "type", group, f"{amount_name} as {amount_type}", setting_key


def renamed_fields(
    kind: type[Resource], body: Mapping[str, object], service: Service
) -> Iterator[tuple[str, str]]:
    """The keys of missing fields that probably have another name in the response."""
    operation = NAMED.get(kind.__name__)
    if operation:
        table = key_of(operation.names).removesuffix(".fields")
        yield from _find_renamed_fields(table, body, service, kind.model_fields)
    instructions = body.get("deposit_instructions")
    details = value_at(body, "deposit_instructions.details")
    if isinstance(instructions, Mapping) and isinstance(details, Mapping):
        own_table = f"deposit_instructions.{instructions.get('type')}"
        yield from _find_renamed_fields(own_table, details, service)


def _find_renamed_fields(
    table: str,
    body: Mapping[str, object],
    service: Service,
    known_names: Container[str] | None = None,
) -> Iterator[tuple[str, str]]:
    """The missing fields of an object, and their probable names in it."""
    key_prefix = f"{table}.fields."
    table_keys = {
        setting_key.removeprefix(key_prefix): setting
        for setting_key, setting in keys().items()
        if setting_key.startswith(key_prefix)
    }
    theirs = {our: str(service.value(setting.name)) for our, setting in table_keys.items()}
    heads = {field_path.partition(".")[0] for field_path in theirs.values()}
    free = [
        field_name
        for field_name in body
        if field_name not in heads and field_name not in (known_names or ())
    ]
    for our in theirs if free else ():
        is_there = theirs[our].partition(".")[0] in body or (
            known_names is not None and our not in known_names
        )
        name_words = {*our.split("_")} - COMMON_WORDS
        likely = (
            field_name
            for field_name in free
            if field_name in table_keys[our].others or name_words & {*field_name.lower().split("_")}
        )
        field_name = None if is_there else next(likely, None)
        if field_name is not None:
            yield table_keys[our].name, field_name
