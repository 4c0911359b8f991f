"""Examples of answers: what the simulator answered to the examples of requests.

`answer_examples.json` has the objects by operation and name, as the usual service returns them;
here they get the names, the missing values and the envelope of another service.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from ..spec.answers import add_missing_values
from ..spec.json_path import set_value_at
from ..spec.operations.operation import Operation
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.text import JsonObject
from ..spec.translation import Translation, write_amounts_as_numbers
from .schemas import Schema

_ACCEPTED = 202
_DEFAULT_COUNTRY = "MX"


def make_answer_examples(service: Service, operation: Operation, status: int) -> Schema:
    """The examples of the successful answer with this status, by name; empty if none is stored."""
    stored_object_by_name = _read_stored_answers().get(operation.name, {})
    renamed_object_by_name = {
        object_name: _rename_stored_object(service, operation, object_name, object_fields)
        for object_name, object_fields in stored_object_by_name.items()
    }
    if operation.is_list:
        example_page = _make_page(service, operation, list(renamed_object_by_name.values()))
        return _make_example("page", _write_amounts(service, example_page))
    example_by_name: Schema = {}
    for object_name, renamed_object in renamed_object_by_name.items():
        if _has_status(operation, status, stored_object_by_name[object_name]):
            example_answer = _put_under_item_key(service, operation, renamed_object)
            example_by_name |= _make_example(object_name, _write_amounts(service, example_answer))
    return example_by_name


def make_error_examples(service: Service, operation: Operation, status: int) -> Schema:
    """The example of a refusal with this status, by name; empty if none is stored.

    Only the usual service has one: the text of a refusal has the names of its fields.
    """
    body_by_status = _read_stored_answers().get(f"{operation.name}.refusals", {})
    if not service.is_default or str(status) not in body_by_status:
        return {}
    return _make_example("refusal", body_by_status[str(status)])


def _make_example(example_name: str, answer: object) -> Schema:
    """An example by its name, with a summary made of the name."""
    summary_text = example_name.replace("_", " ").capitalize()
    return {example_name: {"summary": summary_text, "value": answer}}


def _has_status(operation: Operation, status: int, fields: Schema) -> bool:
    """Whether an object is an example of the answer with this status.

    Of two statuses of success, 202 is for an object that is still pending, and the other one for
    an object that is ready.
    """
    if len(operation.success) == 1:
        return True
    is_pending = str(fields["status"]) == "pending"
    is_status_accepted = status == _ACCEPTED
    return is_pending == is_status_accepted


@cache
def _read_stored_answers() -> dict[str, JsonObject]:
    """The stored objects by operation and by name."""
    json_text = (files(__package__) / "answer_examples.json").read_text(encoding="utf-8")
    objects_by_operation: dict[str, JsonObject] = json.loads(json_text)
    return objects_by_operation


def _rename_stored_object(
    service: Service, operation: Operation, object_name: str, fields: Schema
) -> Schema:
    """Write a stored object in the names of a service, with its missing values.

    Some objects are stored under the name of their country, such as "PH".
    """
    is_country_code = len(object_name) == len(_DEFAULT_COUNTRY)
    country_code = object_name if is_country_code else _DEFAULT_COUNTRY
    all_fields = add_missing_values(service, operation.answer, fields)
    return Translation(service).write_answer(operation.answer, all_fields, country_code)


def _put_under_item_key(service: Service, operation: Operation, fields: Schema) -> Schema:
    """Nest an object under the service's key for it; unchanged if the service has no such key."""
    item_path = operation.item_path(service)
    if item_path == NONE:
        return fields
    answer: Schema = {}
    set_value_at(answer, item_path, fields)
    return answer


def _make_page(
    service: Service, operation: Operation, page_rows: list[Schema]
) -> Schema | list[Schema]:
    """Make the only page of a list; a bare array of rows, if the service has no pages."""
    list_form: ListForm = service.list(operation.resource)
    if list_form.is_array:
        return page_rows
    page: Schema = {}
    set_value_at(page, list_form.items, page_rows)
    if list_form.more != NONE:
        set_value_at(page, list_form.more, value=False)
    if list_form.cursor != NONE:
        set_value_at(page, list_form.cursor, value=None)
    return page


def _write_amounts(service: Service, answer: Schema | list[Schema]) -> Any:
    """Copy an answer with amounts as numbers, if the service writes them so."""
    json_text = json.dumps(answer, separators=(",", ":"))
    return json.loads(write_amounts_as_numbers(service, json_text.encode()))
