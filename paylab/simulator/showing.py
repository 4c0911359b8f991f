"""Rows as the service shows them: in REST answers and in events."""

from __future__ import annotations

from typing import Any

from .table import Row
from .world import World

CURRENCY_FIELDS = frozenset(
    {"currency", "source_currency", "destination_currency", "fee_currency", "tax_currency"}
)


def plain(row: Row) -> Row:
    """A row without what only the simulator knows."""
    return {key: value for key, value in row.items() if key != "_"}


def individual(world: World, row: Row) -> Row:
    """An individual with its accounts; fields with no value are left out."""
    accounts = world.tables["financial_accounts"].rows
    own = [plain(accounts[account_id]) for account_id in row["_"]["accounts"]]
    return dict(without_null({**plain(row), "financial_accounts": own}))


def without_null(value: Any) -> Any:
    """The value without the fields, at any depth, and the list items that are null."""
    if isinstance(value, list):
        return [without_null(each) for each in value if each is not None]
    if not isinstance(value, dict):
        return value
    return {key: without_null(each) for key, each in value.items() if each is not None}


def conversion_account(world: World, row: Row) -> Row:
    """A conversion account with the whole payout account inside."""
    account = world.tables["financial_accounts"].rows[row["_"]["payout_account_id"]]
    return {**plain(row), "payout_account": plain(account)}


def images(row: Row) -> Row:
    """An individual's stored images, one a side."""
    return {"individual_id": row["id"], "images": list(row["_"]["images"].values())}


def lowered(value: Any) -> Any:
    """A snapshot with its currency codes in lower case, as events have them."""
    if isinstance(value, list):
        return [lowered(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: each.lower() if key in CURRENCY_FIELDS and isinstance(each, str) else lowered(each)
        for key, each in value.items()
    }
