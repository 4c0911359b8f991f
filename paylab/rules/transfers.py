"""Quotes and transfers: amounts, currencies, and the rails that reach an account."""

from __future__ import annotations

from collections.abc import Sequence

from .. import corridors
from ..errors import Problem
from ..spec import codes, money
from .fields import (
    Body,
    as_list,
    as_object,
    flat,
    identifier,
    is_object,
    may,
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
QUOTE_SOURCE_DEFAULT = "usd"  # assumed: gap quote.operation
_RAILS = "corridor.rails"
_TRANSFER, _QUOTE = "transfer.create", "quote.operation"
_SOURCE = one_of(codes.SOURCE_CURRENCIES, fold=True)
_DESTINATION = one_of(codes.DESTINATION_CURRENCIES, fold=True)
_NETWORK = one_of(codes.NETWORKS, "details.wallet")


def check(body: object) -> list[Problem]:
    """What is wrong with a new transfer, direct or from a quote."""
    found = as_object(body)
    direct = found.get("quote_id") is None
    asked = _TRANSFER if direct else ""
    return is_object(body) or [
        *may(found, "quote_id", identifier),
        *_destination(found, asked),
        *need(found, "source_currency", _SOURCE, asked=asked),
        *(_one_amount(found, _TRANSFER) if direct else _no_amount(found)),
        *_amounts(found),
        *may(found, "source_network", _NETWORK),
        *_source_type(found),
        *may(found, "client_reference_id", up_to(codes.TRANSFER_REFERENCE_MAX, _TRANSFER)),
    ]


def check_quote(body: object) -> list[Problem]:
    """What is wrong with a request for a quote."""
    found = {"source_currency": QUOTE_SOURCE_DEFAULT, **_present(as_object(body))}
    stable = _is_stablecoin(found["source_currency"])
    return is_object(body) or [
        *_destination(found, _QUOTE),
        *may(found, "source_currency", _SOURCE),
        *_one_amount(found, _QUOTE),
        *_amounts(found),
        *need(found, "source_network", _NETWORK, asked=_QUOTE if stable else ""),
    ]


def check_route(
    country: object,
    account_type: object,
    source_currency: object,
    destination_currency: object,
    payout_method: object,
) -> list[Problem]:
    """What keeps money from reaching such an account; a wallet has `check_network` on top."""
    currency, rails, source = _reach(country, account_type)
    if not rails:
        message = f"no rail reaches {account_type!s:.20} accounts of this country"
        return [Problem("payout_method", message, "account.country")]
    return [
        *_SOURCE(source_currency, "source_currency"),
        *one_of((currency,), source, fold=True)(destination_currency, "destination_currency"),
        *one_of(rails, source)(payout_method, "payout_method"),
    ]


def check_rail(destination_currency: str, payout_method: object) -> list[Problem]:
    """Whether a rail is one of another currency, where the corridors name the rails of both."""
    own, elsewhere = _rails(destination_currency)
    return _rail(destination_currency, own, payout_method) if payout_method in elsewhere else []


def warn(body: Body) -> list[Problem]:
    """What in a good transfer only an assumption speaks against: its rail."""
    currency = body.get("destination_currency")
    return warn_rail(currency, body.get("payout_method")) if isinstance(currency, str) else []


def warn_rail(destination_currency: str, payout_method: object) -> list[Problem]:
    """A rail that no corridor names, such as `local`: it may carry the currency all the same."""
    own, elsewhere = _rails(destination_currency)
    unnamed = payout_method in codes.PAYOUT_METHODS and payout_method not in (*own, *elsewhere)
    return _rail(destination_currency, own, payout_method) if unnamed else []


def _rails(currency: str) -> tuple[list[str], list[str]]:
    """The rails that are named for a currency, and those named for others alone."""
    own = [rail for one in corridors.find(currency=currency) for rail in one.payout_methods]
    named = [rail for one in corridors.ALL for rail in one.payout_methods]
    own += codes.NETWORKS if codes.is_stablecoin(currency) else ()
    others = [rail for rail in (*named, *codes.NETWORKS) if rail not in own]
    return list(dict.fromkeys(own)), others if own else []


def _rail(currency: str, own: Sequence[str], method: object) -> list[Problem]:
    if not own:
        return []
    message = f"{must_be(own)} for {currency.upper()}, not {method}"
    return [Problem("payout_method", message, _RAILS)]


def check_network(network: object, payout_method: object) -> list[Problem]:
    """A crypto wallet is reached over its own network only."""
    own = tuple(one for one in codes.NETWORKS if one == network)
    return one_of(own, "details.wallet")(payout_method, "payout_method") if own else []


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


def _reach(country: object, kind: object) -> tuple[str, tuple[str, ...], str]:
    if kind == codes.CRYPTO_WALLET:
        return "USDC", codes.NETWORKS, "details.wallet"
    corridor = corridors.get(country)
    if corridor is None or corridor.account(kind) is None:
        return "", (), "account.country"
    return corridor.currency, corridor.payout_methods, _RAILS


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


def _source_type(body: Body) -> list[Problem]:
    problems = may(body, "source_type", one_of(codes.SOURCE_TYPES, _TRANSFER))
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
