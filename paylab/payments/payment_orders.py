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
from ..client.orders import with_key
from ..client.request import Options
from ..client.response import Response
from ..client.retries import SERVER_ERRORS
from ..errors.api import APIStatusError, ConflictError, NotFoundError, UnprocessableError
from ..errors.base import ChoiceError, MissingOperationError, PagingError, PaylabError
from ..spec import timestamps
from ..spec.models import Transfer
from ..spec.operations.routes import reading
from ..spec.resource import created
from ..spec.status import TRANSFER
from .comparison import (
    DAY,
    NEEDED,
    check_live,
    check_terms,
    dead,
    describe,
    is_dead,
    unshown,
)
from .identity import REFERENCE
from .keyed_order import KeyedOrder
from .recognition import recognise
from .search import by_references, by_values, choose, in_newest_page

USED_QUOTE = 'if an earlier call of this order may have used the quote, add lookback="3 days" first'
MARGIN = timedelta(seconds=30)
"""A payment that is older than its call by more was made before it."""
CLOCKS_DIFFER = timedelta(seconds=2)
"""A Date has whole seconds."""
NO_READ = (404, 405, 501)
"""Answers to the reading of one object that is not there, or that cannot be read alone."""


class PaymentOrders:
    """Sends payments under their keys; `tell` shows a notice of a repetition."""

    def __init__(self, client: Client, tell: Callable[[str], object]) -> None:
        self._client = client
        self._tell = tell
        self._now = client.service_clock.now

    def send(self, order: KeyedOrder) -> Response:
        """Send an order, unless the list has its payment; no equal order is under way here."""
        listed = self._found_before(order)
        if listed is not None:
            return self._repetition(order, listed, is_listed=True)
        request = replace(order.request, find=partial(self._find_after_error, order))
        try:
            with deliver_order(
                self._client.session, request, partial(self._advice, order)
            ) as response:
                if order.is_raw and not response.has_id:
                    return response  # of a service whose answer has another form
                payment = response.read(Transfer)
        except UnprocessableError as error:
            has_quote = order.order.fields.get("quote_id") is not None
            if has_quote and "quote" in str(error).lower():  # perhaps this order has used it
                _add_hint(error, USED_QUOTE)
            raise
        except ConflictError as error:
            if not order.is_computed:
                raise
            return self._repetition(order, self._found_after(error, order), is_listed=True)
        is_listed = response.exchange.request.method == "GET"  # found after a server error
        is_old = self._is_older(payment, order, response)
        if is_listed or response.replayed or is_old:
            is_shown = is_old or not (is_listed or response.attempt.after_lost)
            current = response if is_listed or TRANSFER.is_final(payment.status) else None
            return self._repetition(order, payment, current, is_listed=is_listed, is_shown=is_shown)
        check_terms(order.values, payment, self._now, may_choose=True)
        return response

    def _repetition(
        self,
        order: KeyedOrder,
        payment: Transfer,
        current: Response | None = None,
        *,
        is_listed: bool = False,
        is_shown: bool = True,
    ) -> Response:
        """The response of a repeated order; ChoiceError for one that is no success.

        `payment` is what the service answered or its list has, `current` the payment as it is now,
        if that is known.
        """
        current = replace(current or self._current(order, payment), replayed=True)
        latest = current.read(Transfer)
        if latest.id != payment.id:
            what = f"{payment.id} was made for this order, but its reading is about {latest.id}"
            hint = "the same call reads its status again"
            raise ChoiceError(what, hint, reason="untold", payment=payment)
        check_terms(order.values, payment, self._now)
        if latest.raw != payment.raw:
            check_terms(order.values, latest, self._now)
        now = self._now()
        # Your own key decides alone, however old its payment is.
        check_live(latest, now, order.limit if order.is_computed else None)
        if is_shown and not order.order.is_quiet:
            hidden = unshown(order.values, payment) if is_listed else []
            lacks = f"; not compared, since it is not shown: {', '.join(hidden)}" if hidden else ""
            self._tell(
                f"not paid again: {describe(latest, now)} was made for this order before{lacks}; "
                f'to pay again: new="{latest.id}", or another {REFERENCE}'
            )
        return current

    def _is_older(self, payment: Transfer, order: KeyedOrder, response: Response) -> bool:
        """Whether a payment is clearly older than the call, by the clock of the service."""
        made = payment.created_at
        ahead = timedelta(seconds=response.exchange.skew or 0.0)
        if not isinstance(made, datetime) or made >= order.begun + ahead - MARGIN:
            return False
        # The clock of a simulator may differ from its Date; it is asked only now.
        return made < self._begun(order) - MARGIN

    def _begun(self, order: KeyedOrder) -> datetime:
        """When the call of an order began, by the clock of the service."""
        passed = self._client.clock() - order.begun
        return self._now() - passed

    def _current(self, order: KeyedOrder, payment: Transfer) -> Response:
        """The payment of an order as it is now."""
        request = order.request
        options: Options = {"timeout": request.timeout, "headers": request.given_headers}
        read = reading(order.order.operation)
        try:
            try:
                return self._client.call(read, parts={"id": payment.id}, **options)
            except APIStatusError as error:
                if error.status not in NO_READ:
                    raise
                # The service may have no operation that reads one payment: its list has it.
                return self._client.session.lists.row(read.partition(".")[0], payment.id, options)
        except (NotFoundError, MissingOperationError):
            what = f"the service named {payment.id} for this order, but does not have it"
            hint = f'for another payment, new="{payment.id}" or another {REFERENCE}'
            raise ChoiceError(what, hint, reason="untold", payment=payment) from None
        except PaylabError as error:
            error.after_lost = True
            advice = f"{payment.id} was made for this order; the same call reads its status again"
            _add_hint(error, advice)
            raise

    def _listed(self, order: KeyedOrder, reach: timedelta) -> list[Transfer]:
        """The payments of an order in the list back to a time, newest first, live and dead ones.

        Those with its reference, or without one those that show no other value.
        """
        transfers = self._client.transfers

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return self._now() - reach - MARGIN

        if not order.reference:
            return by_values(transfers, order.values, since)
        return by_references(transfers, [order.reference], since).get(order.reference, [])

    def _found_before(self, order: KeyedOrder) -> Transfer | None:
        """The payment that `lookback` finds; None to send. ChoiceError if it is no success."""
        lookback = order.order.lookback
        if lookback is None or not order.is_computed:
            return None
        payments = self._listed(order, lookback)
        if not payments:
            return None
        return recognise(order.values, payments, self._now, name=order.name)

    def _found_after(self, error: ConflictError, order: KeyedOrder) -> Transfer:
        """The one live payment of an order whose key has another body at the service."""
        try:
            payments = self._listed(order, order.limit)
            payment = recognise(order.values, payments, self._now, name=order.name, is_refused=True)
        except ChoiceError as choice:
            if choice.reason != "dead":
                choice.args = (f"{error}: this order may be paid or under way; {choice}",)
            raise choice from error
        if payment is None:
            what = f"{error}: this order may be paid or under way; the list has no payment of it"
            hint = "read the list in a minute; the same call asks again without paying twice"
            raise ChoiceError(what, hint, reason="conflict") from error
        return payment

    def _find_after_error(self, order: KeyedOrder, status: int, since: datetime) -> str | None:
        """The id of the payment that the newest page has after a server error, by its reference."""
        if status < SERVER_ERRORS or not order.reference or not order.is_computed:
            return None
        transfers = self._client.transfers
        if order.name:  # only a payment of this call is surely the named one
            begun = self._begun(order)
            begun = begun.replace(microsecond=begun.microsecond // 1000 * 1000)
            payments = in_newest_page(transfers, order.reference, begun - CLOCKS_DIFFER)
            if len(payments) > 1 or any(created(payment) < begun for payment in payments):
                raise PagingError(f"the list has another payment of this {REFERENCE}")
        else:  # one of the last 24 hours is that of this order
            payments = in_newest_page(transfers, order.reference, self._now() - DAY - MARGIN)
        payment = choose(payments)
        if payment is None:
            return None
        check_terms(order.values, payment, self._now)
        if is_dead(payment):
            raise dead(payment, self._now())
        return payment.id

    def _advice(self, order: KeyedOrder) -> str:
        """What to do if it is not known whether an order was carried out."""
        if not order.is_computed:
            return with_key(str(order.request.idempotency_key))
        self._client.ask_time()
        until = timestamps.to_text(self._begun(order) + DAY)
        return (
            "it is not known whether it was paid: if this was the first call of this order, the "
            f"same call asks again without paying twice until {until} at the service, otherwise "
            'until 24 hours after that first call; later add lookback="3 days", or ask '
            f"lab.transfers.find({self._search_terms(order)})"
        )

    def _search_terms(self, order: KeyedOrder) -> str:
        """The parameters of `find` that look for an order."""
        if order.reference:
            return f"{REFERENCE}={order.reference!r}"
        terms = {name: value for name, value in order.values.items() if name in NEEDED}
        terms["since"] = self._now().date().isoformat()
        return ", ".join(f"{name}={value!r}" for name, value in terms.items())


def _add_hint(error: PaylabError, hint: str) -> None:
    error.hint = "; ".join(filter(None, (error.hint, hint)))
