"""Transfers: endpoints and transitions."""

from __future__ import annotations

from functools import partial

from ..errors import Problem
from ..rules import transfers as transfer_rules
from ..spec import codes, timestamps
from ..spec.status import TRANSFER
from . import bodies, ids, quotes
from .bodies import RequestBody, as_shown, page, transfer_json
from .messages import Reply, Request, conflict, missing, require
from .table import Row
from .webhooks import emit
from .world import World, apply_move

STEP = 1.0
"""Seconds between a transfer's steps on the simulator's clock."""

EARLY_ENDS = {"expired": "expire", "cancelled": "cancel"}
"""Outcomes of scenarios that replace funding."""


def start_transfer(world: World, row: Row) -> None:
    """Emit the first event of a new transfer and plan its first step."""
    emit(world, "transfer.created", row["id"], as_shown(row))
    early = EARLY_ENDS.get(row["_"]["outcome"])
    if early is None and row["_"]["source_type"] == "deposit":
        world.later("transfers", row["id"], _deadline(world), "expire")
    else:
        world.later("transfers", row["id"], STEP, early or "fund")


def _deadline(world: World) -> int:
    """Seconds until an unfunded transfer expires. Assumption `transfer.deposit`."""
    return int(world.service.transfers.deadline_hours) * 3600


def _fund(world: World, row: Row, _: str) -> None:
    row.pop("deposit_instructions", None)
    row["_"]["started_at"] = world.stamp()
    _move(world, row, "fund", "transfer.funded")
    held = row["_"]["outcome"] == "under_review"
    world.later("transfers", row["id"], STEP, "review" if held else "initiate")


def _initiate(world: World, row: Row, _: str) -> None:
    row["updated_at"] = world.stamp()
    world.put("transfers", row)
    emit(world, "transfer.payout_initiated", row["id"], as_shown(row))
    fails = row["_"]["outcome"] == "failed"
    world.later("transfers", row["id"], STEP, "fail" if fails else "settle")


def _settle(world: World, row: Row, _: str) -> None:
    taken = world.now() - timestamps.from_text(row["_"]["started_at"])
    row["completed_in"] = str(int(taken.total_seconds()))
    row["settlement_reference_id"] = ids.settlement(world.seed, row["id"])
    _move(world, row, "settle", "transfer.completed")


def _fail(world: World, row: Row, reason: str) -> None:
    row["failure_reason"] = reason or "The recipient's bank rejected the payout."
    _move(world, row, "fail", "transfer.failed")


def _expire(world: World, row: Row, _: str) -> None:
    row.pop("deposit_instructions", None)
    _move(world, row, "expire", "transfer.expired")


def _cancel(world: World, row: Row, _: str) -> None:
    row.pop("deposit_instructions", None)
    _move(world, row, "cancel", None)


def _review(world: World, row: Row, _: str) -> None:
    _move(world, row, "review", None)


def _release(world: World, row: Row, _: str) -> None:
    row["_"]["outcome"] = None
    _move(world, row, "release", None)
    world.later("transfers", row["id"], STEP, "initiate")


def _move(world: World, row: Row, trigger: str, event: str | None) -> None:
    apply_move(world, "transfers", TRANSFER, row, trigger)
    if event:
        emit(world, event, row["id"], as_shown(row))


STEPS = {
    "fund": _fund,
    "initiate": _initiate,
    "settle": _settle,
    "fail": _fail,
    "expire": _expire,
    "cancel": _cancel,
    "review": _review,
    "release": _release,
}


OUTCOMES = ("failed", "expired", "under_review", "cancelled")


def create(world: World, request: Request) -> Reply:
    """Create a transfer. Assumptions `transfer.create`, `transfer.answer`, `transfer.network`."""
    asked = bodies.read_body(world, request, "transfers")
    body, default = asked.fields, world.service.transfers.default_network
    quote = _quote(world, body)
    agreed = _agreed(world, asked, quote)
    network = (quote or body).get("source_network") or default
    _must_be_payable(world, agreed, quote, network)
    if quote:
        quote["_"]["used"] = True
        world.put("quotes", quote)
    row = _start(world, body, agreed, network)
    return Reply.json(world.service.success_codes.transfers, transfer_json(world, row))


def _agreed(world: World, asked: RequestBody, quote: Row | None) -> Row:
    """The terms of the quote, or priced now; refuses an invalid body."""
    body, status = asked.fields, world.service.error_codes.validation
    account = quotes.account_of(world, body)
    problems = transfer_rules.check(body, world.service)
    if quote is None:
        asked.require(quotes.with_route(world, problems, body, account), status)
        return quotes.priced(asked, account)
    asked.require([*problems, *_quote_problems(body, quote)], status)
    return {name: quote[name] for name in quotes.NAMES}


def get(world: World, request: Request) -> Reply:
    """Read a transfer."""
    row = world.find("transfers", request.id) or missing("transfer")
    return Reply.json(200, transfer_json(world, row))


def index(world: World, request: Request) -> Reply:
    """The list of transfers, optionally of one product."""
    product = request.query_items().get("product_type")
    if product is not None and product not in codes.PRODUCTS:
        message = f"must be one of {', '.join(codes.PRODUCTS)}"
        require([Problem("product_type", message)])
    show = partial(transfer_json, world)
    return page(world, request, "transfers", lane=product, show=show)


def _start(world: World, body: Row, agreed: Row, network: str) -> Row:
    source_type = body.get("source_type") or ""
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
    start_transfer(world, row)
    return row


def _quote_problems(body: Row, quote: Row) -> list[Problem]:
    """Fields that contradict the quote, and a deposit that the quote does not allow."""
    named = {**body, "financial_account_id": quotes.account_id(body)}
    problems = [
        Problem(name, f"must be the quote's, {quote[name]}, or be omitted", "transfer.create")
        for name in _REPEATED
        if isinstance(named.get(name), str) and quote[name] and not _same(named[name], quote[name])
    ]
    if body.get("source_type") == "deposit" and not codes.is_stablecoin(quote["source_currency"]):
        message = "deposit needs a stablecoin source"
        problems.append(Problem("source_type", message, "transfer.deposit-source"))
    return problems


def _same(one: str, other: str) -> bool:
    """Whether two words are equal without regard to case."""
    return one.upper() == other.upper()


_REPEATED = (
    *("financial_account_id", "payout_method", "source_currency", "destination_currency"),
    "source_network",
)
"""The fields of the quote that a body may repeat."""


def product_of(source_currency: str) -> str:
    """A stablecoin source makes an off-ramp. Assumption `transfer.product`."""
    return "off_ramp" if codes.is_stablecoin(source_currency) else "global_payouts"


def _outcome(body: Row) -> str | None:
    """The outcome that a scenario selects."""
    words = (body.get("client_reference_id") or "").split(":")
    return words[1] if words[0] == "scenario" and words[1:2] and words[1] in OUTCOMES else None


def _instructions(world: World, row: Row, network: str) -> Row:
    address = ids.address(world.seed, network, row["id"])
    return {
        "type": "crypto_wallet",
        "currency": row["source_currency"].lower(),
        "payment_methods": [network],
        "details": {"address": address, "network": network},
        "deadline": world.after(_deadline(world)),
    }


def _quote(world: World, body: Row) -> Row | None:
    quote_id = body.get("quote_id")
    if not isinstance(quote_id, str) or not quote_id.strip():
        return None
    return world.find("quotes", quote_id) or missing(
        "quote", world.service.error_codes.unknown_quote
    )


def _must_be_payable(world: World, agreed: Row, quote: Row | None, network: str) -> None:
    """Refuse by the state of quote or recipient. Assumptions `transfer.create`, `.individual`."""
    status = world.service.error_codes.state
    if quote and quote["_"]["used"]:
        conflict("the quote is used: ask for a new one", status)
    if quote and quote["expires_at"] <= world.stamp():
        conflict("the quote is expired: ask for a new one", status)
    owner = world.tables["individuals"].rows[agreed["recipient_id"]]
    if owner["status"] != "active":
        conflict(f"the recipient is {owner['status']}, not active", status)
    product = product_of(agreed["source_currency"])
    if product not in owner["product_types"]:
        conflict(f"the recipient does not have the product {product}", status)
    if product == "off_ramp" and not _has_wallet(world, owner, network):
        conflict(f"the recipient has no crypto_wallet on {network}: register one first", status)


def _has_wallet(world: World, owner: Row, network: str) -> bool:
    accounts = world.tables["financial_accounts"].rows
    own = [accounts[account_id] for account_id in owner["_"]["accounts"]]
    return any(
        each["type"] == "crypto_wallet" and each["details"].get("network") == network
        for each in own
    )
