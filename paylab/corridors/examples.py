"""Fictitious people and recipients with fictitious accounts."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any

from .. import corridors
from ..errors.arguments import explain_arguments
from ..errors.base import Problem, RuleError, UnknownItemError
from ..spec import codes
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from .on_ramps import need_on_ramp

_RECORD = OPERATIONS["individuals.create"]
_INDIVIDUAL = _RECORD.example
_OPTIONAL = [field.name for field in _RECORD.fields if not (field.required or field.fields)]

# Values of additional required fields, by name.
EXTRAS: Mapping[str, Any] = {
    **{name: _INDIVIDUAL[name] for name in _OPTIONAL if name in _INDIVIDUAL},
    "phone": "+910000000000",
}

# Numbers of nobody, with valid check digits.
DOCUMENTS = {
    "AR": {"type": "cuil", "number": "20000000001"},
    "BR": {"type": "cpf", "number": "12345678909"},
    "CO": {"type": "cc", "number": "0000000000"},
}
PASSPORT = {"type": "passport", "number": "000000000"}
POSTAL_DIGITS = {"BR": 8, "CO": 6, "IN": 6, "MX": 5}
"""Digits of a postal code where there are not 4."""

PIX_KEYS = {
    "cpf": "00000000000",
    "cnpj": "00000000000000",
    "phone": "+5511900000000",
    "evp": "00000000-0000-4000-8000-000000000000",
}
"""A PIX key of each type but e-mail."""


@explain_arguments
def account(country: str, service: Service | None = None) -> dict[str, Any]:
    """An account in the country, as `type` and `details`; KeyError without a corridor.

    With a service, it has the required fields and words of that service.

    >>> examples.account("MX")
    {'type': 'bank_account', 'details': {'clabe': '999999000000000002'}}
    """
    corridor = corridors.of(service).get(country)
    for account_type in corridor.accounts if corridor else ():
        if account_type.example:
            details = _details(country, account_type.type, account_type.example, service)
            return {"type": account_type.type, "details": details}
    raise UnknownItemError(f"no account type of {country!r} has an example")


@explain_arguments
def wallet(service: Service | None = None) -> dict[str, str]:
    """The details of a crypto wallet without a known key.

    >>> examples.wallet()["network"]
    'base'
    """
    return _details("US", codes.CRYPTO_WALLET, WALLET, service)


def _details(
    country: str, kind: str, usual: Mapping[str, str], service: Service | None
) -> dict[str, str]:
    form = (service or Service()).account(country, kind)
    if form is None:
        return dict(usual)
    values = {**dict.fromkeys(form.required, "example"), **usual}
    if form.field in values and form.allowed and values[form.field] not in form.allowed:
        same = (word for word in form.allowed if word.lower() == values[form.field].lower())
        values[form.field] = next(same, form.allowed[0])
        if kind == codes.PIX:
            values["pix_key"] = PIX_KEYS.get(values[form.field].lower(), values["pix_key"])
    return {name: values[name] for name in dict.fromkeys((*form.required, *usual))}


@explain_arguments
def recipient(country: str, service: Service | None = None) -> dict[str, Any]:
    """The fields of a recipient of payouts, for `lab.individuals.create(**fields)`.

    With a service, they are those that it requires.

    >>> lab.individuals.create(**examples.recipient("MX")).status
    'active'
    """
    corridor = corridors.of(service).get(country)
    if corridor is None or not any(entry.example for entry in corridor.accounts):
        countries = ", ".join(entry.country for entry in corridors.of(service).all)
        raise RuleError([Problem("country", f"must be one of {countries}")])
    required = corridor.required_for([codes.GLOBAL_PAYOUTS])
    return completed(
        service,
        {
            "product_types": [codes.GLOBAL_PAYOUTS],
            "given_name": "Alex",
            "family_name": "Example",
            "country": country,
            "address": {"country": country},
            **{name: extra for name, extra in _extras(country).items() if name in required},
            "financial_accounts": [account(country, service)],
        },
    )


@explain_arguments
def completed(service: Service | None, person: dict[str, Any]) -> dict[str, Any]:
    """A person with values for all other required fields of the service.

    >>> examples.completed(None, examples.person("MX"))["given_name"]
    'Ana'
    """
    required = (service or Service()).individuals.required
    country = person["country"]
    lines = {name.partition(".")[2]: "1" for name in required if name.startswith("address.")}
    if "postal_code" in lines:
        lines["postal_code"] = "0" * POSTAL_DIGITS.get(country, 4)
    extras = _extras(country).items()
    missing = {name: extra for name, extra in extras if name in required and name not in person}
    return {**person, **missing, "address": {**lines, **person["address"]}}


def _extras(country: str) -> dict[str, Any]:
    """Example values of additional required fields."""
    person = PEOPLE.get(country, {"document": DOCUMENTS.get(country, PASSPORT)})
    own = {"email": f"alex.{country.lower()}@example.com", "document": dict(person["document"])}
    return {**EXTRAS, **own}


WALLET: Mapping[str, str] = OPERATIONS["financial_accounts.create"].example["details"]
"""A crypto wallet without a known key."""

PEOPLE: Mapping[str, Mapping[str, Any]] = {
    "MX": {
        name: value
        for name, value in _INDIVIDUAL.items()
        if name not in ("product_types", "idv_consent_recorded_at")
    },
    "PH": {
        "given_name": "Juan",
        "family_name": "Halimbawa",
        "country": "PH",
        "email": "juan.halimbawa@example.com",
        "phone": "+630000000000",
        "date_of_birth": "1990-01-31",
        "address": {
            "country": "PH",
            "line_1": "1 Example Street",
            "city": "Manila",
            "postal_code": "0000",
        },
        "document": {"type": "tin", "number": "000-000-000-000"},
    },
}


@explain_arguments
def person(country: str) -> dict[str, Any]:
    """A fictitious person, without products and without consent.

    >>> examples.person("AR")["document"]["type"]
    'cuil'
    """
    if country in PEOPLE:
        return deepcopy(dict(PEOPLE[country]))
    extras = _extras(country)
    del extras["idv_consent_recorded_at"]
    address = {"country": country, "line_1": "1 Example Street", "city": "Example"}
    postal_code = "0" * POSTAL_DIGITS.get(country, 4)
    return {
        "given_name": "Alex",
        "family_name": "Example",
        "country": country,
        **extras,
        "address": {**address, "postal_code": postal_code},
    }


@explain_arguments
def individual(country: str, *, consent_at: datetime, product: str = "on_ramp") -> dict[str, Any]:
    """The fields of a fictitious individual, for `lab.individuals.create(**fields)`.

    RuleError if the product is on_ramp and no on-ramp of the country is known.

    >>> lab.individuals.create(**examples.individual("MX", consent_at=lab.clock())).status
    'action_required'
    """
    country = country.upper()
    if product == codes.ON_RAMP_PRODUCT:
        need_on_ramp(country=country)
    if country not in codes.COUNTRIES:
        raise RuleError([Problem("country", f"must be one of {', '.join(codes.COUNTRIES)}")])
    fields = person(country)
    return {"product_types": [product], **fields, "idv_consent_recorded_at": consent_at}


def verification_token(*, accepted_at: datetime) -> dict[str, Any]:
    """The fields of a verification token that no provider has issued, for a sandbox.

    >>> lab.individuals.submit_token(
    ...     person, **examples.verification_token(accepted_at=lab.clock())
    ... )  # doctest: +SKIP
    """
    fields = OPERATIONS["individuals.submit_token"].example
    return {**fields, "partner_terms_accepted_at": accepted_at}
