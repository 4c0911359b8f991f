"""The currency and the payout methods of an account, as far as its details tell its country."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ..corridors import countries
from ..errors.base import Problem
from ..errors.choices import choice_message
from ..spec import codes
from ..spec.service.service import Service
from .fields import as_object

REQUIRED = "is required"


class AccountRoute(NamedTuple):
    """The choices of the fields that say how an account is paid; empty where they are not known."""

    destination_currency: tuple[str, ...] = ()
    payout_method: tuple[str, ...] = ()


def find_route(account: object, currency: object, service: Service) -> AccountRoute:
    """The route to an account, which is an object with type and details.

    If it is not known, as that of an id, the route has the payout methods of `currency`.
    """
    members: object = account
    if not isinstance(account, Mapping):
        members = {member_name: getattr(account, member_name, None) for member_name in _MEMBERS}
    account_type = as_object(members).get("type")
    details = as_object(as_object(members).get("details"))
    if account_type == codes.CRYPTO_WALLET and details.get("network"):
        return AccountRoute(("USDC",), (str(details["network"]),))
    all_countries = countries.of(service)
    corridor = all_countries.get(countries.likely_country(account_type, details))
    if corridor is not None and corridor.currency:
        return AccountRoute((corridor.currency,), corridor.payout_methods)
    if not isinstance(currency, str):
        return AccountRoute((), ())
    payout_methods: list[str] = []
    for corridor in all_countries.all:
        if codes.same_currency(currency, corridor.currency):
            payout_methods += corridor.payout_methods
    return AccountRoute((), tuple(dict.fromkeys(payout_methods)))


_MEMBERS = ("type", "details")


def narrow_problems(
    problems: Iterable[Problem], read_route: Callable[[], AccountRoute]
) -> list[Problem]:
    """The problems, with the choices of the route at its fields that are missing."""
    return [
        replace(problem, message=f"{REQUIRED}: it {choice_message(choices)}")
        if problem.message == REQUIRED and (choices := getattr(read_route(), problem.field, ()))
        else problem
        for problem in problems
    ]
