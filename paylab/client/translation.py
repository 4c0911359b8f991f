"""Translate bodies of requests and responses between our names and a service's names.

The rest of the package uses only our names, and amounts as text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ..errors import Problem, RuleError
from ..spec.names import Names
from ..spec.service import AccountDetails, Service

Body = dict[str, Any]

REFERENCES = {
    "quotes.create": ("quotes", "financial_account"),
    "transfers.create": ("quotes", "financial_account"),
    "conversion_accounts.create": ("conversion_accounts", "payout_account"),
}
"""Operations whose body refers to an account: the group of its `account_form`, and the field."""

NAMED = {
    "quotes.create": "quotes",
    "transfers.create": "transfers",
    "conversion_accounts.create": "conversion_accounts",
    "sandbox.deposit": "sandbox_deposits",
}
"""Operations whose body has its own names, by their table in the settings."""

ANSWERS = {
    "Quote": "quotes",
    "ConversionAccount": "conversion_accounts",
    "Deposit": "sandbox_deposits",
}
"""Kinds of responses that have their own names."""

CASES: dict[str, Callable[[str], str]] = {"any": str, "upper": str.upper, "lower": str.lower}
GROUPS = (
    *("financial_accounts", "deposit_instructions", "quotes", "transfers"),
    *("conversion_accounts", "sandbox_deposits", "currencies", "amounts", "paths"),
)
"""The groups of settings that change a body."""


class Translation:
    """The names of a service's fields in requests and responses, and the format of values."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.is_idle = not any(key.partition(".")[0] in GROUPS for key in service.diff())
        self.numbers = service.amounts.requests == "number"
        """Whether amounts of requests are JSON numbers."""

    def request(self, operation: str, body: Body) -> Body:
        """The body of an operation in the service's names."""
        if self.is_idle:
            return body
        new = self._with_details(body, reading=False)
        if operation in REFERENCES:
            new = self._referring(operation, new)
        if operation == "sandbox.deposit" and "{" in self.service.paths.sandbox_deposits:
            new.pop("conversion_account_id", None)  # the path names the account
        if operation in NAMED:
            new = self._valued(new)
            new = _sent(self.service.names(NAMED[operation]), new)
        return new

    def answer(self, kind: str, body: Body) -> Body:
        """An object of the service with our names; `kind` is the name of its model."""
        if self.is_idle:
            return body
        if kind in ANSWERS:
            body = self.service.names(ANSWERS[kind]).read(body)
        return self._with_details(body, reading=True)

    def field(self, operation: str, body: object, field: str) -> str:
        """Our dotted name of a field in the service's names."""
        if self.is_idle:
            return field
        table = NAMED.get(operation)
        names = self.service.names(table) if table else Names({})
        ours, inside = list[str](), body
        for part in field.split("."):
            own = names.ours.get(part, part)
            ours.append(own)
            inside = _inside(inside, own)
            names = self._names_below(own, inside, body)
        return ".".join(ours)

    def _names_below(self, name: str, inside: object, body: object) -> Names:
        """The names in the details of an account; `inside` are those that were sent."""
        if name != "details" or not isinstance(inside, Mapping):
            return Names({})
        whole = body if isinstance(body, Mapping) else {}
        holders = [whole, *_accounts_in(whole)]
        holder = next((one for one in holders if one.get("details") == inside), {})
        return self._detail_names(whole.get("country"), holder.get("type"), inside, reading=False)

    def _with_details(self, body: Body, country: object = None, *, reading: bool) -> Body:
        """The body with the details of all accounts renamed."""
        country = body.get("country", country)
        new: Body = dict(body)
        if isinstance(details := body.get("details"), Mapping):
            kind = body.get("type")
            names = self._detail_names(country, kind, details, reading=reading)
            new["details"] = names.read(details) if reading else _sent(names, details, "details.")
        if isinstance(accounts := body.get("financial_accounts"), list):
            new["financial_accounts"] = [
                self._with_details(one, country, reading=reading) if isinstance(one, dict) else one
                for one in accounts
            ]
        if isinstance(account := body.get("payout_account"), dict):
            new["payout_account"] = self._with_details(account, country, reading=reading)
        if isinstance(given := body.get("deposit_instructions"), dict):
            new["deposit_instructions"] = self.service.instructions(given)
        return new

    def _detail_names(
        self, country: object, kind: object, details: Mapping[str, Any], *, reading: bool
    ) -> Names:
        """The names in the details of an account; for an unknown country, the best match."""
        form = self.account(country, kind, details, reading=reading)
        return form.names if form else self.service.detail_names(country, kind)

    def account(
        self, country: object, kind: object, details: Mapping[str, Any], *, reading: bool = False
    ) -> AccountDetails | None:
        """The form of an account; for an unknown country, the best match."""
        place = country or details.get("bank_account_country")
        if place is not None:
            return self.service.account(place, kind)
        forms = self.service.accounts_of(kind)
        fits = sorted((_misfit(form, details, reading=reading), n) for n, form in enumerate(forms))
        if fits and (len(fits) == 1 or fits[0][0] < fits[1][0]):
            return forms[fits[0][1]]
        return None

    def _referring(self, operation: str, body: Body) -> Body:
        """The body with its account in the service's form: an object with an id, or the id."""
        group, field = REFERENCES[operation]
        account = body.get(field)
        form = getattr(self.service, group).account_form
        if form == "object" or not isinstance(account, Mapping) or "id" not in account:
            return body
        by_id = {f"{field}_id": account["id"]}
        return {name: value for name, value in body.items() if name != field} | by_id

    def _valued(self, body: Body) -> Body:
        """The body with currencies and amounts in the service's format."""
        case = CASES[self.service.currencies.case]
        return {
            name: case(value)
            if name.endswith("currency") and isinstance(value, str)
            else _number(value)
            if self.numbers and name.endswith("amount")
            else value
            for name, value in body.items()
        }


def _sent(names: Names, body: Mapping[str, Any], at: str = "") -> Body:
    """A body in the service's names; RuleError for two values of one field, one by each name."""
    for our, their in names.theirs.items():
        is_field = their in body and their not in names.theirs
        if is_field and our in body and body[our] != body[their]:
            message = f"is the service's name of {our}, which has another value: give one of them"
            raise RuleError([Problem(f"{at}{their}", message)])
    return names.send(body)


def _inside(body: object, part: str) -> object:
    if isinstance(body, Mapping):
        return body.get(part)
    if isinstance(body, list) and part.isdecimal() and int(part) < len(body):
        return body[int(part)]
    return None


def _accounts_in(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    accounts = body.get("financial_accounts")
    for one in accounts if isinstance(accounts, list) else []:
        if isinstance(one, Mapping):
            yield one


def _misfit(form: AccountDetails, details: Mapping[str, Any], *, reading: bool) -> tuple[int, int]:
    """The number of names that the form does not have, and of missing ones."""
    theirs = form.names.theirs
    names = {theirs.get(name, name) if reading else name for name in form.fields}
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
