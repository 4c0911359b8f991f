"""Compares an object of the service with an order: other values, hidden fields, status and age."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from ..errors.base import ChoiceError
from ..spec.codes import IDEMPOTENCY_HOURS
from ..spec.models import Transfer
from ..spec.resource import Resource
from ..spec.text import plain
from .identity import ACCOUNTS, AMOUNTS, REFERENCE, Values, values

DAY = timedelta(hours=IDEMPOTENCY_HOURS)
WEEK = timedelta(days=7)
ACCOUNT = "financial_account"
DEAD = frozenset({"failed", "expired", "cancelled", "canceled"})
"""Statuses of a payment that was not made; any other one counts as live, also an unknown one."""
TEXTS = ("individual_id", "source_currency", "destination_currency", "payout_method", REFERENCE)
COMPARED = (*ACCOUNTS, *TEXTS, *sorted(AMOUNTS))
NEEDED = frozenset(COMPARED) - {"payout_method", REFERENCE}
"""What an object must show of an order, as far as the order has it, to be recognised."""
MASK = frozenset("*•…")
ROUNDING = 30
"""Seconds that an age may lack of a whole unit."""


def status_of(row: Resource) -> str:
    """The status of an object in lower case; "" for none."""
    return str(getattr(row, "status", None) or "").strip().lower()


def is_dead(payment: Transfer) -> bool:
    """Whether a payment failed, expired or was cancelled."""
    return status_of(payment) in DEAD


def shown_values(row: Resource) -> dict[str, Any]:
    """The readable values of an object, spelled as those of an order, without masked ones."""
    fields = {**vars(row), **(row.model_extra or {})}
    shown = {name: fields[name] for name in TEXTS if _is_readable(fields.get(name))}
    shown |= {name: fields[name] for name in AMOUNTS if isinstance(fields.get(name), Decimal)}
    for name in ACCOUNTS:
        account = fields.get(f"{name}_id") or fields.get(name)
        id_ = account.get("id") if isinstance(account, Mapping | Resource) else account
        if _is_readable(id_):
            shown[name] = id_
    return values(shown)


def _is_readable(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and MASK.isdisjoint(value)


def other_values(order: Values, row: Resource, *, may_choose: bool = False) -> list[str]:
    """The values that an object shows otherwise than the order has them.

    With `may_choose` the service may have chosen the rail, and a reference if the order has none.
    """
    shown = shown_values(row)
    names = [name for name in COMPARED if name in shown]
    if may_choose:
        names = [name for name in names if name != "payout_method"]
    different = [
        f"{name} is {plain(str(shown[name]), 60)}, not {order[name]}"
        for name in names
        if order.get(name) not in (None, shown[name])
    ]
    if REFERENCE in shown and order.get(REFERENCE) is None and not may_choose:
        different.append(f"its {REFERENCE} is {plain(shown[REFERENCE], 60)}, the order has none")
    return different


def unshown(order: Values, row: Resource) -> list[str]:
    """The fields of an order that an object does not show."""
    shown = shown_values(row)
    return [name for name in order if name not in shown and name != "quote_id"]


def is_recognised(order: Values, row: Resource) -> bool:
    """Whether an object has an id and shows all that is needed, equal to the order."""
    has_id = bool(getattr(row, "id", None))
    return has_id and NEEDED.isdisjoint(unshown(order, row)) and not other_values(order, row)


def age_of(payment: Transfer, now: datetime) -> timedelta | None:
    """The age of a payment; None if it does not show when it was created."""
    made = payment.created_at
    return max(now - made, timedelta(0)) if isinstance(made, datetime) else None


def age_text(age: timedelta | None) -> str:
    """An age in words, such as `3 days old`."""
    if age is None:
        return "of unknown age"
    seconds = int(age.total_seconds())
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length - ROUNDING:
            return f"{round(seconds / length)} {unit} old"
    return f"{seconds} seconds old"


def describe(payment: Transfer, now: datetime) -> str:
    """A payment as errors name it: `tr_1 (completed, 50.00 USD, 2 hours old)`."""
    name = plain(payment.id, 80) or "a row without id"
    facts = [plain(str(payment.status or "no status"), 60)]
    if payment.source_amount:
        facts.append(plain(f"{payment.source_amount} {payment.source_currency}", 60))
    return f"{name} ({', '.join(facts)}, {age_text(age_of(payment, now))})"


def check_terms(
    order: Values, payment: Transfer, now: Callable[[], datetime], *, may_choose: bool = False
) -> None:
    """ChoiceError if a payment has other values than the order; only the error needs the time."""
    different = other_values(order, payment, may_choose=may_choose)
    if not different:
        return
    reference = str(order.get(REFERENCE))
    suffix = f" with a suffix: {reference}:2" if reference.startswith("scenario:") else ""
    what = f"{describe(payment, now())} was made for this order with other values"
    hint = (
        "correct the order if it is that payment; for another payment give it another "
        f'{REFERENCE}{suffix}, or a name: new="{payment.id}"'
    )
    raise ChoiceError(f"{what}: {'; '.join(different)}", hint, reason="conflict", payment=payment)


def check_live(
    payment: Transfer, now: datetime, limit: timedelta | None, *, needs_age: bool = False
) -> None:
    """ChoiceError for a payment that is no success of an order: it is dead, or too old.

    With `needs_age` one that does not show its age may be too old.
    """
    if is_dead(payment):
        raise dead(payment, now)
    age = age_of(payment, now)
    if limit is None or (age is None and not needs_age) or (age is not None and age <= limit):
        return
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
