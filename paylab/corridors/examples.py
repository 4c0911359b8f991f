"""Fictitious people and recipients with fictitious accounts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime

from .. import corridors
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, OptionError, Problem, UnknownItemError
from ..spec import codes
from ..spec.operations.records import OPERATIONS
from ..spec.row_filter import check_product
from ..spec.service.service import Service
from ..spec.text import JsonMapping, JsonObject, plain
from .country_names import country_code, require_country, unknown_country_error
from .on_ramps import need_on_ramp
from .phone_numbers import example_phone

_COUNTRY_CODE = re.compile("[A-Z]{2}")
_OPERATION = OPERATIONS["individuals.create"]
_INDIVIDUAL = _OPERATION.example
_OPTIONAL_FIELDS = [
    field.name for field in _OPERATION.fields if not field.required and not field.fields
]

EXTRAS: JsonMapping = {name: _INDIVIDUAL[name] for name in _OPTIONAL_FIELDS if name in _INDIVIDUAL}
"""Values of additional required fields that are the same in every country, by name."""

DOCUMENTS = {
    "AR": {"type": "cuil", "number": "20000000001"},
    "BR": {"type": "cpf", "number": "12345678909"},
    "CO": {"type": "cc", "number": "0000000000"},
}
"""Documents by country, with numbers that belong to nobody and have valid check digits."""
PASSPORT = {"type": "passport", "number": "000000000"}
POSTAL_DIGITS = {
    **dict.fromkeys(("CZ", "DE", "EE", "ES", "FI", "FR", "GR", "HR"), 5),
    **dict.fromkeys(("IT", "LT", "MX", "PL", "SE", "SK", "US", "VN"), 5),
    **dict.fromkeys(("CO", "IN", "RO", "SG"), 6),
    "PT": 7,
    "BR": 8,
}
"""The number of digits of a postal code, by country; 4 in other countries."""

PIX_KEYS = {
    "cpf": "00000000000",
    "cnpj": "00000000000000",
    "phone": "+5511900000000",
    "evp": "00000000-0000-4000-8000-000000000000",
}
"""A PIX key of each type but e-mail."""


@explain_arguments
def account(country: codes.Country | str, service: Service | None = None) -> JsonObject:
    """Return an account in the country, as `type` and `details`; KeyError without a corridor.

    With a service, it has the required fields and words of that service.

    >>> examples.account("MX")
    {'type': 'bank_account', 'details': {'clabe': '999999000000000002'}}
    """
    country = country_code(country)
    corridor = corridors.of(service).get(country)
    accounts = corridor.accounts if corridor else ()
    for known_account in accounts:
        if known_account.example:
            details = _adapt_details(country, known_account.type, known_account.example, service)
            return {"type": known_account.type, "details": details}
    known_codes = [code for code in codes.COUNTRIES if _has_example(code, service)]
    message = f"no account that receives payouts is known in {plain(repr(country), 60)}"
    raise UnknownItemError(f"{message}; countries with one are {', '.join(known_codes)}")


def _has_example(country: str, service: Service | None) -> bool:
    """Return whether an account type of a country has an example."""
    corridor = corridors.of(service).get(country)
    return corridor is not None and any(
        known_account.example for known_account in corridor.accounts
    )


@explain_arguments
def wallet(service: Service | None = None) -> dict[str, str]:
    """Return the details of a crypto wallet whose private key nobody is known to have.

    >>> examples.wallet()["network"]
    'base'
    """
    any_country = "US"  # a wallet has the same details in every country
    return _adapt_details(
        any_country, account_type=codes.CRYPTO_WALLET, example=WALLET, service=service
    )


def _adapt_details(
    country: str, account_type: str, example: Mapping[str, str], service: Service | None
) -> dict[str, str]:
    """Return example details with the required fields and words of the service.

    A field that only this service requires has no example of ours: it is filled with "example".
    """
    account_settings = (service or Service()).account(country, account_type)
    if account_settings is None:
        return dict(example)
    details = {**dict.fromkeys(account_settings.required, "example"), **example}
    word_field = account_settings.field  # it has one of a few fixed words, such as `pix_key_type`
    accepted_words = account_settings.allowed
    example_word = details.get(word_field)
    if example_word is None or not accepted_words or example_word in accepted_words:
        return details
    accepted_word = _find_same_word(example_word, accepted_words) or accepted_words[0]
    details[word_field] = accepted_word
    if account_type == codes.PIX:  # the key must be of the accepted kind
        details["pix_key"] = PIX_KEYS.get(accepted_word.lower(), details["pix_key"])
    return details


def _find_same_word(example_word: str, allowed_words: Sequence[str]) -> str | None:
    """Return the allowed word that differs in letter case only; None if there is none."""
    for allowed_word in allowed_words:
        if allowed_word.lower() == example_word.lower():
            return allowed_word
    return None


@explain_arguments
def recipient(country: codes.Country | str, service: Service | None = None) -> JsonObject:
    """Return the fields of a recipient of payouts, for `lab.individuals.create(**fields)`.

    With a service, they are the fields that it requires.

    >>> lab.individuals.create(**examples.recipient("MX")).status
    'active'
    """
    country = country_code(country)
    corridor = corridors.of(service).get(country)
    if corridor is None or not any(known_account.example for known_account in corridor.accounts):
        known_codes = [known_corridor.country for known_corridor in corridors.of(service).all]
        raise unknown_country_error(country, known_codes)
    required_names = corridor.required_for([codes.GLOBAL_PAYOUTS])
    extra_fields = {
        field_name: field_value
        for field_name, field_value in _make_extra_values(country).items()
        if field_name in required_names
    }
    recipient_fields = {
        "product_types": [codes.GLOBAL_PAYOUTS],
        "given_name": "Alex",
        "family_name": "Example",
        "country": country,
        "address": {"country": country},
        **extra_fields,
        "financial_accounts": [account(country, service)],
    }
    return add_required_fields(service, recipient_fields)


@explain_arguments
def add_required_fields(service: Service | None, person: JsonObject) -> JsonObject:
    """Return a person with values for all other required fields of the service.

    >>> examples.add_required_fields(None, examples.person("MX"))["given_name"]
    'Ana'
    """
    required_names = (service or Service()).individuals.required
    country = person["country"]
    address_line_by_name = {
        field_name.partition(".")[2]: "1"
        for field_name in required_names
        if field_name.startswith("address.")
    }
    if "postal_code" in address_line_by_name:
        address_line_by_name["postal_code"] = "0" * POSTAL_DIGITS.get(country, 4)
    missing_fields = {
        field_name: field_value
        for field_name, field_value in _make_extra_values(country).items()
        if field_name in required_names and field_name not in person
    }
    return {**person, **missing_fields, "address": {**address_line_by_name, **person["address"]}}


def _make_extra_values(country: str) -> JsonObject:
    """Return example values of the additional required fields, as far as there are any."""
    person = PEOPLE.get(country, {"document": DOCUMENTS.get(country, PASSPORT)})
    extra_values = {
        **EXTRAS,
        "email": f"alex.{country.lower()}@example.com",
        "phone": example_phone(country),
        "document": dict(person["document"]),
    }
    return {
        field_name: extra_value for field_name, extra_value in extra_values.items() if extra_value
    }


WALLET: Mapping[str, str] = OPERATIONS["financial_accounts.create"].example["details"]
"""A crypto wallet whose private key nobody is known to have."""

PEOPLE: Mapping[str, JsonMapping] = {
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
def person(country: codes.Country | str) -> JsonObject:
    """Return a fictitious person, without products and without consent.

    >>> examples.person("AR")["document"]["type"]
    'cuil'
    """
    if isinstance(country, str):
        country = country_code(country)
    if country in PEOPLE:
        return deepcopy(dict(PEOPLE[country]))
    if not _COUNTRY_CODE.fullmatch(str(country)):
        message = f"must be a country code of two letters such as MX, not {str(country)!r:.40}"
        raise OptionError([Problem("country", message)])
    extra_fields = _make_extra_values(country)
    del extra_fields["idv_consent_recorded_at"]
    address = {"country": country, "line_1": "1 Example Street", "city": "Example"}
    postal_code = "0" * POSTAL_DIGITS.get(country, 4)
    return {
        "given_name": "Alex",
        "family_name": "Example",
        "country": country,
        **extra_fields,
        "address": {**address, "postal_code": postal_code},
    }


@explain_arguments
def individual(
    country: codes.Country | str, *, consent_at: datetime, product: codes.Product | str = "on_ramp"
) -> JsonObject:
    """Return the fields of a fictitious individual, for `lab.individuals.create(**fields)`.

    `consent_at` is when the person consented to the verification: `lab.clock()` is now.
    OptionError if the product is on_ramp and no on-ramp of the country is known.

    >>> lab.individuals.create(**examples.individual("MX", consent_at=lab.clock())).status
    'action_required'
    """
    if product == codes.ON_RAMP_PRODUCT:
        need_on_ramp(country=country_code(country))  # refuses a country without one
    country = require_country(country, codes.COUNTRIES)
    check_product(product)
    if not isinstance(consent_at, datetime | str):
        raise ArgumentError("consent_at must be a datetime, such as lab.clock()", "consent_at")
    person_fields = person(country)
    return {"product_types": [product], **person_fields, "idv_consent_recorded_at": consent_at}


@explain_arguments
def verification_token(*, accepted_at: datetime) -> JsonObject:
    """The fields of a verification token that no provider has issued, for a sandbox.

    >>> lab.individuals.submit_token(
    ...     person, **examples.verification_token(accepted_at=lab.clock())
    ... )  # doctest: +SKIP
    """
    token_fields = OPERATIONS["individuals.submit_token"].example
    return {**token_fields, "partner_terms_accepted_at": accepted_at}


__all__ = [
    "PEOPLE",
    "WALLET",
    "account",
    "individual",
    "person",
    "recipient",
    "verification_token",
    "wallet",
]


def __dir__() -> list[str]:
    return sorted(__all__)
