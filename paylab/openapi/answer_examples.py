"""Examples of answers: what the simulator answered to the examples of requests.

`answer_examples.json` has the objects by operation and name, as the usual service returns them;
here they get the names, the missing values and the envelope of another service.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from ..spec.json_path import set_value_at
from ..spec.missing_values import with_missing_values
from ..spec.operations.operation import Operation
from ..spec.service.lists import ListForm
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from ..spec.translation import Translation, write_amounts_as_numbers
from .schemas import Schema

_ACCEPTED = 202
_DEFAULT_COUNTRY = "MX"


def make_answer_examples(service: Service, record: Operation, status: int) -> Schema:
    """The examples of a successful answer by name; empty without any."""
    objects_by_name = _stored_answers().get(record.name, {})
    if record.is_list:
        object_examples = [
            _send(service, record, object_name, fields)
            for object_name, fields in objects_by_name.items()
        ]
        return _make_example("page", _write(service, _make_page(service, record, object_examples)))
    examples: Schema = {}
    for object_name, fields in objects_by_name.items():
        if _has_status(record, status, fields):
            answer = _put_under_item_key(
                service, record, _send(service, record, object_name, fields)
            )
            examples |= _make_example(object_name, _write(service, answer))
    return examples


def make_error_examples(service: Service, record: Operation, status: int) -> Schema:
    """The example of a refusal, of the usual service only: others have other names in it."""
    bodies_by_status = _stored_answers().get(f"{record.name}.refusals", {})
    if not service.is_default or str(status) not in bodies_by_status:
        return {}
    return _make_example("refusal", bodies_by_status[str(status)])


def _make_example(example_name: str, answer: object) -> Schema:
    """An example with its name."""
    return {example_name: {"summary": example_name.replace("_", " ").capitalize(), "value": answer}}


def _has_status(operation: Operation, status: int, fields: Schema) -> bool:
    """Whether an object is answered with this status, of an operation that may have two."""
    if len(operation.success) == 1:
        return True
    is_pending = str(fields["status"]) == "pending"
    return is_pending == (status == _ACCEPTED)


@cache
def _stored_answers() -> dict[str, dict[str, Any]]:
    """The stored objects by operation and by name."""
    json_text = (files(__package__) / "answer_examples.json").read_text(encoding="utf-8")
    answers: dict[str, dict[str, Any]] = json.loads(json_text)
    return answers


def _send(service: Service, operation: Operation, object_name: str, fields: Schema) -> Schema:
    """A stored object as a service returns it."""
    country = object_name if len(object_name) == len(_DEFAULT_COUNTRY) else _DEFAULT_COUNTRY
    complete = with_missing_values(service, operation.answer, fields)
    return Translation(service).send_answer(operation.answer, complete, country)


def _put_under_item_key(service: Service, operation: Operation, fields: Schema) -> Schema:
    """The object under the key that the service has for it."""
    item_path = operation.item_path(service)
    if item_path == NONE:
        return fields
    answer: Schema = {}
    set_value_at(answer, item_path, fields)
    return answer


def _make_page(
    service: Service, operation: Operation, page_rows: list[Schema]
) -> Schema | list[Schema]:
    """The only page of a list."""
    list_form: ListForm = service.list(operation.resource)
    if list_form.is_array:
        return page_rows
    page: Schema = {}
    set_value_at(page, list_form.items, page_rows)
    if list_form.more != NONE:
        set_value_at(page, list_form.more, False)
    if list_form.cursor != NONE:
        set_value_at(page, list_form.cursor, None)
    return page


def _write(service: Service, answer: Schema | list[Schema]) -> Any:
    """The JSON of an answer, with amounts as the service writes them."""
    json_text = json.dumps(answer, separators=(",", ":"))
    return json.loads(write_amounts_as_numbers(service, json_text.encode()))
