"""Recognises the payment of an order among those that the list of the service has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from ..errors.base import ChoiceError
from ..spec.models import Transfer
from ..spec.resource import creation_time
from .comparison import (
    dead_error,
    describe_payment,
    has_account_and_amount,
    hidden_fields,
    is_dead,
    is_recognised,
    raise_if_other_terms,
)
from .identity import REFERENCE, Values

DESCRIBED_MAX = 5
"""So many payments are described in an error."""

Now = Callable[[], datetime]
"""Gives the time at the service."""


def recognise_payment(
    order: Values,
    payments: Sequence[Transfer],
    now: Now,
    *,
    name: str = "",
    is_single: bool = False,
) -> Transfer | None:
    """Choose the live payment of an order, of `payments` with its reference or values.

    The payments are sorted, newest first; `name` is the order's `new=`, the id of an earlier one.

    - None if there is no payment, or for a name no live one after the named one: not paid yet.
    - ChoiceError if all payments are dead, or if it cannot be told which one is that of the order.

    With `is_single` only a single live payment can be it, and only if the order has an account and
    an amount to compare: after a 409 or a 5xx, which do not name the payment.
    """
    if not payments:
        return None
    live_payments = _live_payments_of_name(payments, name, now)
    if not live_payments:
        if name:
            return None
        raise dead_error(order, payments[0], now())
    recognised_payments = [payment for payment in live_payments if is_recognised(order, payment)]
    is_certain = not is_single or (len(live_payments) == 1 and has_account_and_amount(order))
    if not recognised_payments or not is_certain:
        raise _unrecognised_error(order, live_payments, now)
    return recognised_payments[0]


def recognise_replacement(
    order: Values, payments: Sequence[Transfer], dead_payment: Transfer, now: Now, *, name: str = ""
) -> Transfer | None:
    """The live payment that was made instead of a dead payment of an order; None if there is none.

    `payments` are those with the reference or values of the order, newest first. ChoiceError if
    there is one, but it cannot be told whether it is that of the order: it has other values, or the
    order has a name that is not the id of one of the payments.
    """
    live_payments = _live_payments(payments)
    if name or not order.get(REFERENCE):  # an earlier payment is that of another order
        live_payments = [
            row for row in live_payments if creation_time(row) >= creation_time(dead_payment)
        ]
    if not live_payments:
        return None
    if name and name not in {payment.id for payment in payments}:
        raise _later_payment_error(order, dead_payment, live_payments[0], now())
    return recognise_payment(order, live_payments, now)


def _later_payment_error(
    order_values: Values, dead_payment: Transfer, later_payment: Transfer, now: datetime
) -> ChoiceError:
    """The error for a dead payment of a named order, after which a live one was made."""
    error = dead_error(order_values, dead_payment, now)
    message = f"{error.args[0]}; {describe_payment(later_payment, now)} was made after it"
    hint = f"if {later_payment.id} is this payment, it is done; otherwise {error.hint}"
    return ChoiceError(message, hint, reason="conflict", payment=later_payment)


def _live_payments(payments: Sequence[Transfer]) -> list[Transfer]:
    """The payments that did not fail, expire or get cancelled."""
    return [payment for payment in payments if not is_dead(payment)]


def _live_payments_of_name(
    payments: Sequence[Transfer], order_name: str, now: Now
) -> list[Transfer]:
    """The live payments of an order with a name (`new=`), or of one without ("").

    For a name that is the id of a payment, they are the live ones after that payment. ChoiceError
    if the name is not the id of one of the payments.
    """
    if not order_name:
        return _live_payments(payments)
    named_payment = next((payment for payment in payments if payment.id == order_name), None)
    if named_payment is None:
        raise _unlisted_name_error(payments, order_name, now())
    later_payments = [
        row
        for row in _live_payments(payments)
        if creation_time(row) >= creation_time(named_payment)
    ]
    return [payment for payment in later_payments if payment is not named_payment]


def _unlisted_name_error(
    payments: Sequence[Transfer], order_name: str, now: datetime
) -> ChoiceError:
    """The error for an order whose name is not the id of one of its payments in the list."""
    described = [describe_payment(payment, now) for payment in payments[:DESCRIBED_MAX]]
    refusal_text = (
        "it could not be told whether it was made before: the list does not show which payment was "
        f"made as new={order_name!r}; it has {', '.join(described)}"
    )
    hint = (
        f'if one of these is it, it is done; for another payment: new="{payments[0].id}", '
        "the id of the newest one, which the list can tell"
    )
    return ChoiceError(refusal_text, hint, reason="untold")


def _unrecognised_error(
    order_values: Values, live_payments: Sequence[Transfer], now: Now
) -> ChoiceError:
    """The error if live payments in the list are not surely that of an order."""
    payment = live_payments[0]
    if len(live_payments) > 1:
        described = [
            describe_payment(payment_row, now()) for payment_row in live_payments[:DESCRIBED_MAX]
        ]
        refusal_text = (
            f"the list has {len(live_payments)} payments that may be it: {', '.join(described)}"
        )
    else:
        raise_if_other_terms(order_values, payment, now)
        hidden_names = ", ".join(hidden_fields(order_values, payment))
        reason = f"does not show {hidden_names}" if hidden_names else "the order has no terms"
        refusal_text = f"{describe_payment(payment, now())} may be its payment, but {reason}"
    hint = f'look at it: lab.transfers.get("{payment.id}"); new="..." makes another payment'
    return ChoiceError(refusal_text, hint, reason="conflict", payment=payment)
