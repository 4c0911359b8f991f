"""Which fields the details of an account have, and which one a wrong name means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..corridors import countries
from ..corridors.account_types import Account
from ..errors.base import Problem
from ..errors.suggestions import find_nearest_name
from ..errors.text import plain
from ..errors.type_words import with_article
from ..spec.field_names import make_account_names
from ..spec.json_path import join_path
from ..spec.service.service import Service

_SIMILAR = 0.6
"""The similarity of a wrong name to a field that is missing."""


class CountryAccount(NamedTuple):
    """An account type, and the only country that has it so; "" if several countries do."""

    country: str
    account: Account

    def describe(self) -> str:
        """Return the type, its country and its fields as a sentence."""
        place_text = f" in {self.country}" if self.country else ""
        field_names_text = ", ".join(field.name for field in self.account.fields)
        return f"{with_article(self.account.type)}{place_text} has {field_names_text}"


def find_account(
    account_type: object, field_names: Iterable[str], service: Service
) -> CountryAccount | None:
    """Return the account of a type whose details have all these fields.

    None without such an account, or without a field.
    """
    unique_names = {*field_names}
    if not unique_names:
        return None
    account_by_country = dict[str, Account]()
    for corridor in countries.of(service).all:
        account = corridor.account(account_type)
        if account and unique_names <= {field.name for field in account.fields}:
            account_by_country[corridor.country] = account
    if not account_by_country:
        return None
    country, account = next(iter(account_by_country.items()))
    return CountryAccount(country if len(account_by_country) == 1 else "", account)


def find_unknown_names(
    country: str | None, account_type: object, details: object, service: Service
) -> list[Problem]:
    """Return a warning for each field that an account does not have in its country.

    Without a country, only those of account types that are the same everywhere are known.
    """
    account = countries.of(service).account(country, account_type)
    if account is None or not isinstance(details, Mapping):
        return []
    account_settings = service.account(country, account.type)
    our_name_by_theirs = make_account_names(account_settings).our_names if account_settings else {}
    unknown_names = unknown_detail_names(details, account, our_name_by_theirs)
    missing_names = [
        field.name for field in account.fields if field.required and field.name not in details
    ]
    return [
        Problem(
            join_path("details", plain(name, 60)),
            f"is no field here: {CountryAccount(country or '', account).describe()}"
            f"{_describe_meant(name, unknown_names, missing_names)}",
            account.source,
        )
        for name in unknown_names
    ]


def unknown_detail_names(
    details: Mapping[str, object], account: Account, their_names: Iterable[str] = ()
) -> list[str]:
    """Return the names in details that are no fields of an account, ours or the service's."""
    known_names = {*their_names, *(field.name for field in account.fields)}
    return [str(detail_name) for detail_name in details if detail_name not in known_names]


def _describe_meant(name: str, unknown: Sequence[str], missing: Sequence[str]) -> str:
    """Return `; is clabe meant?`: the nearest missing field, or the only one; "" without one."""
    nearest_name = find_nearest_name(name, missing, _SIMILAR)
    # The only unknown name can only stand for the only missing field.
    only_name = missing[0] if len(missing) == len(unknown) == 1 else ""
    meant_name = nearest_name or only_name
    return f"; is {meant_name} meant?" if meant_name else ""
