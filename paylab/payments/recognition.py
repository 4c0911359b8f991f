"""Recognises the payment of an order among those that the list of the service has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from ..errors.base import ChoiceError
from ..spec.models import Transfer
from ..spec.resource import created
from .comparison import ACCOUNT, check_terms, dead, describe, is_dead, is_recognised, unshown
from .identity import AMOUNTS, Values
from .search import untold

MOST_DESCRIBED = 5


def recognise(
    order: Values,
    payments: Sequence[Transfer],
    now: Callable[[], datetime],
    *,
    name: str = "",
    is_refused: bool = False,
) -> Transfer | None:
    """The live payment of an order, of payments with its reference or values, newest first.

    None if there is none; ChoiceError if all are dead, or if it cannot be told. `name` is the
    order's `new=`. If the service refused its key (`is_refused`), only one live payment that shows
    account, currencies and amount is surely that of the order.
    """
    live = _live(payments, name, now)
    recognised = [payment for payment in live if is_recognised(order, payment)]
    has_terms = ACCOUNT in order and not AMOUNTS.isdisjoint(order)
    if recognised and (not is_refused or (len(live) == 1 and has_terms)):
        return recognised[0]
    if live:
        raise _unrecognised(order, live, now)
    if payments and not name:
        raise dead(payments[0], now())
    return None


def _live(payments: Sequence[Transfer], name: str, now: Callable[[], datetime]) -> list[Transfer]:
    """The live ones of the payments of an order.

    For one that is named by the id of a payment, only those after that payment count.
    """
    live = [payment for payment in payments if not is_dead(payment)]
    if not name:
        return live
    named = next((payment for payment in payments if payment.id == name), None)
    if named is None:
        listed = ", ".join(describe(payment, now()) for payment in payments) or "nothing"
        what = f"the list does not show what was made as new={name!r}; it has {listed}"
        raise untold(f"{what}: name it by the id of the payment that it repeats")
    later = [payment for payment in live if created(payment) >= created(named)]
    return [payment for payment in later if payment is not named]


def _unrecognised(
    order: Values, live: Sequence[Transfer], now: Callable[[], datetime]
) -> ChoiceError:
    """The error if the live payments in the list are not surely the one of an order."""
    payment = live[0]
    if len(live) > 1:
        some = ", ".join(describe(other, now()) for other in live[:MOST_DESCRIBED])
        what = f"the list has {len(live)} payments that may be it: {some}"
    else:
        check_terms(order, payment, now)
        hidden = ", ".join(unshown(order, payment))
        reason = f"does not show {hidden}" if hidden else "the order has no terms"
        what = f"{describe(payment, now())} may be its payment, but {reason}"
    hint = f'look at it: lab.transfers.get("{payment.id}"); new="..." makes another payment'
    return ChoiceError(what, hint, reason="conflict", payment=payment)
