"""Decides which payment of the service is that of an order, and what the error says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ..errors.base import ChoiceError
from ..spec.codes import IDEMPOTENCY_HOURS, LOOKBACK
from ..spec.models import Transfer
from ..spec.text import plain
from ..spec.time_arguments import read_duration
from .comparison import find_differences, hidden_fields, is_dead, is_recognised, made_after
from .identity import ACCOUNTS, AMOUNTS, REFERENCE, Values

DAY = timedelta(hours=IDEMPOTENCY_HOURS)
WEEK = timedelta(days=7)
LOOKBACK_AGE = read_duration(LOOKBACK, "lookback")
DESCRIBED_MAX = 5
"""So many payments are described in an error."""
UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
"""The units of an age with their seconds, longest first."""

Now = Callable[[], datetime]
"""Gives the time at the service; only an error needs it, since a simulator is asked for it."""


def recognise_payment(
    order: Values,
    payments: Sequence[Transfer],
    now: Now,
    *,
    name: str = "",
    is_single: bool = False,
) -> Transfer | None:
    """The live payment of an order among `payments`, which have its reference or its values.

    They are sorted, newest first. With a `name` (`new=`), which is the id of an earlier payment,
    only the live payments after that one count. None if there is none to choose from: the order is
    not paid yet.

    ChoiceError if all are dead, or if it cannot be told which one is that of the order. With
    `is_single` only a single live payment can be it, and only if the order has an account and an
    amount to compare: after a 409 or a 5xx, which do not name the payment.
    """
    candidates = _select_after(name, payments, now) if name and payments else payments
    if not candidates:
        return None
    live_payments = [payment for payment in candidates if not is_dead(payment)]
    if not live_payments:
        raise dead_error(order, candidates[0], now())
    recognised_payments = [payment for payment in live_payments if is_recognised(order, payment)]
    has_terms = not AMOUNTS.isdisjoint(order) and not order.keys().isdisjoint(ACCOUNTS)
    is_certain = not is_single or (has_terms and len(live_payments) == 1)
    if recognised_payments and is_certain:
        return recognised_payments[0]
    raise _unrecognised_error(order, live_payments, now())


def _select_after(name: str, payments: Sequence[Transfer], now: Now) -> list[Transfer]:
    """The live payments after the one whose id is a name; ChoiceError if that is not listed."""
    later_payments = made_after(payments, name)
    if later_payments is not None:
        return [payment for payment in later_payments if not is_dead(payment)]
    refusal_text = (
        "it could not be told whether it was made before: the list does not show which payment was "
        f"made as new={name!r}; it has {_describe_payments(payments, now())}"
    )
    hint = (
        f'if one of these is it, it is done; for another payment: new="{payments[0].id}", '
        "the id of the newest one, which the list can tell"
    )
    raise ChoiceError(refusal_text, hint, reason="untold")


def raise_unless_success(
    order: Values, payment: Transfer, now: Now, age_limit: timedelta | None = None
) -> None:
    """Raise ChoiceError for a payment that is no success of an order.

    It has other values, is dead, or is older than `age_limit`, which is None for any age. A payment
    that does not show when it was created counts as new.
    """
    if find_differences(order, payment):
        raise _other_values_error(order, payment, now())
    if is_dead(payment):
        raise dead_error(order, payment, now())
    if age_limit is not None:
        age = age_of(payment, now())
        if age is not None and age > age_limit:
            raise old_error(order, payment, now())


def _other_values_error(order: Values, payment: Transfer, now: datetime) -> ChoiceError:
    """The error for an order of whose reference or key there is a payment with other values."""
    refusal_text = (
        f"{describe_payment(payment, now)} was made for this order with other values: "
        f"{'; '.join(find_differences(order, payment))}"
    )
    choices_text = f'{_other_reference(order)}, or a name: new="{payment.id}"'
    hint = f"correct the order if it is that payment; for another payment give it {choices_text}"
    return ChoiceError(refusal_text, hint, reason="conflict", payment=payment)


def dead_error(order: Values, payment: Transfer, now: datetime) -> ChoiceError:
    """The error for an order whose payment failed, expired or was cancelled."""
    refusal_text = f"not paid: {describe_payment(payment, now)} was made for this order"
    if payment.failure_reason:
        refusal_text += f", failure_reason: {plain(str(payment.failure_reason), 200)}"
    payable_text = "it again"
    differences = "; ".join(find_differences(order, payment))
    if differences:
        payable_text = f"the order as it is now (that payment has other values: {differences})"
    hint = (
        f'new="{payment.id}" pays {payable_text}; add lookback="{LOOKBACK}", so that it is paid '
        "once however often you run it"
    )
    return ChoiceError(refusal_text, hint, reason="dead", payment=payment)


def old_error(order: Values, payment: Transfer, now: datetime) -> ChoiceError:
    """The error for an order whose payment is so old that another one may be meant."""
    refusal_text = (
        f"nothing was paid now: {describe_payment(payment, now)} was made for an equal order"
    )
    choices_text = f'{_other_reference(order)}, or new="{payment.id}"'
    hint = f"if this is that payment, it is done; for another payment give it {choices_text}"
    return ChoiceError(refusal_text, hint, reason="old", payment=payment)


def _unrecognised_error(
    order: Values, live_payments: Sequence[Transfer], now: datetime
) -> ChoiceError:
    """The error if live payments in the list are not surely that of an order."""
    payment = live_payments[0]
    described = _describe_payments(live_payments, now)
    if len(live_payments) > 1:
        reason = f"the list has {len(live_payments)} payments that may be it: {described}"
    elif find_differences(order, payment):
        return _other_values_error(order, payment, now)
    else:
        hidden_names = ", ".join(hidden_fields(order, payment))
        lacking = f"does not show {hidden_names}" if hidden_names else "the order has no terms"
        reason = f"{described} may be its payment, but {lacking}"
    hint = f'look at it: lab.transfers.get("{payment.id}"); new="..." makes another payment'
    return ChoiceError(
        f"this order may be paid: {reason}", hint, reason="conflict", payment=payment
    )


def _other_reference(order: Values) -> str:
    """How to name another reference; that of a scenario keeps its name and gets a suffix."""
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
    """An age in words, such as `3 days old`: whole units, and at least two of a longer unit."""
    if age is None:
        return "of unknown age"
    seconds = int(age.total_seconds())
    for unit, unit_seconds in UNITS:
        if seconds >= 2 * unit_seconds:
            return f"{seconds // unit_seconds} {unit} old"
    return "1 second old" if seconds else "0 seconds old"


def describe_payment(payment: Transfer, now: datetime) -> str:
    """A payment as errors name it: `tr_1 (completed, 50.00 USD, 2 hours old)`."""
    payment_name = plain(payment.id, 80) or "a row without id"
    facts = [plain(str(payment.status or "no status"), 60)]
    if payment.source_amount:
        facts.append(plain(f"{payment.source_amount} {payment.source_currency}", 60))
    facts.append(age_text(age_of(payment, now)))
    return f"{payment_name} ({', '.join(facts)})"


def _describe_payments(payments: Sequence[Transfer], now: datetime) -> str:
    """The first payments as errors name them, separated by commas."""
    return ", ".join(describe_payment(payment, now) for payment in payments[:DESCRIBED_MAX])
