"""Looks for the payment of one order in the list: before it is sent, and after its errors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ..client.client import Client
from ..client.retries import SERVER_ERRORS
from ..errors.base import ChoiceError, PagingError
from ..spec.models import Transfer
from ..spec.resource import creation_time
from .comparison import DAY, LOOKBACK_AGE, age_of
from .keyed_order import KeyedOrder
from .recognition import recognise_payment, recognise_replacement
from .search import find_in_newest_page, find_payments, payment_pages

AGE_MARGIN = timedelta(seconds=30)
"""A payment that is older than its call by more was made before it."""
DATE_PRECISION = timedelta(seconds=2)
"""A Date has whole seconds."""


class ListedPayments:
    """The payments of orders in the list of the service."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._now = client.service_clock.now

    def find_before_sending(self, order: KeyedOrder) -> Transfer | None:
        """The payment that `lookback` finds; None to send. ChoiceError if it is no success."""
        lookback = order.details.lookback
        if lookback is None or not order.is_computed:
            return None
        payments = self._list_payments(order, lookback)
        return recognise_payment(order.values, payments, self._now, name=order.name)

    def find_after_refusal(self, order: KeyedOrder) -> Transfer | None:
        """The one live payment of an order after a 409; None if the list has no payment of it."""
        payments = self._list_payments(order, order.age_limit)
        return recognise_payment(order.values, payments, self._now, name=order.name, is_single=True)

    def find_replacement(self, order: KeyedOrder, dead_payment: Transfer) -> Transfer | None:
        """The live payment of an order in the list whose payment is dead; None if it has none."""
        age = age_of(dead_payment, self._now())
        if order.name or age is None:
            age_searched = LOOKBACK_AGE
        elif order.reference:
            age_searched = max(age, order.age_limit)
        else:
            age_searched = age
        payments = self._list_payments(order, age_searched)
        return recognise_replacement(
            order.values, payments, dead_payment, self._now, name=order.name
        )

    def find_after_error(self, order: KeyedOrder, status: int, _: datetime) -> str | None:
        """The id of the payment of an order that got a server error; None to send it again.

        The newest page is read: a service may have paid before it failed, and then it has not
        stored the key. ChoiceError if several payments may be that of the order, if it has other
        values or is dead; PaylabError if the page cannot tell.
        """
        if status < SERVER_ERRORS:
            return None
        try:
            payment = self._find_in_newest_page(order)
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
        begun_at = begun_at.replace(microsecond=begun_at.microsecond // 1000 * 1000)
        earliest = begun_at - DATE_PRECISION
        is_reference = bool(order.reference) and not order.makes_another
        since = self._now() - DAY - AGE_MARGIN if is_reference else earliest
        payments = find_in_newest_page(self._client.transfers, order.values, since, earliest)
        if not is_reference:
            payments = self._made_by_call(payments, begun_at)
        return recognise_payment(order.values, payments, self._now, is_single=True)

    def _made_by_call(self, payments: Sequence[Transfer], begun_at: datetime) -> list[Transfer]:
        """The payments that were made since a call began, but not those of other calls of this lab.

        PaylabError if it cannot be told when they were made.
        """
        if not self._client.service_clock.is_known:
            raise PagingError("the service does not tell its time")
        is_known_of_another_call = self._client.session.has_just_received
        payments = [row for row in payments if not is_known_of_another_call(row.id)]
        latest = self._now() + DATE_PRECISION
        for payment in payments:
            if not begun_at <= creation_time(payment) <= latest:
                raise PagingError(f"{payment.id} may have been made before the call began")
        return payments

    def _list_payments(self, order: KeyedOrder, age_searched: timedelta) -> list[Transfer]:
        """The live and dead payments of an order in the list, newest first, back to an age.

        They have the reference of the order, or without one no value that differs.
        """
        pages = payment_pages(self._client.transfers)

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return self._now() - age_searched - AGE_MARGIN

        return find_payments(pages, order.values, since)

    def begun_at_service(self, order: KeyedOrder) -> datetime:
        """When the call of an order began, by the clock of the service; never later than that."""
        now = self._now()
        return now - (self._client.clock() - order.begun)
