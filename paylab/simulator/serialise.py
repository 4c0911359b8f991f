"""Rows as the service shows them: in REST answers and in events."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from ..errors import Problem
from ..spec import codes, paging, timestamps
from .messages import Refused, Reply, Request, require
from .table import Place, Row, row_place
from .world import World

CURRENCY_FIELDS = frozenset(
    {"currency", "source_currency", "destination_currency", "fee_currency", "tax_currency"}
)


def as_shown(row: Row) -> Row:
    """A row without what only the simulator knows."""
    return {key: value for key, value in row.items() if key != "_"}


def individual_json(world: World, row: Row) -> Row:
    """An individual with its accounts; fields with no value are left out."""
    accounts = world.tables["financial_accounts"].rows
    own = [as_shown(accounts[account_id]) for account_id in row["_"]["accounts"]]
    return dict(without_null({**as_shown(row), "financial_accounts": own}))


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
    return {**as_shown(row), "payout_account": as_shown(account)}


def image_list(row: Row) -> Row:
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


_WHOLE = re.compile(r"[0-9]{1,9}")


def page(
    world: World,
    request: Request,
    kind: str,
    *,
    lane: str | None = None,
    show: Callable[[Row], Row] = as_shown,
) -> Reply:
    """One page: `data`, `has_next_page`, `cursor`. Gaps `list.order`, `list.cursor`."""
    items = request.query_items()
    before, limit = _place(items.get("cursor")), _limit(items.get("limit"))
    rows = list(islice(world.tables[kind].newest(lane, before=before), limit + 1))
    more = len(rows) > limit
    data = [show(row) for row in rows[:limit]]
    cursor = _cursor(rows[limit - 1]) if more else None
    return Reply.json(200, {"data": data, "has_next_page": more, "cursor": cursor})


def _limit(text: str | None) -> int:
    """1 to 100, 20 when absent. Gap `page.limit`."""
    if text is None:
        return codes.PAGE_DEFAULT
    if _WHOLE.fullmatch(text) and 1 <= int(text) <= codes.PAGE_MAX:
        return int(text)
    require([Problem("limit", f"must be a whole number from 1 to {codes.PAGE_MAX}")])
    raise AssertionError


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    try:
        position = paging.decode_cursor(cursor)
        timestamps.from_text(position["created_at"])
    except ValueError:
        raise Refused(400, "Invalid pagination token") from None
    return position["created_at"], position["id"]


def _cursor(row: Row) -> str:
    created_at, row_id = row_place(row)
    return paging.encode_cursor({"created_at": created_at, "id": row_id, "direction": "next"})
