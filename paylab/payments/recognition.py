"""Decides which payment of the service is that of an order, and whether it is a success."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ..spec.codes import IDEMPOTENCY_HOURS, LOOKBACK
from ..spec.models import Transfer
from ..spec.resource import creation_time
from ..spec.time_arguments import read_duration
from .comparison import find_differences, is_dead, is_recognised
from .identity import ACCOUNTS, AMOUNTS, Values
from .payment_errors import (
    age_of,
    dead_error,
    old_error,
    other_values_error,
    unlisted_name_error,
    unrecognised_error,
)

DAY = timedelta(hours=IDEMPOTENCY_HOURS)
WEEK = timedelta(days=7)
LOOKBACK_AGE = read_duration(LOOKBACK, "lookback")

Now = Callable[[], datetime]
"""Gives the time at the service; only an error needs it, since a simulator is asked for it."""


def find_live_payment(
    order: Values, payments: Sequence[Transfer], read_now: Now, *, is_only: bool = False
) -> Transfer | None:
    """The newest live payment of an order; None without payments: it is not paid yet.

    `payments` have the reference of the order or its values, newest first. ChoiceError if all of
    them are dead, or if no live one shows that it is that of the order. With `is_only` also if
    several are live, or if the order has no account or no amount to compare: after a refusal that
    did not name the payment.
    """
    if not payments:
        return None
    live_payments = [payment for payment in payments if not is_dead(payment)]
    if not live_payments:
        raise dead_error(order, payments[0], read_now())
    has_terms = not AMOUNTS.isdisjoint(order) and not order.keys().isdisjoint(ACCOUNTS)
    can_tell = not is_only or (has_terms and len(live_payments) == 1)
    for payment in live_payments:
        if can_tell and is_recognised(order, payment):
            return payment
    raise unrecognised_error(order, live_payments, read_now())


def select_named(payments: Sequence[Transfer], name: str, read_now: Now) -> list[Transfer]:
    """Select the payments that can have been made as `new=name`, where `name` is an id.

    They are those that are not older than the payment with this id. ChoiceError if no payment has
    it; empty without payments.
    """
    if not payments:
        return []
    replaced_payment = next((payment for payment in payments if payment.get("id") == name), None)
    if replaced_payment is None:
        raise unlisted_name_error(payments, name, read_now())
    return [
        payment
        for payment in payments
        if payment is not replaced_payment
        and creation_time(payment) >= creation_time(replaced_payment)
    ]


def raise_unless_success(
    order: Values, payment: Transfer, read_now: Now, age_max: timedelta | None = None
) -> None:
    """Raise ChoiceError for a payment that is no success of an order.

    It has other values, is dead, or is older than `age_max`, which is None for any age. A payment
    that does not show when it was created counts as new.
    """
    if find_differences(order, payment):
        raise other_values_error(order, payment, read_now())
    if is_dead(payment):
        raise dead_error(order, payment, read_now())
    if age_max is not None:
        age = age_of(payment, read_now())
        if age is not None and age > age_max:
            raise old_error(order, payment, read_now())
