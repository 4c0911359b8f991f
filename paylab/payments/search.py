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
LATEST = datetime.max.replace(tzinfo=UTC)


def find(
    listed: Iterable[Transfer], asked: Values, since: datetime, others: Collection[str]
) -> str | None:
    """The id of the transfer that an order made; PaylabError when that cannot be told.

    It has the order's reference and values, or its values and was created at or after `since`.
    `others` are the payments of other orders.
    """
    doubtful = ""
    for one in listed:
        if one.id in others or not agrees(one, asked):
            continue
        shown = _shown(one)
        if asked.get(REFERENCE) and REFERENCE in shown:
            return one.id
        is_whole = "financial_account" in shown and any(name in shown for name in AMOUNTS)
        if not (is_whole and isinstance(one.created_at, datetime)):
            doubtful = one.id
        elif one.created_at >= since:
            return one.id
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
    own = {name: asked[name] for name in shown if name in asked}
    is_named = REFERENCE not in shown or bool(asked.get(REFERENCE)) == bool(shown[REFERENCE])
    return is_named and all(shown[name] == value for name, value in own.items())


def _shown(one: Transfer) -> dict[str, Any]:
    """The values that a transfer shows, in the spelling of an order's values."""
    given = {name: getattr(one, name) for name in SHOWN}
    readable = {
        name: value
        for name, value in given.items()
        if value is not None and (name not in AMOUNTS or isinstance(value, Decimal))
    }
    found = values(readable)
    if REFERENCE in one.model_fields_set:
        found.setdefault(REFERENCE, None)
    return found


def _created(one: Transfer) -> datetime:
    """The time of creation; a transfer whose time cannot be read sorts last."""
    return one.created_at if isinstance(one.created_at, datetime) else LATEST
