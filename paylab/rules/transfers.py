"""Quotes and transfers: amounts, currencies, and the rails that reach an account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import corridors
from ..errors import Problem
from ..spec import codes, money
from ..spec.assumptions import NONE
from ..spec.service import Service
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
    up_to,
)

# Each amount and the field that names its currency.
AMOUNTS = {
    "source_amount": "source_currency",
    "destination_amount": "destination_currency",
    "net_source_amount": "source_currency",
}
_RAILS = "corridor.rails"
_TRANSFER, _QUOTE = "transfer.create", "quote.operation"
_SOURCE = one_of(codes.SOURCE_CURRENCIES, fold=True)
_DESTINATION = one_of(codes.DESTINATION_CURRENCIES, fold=True)
_WALLET, _WALLETS = "details.wallet", "financial_accounts.crypto_wallet.allowed"


def check(body: object, service: Service | None = None) -> list[Problem]:
    """What is wrong with a new transfer, direct or from a quote."""
    found, settled = as_object(body), service or Service()
    direct = found.get("quote_id") is None
    asked = _TRANSFER if direct else ""
    settings, most = settled.transfers, "transfers.max_reference"
    reference = up_to(settings.max_reference, _TRANSFER, most)
    return is_object(body) or [
        *need(found, "quote_id", identifier, **_wanted(settings, "quote_id")),
        *_destination(found, asked),
        *need(found, "source_currency", _SOURCE, asked=asked),
        *(_one_amount(found, _TRANSFER) if direct else _no_amount(found)),
        *_amounts(found),
        *_source_network(found, settled, direct=direct),
        *_source_type(found, settings),
        *need(found, "client_reference_id", reference, **_wanted(settings, "client_reference_id")),
    ]


def _wanted(settings: Any, name: str) -> dict[str, str]:
    """What asks for a field of a transfer that the spec does not name, if anything does."""
    asked = name in settings.required
    return {"asked": _TRANSFER, "key": "transfers.required"} if asked else {"asked": ""}


def _source_network(body: Body, service: Service, *, direct: bool) -> list[Problem]:
    """A known network; asked for where a stablecoin without one is refused."""
    wanted, settings = _wanted(service.transfers, "source_network"), service.transfers
    stable = direct and _is_stablecoin(body.get("source_currency"))
    if stable and settings.default_network == NONE and not wanted["asked"]:
        wanted = {"asked": "transfer.network", "key": "transfers.default_network"}
    return need(body, "source_network", _network(service), **wanted)


def _network(service: Service | None) -> Check:
    return one_of(corridors.of(service).networks, _WALLET, key=_WALLETS)


def default_currency(service: Service | None = None) -> str:
    """The currency of a quote's source when none is given; none if it must be."""
    found: str = (service or Service()).quotes.default_source_currency
    return "" if found == NONE else found


def check_quote(body: object, service: Service | None = None) -> list[Problem]:
    """What is wrong with a request for a quote."""
    usual, found = default_currency(service), _present(as_object(body))
    found = {"source_currency": usual, **found} if usual else found
    stable = _is_stablecoin(found.get("source_currency"))
    key = "quotes.default_source_currency"
    return is_object(body) or [
        *_destination(found, _QUOTE),
        *need(found, "source_currency", _SOURCE, asked="" if usual else _QUOTE, key=key),
        *_one_amount(found, _QUOTE),
        *_amounts(found),
        *need(found, "source_network", _network(service), asked=_QUOTE if stable else ""),
    ]


def check_route(  # noqa: PLR0913 - what a payout is made of
    country: object,
    account_type: object,
    source_currency: object,
    destination_currency: object,
    payout_method: object,
    service: Service | None = None,
) -> list[Problem]:
    """What keeps money from reaching such an account; a wallet has `check_network` on top."""
    currency, rails, source, key = _reach(country, account_type, service)
    if not rails:
        message = f"no rail reaches {account_type!s:.20} accounts of this country"
        return [Problem("payout_method", message, "account.country")]
    return [
        *_SOURCE(source_currency, "source_currency"),
        *one_of((currency,), source, fold=True)(destination_currency, "destination_currency"),
        *one_of(rails, source, key=key)(payout_method, "payout_method"),
    ]


def check_rail(
    destination_currency: str, payout_method: object, service: Service | None = None
) -> list[Problem]:
    """Whether a rail is one of another currency, where the corridors name the rails of both."""
    own, elsewhere = _rails(destination_currency, service)
    if payout_method not in elsewhere:
        return []
    return _rail(destination_currency, own, payout_method, service)


def warn(body: Body, service: Service | None = None) -> list[Problem]:
    """What in a good transfer only an assumption speaks against: its rail."""
    currency, rail = body.get("destination_currency"), body.get("payout_method")
    return warn_rail(currency, rail, service) if isinstance(currency, str) else []


def warn_rail(
    destination_currency: str, payout_method: object, service: Service | None = None
) -> list[Problem]:
    """A rail that no corridor names, such as `local`: it may carry the currency all the same."""
    own, elsewhere = _rails(destination_currency, service)
    if payout_method not in codes.PAYOUT_METHODS or payout_method in (*own, *elsewhere):
        return []
    return _rail(destination_currency, own, payout_method, service)


def _rails(currency: str, service: Service | None) -> tuple[list[str], list[str]]:
    """The rails that are named for a currency, and those named for others alone."""
    found = corridors.of(service)
    reached = corridors.find(currency=currency, service=service)
    own = [rail for one in reached for rail in one.payout_methods]
    named = [rail for one in found.all for rail in one.payout_methods]
    own += found.networks if codes.is_stablecoin(currency) else ()
    others = [rail for rail in (*named, *found.networks) if rail not in own]
    return list(dict.fromkeys(own)), others if own else []


def _rail(
    currency: str, own: Sequence[str], method: object, service: Service | None
) -> list[Problem]:
    if not own:
        return []
    reached = corridors.find(currency=currency, service=service)
    key = reached[0].rails_key if reached else _WALLETS
    message = f"{must_be(own)} for {currency.upper()}, not {method}"
    return [Problem("payout_method", message, _RAILS, key=key)]


def check_network(
    network: object, payout_method: object, service: Service | None = None
) -> list[Problem]:
    """A crypto wallet is reached over its own network only."""
    own = tuple(one for one in corridors.of(service).networks if one == network)
    return one_of(own, _WALLET, key=_WALLETS)(payout_method, "payout_method") if own else []


def check_wallet(accounts: object, source_network: object) -> list[Problem]:
    """What keeps an off-ramp from being created: no crypto wallet where the stablecoin is from."""
    wallets = [as_object(one) for one in as_list(accounts)]
    held = [one for one in wallets if one.get("type") == codes.CRYPTO_WALLET]
    if any(as_object(one.get("details")).get("network") == source_network for one in held):
        return []
    message = (
        f"the recipient has no crypto_wallet on {source_network!s:.20}: register one first, "
        "stablecoins go back to it when a transfer cannot be completed"
    )
    return [Problem("source_network", message)]


def _reach(
    country: object, kind: object, service: Service | None
) -> tuple[str, tuple[str, ...], str, str]:
    """The currency and the rails that reach an account, and what that rests on."""
    found = corridors.of(service)
    if kind == codes.CRYPTO_WALLET:
        return "USDC", found.networks, _WALLET, _WALLETS
    corridor = found.get(country)
    if corridor is None or corridor.account(kind) is None:
        return "", (), "account.country", ""
    return corridor.currency, corridor.payout_methods, _RAILS, corridor.rails_key


def _destination(body: Body, asked: str) -> list[Problem]:
    return [
        *_account(body, asked),
        *need(body, "payout_method", one_of(codes.PAYOUT_METHODS), asked=asked),
        *need(body, "destination_currency", _DESTINATION, asked=asked),
    ]


def _account(body: Body, asked: str) -> list[Problem]:
    inner, by_id = body.get("financial_account"), body.get("financial_account_id")
    if inner is None and by_id is None:
        return need(body, "financial_account", is_object, asked=asked)
    if inner is None:
        return identifier(by_id, "financial_account_id")
    named = need(as_object(inner), "id", identifier, at="financial_account")
    problems = is_object(inner, "financial_account") or named
    if problems or by_id in (None, as_object(inner)["id"]):
        return problems
    return [Problem("financial_account_id", "must equal financial_account.id", _TRANSFER)]


def _amounts(body: Body) -> list[Problem]:
    return flat(
        money.check_amount(body[name], _known(body.get(currency)), name)
        for name, currency in AMOUNTS.items()
        if body.get(name) is not None
    )


def _one_amount(body: Body, source: str) -> list[Problem]:
    given = _given(body)
    if len(given) == 1:
        return []
    lead = "leave it out:" if given else "is required:"
    field = given[-1] if given else "source_amount"
    return [Problem(field, f"{lead} give exactly one of {', '.join(AMOUNTS)}", source)]


def _no_amount(body: Body) -> list[Problem]:
    message = "leave it out: the quote sets the amounts"
    return [Problem(name, message, _TRANSFER) for name in _given(body)]


def _given(body: Body) -> list[str]:
    return [name for name in AMOUNTS if body.get(name) is not None]


def _source_type(body: Body, settings: Any) -> list[Problem]:
    known = one_of(settings.source_types, _TRANSFER, key="transfers.source_types")
    problems = need(body, "source_type", known, **_wanted(settings, "source_type"))
    currency = body.get("source_currency")
    if problems or body.get("source_type") != "deposit" or currency is None:
        return problems
    if _is_stablecoin(currency):
        return []
    message = f"deposit needs a stablecoin: source_currency {must_be(sorted(codes.STABLECOINS))}"
    return [Problem("source_type", message, "transfer.deposit-source")]


def _present(body: Body) -> Body:
    return {name: value for name, value in body.items() if value is not None}


def _known(currency: object) -> object:
    known = codes.SOURCE_CURRENCIES + codes.DESTINATION_CURRENCIES
    return currency if isinstance(currency, str) and currency.upper() in known else None


def _is_stablecoin(currency: object) -> bool:
    return isinstance(currency, str) and codes.is_stablecoin(currency)
