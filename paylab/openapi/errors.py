"""The refusals of an operation as responses, in the error body of a service."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

from ..spec.operations.field import TIME
from ..spec.operations.operation import Operation
from ..spec.operations.refusals import Refusal, invalid_body, number_of
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.service.value_types import NONE
from .schemas import Components, Schema, closed, nested, opened, origin, ref_to

ERROR = "Error"
PAGINATION_ERROR = "PaginationError"
_FORM = "a field has the wrong form, is required or is not known"


def add_schemas(service: Service, components: Components) -> None:
    """The error body of the service, and that of a bad cursor, which the spec shows."""
    settings = service.errors
    body = origin(service, "errors.body")
    properties: dict[str, Schema] = {}
    if settings.problems != NONE:
        problem_schema = {"description": "What is wrong with each field.", **body}
        properties[settings.problems] = {**_problems(service, components), **problem_schema}
    if settings.words != NONE:
        inside = settings.list_form == "by_field" and settings.words == settings.problems
        words = f"{settings.words}.message" if inside else settings.words
        properties[words] = {"type": "string", "description": "What is wrong, for people.", **body}
    required_names = [settings.words] if settings.words in properties else []
    facts = {"description": "Why a request was refused.", **body}
    components.add(ERROR, {**facts, **nested(properties, required_names)})
    text = {"type": "string", "const": "Invalid pagination token", "x-origin": SPEC}
    about = {"description": "The answer to an invalid cursor.", "x-origin": SPEC}
    components.add(PAGINATION_ERROR, {**about, **closed({"error": text}, ["error"])})


def _problems(service: Service, components: Components) -> Schema:
    settings = service.errors
    if settings.list_form == "by_field":
        return {"type": "object", "additionalProperties": {"type": "string"}}
    if settings.list_form == "sentences":
        return {"type": "array", "items": {"type": "string"}}
    place: Schema = {"type": "string"}
    if settings.field_form == "list":
        place = {"type": "array", "items": {"type": ["string", "integer"]}}
    body = origin(service, "errors.body")
    names = {settings.field: {**place, **body}, settings.message: {"type": "string", **body}}
    about = {"description": "What is wrong with one field."}
    problem = components.add("FieldProblem", {**about, **opened(names, names)})
    return {"type": "array", "items": problem}


def responses(service: Service, operation: Operation) -> Schema:
    """The responses of the refusals by status, each with its conditions."""
    refusals_by_status: dict[int, list[Refusal]] = {}
    for refusal in (*operation.refusals, *_usual(service, operation)):
        number = number_of(refusal.status, service)
        refusals = refusals_by_status.setdefault(number, [])
        if all(status.when != refusal.when for status in refusals):
            refusals.append(refusal)
    answers = {
        str(status): _response(service, status, refusals_by_status[status], operation)
        for status in refusals_by_status
    }
    answers["429"] = {"$ref": "#/components/responses/TooManyRequests"}
    return dict(sorted(answers.items()))


def _usual(service: Service, operation: Operation) -> Iterator[Refusal]:
    """The refusals that follow from what an operation takes."""
    yield Refusal(
        lambda service: service.error_codes.signature,
        "the signature is missing, wrong or stale, or its nonce was used before",
        "signing.errors",
    )
    if operation.fields:
        yield Refusal(400, "the body is not a JSON object, or nests too deeply", "request.size")
        yield Refusal(400, _FORM, "request.unknown")
        if any(other_refusal.status is invalid_body for other_refusal in operation.refusals):
            yield Refusal(invalid_body, _FORM, "transfer.create")
        if any(field.name == "details" for field in operation.fields):
            yield Refusal(invalid_body, "the details have the wrong form", "account.errors")
        times = tuple(field.name for field in operation.fields if field.kind == TIME)
        if times:
            yield Refusal(invalid_body, "a time is before year 1 in UTC", "timestamp.form", times)
        yield Refusal(413, "the body is larger than 256 MiB", "request.size")
        yield Refusal(
            415,
            "a body does not have the Content-Type application/json",
            "request.content-type",
        )
    if operation.is_list and not service.list(operation.resource).is_array:
        yield Refusal(400, "a query parameter is invalid or not known", "page.limit")
        yield Refusal(400, "the cursor is not from an earlier answer", fields=("cursor",))
    elif not operation.fields:
        yield Refusal(400, "a query parameter or a header is not known", "request.unknown")
    if operation.takes_key(service):
        yield Refusal(400, "the Idempotency-Key is not a UUID of 36 characters")
        yield Refusal(409, "the Idempotency-Key was used with another body")


def _response(
    service: Service, status: int, refusals: list[Refusal], operation: Operation
) -> Schema:
    rules = [_rule(service, refusal, operation) for refusal in refusals]
    reasons = "\n".join(f"- {rule['when']}" for rule in rules)
    phrase = HTTPStatus(status).phrase
    response: Schema = {"description": f"{phrase}. The request is refused when:\n\n{reasons}"}
    content = _content(is_page=operation.is_list and status == 400)
    return {**response, **content, "x-rules": rules}


def _rule(service: Service, refusal: Refusal, operation: Operation) -> Schema:
    names = operation.request_names(service).theirs
    fields = [names.get(name, name) for name in refusal.fields]
    if operation.is_list and "cursor" in fields:
        fields = [service.list(operation.resource).cursor_parameter]
    rule: Schema = {"when": refusal.when, **({"fields": fields} if fields else {})}
    read = None if isinstance(refusal.status, int) else refusal.status
    return {**rule, **origin(service, refusal.source, read)}


def _content(*, is_page: bool = False) -> Schema:
    """The content of an error response; of a page also the body of an invalid cursor."""
    schema = ref_to(ERROR)
    if is_page:
        schema = {"anyOf": [ref_to(PAGINATION_ERROR), schema]}
    return {"content": {"application/json": {"schema": schema}}}


def too_many(service: Service) -> Schema:
    """The response of a rate limit."""
    limits = service.rate_limits
    header = {
        "description": f"When to send again: {str(limits.unit).replace('_', ' ')}.",
        "schema": {"type": "string"},
        **origin(service, "errors.server"),
    }
    return {
        "description": "Too many requests. It was not carried out: send it again later.",
        "headers": {limits.header: header},
        **_content(),
        **origin(service, "errors.server"),
    }
