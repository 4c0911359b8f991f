"""Conversion accounts, sandbox deposits and conversions: endpoints and transitions."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from ..rules import deposits as deposit_rules
from ..spec.status import CONVERSION, CONVERSION_ACCOUNT
from . import bodies, ids, quotes
from .bodies import as_shown, page
from .bodies import conversion_account as shown
from .messages import NO_CONTENT, Refused, Reply, Request, conflict, missing
from .quotes import amount_text as money_text
from .table import Row
from .webhooks import emit
from .world import World, apply_move

PAUSE = 1.0
"""Seconds from deposit to payout on the simulator's clock."""

CONFIRMATION = 2.0
"""Seconds from payout to confirmation."""

FAILING_SENDER = "Scenario Failed"


def start_conversion(world: World, account: Row, deposit: Row) -> Row:
    """Create the conversion of a deposit. Assumptions `conversion.fee` and `deposit.review`."""
    currency, coin = deposit["currency"], account["destination_currency"]
    price = quotes.conversion(Decimal(deposit["amount"]), currency, coin)
    wallet = account["_"]["payout_account_id"]
    details = world.tables["financial_accounts"].rows[wallet]["details"]
    network = details.get("network") or ""
    row = world.create(
        "conversions",
        {"network": network, "deposit_id": deposit["id"]},
        conversion_account_id=account["id"],
        individual_id=account["individual_id"],
        status="pending",
        deposit={
            "amount": deposit["amount"],
            "currency": currency,
            "received_at": deposit["created_at"],
        },
        payout={
            "amount": quotes.amount_text(price.destination, coin),
            "currency": coin,
            "payout_account_id": wallet,
            "tx_hash": None,
            "initiated_at": None,
            "completed_at": None,
        },
        total_fee=quotes.amount_text(price.fee, currency),
        fee_currency=currency,
        exchange_rate=quotes.rate_text(price.rate),
    )
    emit(world, "conversion.created", row["id"], as_shown(row))
    _plan(world, row, deposit["sender_name"])
    return row


def _plan(world: World, row: Row, sender: str) -> None:
    """Plan the first step; a deposit without a sender is held for review."""
    if sender != "" or world.service.sandbox_deposits.missing_sender == "accepted":
        step = "fail" if sender == FAILING_SENDER else "broadcast"
        world.later("conversions", row["id"], PAUSE, step)


def _broadcast(world: World, row: Row, _: str) -> None:
    row["payout"] |= {
        "tx_hash": ids.transaction(world.seed, row["_"]["network"], row["id"]),
        "initiated_at": world.stamp(),
    }
    _move(world, row, "broadcast", "conversion.payout_initiated")
    world.later("conversions", row["id"], CONFIRMATION, "confirm")


def _confirm(world: World, row: Row, _: str) -> None:
    row["payout"]["completed_at"] = world.stamp()
    _move(world, row, "confirm", "conversion.completed")


def _fail(world: World, row: Row, _: str) -> None:
    _move(world, row, "fail", "conversion.failed")


def _move(world: World, row: Row, trigger: str, event: str) -> None:
    apply_move(world, "conversions", CONVERSION, row, trigger)
    emit(world, event, row["id"], as_shown(row))


CONVERSION_STEPS = {"broadcast": _broadcast, "confirm": _confirm, "fail": _fail}


SECONDS = 1.0
SLOW_SECONDS = 30.0


def start_provisioning(world: World, row: Row, *, at_once: bool, slow: bool) -> None:
    """Provision at once or later. Assumptions `ca.provisioning`, `ca.slow`."""
    if at_once and not slow:
        provision(world, row)
    else:
        pause = SLOW_SECONDS if slow else SECONDS
        world.later("conversion_accounts", row["id"], pause, "provision")


def provision(world: World, row: Row, _: str = "") -> None:
    """Create the deposit instructions and activate the account."""
    row["deposit_instructions"] = _instructions(world, row)
    apply_move(world, "conversion_accounts", CONVERSION_ACCOUNT, row, "provision")


def _instructions(world: World, row: Row) -> Row:
    """The deposit instructions. Assumptions `instructions.mx` and `instructions.ph`."""
    if row["source_currency"] == "mxn":
        kind, method = "mx_virtual_account", "spei"
        details = {"clabe": ids.clabe(world.seed, row["id"])}
    else:
        kind, method = "ph_qr_code", "instapay"
        details = {"qrph_payload": ids.new_qrph(world.seed, row["id"])}
    return {
        "type": kind,
        "currency": row["source_currency"],
        "payment_methods": [method],
        "details": details,
    }


PROVISIONING_STEPS = {"provision": provision}


def create_account(world: World, request: Request) -> Reply:
    """Create a conversion account. Assumptions `ca.create`, `ca.product`."""
    asked, service = bodies.read_body(world, request, "conversion_accounts"), world.service
    body = asked.fields
    owner = _named(world, "individuals", "individual", body.get("individual_id"))
    payout = body.get("payout_account")
    wallet_id = payout.get("id") if isinstance(payout, dict) else None
    wallet = _named(world, "financial_accounts", "payout account", wallet_id)
    country = owner["country"] if owner else None
    problems = deposit_rules.check_account(body, country, service)
    asked.require(problems, service.error_codes.validation)
    assert owner is not None  # noqa: S101 - the rules refuse a body without an individual
    assert wallet is not None  # noqa: S101 - nor one without a payout account
    _must_be_ready(owner, wallet, service.error_codes.state)
    return _open(world, body, owner, wallet)


def _open(world: World, body: Row, owner: Row, wallet: Row) -> Reply:
    reference, settings = body.get("client_reference_id"), world.service.conversion_accounts
    coin = body.get("destination_currency") or settings.default_destination_currency
    row = world.create(
        "conversion_accounts",
        {"payout_account_id": wallet["id"]},
        individual_id=owner["id"],
        source_currency=body["source_currency"].lower(),
        destination_currency=coin.upper(),
        status="pending",
        **({} if reference is None else {"client_reference_id": reference}),
    )
    slow = (reference or "").split(":")[:2] == ["scenario", "slow"]
    start_provisioning(world, row, at_once=owner["country"] in settings.at_once, slow=slow)
    return Reply.json(201 if row["status"] == "active" else 202, shown(world, row))


def _must_be_ready(owner: Row, wallet: Row, status: int) -> None:
    if owner["status"] != "active":
        conflict(f"the individual is {owner['status']}, not active", status)
    if "on_ramp" not in owner["product_types"]:
        conflict("the individual does not have the product on_ramp", status)
    if wallet["type"] != "crypto_wallet" or wallet["id"] not in owner["_"]["accounts"]:
        conflict("payout_account must be a crypto_wallet of the individual", status)


def get_account(world: World, request: Request) -> Reply:
    """Read a conversion account."""
    row = world.find("conversion_accounts", request.id)
    return Reply.json(200, shown(world, row or missing("conversion account")))


def list_accounts(world: World, request: Request) -> Reply:
    """The list of conversion accounts."""
    return page(world, request, "conversion_accounts", show=partial(shown, world))


def list_conversions(world: World, request: Request) -> Reply:
    """The list of conversions."""
    return page(world, request, "conversions")


def get_conversion(world: World, request: Request) -> Reply:
    """Read one conversion."""
    row = world.find("conversions", request.id) or missing("conversion")
    return Reply.json(200, as_shown(row))


def deposit(world: World, request: Request) -> Reply:
    """Simulate a deposit. Assumption `deposit.path`."""
    if world.production_like:
        raise Refused(403, "deposits are simulated in the sandbox only")
    asked, service = bodies.read_body(world, request, "sandbox_deposits"), world.service
    body = asked.fields
    if request.id:
        body["conversion_account_id"] = request.id
    account_id = body.get("conversion_account_id")
    account = _named(world, "conversion_accounts", "conversion account", account_id)
    currency = account["source_currency"] if account else None
    asked.require(deposit_rules.check(body, currency, service), service.error_codes.validation)
    assert account is not None  # noqa: S101 - the rules refuse a body without an account
    if account["status"] != "active":
        conflict(
            f"the conversion account is {account['status']}, not active", service.error_codes.state
        )
    row = _paid_in(world, body, account)
    start_conversion(world, account, row)
    status, shown_row = service.success_codes.sandbox_deposits, as_shown(row)
    if status == NO_CONTENT:
        return Reply(status)
    return Reply.json(status, service.names("sandbox_deposits").send(shown_row))


def _paid_in(world: World, body: Row, account: Row) -> Row:
    owner = world.tables["individuals"].rows[account["individual_id"]]
    sender = body.get("sender_name")
    currency = account["source_currency"].upper()
    row = world.create(
        "deposits",
        conversion_account_id=account["id"],
        amount=money_text(Decimal(body["amount"]), currency),
        currency=currency,
        sender_name=f"{owner['given_name']} {owner['family_name']}" if sender is None else sender,
    )
    del row["updated_at"]
    return row


def _named(world: World, kind: str, words: str, row_id: object) -> Row | None:
    """The row that a body names; None when it names none, which the rules report."""
    if not isinstance(row_id, str) or not row_id.strip():
        return None
    return world.find(kind, row_id) or missing(words)
