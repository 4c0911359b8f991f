"""The problems of a reconciliation: their kinds, and what counts as equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from ..errors.extras import explained
from .payment_keys import NO_PLACE

with explained():
    from ..frames import decimals

UTC = ZoneInfo("UTC")
SHOWN_ROWS = 5  # amounts of a split payment in a cell

KINDS = {
    "missing_in_service": "a row has no payment",
    "missing_in_books": "a payment has no row",
    "missing_in_events": "a payment has no event",
    "duplicate": "a payment has several rows, or a reference several payments",
    "split": "several rows together are one payment",
    "swapped": "two payments have each other's amount",
    "sign": "an amount has the other sign",
    "amount": "the source amount or the deposit differs",
    "destination_amount": "the destination amount or the payout differs",
    "fee": "the fee differs",
    "tax": "the tax differs",
    "net_amount": "the net amount differs",
    "exchange_rate": "the rate differs",
    "currency": "a currency differs",
    "status": "the status differs",
    "payout_method": "the payout method differs",
    "date": "a date or a time differs",
    "time_zone": "a time differs by quarters of an hour, up to 14 hours",
}
"""The kinds of problems."""

SEVERAL = ("duplicate", "split")
"""The kinds whose values are of several rows."""


class PaymentProblem(NamedTuple):
    """A difference: its kind, the payment, the column, both values and the difference."""

    kind: str
    side: str
    key: str
    id: str | None
    family: str | None
    column: str
    currency: str | None
    service_value: str | None
    other_value: str | None
    difference: Decimal | None = None
    time_difference: timedelta | None = None
    row: int | None = None
    """The row of the books, counted from 1."""
    place: int = NO_PLACE

    def as_json(self) -> dict[str, Any]:
        """The problem with amounts and durations as text."""
        facts = self._asdict()
        del facts["place"]
        facts["difference"] = digits_of(self.difference)
        seconds = self.time_difference and self.time_difference.total_seconds()
        return facts | {"time_difference": None if seconds is None else f"{seconds:g} s"}


@dataclass(frozen=True)
class Rules:
    """What is equal: tolerances by currency, a window for times, and words of the books."""

    tolerance: Mapping[str, Decimal] = field(default_factory=dict)
    """By currency in upper case; the key "" is for all others."""
    window: timedelta = timedelta(0)
    zone: ZoneInfo = UTC
    status_map: Mapping[str, str] = field(default_factory=dict)

    def agree(self, service: Decimal, other: Decimal, currency: str | None) -> bool:
        """Whether two amounts are equal within the tolerance of their currency."""
        return abs(subtract(other, service)) <= self.tolerated(currency)

    def tolerated(self, currency: str | None) -> Decimal:
        """The tolerance of a currency."""
        default = self.tolerance.get("", Decimal(0))
        return self.tolerance.get((currency or "").upper(), default)


class Period(NamedTuple):
    """The payments that a side should have: from `since`, before `until`."""

    since: datetime | None = None
    until: datetime | None = None


def subtract(one: Decimal, other: Decimal) -> Decimal:
    """The exact difference."""
    return decimals.UNLIMITED.subtract(one, other)


def total(amounts: Iterable[Decimal]) -> Decimal:
    """The exact sum."""
    result = Decimal(0)
    for amount in amounts:
        result = decimals.UNLIMITED.add(result, amount)
    return result


def digits_of(amount: Decimal | None) -> str | None:
    """An amount in plain digits."""
    return None if amount is None else format(amount, "f")


def sum_text(amounts: Iterable[Decimal]) -> str:
    """Amounts as a sum."""
    texts = [format(amount, "f") for amount in amounts]
    hidden_count = len(texts) - SHOWN_ROWS
    return " + ".join(texts[:SHOWN_ROWS]) + (f" + {hidden_count} more" if hidden_count > 0 else "")


def name_swapped(problems: list[PaymentProblem]) -> list[PaymentProblem]:
    """Two payments with each other's amount are `swapped`, one problem each.

    Their other columns are left out if they are swapped too.
    """
    waiting: dict[tuple[object, ...], list[int]] = {}
    partner: dict[int, int] = {}
    for problem in problems:
        if problem.kind != "amount":
            continue
        service = _value(problem, 0)
        other_value = _value(problem, 1)
        partners = waiting.get((problem.family, other_value, service))
        if partners:
            other_place = partners.pop(0)
            partner[other_place] = problem.place
            partner[problem.place] = other_place
        else:
            pair = problem.family, service, other_value
            waiting.setdefault(pair, []).append(problem.place)
    if not partner:
        return problems
    values = {
        (problem.place, problem.column): (_value(problem, 1), _value(problem, 0))
        for problem in problems
        if problem.kind not in SEVERAL
    }
    renamed = []
    for problem in problems:
        other_place = partner.get(problem.place, NO_PLACE)
        crossed = values.get((other_place, problem.column))
        is_several = problem.kind in SEVERAL
        is_crossed = not is_several and crossed == (_value(problem, 0), _value(problem, 1))
        if other_place == NO_PLACE or not is_crossed:
            renamed.append(problem)
        elif problem.kind == "amount":
            renamed.append(problem._replace(kind="swapped"))
    return renamed


def _value(problem: PaymentProblem, at: int) -> object:
    """The value of the service (0) or of the other side (1), as it is compared."""
    text = (problem.service_value, problem.other_value)[at]
    if text is None or problem.difference is None:
        return text and text.casefold()
    return Decimal(text)
