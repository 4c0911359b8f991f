"""Rules of financial accounts, and warnings about wrong check digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import NamedTuple

from ..corridors import clabe, countries
from ..corridors.account_types import Format
from ..errors.base import Problem
from ..errors.choices import describe_wrong_choice
from ..spec import codes
from ..spec.json_path import join_path
from ..spec.service.service import Service
from .fields import (
    Body,
    as_object,
    check_field,
    check_identifier,
    check_object,
    make_choice_check,
    make_format_check,
)
from .wallet_addresses import find_address_warnings


class CheckDigit(NamedTuple):
    """A check digit algorithm and its name; `explain` says what is wrong with a number."""

    name: str
    is_valid: Callable[[str], bool]
    explain: Callable[[str], str] = lambda _: ""


def _is_tin(number: str) -> bool:
    """Return whether it is 9 digits, or 12 to 14 with a branch; no check digit is published."""
    return re.fullmatch("[0-9]{9}(?:[0-9]{3,5})?", number.replace("-", "")) is not None


def _make_stdnum_check(name: str, module: str) -> CheckDigit:
    """Make the check of a module of stdnum, which is imported when a number is checked."""
    return CheckDigit(
        name,
        lambda number: bool(import_module(f"stdnum.{module}").is_valid(number)),
        partial(_explain_by_stdnum, module),
    )


def _explain_by_stdnum(module: str, number: str) -> str:
    """Return which part of a wrong number is wrong; "" if stdnum does not tell."""
    from stdnum import exceptions  # like the module, only for a number that is wrong

    try:
        import_module(f"stdnum.{module}").validate(number)
    except exceptions.InvalidChecksum:
        return "its check digits are wrong"
    except exceptions.InvalidComponent:
        return "a part of it, such as a date, a state or a bank, does not exist"
    except exceptions.ValidationError:
        pass
    return ""


ALGORITHMS = {
    "bic": _make_stdnum_check("BIC", "bic"),
    "cbu": _make_stdnum_check("CBU or CVU", "ar.cbu"),
    "clabe": CheckDigit("CLABE", clabe.is_valid),
    "cnpj": _make_stdnum_check("CNPJ", "br.cnpj"),
    "cpf": _make_stdnum_check("CPF", "br.cpf"),
    "cuit": _make_stdnum_check("CUIT or CUIL", "ar.cuit"),
    "curp": _make_stdnum_check("CURP", "mx.curp"),
    "iban": _make_stdnum_check("IBAN", "iban"),
    "nit": _make_stdnum_check("NIT", "co.nit"),
    "tin": CheckDigit("TIN of 9 digits and perhaps a branch", _is_tin),
}
"""The check digit algorithms by the name that a `Format` gives."""


def find_wrong_check_digits(text_format: Format, field_value: object, field: str) -> list[Problem]:
    """Return a warning if a value has the right format and a wrong check digit."""
    algorithm = ALGORITHMS.get(text_format.check_digit)
    if algorithm is None or not isinstance(field_value, str):
        return []
    problems = make_format_check(text_format)(field_value, field)
    if problems or algorithm.is_valid(field_value):
        return []
    character_noun = "digit" if field_value.isdigit() else "character"
    message = f"looks mistyped: it is not a valid {algorithm.name}, check every {character_noun}"
    reason_text = algorithm.explain(field_value)
    if reason_text:
        message += f" ({reason_text})"
    return [Problem(field, message, "check-digits")]


def check(
    body: object, country: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Check a new account.

    Without the individual's country, the rules of its country are not checked.
    """
    if not isinstance(body, Mapping):
        return check_object(body)
    return [
        *check_field(body, "individual_id", check_identifier),
        *check_entry(body, country, path="", service=service),
    ]


def check_entry(
    entry: object, country: str | None = None, path: str = "", service: Service | None = None
) -> list[Problem]:
    """Check the `type` and `details` of one account."""
    if not isinstance(entry, Mapping):
        return check_object(entry, path)
    details_check = partial(check_details, country, entry.get("type"), service=service)
    return [
        *_check_type(entry, country, path, service),
        *check_field(entry, "details", details_check, path=path),
    ]


def check_details(
    country: str | None,
    account_type: object,
    details: object,
    path: str = "details",
    service: Service | None = None,
) -> list[Problem]:
    """Check the details of an account of this type in this country."""
    if not isinstance(details, Mapping):
        return check_object(details, path)
    account = countries.of(service).account(country, account_type)
    if account is None:
        return []
    problems = []
    for field in account.fields:
        problems += check_field(
            details,
            field.name,
            make_format_check(field.form_in(details)),
            path=path,
            required_by=field.source if field.required else "",
        )
    return problems


def find_warnings(
    country: str | None,
    account_type: object,
    details: object,
    path: str = "details",
    service: Service | None = None,
) -> list[Problem]:
    """Return warnings about likely typos in valid details."""
    details_object = as_object(details)
    account = countries.of(service).account(country, account_type)
    warnings = []
    for field in account.fields if account else ():
        detail_value = details_object.get(field.name)
        warnings += find_wrong_check_digits(
            field.form_in(details_object), detail_value, join_path(path, field.name)
        )
    network = details_object.get("network")
    if account_type == codes.CRYPTO_WALLET and network in codes.NETWORKS:
        warnings += find_address_warnings(
            network, details_object.get("address"), join_path(path, "address")
        )
    return warnings


def find_warnings_without_country(body: object, service: Service | None = None) -> list[Problem]:
    """Return likely problems of a new account whose owner's country is not known.

    The rules are those of the only account type with these fields, and a problem says whose.
    """
    account_object = as_object(body)
    account_type = account_object.get("type")
    details = account_object.get("details")
    country = countries.likely_country(account_type, as_object(details))
    certain_problems = check(body, service=service)
    place = "a SEPA country" if country in codes.SEPA else str(country)
    likely_problems = [
        replace(problem, message=f"{problem.message}, if the person is in {place}")
        for problem in check(body, country, service)
        if problem not in certain_problems
    ]
    return [*likely_problems, *find_warnings(country, account_type, details, service=service)]


def _check_type(
    entry: Body, country: str | None, path: str, service: Service | None
) -> list[Problem]:
    """Check the type of an account, which its country must have."""
    problems = check_field(entry, "type", make_choice_check(codes.ACCOUNT_TYPES), path=path)
    corridor = countries.of(service).get(country)
    if problems or corridor is None or corridor.account(entry["type"]):
        return problems
    message = describe_wrong_choice(corridor.account_types, entry["type"], f"in {corridor.country}")
    return [Problem(join_path(path, "type"), message, "account.country")]
