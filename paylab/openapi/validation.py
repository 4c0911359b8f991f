"""Finds what the document does not allow in a request or an answer; quotes none of its values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from http import HTTPStatus
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote

from ..errors.base import Problem
from ..spec.json_path import join_path
from ..spec.service.service import Service
from .schemas import Schema

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError
    from referencing import Registry

Location = tuple[str, ...]
"""The keys from the document to a part of it."""

_DOCUMENT_URI = "urn:openapi"
_JSON = "application/json"
PROBLEMS_MAX = 10
"""Maximum problems of one body."""

TEXT_MAX = 120
"""Maximum characters of a limit in a message."""

DOCUMENT_SOURCE = "openapi"


class Contract:
    """The document of a service, with which requests and answers are compared.

    >>> from paylab.openapi import document
    >>> from paylab.openapi.validation import Contract
    >>> contract = Contract(Service(), document())
    >>> contract.answer_problems("GET", "/v1/transfers", 200, "application/json", b"[]")
    [Problem(field='', message='must be of the type object', source='openapi')]
    """

    def __init__(self, service: Service, spec: Schema) -> None:
        """Compare with `spec`, the OpenAPI document of the service."""
        self._service = service
        self._document = spec
        self._validators: dict[Location, Draft202012Validator] = {}

    @cached_property
    def _registry(self) -> Registry:
        """The document as a resource, so that references in it are resolved."""
        from referencing import Registry
        from referencing.jsonschema import DRAFT202012

        document_resource = DRAFT202012.create_resource(self._document)
        registry: Registry = Registry().with_resource(_DOCUMENT_URI, document_resource)
        return registry

    def _find_validator(self, location: Location) -> Draft202012Validator:
        """The validator of the schema at a location of the document, made on first use."""
        if location not in self._validators:
            from jsonschema import Draft202012Validator  # few sessions need it

            json_pointer = "/".join(
                location_key.replace("~", "~0").replace("/", "~1") for location_key in location
            )
            reference_schema = {"$ref": f"{_DOCUMENT_URI}#/{quote(json_pointer)}"}
            self._validators[location] = Draft202012Validator(
                reference_schema, registry=self._registry
            )
        return self._validators[location]

    def prepare(self) -> None:
        """Load the validator now: the first use takes a second."""
        self._find_validator(("components", "schemas", "ErrorResponse")).is_valid({})

    def request_problems(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> list[Problem]:
        """The problems of a request by the document; empty if it allows the request."""
        operation_location = self._find_operation(method, path)
        if operation_location is None:
            return [Problem("", "the document has no such method and path", DOCUMENT_SOURCE)]
        texts_by_place = {
            "query": dict(parse_qsl(query, keep_blank_values=True)),
            "header": headers,
        }
        problems = [*self._find_parameter_problems(operation_location, texts_by_place)]
        if "requestBody" in self._find_value(operation_location):
            problems += self._find_body_problems((*operation_location, "requestBody"), body)
        return problems[:PROBLEMS_MAX]

    def answer_problems(
        self, method: str, path: str, status: int, content_type: str, body: bytes
    ) -> list[Problem]:
        """The problems of an answer by the document; empty if it allows the answer.

        A 5xx has none, since the document says nothing about these.
        """
        operation_location = self._find_operation(method, path)
        if operation_location is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return []
        response_location = (*operation_location, "responses", str(status))
        if str(status) not in self._find_value(response_location[:-1]):
            return [Problem("", f"the status {status} is not documented", DOCUMENT_SOURCE)]
        response_reference = self._find_value(response_location).get("$ref")
        if response_reference is not None:
            response_location = tuple(response_reference.removeprefix("#/").split("/"))
        if "content" not in self._find_value(response_location):
            return [Problem("", "the body must be empty", DOCUMENT_SOURCE)] if body else []
        if content_type.partition(";")[0].strip().lower() != _JSON:
            return [Problem("", f"the Content-Type must be {_JSON}", DOCUMENT_SOURCE)]
        return self._find_body_problems(response_location, body)[:PROBLEMS_MAX]

    def _find_operation(self, method: str, path: str) -> Location | None:
        """The location of the operation with a method and path; None if there is none."""
        route_by_method, _ = self._service.match(path)
        if method not in route_by_method:
            return None
        return "paths", route_by_method[method].template, method.lower()

    def _find_value(self, location: Location) -> Schema:
        """The part of the document at a location."""
        document_part = self._document
        for document_key in location:
            document_part = document_part[document_key]
        return document_part

    def _find_parameter_problems(
        self, operation_location: Location, values_by_place: Mapping[str, Mapping[str, str]]
    ) -> Iterator[Problem]:
        """The problems of the parameters in the query and in the headers."""
        for parameter_index, parameter in enumerate(
            self._find_value(operation_location).get("parameters", ())
        ):
            parameter_name = parameter["name"]
            if parameter["in"] not in values_by_place:
                continue
            sent_name = parameter_name.lower() if parameter["in"] == "header" else parameter_name
            parameter_text = values_by_place[parameter["in"]].get(sent_name)
            if parameter_text is None:
                if parameter["required"]:
                    yield Problem(parameter_name, "is required", DOCUMENT_SOURCE)
                continue
            parameter_value: object = parameter_text
            if parameter["schema"].get("type") == "integer" and parameter_text.isdecimal():
                parameter_value = int(parameter_text)
            schema_location = (*operation_location, "parameters", str(parameter_index), "schema")
            yield from self._find_problems(schema_location, parameter_value, parameter_name)

    def _find_body_problems(self, location: Location, body: bytes) -> list[Problem]:
        """The problems of a body. `location` is the location of its request body or response."""
        try:
            json_value = json.loads(body)
        except (ValueError, RecursionError):
            return [Problem("", "the body is not JSON", DOCUMENT_SOURCE)]
        return [*self._find_problems((*location, "content", _JSON, "schema"), json_value)]

    def _find_problems(
        self, location: Location, json_value: object, value_path: str = ""
    ) -> Iterator[Problem]:
        """Yield the problems of a value by the schema at a location of the document."""
        from jsonschema.exceptions import best_match

        validation_errors = [*self._find_validator(location).iter_errors(json_value)]
        # Which alternative was meant is known only when nothing else is wrong.
        plain_errors = [
            validation_error
            for validation_error in validation_errors
            if validation_error.validator not in _ALTERNATIVES
        ]
        meant_errors = plain_errors or [
            best_match([validation_error]) or validation_error
            for validation_error in validation_errors
        ]
        problems = chain.from_iterable(
            _describe_error(validation_error, value_path) for validation_error in meant_errors
        )
        yield from dict.fromkeys(problems)


_ALTERNATIVES = ("anyOf", "oneOf")


def _describe_error(error: ValidationError, value_path: str) -> Iterator[Problem]:
    """Yield the problems of an error of jsonschema, in words without any value of the body.

    `value_path` is the path of the value that was checked; "" for a whole body.
    """
    problem_path = value_path
    for key_or_index in error.absolute_path:
        problem_path = join_path(problem_path, key_or_index)
    keyword = str(error.validator)
    keyword_value = error.validator_value
    if keyword == "required":
        for field_name in keyword_value:
            if field_name not in error.instance:
                yield Problem(join_path(problem_path, field_name), "is required", DOCUMENT_SOURCE)
    elif keyword == "additionalProperties":
        schema_by_known_name = error.schema.get("properties", {})
        unknown_names = [
            member_name for member_name in error.instance if member_name not in schema_by_known_name
        ]
        for field_name in unknown_names[:PROBLEMS_MAX]:
            yield Problem(join_path(problem_path, field_name), "is not known", DOCUMENT_SOURCE)
    else:
        yield Problem(problem_path, _describe_limit(keyword, keyword_value), DOCUMENT_SOURCE)


def _describe_limit(keyword: str, keyword_value: object) -> str:
    """Say what a keyword of JSON Schema demands: "must be one of a, b" for `enum`."""
    if keyword == "not":
        return "must be absent"
    if keyword in _ALTERNATIVES:
        return "fits none of the forms that the document allows, or several"
    limits = keyword_value if isinstance(keyword_value, list) else [keyword_value]
    limit_text = ", ".join(map(_write_limit, limits))
    if len(limit_text) > TEXT_MAX:
        limit_text = f"{limit_text[:TEXT_MAX]}..."
    demand_template = _DEMANDS.get(keyword)
    if demand_template is None:
        return f"must keep {keyword} {limit_text}"
    return demand_template.format(limit_text)


def _write_limit(limit: object) -> str:
    """Write a limit as JSON has it, such as null for None; a text without quotes."""
    return limit if isinstance(limit, str) else json.dumps(limit, ensure_ascii=False, default=str)


_DEMANDS = {
    "const": "must be {}",
    "enum": "must be one of {}",
    "exclusiveMinimum": "must be more than {}",
    "maxItems": "must have at most {} items",
    "maxLength": "must have at most {} characters",
    "maximum": "must be at most {}",
    "minItems": "must have at least {} items",
    "minLength": "must have at least {} characters",
    "minimum": "must be at least {}",
    "pattern": "must have the form {}",
    "type": "must be of the type {}",
}
