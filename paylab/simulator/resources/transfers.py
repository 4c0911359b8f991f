"""Quotes and transfers: their terms, endpoints and transitions."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from ...errors.base import Problem
from ...rules import transfers as transfer_rules
from ...spec import codes, timestamps
from ...spec.operations.records import OPERATIONS
from ...spec.request_body import RequestBody
from .. import balances, bodies, ids, prices
from ..bodies import as_shown, named_row, page
from ..events import emit
from ..messages import RefusedError, Reply, Request, require
from ..table import Row, row_place
from ..world import Steps, World, apply_move

STEP = 1.0
"""Seconds between a transfer's steps on the simulator's clock."""

EARLY_ENDS = {"expired": "expire", "cancelled": "cancel"}
"""Outcomes of scenarios that replace funding."""


def _deadline(world: World) -> int:
    """Seconds until an unfunded transfer expires. Assumption `transfer.deposit`."""
    return int(world.service.transfers.deadline_hours) * 3600


def _pay(world: World, row: Row, _: str) -> None:
    """Fund from the balance; if it is too low, wait for a payment until the deadline."""
    if balances.take(world, row):
        _fund(world, row, "")
    else:
        world.schedule("transfers", row["id"], _deadline(world), "expire")


def pay_in(world: World, request: Request) -> Reply:
    """POST /_simulator/balances {"amount", "currency"}: fund the transfers that wait for it.

    The oldest come first, as far as the balance suffices.
    """
    currency = balances.add_to_balance(world, request.json())
    timers = [timer for timer in world.tables["timers"].rows.values() if timer["step"] == "expire"]
    rows = (world.tables["transfers"].rows.get(timer["id"]) for timer in timers)
    waiting = [row for row in rows if row and row["source_currency"] == currency and _waits(row)]
    for row in sorted(waiting, key=row_place):
        if balances.take(world, row):
            _fund(world, row, "")
    return Reply.json(200, balances.listed(world))


def _waits(row: Row) -> bool:
    """Whether a transfer that will expire waits for the balance, not for a deposit of its own."""
    return row["_"]["source_type"] != "deposit" and row["_"]["outcome"] not in EARLY_ENDS


def _fund(world: World, row: Row, _: str) -> None:
    row["_"]["started_at"] = world.stamp()
    _move(world, row, trigger="fund")
    is_held = row["_"]["outcome"] == "under_review"
    world.schedule("transfers", row["id"], STEP, "review" if is_held else "initiate")


def _initiate(world: World, row: Row, _: str) -> None:
    row["updated_at"] = world.stamp()
    world.put("transfers", row)
    emit(world, "transfer.payout_initiated", row["id"], as_shown(row))
    fails = row["_"]["outcome"] == "failed"
    world.schedule("transfers", row["id"], STEP, "fail" if fails else "settle")


def _settle(world: World, row: Row, _: str) -> None:
    elapsed = world.now() - timestamps.from_text(row["_"]["started_at"])
    row["completed_in"] = str(int(elapsed.total_seconds()))
    row["settlement_reference_id"] = ids.settlement(world.seed, row["id"])
    _move(world, row, trigger="settle")


def _fail(world: World, row: Row, reason: str) -> None:
    row["failure_reason"] = reason or "The recipient's bank rejected the payout."
    _move(world, row, trigger="fail")


def _release(world: World, row: Row, _: str) -> None:
    row["_"]["outcome"] = None
    _move(world, row, trigger="release")
    world.schedule("transfers", row["id"], STEP, "initiate")


def _move(world: World, row: Row, _: str = "", *, trigger: str) -> None:
    row.pop("deposit_instructions", None)  # present only while it awaits funding
    apply_move(world, "transfers", row, trigger)
    if trigger in EVENTS:
        emit(world, EVENTS[trigger], row["id"], as_shown(row))


EVENTS = {
    "fund": "transfer.funded",
    "settle": "transfer.completed",
    "fail": "transfer.failed",
    "expire": "transfer.expired",
}
"""The events of moves; other moves have none."""

STEPS: Steps = {
    "transfers": {
        "pay": _pay,
        "fund": _fund,
        "initiate": _initiate,
        "settle": _settle,
        "fail": _fail,
        "release": _release,
        **{each: partial(_move, trigger=each) for each in ("expire", "cancel", "review")},
    }
}


TERMS = (
    "source_amount", "source_currency", "destination_amount", "destination_currency",
    "exchange_rate", "total_fee", "fee_currency", "total_tax", "tax_currency",
    "net_source_amount", "recipient_id", "financial_account_id", "payout_method",
)  # fmt: skip
"""The fields that make up the terms."""


def _account_id(body: Row) -> str | None:
    """The id of the account, from either of its two fields."""
    inner = body.get("financial_account")
    account_id = inner.get("id") if isinstance(inner, dict) else body.get("financial_account_id")
    return account_id if isinstance(account_id, str) and account_id.strip() else None


def _with_route(
    world: World, problems: list[Problem], body: Row, owned: Row | None
) -> list[Problem]:
    """The problems of a body, and those of the route to its account."""
    if owned is None:
        return problems
    country = world.tables["individuals"].rows[owned["_"]["owner"]]["country"]
    method = body.get("payout_method")
    source = body.get("source_currency") or transfer_rules.default_currency(world.service)
    currencies = (source, body.get("destination_currency"))
    service = world.service
    network = owned["details"].get("network")
    route = [
        *transfer_rules.check_route(country, owned["type"], *currencies, method, service),
        *transfer_rules.check_network(network, method, service),
    ]
    fields_with_problems = {problem.field for problem in problems}
    return problems + [problem for problem in route if problem.field not in fields_with_problems]


def _priced(asked: RequestBody, owned: Row | None) -> Row:
    """The terms of a payout: amounts, currencies, rate, fees, recipient and account."""
    assert owned is not None  # noqa: S101 - the rules refuse a body without an account
    body = asked.fields
    service = asked.service
    usual = transfer_rules.default_currency(service)
    source = (body.get("source_currency") or usual).upper()
    destination = body["destination_currency"].upper()
    amount_name = next(name for name in prices.AMOUNTS if body.get(name) is not None)
    price = prices.AMOUNTS[amount_name](Decimal(body[amount_name]), source, destination)
    if price.net <= 0 or price.destination <= 0:
        least = f"is too small: the fee alone is {prices.amount_text(price.fee, source)} {source}"
        bodies.require_fields(
            asked, [Problem(amount_name, least, "money.rule")], service.error_codes.validation
        )
    return {
        "source_amount": prices.amount_text(price.source, source),
        "source_currency": source,
        "destination_amount": prices.amount_text(price.destination, destination),
        "destination_currency": destination,
        "exchange_rate": prices.rate_text(price.rate),
        "total_fee": prices.amount_text(price.fee, source),
        "fee_currency": source,
        "total_tax": prices.amount_text(Decimal(0), source),
        "tax_currency": source,
        "net_source_amount": prices.amount_text(price.net, source),
        "recipient_id": owned["_"]["owner"],
        "financial_account_id": owned["id"],
        "payout_method": body["payout_method"],
    }


def create_quote(world: World, request: Request) -> Reply:
    """Create a quote, which locks rate and fees. Assumption `quote.operation`."""
    request_body = bodies.read_body(world, request, "quotes.create")
    service = world.service
    body = request_body.fields
    account = named_row(world, "financial_accounts", _account_id(body))
    problems = _with_route(world, transfer_rules.check_quote(body, service), body, account)
    bodies.require_fields(request_body, problems, service.error_codes.validation)
    row = world.create(
        "quotes",
        {"used": False},
        **_priced(request_body, account),
        derived_source_amount=body.get("source_amount") is None,
        source_network=body.get("source_network"),
        expires_at=world.after(service.quotes.lifetime),
    )
    del row["updated_at"]
    return bodies.answer(world, "quotes.create", row)


OUTCOMES = ("failed", "expired", "under_review", "cancelled")


def create(world: World, request: Request) -> Reply:
    """Create a transfer. Assumptions `transfer.create`, `transfer.answer`, `transfer.network`."""
    request_body = bodies.read_body(world, request, "transfers.create")
    body = request_body.fields
    default = world.service.transfers.default_network
    quote = named_row(world, "quotes", body.get("quote_id"))
    agreed = _agreed(world, request_body, quote)
    network = (quote or body).get("source_network") or default
    _must_be_payable(world, agreed, quote, network)
    if quote:
        quote["_"]["used"] = True
        world.put("quotes", quote)
    row = _start(world, body, agreed, network)
    return bodies.answer(world, "transfers.create", row)


def _agreed(world: World, asked: RequestBody, quote: Row | None) -> Row:
    """The terms of the quote, or priced now; refuses an invalid body."""
    body = asked.fields
    status = world.service.error_codes.validation
    account = named_row(world, "financial_accounts", _account_id(body))
    problems = transfer_rules.check(body, world.service)
    if quote is None:
        bodies.require_fields(asked, _with_route(world, problems, body, account), status)
        return _priced(asked, account)
    bodies.require_fields(asked, [*problems, *_quote_problems(body, quote)], status)
    return {name: quote[name] for name in TERMS}


def index(world: World, request: Request) -> Reply:
    """The list of transfers, optionally of one product."""
    product = request.query_items().get("product_type")
    if product is None:
        return page(world, request, "transfers")
    if product not in codes.PRODUCTS:
        message = f"must be one of {', '.join(codes.PRODUCTS)}"
        require([Problem("product_type", message)])
    return page(world, request, "transfers", lambda row: bool(row["_"]["product"] == product))


def _start(world: World, body: Row, agreed: Row, network: str) -> Row:
    """Add the transfer, emit its first event and plan its first step."""
    source_type = body.get("source_type") or ""
    product = product_of(agreed["source_currency"])
    row = world.create(
        "transfers",
        {"product": product, "source_type": source_type, "outcome": _outcome(body)},
        **{name: body.get(name) for name in OPERATIONS["transfers.create"].echoed},
        **agreed,
        status="awaiting_funds",
        completed_in=None,
        failure_reason=None,
        settlement_reference_id=None,
    )
    if source_type == "deposit":
        row["deposit_instructions"] = _instructions(world, row, network)
    emit(world, "transfer.created", row["id"], as_shown(row))
    early = EARLY_ENDS.get(row["_"]["outcome"])
    if early is None and source_type == "deposit":
        world.schedule("transfers", row["id"], _deadline(world), "expire")
    else:
        world.schedule("transfers", row["id"], STEP, early or "pay")
    return row


def _quote_problems(body: Row, quote: Row) -> list[Problem]:
    """Fields that contradict the quote, and a deposit that the quote does not allow."""
    repeated_terms = {**body, "financial_account_id": _account_id(body)}
    problems = [
        Problem(name, f"must be the quote's, {quote[name]}, or be omitted", "transfer.create")
        for name in _REPEATED
        if isinstance(repeated_terms.get(name), str)
        and quote[name]
        and repeated_terms[name].upper() != quote[name].upper()
    ]
    if body.get("source_type") == "deposit" and not codes.is_stablecoin(quote["source_currency"]):
        message = "deposit needs a stablecoin source"
        problems.append(Problem("source_type", message, "transfer.deposit-source"))
    return problems


_REPEATED = (
    "financial_account_id", "payout_method", "source_currency", "destination_currency",
    "source_network",
)  # fmt: skip
"""The fields of the quote that a body may repeat."""


def product_of(source_currency: str) -> str:
    """A stablecoin source makes an off-ramp. Assumption `transfer.product`."""
    return "off_ramp" if codes.is_stablecoin(source_currency) else "global_payouts"


def _outcome(body: Row) -> str | None:
    """The outcome that a scenario selects."""
    scenario, _, outcome_text = (body.get("client_reference_id") or "").partition(":")
    outcome = outcome_text.partition(":")[0]
    return outcome if scenario == "scenario" and outcome in OUTCOMES else None


def _instructions(world: World, row: Row, network: str) -> Row:
    address = ids.wallet_address(world.seed, network, row["id"])
    return {
        "type": "crypto_wallet",
        "currency": row["source_currency"].lower(),
        "payment_methods": [network],
        "details": {"address": address, "network": network},
        "deadline": world.after(_deadline(world)),
    }


def _must_be_payable(world: World, agreed: Row, quote: Row | None, network: str) -> None:
    """Refuse by the state of quote or recipient. Assumptions `transfer.create`, `.individual`."""
    status = world.service.error_codes.state
    if quote and quote["_"]["used"]:
        raise RefusedError(status, "the quote is used: ask for a new one")
    if quote and quote["expires_at"] <= world.stamp():
        raise RefusedError(status, "the quote is expired: ask for a new one")
    owner = world.tables["individuals"].rows[agreed["recipient_id"]]
    if owner["status"] != "active":
        raise RefusedError(status, f"the recipient is {owner['status']}, not active")
    product = product_of(agreed["source_currency"])
    if product not in owner["product_types"]:
        raise RefusedError(status, f"the recipient does not have the product {product}")
    accounts = world.tables["financial_accounts"].rows
    own_accounts = [accounts[account_id] for account_id in owner["_"]["accounts"]]
    if product == "off_ramp" and transfer_rules.check_wallet(own_accounts, network):
        text = f"the recipient has no crypto_wallet on {network}: register one first"
        raise RefusedError(status, text)


SERVED = {
    "quotes.create": create_quote,
    "transfers.create": create,
    "transfers.list": index,
}
