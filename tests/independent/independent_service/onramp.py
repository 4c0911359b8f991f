"""Conversion accounts, sandbox deposits, conversions, and webhook subscriptions."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from .context import Answer, Context, Request
from .money import complaint, fee, rate, rounded
from .refusals import REQUIRED, Problem, Refusal, refuse
from .rules import Body
from .world import Row, timestamp

CURRENCY = {"MX": "mxn", "PH": "php"}
CAPS = {"MX": Decimal(50), "PH": Decimal(100)}
EVENTS = (
    *(
        f"transfer.{word}"
        for word in ["created", "funded", "payout_initiated", "completed", "failed", "expired"]
    ),
    *(f"conversion.{word}" for word in ["created", "payout_initiated", "completed", "failed"]),
    "individual.status_changed",
)
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def create_conversion_account(context: Context, request: Request) -> Answer:
    """Create a conversion account of an active individual: 201, or 202 while provisioning."""
    settings, world = context.settings, context.world
    problems: list[Problem] = []
    body = Body(request.body, settings.names("conversion_account"), problems)
    body.require(["individual_id", "source_currency", "payout_account"])
    body.require(settings.required("conversion_account"))
    body.text("client_reference_id", r".{1,255}", "Must contain at most 255 character(s)")
    owner = wallet = None
    if body["individual_id"]:
        owner = world.find("individuals", body["individual_id"], "Individual")
    if isinstance(body["payout_account"], dict) and body["payout_account"].get("id"):
        wallet = world.find("financial_accounts", body["payout_account"]["id"], "Payout account")
    elif body["payout_account"]:
        body.say("payout_account.id", REQUIRED)
    source = str(body["source_currency"] or "").lower()
    if owner and source and source != CURRENCY.get(owner["country"]):
        body.say("source_currency", f"Unsupported currency {source} for {owner['country']}")
    if str(body["destination_currency"] or "USDC").upper() != "USDC":
        body.say("destination_currency", "Must be USDC")
    if settings["bodies.unknown_keys"] == "refuse":
        names = "individual_id source_currency payout_account destination_currency"
        body.only([*names.split(), "client_reference_id"])
    refuse(problems)
    if owner is None or wallet is None:
        raise AssertionError("a body without an owner or a wallet was refused above")
    _check_owner(owner, wallet)
    row = world.add(
        "conversion_accounts",
        {
            "individual_id": owner["id"],
            "payout_account": wallet,
            "source_currency": source,
            "destination_currency": "USDC",
            "client_reference_id": body["client_reference_id"],
            "status": "pending",
            "_country": owner["country"],
        },
    )
    return _provision(context, row)


def _check_owner(owner: Row, wallet: Row) -> None:
    if owner["status"] != "active":
        raise Refusal(422, f"Individual is {owner['status']}, not active")
    if "on_ramp" not in owner["product_types"]:
        raise Refusal(422, "Individual does not have the product on_ramp")
    if wallet["type"] != "crypto_wallet" or wallet["_individual"] != owner["id"]:
        raise Refusal(422, "payout_account must be a crypto_wallet of the individual")


def _provision(context: Context, row: Row) -> Answer:
    """Activate the account at once, or answer 202 and activate it after the delay."""

    def ready() -> dict[str, Any]:
        return {"status": "active", "deposit_instructions": _instructions(row)}

    slow = context.settings["outcomes"] and row["client_reference_id"] == "scenario:slow"
    if row["_country"] in context.settings["provisioning.at_once"] and not slow:
        row.update(ready())
        return Answer(row)
    if slow:
        context.world.after(30, lambda: context.world.change(row, **ready()))
    else:
        context.walk(row, "provisioning", [ready])
    return Answer(row, 202)


def _instructions(row: Row) -> Row:
    """The deposit instructions: a virtual CLABE for MX, a QR Ph code for PH."""
    if row["_country"] == "MX":
        return {
            "type": "mx_virtual_account",
            "currency": "mxn",
            "payment_methods": ["spei"],
            "details": {"clabe": clabe(f"646180{row['_number']:011}")},
        }
    return {
        "type": "ph_qr_code",
        "currency": "php",
        "payment_methods": ["instapay"],
        "details": {"qrph_payload": qr_ph(f"{row['_number']:012}")},
    }


def clabe(digits: str) -> str:
    """A CLABE: the 17 digits and a check digit with the weights 3, 7, 1."""
    total = sum(int(digit) * (3, 7, 1)[place % 3] % 10 for place, digit in enumerate(digits))
    return digits + str(-total % 10)


def qr_ph(account: str) -> str:
    """The text of a static QR Ph code: EMV tags, and a CRC-16 over all of them."""

    def tag(number: int, text: str) -> str:
        return f"{number:02}{len(text):02}{text}"

    merchant = tag(0, "com.p2pqrpay") + tag(1, "UBPHPHMMXXX") + tag(4, account)
    text = tag(0, "01") + tag(1, "11") + tag(27, merchant) + tag(52, "6016") + tag(53, "608")
    text += tag(58, "PH") + tag(59, "INDEPENDENT SERVICE") + tag(60, "MANILA") + "6304"
    return f"{text}{crc16(text.encode()):04X}"


def crc16(data: bytes) -> int:
    """CRC-16/IBM-3740: polynomial 1021, start FFFF."""
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1021 if value & 0x8000 else value << 1) & 0xFFFF
    return value


def list_conversion_accounts(context: Context, request: Request) -> Answer:
    """Every conversion account."""
    return Answer(context.world.rows("conversion_accounts"))


def get_conversion_account(context: Context, request: Request) -> Answer:
    """One conversion account."""
    key = request.params["id"]
    return Answer(context.world.find("conversion_accounts", key, "Conversion account"))


def create_deposit(context: Context, request: Request) -> Answer:
    """Simulate a fiat deposit, which creates one conversion."""
    if not context.settings["sandbox"]:
        raise Refusal(403, "Deposits can be simulated in the sandbox only")
    problems: list[Problem] = []
    body = Body(request.body, context.settings.names("deposit"), problems)
    if "id" in request.params:
        body.values["conversion_account_id"] = request.params["id"]
    body.require(["conversion_account_id", "amount", "currency"])
    account = None
    if body["conversion_account_id"]:
        key = body["conversion_account_id"]
        account = context.world.find("conversion_accounts", key, "Conversion account")
        _check_deposit(context, body, account)
    body.text("sender_name")
    if context.settings["bodies.unknown_keys"] == "refuse":
        body.only(["conversion_account_id", "amount", "currency", "sender_name"])
    refuse(problems)
    if account is None:
        raise AssertionError("a body without an account was refused above")
    if account["status"] != "active":
        raise Refusal(422, f"Conversion account is {account['status']}, not active")
    sender = body["sender_name"]
    if sender is None:
        owner = context.world.find("individuals", account["individual_id"], "Individual")
        sender = f"{owner['given_name']} {owner['family_name']}"
    currency = account["source_currency"].upper()
    amount = str(rounded(Decimal(str(body["amount"])), currency))
    _convert(context, account, Decimal(amount), sender)
    return Answer(
        {
            "id": str(uuid.uuid4()),
            "conversion_account_id": account["id"],
            "amount": amount,
            "currency": currency,
            "sender_name": sender,
            "created_at": timestamp(context.world.now),
        }
    )


def _check_deposit(context: Context, body: Body, account: Row) -> None:
    currency = account["source_currency"]
    if body["currency"] is not None and str(body["currency"]).lower() != currency:
        body.say("currency", f"Must be {currency}")
    if body["amount"] is None or body["amount"] == "":
        return
    words = complaint(body["amount"], currency, context.settings["amounts.requests"])
    cap = CAPS[account["_country"]]
    if not words and Decimal(str(body["amount"])) > cap:
        words = f"Must be at most {cap} {currency.upper()} in the sandbox"
    if words:
        body.say("amount", words)


def _convert(context: Context, account: Row, amount: Decimal, sender: str) -> None:
    """Create the conversion of a deposit, and schedule its payout."""
    world, source = context.world, account["source_currency"].upper()
    charged, price = fee(amount, source, Decimal(0)), rate(source, "USDC")
    payout: dict[str, Any] = {
        "amount": str(rounded((amount - charged) * price, "USDC")),
        "currency": "USDC",
        "payout_account_id": account["payout_account"]["id"],
        "tx_hash": None,
        "initiated_at": None,
        "completed_at": None,
    }
    row = world.add(
        "conversions",
        {
            "conversion_account_id": account["id"],
            "individual_id": account["individual_id"],
            "status": "pending",
            "deposit": {
                "amount": str(amount),
                "currency": source,
                "received_at": timestamp(world.now),
            },
            "payout": payout,
            "total_fee": str(charged),
            "fee_currency": source,
            "exchange_rate": f"{price:f}",
        },
    )

    context.outbox.status_changed("conversion", row, None)

    def broadcast() -> dict[str, Any]:
        hashed = f"0x{row['_number']:064x}"
        paid = {**row["payout"], "tx_hash": hashed, "initiated_at": timestamp(world.now)}
        return {"status": "started", "payout": paid}

    def confirm() -> dict[str, Any]:
        done = {**row["payout"], "completed_at": timestamp(world.now)}
        return {"status": "completed", "payout": done}

    moves = [broadcast, *context.extra("settling"), confirm]
    if context.settings["outcomes"] and sender == "Scenario Failed":
        moves = [lambda: {"status": "failed"}]
    if sender:  # with an empty sender name the conversion stays pending
        context.walk(row, "conversion", moves)


def list_conversions(context: Context, request: Request) -> Answer:
    """Every conversion."""
    return Answer(context.world.rows("conversions"))


def create_subscription(context: Context, request: Request) -> Answer:
    """Subscribe a URL to event types."""
    problems: list[Problem] = []
    body = Body(request.body, {}, problems)
    body.require(["url", "event_types"])
    url = urlsplit(body.text("url") or "https://x")
    safe = url.scheme == "https" or (url.scheme == "http" and url.hostname in LOOPBACK)
    if not safe or not url.hostname:
        body.say("url", "Invalid url")
    events = body["event_types"]
    if events and not (isinstance(events, list) and all(each in EVENTS for each in events)):
        body.say("event_types", f"Expected an array of: {', '.join(EVENTS)}")
    refuse(problems)
    values = {"url": body["url"], "event_types": events, "is_active": True}
    return Answer(context.world.add("webhook_subscriptions", values))


def list_subscriptions(context: Context, request: Request) -> Answer:
    """Every webhook subscription."""
    return Answer(context.world.rows("webhook_subscriptions"))


def _subscription(context: Context, request: Request) -> Row:
    key = request.params["id"]
    return context.world.find("webhook_subscriptions", key, "Webhook subscription")


def get_subscription(context: Context, request: Request) -> Answer:
    """One webhook subscription."""
    return Answer(_subscription(context, request))


def delete_subscription(context: Context, request: Request) -> Answer:
    """Remove a webhook subscription."""
    row = _subscription(context, request)
    del context.world.tables["webhook_subscriptions"][row["id"]]
    return Answer()
