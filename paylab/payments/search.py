"""Orders in the list of transfers: by their reference, or by their values and time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ..errors.base import PaylabError
from ..spec.models import Transfer
from .identity import AMOUNTS, Values, values

REFERENCE = "client_reference_id"
WORDS = ("source_currency", "destination_currency", "payout_method", "financial_account_id")
SHOWN = (*WORDS, *AMOUNTS, REFERENCE)
COMPARED = {*SHOWN, "financial_account", "quote_id"}
"""What must be shown to recognise an order; the quote never is."""
LATEST = datetime.max.replace(tzinfo=UTC)


def find_transfer(
    listed: Iterable[Transfer], asked: Values, since: datetime, others: Collection[str]
) -> str | None:
    """The id of the transfer that an order made; PaylabError when that cannot be told.

    It shows all values of the order, and has its reference or was created at or after `since`.
    `others` are the payments of other orders.
    """
    needed, doubtful = {REFERENCE} | (COMPARED & asked.keys()), ""
    for one in listed:
        if one.id in others or not agrees(one, asked):
            continue
        shown, created = _shown(one), one.created_at
        is_named = bool(asked.get(REFERENCE) and shown.get(REFERENCE))
        if not is_named and isinstance(created, datetime) and created < since:
            continue
        if needed <= shown.keys() and (is_named or isinstance(created, datetime)):
            return one.id
        doubtful = one.id
    if doubtful:
        raise PaylabError(f"{doubtful} in the list may be its payment")
    return None


def by_reference(listed: Iterable[Transfer], wanted: Collection[str]) -> dict[str, Transfer]:
    """The oldest transfer of each wanted reference."""
    found: dict[str, Transfer] = {}
    for one in listed:
        name = str(_shown(one).get(REFERENCE) or "")
        if name in wanted and (name not in found or _created(one) < _created(found[name])):
            found[name] = one
    return found


def agrees(one: Transfer, asked: Values) -> bool:
    """Whether no field that a transfer shows contradicts the values of an order."""
    shown = _shown(one)
    is_named = REFERENCE not in shown or bool(asked.get(REFERENCE)) == bool(shown[REFERENCE])
    return is_named and all(shown[name] == asked[name] for name in shown.keys() & asked.keys())


def _shown(one: Transfer) -> dict[str, Any]:
    """The readable values of a transfer, spelled as an order's; the reference is None for none."""
    given = {name: getattr(one, name) for name in SHOWN}
    kinds = {name: Decimal if name in AMOUNTS else str for name in SHOWN}
    readable = {name: value for name, value in given.items() if isinstance(value, kinds[name])}
    found = values({name: value for name, value in readable.items() if value != ""})
    if REFERENCE in one.model_fields_set and given[REFERENCE] in (None, ""):
        found[REFERENCE] = None
    return found


def _created(one: Transfer) -> datetime:
    """The time of creation; a transfer whose time cannot be read sorts last."""
    return one.created_at if isinstance(one.created_at, datetime) else LATEST
