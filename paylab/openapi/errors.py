"""The refusals of an operation as responses, in the error body of a service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http import HTTPStatus

from ..spec.operations.field import TIME
from ..spec.operations.operation import Operation
from ..spec.operations.refusals import Refusal, invalid_body_status, read_status_code
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.service.value_types import NONE
from .schemas import (
    Components,
    Schema,
    closed_object,
    make_origin_members,
    nested_object,
    ref_to,
)

ERROR_SCHEMA_NAME = "ErrorResponse"
PAGINATION_ERROR = "PaginationError"
_DOUBTFUL_FIELDS = (
    *("email", "date_of_birth", "idv_consent_recorded_at", "financial_accounts", "details"),
)
"""The fields whose values a service may check beyond their form."""

_DOUBTFUL_VALUE = "a value cannot be right, such as a consent in the future (a strict service)"
_WRONG_FORM = "a field has the wrong form, is required or is not known"


def add_schemas(service: Service, components: Components) -> None:
    """Add the error body of the service, and the error body of a bad cursor from the spec."""
    error_settings = service.errors
    origin_members = make_origin_members(service, "errors.body")
    schema_by_path: dict[str, Schema] = {}
    if error_settings.problems != NONE:
        problems_schema = _make_problems_schema(service, components)
        description_text = "What is wrong with each field."
        schema_by_path[error_settings.problems] = {
            **problems_schema,
            "description": description_text,
            **origin_members,
        }
    if error_settings.words != NONE:
        description_text = "What is wrong, for people."
        schema_by_path[error_settings.words_beside_problems] = {
            "type": "string",
            "description": description_text,
            **origin_members,
        }
    required_names = [error_settings.words] if error_settings.words in schema_by_path else []
    error_schema = nested_object(schema_by_path, required_names)
    components.add(
        ERROR_SCHEMA_NAME,
        {"description": "Why a request was refused.", **origin_members, **error_schema},
    )
    text_schema = {"type": "string", "const": "Invalid pagination token", "x-origin": SPEC}
    pagination_error_schema = {
        "description": "The answer to an invalid cursor.",
        "x-origin": SPEC,
        **closed_object({"error": text_schema}, ["error"]),
    }
    components.add(PAGINATION_ERROR, pagination_error_schema)


def _make_problems_schema(service: Service, components: Components) -> Schema:
    """The schema of the field problems in an error, in the form that the service has for them."""
    error_settings = service.errors
    if error_settings.list_form == "by_field":
        return {"type": "object", "additionalProperties": {"type": "string"}}
    if error_settings.list_form == "sentences":
        return {"type": "array", "items": {"type": "string"}}
    field_schema: Schema = {"type": "string"}
    if error_settings.field_form == "list":
        field_schema = {"type": "array", "items": {"type": ["string", "integer"]}}
    origin_members = make_origin_members(service, "errors.body")
    schema_by_path = {
        error_settings.field: {**field_schema, **origin_members},
        error_settings.message: {"type": "string", **origin_members},
    }
    description_member = {"description": "What is wrong with one field."}
    problem_schema = {**description_member, **nested_object(schema_by_path, schema_by_path)}
    return {"type": "array", "items": components.add("FieldProblem", problem_schema)}


def refusal_responses(
    service: Service, operation: Operation, make_examples: Callable[[int], Schema]
) -> Schema:
    """The responses of the refusals by status, each with its conditions.

    `make_examples` makes the examples of a status.
    """
    refusals_by_status: dict[int, list[Refusal]] = {}
    for refusal in (*operation.refusals, *_list_usual_refusals(service, operation)):
        status_code = read_status_code(refusal.status, service)
        status_refusals = refusals_by_status.setdefault(status_code, [])
        are_all_others = all(
            refusal.when != earlier_refusal.when for earlier_refusal in status_refusals
        )
        if are_all_others:
            status_refusals.append(refusal)
    response_by_status: Schema = {"429": {"$ref": "#/components/responses/TooManyRequests"}}
    for status_code, status_refusals in refusals_by_status.items():
        response = _make_refusal_response(service, status_code, status_refusals, operation)
        example_by_name = make_examples(status_code)
        if example_by_name:
            response["content"]["application/json"]["examples"] = example_by_name
        response_by_status[str(status_code)] = response
    return dict(sorted(response_by_status.items()))


def _list_usual_refusals(service: Service, operation: Operation) -> Iterator[Refusal]:
    """Yield the refusals that follow from what an operation takes: a body, a query, a key."""
    yield Refusal(
        lambda service: service.error_codes.signature,
        "the signature is missing, wrong or stale, or its nonce was used before",
        source="signing.errors",
    )
    if operation.fields:
        yield from _list_body_refusals(operation)
    if operation.is_list and not service.list(operation.resource).is_array:
        yield Refusal(400, "a query parameter is invalid or not known", source="page.limit")
        yield Refusal(400, "the cursor is not from an earlier answer", fields=("cursor",))
    elif not operation.fields:
        yield Refusal(400, "a query parameter or a header is not known", source="request.unknown")
    if operation.takes_key(service):
        yield Refusal(400, "the Idempotency-Key is not a UUID of 36 characters")
        yield Refusal(409, "the Idempotency-Key was used with another body")


def _list_body_refusals(operation: Operation) -> Iterator[Refusal]:
    """Yield the refusals of a body because of its form."""
    malformed_body_text = "the body is not a JSON object, or nests too deeply"
    yield Refusal(400, malformed_body_text, source="request.size")
    yield Refusal(400, _WRONG_FORM, source="request.unknown")
    # `invalid_body_status` is a function: a setting of the service holds the status.
    can_have_invalid_body = any(
        refusal.status is invalid_body_status for refusal in operation.refusals
    )
    if can_have_invalid_body:
        yield Refusal(invalid_body_status, _WRONG_FORM, source="transfer.create")
    if any(field.name == "details" for field in operation.fields):
        wrong_details_text = "the details have the wrong form"
        yield Refusal(invalid_body_status, wrong_details_text, source="account.errors")
    doubtful_field_names = tuple(
        field_name for field_name in _DOUBTFUL_FIELDS if field_name in operation.by_name
    )
    if doubtful_field_names:
        yield Refusal(400, _DOUBTFUL_VALUE, source="check-digits", fields=doubtful_field_names)
    time_field_names = operation.field_names_of_kind(TIME)
    if time_field_names:
        yield Refusal(
            invalid_body_status,
            "a time is before year 1 in UTC",
            source="timestamp.form",
            fields=time_field_names,
        )
    yield Refusal(413, "the body is larger than 256 MiB", source="request.size")
    yield Refusal(
        415,
        "a body does not have the Content-Type application/json",
        source="request.content-type",
    )


def _make_refusal_response(
    service: Service, status: int, refusals: list[Refusal], operation: Operation
) -> Schema:
    """The response of one status, with the refusals that have it."""
    status_phrase = HTTPStatus(status).phrase
    reasons_text = "\n".join(f"- {refusal.when}" for refusal in refusals)
    is_page = operation.is_list and status == 400
    return {
        "description": f"{status_phrase}. The request is refused when:\n\n{reasons_text}",
        **_make_error_content(is_page=is_page),
        "x-rules": [_write_refusal(service, refusal, operation) for refusal in refusals],
    }


def _write_refusal(service: Service, refusal: Refusal, operation: Operation) -> Schema:
    """A refusal as data: when it happens, and the fields that it names in the service's names."""
    their_names = operation.request_names(service).their_names
    field_names = [their_names.get(field_name, field_name) for field_name in refusal.fields]
    if operation.is_list and "cursor" in field_names:
        field_names = [service.list(operation.resource).cursor_parameter]
    rule_object: Schema = {"when": refusal.when}
    if field_names:
        rule_object["fields"] = field_names
    read_status = None if isinstance(refusal.status, int) else refusal.status
    return {**rule_object, **make_origin_members(service, refusal.source, read_status)}


def _make_error_content(*, is_page: bool = False) -> Schema:
    """The content of an error response: an error body.

    For a page, the body can also be the error body of an invalid cursor.
    """
    schema = ref_to(ERROR_SCHEMA_NAME)
    if is_page:
        schema = {"anyOf": [ref_to(PAGINATION_ERROR), schema]}
    return {"content": {"application/json": {"schema": schema}}}


def rate_limit_response(service: Service) -> Schema:
    """The response of a rate limit."""
    rate_limit_settings = service.rate_limits
    header_object = {
        "description": f"When to send again: {str(rate_limit_settings.unit).replace('_', ' ')}.",
        "schema": {"type": "string"},
        **make_origin_members(service, "errors.server"),
    }
    return {
        "description": "Too many requests. It was not carried out: send it again later.",
        "headers": {rate_limit_settings.header: header_object},
        **_make_error_content(),
        **make_origin_members(service, "errors.server"),
    }
