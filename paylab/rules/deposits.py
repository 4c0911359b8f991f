"""On-ramp: the conversion account and the sandbox deposit."""

from __future__ import annotations

from typing import Any

from ..corridors import countries
from ..errors.base import Problem
from ..spec import codes, money
from ..spec.service import Service
from ..spec.service_keys import NONE
from .fields import Check, any_text, as_object, identifier, is_object, need, one_of, up_to

_ACCOUNT, _KEYS = "ca.create", "conversion_accounts"
_SOURCES = tuple(codes.ON_RAMP.values())


def check(
    body: object, currency: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Problems of a sandbox deposit; `currency` is the conversion account's, if known."""
    found = as_object(body)
    paid = currency or found.get("currency")
    any_source = one_of(_SOURCES, "deposit.path", fold=True)
    own = any_source if currency is None else one_of((currency.lower(),), fold=True)
    return is_object(body) or [
        *need(found, "conversion_account_id", identifier),
        *need(found, "amount", _capped(paid)),
        *need(found, "currency", own),
        *need(found, "sender_name", _sender(service or Service()), asked=""),
    ]


def check_account(
    body: object, country: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Problems of a new conversion account; `country` is the individual's, if known."""
    found, settings = as_object(body), (service or Service()).conversion_accounts
    reference = up_to(settings.max_reference, _ACCOUNT, f"{_KEYS}.max_reference")
    coin = one_of(sorted(codes.STABLECOINS), _ACCOUNT, fold=True)
    return is_object(body) or [
        *need(found, "individual_id", identifier, asked=_ACCOUNT),
        *need(found, "payout_account", _reference),
        *need(found, "source_currency", _on_ramp(country, service)),
        *need(found, "destination_currency", coin, **_asked(settings, "destination_currency")),
        *need(found, "client_reference_id", reference, **_asked(settings, "client_reference_id")),
    ]


def _asked(settings: Any, name: str) -> dict[str, str]:
    """The source of a required field that the spec does not name, if any."""
    if name in settings.required:
        return {"asked": _ACCOUNT, "key": f"{_KEYS}.required"}
    if name == "destination_currency" and settings.default_destination_currency == NONE:
        return {"asked": _ACCOUNT, "key": f"{_KEYS}.default_destination_currency"}
    return {"asked": ""}


def _sender(service: Service) -> Check:
    """Any text; not empty if the service refuses a missing sender."""
    if service.sandbox_deposits.missing_sender != "refused":
        return any_text
    key = "sandbox_deposits.missing_sender"

    def check_sender(value: object, field: str) -> list[Problem]:
        empty = [Problem(field, "must not be empty", "deposit.review", key=key)]
        return any_text(value, field) or (empty if value == "" else [])

    return check_sender


def _capped(currency: object) -> Check:
    most = codes.DEPOSIT_CAPS.get(currency.lower()) if isinstance(currency, str) else None

    def check_amount(value: object, field: str) -> list[Problem]:
        problems = money.check_amount(value, currency if most else None, field)
        amount = money.read_amount(value)
        if problems or most is None or amount is None or amount <= most:
            return problems
        return [Problem(field, f"must be at most {most} {str(currency).upper()} in the sandbox")]

    return check_amount


def _reference(value: object, field: str) -> list[Problem]:
    return is_object(value, field) or need(as_object(value), "id", identifier, at=field)


def _on_ramp(country: str | None, service: Service | None) -> Check:
    if country is None:
        return one_of(_SOURCES, _ACCOUNT, fold=True)
    corridor = countries.of(service).get(country)
    if corridor and corridor.on_ramp_currency:
        return one_of((corridor.on_ramp_currency,), fold=True)
    return lambda _, field: [
        Problem(field, f"no on-ramp corridor is known for {country}", _ACCOUNT)
    ]
