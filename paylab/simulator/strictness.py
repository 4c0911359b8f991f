"""What a strict service refuses and this one ignores: unknown names and headers, null fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..errors.base import Problem
from ..errors.names import find_nearest_name
from ..spec import codes
from ..spec.field_names import account_detail_names
from ..spec.json_path import join_path
from ..spec.operations.field import DETAILS
from ..spec.operations.operation import Operation
from ..spec.operations.records import IDEMPOTENT_OPERATIONS, OPERATIONS
from ..spec.request_body import read_request
from ..spec.service.accounts import AccountDetails
from ..spec.service.service import Service
from .messages import KEY, RefusedError, Request

SOURCE = "request.unknown"
NULL_SOURCE = "field.optional"
_NO_LETTER = re.compile("[^a-z]")


def remarks(service: Service, operation: str, request: Request) -> list[Problem]:
    """What an operation of the service does not know in a request, with the near miss."""
    record = OPERATIONS.get(operation)
    if record is None:
        return []
    return [
        *_unknown_fields(service, record, request),
        *_unknown_parameters(service, record, request),
        *_odd_keys(service, record, request),
    ]


def _unknown_fields(service: Service, record: Operation, request: Request) -> Iterator[Problem]:
    if not (record.fields and request.body):
        return
    try:
        request_json = request.json()
    except RefusedError:
        return
    yield from _nulls(request_json)
    body = read_request(service, record.name, request_json)
    fields = body.fields
    if any(field.kind == DETAILS for field in record.fields):
        kinds = [fields.get("type")] if "type" in fields else codes.ACCOUNT_TYPES
        forms = [form for kind in kinds for form in service.accounts_of(kind)]
        details = fields.get("details")
        if forms and isinstance(details, dict):
            # The country is not in the body: the one with the most of these fields.
            form = min(forms, key=lambda account_form: len({*details} - _names(account_form)))
            body.read(
                details, (*form.fields, *form.required), account_detail_names(form), "details"
            )
    yield from body.unknown


def _names(form: AccountDetails) -> set[str]:
    """The fields of an account in the names of the service."""
    return {
        account_detail_names(form).their_names.get(name, name)
        for name in (*form.fields, *form.required)
    }


def _nulls(value: Any, at: str = "") -> Iterator[Problem]:
    """The fields that are null; usually that is the same as absent. Assumption `field.optional`."""
    inside = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else inside
    for name, item in items:
        if item is None:
            yield Problem(join_path(at, name), "is null: leave the field out", NULL_SOURCE)
        yield from _nulls(item, join_path(at, name))


def _unknown_parameters(service: Service, record: Operation, request: Request) -> Iterator[Problem]:
    parameters = {field.name for field in record.query}
    if record.is_list:
        page_parameters = service.list(record.resource).parameters
        parameters = parameters - {"limit", "cursor"} | {*page_parameters.values()}
    for name in request.query_items():
        if name not in parameters:
            similar = find_nearest_name(name, parameters)
            suggestion = f": is {similar} meant?" if similar else ""
            yield Problem(name, f"is no query parameter{suggestion}", SOURCE)


def _odd_keys(service: Service, record: Operation, request: Request) -> Iterator[Problem]:
    """An Idempotency-Key that the operation does not take, or under another name."""
    known = service.idempotency.header
    if KEY in request.headers and not record.takes_key(service):
        message = f"{record.name} takes none: only {' and '.join(sorted(IDEMPOTENT_OPERATIONS))} do"
        yield Problem(known, message, SOURCE)
    for name in request.headers:
        if name != KEY and _NO_LETTER.sub("", name).endswith("idempotencykey"):
            yield Problem(name, f"is not known: is {known} meant?", SOURCE)
