"""The requests of collections of Postman and Bruno, with variables in place of ids and keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..spec.service.service import Service
from ..spec.text import JsonValue
from .document import document

KEY_VARIABLES = ("api_key", "secret_key")
"""The variables that a user fills in, besides base_url; no collection has their values."""

IDEMPOTENCY_VARIABLE = "idempotency_key"
"""The variable of a new UUID for each request, which the signing script sets."""

_PAYOUT_ACCOUNT = "payout_account"


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


def collection_requests(service: Service) -> Iterator[CollectionRequest]:
    """The requests of a service, in the order of its operations."""
    paths = document(service)["paths"]
    resources = {
        (route.template, route.method.lower()): route.operation.partition(".")
        for route in service.routes
    }
    for path, operations in paths.items():
        for method, operation in operations.items():
            resource, _, verb = resources[path, method]
            variable = id_variable(resource)
            body = _example_body(operation)
            yield CollectionRequest(
                folder=operation["tags"][0],
                name=operation["summary"].rstrip(".").partition(",")[0],
                method=method.upper(),
                path=path.replace("{id}", f"{{{{{variable}}}}}"),
                query={"limit": "2"} if _has_parameter(operation, "limit", "query") else {},
                headers=_headers(operation, body),
                body=body,
                stored_id=variable if verb == "create" else None,
            )


def id_variable(resource: str) -> str:
    """The variable with the id of a resource.

    >>> from paylab.openapi.collection import id_variable
    >>> id_variable("financial_accounts")
    'financial_account_id'
    """
    return f"{resource.removesuffix('s')}_id"


def id_variables(service: Service) -> list[str]:
    """The variables of ids that requests use or store."""
    resources = (route.operation.partition(".")[0] for route in service.routes)
    return sorted({id_variable(resource) for resource in resources} - {"sandbox_id"})


def _has_parameter(operation: Mapping[str, Any], parameter_name: str, parameter_place: str) -> bool:
    parameters = operation.get("parameters", ())
    return any(
        (part.get("name"), part.get("in")) == (parameter_name, parameter_place)
        for part in parameters
    )


def _headers(operation: Mapping[str, Any], body: str | None) -> dict[str, str]:
    headers = {} if body is None else {"Content-Type": "application/json"}
    for parameter in operation.get("parameters", ()):
        if parameter.get("in") == "header":
            headers[parameter["name"]] = f"{{{{{IDEMPOTENCY_VARIABLE}}}}}"
    return headers


def _example_body(operation: Mapping[str, Any]) -> str | None:
    """The first example of a body, with variables in place of ids."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content is None:
        return None
    example = next(iter(content["examples"].values()))["value"]
    return json.dumps(_with_variables(example), indent=2, ensure_ascii=False)


def _with_variables(example_value: JsonValue) -> JsonValue:
    if isinstance(example_value, list):
        return [_with_variables(item) for item in example_value]
    if not isinstance(example_value, dict):
        return example_value
    return {name: _variable_or_value(name, item) for name, item in example_value.items()}


def _variable_or_value(field_name: str, example_value: JsonValue) -> JsonValue:
    """A field of a body: a variable if it is the id of an object."""
    is_id = field_name.endswith("_id") and field_name not in (
        "client_reference_id",
        "applicant_id",
        "upi_id",
    )
    if is_id and isinstance(example_value, str):
        return f"{{{{{field_name}}}}}"
    if isinstance(example_value, dict) and example_value.keys() == {"id"}:
        resource = "financial_account" if field_name == _PAYOUT_ACCOUNT else field_name
        return {"id": f"{{{{{resource}_id}}}}"}
    return _with_variables(example_value)


def indent_lines(text: str, spaces: int) -> str:
    """A text with each line that is not blank moved to the right."""
    return "\n".join(f"{' ' * spaces}{line}" if line else line for line in text.splitlines())


Files = dict[str, str]
"""The text of each file of a collection, by its path."""
