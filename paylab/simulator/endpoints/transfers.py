"""Transfers: create, read, list."""

from __future__ import annotations

from ... import codes
from ...errors import Problem
from ...rules import transfers as transfer_rules
from .. import minting, payouts
from ..exchange import Reply, Request, conflict, missing, require
from ..showing import plain
from ..table import Row
from ..world import World
from . import terms
from .listing import page

OUTCOMES = ("failed", "expired", "under_review", "cancelled")


def create(world: World, request: Request) -> Reply:
    """POST /v1/transfers. Gaps `transfer.create`, `transfer.answer`."""
    body = request.json()
    quote = _quote(world, body)
    agreed = _agreed(world, body, quote)
    network = (quote or body).get("source_network") or "base"
    _must_be_payable(world, agreed, quote, network)
    if quote:
        quote["_"]["used"] = True
        world.put("quotes", quote)
    row = _start(world, body, agreed, network)
    return Reply.json(201, plain(row))


def _agreed(world: World, body: Row, quote: Row | None) -> Row:
    """The terms: those of the quote, or priced now; a 400 for whatever is wrong with the body."""
    account = terms.account(world, body)
    problems = transfer_rules.check(body)
    if quote is None:
        require(terms.with_route(world, problems, body, account))
        return terms.priced(body, account)
    require([*problems, *_quote_problems(body, quote)])
    return {name: quote[name] for name in terms.NAMES}


def get(world: World, request: Request) -> Reply:
    """GET /v1/transfers/{id}."""
    return Reply.json(200, plain(world.find("transfers", request.id) or missing("transfer")))


def index(world: World, request: Request) -> Reply:
    """GET /v1/transfers."""
    product = request.query_items().get("product_type")
    if product is not None and product not in codes.PRODUCTS:
        message = f"must be one of {', '.join(codes.PRODUCTS)}"
        require([Problem("product_type", message)])
    return page(world, request, "transfers", lane=product)


def _start(world: World, body: Row, agreed: Row, network: str) -> Row:
    source_type = body.get("source_type") or "prefunded"
    product = product_of(agreed["source_currency"])
    row = world.create(
        "transfers",
        {"product": product, "source_type": source_type, "outcome": _outcome(body)},
        client_reference_id=body.get("client_reference_id"),
        **agreed,
        status="awaiting_funds",
        completed_in=None,
        failure_reason=None,
        settlement_reference_id=None,
    )
    if source_type == "deposit":
        row["deposit_instructions"] = _instructions(world, row, network)
    payouts.start(world, row)
    return row


def _quote_problems(body: Row, quote: Row) -> list[Problem]:
    """What a body says otherwise than the quote it names, and a deposit the quote cannot have."""
    named = {**body, "financial_account_id": terms.account_id(body)}
    problems = [
        Problem(name, f"must be the quote's, {quote[name]}, or be left out", "transfer.create")
        for name in _REPEATED
        if isinstance(named.get(name), str) and quote[name] and not _same(named[name], quote[name])
    ]
    if body.get("source_type") == "deposit" and not codes.is_stablecoin(quote["source_currency"]):
        message = "deposit needs a stablecoin source"
        problems.append(Problem("source_type", message, "transfer.deposit-source"))
    return problems


def _same(one: str, other: str) -> bool:
    """Whether two words are the same but for their case, which currencies may have either way."""
    return one.upper() == other.upper()


_REPEATED = (
    *("financial_account_id", "payout_method", "source_currency", "destination_currency"),
    "source_network",
)
"""What a body may repeat of its quote."""


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


def _quote(world: World, body: Row) -> Row | None:
    quote_id = body.get("quote_id")
    if not isinstance(quote_id, str) or not quote_id.strip():
        return None
    return world.find("quotes", quote_id) or missing("quote")


def _must_be_payable(world: World, agreed: Row, quote: Row | None, network: str) -> None:
    """The 422s of a transfer. Gaps `transfer.create`, `transfer.individual`."""
    if quote and quote["_"]["used"]:
        conflict("the quote is used: ask for a new one")
    if quote and quote["expires_at"] <= world.stamp():
        conflict("the quote is expired: ask for a new one")
    owner = world.tables["individuals"].rows[agreed["recipient_id"]]
    if owner["status"] != "active":
        conflict(f"the recipient is {owner['status']}, not active")
    product = product_of(agreed["source_currency"])
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
