"""Rules of on-ramps: the conversion account and the sandbox deposit."""

from __future__ import annotations

from collections.abc import Mapping

from ..corridors import on_ramps
from ..errors.base import Problem
from ..spec import codes, money
from ..spec.service.on_ramp import ConversionAccountSettings
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.service.value_types import NONE
from .fields import (
    Body,
    Check,
    check_any_text,
    check_field,
    check_identifier,
    check_object,
    make_choice_check,
    make_length_check,
)

_ACCOUNT_SOURCE = "ca.create"


def check(
    body: object, currency: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Check a sandbox deposit; `currency` is the conversion account's, if it is known."""
    if not isinstance(body, Mapping):
        return check_object(body)
    if currency is None:  # that no other currency can be deposited is only assumed
        currency_check = make_choice_check(on_ramps.CURRENCIES, "deposit.path", ignore_case=True)
    else:
        currency_check = make_choice_check(
            (currency.lower(),), ignore_case=True, scope="for this account"
        )
    amount_check = _make_amount_check(currency or body.get("currency"))
    sender_check = _make_sender_check(service or Service())
    return [
        *check_field(body, "conversion_account_id", check_identifier),
        *check_field(body, "currency", currency_check),
        *check_field(body, "amount", amount_check),
        *check_field(body, "sender_name", sender_check, required_by=""),
    ]


def check_account(
    body: object, country: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Check a new conversion account; `country` is the individual's, if it is known."""
    if not isinstance(body, Mapping):
        return check_object(body)
    account_settings = (service or Service()).conversion_accounts
    return [
        *check_field(body, "individual_id", check_identifier, required_by=_ACCOUNT_SOURCE),
        *check_field(body, "payout_account", _check_payout_account),
        *_check_source_currency(body, country),
        *check_field(
            body,
            "destination_currency",
            make_choice_check(sorted(codes.STABLECOINS), _ACCOUNT_SOURCE, ignore_case=True),
            required_by=_find_requirement_source(account_settings, "destination_currency"),
        ),
        *check_field(
            body,
            "client_reference_id",
            make_length_check(account_settings.max_reference, _ACCOUNT_SOURCE),
            required_by=_find_requirement_source(account_settings, "client_reference_id"),
        ),
    ]


def _find_requirement_source(settings: ConversionAccountSettings, field_name: str) -> str:
    """Return the source of the rule that a field is required, or "" if it is optional."""
    has_default_currency = settings.default_destination_currency != NONE
    needs_currency = field_name == "destination_currency" and not has_default_currency
    return _ACCOUNT_SOURCE if field_name in settings.required or needs_currency else ""


def _make_sender_check(service: Service) -> Check:
    """Make the check of the sender: any text, not empty if the service refuses that."""
    if service.sandbox_deposits.missing_sender != "refused":
        return check_any_text

    def check_sender(value: object, field: str) -> list[Problem]:
        """Check that a sender is text and not empty."""
        if value == "":
            return [Problem(field, "must not be empty", "deposit.review")]
        return check_any_text(value, field)

    return check_sender


def _make_amount_check(currency: object) -> Check:
    """Make the check of an amount, which has a maximum if the on-ramp of its currency is known."""
    on_ramp = on_ramps.of_currency(currency)
    if on_ramp is None:
        return lambda value, field: money.check_amount(value, currency=None, field=field)

    def check_amount(value: object, field: str) -> list[Problem]:
        """Check the form of an amount, and that it is not above the maximum of the on-ramp."""
        problems = money.check_amount(value, currency, field)
        amount = money.read_amount(value)
        if problems or amount is None or amount <= on_ramp.cap:
            return problems
        currency_code = str(currency).upper()
        message = f"must be at most {on_ramp.cap} {currency_code} in the sandbox, not {value}"
        return [Problem(field, message)]

    return check_amount


def _check_payout_account(payout_account: object, field: str) -> list[Problem]:
    """Check the reference of the account that receives the payout."""
    if not isinstance(payout_account, Mapping):
        return check_object(payout_account, field)
    return check_field(payout_account, "id", check_identifier, path=field)


def _check_source_currency(body: Body, country: str | None) -> list[Problem]:
    """Check for the currency of the country's on-ramp; without a country, for any known one."""
    currency_field = "source_currency"
    if country is None:
        any_currency_check = make_choice_check(
            on_ramps.CURRENCIES, _ACCOUNT_SOURCE, ignore_case=True
        )
        return check_field(body, currency_field, any_currency_check)
    on_ramp = on_ramps.of_country(country)
    if on_ramp is not None:
        currency_check = make_choice_check(
            (on_ramp.currency,), on_ramp.source, ignore_case=True, scope=f"in {country}"
        )
        return check_field(body, currency_field, currency_check)
    # A service may have on-ramps that are not known here, but it cannot choose their currency.
    rule_source = SPEC if body.get(currency_field) is None else _ACCOUNT_SOURCE
    return [Problem(currency_field, on_ramps.unknown_on_ramp(country), rule_source)]
