"""Financial accounts: the type a country uses, and the fields its details carry."""

from __future__ import annotations

from .. import codes, corridors
from ..errors import Problem
from . import addresses, typos
from .fields import (
    Body,
    as_object,
    dotted,
    fits,
    flat,
    identifier,
    is_object,
    must_be,
    need,
    one_of,
)


def check(body: object, country: str | None = None) -> list[Problem]:
    """What is wrong with a new account; without the individual's country, as far as can be told."""
    entry = as_object(body)
    problems = [*need(entry, "individual_id", identifier), *check_entry(entry, country)]
    return is_object(body) or problems


def check_entry(entry: object, country: str | None = None, at: str = "") -> list[Problem]:
    """What is wrong with the `type` and `details` of one account."""
    body = as_object(entry)
    return is_object(entry, at) or [*_type(body, country, at), *_details(body, country, at)]


def check_update(body: object, country: str | None, kind: str) -> list[Problem]:
    """What is wrong with new details for an account of this type."""
    return is_object(body) or _details({**as_object(body), "type": kind}, country, "")


def check_details(
    country: str | None, kind: object, details: object, at: str = "details"
) -> list[Problem]:
    """What is wrong with the details of an account of this type in this country."""
    found = as_object(details)
    account = corridors.account(country, kind)
    fields = account.fields if account else ()
    return is_object(details, at) or flat(
        need(found, f.name, fits(f.form_in(found)), at=at, asked=f.source if f.required else "")
        for f in fields
    )


def warn(country: str | None, kind: object, details: object, at: str = "details") -> list[Problem]:
    """What in good details looks like a typing mistake."""
    found = as_object(details)
    account = corridors.account(country, kind)
    fields = account.fields if account else ()
    mistyped = (typos.warn(f.form_in(found), found.get(f.name), dotted(at, f.name)) for f in fields)
    return [*flat(mistyped), *(_wallet(found, at) if kind == codes.CRYPTO_WALLET else [])]


def _wallet(details: Body, at: str) -> list[Problem]:
    """What in a wallet's address looks mistyped, on a network that has such addresses."""
    network = details.get("network")
    known = network in codes.NETWORKS
    return addresses.warn(network, details.get("address"), dotted(at, "address")) if known else []


def _type(entry: Body, country: str | None, at: str) -> list[Problem]:
    problems = need(entry, "type", one_of(codes.ACCOUNT_TYPES), at=at)
    corridor = corridors.get(country)
    if problems or corridor is None or corridor.account(entry["type"]):
        return problems
    message = f"{must_be(corridor.account_types)} in {corridor.country}"
    return [Problem(dotted(at, "type"), message, "account.country")]


def _details(entry: Body, country: str | None, at: str) -> list[Problem]:
    kind = entry.get("type")

    def check_here(value: object, field: str) -> list[Problem]:
        return check_details(country, kind, value, field)

    return need(entry, "details", check_here, at=at)
