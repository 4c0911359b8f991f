"""Finds what a strict service refuses and this one ignores: unknown names, nulls, odd values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from ..errors.base import Problem
from ..spec import codes
from ..spec.field_names import make_account_names
from ..spec.json_path import join_path
from ..spec.operations.field import DETAILS
from ..spec.operations.operation import Operation
from ..spec.operations.records import IDEMPOTENT_OPERATIONS, OPERATIONS
from ..spec.query_parameters import UNKNOWN_FIELD_SOURCE, find_unknown_parameters
from ..spec.request_body import RequestBody, read_request
from ..spec.service.accounts import AccountDetails
from ..spec.service.service import Service
from ..spec.text import JsonValue
from .messages import KEY_HEADER, RefusedError, Request

CHECKED_OPERATIONS = ("individuals.create", "financial_accounts.create")
"""The operations whose values may be implausible."""

NULL_SOURCE = "field.optional"
NOT_A_LETTER = re.compile("[^a-z]")


def find_remarks(
    service: Service, operation_name: str, request: Request, now: datetime
) -> list[Problem]:
    """Remarks on a request: unknown names and implausible values that a real service might refuse.

    `now` is the time of the world; for a client outside, it is the machine's time.
    """
    operation = OPERATIONS.get(operation_name)
    if operation is None:
        return []
    return [
        *find_unknown_fields(service, operation, request),
        *_find_implausible_values(service, operation, request, now),
        *find_unknown_parameters(service, operation, request.query_items()),
        *_find_key_problems(service, operation, request),
    ]


def find_unknown_fields(
    service: Service, operation: Operation, request: Request
) -> Iterator[Problem]:
    """The fields of a body that are null, or that the operation does not know."""
    if not (operation.fields and request.body):
        return
    try:
        request_json = request.json()
    except RefusedError:
        return
    yield from _find_nulls(request_json)
    body = read_request(service, operation.name, request_json)
    if any(field.kind == DETAILS for field in operation.fields):
        _note_unknown_details(service, body)
    yield from body.unknown_fields


def _find_implausible_values(
    service: Service, operation: Operation, request: Request, now: datetime
) -> list[Problem]:
    """The values that cannot be right, such as a consent in the future."""
    if operation.name not in CHECKED_OPERATIONS or not request.body:
        return []
    from .plausibility import find_implausible_values  # only new people and accounts need it

    try:
        request_json = request.json()
    except RefusedError:
        return []
    # The machine's clock may be ahead of the world's: consent that it dates is not in the future.
    latest_time = max(now, request.at or now)
    return find_implausible_values(service, operation, request_json, now=latest_time)


def _note_unknown_details(service: Service, body: RequestBody) -> None:
    """Note the details that an account does not have in `body.unknown_fields`."""
    fields = body.fields
    account_types = [fields["type"]] if "type" in fields else codes.ACCOUNT_TYPES
    possible_accounts = [
        account for account_type in account_types for account in service.accounts_of(account_type)
    ]
    details = fields.get("details")
    if not possible_accounts or not isinstance(details, dict):
        return
    detail_keys = set(details)

    def count_unknown(account: AccountDetails) -> int:
        """How many of the sent details an account does not have."""
        return len(detail_keys - _list_account_fields(account))

    # The body does not name the country: take the country that knows the most of these details.
    nearest_account = min(possible_accounts, key=count_unknown)
    field_names = (*nearest_account.fields, *nearest_account.required)
    # `rename` notes the fields that are not among these names; the renamed details are not used.
    body.rename(details, field_names, make_account_names(nearest_account), "details")


def _list_account_fields(account: AccountDetails) -> set[str]:
    """The fields of an account in the names of the service."""
    their_name_by_ours = make_account_names(account).their_names
    return {
        their_name_by_ours.get(field_name, field_name)
        for field_name in (*account.fields, *account.required)
    }


def _find_nulls(json_value: JsonValue, object_path: str = "") -> Iterator[Problem]:
    """The fields that are null, usually the same as absent. Assumption `field.optional`."""
    named_members: Iterable[tuple[str | int, JsonValue]] = ()
    if isinstance(json_value, dict):
        named_members = json_value.items()
    elif isinstance(json_value, list):
        named_members = enumerate(json_value)
    for member_name, member in named_members:
        member_path = join_path(object_path, member_name)
        if member is None:
            yield Problem(member_path, "is null: leave the field out", NULL_SOURCE)
        yield from _find_nulls(member, member_path)


def _find_key_problems(
    service: Service, operation: Operation, request: Request
) -> Iterator[Problem]:
    """An Idempotency-Key that the operation does not take, and one in a header of another name."""
    key_header = service.idempotency.header
    if KEY_HEADER in request.headers and not operation.takes_key(service):
        operations_text = " and ".join(sorted(IDEMPOTENT_OPERATIONS))
        message = f"{operation.name} takes none: only {operations_text} do"
        yield Problem(key_header, message, UNKNOWN_FIELD_SOURCE)
    for header_name in request.headers:
        header_letters = NOT_A_LETTER.sub("", header_name)
        if header_name != KEY_HEADER and header_letters.endswith("idempotencykey"):
            yield Problem(
                header_name, f"is not known: is {key_header} meant?", UNKNOWN_FIELD_SOURCE
            )
