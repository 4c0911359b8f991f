"""Looks for the payment of one order in the list: before it is sent, and after its errors."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..client.client import Client
from ..client.retries import SERVER_ERRORS
from ..errors.base import PagingError
from ..spec.models import Transfer
from ..spec.resource import creation_time
from .comparison import DAY, LOOKBACK_AGE, age_of, dead_error, is_dead, raise_if_other_terms
from .identity import REFERENCE
from .keyed_order import KeyedOrder
from .recognition import recognise_payment, recognise_replacement
from .search import (
    choose_payment,
    find_by_references,
    find_by_values,
    find_in_newest_page,
    payment_pages,
)

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
        return recognise_payment(
            order.values, payments, self._now, name=order.name, is_key_refused=True
        )

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

    def find_after_error(self, order: KeyedOrder, status: int, since: datetime) -> str | None:
        """The id of the payment that the newest page has after a server error, by its reference.

        None if there is none. ChoiceError if it has other values or is dead, PaylabError if the
        page cannot tell. An order without a reference is repeated under its key.
        """
        if status < SERVER_ERRORS or not order.reference or not order.is_computed:
            return None
        if order.name:
            payments = self._newest_payments_of_call(order)
        else:  # one of the last 24 hours is that of this order
            earliest = self._now() - DAY - AGE_MARGIN
            begun_at = self.begun_at_service(order) - DATE_PRECISION
            payments = find_in_newest_page(
                self._client.transfers, order.reference, earliest, begun_at
            )
        payment = choose_payment(payments)
        if payment is None:
            return None
        raise_if_other_terms(order.values, payment, self._now)
        if is_dead(payment):
            raise dead_error(order.values, payment, self._now())
        return payment.id

    def _newest_payments_of_call(self, order: KeyedOrder) -> list[Transfer]:
        """The payment in the newest page that a call with `new=` made, if any.

        Only a payment of this call is surely the named one: PaylabError if there is another one.
        """
        begun_at = self.begun_at_service(order)
        begun_at = begun_at.replace(microsecond=begun_at.microsecond // 1000 * 1000)
        earliest = begun_at - DATE_PRECISION
        payments = find_in_newest_page(self._client.transfers, order.reference, earliest, earliest)
        if len(payments) > 1 or any(creation_time(payment) < begun_at for payment in payments):
            raise PagingError(f"the list has another payment of this {REFERENCE}")
        return payments

    def _list_payments(self, order: KeyedOrder, age_searched: timedelta) -> list[Transfer]:
        """The live and dead payments of an order in the list, newest first, back to an age.

        They have the reference of the order, or without one no value that differs.
        """
        pages = payment_pages(self._client.transfers)

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return self._now() - age_searched - AGE_MARGIN

        if not order.reference:
            return find_by_values(pages, order.values, since)
        payments = find_by_references(pages, [order.reference], since)
        return payments.get(order.reference, [])

    def begun_at_service(self, order: KeyedOrder) -> datetime:
        """When the call of an order began, by the clock of the service."""
        elapsed = self._client.clock() - order.begun
        return self._now() - elapsed
