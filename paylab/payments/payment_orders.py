"""Sends one payment: what a repetition returns, and what an error says.

The Idempotency-Key of a payment is computed from the order, so a service that keeps the spec
recognises a repetition from any cell, process or machine with the same API key within 24 hours. An
order with a `client_reference_id` is that reference, otherwise its values. A repetition returns
the live payment; other values under a reference, a payment that failed, expired or was cancelled,
or one too old are errors, never successes. After 24 hours only the list tells (`lookback=`).
`new=` pays again on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from ..client.client import Client
from ..client.new_orders import located
from ..client.orders import advice_on_error, with_key
from ..client.response import Response
from ..client.retries import SERVER_ERRORS
from ..errors.api import APIStatusError, ConflictError, NotFoundError, UnprocessableError
from ..errors.base import ChoiceError, MissingOperationError, PagingError, PaylabError
from ..spec import timestamps
from ..spec.models import Transfer
from ..spec.operations.routes import reading
from ..spec.resource import created
from . import repetition
from .identity import AMOUNTS, REFERENCE
from .repetition import DAY, describe, is_dead, is_recognised
from .search import by_references, by_values, choose, in_newest_page, untold
from .sending import Sending

USED_QUOTE = 'if an earlier call of this order may have used the quote, add lookback="3 days" first'
MARGIN = timedelta(seconds=30)
"""A payment that is older than its call by more was made before it."""
CLOCKS_DIFFER = timedelta(seconds=2)
"""A Date has whole seconds."""
SEARCHED = ("financial_account", "source_currency", "destination_currency", *sorted(AMOUNTS))
"""The values by which an order without a reference is looked for."""
NO_READ = (404, 405, 501)
"""Answers to the reading of one object that is not there, or that cannot be read alone."""


class PaymentOrders:
    """Sends payments under their keys; `tell` shows a notice of a repetition."""

    def __init__(self, client: Client, tell: Callable[[str], object]) -> None:
        self._client = client
        self._tell = tell

    def send(self, sending: Sending) -> Response:
        """Send an order, unless the list has its payment; no equal order is under way here."""
        earlier = self._found_before(sending)
        if earlier is not None:
            return self._repetition(sending, earlier, self._current(sending, earlier))
        request = replace(sending.request, find=partial(self._find_after_error, sending))
        try:
            with advice_on_error(lambda: self._advice(sending)):
                response = self._client.session.deliver(request)
                if response.body is None:
                    response = located(self._client.session, response)
                if sending.is_raw and not response.has_id:
                    return response  # of a service whose answer has another form
                payment = response.read(Transfer)
        except UnprocessableError as error:
            has_quote = sending.order.fields.get("quote_id") is not None
            if has_quote and "quote" in str(error).lower():  # perhaps this order has used it
                error.hint = "; ".join(filter(None, (error.hint, USED_QUOTE)))
            raise
        except ConflictError as error:
            if not sending.is_computed:
                raise
            payment = self._found_after_conflict(sending, error)
            return self._repetition(sending, payment, self._current(sending, payment))
        is_read = response.exchange.request.method == "GET"  # found after a server error
        is_old = self._is_older(payment, sending, response)
        if is_read or response.replayed or is_old:
            current = response if is_read else self._current(sending, payment)
            is_shown = is_old or not (is_read or response.attempt.after_lost)
            return self._repetition(sending, payment, current, is_found=is_read, is_shown=is_shown)
        repetition.check_new(sending.values, payment, self._now)
        if isinstance(response.identified["id"], str):
            return response
        return replace(response, body=self._current(sending, payment).body)  # an id is text

    def _repetition(
        self,
        sending: Sending,
        payment: Transfer,
        current: Response,
        *,
        is_found: bool = True,
        is_shown: bool = True,
    ) -> Response:
        """The response of a repeated order; ChoiceError for one that is no success.

        `payment` is what the service answered or its list has, `current` the payment as it is now.
        """
        now = self._now()
        latest = current.read(Transfer)
        if latest.id != payment.id:
            what = f"{payment.id} was made for this order, but its reading is about {latest.id}"
            hint = "the same call reads its status again"
            raise ChoiceError(what, hint, reason="untold", payment=payment)
        repetition.check_terms(sending.values, payment, lambda: now)
        # Your own key decides alone, however old its payment is.
        limit = sending.limit if sending.is_computed else None
        repetition.check_repetition(sending.values, latest, now, limit)
        if is_shown and not sending.order.is_quiet:
            hidden = repetition.unshown(sending.values, payment) if is_found else []
            self._tell(repetition.repetition_notice(latest, now, hidden))
        return replace(current, replayed=True, is_found=is_found)

    def _is_older(self, payment: Transfer, sending: Sending, response: Response) -> bool:
        """Whether a payment is clearly older than the call, by the clock of the service."""
        made = payment.created_at
        ahead = timedelta(seconds=response.exchange.skew or 0.0)
        if not isinstance(made, datetime) or made >= sending.begun + ahead - MARGIN:
            return False
        # The clock of a simulator may differ from its Date; it is asked only now.
        passed = self._client.clock() - sending.begun
        return made < self._now() - passed - MARGIN

    def _now(self) -> datetime:
        """The time at the service."""
        return self._client.service_clock.now()

    def _current(self, sending: Sending, payment: Transfer) -> Response:
        """The payment of an order as it is now."""
        options: Any = {
            "timeout": sending.request.timeout,
            "headers": sending.request.given_headers,
        }
        read = reading(sending.order.operation)
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
            error.hint = "; ".join(filter(None, (error.hint, advice)))
            raise

    def _listed(self, sending: Sending, reach: timedelta) -> list[Transfer]:
        """The payments of an order in the list back to a time, newest first, live and dead ones.

        Those with its reference, or without one those that show no other value.
        """
        transfers = self._client.transfers

        def since() -> datetime:  # after the first page, whose Date is that of the service
            return self._now() - reach - MARGIN

        if sending.reference:
            references = by_references(transfers, [sending.reference], since)
            return references.get(sending.reference, [])
        return by_values(transfers, sending.values, since)

    def _live(self, sending: Sending, payments: Sequence[Transfer]) -> list[Transfer]:
        """The live ones of the payments of an order.

        For one that is named by the id of a payment, only those after that payment count.
        """
        live = [payment for payment in payments if not is_dead(payment)]
        name = sending.order.new
        if not name:
            return live
        named = [payment for payment in payments if payment.id == name]
        if not named:
            listed = ", ".join(describe(payment, self._now()) for payment in payments) or "nothing"
            what = f"the list does not show what was made as new={name!r}; it has {listed}"
            raise untold(f"{what}: name it by the id of the payment that it repeats")
        made = created(named[0])
        return [payment for payment in live if payment.id != name and created(payment) >= made]

    def _found_before(self, sending: Sending) -> Transfer | None:
        """The payment that `lookback` finds; None to send. ChoiceError if it is no success."""
        lookback = sending.order.lookback
        if lookback is None or not sending.is_computed:
            return None
        payments = self._listed(sending, lookback)
        live = self._live(sending, payments) if payments else []
        if payments and not live and not sending.order.new:
            raise repetition.dead(payments[0], self._now())
        recognised = [payment for payment in live if is_recognised(sending.values, payment)]
        if live and not recognised:
            raise self._unrecognised(sending, live)
        return next(iter(recognised), None)

    def _found_after_conflict(self, sending: Sending, error: ConflictError) -> Transfer:
        """The one live payment of an order whose key has another body at the service."""
        try:
            payments = self._listed(sending, sending.limit)
            live = self._live(sending, payments)
            if len(live) == 1 and is_recognised(sending.values, live[0]):
                return live[0]
            if live or not payments or sending.order.new:
                raise self._unrecognised(sending, live)
        except ChoiceError as choice:
            choice.args = (f"{error}: this order may be paid or under way; {choice}",)
            raise choice from error
        raise repetition.dead(payments[0], self._now()) from error

    def _unrecognised(self, sending: Sending, live: Sequence[Transfer]) -> ChoiceError:
        """The error if the live payments in the list are not the one of an order."""
        if not live:
            hint = "read the list in a minute; the same call asks again without paying twice"
            return ChoiceError("the list has no payment of it", hint, reason="conflict")
        now = self._now()
        if len(live) == 1:
            repetition.check_terms(sending.values, live[0], self._now)
            hidden = repetition.unshown(sending.values, live[0])
            what = f"{describe(live[0], now)} may be its payment, but "
            what += f"does not show {', '.join(hidden)}" if hidden else "the order has no terms"
        else:
            shown = ", ".join(describe(payment, now) for payment in live[:5])
            what = f"the list has {len(live)} payments that may be it: {shown}"
        hint = f'look at it: lab.transfers.get("{live[0].id}"); new="..." makes another payment'
        return ChoiceError(what, hint, reason="conflict", payment=live[0])

    def _find_after_error(self, sending: Sending, status: int, since: datetime) -> str | None:
        """The id of the payment that the newest page has after a server error, by its reference."""
        if status < SERVER_ERRORS or not sending.reference or not sending.is_computed:
            return None
        transfers = self._client.transfers
        now = self._now()
        if sending.order.new:  # only a payment of this call is surely the named one
            begun = now - (self._client.clock() - sending.begun)
            begun = begun.replace(microsecond=begun.microsecond // 1000 * 1000)
            payments = in_newest_page(transfers, sending.reference, begun - CLOCKS_DIFFER)
            if len(payments) > 1 or any(created(payment) < begun for payment in payments):
                raise PagingError(f"the list has another payment of this {REFERENCE}")
        else:  # one of the last 24 hours is that of this order
            payments = in_newest_page(transfers, sending.reference, now - DAY - MARGIN)
        payment = choose(payments)
        if payment is None:
            return None
        repetition.check_terms(sending.values, payment, self._now)
        if is_dead(payment):
            raise repetition.dead(payment, now)
        return payment.id

    def _advice(self, sending: Sending) -> str:
        """What to do if it is not known whether an order was carried out."""
        if not sending.is_computed:
            return with_key(str(sending.request.idempotency_key))
        self._client.ask_time()
        passed = self._client.clock() - sending.begun
        until = timestamps.to_text(self._client.service_clock.now() - passed + DAY)
        return (
            "it is not known whether it was paid: if this was the first call of this order, the "
            f"same call asks again without paying twice until {until} at the service, otherwise "
            'until 24 hours after that first call; later add lookback="3 days", or ask '
            f"lab.transfers.find({self._search_terms(sending)})"
        )

    def _search_terms(self, sending: Sending) -> str:
        """The parameters of `find` that look for an order."""
        if sending.reference:
            return f"{REFERENCE}={sending.reference!r}"
        terms = [(name, value) for name, value in sending.values.items() if name in SEARCHED]
        since = self._now().date().isoformat()
        return ", ".join(f"{name}={value!r}" for name, value in [*terms, ("since", since)])
