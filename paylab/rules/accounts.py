"""Rules of financial accounts, and warnings about mistyped wallet addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import NamedTuple

from ..corridors import clabe, countries
from ..corridors.account_types import Format
from ..errors.base import Problem
from ..spec import codes
from ..spec.json_path import dotted
from ..spec.service.service import Service
from .fields import Body, as_object, fits, flat, identifier, is_object, must_be, need, one_of
from .keccak import keccak_256

_HEX = re.compile("0x[0-9a-fA-F]{40}")
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_SOURCE = "check-digits"
SOLANA = "solana"
SOLANA_BYTES = 32


def warn_address(network: object, address: object, field: str = "address") -> list[Problem]:
    """A warning if an address looks mistyped on this network."""
    if not isinstance(address, str) or not address:
        return []
    message = _solana(address) if network == SOLANA else _ethereum(address)
    return [Problem(field, message, _SOURCE)] if message else []


def checksummed(address: str) -> str:
    """The address with the capitals that EIP-55 gives it."""
    digits = address[2:].lower()
    signs = keccak_256(digits.encode()).hex()
    pairs = zip(digits, signs, strict=False)
    return "0x" + "".join(digit.upper() if sign >= "8" else digit for digit, sign in pairs)


def base58(text: str) -> bytes | None:
    """The bytes of a Base58 text, or None."""
    if not text or any(sign not in _ALPHABET for sign in text):
        return None
    number = 0
    for sign in text:
        number = number * 58 + _ALPHABET.index(sign)
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def _ethereum(address: str) -> str:
    if not _HEX.fullmatch(address):
        return "does not look like an address of this network: 0x and 40 hex digits"
    if address in (checksummed(address), address.lower(), f"0x{address[2:].upper()}"):
        return ""
    return "looks mistyped: its checksum (EIP-55) is wrong, compare every character"


def _solana(address: str) -> str:
    if len(address) > 2 * SOLANA_BYTES or (decoded := base58(address)) is None:
        return "does not look like a Solana address: 32 to 44 letters and digits without 0, O, I, l"
    if len(decoded) != SOLANA_BYTES:
        return f"looks mistyped: it has {len(decoded)} bytes, a Solana address has {SOLANA_BYTES}"
    return ""


class CheckDigit(NamedTuple):
    """A check digit algorithm and its name."""

    name: str
    holds: Callable[[str], bool]


def _is_tin(number: str) -> bool:
    """Whether it is 9 digits, or 12 to 14 with a branch; there is no public check digit."""
    return re.fullmatch("[0-9]{9}(?:[0-9]{3,5})?", number.replace("-", "")) is not None


def _standard(module: str) -> Callable[[str], bool]:
    """The check of a module of stdnum, which is imported when a number is checked."""
    return lambda number: bool(import_module(f"stdnum.{module}").is_valid(number))


ALGORITHMS = {
    "bic": CheckDigit("BIC", _standard("bic")),
    "cbu": CheckDigit("CBU or CVU", _standard("ar.cbu")),
    "clabe": CheckDigit("CLABE", clabe.is_valid),
    "cnpj": CheckDigit("CNPJ", _standard("br.cnpj")),
    "cpf": CheckDigit("CPF", _standard("br.cpf")),
    "cuit": CheckDigit("CUIT or CUIL", _standard("ar.cuit")),
    "curp": CheckDigit("CURP", _standard("mx.curp")),
    "iban": CheckDigit("IBAN", _standard("iban")),
    "nit": CheckDigit("NIT", _standard("co.nit")),
    "tin": CheckDigit("TIN of 9 digits and perhaps a branch", _is_tin),
}


def warn_check_digits(form: Format, value: object, field: str) -> list[Problem]:
    """A warning if the check digit of a valid value is wrong."""
    algorithm = ALGORITHMS.get(form.check_digit)
    if algorithm is None or not isinstance(value, str) or fits(form)(value, field):
        return []
    sign = "digit" if value.isdigit() else "character"
    message = f"looks mistyped: it is not a valid {algorithm.name}, check every {sign}"
    return [] if algorithm.holds(value) else [Problem(field, message, "check-digits")]


def check(
    body: object, country: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Problems of a new account; incomplete without the individual's country."""
    entry = as_object(body)
    return is_object(body) or [
        *need(entry, "individual_id", identifier),
        *check_entry(entry, country, "", service),
    ]


def check_entry(
    entry: object, country: str | None = None, at: str = "", service: Service | None = None
) -> list[Problem]:
    """Problems of the `type` and `details` of one account."""
    body = as_object(entry)
    details = partial(check_details, country, body.get("type"), service=service)
    return is_object(entry, at) or [
        *_type(body, country, at, service),
        *need(body, "details", details, at=at),
    ]


def check_details(
    country: str | None,
    kind: object,
    details: object,
    at: str = "details",
    service: Service | None = None,
) -> list[Problem]:
    """Problems of the details of an account of this type in this country."""
    values = as_object(details)
    account = countries.of(service).account(country, kind)
    fields = account.fields if account else ()
    problems = is_object(details, at)
    for field in fields if not problems else ():
        form = fits(field.form_in(values))
        source = field.source if field.required else ""
        problems += need(values, field.name, form, at=at, asked=source)
    return problems


def warn(
    country: str | None,
    kind: object,
    details: object,
    at: str = "details",
    service: Service | None = None,
) -> list[Problem]:
    """Warnings about likely typos in valid details."""
    values = as_object(details)
    account = countries.of(service).account(country, kind)
    fields = account.fields if account else ()
    mistyped = (
        warn_check_digits(f.form_in(values), values.get(f.name), dotted(at, f.name)) for f in fields
    )
    network = values.get("network")
    address = values.get("address")
    if kind != codes.CRYPTO_WALLET or network not in codes.NETWORKS:
        return flat(mistyped)
    return [*flat(mistyped), *warn_address(network, address, dotted(at, "address"))]


def doubts(body: object, service: Service | None = None) -> list[Problem]:
    """Likely problems of a new account whose owner's country is not known.

    The rules are those of the only account type with these fields.
    """
    entry = as_object(body)
    kind = entry.get("type")
    details = entry.get("details")
    country = likely_country(kind, as_object(details))
    stated = check(body, service=service)
    problems = [problem for problem in check(body, country, service) if problem not in stated]
    return [*problems, *warn(country, kind, details, service=service)]


def likely_country(kind: object, details: Body) -> str | None:
    """The country of the only account type with these details; None if there are several."""
    accounts = (
        [(corridor.country, corridor.account(kind)) for corridor in countries.of().all]
        if details
        else []
    )
    fitting = [
        (country, account)
        for country, account in accounts
        if account and {*details} <= {field.name for field in account.fields}
    ]
    alike = all(account == fitting[0][1] for _, account in fitting)
    return fitting[0][0] if fitting and alike else None


def _type(entry: Body, country: str | None, at: str, service: Service | None) -> list[Problem]:
    problems = need(entry, "type", one_of(codes.ACCOUNT_TYPES), at=at)
    corridor = countries.of(service).get(country)
    if problems or corridor is None or corridor.account(entry["type"]):
        return problems
    message = f"{must_be(corridor.account_types)} in {corridor.country}"
    return [Problem(dotted(at, "type"), message, "account.country")]
