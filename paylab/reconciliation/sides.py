"""What one side says of a payment: the list, the events, or the user's own books.

Amounts are what was paid in: a transfer's source amount, a conversion's deposit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from .. import instants
from ..events import Event, Mark, is_stale

LIST, EVENTS, REFERENCES = "list", "events", "references"
SIDES = (LIST, EVENTS, REFERENCES)
AMOUNTS = {"transfer": ("source_amount", "source_currency"), "conversion": ("amount", "currency")}

Key = tuple[str, str]
"""A resource: its family and its id."""


class Entry(NamedTuple):
    """What one side says of a resource."""

    status: str | None = None
    amount: Decimal | None = None
    currency: str | None = None
    reference: str | None = None
    created_at: datetime | None = None


@dataclass(frozen=True)
class Line:
    """One resource, what each side says of it, and what is wrong."""

    family: str
    id: str
    sides: Mapping[str, Entry]
    problems: tuple[str, ...]

    def first(self, name: str) -> Any:
        """A field as the first side that has it says."""
        values = (getattr(self.sides[side], name) for side in SIDES if side in self.sides)
        return next((value for value in values if value is not None), None)


def of_list(family: str, rows: Iterable[Mapping[str, Any]]) -> dict[Key, Entry]:
    """The list's side."""
    return {(family, str(row.get("id"))): _entry(family, row) for row in rows}


def of_events(events: Iterable[Event]) -> dict[Key, Entry]:
    """The events' side: each resource as its latest event tells, in whatever order they came."""
    latest: dict[Key, Mark] = {}
    entries: dict[Key, Entry] = {}
    for event in events:
        key = event.family, event.id
        if event.family in AMOUNTS and not is_stale(event.mark, latest.get(key)):
            latest[key] = event.mark
            entries[key] = _entry(event.family, event.payload)
    return entries


def _entry(family: str, row: Mapping[str, Any]) -> Entry:
    amount, currency = AMOUNTS[family]
    deposit = row.get("deposit")
    paid = row if family == "transfer" else deposit if isinstance(deposit, Mapping) else {}
    return Entry(
        _word(row.get("status")),
        _decimal(paid.get(amount)),
        str(paid.get(currency) or "").upper() or None,
        _word(row.get("client_reference_id")),
        _moment(row.get("created_at")),
    )


MOST_DIGITS = 76
"""An exponent is a few characters to send and a gigabyte to print."""


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _decimal(value: object) -> Decimal | None:
    """An amount, or None where the service sent something else."""
    try:
        amount = Decimal(value) if isinstance(value, str | Decimal) else Decimal("NaN")
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and abs(amount.adjusted()) <= MOST_DIGITS else None


def _moment(value: object) -> datetime | None:
    try:
        return instants.from_text(str(value))
    except ValueError:
        return None
