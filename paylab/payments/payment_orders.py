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
from enum import Enum, auto
from functools import partial

from ..client.client import Client
from ..client.new_orders import deliver_order
from ..client.orders import is_order_conflict, key_advice
from ..client.request import Options
from ..client.response import Response
from ..errors.api import ConflictError, NotFoundError, ServerError
from ..errors.base import ChoiceError, PaylabError
from ..spec import timestamps
from ..spec.codes import LOOKBACK
from ..spec.models import Transfer
from .comparison import find_hidden_fields
from .identity import REFERENCE
from .keyed_order import Identity, KeyedOrder
from .listed_payments import AGE_MARGIN, ListedPayments
from .payment_errors import describe_payment
from .recognition import DAY, raise_unless_success


class Origin(Enum):
    """What made the payment of an answer: this attempt, or one before whose answer was lost."""

    THIS_ATTEMPT = auto()
    LOST_ATTEMPT = auto()
    EARLIER_CALL = auto()


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
        listed_payment = self._list.look_back(order)
        if listed_payment is not None:
            return self._return_repetition(order, listed_payment, Origin.EARLIER_CALL)
        try:
            response = self._post(order)
        except ConflictError as error:
            if not order.has_computed_key or not is_order_conflict(error):
                raise
            listed_payment = self._list.find_after_conflict(order, error)
            return self._return_repetition(order, listed_payment, Origin.EARLIER_CALL)
        if order.is_raw and not response.has_id:
            return response  # of a service whose answer has another form
        payment = response.read(Transfer)
        payment_origin = self._find_origin(order, payment, response)
        if payment_origin is not Origin.THIS_ATTEMPT:
            return self._return_repetition(order, payment, payment_origin)
        try:
            raise_unless_success(order.values, payment, self._now)
        except ChoiceError as error:
            error.is_new = True  # a batch does not pay it again in the same run
            raise
        return response

    def _post(self, order: KeyedOrder) -> Response:
        """Send an order: the answer to the POST, or a reading of the payment that it has made."""
        request = replace(order.request, find=partial(self._list.find_after_error, order))
        make_advice = partial(self._advise, order)
        with deliver_order(self._client.session, request, make_advice) as response:
            if not order.is_raw or response.has_id:
                # Raises, with advice: a payment may have been made though the answer has none.
                response.read(Transfer)
            return response

    def _find_origin(self, order: KeyedOrder, payment: Transfer, response: Response) -> Origin:
        """Tell which attempt or call made the payment of an answer."""
        if self._is_older_than_call(order, payment, response):
            return Origin.EARLIER_CALL
        is_from_list = response.exchange.request.method == "GET"
        if is_from_list:
            return Origin.LOST_ATTEMPT
        if response.replayed:
            return Origin.LOST_ATTEMPT if response.attempt.after_lost else Origin.EARLIER_CALL
        return Origin.THIS_ATTEMPT

    def _is_older_than_call(self, order: KeyedOrder, payment: Transfer, response: Response) -> bool:
        """Whether a payment is clearly older than the call, by the clock of the service."""
        created_at = payment.created_at
        if not isinstance(created_at, datetime):
            return False
        measured_skew = timedelta(seconds=response.exchange.skew or 0.0)
        if created_at >= order.begun + measured_skew - AGE_MARGIN:
            return False
        # The clock of a simulator may differ from its Date; it is asked only now.
        return created_at < self._list.begun_at_service(order) - AGE_MARGIN

    def _return_repetition(
        self, order: KeyedOrder, payment: Transfer, payment_origin: Origin
    ) -> Response:
        """The response with a payment that was made before, as it is now, marked as replayed.

        ChoiceError if it is no success.
        """
        current_response = self._read_current(order, payment)
        current_payment = current_response.read(Transfer)
        # Your own key alone decides which payment it is, however old that is.
        age_max = order.age_max if order.has_computed_key else None
        raise_unless_success(order.values, current_payment, self._now, age_max)
        if payment.raw != current_payment.raw:  # what is read may show less of the payment
            raise_unless_success(order.values, payment, self._now, age_max)
        if payment_origin is Origin.EARLIER_CALL and not order.details.is_quiet:
            self._notify(self._write_repetition_notice(order, current_payment))
        return current_response

    def _read_current(self, order: KeyedOrder, payment: Transfer) -> Response:
        """Read the payment of an order as it is now; an error of the reading names the payment."""
        try:
            response = self._read_alone_or_in_list(order, payment.id)
            current_response = replace(response, replayed=True)
            current_response.read_again(payment)
            return current_response
        except PaylabError as error:
            error.after_lost = True
            advice = (
                f"{payment.id} was made for this order; the same call reads its status again, "
                f'new="{payment.id}" makes another payment'
            )
            error.hint = f"{error.hint}; {advice}" if error.hint else advice
            raise

    def _read_alone_or_in_list(self, order: KeyedOrder, payment_id: str) -> Response:
        """Read a payment by its id, or in the list, which alone is in the specification."""
        request = order.request
        options: Options = {"timeout": request.timeout, "headers": request.given_headers}
        try:
            return self._client.call("transfers.get", parts={"id": payment_id}, **options)
        except NotFoundError:
            return self._client.session.lists.find_row("transfers", payment_id, options)

    def _write_repetition_notice(self, order: KeyedOrder, payment: Transfer) -> str:
        """Say that an order was not paid again, and what a second payment needs."""
        needed_text = "new='a name'"
        if order.identity is Identity.NAME:
            needed_text = "another new='name'"
        elif order.reference:
            needed_text = f"another {REFERENCE}, or new='a name'"
        hidden_text = ", ".join(find_hidden_fields(order.values, payment))
        remark_text = f"; not compared, since it is not shown: {hidden_text}" if hidden_text else ""
        return (
            f"not paid again: {describe_payment(payment, self._now())} was made for this order "
            f"before{remark_text}; a second payment needs {needed_text}"
        )

    def _advise(self, order: KeyedOrder, error: BaseException) -> str:
        """Say what to do if it is not known whether an order was carried out."""
        find_arguments = f"{REFERENCE}={order.reference!r}" if order.reference else "..., since=..."
        find_call = f"lab.transfers.find({find_arguments})"
        is_key_stored = not isinstance(error, ServerError)
        if not order.has_computed_key:
            advice = key_advice(str(order.request.idempotency_key))
            if is_key_stored:
                return advice
            return f"{advice}; a service that pays before it fails may pay twice: {find_call} tells"
        self._client.ask_time()
        end_text = timestamps.to_text(self._list.begun_at_service(order) + DAY)
        if is_key_stored:
            return (
                "make the same call again, since it is not known whether it was paid: it cannot "
                f'pay twice until {end_text} at the service. After that: lookback="{LOOKBACK}", or '
                f"{find_call}. If an earlier call may have paid this order, the 24 hours began "
                "with that call"
            )
        return (
            f'make the same call again with lookback="{LOOKBACK}", since it is not known whether '
            f"it was paid. Without it the same call is safe until {end_text} at a service that "
            "keeps the specification; one that pays before it fails may pay twice. "
            f"{find_call} tells, too"
        )
