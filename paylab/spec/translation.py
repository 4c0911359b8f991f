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
from .field_names import detail_names, instruction_names, with_instructions
from .json_path import dotted, last_name, step_into
from .operations.field import AMOUNT, CURRENCY
from .operations.records import ANSWERED_AMOUNTS, NAMED, OPERATIONS, answer_names
from .renames import SAME, Body, Convert, Names
from .service.accounts import AccountDetails
from .service.frozen import plain_value
from .service.on_ramp import INSTRUCTIONS
from .service.service import Service
from .text import CASES


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
        record = OPERATIONS[operation]
        request_body = self._with_details(body, partial(_sent, at="details"), are_theirs=False)
        names = OPERATIONS[operation].request_names(self.service)
        for field in record.references:
            reference = request_body.get(field.name)
            is_moved = record.id_place(field, self.service) != field.place
            if is_moved and isinstance(reference, Mapping) and "id" in reference:
                del request_body[field.name]
                request_body[field.by_id] = reference["id"]
        if record.is_sandbox and "{" in record.path(self.service):
            request_body.pop("conversion_account_id", None)  # the path names the account
        if record.names:
            request_body = _sent(names, self._valued(operation, request_body))
        return with_constants(request_body, self.service.extra.get(operation, {}))

    def renames(self, name: str) -> bool:
        """Whether a service has other names for fields that the rows of a list show."""
        if self.is_idle:
            return False
        kind = OPERATIONS[f"{name}.list"].answer
        instructions = (instruction_names(one, self.service) for one in INSTRUCTIONS)
        tables = (answer_names(kind, self.service), *instructions)
        return any(names.theirs for names in tables)

    def answer(self, kind: str, body: Body) -> Body:
        """An object of the service with our names; `kind` is the name of its model."""
        if self.is_idle:
            return body
        body = answer_names(kind, self.service).read(body)
        return self._with_details(body, Names.read, are_theirs=True)

    def send_answer(self, kind: str, body: Body, country: object = None) -> Body:
        """An object in our names with the service's; `country` is that of its accounts."""
        if self.is_idle:
            return body
        body = self._with_details(body, Names.send, country, are_theirs=False)
        return answer_names(kind, self.service).send(body)

    def field(self, operation: str, body: object, field: str) -> str:
        """Our dotted name of a field in the service's names."""
        if self.is_idle:
            return field
        names = OPERATIONS[operation].request_names(self.service)
        our_place = ""
        inside = body
        for part in names.our_place(field).split("."):
            our_name = names.ours.get(part, part)
            our_place = dotted(our_place, our_name)
            inside = step_into(inside, our_name)
            names = self._names_below(our_name, inside, body)
        return our_place

    def _names_below(self, name: str, inside: object, body: object) -> Names:
        """The names in the details of an account; `inside` are those that were sent."""
        if name != "details" or not isinstance(inside, Mapping):
            return SAME
        fields = body if isinstance(body, Mapping) else {}
        accounts = fields.get("financial_accounts")
        holders = [fields, *(accounts if isinstance(accounts, list) else [])]
        mappings = (candidate for candidate in holders if isinstance(candidate, Mapping))
        holder = next(
            (candidate for candidate in mappings if candidate.get("details") == inside), {}
        )
        kind = holder.get("type")
        country = fields.get("country")
        return self._detail_names(country, kind, inside, are_theirs=False)

    def _with_details(
        self, body: Body, convert: Convert, country: object = None, *, are_theirs: bool
    ) -> Body:
        """The body with the details of all accounts and of its instructions renamed.

        `are_theirs` is whether the given names are the service's.
        """
        country = body.get("country", country)
        converted = with_instructions(self.service, body, convert)

        def inside(part: Body) -> Body:
            return self._with_details(part, convert, country, are_theirs=are_theirs)

        if isinstance(details := body.get("details"), Mapping):
            kind = body.get("type")
            names = self._detail_names(country, kind, details, are_theirs=are_theirs)
            converted["details"] = convert(names, details)
        if isinstance(accounts := body.get("financial_accounts"), list):
            converted_accounts = [
                inside(part) if isinstance(part, dict) else part for part in accounts
            ]
            converted["financial_accounts"] = converted_accounts
        if isinstance(account := body.get("payout_account"), dict):
            converted["payout_account"] = inside(account)
        return converted

    def _detail_names(
        self, country: object, kind: object, details: Mapping[str, Any], *, are_theirs: bool
    ) -> Names:
        """The names in the details of an account; for an unknown country, the best match."""
        form = self.account(country, kind, details, are_theirs=are_theirs)
        return detail_names(form) if form else SAME

    def account(
        self, country: object, kind: object, details: Mapping[str, Any], *, are_theirs: bool = False
    ) -> AccountDetails | None:
        """The form of an account; for an unknown country, the best match."""
        place = country or details.get("bank_account_country")
        if place is not None:
            return self.service.account(place, kind)
        forms = self.service.accounts_of(kind)
        fits = sorted(
            (_misfit(form, details, are_theirs=are_theirs), n) for n, form in enumerate(forms)
        )
        if fits and (len(fits) == 1 or fits[0][0] < fits[1][0]):
            return forms[fits[0][1]]
        return None

    def _valued(self, operation: str, body: Body) -> Body:
        """The body with currencies and amounts in the service's format."""
        case = CASES[self.service.currencies.case]
        field_by_name = OPERATIONS[operation].by_name

        def value(name: str, value_given: Any) -> Any:
            field = field_by_name.get(name)
            # Fields of `extra` are told by their names.
            kind = field.kind if field else name.rpartition("_")[2]
            if kind == CURRENCY and isinstance(value_given, str):
                return case(value_given)
            return _number(value_given) if kind == AMOUNT and self.numbers else value_given

        return {name: value(name, value_given) for name, value_given in body.items()}


def with_constants(body: Body, constants: Mapping[str, Any]) -> Body:
    """The body with constant fields that it does not have; objects are joined."""
    completed = dict(body)
    for name, constant in constants.items():
        own_value = completed.get(name)
        if own_value is None:
            completed[name] = plain_value(constant)
        elif isinstance(constant, Mapping) and isinstance(own_value, Mapping):
            completed[name] = with_constants(dict(own_value), constant)
    return completed


def _sent(names: Names, body: Mapping[str, Any], at: str = "") -> Body:
    """A body in the service's names; RuleError for two values of one field, one by each name."""
    for our, their in names.theirs.items():
        is_field = their in body and their not in names.theirs
        if is_field and our in body and body[our] != body[their]:
            message = f"is the service's name of {our}, which has another value: give one of them"
            raise RuleError([Problem(dotted(at, their), message)])
    return names.send(body)


def _misfit(
    form: AccountDetails, details: Mapping[str, Any], *, are_theirs: bool
) -> tuple[int, int]:
    """The number of names that the form does not have, and of missing ones."""
    their_names = detail_names(form).theirs
    names = {their_names.get(name, name) if are_theirs else name for name in form.fields}
    return len({*details} - names), len(names - {*details})


def _number(value: object) -> object:
    """An amount as a number with the digits of its text."""
    try:
        number = Decimal(value) if isinstance(value, str) else value
    except InvalidOperation:
        return value
    if not isinstance(number, Decimal) or not number.is_finite():
        return value
    return int(number) if number == number.to_integral_value() and "." not in str(value) else number


def with_numbers(service: Service, body: bytes) -> bytes:
    """JSON with amounts as numbers, if the service does that. Assumption `amount.form`."""
    if service.amounts.answers != "number":
        return body
    return _amounts(service).sub(rb'"\1":\2', body)


@lru_cache
def _amounts(service: Service) -> re.Pattern[bytes]:
    """Amounts as numbers, under any name of the service."""
    their_amounts = {
        last_name(their)
        for model in NAMED
        for our, their in answer_names(model, service).theirs.items()
        if our in ANSWERED_AMOUNTS
    }
    words = "|".join(map(re.escape, sorted({*ANSWERED_AMOUNTS, *their_amounts})))
    return re.compile(rf'"({words})":"(-?[0-9]+(?:\.[0-9]+)?)"'.encode())
