"""Rules of individuals by country and product, and of the verification token."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import partial

from ..corridors import countries
from ..corridors.account_types import DOCUMENT_NUMBERS, Format
from ..corridors.corridor import Corridor
from ..corridors.country_names import country_code, nearest_country
from ..corridors.on_ramps import of_country, unknown_on_ramp
from ..corridors.phone_numbers import phone_sample
from ..errors.base import Problem
from ..errors.choices import NOT
from ..spec import codes, timestamps
from ..spec.json_path import join_path
from ..spec.operations.field import TEXT
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from ..spec.text import plain
from . import accounts
from .fields import (
    Body,
    Check,
    as_list,
    as_object,
    check_any_text,
    check_field,
    check_identifier,
    check_iso_date,
    check_items,
    check_object,
    check_text,
    check_timestamp,
    make_choice_check,
    make_format_check,
    make_length_check,
    make_text_field_check,
)

ADULT_YEARS = 18
AGE_MAX = 120
CLOCK_DIFFERENCE = timedelta(minutes=5)
"""By how much two clocks may differ without a warning."""
ADDRESS_LINES = ("line_1", "line_2", "city", "state", "postal_code")
_PLAUSIBILITY = "check-digits"
_REQUIRED = "individual.required"
_check_country_code = make_choice_check(codes.COUNTRIES)
_INDIVIDUAL_FIELDS = OPERATIONS["individuals.create"].fields
_UNKNOWN_CORRIDOR = Corridor("")


def find_implausible(body: Body, now: datetime) -> list[Problem]:
    """Return warnings about an unlikely phone, birth date, e-mail or consent, as of time `now`."""
    message_by_field = {
        "phone": phone_warning(body.get("phone"), body.get("country")),
        "date_of_birth": birth_date_warning(body.get("date_of_birth"), now.date()),
        "email": email_warning(body.get("email")),
        "idv_consent_recorded_at": consent_warning(body.get("idv_consent_recorded_at"), now),
    }
    return [
        Problem(field, message, _PLAUSIBILITY)
        for field, message in message_by_field.items()
        if message
    ]


def phone_warning(phone: object, country: object = "MX") -> str:
    """Return a warning about a phone number, or "" if it looks right."""
    if not isinstance(phone, str) or not phone:
        return ""
    import phonenumbers  # not with the rules, which a simulator needs at its start
    from phonenumbers import NumberParseException, ValidationResult

    phone_example = phone_sample(str(country)) or phone_sample("MX")
    try:
        phone_number = phonenumbers.parse(phone)
    except NumberParseException:
        if phone.startswith("+"):
            return f"must have a number after the country code, as in {phone_example}"
        return f"must begin with + and the country code, as in {phone_example}"
    message_by_possibility = {
        ValidationResult.IS_POSSIBLE: "",
        ValidationResult.TOO_SHORT: "has too few digits for a phone number",
        ValidationResult.TOO_LONG: "has too many digits for a phone number",
        ValidationResult.INVALID_COUNTRY_CODE: "does not begin with a country code",
    }
    possibility = phonenumbers.is_possible_number_with_reason(phone_number)
    return message_by_possibility.get(possibility, "does not look like a phone number")


def email_warning(email: object) -> str:
    """Return a warning about an e-mail address, or "" if it looks right."""
    if not isinstance(email, str) or re.fullmatch(r"([^@\s]+@[^@\s]+\.[^@\s]+)?", email):
        return ""
    return "must be an e-mail address like name@example.com"


def birth_date_warning(date_value: object, today: date) -> str:
    """Return a warning about a date of birth, or "" if it is plausible or no date."""
    try:
        birth_date = date.fromisoformat(str(date_value))
    except ValueError:
        return ""
    is_before_birthday = (today.month, today.day) < (birth_date.month, birth_date.day)
    age = today.year - birth_date.year - is_before_birthday
    if age < 0:
        return "lies in the future"
    if age > AGE_MAX:
        return f"makes the person {age} years old"
    if age < ADULT_YEARS:
        return f"makes the person {age}, not yet {ADULT_YEARS}"
    return ""


def consent_warning(time_value: object, now: datetime) -> str:
    """Return a warning about a consent after now, or "" if it is past or no time."""
    consent_at = timestamps.read_or_none(time_value)
    if consent_at is None or consent_at <= now + CLOCK_DIFFERENCE:
        return ""
    now_text = timestamps.to_text(now)
    advice = "pass lab.clock(), since the clock of a simulator may be frozen"
    return f"lies in the future of the service, whose clock is at {now_text}: {advice}"


def check(body: object, service: Service | None = None) -> list[Problem]:
    """Check the body of a new individual, by its country and products; empty if it is valid."""
    if not isinstance(body, Mapping):
        return check_object(body)
    service = service or Service()
    source_by_field = _find_requirement_sources(body, service)
    individual: Body = body
    needs_address_line = any(field_name.startswith("address.") for field_name in source_by_field)
    lacks_address = body.get("address") is None and "address" not in source_by_field
    if lacks_address and needs_address_line:
        # The check of an empty address reports its required lines.
        individual = {**individual, "address": {}}
    problems = []
    for field_name, field_check in _make_checks(individual, source_by_field, service).items():
        problems += check_field(
            individual, field_name, field_check, required_by=source_by_field.get(field_name, "")
        )
    return problems


def always_required_fields(service: Service | None = None) -> tuple[str, ...]:
    """Return the fields that every individual needs; `address.city` is a field of the address."""
    return tuple((service or Service()).individuals.required)


def additional_fields(body: Body, service: Service | None = None) -> tuple[str, ...]:
    """Return the other fields that this individual needs, for its country and products."""
    ramp_fields = (service or Service()).individuals.ramp_required if _has_ramp(body) else ()
    return tuple(dict.fromkeys((*_list_corridor_fields(body, service), *ramp_fields)))


def _list_corridor_fields(body: Body, service: Service | None) -> tuple[str, ...]:
    """Return the fields that the spec requires for the country and the products."""
    products = as_list(body.get("product_types"))
    return _find_corridor(body, service).required_for(products)


def _find_requirement_sources(body: Body, service: Service) -> dict[str, str]:
    """Return the source of each required field of this individual: the spec, or a setting."""
    setting_names = (*additional_fields(body, service), *always_required_fields(service))
    spec_names = _list_corridor_fields(body, service)
    # A field that both require has the source "spec", which comes last.
    return {**dict.fromkeys(setting_names, _REQUIRED), **dict.fromkeys(spec_names, "spec")}


def find_warnings(body: object, service: Service | None = None) -> list[Problem]:
    """Return warnings about a valid individual: likely typos and recommended fields."""
    individual = as_object(body)
    warnings = [*find_on_ramp_warnings(individual), *find_typos(body, service)]
    if individual.get("email") is None and _has_ramp(individual):
        message = "may be needed for on_ramp and off_ramp"
        warnings.insert(0, Problem("email", message, _REQUIRED))
    return warnings


def find_on_ramp_warnings(body: Body, source: str = "corridor.products") -> list[Problem]:
    """Return a warning if an individual wants on_ramp and its country has no known on-ramp."""
    country = body.get("country")
    wants_on_ramp = codes.ON_RAMP_PRODUCT in as_list(body.get("product_types"))
    if not isinstance(country, str) or not wants_on_ramp or of_country(country):
        return []
    # Where the product is closed, `check` finds a problem.
    is_on_ramp_open = codes.ON_RAMP_PRODUCT in _find_corridor(body, None).open_products
    return [Problem("country", unknown_on_ramp(country), source)] if is_on_ramp_open else []


def find_typos(body: object, service: Service | None = None) -> list[Problem]:
    """Return warnings about likely typos in a valid individual."""
    individual = as_object(body)
    document = as_object(individual.get("document"))
    number_warnings = accounts.find_wrong_check_digits(
        _find_number_format(document), document.get("number"), "document.number"
    )
    country = _find_corridor(individual, service).country or None

    def find_account_typos(account_value: object, path: str) -> list[Problem]:
        """Find likely typos in the details of one account."""
        account = as_object(account_value)
        account_type = account.get("type")
        return accounts.find_warnings(
            country, account_type, account.get("details"), f"{path}.details", service
        )

    account_values = as_list(individual.get("financial_accounts"))
    account_warnings = check_items(account_values, "financial_accounts", find_account_typos)
    return [*number_warnings, *account_warnings]


def check_token(body: object, service: Service | None = None) -> list[Problem]:
    """Check the body that submits a verification token; empty if it is valid."""
    if not isinstance(body, Mapping):
        return check_object(body)
    provider_word = (service or Service()).verification.provider
    return [
        *check_field(body, "provider", make_choice_check((provider_word,), "idv.provider")),
        *check_field(body, "token", make_length_check(codes.TOKEN_MAX)),
        *check_field(body, "applicant_id", check_identifier),
        *check_field(body, "partner_terms_accepted_at", check_timestamp),
    ]


def _find_corridor(body: Body, service: Service | None) -> Corridor:
    """Return the corridor of the individual's country, or one without facts."""
    return countries.of(service).get(body.get("country")) or _UNKNOWN_CORRIDOR


def _make_checks(body: Body, sources: Mapping[str, str], service: Service) -> dict[str, Check]:
    """Make the check of each field of an individual; `sources` are those of required fields."""
    corridor = _find_corridor(body, service)
    check_by_field: dict[str, Check] = {
        "product_types": partial(_check_products, corridor),
        "given_name": check_text,
        "family_name": check_text,
        "country": _check_country,
        "email": check_text,
        "phone": make_format_check(corridor.phone or Format()),
        "date_of_birth": check_iso_date,
        "idv_consent_recorded_at": check_timestamp,
        "address": partial(_check_address, body.get("country"), sources),
        "document": partial(_check_document, corridor),
        "financial_accounts": partial(_check_accounts, corridor.country or None, service),
    }
    for field in _INDIVIDUAL_FIELDS:
        if field.kind == TEXT and field.name not in check_by_field:
            check_by_field[field.name] = make_text_field_check(field, service)
    return check_by_field


def _check_products(corridor: Corridor, products: object, field: str) -> list[Problem]:
    """Check that there is a product, and that the country has each of them."""
    if products in ([], ()):
        return [Problem(field, "must name at least one product", _REQUIRED)]
    # The message names the country only if other countries have more products.
    scope_text = f"in {corridor.country}" if corridor.closed else ""
    product_check = make_choice_check(corridor.open_products, scope=scope_text)
    return check_items(products, field, product_check)


def _check_country(value: object, field: str) -> list[Problem]:
    """Check that a value is the code of a country, not its name."""
    problems = _check_country_code(value, field)
    if not problems or not isinstance(value, str):
        return problems
    read_code = country_code(value)
    likely_code = nearest_country(value) if _check_country_code(read_code, field) else read_code
    if not likely_code:
        return problems
    return [Problem(field, f"must be the code of a country: is {likely_code} meant?")]


def _check_address(
    country: object, sources: Mapping[str, str], address: object, field: str
) -> list[Problem]:
    """Check an address, whose country must be the individual's."""
    if not isinstance(address, Mapping):
        return check_object(address, field)
    check_by_field: dict[str, Check] = {"country": _check_country}
    check_by_field |= dict.fromkeys(ADDRESS_LINES, check_any_text)
    problems = []
    for line_name, line_check in check_by_field.items():
        rule_source = sources.get(join_path(field, line_name), "")
        problems += check_field(address, line_name, line_check, path=field, required_by=rule_source)
    address_country = address.get("country")
    if None in (country, address_country) or address_country == country:
        return problems
    country_field = join_path(field, "country")
    if any(problem.field == country_field for problem in problems):  # it is no code
        return problems
    message = f"must equal country: {plain(str(country), 40)}{NOT}{plain(str(address_country), 40)}"
    return [Problem(country_field, message, "field.country"), *problems]


def _check_document(corridor: Corridor, document: object, field: str) -> list[Problem]:
    """Check the type of a document, which the country must accept, and its number."""
    if not isinstance(document, Mapping):
        return check_object(document, field)
    has_own_documents = corridor.documents != codes.DOCUMENT_TYPES
    scope_text = f"in {corridor.country}" if has_own_documents else ""
    type_check = make_choice_check(corridor.documents, scope=scope_text)
    number_check = make_format_check(_find_number_format(document))
    return [
        *check_field(document, "type", type_check, path=field),
        *check_field(document, "number", number_check, path=field, required_by=""),
    ]


def _find_number_format(document: Body) -> Format:
    """Return the format of the document's number: any text for an unknown document type."""
    document_type = document.get("type")
    if not isinstance(document_type, str):
        return Format()
    return DOCUMENT_NUMBERS.get(document_type, Format())


def _check_accounts(
    country: str | None, service: Service, accounts_value: object, field: str
) -> list[Problem]:
    """Check the accounts of a new individual, by the rules of its country."""

    def check_account(account: object, path: str) -> list[Problem]:
        return accounts.check_entry(account, country, path, service)

    return check_items(accounts_value, field, check_account)


def _has_ramp(body: Body) -> bool:
    """Return whether the individual has a ramp product."""
    products = as_list(body.get("product_types"))
    return any(product in codes.RAMP_PRODUCTS for product in products)
