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
from ..errors.api import APIStatusError, ConflictError, NotFoundError, ServerError
from ..errors.base import ChoiceError, MissingOperationError, PaylabError
from ..spec import timestamps
from ..spec.codes import LOOKBACK
from ..spec.models import Transfer
from ..spec.operations.routes import find_reading_operation
from ..spec.status import TRANSFER
from .comparison import (
    DAY,
    dead_error,
    describe_payment,
    hidden_fields,
    is_dead,
    raise_if_dead_or_old,
    raise_if_other_terms,
)
from .identity import REFERENCE
from .keyed_order import KeyedOrder
from .listed_payments import AGE_MARGIN, ListedPayments

NOT_READABLE = (404, 405, 501)
"""Answers to the reading of one object that is not there, or that cannot be read alone."""


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
        success: before the error of a dead payment the list is asked whether it was paid again.
        """
        try:
            return self._send_unless_listed(order)
        except ChoiceError as error:
            # The caller's own key alone decides which payment it is: no other one replaces it.
            if error.reason != "dead" or not order.is_computed:
                raise
            return self._return_replacement(order, error)

    def _send_unless_listed(self, order: KeyedOrder) -> Response:
        """Send an order, unless `lookback` finds its payment in the list."""
        earlier = self._list.find_before_sending(order)
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
            return self._return_conflicting(order, error)
        if response.exchange.request.method == "GET":  # of what `find_after_error` has found
            return self._return_found(order, payment, response)
        return self._return_answered(order, payment, response)

    def _return_answered(
        self, order: KeyedOrder, payment: Transfer, response: Response
    ) -> Response:
        """The response with the payment that the POST answers: a new one, or an earlier one."""
        is_older = self._is_older_than_call(payment, order, response)
        if not response.replayed and not is_older:
            self._check_new(order, payment)
            return response
        # A payment with a final status is as it is now.
        is_current = TRANSFER.is_final(payment.status)
        current = self._check_repetition(order, payment, response if is_current else None)
        # After a lost answer, an earlier attempt of this call has most likely made the payment.
        if is_older or not response.attempt.after_lost:
            self._tell_repetition(order, current.read(Transfer))
        return current

    def _check_new(self, order: KeyedOrder, payment: Transfer) -> None:
        """ChoiceError if a new payment has other values than its order, or is dead already."""
        raise_if_other_terms(order.values, payment, self._now, may_choose=True)
        if is_dead(payment):
            error = dead_error(order.values, payment, self._now())
            error.is_new = True
            raise error

    def _check_repetition(
        self, order: KeyedOrder, payment: Transfer, current: Response | None = None
    ) -> Response:
        """The response with the payment of a repeated order as it is now.

        `current` has it; without it, the payment is read. ChoiceError if it is no success.
        """
        current = replace(current or self._read_current(order, payment), replayed=True)
        latest = current.read(Transfer)
        if latest.id != payment.id:
            refusal_text = (
                f"{payment.id} was made for this order, but its reading is about {latest.id}"
            )
            hint = "the same call reads its status again"
            raise ChoiceError(refusal_text, hint, reason="untold", payment=payment)
        raise_if_other_terms(order.values, payment, self._now)
        if latest.raw != payment.raw:
            raise_if_other_terms(order.values, latest, self._now)
        # The caller's own key alone decides which payment it is, however old that is.
        age_limit = order.age_limit if order.is_computed else None
        raise_if_dead_or_old(order.values, latest, self._now(), age_limit)
        return current

    def _return_listed(self, order: KeyedOrder, payment: Transfer) -> Response:
        """The response with the payment of an order that the list has, with a notice."""
        current = self._check_repetition(order, payment)
        hidden = ", ".join(hidden_fields(order.values, payment))
        not_compared = f"; not compared, since it is not shown: {hidden}" if hidden else ""
        self._tell_repetition(order, current.read(Transfer), not_compared)
        return current

    def _return_found(self, order: KeyedOrder, payment: Transfer, response: Response) -> Response:
        """The response with the payment that the newest page has after a server error."""
        current = self._check_repetition(order, payment, response)
        if not order.is_reference:
            self._tell(
                order,
                f"after a server error the list has {describe_payment(payment, self._now())}, made "
                "since this call began with the same values: it is taken as the payment of this "
                "call, which a list cannot prove if another program pays the same",
            )
        elif self._is_older_than_call(payment, order, response):
            self._tell_repetition(order, payment)
        return current

    def _tell_repetition(self, order: KeyedOrder, payment: Transfer, remark: str = "") -> None:
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

    def _tell(self, order: KeyedOrder, notice: str) -> None:
        """Show a notice, unless the order is one of a batch."""
        if not order.details.is_quiet:
            self._notify(notice)

    def _return_replacement(self, order: KeyedOrder, error: ChoiceError) -> Response:
        """The live payment that was made instead of a dead one; the error if there is none."""
        try:
            payment = self._list.find_replacement(order, error.payment)
        except ChoiceError as choice:
            if choice.reason != "untold":
                raise choice from error
            reason = f"the list could not tell whether it was paid again: {choice.args[0]}"
            hint = f"look at lab.transfers.list() first, since {reason}; {error.hint}"
            raise ChoiceError(
                str(error.args[0]), hint, reason="untold", payment=error.payment
            ) from error
        if payment is None:
            raise error
        return self._return_listed(order, payment)

    def _return_conflicting(self, order: KeyedOrder, error: ConflictError) -> Response:
        """The payment of an order that got a 409; an error if the list does not show it."""
        may_be_paid = f"{error}: this order may be paid or under way"
        try:
            payment = self._list.find_after_conflict(order)
        except ChoiceError as choice:
            if choice.payment is None:
                choice.args = (f"{may_be_paid}; {choice.args[0]}",)
            elif choice.reason != "dead":
                choice.args = (f"{choice.args[0]}; the service answered: {error}",)
            raise choice from error
        if payment is None:
            hint = "read the list in a minute; the same call asks again without paying twice"
            refusal_text = f"{may_be_paid}; the list has no payment of this order"
            raise ChoiceError(refusal_text, hint, reason="conflict") from error
        return self._return_listed(order, payment)

    def _is_older_than_call(self, payment: Transfer, order: KeyedOrder, response: Response) -> bool:
        """Whether a payment is clearly older than the call, by the clock of the service."""
        created_at = payment.created_at
        if not isinstance(created_at, datetime):
            return False
        clock_skew = timedelta(seconds=response.exchange.skew or 0.0)
        if created_at >= order.begun + clock_skew - AGE_MARGIN:
            return False
        # The clock of a simulator may differ from its Date; it is asked only now.
        return created_at < self._list.begun_at_service(order) - AGE_MARGIN

    def _read_current(self, order: KeyedOrder, payment: Transfer) -> Response:
        """The payment of an order as it is now; an error that names it if it cannot be read."""
        try:
            return self._read_alone_or_listed(order, payment.id)
        except (NotFoundError, MissingOperationError):
            refusal_text = f"the service named {payment.id} for this order, but does not have it"
            hint = f'for another payment, new="{payment.id}" or another {REFERENCE}'
            raise ChoiceError(refusal_text, hint, reason="untold", payment=payment) from None
        except PaylabError as error:
            error.after_lost = True
            advice = f"{payment.id} was made for this order; the same call reads its status again"
            error.hint = f"{error.hint}; {advice}" if error.hint else advice
            raise

    def _read_alone_or_listed(self, order: KeyedOrder, payment_id: str) -> Response:
        """The answer about one payment, from the list at a service that reads none alone."""
        request = order.request
        options: Options = {"timeout": request.timeout, "headers": request.given_headers}
        read_operation = find_reading_operation(order.details.operation)
        try:
            return self._client.call(read_operation, parts={"id": payment_id}, **options)
        except APIStatusError as error:
            if error.status not in NOT_READABLE:
                raise
        resource = read_operation.partition(".")[0]
        return self._client.session.lists.find_row(resource, payment_id, options)

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
