"""What one answer has that the settings do not: fields, types, statuses, codes and headers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..client.call import Call
from ..spec import codes, models
from ..spec.envelope import find_object_path
from ..spec.field_meanings import ANSWER_AMOUNTS
from ..spec.json_path import value_at
from ..spec.operations.operation import Operation
from ..spec.operations.records import NAMED, OPERATIONS, answer_names
from ..spec.resource import Resource
from ..spec.service.key import SettingKey
from ..spec.service.keys import find_settings_below
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.service.statuses import STATUSES
from ..spec.service.value_types import NONE
from ..spec.status import MACHINES
from ..spec.text import JsonObject

HEADERS = frozenset({
    "date", "content-type", "content-length", "connection", "keep-alive", "server", "vary",
    "transfer-encoding", "content-encoding", "cache-control", "etag", "location", "allow",
    "idempotency-replayed", "retry-after", "strict-transport-security", "set-cookie", "via",
})  # fmt: skip
"""Headers that every HTTP service may send."""
COMMON_WORDS = frozenset({"id", "at", "is", "of", "currency", "amount", "account", "source"})
"""Words that are in many names and do not identify a field."""


class AnswerDifference(NamedTuple):
    """A difference of one answer: its kind, place and name, and the key of its setting, or ""."""

    kind: str
    where: str
    what: str
    key: str = ""


Differences = Iterator[AnswerDifference]
Row = JsonObject
"""An object of an answer."""


def find_answer_differences(call: Call, service: Service) -> Differences:
    """The differences of one response: its headers, and the objects of a successful one."""
    if call.status is None:
        return
    for header_name in map(str.lower, call.response_headers):
        if header_name not in HEADERS:
            is_limit = call.status == 429 and "limit" in header_name
            setting_key = "rate_limits.header" if is_limit else ""
            yield AnswerDifference("header", "answers", what=header_name, key=setting_key)
    route = service.match(call.path)[0].get(call.method)
    if route is not None and not call.failed:
        operation = OPERATIONS[route.operation]
        for row in _find_rows(operation, parse_answer(call), service):
            for find_differences in ROW_CHECKS:
                yield from find_differences(operation, row, service)


def parse_answer(call: Call) -> Any:
    """The parsed body of a response; None if it is not JSON."""
    try:
        return json.loads(call.response_body.text) if call.response_body else None
    except (ValueError, RecursionError):
        return None


def _find_rows(operation: Operation, body: object, service: Service) -> list[Row]:
    """The objects in an answer; none for an operation that answers with none, or with images.

    The object of an answer that is no list is the only one inside the body with an id. If there is
    no such object, it is where the settings have it.
    """
    if not operation.answer or operation.name.endswith("images"):
        return []
    if operation.is_list:
        list_form = service.list(operation.resource)
        rows = body if list_form.is_array else value_at(body, list_form.items)
    else:
        nested_path = find_object_path(body, getattr(models, operation.answer).model_fields)
        object_path = nested_path or operation.item_path(service)
        rows = [body if object_path == NONE else value_at(body, object_path)]
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _find_unknown_fields(operation: Operation, row: Row, service: Service) -> Differences:
    """The fields that an object has and its model has not, with the keys that rename them."""
    model_class = getattr(models, operation.answer)
    key_by_new_name = dict(find_renamed_keys(model_class, row, service))
    for field_name in answer_names(operation.answer, service).to_ours(row):
        if field_name not in model_class.model_fields:
            setting_key = key_by_new_name.get(field_name, "")
            yield AnswerDifference(
                "field", where=operation.resource, what=str(field_name), key=setting_key
            )


def _find_other_amount_types(operation: Operation, row: Row, service: Service) -> Differences:
    """The amounts of another type than the settings say, such as "total_fee as number".

    The setting is named if all amounts have that type; a rate may differ from them.
    """
    value_by_field = answer_names(operation.answer, service).to_ours(row)
    type_by_field = {
        field_name: "text" if isinstance(value_by_field[field_name], str) else "number"
        for field_name in value_by_field
        if field_name in ANSWER_AMOUNTS and value_by_field[field_name] is not None
    }
    type_names = {type_ for name, type_ in type_by_field.items() if name != "exchange_rate"}
    for amount_name, amount_type in type_by_field.items():
        if amount_type != service.amounts.answers:
            setting_key = "amounts.answers" if type_names == {amount_type} else ""
            yield AnswerDifference(
                "type",
                where=operation.resource,
                what=f"{amount_name} as {amount_type}",
                key=setting_key,
            )


def _find_unknown_status(operation: Operation, row: Row, service: Service) -> Differences:
    """The status of an object that no status machine and no setting has."""
    list_name = operation.resource
    status = row.get("status")
    if list_name in MACHINES and isinstance(status, str):
        known_statuses = (*MACHINES[list_name].states, *STATUSES[list_name](service.statuses))
        if status not in known_statuses:
            yield AnswerDifference(
                "status", where=list_name, what=status, key=f"statuses.{list_name}"
            )


def _find_unknown_codes(operation: Operation, row: Row, service: Service) -> Differences:
    """The codes of status details that neither the spec nor a setting has."""
    known_codes = (*codes.STATUS_DETAIL_CODES, *service.statuses.detail_codes)
    for detail in row.get("status_details") or ():
        code = detail.get("code") if isinstance(detail, dict) else None
        if code and code not in known_codes:
            yield AnswerDifference(
                "code", where=operation.resource, what=str(code), key="statuses.detail_codes"
            )


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
    setting_by_field = (
        find_settings_below(f"{setting_key_of(operation.names)}.") if operation else {}
    )
    current_name_by_field = {
        field_name: str(service.value(setting.name)).partition(".")[0]
        for field_name, setting in setting_by_field.items()
    }
    known_names = {*current_name_by_field.values(), *model.model_fields}
    free_names = [field_name for field_name in row if field_name not in known_names]
    for field_name, setting in setting_by_field.items():
        is_field_missing = (
            field_name in model.model_fields and current_name_by_field[field_name] not in row
        )
        if not is_field_missing:
            continue
        for free_name in free_names:
            if _may_rename(setting, field_name, free_name):
                yield free_name, setting.name
                break  # one field has one new name


def _may_rename(setting: SettingKey, our_name: str, their_name: str) -> bool:
    """Whether a name is one of public descriptions, or shares a telling word with ours."""
    telling_words = {*our_name.split("_")} - COMMON_WORDS
    return their_name in setting.others or not telling_words.isdisjoint(
        their_name.lower().split("_")
    )
