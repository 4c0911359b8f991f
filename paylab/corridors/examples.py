"""Example people and recipients, who do not exist, with accounts that belong to nobody."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any

from .. import corridors
from ..errors import Problem, RuleError
from ..spec import codes
from ..spec.service import Service
from .account_types import BANK_COUNTRY

_HOLDER = {"account_holder_name": "Alex Example"}

ACCOUNTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "AR": (
        codes.BANK_ACCOUNT,
        {"account_number": "0000003100000000000000"},
    ),
    "BR": (codes.PIX, {"pix_key": "alex@example.com", "pix_key_type": "email"}),
    "CO": (
        codes.BANK_ACCOUNT,
        {"bank_code": "0000", "account_number": "000000000000"},
    ),
    "IN": (codes.UPI, {"upi_id": "alex@example"}),
    "MX": (codes.BANK_ACCOUNT, {"clabe": "999999000000000002"}),
    "PH": (codes.DIGITAL_WALLET, {"account_number": "09000000000", **_HOLDER}),
    "GB": (
        codes.BANK_ACCOUNT,
        {BANK_COUNTRY: "GB", "sort_code": "000000", "account_number": "00000000", **_HOLDER},
    ),
}
SEPA_ACCOUNT = (
    codes.BANK_ACCOUNT,
    {BANK_COUNTRY: "DE", "iban": "DE89370400440532013000", **_HOLDER},
)
"""The IBAN is the one its registry prints as Germany's example."""

# What a country asks for on top, by the field's name.
EXTRAS: Mapping[str, Any] = {
    "email": "alex@example.com",
    "phone": "+910000000000",
    "document": {"type": "cc", "number": "0000000000"},
    "date_of_birth": "1990-01-31",
    "idv_consent_recorded_at": "2026-01-15T11:00:00Z",
}


PIX_KEYS = {
    "cpf": "00000000000",
    "cnpj": "00000000000000",
    "phone": "+5511900000000",
    "evp": "00000000-0000-4000-8000-000000000000",
}
"""A PIX key of each type but e-mail."""


def account(country: str, service: Service | None = None) -> dict[str, Any]:
    """An account of the country's, as `type` and `details`; KeyError without a corridor.

    With a service it has the required fields and words of that service.
    """
    kind, usual = SEPA_ACCOUNT if country in codes.SEPA else ACCOUNTS[country]
    return {"type": kind, "details": _details(country, kind, usual, service)}


def wallet(service: Service | None = None) -> dict[str, str]:
    """The details of a crypto wallet that nobody holds the key of."""
    return _details("US", codes.CRYPTO_WALLET, WALLET, service)


def _details(
    country: str, kind: str, usual: Mapping[str, str], service: Service | None
) -> dict[str, str]:
    form = (service or Service()).account(country, kind)
    if form is None:
        return dict(usual)
    known = {**dict.fromkeys(form.required, "example"), **usual}
    if form.field in known and form.allowed and known[form.field] not in form.allowed:
        known[form.field] = form.allowed[0]
        if kind == codes.PIX:
            known["pix_key"] = PIX_KEYS.get(form.allowed[0], known["pix_key"])
    return {name: known[name] for name in dict.fromkeys((*form.required, *usual))}


def recipient(country: str, service: Service | None = None) -> dict[str, Any]:
    """The fields of a recipient of payouts, ready for `lab.individuals.create(**fields)`.

    With a service they are those that the service asks for.
    """
    if country not in ACCOUNTS and country not in codes.SEPA:
        listed = ", ".join([*ACCOUNTS, *codes.SEPA])
        raise RuleError([Problem("country", f"must be one of {listed}")])
    corridor = corridors.of(service).get(country)
    required = corridor.required_for([codes.GLOBAL_PAYOUTS]) if corridor else ()
    return _completed(
        service,
        {
            "product_types": [codes.GLOBAL_PAYOUTS],
            "given_name": "Alex",
            "family_name": "Example",
            "country": country,
            "address": {"country": country},
            **{name: EXTRAS[name] for name in required},
            "financial_accounts": [account(country, service)],
        },
    )


def _completed(service: Service | None, person: dict[str, Any]) -> dict[str, Any]:
    """A person with a value for whatever else the service asks of everybody."""
    asked = (service or Service()).individuals.required
    address = {name.partition(".")[2]: "1" for name in asked if name.startswith("address.")}
    address = {**address, **person["address"]}
    missing = {name: EXTRAS[name] for name in asked if name in EXTRAS and name not in person}
    return {**person, **missing, "address": address}


WALLET = {"address": "0x000000000000000000000000000000000000dEaD", "network": "base"}
"""A crypto wallet that nobody holds the key of."""

PEOPLE: Mapping[str, Mapping[str, Any]] = {
    "MX": {
        "given_name": "Ana",
        "family_name": "Ejemplo Ficticia",
        "country": "MX",
        "email": "ana.ejemplo@example.com",
        "phone": "+525500000000",
        "date_of_birth": "1990-01-31",
        "address": {
            "country": "MX",
            "line_1": "Calle Ejemplo 1",
            "city": "Ciudad de México",
            "postal_code": "00000",
        },
        "document": {"type": "curp", "number": "XEXX010101HNEXXXA4"},
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


def individual(country: str, *, consent_at: datetime, product: str = "on_ramp") -> dict[str, Any]:
    """The fields of a fictional individual, ready for `lab.individuals.create(**fields)`."""
    if country.upper() not in PEOPLE:
        raise RuleError([Problem("country", f"must be one of {', '.join(PEOPLE)}")])
    person = deepcopy(dict(PEOPLE[country.upper()]))
    return {"product_types": [product], **person, "idv_consent_recorded_at": consent_at}
