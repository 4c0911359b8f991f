"""A past for an empty world: finished transfers and conversions of recipients who never were."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import accumulate

from ..spec import timestamps
from . import ids, quotes
from .table import Row
from .world import KINDS, World

MOST = 1_000_000
"""Rows one seeding may add."""

RECIPIENTS: tuple[tuple[str, str, str, Row, tuple[str, ...]], ...] = (
    ("MX", "MXN", "bank_account", {"clabe": "999999000000000004"}, ("spei",)),
    ("BR", "BRL", "pix", {"pix_key": "ana@example.com", "pix_key_type": "email"}, ("pix",)),
    (
        "CO",
        "COP",
        "bank_account",
        {"bank_code": "0000", "account_number": "000123456789", "account_type": "savings"},
        ("ach_co",),
    ),
    (
        "PH",
        "PHP",
        "digital_wallet",
        {"issuer": "gcash", "account_number": "09000000000", "account_holder_name": "Ana Reyes"},
        ("instapay", "pesonet"),
    ),
    ("IN", "INR", "upi", {"upi_id": "ana@simulator"}, ("upi",)),
    (
        "DE",
        "EUR",
        "bank_account",
        {
            "bank_account_country": "DE",
            "iban": "DE89370400440532013000",
            "account_holder_name": "Ana Beispiel",
        },
        ("sepa_instant",),
    ),
)
NAMES = ("María González Hernández", "João Silva", "José Núñez", "Ana Reyes", "Asha Rao", "Jörg Öz")
STATUSES = ("completed",) * 17 + ("failed", "expired", "completed")


def seed_transfers(world: World, count: int) -> None:
    """Add finished transfers, minutes apart, ending before now."""
    if not count:
        return
    owners = [_recipient(world, index) for index in range(len(RECIPIENTS))]
    draw = random.Random(f"{world.seed}:{len(world.tables['transfers'])}")  # noqa: S311 - made up, and the same every time
    rows = [_transfer(world, draw, owners, moment) for moment in _moments(world, draw, count)]
    world.extend("transfers", rows)


def seed_conversions(world: World, count: int) -> None:
    """Add completed conversions of one Mexican individual, minutes apart, ending before now."""
    if not count:
        return
    draw = random.Random(f"{world.seed}:{len(world.tables['conversions'])}")  # noqa: S311 - made up, the same every time
    owner, account = _recipient(world, 0, "on_ramp")
    wallet = _wallet(world, owner)
    instructions = {
        "type": "mx_virtual_account",
        "currency": "mxn",
        "payment_methods": ["spei"],
        "details": {"clabe": ids.clabe(world.seed, account["id"])},
    }
    parent = world.create(
        "conversion_accounts",
        {"payout_account_id": wallet["id"]},
        individual_id=owner["id"],
        source_currency="mxn",
        destination_currency="USDC",
        status="active",
        deposit_instructions=instructions,
    )
    rows = [_conversion(world, draw, parent, moment) for moment in _moments(world, draw, count)]
    world.extend("conversions", rows)


def _moments(world: World, draw: random.Random, count: int) -> Iterator[datetime]:
    """Instants from the oldest to the newest, the newest some minutes ago."""
    gaps = [draw.randint(1_000, 900_000) for _ in range(count)]
    total = sum(gaps)
    start = world.now() - timedelta(minutes=5)
    return (start - timedelta(milliseconds=total - passed) for passed in accumulate(gaps))


def _recipient(world: World, index: int, product: str = "global_payouts") -> tuple[Row, Row]:
    """An active individual with one account."""
    country, _, kind, details, _ = RECIPIENTS[index]
    given, _, family = NAMES[index].partition(" ")
    owner = world.create(
        "individuals",
        {"accounts": [], "images": {}},
        given_name=given,
        family_name=family,
        email="ana@example.com",
        phone="+910000000000" if country == "IN" else None,
        address={"country": country},
        country=country,
        status="active",
        product_types=[product],
        document=None,
        status_details=None,
    )
    account = world.create(
        "financial_accounts", {"owner": owner["id"]}, type=kind, details=dict(details)
    )
    owner["_"]["accounts"].append(account["id"])
    return owner, account


def _wallet(world: World, owner: Row) -> Row:
    details = {"address": ids.address(world.seed, "base", owner["id"]), "network": "base"}
    row = world.create(
        "financial_accounts", {"owner": owner["id"]}, type="crypto_wallet", details=details
    )
    owner["_"]["accounts"].append(row["id"])
    return row


def _past_id(world: World, kind: str, moment: datetime) -> str:
    count = world.counters[kind] = world.counters.get(kind, 0) + 1
    return ids.new_id(KINDS[kind], world.seed, moment, count)


def _transfer(
    world: World, draw: random.Random, owners: list[tuple[Row, Row]], moment: datetime
) -> Row:
    index = draw.randrange(len(owners))
    (owner, account), (_, currency, _, _, methods) = owners[index], RECIPIENTS[index]
    price = quotes.from_source(Decimal(draw.randint(500, 500_000)).scaleb(-2), "USD", currency)
    status = draw.choice(STATUSES)
    seconds, done = draw.randint(2, 90), status == "completed"
    row_id = _past_id(world, "transfers", moment)
    return {
        "id": row_id,
        "client_reference_id": f"order-{row_id[-16:-10]}",
        "source_amount": quotes.amount_text(price.source, "USD"),
        "source_currency": "USD",
        "destination_amount": quotes.amount_text(price.destination, currency),
        "destination_currency": currency,
        "exchange_rate": quotes.rate_text(price.rate),
        "total_fee": quotes.amount_text(price.fee, "USD"),
        "fee_currency": "USD",
        "total_tax": "0.00",
        "tax_currency": "USD",
        "net_source_amount": quotes.amount_text(price.net, "USD"),
        "recipient_id": owner["id"],
        "financial_account_id": account["id"],
        "payout_method": draw.choice(methods),
        "status": status,
        "completed_in": str(seconds) if done else None,
        "failure_reason": "The recipient's account is closed." if status == "failed" else None,
        "settlement_reference_id": ids.settlement(world.seed, row_id) if done else None,
        "created_at": timestamps.to_text(moment),
        "updated_at": timestamps.to_text(moment + timedelta(seconds=seconds + 1)),
        "_": {"product": "global_payouts", "source_type": "prefunded", "outcome": None},
    }


def _conversion(world: World, draw: random.Random, parent: Row, moment: datetime) -> Row:
    amount = Decimal(draw.randint(100, 5_000)).scaleb(-2)
    price = quotes.conversion(amount, "MXN", "USDC")
    row_id = _past_id(world, "conversions", moment)
    return {
        "id": row_id,
        "conversion_account_id": parent["id"],
        "individual_id": parent["individual_id"],
        "status": "completed",
        "deposit": {
            "amount": quotes.amount_text(amount, "MXN"),
            "currency": "MXN",
            "received_at": timestamps.to_text(moment),
        },
        "payout": {
            "amount": quotes.amount_text(price.destination, "USDC"),
            "currency": "USDC",
            "payout_account_id": parent["_"]["payout_account_id"],
            "tx_hash": ids.transaction(world.seed, "base", row_id),
            "initiated_at": timestamps.to_text(moment + timedelta(seconds=1)),
            "completed_at": timestamps.to_text(moment + timedelta(seconds=3)),
        },
        "total_fee": quotes.amount_text(price.fee, "MXN"),
        "fee_currency": "MXN",
        "exchange_rate": quotes.rate_text(price.rate),
        "created_at": timestamps.to_text(moment),
        "updated_at": timestamps.to_text(moment + timedelta(seconds=3)),
        "_": {"network": "base"},
    }
