"""Sends the order of a conversion account: the list is read first, since a 202 is not stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from ..client.client import Client
from ..client.failures import look_first
from ..client.new_orders import deliver_order
from ..client.orders import key_advice
from ..client.response import Response
from ..errors.api import APIStatusError, ConflictError
from ..errors.base import ChoiceError, MissingOperationError, PaylabError
from ..spec.codes import PAGE_MAX
from ..spec.models import ConversionAccount
from ..spec.resource import creation_time
from .comparison import find_differences, status_of
from .keyed_order import KeyedOrder
from .listed_accounts import DISABLED, choose_account, matching_accounts, undecided_account_error
from .search import read_rows_since

NO_OPERATION = (404, 405, 501)
"""Statuses of a service that has no list of conversion accounts, which the spec does not show."""
MISSING_LIST = "missing"
"""The reason of the error for such a service."""
NO_LIST_NOTICE = (
    "the service has no list of conversion accounts: it was not looked for an account that an "
    "earlier attempt made"
)
AccountRows = Sequence[ConversionAccount]


class AccountOrders:
    """Sends orders of conversion accounts; `notify` shows a notice of an account made before."""

    def __init__(self, client: Client, notify: Callable[[str], object]) -> None:
        self._client = client
        self._notify = notify

    def send(self, order: KeyedOrder) -> Response:
        """Create the account of an order, or return the equal one that the list already has."""
        rows_before = None if order.is_raw else self._read_before_sending(order)
        earlier = self._choose_earlier(order, rows_before)
        if earlier is not None:
            return self._return_earlier(order, earlier)
        try:
            response = self._deliver(order, rows_before)
        except ConflictError:
            earlier = self._choose_earlier(order, self._read_before_sending(order))
            if earlier is None:
                raise
            return self._return_earlier(order, earlier)
        if order.is_raw and not response.has_id:
            return response  # of a service whose answer has another form
        account = response.read(ConversionAccount)
        if find_differences(order.values, account, may_choose=True):
            refusal_text = f"the answer is about another account: {account.id}"
            hint = "read lab.conversion_accounts.list() before you send it again"
            raise ChoiceError(refusal_text, hint, reason="conflict", payment=account)
        return self._return_earlier(order, account) if response.replayed else response

    def _deliver(self, order: KeyedOrder, rows_before: AccountRows | None) -> Response:
        """Send an order; the response has an account, also after a lost or an empty answer."""
        begun_at = self._client.clock()
        find_lost = partial(self._find_lost, order, rows_before)
        request = replace(order.request, find=find_lost)
        advice = partial(self._lost_answer_advice, order)
        with deliver_order(self._client.session, request, advice) as delivered:
            response = delivered
            if response.body is None and not order.is_raw:
                earliest = begun_at + self._client.service_clock.least_ahead()
                account = self._find_made(order, rows_before, earliest)
                if account is not None:
                    response = replace(delivered, body=account.raw)
            if response.has_id or not order.is_raw:
                response.read(ConversionAccount)  # an unreadable answer gets the advice, too
            return response

    def _read_before_sending(self, order: KeyedOrder) -> AccountRows | None:
        """The rows of the list before an order is sent; None if they cannot be read.

        ChoiceError if the order needs them: it has neither `new=` nor your own key.
        """
        try:
            return self._read_rows()
        except ChoiceError as error:
            if error.reason == MISSING_LIST:
                if order.is_computed:
                    self._notify(NO_LIST_NOTICE)
            elif not order.makes_another:
                raise
            return None

    def _choose_earlier(
        self, order: KeyedOrder, rows: AccountRows | None
    ) -> ConversionAccount | None:
        """The account that was made for an order before; None to send it.

        For an order with a name, only accounts count that were made after the account that the name
        is the id of.
        """
        if rows is None or not order.is_computed:
            return None
        if not order.name:
            return choose_account(rows, order.values)
        named_account = next((row for row in rows if row.id == order.name), None)
        if named_account is None:
            return None
        later_rows = [
            row
            for row in rows
            if row is not named_account and creation_time(row) >= creation_time(named_account)
        ]
        return choose_account(later_rows, order.values)

    def _find_lost(
        self, order: KeyedOrder, rows_before: AccountRows | None, status: int, earliest: datetime
    ) -> str | None:
        """The id of the account that a lost attempt made; None if it made none.

        PaylabError if the list cannot tell. Sending calls this after an attempt with this `status`.
        """
        try:
            account = self._find_made(order, rows_before, earliest)
        except ChoiceError as error:
            raise PaylabError(str(error)) from error
        return None if account is None else account.id

    def _find_made(
        self, order: KeyedOrder, rows_before: AccountRows | None, earliest: datetime
    ) -> ConversionAccount | None:
        """The account in the list that an order made; ChoiceError if the list cannot tell.

        An order with `new=`, with your own key or of a raw body made only an account that is new:
        not one of `rows_before`, nor one from before `earliest`. Any other order made the account
        that equals it.
        """
        rows = self._read_rows()
        if not order.makes_another and not order.is_raw:
            return choose_account(rows, order.values)
        if rows_before is None and not order.is_raw:
            raise undecided_account_error("the list could not be read before the account was made")
        earlier_ids = {row.id for row in rows_before or ()}
        new_rows = [
            row
            for row in rows
            if row.id not in earlier_ids
            and (row.created_at is None or creation_time(row) >= earliest)
        ]
        if len(matching_accounts(new_rows, order.values)) > 1:
            raise undecided_account_error("the list has several accounts that were made meanwhile")
        return choose_account(new_rows, order.values)

    def _return_earlier(self, order: KeyedOrder, account: ConversionAccount) -> Response:
        """The account that an earlier order made, as it is now; ChoiceError if it is disabled."""
        response = self._client.call(
            "conversion_accounts.get", parts={"id": account.id}, timeout=order.request.timeout
        )
        latest = response.read(ConversionAccount)
        if status_of(latest) == DISABLED:
            refusal_text = f"{latest.id} was made for this order and is disabled"
            hint = f'new="{latest.id}" makes another account'
            raise ChoiceError(refusal_text, hint, reason="dead", payment=latest)
        self._notify(
            f"{latest.id} ({latest.status}) was made for this order before; nothing new was "
            f'created; for another account: new="{latest.id}"'
        )
        return replace(response, replayed=True)

    def _read_rows(self) -> list[ConversionAccount]:
        """The rows of the list; none if the settings of the service say that it has no list.

        ChoiceError if it cannot be read to its end.
        """
        try:
            self._client.service.path("conversion_accounts.list")
        except MissingOperationError:
            return []
        pages = self._client.conversion_accounts.list(limit=PAGE_MAX).pages()
        try:
            return read_rows_since(pages, None, lambda _: True)
        except ChoiceError as error:
            cause = error.__cause__
            is_missing = isinstance(cause, APIStatusError) and cause.status in NO_OPERATION
            reason_code = MISSING_LIST if is_missing else "untold"
            raise undecided_account_error(str(error), reason_code) from error

    def _lost_answer_advice(self, order: KeyedOrder, _: BaseException) -> str:
        """What to do if it is not known whether an account was made."""
        if not order.is_computed:
            return key_advice(str(order.request.idempotency_key))
        if order.name or order.is_raw:
            return look_first(order.request.path)
        return "it may have been made: the same call looks for it in the list before it sends"
