"""Rules of quotes and transfers: amounts, currencies, and the rails of an account."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ..corridors import countries
from ..errors.base import Problem
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
    flat,
    identifier,
    is_object,
    must_be,
    need,
    one_of,
    text_of,
)

# Each amount and the field that names its currency.
AMOUNTS = {
    "source_amount": "source_currency",
    "destination_amount": "destination_currency",
    "net_source_amount": "source_currency",
}
_RECORD = OPERATIONS["transfers.create"]
_RAILS = "corridor.rails"
_TRANSFER = "transfer.create"
_QUOTE = "quote.operation"
_SOURCE = one_of(codes.SOURCE_CURRENCIES, fold=True)
_DESTINATION = one_of(codes.DESTINATION_CURRENCIES, fold=True)
_METHOD = one_of(codes.PAYOUT_METHODS)
_CURRENCIES = frozenset(codes.SOURCE_CURRENCIES + codes.DESTINATION_CURRENCIES)
_WALLET = "details.wallet"


def check(body: object, service: Service | None = None) -> list[Problem]:
    """Problems of a new transfer, direct or from a quote."""
    if not isinstance(body, Mapping):
        return is_object(body)
    corridors = countries.of(service)
    settings = corridors.service.transfers
    currency = body.get("source_currency")
    direct = body.get("quote_id") is None
    source = _TRANSFER if direct else ""

    def source_if_required(name: str) -> str:
        return _TRANSFER if name in settings.required else ""

    stable = isinstance(currency, str) and codes.is_stablecoin(currency)
    network = source_if_required("source_network")
    if settings.default_network == NONE and stable and direct:
        network = network or "transfer.network"
    types = one_of(codes.SOURCE_TYPES, _TRANSFER)
    problems = [
        *need(body, "quote_id", identifier, asked=source_if_required("quote_id")),
        *_destination(body, source),
        *need(body, "source_currency", _SOURCE, asked=source),
        *_amounts(body, _TRANSFER, is_quoted=not direct),
        *need(body, "source_network", _network(corridors), asked=network),
    ]
    kind = need(body, "source_type", types, asked=source_if_required("source_type"))
    if not kind and body.get("source_type") == "deposit" and not (stable or currency is None):
        must = f"source_currency {must_be(sorted(codes.STABLECOINS))}"
        message = f"deposit needs a stablecoin: {must}"
        kind = [Problem("source_type", message, "transfer.deposit-source")]
    texts = flat(
        need(
            body,
            field.name,
            text_of(field, corridors.service),
            asked=source_if_required(field.name),
        )
        for field in _RECORD.fields
        if field.kind == TEXT
    )
    return [*problems, *kind, *texts]


def check_quote(body: object, service: Service | None = None) -> list[Problem]:
    """Problems of a request for a quote."""
    if not isinstance(body, Mapping):
        return is_object(body)
    settled = countries.of(service)
    usual = default_currency(settled.service)
    terms = {name: value for name, value in body.items() if value is not None}
    terms = {"source_currency": usual, **terms} if usual else terms
    currency = terms.get("source_currency")
    stable = isinstance(currency, str) and codes.is_stablecoin(currency)
    return [
        *_destination(terms, _QUOTE),
        *need(terms, "source_currency", _SOURCE, asked="" if usual else _QUOTE),
        *_amounts(terms, _QUOTE),
        *need(terms, "source_network", _network(settled), asked=_QUOTE if stable else ""),
    ]


def default_currency(service: Service) -> str:
    """The default source currency of a quote; "" if it is required."""
    usual = service.quotes.default_source_currency
    return "" if usual == NONE else usual


def warn(body: Body, service: Service | None = None) -> list[Problem]:
    """What in a good transfer or quote only an assumption speaks against: its rail."""
    currency = body.get("destination_currency")
    method = body.get("payout_method")
    if not isinstance(currency, str):
        return []
    return [*warn_rail(currency, method, service), *check_rail(currency, method, service)]


def check_rail(currency: str, method: object, service: Service | None = None) -> list[Problem]:
    """Whether a rail is one of another currency, where the corridors name those of both."""
    return _rail(currency, method, service) if method in _rails(currency, service)[1] else []


def warn_rail(currency: str, method: object, service: Service | None = None) -> list[Problem]:
    """A rail that no corridor names, such as `local`: it may still carry the currency."""
    own_rails, elsewhere = _rails(currency, service)
    is_known = method in own_rails or method in elsewhere or method not in codes.PAYOUT_METHODS
    return [] if is_known else _rail(currency, method, service)


def _rail(currency: str, method: object, service: Service | None) -> list[Problem]:
    own_rails, _ = _rails(currency, service)
    message = f"{must_be(own_rails)} for {currency.upper()}, not {method}"
    return [Problem("payout_method", message, _RAILS)] if own_rails else []


@lru_cache
def _rails(currency: str, service: Service | None) -> tuple[list[str], list[str]]:
    """The rails named for a currency, and those named for others alone."""
    corridors = countries.of(service)
    reached_corridors = [
        corridor for corridor in corridors.all if codes.same_currency(currency, corridor.currency)
    ]
    known_rails = [rail for corridor in corridors.all for rail in corridor.payout_methods]
    own_rails = [rail for corridor in reached_corridors for rail in corridor.payout_methods]
    own_rails += corridors.networks if codes.is_stablecoin(currency) else ()
    other_rails = [rail for rail in (*known_rails, *corridors.networks) if rail not in own_rails]
    return list(dict.fromkeys(own_rails)), other_rails if own_rails else []


def _network(found: countries.Countries) -> Check:
    return one_of(found.networks, _WALLET)


def check_route(  # noqa: PLR0913 - what a payout is made of
    country: object,
    account_type: object,
    source_currency: object,
    destination_currency: object,
    payout_method: object,
    service: Service | None = None,
) -> list[Problem]:
    """Problems of the route to an account; see also `check_network` for a wallet."""
    currency, rails, source = _reach(country, account_type, service)
    if not rails:
        message = f"no rail reaches {account_type!s:.20} accounts of this country"
        return [Problem("payout_method", message, "account.country")]
    return [
        *_SOURCE(source_currency, "source_currency"),
        *one_of((currency,), source, fold=True)(destination_currency, "destination_currency"),
        *one_of(rails, source)(payout_method, "payout_method"),
    ]


def check_network(
    network: object, payout_method: object, service: Service | None = None
) -> list[Problem]:
    """Problems of a crypto wallet on another network."""
    matching = tuple(
        known_network
        for known_network in countries.of(service).networks
        if known_network == network
    )
    return one_of(matching, _WALLET)(payout_method, "payout_method") if matching else []


def check_wallet(accounts: object, source_network: object) -> list[Problem]:
    """Problems of an off-ramp: no crypto wallet on the source network."""
    all_accounts = [as_object(account) for account in as_list(accounts)]
    wallets = [account for account in all_accounts if account.get("type") == codes.CRYPTO_WALLET]
    if any(
        as_object(account.get("details")).get("network") == source_network for account in wallets
    ):
        return []
    message = (
        f"the recipient has no crypto_wallet on {source_network!s:.20}: register one first, "
        "to which stablecoins are returned if a transfer fails"
    )
    return [Problem("source_network", message)]


def _reach(
    country: object, kind: object, service: Service | None
) -> tuple[str, tuple[str, ...], str]:
    """The currency and the rails of an account, and their source."""
    corridors = countries.of(service)
    if kind == codes.CRYPTO_WALLET:
        return "USDC", corridors.networks, _WALLET
    corridor = corridors.get(country)
    if corridor is None or corridor.account(kind) is None:
        return "", (), "account.country"
    return corridor.currency, corridor.payout_methods, _RAILS


def _destination(body: Body, asked: str) -> list[Problem]:
    inner = body.get("financial_account")
    by_id = body.get("financial_account_id")
    if inner is None:
        account = (
            need(body, "financial_account", is_object, asked=asked)
            if by_id is None
            else identifier(by_id, "financial_account_id")
        )
    elif not isinstance(inner, Mapping):
        account = is_object(inner, "financial_account")
    else:
        account = need(inner, "id", identifier, at="financial_account")
        if not account and by_id not in (None, inner["id"]):
            message = "must equal financial_account.id"
            account = [Problem("financial_account_id", message, _TRANSFER)]
    return [
        *account,
        *need(body, "payout_method", _METHOD, asked=asked),
        *need(body, "destination_currency", _DESTINATION, asked=asked),
    ]


def _amounts(body: Body, source: str, *, is_quoted: bool = False) -> list[Problem]:
    """That there is one good amount, or none where a quote sets them."""
    amount_names = [name for name in AMOUNTS if body.get(name) is not None]
    problems = []
    if is_quoted:
        message = "leave it out: the quote sets the amounts"
        problems = [Problem(name, message, _TRANSFER) for name in amount_names]
    elif len(amount_names) != 1:
        lead = "leave it out:" if amount_names else "is required:"
        message = f"{lead} give exactly one of {', '.join(AMOUNTS)}"
        problems = [Problem(amount_names[-1] if amount_names else "source_amount", message, source)]
    for name in amount_names:
        currency = body.get(AMOUNTS[name])
        is_known = isinstance(currency, str) and currency.upper() in _CURRENCIES
        problems += money.check_amount(body[name], currency if is_known else None, name)
    return problems
