"""On-ramp: the conversion account and the sandbox deposit."""

from __future__ import annotations

from ..corridors import on_ramps
from ..errors.base import Problem
from ..spec import codes, money
from ..spec.service.on_ramp import ConversionAccountSettings
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.service.value_types import NONE
from .fields import Body, Check, any_text, as_object, identifier, is_object, need, one_of, up_to

_ACCOUNT = "ca.create"


def check(
    body: object, currency: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Problems of a sandbox deposit; `currency` is the conversion account's, if known."""
    deposit = as_object(body)
    paid = currency or deposit.get("currency")
    any_source = one_of(on_ramps.CURRENCIES, "deposit.path", fold=True)
    currency_check = any_source if currency is None else one_of((currency.lower(),), fold=True)
    return is_object(body) or [
        *need(deposit, "conversion_account_id", identifier),
        *need(deposit, "amount", _capped(paid)),
        *need(deposit, "currency", currency_check),
        *need(deposit, "sender_name", _sender(service or Service()), asked=""),
    ]


def check_account(
    body: object, country: str | None = None, service: Service | None = None
) -> list[Problem]:
    """Problems of a new conversion account; `country` is the individual's, if known."""
    fields = as_object(body)
    settings = (service or Service()).conversion_accounts
    reference = up_to(settings.max_reference, _ACCOUNT)
    coin = one_of(sorted(codes.STABLECOINS), _ACCOUNT, fold=True)
    return is_object(body) or [
        *need(fields, "individual_id", identifier, asked=_ACCOUNT),
        *need(fields, "payout_account", _reference),
        *_source_currency(fields, country),
        *need(fields, "destination_currency", coin, asked=_asked(settings, "destination_currency")),
        *need(
            fields, "client_reference_id", reference, asked=_asked(settings, "client_reference_id")
        ),
    ]


def _asked(settings: ConversionAccountSettings, name: str) -> str:
    """The source of a required field that the spec does not name, if any."""
    has_default = settings.default_destination_currency != NONE
    is_currency = name == "destination_currency"
    return _ACCOUNT if name in settings.required or (is_currency and not has_default) else ""


def _sender(service: Service) -> Check:
    """Any text; not empty if the service refuses a missing sender."""
    if service.sandbox_deposits.missing_sender != "refused":
        return any_text

    def check_sender(value: object, field: str) -> list[Problem]:
        empty = [Problem(field, "must not be empty", "deposit.review")]
        return any_text(value, field) or (empty if value == "" else [])

    return check_sender


def _capped(currency: object) -> Check:
    on_ramp = on_ramps.of_currency(currency)
    most = on_ramp.cap if on_ramp else None

    def check_amount(value: object, field: str) -> list[Problem]:
        problems = money.check_amount(value, currency if most else None, field)
        amount = money.read_amount(value)
        if problems or most is None or amount is None or amount <= most:
            return problems
        return [Problem(field, f"must be at most {most} {str(currency).upper()} in the sandbox")]

    return check_amount


def _reference(value: object, field: str) -> list[Problem]:
    return is_object(value, field) or need(as_object(value), "id", identifier, at=field)


def _source_currency(body: Body, country: str | None) -> list[Problem]:
    """The currency of the country's on-ramp; any known one without a country."""
    name = "source_currency"
    if country is None:
        return need(body, name, one_of(on_ramps.CURRENCIES, _ACCOUNT, fold=True))
    if on_ramp := on_ramps.of_country(country):
        return need(body, name, one_of((on_ramp.currency,), on_ramp.source, fold=True))
    # A service may have on-ramps that are not known here, but it cannot choose their currency.
    source = SPEC if body.get(name) is None else _ACCOUNT
    return [Problem(name, on_ramps.unknown_on_ramp(country), source)]
