"""The links of an answer: the operations that take the id, or the cursor, that it has."""

from __future__ import annotations

from ..spec import models
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS, answer_names
from ..spec.route import PLACEHOLDER, Route
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .schemas import Schema


def make_links(service: Service, operation: Operation) -> Schema:
    """The links of a successful answer by name; empty if no operation takes what it has."""
    link_by_name: Schema = {}
    if operation.is_list and _has_pages(service, operation):
        link_by_name["nextPage"] = _make_next_page_link(service, operation)
    id_pointer = _find_id_pointer(service, operation)
    if not id_pointer:
        return link_by_name
    for route in service.routes:
        target_operation = OPERATIONS[route.operation]
        placeholder = _find_only_placeholder(route)
        is_same_resource = target_operation.resource == operation.resource
        if is_same_resource and target_operation is not operation and placeholder:
            link_by_name[target_operation.call_name] = {
                "operationId": target_operation.call_name,
                "parameters": {placeholder: f"$response.body#{id_pointer}"},
                "description": f"{target_operation.summary}, by the id of this answer.",
            }
    return link_by_name


def _has_pages(service: Service, operation: Operation) -> bool:
    """Whether the answer of a list has the cursor of a next page."""
    list_form = service.list(operation.resource)
    return not list_form.is_array and list_form.cursor != NONE


def _make_next_page_link(service: Service, operation: Operation) -> Schema:
    """The link from a page to the next one."""
    list_form = service.list(operation.resource)
    cursor_pointer = _write_pointer(list_form.cursor)
    return {
        "operationId": operation.call_name,
        "parameters": {list_form.cursor_parameter: f"$response.body#{cursor_pointer}"},
        "description": "The next page, if the cursor is not null.",
    }


def _find_id_pointer(service: Service, operation: Operation) -> str:
    """The JSON pointer to the id in an answer, such as "/id"; "" if it has no id.

    Of a list it is the id of the first row, such as "/data/0/id".
    """
    if not operation.answer or "id" not in getattr(models, operation.answer).model_fields:
        return ""
    id_name = answer_names(operation.answer, service).their_names.get("id", "id")
    if not operation.is_list:
        return _write_pointer(operation.item_path(service)) + _write_pointer(id_name)
    list_form = service.list(operation.resource)
    rows_pointer = "" if list_form.is_array else _write_pointer(list_form.items)
    return f"{rows_pointer}/0{_write_pointer(id_name)}"


def _write_pointer(path: str) -> str:
    """Write a dotted path as a JSON pointer: "/page/next" for "page.next", and "" for "none"."""
    if path == NONE:
        return ""
    return "".join(f"/{path_key}" for path_key in path.split("."))


def _find_only_placeholder(route: Route) -> str:
    """The name of the only placeholder of a path; "" if it has none or several."""
    placeholders = PLACEHOLDER.findall(route.template)
    return placeholders[0] if len(placeholders) == 1 else ""
