"""The details of financial accounts: one named schema per account type and country."""

from __future__ import annotations

from collections.abc import Mapping

from ..corridors import countries
from ..corridors.account_types import Account, DetailField, Format
from ..corridors.corridor import NAMES, Corridor
from ..spec import codes
from ..spec.field_names import detail_names
from ..spec.service.accounts import ACCOUNTS, AccountDetails
from ..spec.service.service import Service
from .schemas import Components, Schema, closed, origin, ref_to
from .values import formatted


class DetailSchemas:
    """The schemas of the details of every account type, in the names of one service."""

    def __init__(self, service: Service, components: Components) -> None:
        self._service = service
        self._components = components
        self.by_type: dict[str, list[str]] = {kind: [] for kind in codes.ACCOUNT_TYPES}
        for corridor in filter(None, map(countries.of(service).get, codes.COUNTRIES)):
            for account in corridor.accounts:
                self._add(corridor.country, account)

    def _add(self, country: str, account: Account) -> None:
        form = self._service.account(country, account.type)
        name = detail_name(form) if form else ""
        if form and name not in self._components.schemas:
            self._components.add(name, _details(self._service, country, account, form))
            self.by_type[account.type].append(name)

    def any(self) -> Schema:
        """The details of any account type."""
        return {"anyOf": [ref_to(name) for names in self.by_type.values() for name in names]}

    def by_kind(self) -> Schema:
        """The type of an account decides about its details."""
        return {
            "anyOf": [
                _pair(kind, {"anyOf": [ref_to(name) for name in names]})
                for kind, names in self.by_type.items()
            ]
        }

    def in_country(self, corridor: Corridor) -> Schema:
        """The types of account in a country, each with its details."""
        kinds = corridor.account_types
        country = corridor.country
        forms = ((kind, self._service.account(country, kind)) for kind in kinds)
        return {"anyOf": [_pair(kind, ref_to(detail_name(form))) for kind, form in forms if form]}


def detail_name(form: AccountDetails) -> str:
    """The name of a schema, such as MXBankAccountDetails."""
    parts = form.place.replace(".", "_").split("_")
    return "".join(part if part.isupper() else part.title() for part in parts) + "Details"


def _pair(kind: str, details: Mapping[str, object]) -> Schema:
    return {"properties": {"type": {"const": kind}, "details": details}, "required": ["type"]}


def _details(service: Service, country: str, account: Account, form: AccountDetails) -> Schema:
    names = detail_names(form).theirs
    required_names: list[str] = []
    conditions: list[Schema] = []
    properties: dict[str, Schema] = {}
    for field in account.fields:
        name, by = (names.get(field_name, field_name) for field_name in (field.name, field.by))
        properties[name] = _field(service, field, form)
        if field.required:
            required_names.append(name)
        if field.by and field.forms:
            conditions.append(by_word(by, name, field.forms, required=[by]))
    place = f"in {NAMES[country]}" if account.type != codes.CRYPTO_WALLET else "anywhere"
    if country in codes.SEPA and account.type != codes.CRYPTO_WALLET:
        place = "in the SEPA countries"
    about = {"description": f"The details of a {account.type} {place}."}
    schema = {**about, **closed(properties, required_names), **origin(service, account.source)}
    return {**schema, "allOf": conditions} if conditions else schema


def _field(service: Service, field: DetailField, form: AccountDetails) -> Schema:
    """A field with its format as a schema and in words."""
    format_ = field.form
    text = format_.message or ("must be a valid QR Ph text" if format_.check else "")
    sentence = "; ".join(
        filter(None, (text, format_.also.message if format_.also else "", format_.note))
    )
    about = {"description": f"{sentence[0].upper()}{sentence[1:]}."} if sentence else {}
    read = ACCOUNTS[form.place]
    facts = origin(
        service,
        field.source,
        lambda settings: read(settings.financial_accounts).fields[field.name],
    )
    return {**formatted(format_), **about, **facts}


def by_word(by: str, name: str, forms: Mapping[str, Format], **more: list[str]) -> Schema:
    """A field whose format depends on the word in another field; `more` of each known word."""
    cases = [
        {"properties": {by: {"const": word}, name: formatted(form)}, **more}
        for word, form in forms.items()
    ]
    return {"anyOf": [*cases, {"properties": {by: {"not": {"enum": list(forms)}}}}]}
