"""What the list of the service says of the rows of a batch, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..spec.models import Transfer
from . import outcome
from .identity import Values
from .outcome import Outcome
from .repetition import (
    NEEDED,
    WEEK,
    age_of,
    dead,
    describe,
    is_dead,
    other_values,
    unshown,
)


@dataclass(frozen=True)
class Decision:
    """What to do with a row: its outcome, or None to send it, as the order named `new`.

    `old` is an equal payment of which it cannot be told whether it is this payout.
    """

    outcome: Outcome | None = None
    new: str = ""
    old: Transfer | None = None


def decide(
    order: Values, payments: Sequence[Transfer], now: datetime, *, retries_failed: bool = False
) -> Decision:
    """What to do with a row by the payments of its reference, newest first.

    `order` are the values of the row. An equal live payment of the last 7 days is that of the row;
    a live one with other values is a conflict; the newest one may have failed, or be too old.
    """
    if not payments:
        return Decision()
    live = [payment for payment in payments if not is_dead(payment)]
    equal = [payment for payment in live if _is_equal(order, payment)]
    recent = [payment for payment in equal if not _is_old(payment, now)]
    if recent:
        return Decision(Outcome(outcome.PAID, recent[0].to_dict()))
    others = [payment for payment in live if payment not in equal]
    if others:
        error = _conflict(order, others[0], now)
        return Decision(Outcome(outcome.CONFLICT, error=error))
    newest = payments[0]
    if not is_dead(newest):
        return Decision(old=newest)
    if retries_failed and newest.id:
        return Decision(new=newest.id)
    way = "retry_failed=True (--retry-failed) pays it again"
    error = f"{str(dead(newest, now)).rstrip('.')}; {way}"
    return Decision(Outcome(outcome.FAILED, error=error, payment=newest.id))


def _is_equal(order: Values, payment: Transfer) -> bool:
    """Whether a payment has an id and shows all values of the order, except those of a quote."""
    hidden = {*unshown(order, payment)} & {*NEEDED}
    return bool(payment.id) and not hidden and not other_values(order, payment)


def _is_old(payment: Transfer, now: datetime) -> bool:
    age = age_of(payment, now)
    return age is None or age > WEEK


def _conflict(order: Values, payment: Transfer, now: datetime) -> str:
    different = other_values(order, payment) or [
        f"{n} is not shown" for n in unshown(order, payment)
    ]
    what = f"{describe(payment, now)} was made under this reference"
    way = "correct the row, or give it another reference"
    return f"{what}; {'; '.join(different)}; {way}"
