"""The payment of an order in the list of the service: before it is sent, and after its errors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ..client.client import Client
from ..client.retries import SERVER_ERRORS
from ..errors.api import APIStatusError
from ..errors.base import ChoiceError, MissingOperationError, PagingError, Problem, RuleError
from ..spec.models import Transfer
from ..spec.resource import creation_time
from .comparison import NEEDED, find_differences, hidden_fields, is_dead
from .identity import REFERENCE, Values, reference_of, values
from .keyed_order import KeyedOrder
from .recognition import DAY, Now, raise_unless_success, recognise_payment
from .search import NO_LIST, find_payments, payment_pages, read_newest_page

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
        now = self._now()
        return now - (self._client.clock() - order.begun)

    def find(
        self, order: KeyedOrder, age_searched: timedelta, *, is_single: bool = False
    ) -> Transfer | None:
        """The live payment of an order that is at most so old; None if the list has none.

        ChoiceError if it is no success, or if it cannot be told: with `is_single` also if there are
        several.
        """

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return self._now() - age_searched - AGE_MARGIN

        payments = find_payments(payment_pages(self._client.transfers), order.values, since)
        return recognise_payment(
            order.values, payments, self._now, name=order.name, is_single=is_single
        )

    def find_after_error(self, order: KeyedOrder, status: int) -> str | None:
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
            has_list = isinstance(error, APIStatusError) and error.status not in NO_LIST
            if has_list or order.is_reference:
                raise
            return None
        except ChoiceError as error:
            if error.reason == "untold":  # the error of the order says more
                raise PagingError(str(error)) from None
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
        page = read_newest_page(self._client.transfers, earliest)
        payments = find_payments([page], order.values, since)
        if any(not isinstance(payment.created_at, datetime) for payment in payments):
            raise PagingError("a payment of this order does not show when it was made")
        if not order.is_reference:
            payments = self._select_made_by_call(payments, begun_at)
        return recognise_payment(order.values, payments, self._now, is_single=True)

    def _select_made_by_call(
        self, payments: Sequence[Transfer], begun_at: datetime
    ) -> list[Transfer]:
        """The payments that were made since a call began, but not those of other calls of this lab.

        PaylabError if it cannot be told when they were made.
        """
        is_of_another_call = self._client.session.has_just_received
        payments = [payment for payment in payments if not is_of_another_call(payment.id)]
        if payments and not self._client.service_clock.is_known:
            raise PagingError("the service does not tell its time")
        latest = self._now() + DATE_PRECISION
        for payment in payments:
            if not begun_at <= creation_time(payment) <= latest:
                raise PagingError(f"{payment.id} may have been made before the call began")
        return payments


def find_payment(client: Client, fields: Values, since: datetime | None) -> Transfer | None:
    """The payment of a reference, or of values without one since a time; None if there is none.

    A live payment comes before a dead one, then the newest. ChoiceError if that cannot be told, or
    if the payments of the reference have other values.
    """
    order = values(fields)
    if not reference_of(fields) and (since is None or len(order) < VALUES_MIN):
        message = "give client_reference_id=..., or the account, an amount and since=..."
        raise RuleError([Problem(REFERENCE, message)])
    now: Now = client.service_clock.now
    payments = find_payments(payment_pages(client.transfers), order, since)
    equal_payments = [payment for payment in payments if not find_differences(order, payment)]
    if payments and not equal_payments:
        raise_unless_success(order, payments[0], now)
    payment = min(equal_payments, key=is_dead, default=None)
    if payment is None:
        return None
    hidden_names = ", ".join(name for name in hidden_fields(order, payment) if name in NEEDED)
    if hidden_names or not payment.id:
        lacking = hidden_names or "its id"
        refusal_text = (
            f"it could not be told whether it was made before: {payment.id or 'a row'} may be the "
            f"payment, but does not show {lacking}"
        )
        hint = "lab.transfers.list() shows what the list has"
        raise ChoiceError(refusal_text, hint, reason="untold")
    return payment
