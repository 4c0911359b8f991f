"""Drift: fields, statuses, codes, headers and types in responses that the settings do not have.

It is computed from the kept calls on access; no request is sent.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
from ..spec.service.key import SettingKey
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.service.statuses import STATUSES
from ..spec.service.value_types import NONE
from ..spec.status import MACHINES
from ..spec.text import printable
from .names import find_settings_below

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
        first_call_text = f", first in call {self.first}" if self.first else ""
        advice_text = f"; set {self.key}" if self.key else ""
        if self.kind == "status":
            advice_text = f"; {self.key} makes it known (it ends no wait: pass until={self.what!r})"
        difference_text = f"{self.kind} {self.what} of {self.where}"
        return printable(f"{difference_text}, {self.times} times{first_call_text}{advice_text}")


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
        count_by_kind = Counter(difference.kind for difference in self)
        counts = ", ".join(f"{count} {kind}" for kind, count in count_by_kind.items())
        return f"drift: {counts} (lab.drift shows them)" if self else ""


class AnswerDifference(NamedTuple):
    """A difference of one answer: its kind, place and name, and the key of its setting, or ""."""

    kind: str
    where: str
    what: str
    key: str = ""


def find_drift(
    calls: Iterable[Call], service: Service, events: Iterable[tuple[str, int | None]] = ()
) -> Drift:
    """Find what the responses to these calls have that the settings do not.

    `events` are the delivered event types, each with the number of its call.
    """
    sightings: list[tuple[AnswerDifference, int | None]] = [
        (difference, call.number)
        for call in calls
        for difference in answer_differences(call, service)
    ]
    known_event_types = (*codes.EVENT_TYPES, *service.webhooks.event_types)
    sightings += [
        (AnswerDifference("event type", "webhooks", event_type, "webhooks.event_types"), number)
        for event_type, number in events
        if event_type not in known_event_types
    ]
    counts = Counter(difference for difference, _ in sightings)
    first_numbers = dict(reversed(sightings))
    counted = [
        _Difference(*difference[:3], times, first_numbers[difference], difference.key)
        for difference, times in counts.items()
    ]
    return Drift(sorted(counted, key=lambda row: (row.kind, -row.times, row.where, row.what)))


Differences = Iterator[AnswerDifference]
Row = dict[str, Any]
"""An object of an answer."""


def answer_differences(call: Call, service: Service) -> Differences:
    """The differences of one response: its headers, and the objects of a successful one."""
    if call.status is None:
        return
    for header_name in map(str.lower, call.response_headers):
        if header_name not in HEADERS:
            is_limit = call.status == 429 and "limit" in header_name
            key = "rate_limits.header" if is_limit else ""
            yield AnswerDifference("header", "answers", header_name, key)
    route = service.match(call.path)[0].get(call.method)
    if route is not None and not call.failed:
        record = OPERATIONS[route.operation]
        for row in _find_rows(record, parse_answer(call), service):
            for find_differences in ROW_CHECKS:
                yield from find_differences(record, row, service)


def parse_answer(call: Call) -> Any:
    """The parsed body of a response; None if it is not JSON."""
    try:
        return json.loads(call.response_body.text) if call.response_body else None
    except (ValueError, RecursionError):
        return None


def _find_rows(record: Operation, body: object, service: Service) -> list[Row]:
    """The objects in an answer; none for an operation that answers with none, or with images.

    A single object is the only nested one that has an id, else where the settings say.
    """
    if not record.answer or record.name.endswith("images"):
        return []
    if record.is_list:
        list_form = service.list(record.resource)
        rows = body if list_form.is_array else value_at(body, list_form.items)
    else:
        nested_path = find_object_path(body, getattr(models, record.answer).model_fields)
        path = nested_path or record.item_path(service)
        rows = [body if path == NONE else value_at(body, path)]
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _find_unknown_fields(record: Operation, row: Row, service: Service) -> Differences:
    """The fields that an object has and its model has not, with the keys that rename them."""
    model = getattr(models, record.answer)
    key_by_new_name = dict(find_renamed_keys(model, row, service))
    for field_name in answer_names(record.answer, service).to_ours(row):
        if field_name not in model.model_fields:
            key = key_by_new_name.get(field_name, "")
            yield AnswerDifference("field", record.resource, str(field_name), key)


def _find_other_amount_types(record: Operation, row: Row, service: Service) -> Differences:
    """The amounts of another type than the settings say, such as "total_fee as number".

    The setting is named if all amounts have that type; a rate may differ from them.
    """
    fields = answer_names(record.answer, service).to_ours(row)
    types = {
        field_name: "text" if isinstance(fields[field_name], str) else "number"
        for field_name in fields
        if field_name in ANSWER_AMOUNTS and fields[field_name] is not None
    }
    types_of_amounts = {type_ for name, type_ in types.items() if name != "exchange_rate"}
    for amount_name, amount_type in types.items():
        if amount_type != service.amounts.answers:
            key = "amounts.answers" if types_of_amounts == {amount_type} else ""
            yield AnswerDifference("type", record.resource, f"{amount_name} as {amount_type}", key)


def _find_unknown_status(record: Operation, row: Row, service: Service) -> Differences:
    """The status of an object that no status machine and no setting has."""
    resource = record.resource
    status = row.get("status")
    if resource in MACHINES and isinstance(status, str):
        known_statuses = (*MACHINES[resource].states, *STATUSES[resource](service.statuses))
        if status not in known_statuses:
            yield AnswerDifference("status", resource, status, f"statuses.{resource}")


def _find_unknown_codes(record: Operation, row: Row, service: Service) -> Differences:
    """The codes of status details that neither the spec nor a setting has."""
    known_codes = (*codes.STATUS_DETAIL_CODES, *service.statuses.detail_codes)
    for detail in row.get("status_details") or ():
        code = detail.get("code") if isinstance(detail, dict) else None
        if code and code not in known_codes:
            yield AnswerDifference("code", record.resource, str(code), "statuses.detail_codes")


ROW_CHECKS = (
    _find_unknown_fields,
    _find_other_amount_types,
    _find_unknown_status,
    _find_unknown_codes,
)


def find_renamed_keys(
    model: type[Resource], row: Mapping[str, object], service: Service
) -> Iterator[tuple[str, str]]:
    """The names in an object that are probably new names of fields that it lacks, with their keys.

    A quote that has `rate` and no `exchange_rate` gives `rate` and `quotes.fields.exchange_rate`.
    """
    operation = NAMED.get(model.__name__)
    settings = find_settings_below(f"{setting_key_of(operation.names)}.") if operation else {}
    name_in_force = {
        name: str(service.value(key.name)).partition(".")[0] for name, key in settings.items()
    }
    known_names = {*name_in_force.values(), *model.model_fields}
    free_names = [name for name in row if name not in known_names]
    for name, key in settings.items():
        if name in model.model_fields and name_in_force[name] not in row:
            yield from [(free, key.name) for free in free_names if _may_rename(key, name, free)][:1]


def _may_rename(key: SettingKey, our_name: str, their_name: str) -> bool:
    """Whether a name is one of public descriptions, or shares a telling word with ours."""
    telling_words = {*our_name.split("_")} - COMMON_WORDS
    return their_name in key.others or not telling_words.isdisjoint(their_name.lower().split("_"))
