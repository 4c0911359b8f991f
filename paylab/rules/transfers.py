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
_TRANSFER, _QUOTE = "transfer.create", "quote.operation"
_SOURCE = one_of(codes.SOURCE_CURRENCIES, fold=True)
_DESTINATION = one_of(codes.DESTINATION_CURRENCIES, fold=True)
_METHOD = one_of(codes.PAYOUT_METHODS)
_CURRENCIES = frozenset(codes.SOURCE_CURRENCIES + codes.DESTINATION_CURRENCIES)
_WALLET = "details.wallet"


def check(body: object, service: Service | None = None) -> list[Problem]:
    """Problems of a new transfer, direct or from a quote."""
    if not isinstance(body, Mapping):
        return is_object(body)
    found = countries.of(service)
    settings, currency = found.service.transfers, body.get("source_currency")
    direct = body.get("quote_id") is None
    asked = _TRANSFER if direct else ""

    def wanted(name: str) -> str:
        return _TRANSFER if name in settings.required else ""

    stable = isinstance(currency, str) and codes.is_stablecoin(currency)
    network = wanted("source_network")
    if settings.default_network == NONE and stable and direct:
        network = network or "transfer.network"
    types = one_of(codes.SOURCE_TYPES, _TRANSFER)
    problems = [
        *need(body, "quote_id", identifier, asked=wanted("quote_id")),
        *_destination(body, asked),
        *need(body, "source_currency", _SOURCE, asked=asked),
        *_amounts(body, _TRANSFER, is_quoted=not direct),
        *need(body, "source_network", _network(found), asked=network),
    ]
    kind = need(body, "source_type", types, asked=wanted("source_type"))
    if not kind and body.get("source_type") == "deposit" and not (stable or currency is None):
        must = f"source_currency {must_be(sorted(codes.STABLECOINS))}"
        message = f"deposit needs a stablecoin: {must}"
        kind = [Problem("source_type", message, "transfer.deposit-source")]
    texts = flat(
        need(body, each.name, text_of(each, found.service), asked=wanted(each.name))
        for each in _RECORD.fields
        if each.kind == TEXT
    )
    return [*problems, *kind, *texts]


def check_quote(body: object, service: Service | None = None) -> list[Problem]:
    """Problems of a request for a quote."""
    if not isinstance(body, Mapping):
        return is_object(body)
    settled = countries.of(service)
    usual = default_currency(settled.service)
    found = {name: value for name, value in body.items() if value is not None}
    found = {"source_currency": usual, **found} if usual else found
    currency = found.get("source_currency")
    stable = isinstance(currency, str) and codes.is_stablecoin(currency)
    return [
        *_destination(found, _QUOTE),
        *need(found, "source_currency", _SOURCE, asked="" if usual else _QUOTE),
        *_amounts(found, _QUOTE),
        *need(found, "source_network", _network(settled), asked=_QUOTE if stable else ""),
    ]


def default_currency(service: Service) -> str:
    """The default source currency of a quote; "" if it is required."""
    usual = service.quotes.default_source_currency
    return "" if usual == NONE else usual


def warn(body: Body, service: Service | None = None) -> list[Problem]:
    """What in a good transfer or quote only an assumption speaks against: its rail."""
    currency, method = body.get("destination_currency"), body.get("payout_method")
    if not isinstance(currency, str):
        return []
    return [*warn_rail(currency, method, service), *check_rail(currency, method, service)]


def check_rail(currency: str, method: object, service: Service | None = None) -> list[Problem]:
    """Whether a rail is one of another currency, where the corridors name those of both."""
    return _rail(currency, method, service) if method in _rails(currency, service)[1] else []


def warn_rail(currency: str, method: object, service: Service | None = None) -> list[Problem]:
    """A rail that no corridor names, such as `local`: it may still carry the currency."""
    own, elsewhere = _rails(currency, service)
    is_known = method in own or method in elsewhere or method not in codes.PAYOUT_METHODS
    return [] if is_known else _rail(currency, method, service)


def _rail(currency: str, method: object, service: Service | None) -> list[Problem]:
    own, _ = _rails(currency, service)
    message = f"{must_be(own)} for {currency.upper()}, not {method}"
    return [Problem("payout_method", message, _RAILS)] if own else []


@lru_cache
def _rails(currency: str, service: Service | None) -> tuple[list[str], list[str]]:
    """The rails named for a currency, and those named for others alone."""
    found = countries.of(service)
    reached = [one for one in found.all if codes.same_currency(currency, one.currency)]
    named = [rail for one in found.all for rail in one.payout_methods]
    own = [rail for one in reached for rail in one.payout_methods]
    own += found.networks if codes.is_stablecoin(currency) else ()
    others = [rail for rail in (*named, *found.networks) if rail not in own]
    return list(dict.fromkeys(own)), others if own else []


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
    own = tuple(one for one in countries.of(service).networks if one == network)
    return one_of(own, _WALLET)(payout_method, "payout_method") if own else []


def check_wallet(accounts: object, source_network: object) -> list[Problem]:
    """Problems of an off-ramp: no crypto wallet on the source network."""
    wallets = [as_object(one) for one in as_list(accounts)]
    held = [one for one in wallets if one.get("type") == codes.CRYPTO_WALLET]
    if any(as_object(one.get("details")).get("network") == source_network for one in held):
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
    found = countries.of(service)
    if kind == codes.CRYPTO_WALLET:
        return "USDC", found.networks, _WALLET
    corridor = found.get(country)
    if corridor is None or corridor.account(kind) is None:
        return "", (), "account.country"
    return corridor.currency, corridor.payout_methods, _RAILS


def _destination(body: Body, asked: str) -> list[Problem]:
    inner, by_id = body.get("financial_account"), body.get("financial_account_id")
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
    given = [name for name in AMOUNTS if body.get(name) is not None]
    problems = []
    if is_quoted:
        message = "leave it out: the quote sets the amounts"
        problems = [Problem(name, message, _TRANSFER) for name in given]
    elif len(given) != 1:
        lead = "leave it out:" if given else "is required:"
        message = f"{lead} give exactly one of {', '.join(AMOUNTS)}"
        problems = [Problem(given[-1] if given else "source_amount", message, source)]
    for name in given:
        currency = body.get(AMOUNTS[name])
        is_known = isinstance(currency, str) and currency.upper() in _CURRENCIES
        problems += money.check_amount(body[name], currency if is_known else None, name)
    return problems
