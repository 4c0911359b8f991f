"""Rules of individuals by country and product, and of the verification token."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial

from ..corridors import countries
from ..corridors.account_types import DOCUMENT_NUMBERS, Format
from ..corridors.corridor import Corridor
from ..corridors.on_ramps import of_country, unknown_on_ramp
from ..errors.base import Problem
from ..spec import codes
from ..spec.json_path import dotted
from ..spec.operations.field import TEXT
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from . import accounts
from .fields import (
    Body,
    Check,
    any_text,
    as_list,
    as_object,
    check_items,
    day,
    fits,
    flat,
    identifier,
    is_object,
    need,
    one_of,
    text,
    text_of,
    timestamp,
    up_to,
)

ADULT = 18
OLDEST = 120
_SOURCE = "check-digits"


def warn_implausible(body: Body, today: date) -> list[Problem]:
    """Warnings about unlikely values."""
    messages = {
        "phone": phone(body.get("phone")),
        "date_of_birth": birth(body.get("date_of_birth"), today),
        "email": email(body.get("email")),
    }
    return [Problem(field, message, _SOURCE) for field, message in messages.items() if message]


def phone(value: object) -> str:
    """A warning about a phone number, or ""."""
    if not isinstance(value, str) or not value:
        return ""
    import phonenumbers  # not with the rules, which a simulator needs at its start
    from phonenumbers import NumberParseException, ValidationResult

    try:
        reason = phonenumbers.is_possible_number_with_reason(phonenumbers.parse(value))
    except NumberParseException:
        if value.startswith("+"):
            return "must have a number after the country code, as in +52 55 5555 5555"
        return "must begin with + and the country code, as in +52 55 5555 5555"
    messages = {
        ValidationResult.IS_POSSIBLE: "",
        ValidationResult.TOO_SHORT: "has too few digits for a phone number",
        ValidationResult.TOO_LONG: "has too many digits for a phone number",
        ValidationResult.INVALID_COUNTRY_CODE: "does not begin with a country code",
    }
    return messages.get(reason, "does not look like a phone number")


def email(value: object) -> str:
    """A warning about an e-mail address, or ""."""
    if not isinstance(value, str) or re.fullmatch(r"([^@\s]+@[^@\s]+\.[^@\s]+)?", value):
        return ""
    return "must be an e-mail address like name@example.com"


def birth(value: object, today: date) -> str:
    """A warning about a date of birth, or ""."""
    try:
        born = date.fromisoformat(str(value))
    except ValueError:
        return ""
    years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    if years < 0:
        return "lies in the future"
    if years > OLDEST:
        return f"makes the person {years} years old"
    return f"makes the person {years}, not yet {ADULT}" if years < ADULT else ""


_ROW = "individual.required"
_RECORD = OPERATIONS["individuals.create"]
ADDRESS_LINES = ("line_1", "line_2", "city", "state", "postal_code")
_NOWHERE = Corridor("")


def check(body: object, service: Service | None = None) -> list[Problem]:
    """Problems of a new individual."""
    fields = as_object(body)
    settled = service or Service()
    required_fields = _asked(fields, settled)
    inside = any(name.startswith("address.") for name in required_fields)
    if fields.get("address") is None and inside and "address" not in required_fields:
        fields = {**fields, "address": {}}
    return is_object(body) or flat(
        need(fields, name, check_value, **required_fields.get(name, _NOBODY))
        for name, check_value in _checks(fields, required_fields, settled).items()
    )


def base(service: Service | None = None) -> tuple[str, ...]:
    """The fields that every individual needs; `address.city` is a field of the address."""
    return tuple((service or Service()).individuals.required)


def required(body: Body, service: Service | None = None) -> tuple[str, ...]:
    """The additional fields that this individual needs, for its country and products."""
    corridor_fields = _corridor(body, service).required_for(as_list(body.get("product_types")))
    ramp_fields = (service or Service()).individuals.ramp_required if _has_ramp(body) else ()
    return tuple(dict.fromkeys((*corridor_fields, *ramp_fields)))


def _asked(body: Body, service: Service) -> dict[str, dict[str, str]]:
    """The source of each required field of this individual: the spec, or a setting."""
    corridor_fields = _corridor(body, service).required_for(as_list(body.get("product_types")))
    return {
        **{name: {"asked": _ROW} for name in required(body, service)},
        **{name: {"asked": _ROW} for name in base(service)},
        **{name: {"asked": "spec"} for name in corridor_fields},
    }


_NOBODY = {"asked": ""}


def warn(body: object, service: Service | None = None) -> list[Problem]:
    """Warnings about a valid individual: likely typos and recommended fields."""
    fields = as_object(body)
    message = "is optional by the specification, but may be needed for"
    warnings = [*warn_on_ramp(fields), *mistyped(body, service)]
    if fields.get("email") is not None or not _has_ramp(fields):
        return warnings
    email = Problem("email", f"{message} on_ramp and off_ramp", _ROW)
    return [email, *warnings]


def warn_on_ramp(body: Body, source: str = "corridor.products") -> list[Problem]:
    """A warning if no on-ramp is known for the country of an individual with this product."""
    country = body.get("country")
    is_open = codes.ON_RAMP_PRODUCT in _corridor(body, None).open_products
    if codes.ON_RAMP_PRODUCT not in as_list(body.get("product_types")) or not is_open:
        return []
    if not isinstance(country, str) or of_country(country):
        return []
    return [Problem("country", unknown_on_ramp(country), source)]


def mistyped(body: object, service: Service | None = None) -> list[Problem]:
    """Warnings about likely typos in a valid individual."""
    fields = as_object(body)
    document = as_object(fields.get("document"))
    number = accounts.warn_check_digits(
        _number_form(document), document.get("number"), "document.number"
    )
    country = _corridor(fields, service).country or None

    def warn_account(item: object, at: str) -> list[Problem]:
        kind, details = (as_object(item).get(name) for name in ("type", "details"))
        return accounts.warn(country, kind, details, f"{at}.details", service)

    entries = as_list(fields.get("financial_accounts"))
    return [*number, *check_items(entries, "financial_accounts", warn_account)]


def check_token(body: object, service: Service | None = None) -> list[Problem]:
    """Problems of a verification token."""
    fields = as_object(body)
    provider = (service or Service()).verification.provider
    return is_object(body) or [
        *need(fields, "provider", one_of((provider,), "idv.provider")),
        *need(fields, "token", up_to(codes.TOKEN_MAX)),
        *need(fields, "applicant_id", identifier),
        *need(fields, "partner_terms_accepted_at", timestamp),
    ]


def _corridor(body: Body, service: Service | None) -> Corridor:
    return countries.of(service).get(body.get("country")) or _NOWHERE


def _checks(body: Body, asked: Mapping[str, dict[str, str]], service: Service) -> dict[str, Check]:
    corridor = _corridor(body, service)
    checks: dict[str, Check] = {
        "product_types": partial(_products, corridor),
        "given_name": text,
        "family_name": text,
        "country": one_of(codes.COUNTRIES),
        "email": text,
        "phone": fits(corridor.phone or Format()),
        "date_of_birth": day,
        "idv_consent_recorded_at": timestamp,
        "address": partial(_address, body.get("country"), asked),
        "document": partial(_document, corridor),
        "financial_accounts": partial(_accounts, corridor.country or None, service),
    }
    text_fields = (
        field for field in _RECORD.fields if field.kind == TEXT and field.name not in checks
    )
    return checks | {field.name: text_of(field, service) for field in text_fields}


def _products(corridor: Corridor, value: object, field: str) -> list[Problem]:
    if value in ([], ()):
        return [Problem(field, "must name at least one product", _ROW)]
    return check_items(value, field, one_of(corridor.open_products))


def _address(
    country: object, asked: Mapping[str, dict[str, str]], value: object, field: str
) -> list[Problem]:
    checks = {"country": one_of(codes.COUNTRIES), **dict.fromkeys(ADDRESS_LINES, any_text)}
    address = as_object(value)
    code = dotted(field, "country")
    problems = is_object(value, field) or flat(
        need(address, name, check, at=field, **asked.get(dotted(field, name), _NOBODY))
        for name, check in checks.items()
    )
    is_other = None not in (country, address.get("country")) and address["country"] != country
    if not is_other or any(problem.field == code for problem in problems):
        return problems
    return [Problem(code, "must equal country", "field.country"), *problems]


def _document(corridor: Corridor, value: object, field: str) -> list[Problem]:
    document = as_object(value)
    return is_object(value, field) or [
        *need(document, "type", one_of(corridor.documents), at=field),
        *need(document, "number", fits(_number_form(document)), at=field, asked=""),
    ]


def _number_form(document: Body) -> Format:
    kind = document.get("type")
    return DOCUMENT_NUMBERS.get(kind, Format()) if isinstance(kind, str) else Format()


def _accounts(country: str | None, service: Service, value: object, field: str) -> list[Problem]:
    return check_items(
        value, field, lambda each, at: accounts.check_entry(each, country, at, service)
    )


def _has_ramp(body: Body) -> bool:
    return any(product in codes.RAMP_PRODUCTS for product in as_list(body.get("product_types")))
