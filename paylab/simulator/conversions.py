"""The life of a conversion: a deposit came in, stablecoin goes out."""

from __future__ import annotations

from decimal import Decimal

from ..status import CONVERSION
from . import minting, money
from .moving import move
from .outbox import emit
from .showing import plain
from .table import Row
from .world import World

PAUSE = 1.0
"""Seconds from deposit to payout on the simulator's clock."""

CONFIRMATION = 2.0
"""Seconds from payout to confirmation."""

FAILING_SENDER = "Scenario Failed"


def start(world: World, account: Row, deposit: Row) -> Row:
    """Make the conversion of a deposit. Gaps `money.rule`, `conversion.fee`, `deposit.review`."""
    currency, coin = deposit["currency"], account["destination_currency"]
    price = money.conversion(Decimal(deposit["amount"]), currency, coin)
    wallet = account["_"]["payout_account_id"]
    network = world.tables["financial_accounts"].rows[wallet]["details"]["network"]
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
            "amount": money.text(price.destination, coin),
            "currency": coin,
            "payout_account_id": wallet,
            "tx_hash": None,
            "initiated_at": None,
            "completed_at": None,
        },
        total_fee=money.text(price.fee, currency),
        fee_currency=currency,
        exchange_rate=money.rate_text(price.rate),
    )
    emit(world, "conversion.created", row["id"], plain(row))
    _plan(world, row, deposit["sender_name"])
    return row


def _plan(world: World, row: Row, sender: str) -> None:
    """A missing sender is held for review, until somebody moves the conversion on."""
    if sender != "":
        step = "fail" if sender == FAILING_SENDER else "broadcast"
        world.later("conversions", row["id"], PAUSE, step)


def _broadcast(world: World, row: Row, _: str) -> None:
    row["payout"] |= {
        "tx_hash": minting.transaction(world.seed, row["_"]["network"], row["id"]),
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
    move(world, "conversions", CONVERSION, row, trigger)
    emit(world, event, row["id"], plain(row))


STEPS = {"broadcast": _broadcast, "confirm": _confirm, "fail": _fail}
