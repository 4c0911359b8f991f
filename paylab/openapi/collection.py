"""The requests of collections of Postman and Bruno, with variables in place of ids and keys."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..spec.service.service import Service
from ..spec.text import JsonMapping, JsonValue
from .document import document

KEY_VARIABLES = ("api_key", "secret_key")
"""The variables that a user fills in, besides base_url; no collection has their values."""

IDEMPOTENCY_VARIABLE = "idempotency_key"
"""The variable of a new UUID for each request, which the signing script sets."""

_PAYOUT_ACCOUNT = "payout_account"
_OTHER_IDS = ("client_reference_id", "applicant_id", "upi_id")
"""Fields that are named as ids, and name no object of the service."""


@dataclass(frozen=True)
class CollectionRequest:
    """A request of a collection; `stored_id` is the variable that its answer's id is stored in."""

    folder: str
    name: str
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: str | None
    stored_id: str | None

    @property
    def url(self) -> str:
        """The address with its query, in which `{{base_url}}` is a variable."""
        query_text = "&".join(
            f"{parameter_name}={parameter_value}"
            for parameter_name, parameter_value in self.query.items()
        )
        url_without_query = f"{{{{base_url}}}}{self.path}"
        return f"{url_without_query}?{query_text}" if query_text else url_without_query


def collection_requests(service: Service) -> Iterator[CollectionRequest]:
    """The requests of a service, in the order of its operations."""
    operation_name_by_route = {
        (route.template, route.method.lower()): route.operation for route in service.routes
    }
    for path, operations_by_method in document(service)["paths"].items():
        for method, operation_object in operations_by_method.items():
            resource_name, _, verb = operation_name_by_route[path, method].partition(".")
            variable_name = id_variable(resource_name)
            body_text = _make_example_body(operation_object)
            yield CollectionRequest(
                folder=operation_object["tags"][0],
                name=operation_object["summary"].rstrip(".").partition(",")[0],
                method=method.upper(),
                path=path.replace("{id}", _write_variable(variable_name)),
                query={"limit": "2"} if _has_limit(operation_object) else {},
                headers=_make_headers(operation_object, body_text),
                body=body_text,
                stored_id=variable_name if verb == "create" else None,
            )


def sort_by_folder(requests: Iterable[CollectionRequest]) -> list[CollectionRequest]:
    """Sort requests by folder; the folders stay in the order of their first request."""
    requests_by_folder: dict[str, list[CollectionRequest]] = {}
    for request in requests:
        requests_by_folder.setdefault(request.folder, []).append(request)
    return list(chain.from_iterable(requests_by_folder.values()))


def id_variable(resource: str) -> str:
    """The variable with the id of a resource.

    >>> from paylab.openapi.collection import id_variable
    >>> id_variable("financial_accounts")
    'financial_account_id'
    """
    return f"{resource.removesuffix('s')}_id"


def id_variables(service: Service) -> list[str]:
    """The variables of ids that requests use or store."""
    resource_names = (route.operation.partition(".")[0] for route in service.routes)
    return sorted({id_variable(resource_name) for resource_name in resource_names} - {"sandbox_id"})


def _write_variable(variable_name: str) -> str:
    """A variable as Postman and Bruno write it, such as `{{individual_id}}`."""
    return f"{{{{{variable_name}}}}}"


def _has_limit(operation: Mapping[str, Any]) -> bool:
    """Whether an operation takes the size of a page, as the parameter `limit`."""
    for parameter in operation.get("parameters", ()):
        if parameter.get("name") == "limit" and parameter.get("in") == "query":
            return True
    return False


def _make_headers(operation: JsonMapping, body: str | None) -> dict[str, str]:
    """Content-Type for a body, and an Idempotency-Key if the operation takes one."""
    header_text_by_name = {} if body is None else {"Content-Type": "application/json"}
    for parameter in operation.get("parameters", ()):
        # The key is the only header parameter, under the name of the service for it.
        if parameter.get("in") == "header":
            header_text_by_name[parameter["name"]] = _write_variable(IDEMPOTENCY_VARIABLE)
    return header_text_by_name


def _make_example_body(operation: JsonMapping) -> str | None:
    """The first example of a body, with variables in place of ids; None without a body."""
    content_object = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content_object is None:
        return None
    first_example_body = next(iter(content_object["examples"].values()))["value"]
    return json.dumps(_insert_variables(first_example_body), indent=2, ensure_ascii=False)


def _insert_variables(json_value: JsonValue) -> JsonValue:
    """Copy a part of a body with variables in place of the ids of objects, at any depth."""
    if isinstance(json_value, list):
        return [_insert_variables(item) for item in json_value]
    if not isinstance(json_value, dict):
        return json_value
    return {
        field_name: _insert_variable(field_name, field_value)
        for field_name, field_value in json_value.items()
    }


def _insert_variable(field_name: str, field_value: JsonValue) -> JsonValue:
    """Replace the id of an object in a field by a variable; other values are searched for ids.

    `individual_id` becomes `{{individual_id}}`, and `"financial_account": {"id": ...}` becomes
    `{"id": "{{financial_account_id}}"}`.
    """
    is_object_id = field_name.endswith("_id") and field_name not in _OTHER_IDS
    if is_object_id and isinstance(field_value, str):
        return _write_variable(field_name)
    if isinstance(field_value, dict) and field_value.keys() == {"id"}:
        object_name = "financial_account" if field_name == _PAYOUT_ACCOUNT else field_name
        return {"id": _write_variable(f"{object_name}_id")}
    return _insert_variables(field_value)


def indent_lines(text: str, spaces: int) -> str:
    """Indent each line of a text that is not blank by this number of spaces."""
    return "\n".join(f"{' ' * spaces}{line}" if line else line for line in text.splitlines())


Files = dict[str, str]
"""The text of each file of a collection, by its path."""
