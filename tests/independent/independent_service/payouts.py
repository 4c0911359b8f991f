"""Quotes and transfers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from .context import Answer, Context, Request
from .money import SOURCES, STABLECOINS, complaint, terms
from .refusals import REQUIRED, Problem, Refusal, refuse
from .rules import PRODUCTS, Body, corridor
from .world import Row, timestamp

AMOUNTS = ("source_amount", "destination_amount", "net_source_amount")
ORDER = [
    "financial_account",
    "financial_account_id",
    "payout_method",
    "source_currency",
    "destination_currency",
    "source_amount",
    "destination_amount",
    "net_source_amount",
    "source_network",
]
TRANSFER = [*ORDER, "quote_id", "client_reference_id", "source_type"]
CURRENCY = {
    "AR": "ARS",
    "BR": "BRL",
    "CO": "COP",
    "IN": "INR",
    "MX": "MXN",
    "PH": "PHP",
    "GB": "GBP",
    "SEPA": "EUR",
}
QUOTE_SECONDS = 120
DEADLINE_SECONDS = 24 * 3600


def create_quote(context: Context, request: Request) -> Answer:
    """Lock the rate and the fees of a payout for two minutes."""
    problems: list[Problem] = []
    body = Body(request.body, context.settings.names("quote"), problems)
    order = _order(context, body, ORDER)
    stable = order["source_currency"] in STABLECOINS
    if stable and not body["source_network"]:
        body.say("source_network", REQUIRED)
    refuse(problems)
    row = context.world.add(
        "quotes",
        {
            **order,
            **_amounts(body, order),
            "derived_source_amount": body["source_amount"] is None,
            "expires_at": timestamp(context.world.now + QUOTE_SECONDS),
            "_expires": context.world.now + QUOTE_SECONDS,
        },
    )
    return Answer(row)


def _account(context: Context, body: Body) -> Row | None:
    """The destination account, given as an object or by its id. An unknown id is a 404."""
    key = body["financial_account_id"]
    if key is None and isinstance(body["financial_account"], dict):
        key = body["financial_account"].get("id")
    if key is None:
        body.say("financial_account", REQUIRED)
        return None
    return context.world.find("financial_accounts", key, "Financial account")


def _order(context: Context, body: Body, known: list[str]) -> Row:
    """The account, the rail and the currencies of a payout; every problem is reported."""
    account = _account(context, body)
    if context.settings["bodies.unknown_keys"] == "refuse":
        body.only(known)
    source = str(body["source_currency"] or "USD").upper()
    destination = str(body["destination_currency"] or "").upper()
    if source not in SOURCES:
        body.say("source_currency", f"Unsupported currency {source}")
    body.require(["payout_method", "destination_currency"])
    if account is not None:
        _check_rail(context, body, account, destination)
    if body["source_network"] is not None:
        body.word("source_network", context.settings["words.networks"])
    given = [name for name in AMOUNTS if body[name] is not None]
    if len(given) != 1:
        body.say("source_amount", f"Exactly one of {', '.join(AMOUNTS)} is required")
    for name in given:
        currency = destination if name == "destination_amount" else source
        words = complaint(body[name], currency, context.settings["amounts.requests"])
        if words:
            body.say(name, words)
    found: Row = account or {}
    stable = source in STABLECOINS
    return {
        "source_currency": source,
        "destination_currency": destination,
        "payout_method": body["payout_method"],
        "financial_account_id": found.get("id"),
        "recipient_id": found.get("_individual"),
        "source_network": body["source_network"] or ("base" if stable else None),
    }


def _check_rail(context: Context, body: Body, account: Row, destination: str) -> None:
    """Report a rail or a currency that the account cannot receive."""
    settings = context.settings
    owner = context.world.find("individuals", account["_individual"], "Individual")
    if account["type"] == "crypto_wallet":
        names = settings.names(f"{corridor(owner['country'])}.crypto_wallet", "crypto_wallet")
        rails, currency = [account["details"][names.get("network", "network")]], "USDC"
    else:
        key = corridor(owner["country"])
        rails, currency = settings[f"words.rails.{key}"], CURRENCY[key]
    if body["payout_method"] is not None:
        body.word("payout_method", rails)
    if destination and destination != currency:
        body.say("destination_currency", f"Must be {currency} for this financial account")


def _amounts(body: Body, order: Row) -> dict[str, str]:
    name = next(name for name in AMOUNTS if body[name] is not None)
    source, destination = order["source_currency"], order["destination_currency"]
    found = terms(name, Decimal(str(body[name])), source, destination)
    if any(Decimal(found[each]) <= 0 for each in AMOUNTS):
        refuse([(name, "Amount is too small")])
    return found


def create_transfer(context: Context, request: Request) -> Answer:
    """Create a payout, from a quote or from an amount, and schedule its statuses."""
    problems: list[Problem] = []
    body = Body(request.body, context.settings.names("transfer"), problems)
    body.require(context.settings.required("transfer"))
    body.text("client_reference_id", r".{1,64}", "Must contain at most 64 character(s)")
    body.word("source_type", ["prefunded", "deposit"])
    quote = None
    if body["quote_id"] is not None:
        quote = context.world.find("quotes", body["quote_id"], "Quote")
        order = {key: value for key, value in quote.items() if key not in _ONLY_QUOTES}
    else:
        order = _order(context, body, TRANSFER)
    if body["source_type"] == "deposit" and order["source_currency"] not in STABLECOINS:
        body.say("source_type", "deposit needs a stablecoin source")
    refuse(problems)
    if quote is None:
        order.update(_amounts(body, order))
    else:
        _check_quote(context, quote)
    _check_recipient(context, order)
    if quote is not None:
        quote["_used"] = True
    return Answer(_start(context, body, order))


_ONLY_QUOTES = [
    "id",
    "created_at",
    "updated_at",
    "expires_at",
    "derived_source_amount",
    "_expires",
    "_used",
    "_number",
]


def _check_quote(context: Context, quote: Row) -> None:
    if quote.get("_used"):
        raise Refusal(422, "Quote has already been used")
    if context.world.now >= quote["_expires"]:
        raise Refusal(422, "Quote has expired")


def _check_recipient(context: Context, order: Row) -> None:
    """Raise a 422 when the recipient cannot receive this payout."""
    owner = context.world.find("individuals", order["recipient_id"], "Individual")
    product = _product(order)
    if owner["status"] != "active":
        raise Refusal(422, f"Recipient is {owner['status']}, not active")
    if product not in owner["product_types"]:
        raise Refusal(422, f"Recipient does not have the product {product}")
    if product != "off_ramp":
        return
    names = context.settings.names(f"{corridor(owner['country'])}.crypto_wallet", "crypto_wallet")
    field = names.get("network", "network")
    wallets = context.world.rows(
        "financial_accounts", _individual=owner["id"], type="crypto_wallet"
    )
    if order["source_network"] not in [wallet["details"][field] for wallet in wallets]:
        raise Refusal(422, f"Recipient has no crypto_wallet on {order['source_network']}")


def _product(order: Row) -> str:
    return "off_ramp" if order["source_currency"] in STABLECOINS else "global_payouts"


def _start(context: Context, body: Body, order: Row) -> Row:
    """Store a transfer in awaiting_funds and schedule its next statuses."""
    world = context.world
    row = world.add(
        "transfers",
        {
            **order,
            "client_reference_id": body["client_reference_id"],
            "status": "awaiting_funds",
            "completed_in": None,
            "failure_reason": None,
            "settlement_reference_id": None,
            "_product": _product(order),
        },
    )
    if body["source_type"] == "deposit":
        row["deposit_instructions"] = {
            "type": "crypto_wallet",
            "currency": row["source_currency"].lower(),
            "payment_methods": [row["source_network"]],
            "details": {"address": "0x" + "5e" * 20, "network": row["source_network"]},
            "deadline": timestamp(world.now + DEADLINE_SECONDS),
        }
    context.outbox.status_changed("transfer", row, None)
    context.walk(row, "transfer", _moves(context, row, body["client_reference_id"] or ""))
    return row


def _moves(context: Context, row: Row, reference: str) -> list[Callable[[], dict[str, Any]]]:
    """The status changes of a transfer; its reference can select a simulated outcome."""
    world = context.world

    def start() -> dict[str, Any]:
        row.pop("deposit_instructions", None)
        row["_started"] = world.now
        return {"status": "started"}

    def complete() -> dict[str, Any]:
        seconds = str(int(world.now - row["_started"]))
        settled = f"SETTLE{row['_number']:08}"
        return {
            "status": "completed",
            "completed_in": seconds,
            "settlement_reference_id": settled,
        }

    asked = reference.split(":")[1] if reference.startswith("scenario:") else ""
    if not context.settings["outcomes"]:
        asked = ""
    if asked in ("expired", "cancelled"):
        return [lambda: {"status": asked}]
    if asked == "failed":
        reason = "The recipient's bank rejected the payment"
        return [start, lambda: {"status": "failed", "failure_reason": reason}]
    if asked == "under_review":
        return [start, lambda: {"status": "under_review"}]
    return [start, *context.extra("processing"), complete]


def list_transfers(context: Context, request: Request) -> Answer:
    """Every transfer, or those of one product."""
    product = request.query.get("product_type")
    if product is None:
        return Answer(context.world.rows("transfers"))
    if product not in PRODUCTS:
        refuse([("product_type", f"Invalid value. Expected one of: {', '.join(PRODUCTS)}")])
    return Answer(context.world.rows("transfers", _product=product))


def get_transfer(context: Context, request: Request) -> Answer:
    """One transfer."""
    return Answer(context.world.find("transfers", request.params["id"], "Transfer"))
