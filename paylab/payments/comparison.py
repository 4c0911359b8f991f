"""Compares an object of the service with an order: other values, hidden fields, status and age."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from ..errors.base import ChoiceError
from ..spec.codes import IDEMPOTENCY_HOURS, LOOKBACK
from ..spec.models import Transfer
from ..spec.resource import Resource, creation_time
from ..spec.text import plain
from ..spec.time_arguments import read_duration
from .identity import ACCOUNTS, AMOUNTS, REFERENCE, Values, values

R = TypeVar("R", bound=Resource)

DAY = timedelta(hours=IDEMPOTENCY_HOURS)
WEEK = timedelta(days=7)
LOOKBACK_AGE = read_duration(LOOKBACK, "lookback")
DEAD = frozenset({"failed", "expired", "cancelled", "canceled"})
"""Statuses of a payment that was not made; any other one counts as live, also an unknown one."""
TEXTS = ("individual_id", "source_currency", "destination_currency", "payout_method", REFERENCE)
NEEDED = frozenset({*ACCOUNTS, *TEXTS, *AMOUNTS}) - {"payout_method", REFERENCE}
"""What an object must show of an order, as far as the order has it, to be recognised."""
MASK = frozenset("*•…")
DESCRIBED_MAX = 5
"""So many payments are described in an error."""
UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
"""The units of an age with their seconds, longest first."""


def status_of(row: Resource) -> str:
    """The status of an object in lower case; "" for none."""
    return str(getattr(row, "status", None) or "").strip().lower()


def is_dead(payment: Transfer) -> bool:
    """Whether a payment failed, expired or was cancelled."""
    return status_of(payment) in DEAD


def shown_values(row: Resource) -> dict[str, Any]:
    """The values of an object, spelled as those of an order; a masked one is as it is shown.

    >>> shown_values(Transfer(id="tr_1", source_amount="10.00", financial_account_id="fa_1"))
    {'source_amount': '10', 'financial_account': 'fa_1'}
    """
    fields = {**vars(row), **(row.model_extra or {})}
    shown_fields = {name: fields[name] for name in TEXTS if _is_text(fields.get(name))}
    for amount_name in sorted(AMOUNTS):
        if isinstance(fields.get(amount_name), Decimal):
            shown_fields[amount_name] = fields[amount_name]
    for account_name in ACCOUNTS:
        account = fields.get(f"{account_name}_id") or fields.get(account_name)
        account_id = account.get("id") if isinstance(account, Mapping | Resource) else account
        if _is_text(account_id):
            shown_fields[account_name] = account_id
    return values(shown_fields)


def _is_text(field_value: object) -> bool:
    """Whether a value is text that is not blank."""
    return isinstance(field_value, str) and bool(field_value.strip())


def is_masked(shown_value: str) -> bool:
    """Whether a value of an object may be masked: `****1234`."""
    return not MASK.isdisjoint(shown_value)


def find_differences(order: Values, row: Resource, *, may_choose: bool = False) -> list[str]:
    """The values that an object shows and that differ from those of the order, as texts.

    With `may_choose` the service may have chosen the rail, and a reference if the order has none.

    >>> find_differences({"source_amount": "11"}, Transfer(id="tr_1", source_amount="10.00"))
    ['source_amount is 10, not 11']
    """
    shown = shown_values(row)
    chosen_names = {"payout_method"} if may_choose else set()
    differences = [
        f"{field_name} is {plain(shown_value, 60)}, not {order[field_name]}"
        for field_name, shown_value in shown.items()
        if _id_of_account(order.get(field_name)) not in (None, shown_value)
        and not is_masked(shown_value)
        and field_name not in chosen_names
    ]
    # A masked reference tells, too, that the object has one.
    if REFERENCE in shown and REFERENCE not in order and not may_choose:
        differences.append(f"its {REFERENCE} is {plain(shown[REFERENCE], 60)}, the order has none")
    return differences


def _id_of_account(order_value: object) -> object:
    """The id of an account that an order has with other members; any other value is unchanged.

    >>> _id_of_account(["fa_1", {"type": "savings"}])
    'fa_1'
    """
    match order_value:
        case [account_id, _]:
            return account_id
    return order_value


def hidden_fields(order: Values, row: Resource) -> list[str]:
    """The fields of an order that an object does not show, or shows masked."""
    shown = shown_values(row)
    return [
        field_name
        for field_name, ordered_value in order.items()
        if field_name != "quote_id"
        and (field_name not in shown or is_masked(shown[field_name]))
        and shown.get(field_name) != ordered_value
    ]


def is_recognised(order: Values, row: Resource) -> bool:
    """Whether an object has an id and shows all that is needed, equal to the order."""
    shows_needed = NEEDED.isdisjoint(hidden_fields(order, row))
    return bool(row.get("id")) and shows_needed and not find_differences(order, row)


def made_after(rows: Sequence[R], id_: str) -> list[R] | None:
    """The objects that were made after the one with an id; None if that is not among them."""
    earlier = next((row for row in rows if row.get("id") == id_), None)
    if earlier is None:
        return None
    return [
        row for row in rows if row is not earlier and creation_time(row) >= creation_time(earlier)
    ]


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


def describe_payments(payments: Sequence[Transfer], now: datetime) -> str:
    """The first payments as errors name them, separated by commas."""
    return ", ".join(describe_payment(payment, now) for payment in payments[:DESCRIBED_MAX])


def raise_if_other_terms(
    order: Values, payment: Transfer, now: Callable[[], datetime], *, may_choose: bool = False
) -> None:
    """Raise ChoiceError if a payment has other values than the order.

    `now` gives the time at the service, which only the text of the error needs.
    """
    differences = find_differences(order, payment, may_choose=may_choose)
    if not differences:
        return
    refusal_text = (
        f"{describe_payment(payment, now())} was made for this order with other values: "
        f"{'; '.join(differences)}"
    )
    choices_text = f'{_other_reference(order)}, or a name: new="{payment.id}"'
    hint = f"correct the order if it is that payment; for another payment give it {choices_text}"
    raise ChoiceError(refusal_text, hint, reason="conflict", payment=payment)


def _other_reference(order: Values) -> str:
    """How to name another reference; that of a scenario keeps its name and gets a suffix."""
    reference = str(order.get(REFERENCE) or "")
    if reference.startswith("scenario:"):
        return f"another {REFERENCE} with a suffix: {reference}:2"
    return f"another {REFERENCE}" if reference else f"a {REFERENCE}"


def raise_if_dead_or_old(
    order: Values,
    payment: Transfer,
    now: datetime,
    age_limit: timedelta | None,
    *,
    needs_age: bool = False,
) -> None:
    """Raise ChoiceError for a payment that is no success of an order: it is dead, or too old.

    `age_limit` is None for a payment of any age. With `needs_age` a payment that does not show its
    age counts as too old.
    """
    if is_dead(payment):
        raise dead_error(order, payment, now)
    if age_limit is None:
        return
    age = age_of(payment, now)
    is_too_old = needs_age if age is None else age > age_limit
    if not is_too_old:
        return
    refusal_text = (
        f"nothing was paid now: {describe_payment(payment, now)} was made for an equal order"
    )
    choices_text = f'{_other_reference(order)}, or new="{payment.id}"'
    hint = f"if this is that payment, it is done; for another payment give it {choices_text}"
    raise ChoiceError(refusal_text, hint, reason="old", payment=payment)


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
