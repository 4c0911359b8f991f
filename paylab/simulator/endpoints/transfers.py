"""Quotes and transfers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from ... import codes
from ...errors import Problem
from ...rules import transfers as transfer_rules
from .. import minting, money, payouts
from ..exchange import Reply, Request, conflict, missing, require
from ..showing import plain
from ..table import Row
from ..world import World
from .listing import page

LOCK_SECONDS = 120
"""How long a quote holds its rate and fees. Gap `quote.operation`."""

OUTCOMES = ("failed", "expired", "under_review", "cancelled")
AMOUNTS: Mapping[str, Callable[[Decimal, str, str], money.Price]] = {
    "source_amount": money.from_source,
    "net_source_amount": money.from_net,
    "destination_amount": money.from_destination,
}


def create_quote(world: World, request: Request) -> Reply:
    """POST /v1/quotes."""
    body = request.json()
    account = _account(world, body)
    require(transfer_rules.check_quote(body))
    row = world.create(
        "quotes",
        {"used": False},
        **_priced(world, body, account),
        derived_source_amount=body.get("source_amount") is None,
        source_network=body.get("source_network"),
        expires_at=world.after(LOCK_SECONDS),
    )
    del row["updated_at"]
    return Reply.json(201, plain(row))


def create_transfer(world: World, request: Request) -> Reply:
    """POST /v1/transfers. Gaps `transfer.create`, `transfer.answer`."""
    body = request.json()
    quote = _quote(world, body)
    account = _account(world, quote or body)
    require(transfer_rules.check(body))
    terms = _quoted(quote) if quote else _priced(world, body, account)
    require(_deposit_problems(body, terms["source_currency"]))
    network = (quote or body).get("source_network") or "base"
    _must_be_payable(world, terms, quote, network)
    if quote:
        quote["_"]["used"] = True
        world.put("quotes", quote)
    row = _start(world, body, terms, network)
    return Reply.json(201, plain(row))


def get_transfer(world: World, request: Request) -> Reply:
    """GET /v1/transfers/{id}."""
    return Reply.json(200, plain(world.find("transfers", request.id) or missing("transfer")))


def list_transfers(world: World, request: Request) -> Reply:
    """GET /v1/transfers."""
    product = request.query_items().get("product_type")
    if product is not None and product not in codes.PRODUCTS:
        message = f"must be one of {', '.join(codes.PRODUCTS)}"
        require([Problem("product_type", message)])
    return page(world, request, "transfers", lane=product)


def _start(world: World, body: Row, terms: Row, network: str) -> Row:
    source_type = body.get("source_type") or "prefunded"
    product = product_of(terms["source_currency"])
    row = world.create(
        "transfers",
        {"product": product, "source_type": source_type, "outcome": _outcome(body)},
        client_reference_id=body.get("client_reference_id"),
        **terms,
        status="awaiting_funds",
        completed_in=None,
        failure_reason=None,
        settlement_reference_id=None,
    )
    if source_type == "deposit":
        row["deposit_instructions"] = _instructions(world, row, network)
    payouts.start(world, row)
    return row


def _deposit_problems(body: Row, source: str) -> list[Problem]:
    """A quote may bring the currency that the body's own rules cannot see."""
    if body.get("source_type") != "deposit" or codes.is_stablecoin(source):
        return []
    return [Problem("source_type", "deposit needs a stablecoin source", "transfer.deposit-source")]


def product_of(source_currency: str) -> str:
    """A stablecoin source makes an off-ramp. Gap `transfer.product`."""
    return "off_ramp" if codes.is_stablecoin(source_currency) else "global_payouts"


def _outcome(body: Row) -> str | None:
    """The end a scenario asks for. Gap "Simulated outcomes"."""
    words = (body.get("client_reference_id") or "").split(":")
    return words[1] if words[0] == "scenario" and words[1:2] and words[1] in OUTCOMES else None


def _instructions(world: World, row: Row, network: str) -> Row:
    address = minting.address(world.seed, network, row["id"])
    return {
        "type": "crypto_wallet",
        "currency": row["source_currency"].lower(),
        "payment_methods": [network],
        "details": {"address": address, "network": network},
        "deadline": world.after(payouts.DEADLINE),
    }


def _account(world: World, body: Row) -> Row | None:
    """The account a body pays to; None when it names none, which the rules then say."""
    named = body.get("financial_account")
    account_id = named.get("id") if isinstance(named, dict) else body.get("financial_account_id")
    if not isinstance(account_id, str) or not account_id.strip():
        return None
    return world.find("financial_accounts", account_id) or missing("financial account")


def _quote(world: World, body: Row) -> Row | None:
    quote_id = body.get("quote_id")
    if not isinstance(quote_id, str) or not quote_id.strip():
        return None
    return world.find("quotes", quote_id) or missing("quote")


def _quoted(quote: Row) -> Row:
    """The terms a quote holds."""
    return {name: quote[name] for name in _TERMS}


def _priced(world: World, body: Row, account: Row | None) -> Row:
    """The terms of a payout: amounts, currencies, rate, fees, who and where to."""
    assert account is not None  # noqa: S101 - the rules refuse a body without an account
    source = (body.get("source_currency") or "usd").upper()
    destination = body["destination_currency"].upper()
    owner = world.tables["individuals"].rows[account["_"]["owner"]]
    method = body["payout_method"]
    route = (owner["country"], account["type"], source, destination, method)
    require(transfer_rules.check_route(*route))
    require(transfer_rules.check_network(account["details"].get("network"), method))
    given = next(name for name in AMOUNTS if body.get(name) is not None)
    price = AMOUNTS[given](Decimal(body[given]), source, destination)
    if price.net <= 0 or price.destination <= 0:
        require(
            [Problem(given, f"is too small: the fee alone is {price.fee} {source}", "money.rule")]
        )
    return _terms(price, source, destination) | {
        "recipient_id": owner["id"],
        "financial_account_id": account["id"],
        "payout_method": method,
    }


def _terms(price: money.Price, source: str, destination: str) -> Row:
    return {
        "source_amount": money.text(price.source, source),
        "source_currency": source,
        "destination_amount": money.text(price.destination, destination),
        "destination_currency": destination,
        "exchange_rate": money.rate_text(price.rate),
        "total_fee": money.text(price.fee, source),
        "fee_currency": source,
        "total_tax": money.text(Decimal(0), source),
        "tax_currency": source,
        "net_source_amount": money.text(price.net, source),
    }


_TERMS = (
    *("source_amount", "source_currency", "destination_amount", "destination_currency"),
    *("exchange_rate", "total_fee", "fee_currency", "total_tax", "tax_currency"),
    *("net_source_amount", "recipient_id", "financial_account_id", "payout_method"),
)


def _must_be_payable(world: World, terms: Row, quote: Row | None, network: str) -> None:
    """The 422s of a transfer. Gaps `transfer.create`, `transfer.individual`."""
    if quote and quote["_"]["used"]:
        conflict("the quote is used: ask for a new one")
    if quote and quote["expires_at"] <= world.stamp():
        conflict("the quote is expired: ask for a new one")
    owner = world.tables["individuals"].rows[terms["recipient_id"]]
    if owner["status"] != "active":
        conflict(f"the recipient is {owner['status']}, not active")
    product = product_of(terms["source_currency"])
    if product not in owner["product_types"]:
        conflict(f"the recipient does not have the product {product}")
    if product == "off_ramp" and not _has_wallet(world, owner, network):
        conflict(f"the recipient has no crypto_wallet on {network}: register one first")


def _has_wallet(world: World, owner: Row, network: str) -> bool:
    accounts = world.tables["financial_accounts"].rows
    own = [accounts[account_id] for account_id in owner["_"]["accounts"]]
    return any(
        each["type"] == "crypto_wallet" and each["details"]["network"] == network for each in own
    )
