"""Rules of quotes and transfers: amounts, currencies, and the rails of an account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..corridors import countries
from ..errors.base import Problem
from ..errors.choices import choice_message, describe_wrong_choice
from ..spec import codes, money
from ..spec.operations.field import TEXT
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .fields import (
    Body,
    Check,
    as_list,
    as_object,
    check_field,
    check_identifier,
    check_object,
    make_choice_check,
    make_text_field_check,
)

AMOUNTS = {
    "source_amount": "source_currency",
    "destination_amount": "destination_currency",
    "net_source_amount": "source_currency",
}
"""Each amount and the field that names its currency."""
_TRANSFER_FIELDS = OPERATIONS["transfers.create"].fields
_RAILS = "corridor.rails"
_TRANSFER = "transfer.create"
_QUOTE = "quote.operation"
_WALLET = "details.wallet"
_CURRENCIES = frozenset(codes.SOURCE_CURRENCIES + codes.DESTINATION_CURRENCIES)
_check_source_currency = make_choice_check(codes.SOURCE_CURRENCIES, ignore_case=True)
_check_destination_currency = make_choice_check(codes.DESTINATION_CURRENCIES, ignore_case=True)
_check_payout_method = make_choice_check(codes.PAYOUT_METHODS)
_check_type = make_choice_check(codes.SOURCE_TYPES, _TRANSFER)


def check(body: object, service: Service | None = None) -> list[Problem]:
    """Check a new transfer, direct or from a quote."""
    if not isinstance(body, Mapping):
        return check_object(body)
    corridors = countries.of(service)
    transfer_settings = corridors.service.transfers
    requirement_source_by_field = dict.fromkeys(transfer_settings.required, _TRANSFER)
    is_direct = body.get("quote_id") is None
    required_if_direct = _TRANSFER if is_direct else ""
    network_required_by = requirement_source_by_field.get("source_network", "")
    # A quote has the network already; without a default, the body of a direct transfer needs it.
    needs_network = (
        is_direct and _has_stablecoin(body) and transfer_settings.default_network == NONE
    )
    if needs_network and not network_required_by:
        network_required_by = "transfer.network"
    return [
        *check_field(
            body,
            "quote_id",
            check_identifier,
            required_by=requirement_source_by_field.get("quote_id", ""),
        ),
        *_check_destination(body, required_if_direct),
        *check_field(
            body, "source_currency", _check_source_currency, required_by=required_if_direct
        ),
        *_check_amounts(body, _TRANSFER, is_quoted=not is_direct),
        *check_field(
            body, "source_network", _make_network_check(corridors), required_by=network_required_by
        ),
        *_check_source_type(body, requirement_source_by_field.get("source_type", "")),
        *_check_text_fields(body, requirement_source_by_field, corridors.service),
    ]


def _check_text_fields(
    body: Body, requirement_source_by_field: Mapping[str, str], service: Service
) -> Iterator[Problem]:
    """Check the fields of a transfer that are text."""
    for field in _TRANSFER_FIELDS:
        if field.kind == TEXT:
            text_check = make_text_field_check(field, service)
            yield from check_field(
                body,
                field.name,
                text_check,
                required_by=requirement_source_by_field.get(field.name, ""),
            )


def _check_source_type(body: Body, required_by: str) -> list[Problem]:
    """Check the source type; a deposit can pay for a transfer of a stablecoin only."""
    problems = check_field(body, "source_type", _check_type, required_by=required_by)
    if problems or body.get("source_type") != "deposit":
        return problems
    if body.get("source_currency") is None or _has_stablecoin(body):
        return []
    expectation_text = f"source_currency {choice_message(sorted(codes.STABLECOINS))}"
    message = f"deposit needs a stablecoin: {expectation_text}"
    return [Problem("source_type", message, "transfer.deposit-source")]


def _has_stablecoin(body: Body) -> bool:
    """Return whether the source currency is a stablecoin."""
    currency = body.get("source_currency")
    return isinstance(currency, str) and codes.is_stablecoin(currency)


def check_quote(body: object, service: Service | None = None) -> list[Problem]:
    """Check a request for a quote, whose source currency may have a default."""
    if not isinstance(body, Mapping):
        return check_object(body)
    corridors = countries.of(service)
    default_source_currency = default_currency(corridors.service)
    # A null is left out: as an absent field does, it leaves the currency to the default.
    terms = {
        field_name: field_value
        for field_name, field_value in body.items()
        if field_value is not None
    }
    if default_source_currency:
        terms = {"source_currency": default_source_currency, **terms}
    currency_required_by = "" if default_source_currency else _QUOTE
    network_required_by = _QUOTE if _has_stablecoin(terms) else ""
    return [
        *_check_destination(terms, _QUOTE),
        *check_field(
            terms, "source_currency", _check_source_currency, required_by=currency_required_by
        ),
        *_check_amounts(terms, _QUOTE),
        *check_field(
            terms, "source_network", _make_network_check(corridors), required_by=network_required_by
        ),
    ]


def default_currency(service: Service) -> str:
    """Return the default source currency of a quote; "" if it is required."""
    currency = service.quotes.default_source_currency
    return "" if currency == NONE else currency


def check_rail(body: Body, service: Service | None = None) -> list[Problem]:
    """Check that a rail is not one that the corridors name for other currencies only.

    A service that knows the account compares both with it instead; see `check_route`.
    """
    currency = body.get("destination_currency")
    payout_method = body.get("payout_method")
    if not isinstance(currency, str):
        return []
    named_rails = _find_named_rails(currency, service)
    if payout_method not in named_rails.for_others:
        return []
    return [
        _make_rail_problem(currency, payout_method, rails=named_rails.for_currency, source="spec")
    ]


def find_rail_warnings(body: Body, service: Service | None = None) -> list[Problem]:
    """Return a warning about a rail that no corridor names, such as `local`.

    It may still carry the currency.
    """
    currency = body.get("destination_currency")
    payout_method = body.get("payout_method")
    if not isinstance(currency, str):
        return []
    rails, other_rails = _find_named_rails(currency, service)
    is_named = payout_method in (*rails, *other_rails)
    # `check` finds a problem of a rail that the spec does not have.
    is_of_spec = payout_method in codes.PAYOUT_METHODS
    if not rails or is_named or not is_of_spec:
        return []
    return [_make_rail_problem(currency, payout_method, rails, source=_RAILS)]


def _make_rail_problem(currency: str, method: object, rails: Sequence[str], source: str) -> Problem:
    """Make the problem that a rail is not one of those of a currency."""
    message = describe_wrong_choice(rails, method, f"for {currency.upper()}")
    return Problem("payout_method", message, source)


class _NamedRails(NamedTuple):
    """The rails that the corridors name for a currency, and those for other currencies only."""

    for_currency: list[str]
    for_others: list[str]


@lru_cache
def _find_named_rails(currency: str, service: Service | None) -> _NamedRails:
    """Return the named rails of a currency; both lists are empty if no rail is named for it."""
    corridors = countries.of(service)
    all_rails: list[str] = []
    currency_rails: list[str] = []
    for corridor in corridors.all:
        all_rails += corridor.payout_methods
        if codes.same_currency(currency, corridor.currency):
            currency_rails += corridor.payout_methods
    # A stablecoin is paid on the networks of crypto wallets.
    all_rails += corridors.networks
    if codes.is_stablecoin(currency):
        currency_rails += corridors.networks
    if not currency_rails:
        return _NamedRails([], [])
    other_rails = [rail for rail in all_rails if rail not in currency_rails]
    return _NamedRails(list(dict.fromkeys(currency_rails)), other_rails)


def _make_network_check(corridors: countries.Countries) -> Check:
    """Make the check of the network of a crypto wallet."""
    return make_choice_check(corridors.networks, _WALLET)


def check_route(  # noqa: PLR0913 - what a payout is made of
    country: object,
    account_type: object,
    source_currency: object,
    destination_currency: object,
    payout_method: object,
    service: Service | None = None,
) -> list[Problem]:
    """Check the currencies and the rail of a payout to an account of this type and country.

    That the rail of a crypto wallet is its network is checked by `check_network`.
    """
    currency, rails, rule_source = _find_account_rails(country, account_type, service)
    if not rails:
        place_text = "without a country" if country is None else f"in {country!s:.20}"
        message = f"no rail reaches {account_type!s:.20} accounts {place_text}"
        return [Problem("payout_method", message, "account.country")]
    is_wallet = account_type == codes.CRYPTO_WALLET
    scope_text = "for a crypto_wallet" if is_wallet else f"for an account in {country}"
    currency_check = make_choice_check((currency,), rule_source, ignore_case=True, scope=scope_text)
    method_check = make_choice_check(rails, rule_source, scope=scope_text)
    return [
        *_check_source_currency(source_currency, "source_currency"),
        *currency_check(destination_currency, "destination_currency"),
        *method_check(payout_method, "payout_method"),
    ]


def check_network(
    network: object, payout_method: object, service: Service | None = None
) -> list[Problem]:
    """Check a payout to a crypto wallet: the payout method must be the wallet's network.

    A network that the service does not have gives no problem here.
    """
    if not isinstance(network, str) or network not in countries.of(service).networks:
        return []
    method_check = make_choice_check([network], _WALLET)
    return method_check(payout_method, "payout_method")


def check_wallet(accounts: object, source_network: object) -> list[Problem]:
    """Check that the recipient of an off-ramp has a crypto wallet on the source network."""
    for account_value in as_list(accounts):
        account = as_object(account_value)
        details = as_object(account.get("details"))
        is_wallet = account.get("type") == codes.CRYPTO_WALLET
        if is_wallet and details.get("network") == source_network:
            return []
    message = (
        f"the recipient has no crypto_wallet on {source_network!s:.20}: register one first, "
        "to which stablecoins are returned if a transfer fails"
    )
    return [Problem("source_network", message)]


def _find_account_rails(
    country: object, account_type: object, service: Service | None
) -> tuple[str, tuple[str, ...], str]:
    """Return the currency and the rails of an account, and the source that states them.

    There are no rails if the country has no such account.
    """
    corridors = countries.of(service)
    if account_type == codes.CRYPTO_WALLET:
        return "USDC", corridors.networks, _WALLET
    corridor = corridors.get(country)
    if corridor is None or corridor.account(account_type) is None:
        return "", (), "account.country"
    return corridor.currency, corridor.payout_methods, _RAILS


def _check_destination(body: Body, required_by: str) -> list[Problem]:
    """Check the account, the payout method and the currency of a payout."""
    return [
        *_check_account_reference(body, required_by),
        *check_field(body, "payout_method", _check_payout_method, required_by=required_by),
        *check_field(
            body, "destination_currency", _check_destination_currency, required_by=required_by
        ),
    ]


def _check_account_reference(body: Body, required_by: str) -> list[Problem]:
    """Check the account, which is given as an object with an id, as an id, or as both."""
    account = body.get("financial_account")
    account_id = body.get("financial_account_id")
    if account is None and account_id is None:
        return check_field(body, "financial_account", check_object, required_by=required_by)
    if account is None:
        return check_identifier(account_id, "financial_account_id")
    if not isinstance(account, Mapping):
        return check_object(account, "financial_account")
    problems = check_field(account, "id", check_identifier, path="financial_account")
    if problems or account_id in (None, account["id"]):
        return problems
    return [Problem("financial_account_id", "must equal financial_account.id", _TRANSFER)]


def _check_amounts(body: Body, rule_source: str, *, is_quoted: bool = False) -> list[Problem]:
    """Check that there is one valid amount, or no amount if a quote sets the amounts."""
    amount_names = [amount_name for amount_name in AMOUNTS if body.get(amount_name) is not None]
    problems = _check_amount_count(amount_names, rule_source, is_quoted=is_quoted)
    for amount_name in amount_names:
        currency = body.get(AMOUNTS[amount_name])
        is_known_currency = isinstance(currency, str) and currency.upper() in _CURRENCIES
        # Without a currency, the number of decimals is not checked.
        amount_currency = currency if is_known_currency else None
        problems += money.check_amount(body[amount_name], amount_currency, amount_name)
    return problems


def _check_amount_count(
    amount_names: Sequence[str], rule_source: str, *, is_quoted: bool
) -> list[Problem]:
    """Check that one amount is given, or none if a quote sets the amounts."""
    if is_quoted:
        message = "leave it out: the quote sets the amounts"
        return [Problem(amount_name, message, _TRANSFER) for amount_name in amount_names]
    if len(amount_names) == 1:
        return []
    instruction_text = f"give exactly one of {', '.join(AMOUNTS)}"
    if amount_names:
        return [Problem(amount_names[-1], f"leave it out: {instruction_text}", rule_source)]
    return [Problem("source_amount", f"is required: {instruction_text}", rule_source)]
