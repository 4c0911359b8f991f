"""The details of financial accounts: one named schema per account type and country."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..corridors import countries
from ..corridors.account_types import Account, DetailField
from ..corridors.corridor import NAMES
from ..spec import codes
from ..spec.service import AccountDetails, Service
from .schemas import Components, Schema, closed, origin, ref_to
from .values import formatted


class DetailSchemas:
    """The schemas of the details of every account type, in the names of one service."""

    def __init__(self, service: Service, components: Components) -> None:
        self._service, self._components = service, components
        self.by_type: dict[str, list[str]] = {kind: [] for kind in codes.ACCOUNT_TYPES}
        for country in codes.COUNTRIES:
            corridor = countries.of(service).get(country)
            for account in corridor.accounts if corridor else ():
                self._add(country, account)

    def _add(self, country: str, account: Account) -> None:
        form = self._service.account(country, account.type)
        name = detail_name(form) if form else ""
        if form and name not in self._components.schemas:
            self._components.add(name, _details(self._service, country, account, form))
            self.by_type[account.type].append(name)

    def of(self, kind: str) -> Schema:
        """The details of an account type in any country."""
        return {"anyOf": [ref_to(name) for name in self.by_type[kind]]}

    def any(self) -> Schema:
        """The details of any account type."""
        every = (name for names in self.by_type.values() for name in names)
        return {"anyOf": [ref_to(name) for name in every]}

    def change(self) -> Schema:
        """The details of an update: whole, or those that change."""
        if self._service.financial_accounts.update == "merge":
            return {"type": "object", "description": "The fields to change; others stay."}
        return self.any()

    def by_kind(self) -> Schema:
        """The type of an account decides about its details."""
        return {"anyOf": [_pair(kind, self.of(kind)) for kind in self.by_type]}

    def in_country(self, country: str) -> Schema:
        """The types of account in a country, each with its details."""
        corridor = countries.of(self._service).get(country)
        accounts: Iterable[Account] = corridor.accounts if corridor else ()
        forms = ((each.type, self._service.account(country, each.type)) for each in accounts)
        return {"anyOf": [_pair(kind, ref_to(detail_name(form))) for kind, form in forms if form]}


def detail_name(form: AccountDetails) -> str:
    """The name of a schema, such as MXBankAccountDetails."""
    place = form.key.removeprefix("financial_accounts.")
    parts = place.replace(".", "_").split("_")
    return "".join(part if part.isupper() else part.title() for part in parts) + "Details"


def _pair(kind: str, details: Mapping[str, object]) -> Schema:
    return {"properties": {"type": {"const": kind}, "details": details}, "required": ["type"]}


def _details(service: Service, country: str, account: Account, form: AccountDetails) -> Schema:
    """The fields of an account type."""
    names = form.names.theirs
    properties = {
        names.get(field.name, field.name): _field(service, field, form) for field in account.fields
    }
    asked = [names.get(field.name, field.name) for field in account.fields if field.required]
    place = f"in {NAMES[country]}" if account.type != codes.CRYPTO_WALLET else "anywhere"
    if country in codes.SEPA and account.type != codes.CRYPTO_WALLET:
        place = "in the SEPA countries"
    about = {"description": f"The details of a {account.type} {place}."}
    schema = {**about, **closed(properties, asked), **origin(service, account.source)}
    conditions = [_by_word(field, names) for field in account.fields if field.by and field.forms]
    return {**schema, "allOf": conditions} if conditions else schema


def _field(service: Service, field: DetailField, form: AccountDetails) -> Schema:
    schema = {**formatted(field.form), **_said(field)}
    return {**schema, **origin(service, field.source, f"{form.key}.fields.{field.name}")}


def _said(field: DetailField) -> Schema:
    """The format of a field in words."""
    form = field.form
    text = form.message if form.message else "must be a valid QR Ph text" if form.parser else ""
    said = [text, *([form.also.message] if form.also else []), form.note]
    found = "; ".join(each for each in said if each)
    return {"description": f"{found[0].upper()}{found[1:]}."} if found else {}


def _by_word(field: DetailField, names: Mapping[str, str]) -> Schema:
    """A field whose format another field selects."""
    name, by = names.get(field.name, field.name), names.get(field.by, field.by)
    known = [
        {"properties": {by: {"const": word}, name: formatted(form)}, "required": [by]}
        for word, form in field.forms.items()
    ]
    others = {"properties": {by: {"not": {"enum": list(field.forms)}}}}
    return {"anyOf": [*known, others]}
