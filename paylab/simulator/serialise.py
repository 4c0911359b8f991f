"""Rows as JSON in replies and events."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Any

from ..errors import Problem
from ..spec import paging, timestamps
from ..spec.keys import NONE
from ..spec.paging import ListForm
from ..spec.service import Service
from .messages import BadCursor, Reply, Request, put_inside, require
from .table import Place, Row, row_place
from .world import World

CURRENCY_FIELDS = frozenset(
    {"currency", "source_currency", "destination_currency", "fee_currency", "tax_currency"}
)


AMOUNT_FIELDS = frozenset(
    {
        *("source_amount", "destination_amount", "net_source_amount", "amount"),
        *("exchange_rate", "total_fee", "total_tax"),
    }
)
"""Fields that hold an amount, a rate or a fee."""


def as_shown(row: Row) -> Row:
    """A row without the simulator's internal fields."""
    return {key: value for key, value in row.items() if key != "_"}


def individual_json(world: World, row: Row) -> Row:
    """An individual with its accounts, without fields that have no value."""
    accounts = world.tables["financial_accounts"].rows
    own = [account_json(world, accounts[account_id]) for account_id in row["_"]["accounts"]]
    return dict(without_null({**as_shown(row), "financial_accounts": own}))


def account_json(world: World, row: Row) -> Row:
    """A financial account, its details in the names of the service."""
    country = world.tables["individuals"].rows[row["_"]["owner"]]["country"]
    names = world.service.detail_names(country, row["type"])
    return {**as_shown(row), "details": names.send(row["details"])}


def with_instructions(service: Service, row: Row) -> Row:
    """An object with its deposit instructions in the service's names."""
    found = row.get("deposit_instructions")
    if found is None:
        return row
    names = service.names(f"deposit_instructions.{found['type']}")
    return {**row, "deposit_instructions": {**found, "details": names.send(found["details"])}}


def transfer_json(world: World, row: Row) -> Row:
    """A transfer as the service shows it."""
    return with_instructions(world.service, as_shown(row))


def with_numbers(service: Service, body: bytes) -> bytes:
    """JSON with amounts as numbers, if the service does that. Assumption `amount.form`."""
    if service.amounts.answers != "number":
        return body
    return _amounts(service).sub(rb'"\1":\2', body)


@lru_cache(maxsize=8)
def _amounts(service: Service) -> re.Pattern[bytes]:
    """Amounts as numbers, under any name of the service."""
    tables = (service.names("quotes").theirs, service.names("sandbox_deposits").theirs)
    theirs = {table[name] for table in tables for name in table if name in AMOUNT_FIELDS}
    words = "|".join(map(re.escape, sorted({*AMOUNT_FIELDS, *theirs})))
    return re.compile(rf'"({words})":"(-?[0-9]+(?:\.[0-9]+)?)"'.encode())


def without_null(value: Any) -> Any:
    """The value without null fields and list items, at any depth."""
    if isinstance(value, list):
        return [without_null(each) for each in value if each is not None]
    if not isinstance(value, dict):
        return value
    return {key: without_null(each) for key, each in value.items() if each is not None}


def conversion_account(world: World, row: Row) -> Row:
    """A conversion account with the whole payout account inside."""
    account = world.tables["financial_accounts"].rows[row["_"]["payout_account_id"]]
    whole = {**as_shown(row), "payout_account": account_json(world, account)}
    names = world.service.names("conversion_accounts")
    return names.send(with_instructions(world.service, whole))


def image_list(row: Row) -> Row:
    """An individual's stored images, one per side."""
    return {"individual_id": row["id"], "images": list(row["_"]["images"].values())}


def lowered(value: Any) -> Any:
    """A resource with currency codes in lower case, as in events."""
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
    """One page in the envelope of its list. Assumptions `list.envelope`, `list.order`."""
    form, table = world.service.list(kind), world.tables[kind]
    if form.envelope == "array":
        return Reply.json(200, [show(row) for row in table.listed(lane)])
    items = request.query_items()
    after = _place(items.get(form.cursor_parameter))
    limit = _limit(items.get(form.limit_parameter), form)
    rows = list(islice(table.listed(lane, after=after), limit + 1))
    more = len(rows) > limit
    answer: Row = {}
    put_inside(answer, form.items, [show(row) for row in rows[:limit]])
    if form.more != NONE:
        put_inside(answer, form.more, more)
    put_inside(answer, form.cursor, _cursor(rows[limit - 1]) if more else None)
    return Reply.json(200, answer)


def _limit(text: str | None, form: ListForm) -> int:
    """From 1 to the largest page; assumption `page.limit`."""
    if text is None:
        return form.default_limit
    size = int(text) if _WHOLE.fullmatch(text) else 0
    if size > form.max_limit and form.over_limit == "cap":
        return form.max_limit
    if 1 <= size <= form.max_limit:
        return size
    message = f"must be a whole number from 1 to {form.max_limit}"
    require(
        [Problem(form.limit_parameter, message, "page.limit", key=f"lists.{form.name}.max_limit")]
    )
    raise AssertionError


def _place(cursor: str | None) -> Place | None:
    if cursor is None:
        return None
    try:
        position = paging.decode_cursor(cursor)
        timestamps.from_text(position["created_at"])
    except ValueError:
        raise BadCursor from None
    return position["created_at"], position["id"]


def _cursor(row: Row) -> str:
    created_at, row_id = row_place(row)
    return paging.encode_cursor({"created_at": created_at, "id": row_id, "direction": "next"})
