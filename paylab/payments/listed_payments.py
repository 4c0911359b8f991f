"""The payment of an order in the list of the service: before it is sent, and after its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from ..client.client import Client
from ..client.retries import SERVER_ERRORS
from ..errors.api import APIStatusError
from ..errors.base import ChoiceError, MissingOperationError, PagingError
from ..spec.models import Transfer
from ..spec.resource import creation_time
from .comparison import (
    DAY,
    LOOKBACK_AGE,
    age_of,
    dead_error,
    describe_payments,
    hidden_fields,
    is_dead,
    is_recognised,
    made_after,
    raise_if_other_terms,
)
from .identity import ACCOUNTS, AMOUNTS, Values
from .keyed_order import KeyedOrder
from .search import NO_OPERATION, find_in_newest_page, find_payments, payment_pages

AGE_MARGIN = timedelta(seconds=30)
"""A payment that is older than its call by more was made before it."""
DATE_PRECISION = timedelta(seconds=2)
"""A Date has whole seconds."""

Now = Callable[[], datetime]
"""Gives the time at the service."""


class ListedPayments:
    """The payments of orders in the list of the service."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._now = client.service_clock.now

    def begun_at_service(self, order: KeyedOrder) -> datetime:
        """When the call of an order began, by the clock of the service; never later than that."""
        now = self._now()
        return now - (self._client.clock() - order.begun)

    def find_before_sending(self, order: KeyedOrder) -> Transfer | None:
        """The payment that `lookback` finds; None to send. ChoiceError if it is no success."""
        lookback = order.details.lookback
        if lookback is None or not order.is_computed:
            return None
        payments = self._list_payments(order, lookback)
        return recognise_payment(order.values, payments, self._now, name=order.name)

    def find_after_conflict(self, order: KeyedOrder) -> Transfer | None:
        """The one live payment of an order after a 409; None if the list has no payment of it."""
        payments = self._list_payments(order, order.age_limit)
        return recognise_payment(order.values, payments, self._now, name=order.name, is_single=True)

    def find_replacement(self, order: KeyedOrder, dead_payment: Transfer) -> Transfer | None:
        """The live payment that was made instead of a dead payment of an order; None for none.

        ChoiceError if there is one, but it cannot be told whether it is that of the order.
        """
        age = age_of(dead_payment, self._now())
        age_searched = LOOKBACK_AGE if order.name or age is None else max(age, order.age_limit)
        payments = self._list_payments(order, age_searched)
        live_payments = [payment for payment in payments if not is_dead(payment)]
        if order.name or not order.reference:  # an earlier payment is that of another order
            live_payments = [
                payment
                for payment in live_payments
                if creation_time(payment) >= creation_time(dead_payment)
            ]
        if live_payments and order.name and order.name not in {row.id for row in payments}:
            raise _unlisted_name_error(payments, order.name, self._now())
        return recognise_payment(order.values, live_payments, self._now)

    def find_after_error(self, order: KeyedOrder, status: int, _: datetime) -> str | None:
        """The id of the payment of an order that got a server error; None to send it again.

        The newest page is read: a service may have paid before it failed, and then it has not
        stored the key. ChoiceError if several payments may be that of the order, if it has other
        values or is dead; PaylabError if the page cannot tell. Your own key alone decides; and at a
        service without a list, an order that is not its reference is sent again under its key.
        """
        if status < SERVER_ERRORS or order.has_own_key:
            return None
        try:
            payment = self._find_in_newest_page(order)
        except (APIStatusError, MissingOperationError) as error:
            has_list = isinstance(error, APIStatusError) and error.status not in NO_OPERATION
            if has_list or order.is_reference:
                raise
            return None
        except ChoiceError as error:
            if error.reason == "untold":
                raise PagingError(str(error)) from None
            if error.reason == "conflict":
                error.args = (f"after a {status} this order may be paid: {error.args[0]}",)
            raise
        return None if payment is None else payment.id

    def _find_in_newest_page(self, order: KeyedOrder) -> Transfer | None:
        """The one live payment of an order in the newest page; None if the page has none.

        By the rule of orders, a payment of the last 24 hours with the reference of the order is
        its payment. In any other case only a payment that was made since the call began can be.
        """
        begun_at = self.begun_at_service(order)
        # A created_at of whole milliseconds is not before a call that began in the same one.
        begun_at = begun_at.replace(microsecond=begun_at.microsecond // 1000 * 1000)
        earliest = begun_at - DATE_PRECISION
        since = self._now() - DAY - AGE_MARGIN if order.is_reference else earliest
        payments = find_in_newest_page(self._client.transfers, order.values, since, earliest)
        if not order.is_reference:
            payments = self._select_made_by_call(payments, begun_at)
        return recognise_payment(order.values, payments, self._now, is_single=True)

    def _select_made_by_call(
        self, payments: Sequence[Transfer], begun_at: datetime
    ) -> list[Transfer]:
        """The payments that were made since a call began, but not those of other calls of this lab.

        PaylabError if it cannot be told when they were made.
        """
        is_known_of_another_call = self._client.session.has_just_received
        payments = [row for row in payments if not is_known_of_another_call(row.id)]
        if payments and not self._client.service_clock.is_known:
            raise PagingError("the service does not tell its time")
        latest = self._now() + DATE_PRECISION
        for payment in payments:
            if not begun_at <= creation_time(payment) <= latest:
                raise PagingError(f"{payment.id} may have been made before the call began")
        return payments

    def _list_payments(self, order: KeyedOrder, age_searched: timedelta) -> list[Transfer]:
        """The live and dead payments of an order in the list, newest first, back to an age."""

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return self._now() - age_searched - AGE_MARGIN

        return find_payments(payment_pages(self._client.transfers), order.values, since)


def recognise_payment(
    order: Values,
    payments: Sequence[Transfer],
    now: Now,
    *,
    name: str = "",
    is_single: bool = False,
) -> Transfer | None:
    """Choose the live payment of an order, of `payments` with its reference or values.

    The payments are sorted, newest first; `name` is the order's `new=`, the id of an earlier one:
    only payments after that one count.

    - None if there is no payment, or for a name no live one: not paid yet.
    - ChoiceError if all payments are dead, or if it cannot be told which one is that of the order.

    With `is_single` only a single live payment can be it, and only if the order has an account and
    an amount to compare: after a 409 or a 5xx, which do not name the payment.
    """
    if not payments:
        return None
    candidates = made_after(payments, name) if name else payments
    if candidates is None:
        raise _unlisted_name_error(payments, name, now())
    live_payments = [payment for payment in candidates if not is_dead(payment)]
    if not live_payments:
        if name:
            return None
        raise dead_error(order, payments[0], now())
    recognised_payments = [payment for payment in live_payments if is_recognised(order, payment)]
    has_terms = not AMOUNTS.isdisjoint(order) and not order.keys().isdisjoint(ACCOUNTS)
    is_certain = not is_single or (has_terms and len(live_payments) == 1)
    if recognised_payments and is_certain:
        return recognised_payments[0]
    raise _unrecognised_error(order, live_payments, now)


def _unlisted_name_error(payments: Sequence[Transfer], name: str, now: datetime) -> ChoiceError:
    """The error for an order whose name is not the id of one of its payments in the list."""
    refusal_text = (
        "it could not be told whether it was made before: the list does not show which payment was "
        f"made as new={name!r}; it has {describe_payments(payments, now)}"
    )
    hint = (
        f'if one of these is it, it is done; for another payment: new="{payments[0].id}", '
        "the id of the newest one, which the list can tell"
    )
    return ChoiceError(refusal_text, hint, reason="untold")


def _unrecognised_error(order: Values, live_payments: Sequence[Transfer], now: Now) -> ChoiceError:
    """The error if live payments in the list are not surely that of an order."""
    payment = live_payments[0]
    described = describe_payments(live_payments, now())
    if len(live_payments) > 1:
        refusal_text = f"the list has {len(live_payments)} payments that may be it: {described}"
    else:
        raise_if_other_terms(order, payment, now)
        hidden_names = ", ".join(hidden_fields(order, payment))
        reason = f"does not show {hidden_names}" if hidden_names else "the order has no terms"
        refusal_text = f"{described} may be its payment, but {reason}"
    hint = f'look at it: lab.transfers.get("{payment.id}"); new="..." makes another payment'
    return ChoiceError(refusal_text, hint, reason="conflict", payment=payment)
