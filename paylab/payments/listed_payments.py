"""The payment of an order in the list of the service, which is read on three occasions.

- Before an order with `lookback=` is sent (`look_back`): the newest live payment is its payment.
- After a 409, which does not name the payment (`find_after_conflict`): only a single live payment
  can be it.
- After a server error (`find_after_error`), since a service may have paid before it failed, and
  then it has not stored the key: the newest page is read before the next attempt. A payment of the
  last 24 hours with the reference of the order is its payment. Equal values prove nothing: with a
  payment made since the call began, nothing is sent again.

`find_payment` is `lab.transfers.find`. None is always "the list has none"; what the list cannot
tell is an error.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from ..client.client import Client
from ..client.retries import SERVER_ERRORS
from ..errors.api import ConflictError
from ..errors.base import ChoiceError, PagingError, PaylabError, Problem, RuleError
from ..spec.models import Transfer
from .comparison import NEEDED, find_differences, find_hidden_fields, is_dead
from .identity import REFERENCE, Values, reference_of, values
from .keyed_order import Identity, KeyedOrder
from .payment_errors import unproven_error
from .recognition import DAY, Now, find_live_payment, raise_unless_success, select_named
from .search import (
    find_payments,
    lacks_list,
    payment_pages,
    read_newest_page,
    undecided_error,
)

AGE_MARGIN = timedelta(seconds=30)
"""A payment that is older than its call by more was made before it."""
DATE_PRECISION = timedelta(seconds=2)
"""A Date has whole seconds."""
VALUES_MIN = 2
"""Fewer values without a reference are too few to look for a payment."""


class ListedPayments:
    """The payments of orders in the list of the service."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._now = client.service_clock.now

    def begun_at_service(self, order: KeyedOrder) -> datetime:
        """When the call of an order began, by the clock of the service; never later than that."""
        service_time = self._now()
        elapsed = self._client.clock() - order.begun
        return service_time - elapsed

    def look_back(self, order: KeyedOrder) -> Transfer | None:
        """The newest live payment of an order, back to its `lookback`; None to send the order.

        ChoiceError if all of its payments are dead, or if the list cannot tell.
        """
        lookback = order.details.lookback
        # Your own key and a random one alone decide which payment it is.
        if lookback is None or not order.has_computed_key:
            return None
        payments = self._read_payments_back(order, lookback)
        return find_live_payment(order.values, payments, self._now)

    def find_after_conflict(self, order: KeyedOrder, conflict: ConflictError) -> Transfer:
        """The payment of an order that got a 409; ChoiceError if the list does not show it."""
        reason = "the list has no payment of this order"
        try:
            payments = self._read_payments_back(order, order.age_max)
            payment = find_live_payment(order.values, payments, self._now, is_only=True)
        except ChoiceError as error:
            if error.payment is not None:
                raise error from conflict
            payment = None
            reason = str(error.args[0])
        if payment is not None:
            return payment
        refusal_text = f"{conflict}: this order may be paid or under way; {reason}"
        hint = "read the list in a minute; the same call asks again without paying twice"
        raise ChoiceError(refusal_text, hint, reason="conflict") from conflict

    def find_after_error(self, order: KeyedOrder, status: int) -> str | None:
        """The id of the payment of an order that got a server error; None to send it again.

        - An order under a key of your own is always sent again: the list does not show the key.
        - Of an order that is its reference, the id is that of its live payment. ChoiceError if the
          payments with the reference are dead, are several or have other values.
        - Any other order is sent again. ChoiceError if a payment since the call began may be its
          payment; without a list at the service, that is not asked.

        PaylabError if the list cannot tell.
        """
        if status < SERVER_ERRORS or order.identity is Identity.OWN_KEY:
            return None
        if order.identity is Identity.REFERENCE:
            return self._find_id_of_last_day(order)
        try:
            self._raise_if_perhaps_made(order)
        except PaylabError as error:
            if not lacks_list(error):
                raise
        return None

    def _read_payments_back(self, order: KeyedOrder, age_max: timedelta) -> list[Transfer]:
        """The payments of an order, at most `age_max` old; with `new=`, those of that name."""

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return self._now() - age_max - AGE_MARGIN

        payments = find_payments(payment_pages(self._client.transfers), order.values, since)
        if order.identity is not Identity.NAME:
            return payments
        return select_named(payments, str(order.details.new), self._now)

    def _find_id_of_last_day(self, order: KeyedOrder) -> str | None:
        """The id of the live payment of the last 24 hours with the reference of an order.

        None if there is no payment with it; ChoiceError if several are live, or if all have failed.
        """
        since = self._now() - DAY - AGE_MARGIN  # the service's clock may differ
        payments = self._read_newest_payments(order, since)
        if any(not isinstance(payment.created_at, datetime) for payment in payments):
            raise PagingError("a payment of this order does not show when it was made")
        payment = find_live_payment(order.values, payments, self._now, is_only=True)
        return None if payment is None else payment.id

    def _raise_if_perhaps_made(self, order: KeyedOrder) -> None:
        """Raise ChoiceError if a payment since the call began may be that of an order.

        A payment that another call of this lab has received is not.
        """
        # Without a Date it is not known when the call began at the service.
        is_time_known = self._client.service_clock.is_known
        since = self._call_beginning(order) if is_time_known else None
        payments = [
            payment
            for payment in self._read_newest_payments(order, since)
            if not self._client.session.has_just_received(payment.id)
        ]
        if payments:
            raise unproven_error(payments, self._now())

    def _read_newest_payments(self, order: KeyedOrder, since: datetime | None) -> list[Transfer]:
        """The payments of an order in the newest page; PagingError if the page cannot tell."""
        page = read_newest_page(self._client.transfers, self._call_beginning(order))
        try:
            return find_payments([page], order.values, since)
        except ChoiceError as error:
            raise PagingError(str(error)) from None  # the error of the order says more

    def _call_beginning(self, order: KeyedOrder) -> datetime:
        """The earliest time, by the clock of the service, that a payment of this call can have."""
        return self.begun_at_service(order) - DATE_PRECISION


def find_payment(client: Client, fields: Values, since: datetime | None) -> Transfer | None:
    """The payment with the reference in `fields`, or with these values and no reference, or None.

    It is the newest live one, or the newest dead one, made since the time `since`. ChoiceError if
    the list cannot tell, or if all payments with the reference have other values. RuleError for
    fields that are too few.
    """
    order_values = values(fields)
    if not reference_of(fields) and (since is None or len(order_values) < VALUES_MIN):
        message = "give client_reference_id=..., or the account, an amount and since=..."
        raise RuleError([Problem(REFERENCE, message)])
    read_now: Now = client.service_clock.now
    payments = find_payments(payment_pages(client.transfers), order_values, since)
    equal_payments = [
        payment for payment in payments if not find_differences(order_values, payment)
    ]
    if payments and not equal_payments:
        raise_unless_success(order_values, payments[0], read_now)
    payment = min(equal_payments, key=is_dead, default=None)
    if payment is None:
        return None
    hidden_names = [
        field_name
        for field_name in find_hidden_fields(order_values, payment)
        if field_name in NEEDED
    ]
    if hidden_names or not payment.id:
        lacking_text = ", ".join(hidden_names) or "its id"
        reason = f"{payment.id or 'a row'} may be the payment, but does not show {lacking_text}"
        raise undecided_error(reason)
    return payment
