"""Conversion accounts, sandbox deposits and conversions."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

from ...rules import deposits as deposit_rules
from .. import conversions, provisioning
from ..exchange import Refused, Reply, Request, conflict, missing, require
from ..money import text as money_text
from ..showing import conversion_account as shown
from ..showing import plain
from ..table import Row
from ..world import World
from .listing import page


def create_account(world: World, request: Request) -> Reply:
    """POST /v1/conversion_accounts. Gaps `ca.create`, `ca.product`."""
    body = request.json()
    owner = _named(world, "individuals", "individual", body.get("individual_id"))
    payout = body.get("payout_account")
    wallet_id = payout.get("id") if isinstance(payout, dict) else None
    wallet = _named(world, "financial_accounts", "payout account", wallet_id)
    require(deposit_rules.check_account(body, owner["country"] if owner else None))
    assert owner is not None  # noqa: S101 - the rules refuse a body without an individual
    assert wallet is not None  # noqa: S101 - nor one without a payout account
    _must_be_ready(owner, wallet)
    return _open(world, body, owner, wallet)


def _open(world: World, body: Row, owner: Row, wallet: Row) -> Reply:
    reference = body.get("client_reference_id")
    row = world.create(
        "conversion_accounts",
        {"payout_account_id": wallet["id"]},
        individual_id=owner["id"],
        source_currency=body["source_currency"].lower(),
        destination_currency=(body.get("destination_currency") or "USDC").upper(),
        status="pending",
        **({} if reference is None else {"client_reference_id": reference}),
    )
    slow = (reference or "").split(":")[:2] == ["scenario", "slow"]
    provisioning.start(world, row, at_once=owner["country"] == "MX", slow=slow)
    return Reply.json(201 if row["status"] == "active" else 202, shown(world, row))


def _must_be_ready(owner: Row, wallet: Row) -> None:
    if owner["status"] != "active":
        conflict(f"the individual is {owner['status']}, not active")
    if "on_ramp" not in owner["product_types"]:
        conflict("the individual does not have the product on_ramp")
    if wallet["type"] != "crypto_wallet" or wallet["id"] not in owner["_"]["accounts"]:
        conflict("payout_account must be a crypto_wallet of the individual")


def get_account(world: World, request: Request) -> Reply:
    """GET /v1/conversion_accounts/{id}."""
    row = world.find("conversion_accounts", request.id)
    return Reply.json(200, shown(world, row or missing("conversion account")))


def list_accounts(world: World, request: Request) -> Reply:
    """GET /v1/conversion_accounts."""
    return page(world, request, "conversion_accounts", show=partial(shown, world))


def list_conversions(world: World, request: Request) -> Reply:
    """GET /v1/conversions."""
    return page(world, request, "conversions")


def deposit(world: World, request: Request) -> Reply:
    """POST /v1/sandbox/deposits. Gap `deposit.path`."""
    if world.production_like:
        raise Refused(403, "deposits are simulated in the sandbox only")
    body = request.json()
    account = _named(
        world, "conversion_accounts", "conversion account", body.get("conversion_account_id")
    )
    require(deposit_rules.check(body, account["source_currency"] if account else None))
    assert account is not None  # noqa: S101 - the rules refuse a body without an account
    if account["status"] != "active":
        conflict(f"the conversion account is {account['status']}, not active")
    row = _paid_in(world, body, account)
    conversions.start(world, account, row)
    return Reply.json(201, plain(row))


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
    """The row a body names; None when it names none at all, which the rules then say."""
    if not isinstance(row_id, str) or not row_id.strip():
        return None
    return world.find(kind, row_id) or missing(words)
