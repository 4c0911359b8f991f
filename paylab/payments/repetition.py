"""Compares a payment of the service with an order: other values, hidden fields, status and age."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from ..errors.base import ChoiceError
from ..spec.codes import IDEMPOTENCY_HOURS
from ..spec.models import Transfer
from ..spec.text import plain
from .identity import AMOUNTS, REFERENCE, Values, values

DAY = timedelta(hours=IDEMPOTENCY_HOURS)
WEEK = timedelta(days=7)
DEAD = frozenset({"failed", "expired", "cancelled", "canceled"})
"""Statuses of a payment that was not made; any other one counts as live, also an unknown one."""
ACCOUNT = "financial_account"
TEXTS = ("source_currency", "destination_currency", "payout_method", REFERENCE)
COMPARED = (ACCOUNT, *TEXTS, *sorted(AMOUNTS))
NEEDED = (ACCOUNT, "source_currency", "destination_currency", *sorted(AMOUNTS))
"""What the list must show of an order, as far as the order has it, to recognise its payment."""
MASK = frozenset("*•…")
ROUNDING = 30
"""Seconds that an age may lack of a whole unit."""


def is_dead(payment: Transfer) -> bool:
    """Whether a payment failed, expired or was cancelled."""
    return str(payment.status or "").strip().lower() in DEAD


def shown_values(payment: Transfer) -> dict[str, Any]:
    """The readable values of a payment, spelled as those of an order, without masked ones."""
    account = payment.financial_account_id or (payment.model_extra or {}).get(ACCOUNT)
    fields: dict[str, Any] = {name: getattr(payment, name) for name in (*TEXTS, *AMOUNTS)}
    texts = {name: value for name, value in fields.items() if name in TEXTS and _is_text(value)}
    amounts = {name: fields[name] for name in AMOUNTS if isinstance(fields[name], Decimal)}
    spelled = values({**texts, **amounts, ACCOUNT: account})
    if not _is_text(spelled.get(ACCOUNT)):
        spelled.pop(ACCOUNT, None)
    return spelled


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not MASK & {*value}


def other_values(order: Values, payment: Transfer) -> list[str]:
    """The values that a payment shows otherwise than the order has them; `order` are its values."""
    there = shown_values(payment)
    different = [
        f"{name} is {plain(str(there[name]), 60)}, not {order[name]}"
        for name in COMPARED
        if name in there and order.get(name) not in (None, there[name])
    ]
    if REFERENCE in there and order.get(REFERENCE) is None:
        different.append(f"its {REFERENCE} is {plain(there[REFERENCE], 60)}, the order has none")
    return different


def unshown(order: Values, payment: Transfer) -> list[str]:
    """The fields of an order that its payment does not show."""
    there = shown_values(payment)
    return [name for name in order if name not in there and name != "quote_id"]


def is_recognised(order: Values, payment: Transfer) -> bool:
    """Whether a payment has an id and shows account, currencies and amount equal to the order's."""
    states = ACCOUNT in order and bool(AMOUNTS & order.keys())
    hidden = {*unshown(order, payment)} & {*NEEDED}
    return states and bool(payment.id) and not hidden and not other_values(order, payment)


def age_of(payment: Transfer, now: datetime) -> timedelta | None:
    """The age of a payment; None if it does not show when it was created."""
    made = payment.created_at
    return max(now - made, timedelta(0)) if isinstance(made, datetime) else None


def age_text(age: timedelta | None) -> str:
    """An age in words, such as `3 days`."""
    if age is None:
        return "of unknown age"
    seconds = int(age.total_seconds())
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length - ROUNDING:
            return f"{round(seconds / length)} {unit} old"
    return f"{seconds} seconds old"


def describe(payment: Transfer, now: datetime) -> str:
    """A payment as errors name it: `tr_1 (completed, 50.00 USD, 2 hours old)`."""
    amount = f"{payment.source_amount} {payment.source_currency}"
    facts = (payment.status or "no status", amount if payment.source_amount else "")
    known = [plain(str(fact), 60) for fact in facts if fact]
    return f"{plain(payment.id, 80) or 'a row without id'} ({', '.join(known)}, " + (
        f"{age_text(age_of(payment, now))})"
    )


def check_terms(order: Values, payment: Transfer, now: Callable[[], datetime]) -> None:
    """ChoiceError if a payment has other values than the order."""
    different = other_values(order, payment)
    if not different:
        return
    what = f"{describe(payment, now())} was made for this order with other values"
    reference = order.get(REFERENCE)
    suffix = f" with a suffix: {reference}:2" if str(reference).startswith("scenario:") else ""
    hint = (
        "correct the order if it is that payment; for another payment give it another "
        f'{REFERENCE}{suffix}, or a name: new="{payment.id}"'
    )
    raise ChoiceError(f"{what}: {'; '.join(different)}", hint, reason="conflict", payment=payment)


def check_new(order: Values, payment: Transfer, now: Callable[[], datetime]) -> None:
    """ChoiceError if the answer to a new payment has other values than the order.

    It may show the rail that was chosen, and a reference that the service has given.
    """
    reference = order.get(REFERENCE) or shown_values(payment).get(REFERENCE)
    check_terms({**order, REFERENCE: reference, "payout_method": None}, payment, now)


def check_repetition(
    order: Values, payment: Transfer, now: datetime, limit: timedelta | None
) -> None:
    """ChoiceError for a payment that is no success of an order: other values, dead, or too old."""
    check_terms(order, payment, lambda: now)
    if is_dead(payment):
        raise dead(payment, now)
    age = age_of(payment, now)
    if limit is not None and age is not None and age > limit:
        what = f"nothing was paid now: {describe(payment, now)} was made for an equal order"
        hint = (
            "if this is that payment, it is done; for another payment, give it another "
            f'{REFERENCE}, or new="{payment.id}"'
        )
        raise ChoiceError(what, hint, reason="old", payment=payment)


def dead(payment: Transfer, now: datetime) -> ChoiceError:
    """The error for an order whose payment failed, expired or was cancelled."""
    what = f"not paid: {describe(payment, now)} was made for this order"
    if payment.failure_reason:
        what += f", failure_reason: {plain(str(payment.failure_reason), 200)}"
    hint = f'new="{payment.id}" pays it again, once in 24 hours; later add lookback="3 days"'
    return ChoiceError(what, hint, reason="dead", payment=payment)


def repetition_notice(payment: Transfer, now: datetime, hidden: Sequence[str] = ()) -> str:
    """The notice that a payment was made before; `hidden` are fields that were not compared."""
    lacks = f"; not compared, since it is not shown: {', '.join(hidden)}" if hidden else ""
    return (
        f"not paid again: {describe(payment, now)} was made for this order before{lacks}; "
        f'to pay again: new="{payment.id}", or another {REFERENCE}'
    )
