"""What a strict service refuses and this one ignores: unknown names, null fields, odd values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from ..errors.base import Problem
from ..errors.names import find_nearest_name
from ..spec import codes
from ..spec.field_names import account_detail_names
from ..spec.json_path import join_path
from ..spec.operations.field import DETAILS
from ..spec.operations.operation import Operation
from ..spec.operations.records import IDEMPOTENT_OPERATIONS, OPERATIONS
from ..spec.request_body import RequestBody, read_request
from ..spec.service.accounts import AccountDetails
from ..spec.service.service import Service
from ..spec.text import JsonValue
from .messages import KEY_HEADER, RefusedError, Request

CHECKED_OPERATIONS = ("individuals.create", "financial_accounts.create")
"""The operations whose values may be implausible."""

SOURCE = "request.unknown"
NULL_SOURCE = "field.optional"
NOT_A_LETTER = re.compile("[^a-z]")


def find_remarks(
    service: Service, operation: str, request: Request, now: datetime
) -> list[Problem]:
    """What a real service might refuse in a request: unknown names, and implausible values.

    `now` is the time of the world. An outside client has that of the machine.
    """
    record = OPERATIONS.get(operation)
    if record is None:
        return []
    return [
        *find_unknown_fields(service, record, request),
        *_find_implausible_values(service, record, request, now),
        *_find_unknown_parameters(service, record, request),
        *_find_key_problems(service, record, request),
    ]


def find_unknown_fields(service: Service, record: Operation, request: Request) -> Iterator[Problem]:
    """The fields of a body that are null, or that the operation does not know."""
    if not (record.fields and request.body):
        return
    try:
        request_json = request.json()
    except RefusedError:
        return
    yield from _find_nulls(request_json)
    body = read_request(service, record.name, request_json)
    if any(field.kind == DETAILS for field in record.fields):
        _read_account_details(service, body)
    yield from body.unknown


def _find_implausible_values(
    service: Service, record: Operation, request: Request, now: datetime
) -> list[Problem]:
    """The values that cannot be right, such as a consent in the future."""
    if record.name not in CHECKED_OPERATIONS or not request.body:
        return []
    from .plausibility import find_implausible_values  # only new people and accounts need it

    try:
        request_json = request.json()
    except RefusedError:
        return []
    return find_implausible_values(service, record, request_json, max(now, request.at or now))


def _read_account_details(service: Service, body: RequestBody) -> None:
    """Read the details of an account, so that `body.unknown` has their unknown fields."""
    fields = body.fields
    account_types = [fields["type"]] if "type" in fields else codes.ACCOUNT_TYPES
    accounts = [
        account for account_type in account_types for account in service.accounts_of(account_type)
    ]
    details = fields.get("details")
    if not accounts or not isinstance(details, dict):
        return
    detail_keys = set(details)

    def count_unknown(account: AccountDetails) -> int:
        return len(detail_keys - _account_field_names(account))

    # The country is not in the body: take the one with the most of these fields.
    nearest_account = min(accounts, key=count_unknown)
    field_names = (*nearest_account.fields, *nearest_account.required)
    body.read(details, field_names, account_detail_names(nearest_account), "details")


def _account_field_names(account: AccountDetails) -> set[str]:
    """The fields of an account in the names of the service."""
    service_names = account_detail_names(account).their_names
    return {service_names.get(name, name) for name in (*account.fields, *account.required)}


def _find_nulls(value: JsonValue, path: str = "") -> Iterator[Problem]:
    """The fields that are null, usually the same as absent. Assumption `field.optional`."""
    items: Iterable[tuple[str | int, JsonValue]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for name, item in items:
        field = join_path(path, name)
        if item is None:
            yield Problem(field, "is null: leave the field out", NULL_SOURCE)
        yield from _find_nulls(item, field)


def _find_unknown_parameters(
    service: Service, record: Operation, request: Request
) -> Iterator[Problem]:
    """The query parameters that the operation does not know."""
    parameters = {field.name for field in record.query}
    if record.is_list:
        page_parameters = service.list(record.resource).parameters
        parameters = parameters - {"limit", "cursor"} | {*page_parameters.values()}
    for name in request.query_items():
        if name not in parameters:
            similar = find_nearest_name(name, parameters)
            suggestion = f": is {similar} meant?" if similar else ""
            yield Problem(name, f"is no query parameter{suggestion}", SOURCE)


def _find_key_problems(service: Service, record: Operation, request: Request) -> Iterator[Problem]:
    """An Idempotency-Key that the operation does not take, or under another name."""
    known = service.idempotency.header
    if KEY_HEADER in request.headers and not record.takes_key(service):
        message = f"{record.name} takes none: only {' and '.join(sorted(IDEMPOTENT_OPERATIONS))} do"
        yield Problem(known, message, SOURCE)
    for name in request.headers:
        if name != KEY_HEADER and NOT_A_LETTER.sub("", name).endswith("idempotencykey"):
            yield Problem(name, f"is not known: is {known} meant?", SOURCE)
