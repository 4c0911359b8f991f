"""Translate bodies of requests and responses between our names and a service's names.

The rest of the package uses only our names, and amounts as text. The client sends bodies and
reads answers, the simulator sends answers; `request_body` reads the bodies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from typing import Any

from ..errors.base import Problem, RuleError
from .field_meanings import ANSWER_AMOUNTS
from .field_names import account_detail_names, instruction_detail_names, rename_instruction_details
from .json_path import join_path, last_name, step_into
from .operations.field import AMOUNT, CURRENCY
from .operations.operation import Operation
from .operations.records import NAMED, OPERATIONS, answer_names
from .renames import SAME_NAMES, Body, Convert, Names
from .service.accounts import AccountDetails
from .service.frozen import to_json_value
from .service.on_ramp import INSTRUCTIONS
from .service.service import Service
from .text import CASE_CHANGES, JsonValue


class Translation:
    """The names of a service's fields in requests and responses, and the format of values."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.is_idle = service.is_default
        self.numbers = service.amounts.requests == "number"
        """Whether amounts of requests are JSON numbers."""

    def request(self, operation: str, body: Body) -> Body:
        """The body of an operation in the service's names."""
        if self.is_idle:
            return body
        operation_record = OPERATIONS[operation]
        rename_details = partial(_to_service_names, prefix="details")
        request_body = self._with_details(body, rename_details, are_theirs=False)
        self._move_ids(operation_record, request_body)
        if operation_record.is_sandbox and "{" in operation_record.path(self.service):
            request_body.pop("conversion_account_id", None)  # the path names the account
        if operation_record.names:
            formatted_body = self._format_values(operation, request_body)
            request_body = _to_service_names(
                operation_record.request_names(self.service), formatted_body
            )
        return add_constants(request_body, self.service.extra.get(operation, {}))

    def renames(self, name: str) -> bool:
        """Whether a service has other names for fields that the rows of a list show."""
        if self.is_idle:
            return False
        model_name = OPERATIONS[f"{name}.list"].answer
        instructions = (instruction_detail_names(one, self.service) for one in INSTRUCTIONS)
        tables = (answer_names(model_name, self.service), *instructions)
        return any(names.their_names for names in tables)

    def _move_ids(self, operation_record: Operation, body: Body) -> None:
        """Put an id in place of its object, if the service has it elsewhere."""
        for field in operation_record.references:
            reference = body.get(field.name)
            is_moved = operation_record.id_path(field, self.service) != field.default_id_path
            if is_moved and isinstance(reference, Mapping) and "id" in reference:
                del body[field.name]
                body[field.id_name] = reference["id"]

    def answer(self, model: str, body: Body) -> Body:
        """An object of the service with our names; `model` is the name of its model."""
        if self.is_idle:
            return body
        body = answer_names(model, self.service).read(body)
        return self._with_details(body, Names.read, are_theirs=True)

    def send_answer(self, model: str, body: Body, country: object = None) -> Body:
        """An object in our names with the service's; `country` is that of its accounts."""
        if self.is_idle:
            return body
        body = self._with_details(body, Names.send, country, are_theirs=False)
        return answer_names(model, self.service).send(body)

    def field(self, operation: str, body: object, field: str) -> str:
        """Our dotted name of a field in the service's names."""
        if self.is_idle:
            return field
        request_names = OPERATIONS[operation].request_names(self.service)
        our_path = ""
        nested_value = body
        for path_segment in request_names.our_place(field).split("."):
            our_name = request_names.our_names.get(path_segment, path_segment)
            our_path = join_path(our_path, our_name)
            nested_value = step_into(nested_value, our_name)
            request_names = SAME_NAMES
            if our_name == "details" and isinstance(nested_value, Mapping):
                request_names = self._sent_detail_names(nested_value, body)
        return our_path

    def _sent_detail_names(self, details: Mapping[str, object], body: object) -> Names:
        """The names in the details of the account that a body sends."""
        fields = body if isinstance(body, Mapping) else {}
        accounts = fields.get("financial_accounts")
        candidates = [fields, *(accounts if isinstance(accounts, list) else [])]
        account_type = None
        for candidate in candidates:
            if isinstance(candidate, Mapping) and candidate.get("details") == details:
                account_type = candidate.get("type")
                break
        return self._detail_names(fields.get("country"), account_type, details, are_theirs=False)

    def _with_details(
        self, body: Body, convert: Convert, country: object = None, *, are_theirs: bool
    ) -> Body:
        """The body with the details of all accounts and of its instructions renamed.

        `are_theirs` is whether the given names are the service's.
        """
        country = body.get("country", country)
        converted = rename_instruction_details(self.service, body, convert)

        def convert_account(account: object) -> Any:
            if not isinstance(account, dict):
                return account
            return self._with_details(account, convert, country, are_theirs=are_theirs)

        details = body.get("details")
        if isinstance(details, Mapping):
            detail_names = self._detail_names(
                country, body.get("type"), details, are_theirs=are_theirs
            )
            converted["details"] = convert(detail_names, details)
        accounts = body.get("financial_accounts")
        if isinstance(accounts, list):
            converted["financial_accounts"] = [convert_account(account) for account in accounts]
        if isinstance(body.get("payout_account"), dict):
            converted["payout_account"] = convert_account(body["payout_account"])
        return converted

    def _detail_names(
        self,
        country: object,
        account_type: object,
        details: Mapping[str, object],
        *,
        are_theirs: bool,
    ) -> Names:
        """The names in the details of an account; for an unknown country, the best match."""
        settings = self.account(country, account_type, details, are_theirs=are_theirs)
        return account_detail_names(settings) if settings else SAME_NAMES

    def account(
        self,
        country: object,
        account_type: object,
        details: Mapping[str, object],
        *,
        are_theirs: bool = False,
    ) -> AccountDetails | None:
        """The settings of an account; for an unknown country, the best match.

        None if several countries match as well.
        """
        country = country or details.get("bank_account_country")
        if country is not None:
            return self.service.account(country, account_type)
        candidates = self.service.accounts_of(account_type)
        ranked = sorted(
            (_count_differences(settings, details, are_theirs=are_theirs), number)
            for number, settings in enumerate(candidates)
        )
        if not ranked:
            return None
        is_tie = len(ranked) > 1 and ranked[0][0] == ranked[1][0]
        return None if is_tie else candidates[ranked[0][1]]

    def _format_values(self, operation: str, body: Body) -> Body:
        """The body with currencies and amounts in the service's format."""
        fields = OPERATIONS[operation].by_name
        formatted = {}
        for field_name, field_value in body.items():
            # Fields of `extra` are told by their names.
            field_kind = (
                fields[field_name].kind if field_name in fields else field_name.rpartition("_")[2]
            )
            formatted[field_name] = self._format_value(field_kind, field_value)
        return formatted

    def _format_value(self, field_kind: str, field_value: JsonValue) -> JsonValue:
        if field_kind == CURRENCY and isinstance(field_value, str):
            return CASE_CHANGES[self.service.currencies.case](field_value)
        if field_kind == AMOUNT and self.numbers:
            return _read_number(field_value)
        return field_value


def add_constants(body: Body, constants: Mapping[str, object]) -> Body:
    """The body with constant fields that it does not have; objects are joined."""
    completed = dict(body)
    for constant_name, constant in constants.items():
        present_value = completed.get(constant_name)
        if present_value is None:
            completed[constant_name] = to_json_value(constant)
        elif isinstance(constant, Mapping) and isinstance(present_value, Mapping):
            completed[constant_name] = add_constants(dict(present_value), constant)
    return completed


def _to_service_names(level_names: Names, body: Mapping[str, object], prefix: str = "") -> Body:
    """A body in the service's names; RuleError for two values of one field, one by each name."""
    for our_name, their_name in level_names.their_names.items():
        has_their_name = their_name in body and their_name not in level_names.their_names
        if has_their_name and our_name in body and body[our_name] != body[their_name]:
            message = (
                f"is the service's name of {our_name}, which has another value: give one of them"
            )
            raise RuleError([Problem(join_path(prefix, their_name), message)])
    return level_names.send(body)


def _count_differences(
    settings: AccountDetails, details: Mapping[str, object], *, are_theirs: bool
) -> tuple[int, int]:
    """How many details the settings do not have, and how many of the settings' are absent.

    The details have the service's names if they `are_theirs`, else ours.
    """
    their_names = account_detail_names(settings).their_names
    setting_names = set(settings.fields)
    if are_theirs:
        setting_names = {their_names.get(name, name) for name in setting_names}
    unknown_names = {*details} - setting_names
    absent_names = setting_names - {*details}
    return len(unknown_names), len(absent_names)


def _read_number(field_value: object) -> object:
    """An amount as a number with the digits of its text; any other value is unchanged."""
    number = field_value
    if isinstance(field_value, str):
        try:
            number = Decimal(field_value)
        except InvalidOperation:
            return field_value
    if not isinstance(number, Decimal) or not number.is_finite():
        return field_value
    is_whole = number == number.to_integral_value() and "." not in str(field_value)
    return int(number) if is_whole else number


def write_amounts_as_numbers(service: Service, body: bytes) -> bytes:
    """JSON with amounts as numbers, if the service does that. Assumption `amount.form`."""
    if service.amounts.answers != "number":
        return body
    return _amount_pattern(service).sub(rb'"\1":\2', body)


@lru_cache
def _amount_pattern(service: Service) -> re.Pattern[bytes]:
    """Amounts as numbers, under any name of the service."""
    their_amounts = {
        last_name(their)
        for model in NAMED
        for our, their in answer_names(model, service).their_names.items()
        if our in ANSWER_AMOUNTS
    }
    names_pattern = "|".join(map(re.escape, sorted({*ANSWER_AMOUNTS, *their_amounts})))
    return re.compile(rf'"({names_pattern})":"(-?[0-9]+(?:\.[0-9]+)?)"'.encode())
