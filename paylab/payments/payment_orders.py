"""Sends one payment: what a repetition returns, and what an error says.

The Idempotency-Key of a payment is computed from the order, so a service that keeps the spec
recognises a repetition from any cell, process or machine with the same API key within 24 hours. An
order with a `client_reference_id` is that reference, otherwise its values. A repetition returns
the live payment; other values under a reference, a payment that failed, expired or was cancelled,
or one too old are errors, never successes. After 24 hours only the list tells (`lookback=`).
`new=` pays again on purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from ..client.client import Client
from ..client.new_orders import deliver_order
from ..client.orders import is_order_conflict, key_advice
from ..client.request import Options
from ..client.response import Response
from ..errors.api import ConflictError, ServerError
from ..errors.base import ChoiceError, PaylabError
from ..spec import timestamps
from ..spec.codes import LOOKBACK
from ..spec.models import Transfer
from ..spec.status import TRANSFER
from .comparison import hidden_fields
from .identity import REFERENCE
from .keyed_order import KeyedOrder
from .listed_payments import AGE_MARGIN, ListedPayments
from .recognition import DAY, describe_payment, raise_unless_success


class PaymentOrders:
    """Sends payments under their keys; `notify` shows a notice of a repetition."""

    def __init__(self, client: Client, notify: Callable[[str], object]) -> None:
        self._client = client
        self._notify = notify
        self._now = client.service_clock.now
        self._list = ListedPayments(client)

    def send(self, order: KeyedOrder) -> Response:
        """Send an order, or return the payment that was made for it before.

        No equal order may be under way on this machine. ChoiceError for a payment that is no
        success.
        """
        lookback = order.details.lookback
        # Your own key and a random one alone decide which payment it is.
        if lookback is not None and order.is_computed:
            earlier = self._list.find(order, lookback)
            if earlier is not None:
                return self._return_listed(order, earlier)
        request = replace(order.request, find=partial(self._list.find_after_error, order))
        advice = partial(self._lost_answer_advice, order)
        try:
            with deliver_order(self._client.session, request, advice) as response:
                if order.is_raw and not response.has_id:
                    return response  # of a service whose answer has another form
                payment = response.read(Transfer)
        except ConflictError as error:
            if not order.is_computed or not is_order_conflict(error):
                raise
            return self._return_listed(order, self._find_after_conflict(order, error))
        return self._return_answered(order, payment, response)

    def _return_answered(
        self, order: KeyedOrder, payment: Transfer, response: Response
    ) -> Response:
        """The response with the payment that a service answered: a new one, or an earlier one.

        After a server error it may be the answer to the reading of a payment in the newest page.
        """
        is_from_list = response.exchange.request.method == "GET"
        is_older = self._is_older_than_call(order, payment, response)
        if not (response.replayed or is_older or is_from_list):
            self._check_new(order, payment)
            return response
        is_current = is_from_list or TRANSFER.is_final(payment.status)
        current = response if is_current else self._read_current(order, payment)
        current = self._check_repetition(order, current)
        if is_from_list and not order.is_reference:
            self._tell_of_unproven(order, payment)
        # Otherwise an earlier attempt of this call has most likely made it.
        elif is_older or not (is_from_list or response.attempt.after_lost):
            self._tell_of_repetition(order, current.read(Transfer))
        return current

    def _return_listed(self, order: KeyedOrder, payment: Transfer) -> Response:
        """The response with the payment of an order that the list has, with a notice."""
        current = self._check_repetition(order, self._read_current(order, payment))
        hidden_names = ", ".join(hidden_fields(order.values, payment))
        remark = f"; not compared, since it is not shown: {hidden_names}" if hidden_names else ""
        self._tell_of_repetition(order, current.read(Transfer), remark)
        return current

    def _check_new(self, order: KeyedOrder, payment: Transfer) -> None:
        """ChoiceError if a new payment has other values than its order, or is dead already."""
        try:
            raise_unless_success(order.values, payment, self._now)
        except ChoiceError as error:
            error.is_new = True
            raise

    def _check_repetition(self, order: KeyedOrder, current: Response) -> Response:
        """The response with the payment of a repeated order as it is now, marked as replayed.

        ChoiceError if it is no success.
        """
        repetition = replace(current, replayed=True)
        # Your own key alone decides which payment it is, however old that is.
        age_limit = order.age_limit if order.is_computed else None
        raise_unless_success(order.values, repetition.read(Transfer), self._now, age_limit)
        return repetition

    def _read_current(self, order: KeyedOrder, payment: Transfer) -> Response:
        """The payment of an order as it is now; an error that names it if it cannot be read."""
        request = order.request
        options: Options = {"timeout": request.timeout, "headers": request.given_headers}
        try:
            return self._client.call("transfers.get", parts={"id": payment.id}, **options)
        except PaylabError as error:
            error.after_lost = True
            advice = (
                f"{payment.id} was made for this order; the same call reads its status again, "
                f'new="{payment.id}" makes another payment'
            )
            error.hint = f"{error.hint}; {advice}" if error.hint else advice
            raise

    def _find_after_conflict(self, order: KeyedOrder, error: ConflictError) -> Transfer:
        """The payment of an order that got a 409; an error if the list does not show it."""
        reason = "the list has no payment of this order"
        try:
            payment = self._list.find(order, order.age_limit, is_single=True)
        except ChoiceError as choice:
            if choice.payment is not None:
                raise choice from error
            payment = None
            reason = str(choice.args[0])
        if payment is not None:
            return payment
        refusal_text = f"{error}: this order may be paid or under way; {reason}"
        hint = "read the list in a minute; the same call asks again without paying twice"
        raise ChoiceError(refusal_text, hint, reason="conflict") from error

    def _is_older_than_call(self, order: KeyedOrder, payment: Transfer, response: Response) -> bool:
        """Whether a payment is clearly older than the call, by the clock of the service."""
        created_at = payment.created_at
        if not isinstance(created_at, datetime):
            return False
        clock_skew = timedelta(seconds=response.exchange.skew or 0.0)
        if created_at >= order.begun + clock_skew - AGE_MARGIN:
            return False
        # The clock of a simulator may differ from its Date; it is asked only now.
        return created_at < self._list.begun_at_service(order) - AGE_MARGIN

    def _tell_of_repetition(self, order: KeyedOrder, payment: Transfer, remark: str = "") -> None:
        """Tell that an order was not paid again, and what a second payment needs."""
        needed = "another new=" if order.name else "new="
        if order.reference and not order.name:
            needed = f"another {REFERENCE}, or new="
        payment_text = describe_payment(payment, self._now())
        self._tell(
            order,
            f"not paid again: {payment_text} was made for this order before{remark}; "
            f"a second payment needs {needed}",
        )

    def _tell_of_unproven(self, order: KeyedOrder, payment: Transfer) -> None:
        """Tell that a payment in the newest page is taken for that of an order."""
        self._tell(
            order,
            f"after a server error the list has {describe_payment(payment, self._now())}, made "
            "since this call began with the same values: it is taken as the payment of this "
            "call, which a list cannot prove if another program pays the same",
        )

    def _tell(self, order: KeyedOrder, notice: str) -> None:
        """Show a notice, unless the order is one of a batch."""
        if not order.details.is_quiet:
            self._notify(notice)

    def _lost_answer_advice(self, order: KeyedOrder, error: BaseException) -> str:
        """What to do if it is not known whether an order was carried out."""
        is_server_error = isinstance(error, ServerError)  # the service stores nothing under the key
        terms = f"{REFERENCE}={order.reference!r}" if order.reference else "..., since=..."
        find_call = f"lab.transfers.find({terms})"
        if not order.is_computed:
            advice = key_advice(str(order.request.idempotency_key))
            if is_server_error:
                advice += f"; a service that pays before it fails may pay twice: {find_call} tells"
            return advice
        self._client.ask_time()
        until = timestamps.to_text(self._list.begun_at_service(order) + DAY)
        if is_server_error:
            return (
                f'make the same call again with lookback="{LOOKBACK}", since it is not known '
                f"whether it was paid. Without it the same call is safe until {until} at a service "
                "that keeps the specification; one that pays before it fails may pay twice. "
                f"{find_call} tells, too"
            )
        return (
            "make the same call again, since it is not known whether it was paid: it cannot pay "
            f'twice until {until} at the service. After that: lookback="{LOOKBACK}", or '
            f"{find_call}. If an earlier call may have paid this order, the 24 hours began with "
            "that call"
        )
