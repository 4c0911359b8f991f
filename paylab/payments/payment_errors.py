"""The errors of orders whose payment is no success, and how they name a payment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ..errors.base import ChoiceError
from ..spec.codes import LOOKBACK
from ..spec.models import Transfer
from ..spec.text import plain
from .comparison import find_differences, find_hidden_fields
from .identity import REFERENCE, Values

DESCRIBED_MAX = 5
"""So many payments are described in an error."""
UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
"""The units of an age with their seconds, longest first."""


def other_values_error(order: Values, payment: Transfer, now: datetime) -> ChoiceError:
    """The error for an order whose reference or key has a payment with other values."""
    error_text = (
        f"{describe_payment(payment, now)} was made for this order with other values: "
        f"{'; '.join(find_differences(order, payment))}"
    )
    choices_text = f'{_describe_other_reference(order)}, or a name: new="{payment.id}"'
    hint = f"correct the order if it is that payment; for another payment give it {choices_text}"
    return ChoiceError(error_text, hint, reason="conflict", payment=payment)


def dead_error(order: Values, payment: Transfer, now: datetime) -> ChoiceError:
    """The error for an order whose payment failed, expired or was cancelled."""
    error_text = f"not paid: {describe_payment(payment, now)} was made for this order"
    if payment.failure_reason:
        error_text += f", failure_reason: {plain(str(payment.failure_reason), 200)}"
    payable_text = "it again"
    differences_text = "; ".join(find_differences(order, payment))
    if differences_text:
        payable_text = f"the order as it is now (that payment has other values: {differences_text})"
    hint = (
        f'new="{payment.id}" pays {payable_text}; add lookback="{LOOKBACK}", so that it is paid '
        "once however often you run it"
    )
    return ChoiceError(error_text, hint, reason="dead", payment=payment)


def old_error(order: Values, payment: Transfer, now: datetime) -> ChoiceError:
    """The error for an order whose payment is so old that another one may be meant."""
    error_text = (
        f"nothing was paid now: {describe_payment(payment, now)} was made for an equal order"
    )
    choices_text = f'{_describe_other_reference(order)}, or new="{payment.id}"'
    hint = f"if this is that payment, it is done; for another payment give it {choices_text}"
    return ChoiceError(error_text, hint, reason="old", payment=payment)


def unrecognised_error(
    order: Values, live_payments: Sequence[Transfer], now: datetime
) -> ChoiceError:
    """The error if the list has live payments, but none of them is surely that of an order."""
    payment = live_payments[0]
    described_text = _describe_payments(live_payments, now)
    if len(live_payments) > 1:
        reason = f"the list has {len(live_payments)} payments that may be it: {described_text}"
    elif find_differences(order, payment):
        return other_values_error(order, payment, now)
    else:
        hidden_text = ", ".join(find_hidden_fields(order, payment))
        lacking_text = (
            f"does not show {hidden_text}" if hidden_text else "the order names no amount"
        )
        reason = f"{described_text} may be its payment, but {lacking_text}"
    hint = f'look at it: lab.transfers.get("{payment.id}"); new="..." makes another payment'
    return ChoiceError(
        f"this order may be paid: {reason}", hint, reason="conflict", payment=payment
    )


def unlisted_name_error(payments: Sequence[Transfer], name: str, now: datetime) -> ChoiceError:
    """The error if the list does not show which of the payments was made as `new=name`."""
    error_text = (
        "it could not be told whether it was made before: the list does not show which payment was "
        f"made as new={name!r}; it has {_describe_payments(payments, now)}"
    )
    hint = (
        f'if one of these is it, it is done; for another payment: new="{payments[0].id}", '
        "the id of the newest one, which the list can tell"
    )
    return ChoiceError(error_text, hint, reason="untold")


def unproven_error(payments: Sequence[Transfer], now: datetime) -> ChoiceError:
    """The error if the list has payments that a call may have made before its server error."""
    error_text = (
        "after a server error this order may be paid: since the call began the list has "
        f"{_describe_payments(payments, now)} with the same values, which does not prove that it "
        "is the payment of this call"
    )
    hint = (
        f'look at it: lab.transfers.get("{payments[0].id}"); if it is the payment of this call, it '
        f'is done; otherwise new="{payments[0].id}" makes another one'
    )
    return ChoiceError(error_text, hint, reason="untold", payment=payments[0])


def _describe_other_reference(order: Values) -> str:
    """Say how to name another reference, or any if the order has none.

    That of a scenario keeps its name and gets a suffix.
    """
    reference = str(order.get(REFERENCE) or "")
    if reference.startswith("scenario:"):
        return f"another {REFERENCE} with a suffix: {reference}:2"
    return f"another {REFERENCE}" if reference else f"a {REFERENCE}"


def age_of(payment: Transfer, now: datetime) -> timedelta | None:
    """The age of a payment; None if it does not show when it was created."""
    created_at = payment.created_at
    if not isinstance(created_at, datetime):
        return None
    return max(now - created_at, timedelta(0))


def age_text(age: timedelta | None) -> str:
    """Write an age such as `3 days old`, in the longest unit of which it has at least two."""
    if age is None:
        return "of unknown age"
    seconds = int(age.total_seconds())
    for unit_name, unit_seconds in UNITS:
        if seconds >= 2 * unit_seconds:
            return f"{seconds // unit_seconds} {unit_name} old"
    return "1 second old" if seconds else "0 seconds old"


def describe_payment(payment: Transfer, now: datetime) -> str:
    """Write a payment as errors name it: `tr_1 (completed, 50.00 USD, 2 hours old)`."""
    payment_name = plain(payment.id, 80) or "a row without id"
    fact_texts = [plain(str(payment.status or "no status"), 60)]
    if payment.source_amount:
        fact_texts.append(plain(f"{payment.source_amount} {payment.source_currency}", 60))
    fact_texts.append(age_text(age_of(payment, now)))
    return f"{payment_name} ({', '.join(fact_texts)})"


def _describe_payments(payments: Sequence[Transfer], now: datetime) -> str:
    """Write at most `DESCRIBED_MAX` payments as errors name them, separated by commas."""
    return ", ".join(describe_payment(payment, now) for payment in payments[:DESCRIBED_MAX])
