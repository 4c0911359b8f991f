"""On-ramp: the conversion account and the sandbox deposit."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from .. import corridors
from ..errors import Problem
from ..spec import codes, money
from .fields import Check, any_text, as_object, identifier, is_object, may, must_be, need, up_to

_ACCOUNT = "ca.create"
_SOURCES = tuple(codes.ON_RAMP.values())


def check(body: object, currency: str | None = None) -> list[Problem]:
    """What is wrong with a sandbox deposit; `currency` is the conversion account's, if known."""
    found = as_object(body)
    paid = currency or found.get("currency")
    return is_object(body) or [
        *need(found, "conversion_account_id", identifier),
        *need(found, "amount", _capped(paid)),
        *need(found, "currency", _currency(currency)),
        *may(found, "sender_name", any_text),
    ]


def check_account(body: object, country: str | None = None) -> list[Problem]:
    """What is wrong with a new conversion account; `country` is the individual's, if known."""
    found = as_object(body)
    reference = up_to(codes.ACCOUNT_REFERENCE_MAX, _ACCOUNT)
    return is_object(body) or [
        *need(found, "individual_id", identifier, asked=_ACCOUNT),
        *need(found, "payout_account", _reference),
        *need(found, "source_currency", _on_ramp(country)),
        *may(found, "destination_currency", _one_currency(sorted(codes.STABLECOINS), _ACCOUNT)),
        *may(found, "client_reference_id", reference),
    ]


def cap(currency: object) -> Decimal | None:
    """The most a sandbox deposit in this currency can be."""
    return codes.DEPOSIT_CAPS.get(currency.lower()) if isinstance(currency, str) else None


def _capped(currency: object) -> Check:
    most = cap(currency)

    def check_amount(value: object, field: str) -> list[Problem]:
        problems = money.check_amount(value, currency if most else None, field)
        amount = money.read_amount(value)
        if problems or most is None or amount is None or amount <= most:
            return problems
        return [Problem(field, f"must be at most {most} {str(currency).upper()} in the sandbox")]

    return check_amount


def _currency(currency: str | None) -> Check:
    if currency is None:
        return _one_currency(_SOURCES, "deposit.path")
    return _one_currency((currency.lower(),))


def _one_currency(choices: Sequence[str], source: str = "spec") -> Check:
    """One of these currencies, in any letter case."""

    def check_currency(value: object, field: str) -> list[Problem]:
        same = isinstance(value, str) and any(codes.same_currency(value, one) for one in choices)
        return [] if same else [Problem(field, must_be(choices), source)]

    return check_currency


def _reference(value: object, field: str) -> list[Problem]:
    return is_object(value, field) or need(as_object(value), "id", identifier, at=field)


def _on_ramp(country: str | None) -> Check:
    if country is None:
        return _one_currency(_SOURCES, _ACCOUNT)
    corridor = corridors.get(country)
    if corridor and corridor.on_ramp_currency:
        return _one_currency((corridor.on_ramp_currency,))
    return lambda _, field: [
        Problem(field, f"no on-ramp corridor is known for {country}", _ACCOUNT)
    ]
