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
from .comparison import find_differences, is_masked, made_after, shown_values, status_of
from .identity import REFERENCE, Values
from .keyed_order import KeyedOrder
from .search import NO_OPERATION, read_rows_since

NO_LIST_NOTICE = (
    "the service has no list of conversion accounts: it was not looked for an account that an "
    "earlier attempt made"
)
STATUS_RANKS = {"active": 0, "pending": 1}
"""The statuses of which an account is returned first; a disabled one is never returned."""
DISABLED = "disabled"
IDENTIFYING_FIELDS = ("individual_id", "payout_account", "source_currency")
"""What a row must show to tell whether it is the ordered account."""
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
            return self._send_new(order, rows_before)
        except ConflictError:
            earlier = self._choose_earlier(order, self._read_before_sending(order))
            if earlier is None:
                raise
            return self._return_earlier(order, earlier)

    def _send_new(self, order: KeyedOrder, rows_before: AccountRows | None) -> Response:
        """Send an order that the list does not have. ChoiceError for the account of another one."""
        find_lost = partial(self._find_lost, order, rows_before)
        request = replace(order.request, find=find_lost)
        advice = partial(self._lost_answer_advice, order)
        with deliver_order(self._client.session, request, advice) as response:
            if order.is_raw and not response.has_id:
                return response  # of a service whose answer has another form
            if response.body is None and not order.is_raw:
                created = self._read_unnamed(order, response, rows_before)
                if created is not None:
                    return created
            account = response.read(ConversionAccount)
        if find_differences(order.values, account, may_choose=True):
            refusal_text = f"the answer is about another account: {account.id}"
            hint = "read lab.conversion_accounts.list() before you send it again"
            raise ChoiceError(refusal_text, hint, reason="conflict", payment=account)
        return self._return_earlier(order, account) if response.replayed else response

    def _read_unnamed(
        self, order: KeyedOrder, response: Response, rows_before: AccountRows | None
    ) -> Response | None:
        """The account of an answer that does not name it, from the list; None if it has none."""
        earliest = order.begun + self._client.service_clock.least_ahead()
        account_id = self._find_lost(order, rows_before, response.exchange.status, earliest)
        if account_id is None:
            return None
        return self._client.call("conversion_accounts.get", parts={"id": account_id})

    def _read_before_sending(self, order: KeyedOrder) -> AccountRows | None:
        """The rows of the list before an order is sent.

        None if the service has no list, or if the list is unreadable and the order does not need
        it: it has `new=` or your own key. ChoiceError for an unreadable list that it needs.
        """
        try:
            rows = self._read_rows()
        except ChoiceError:
            if not order.makes_another:
                raise
            return None
        if rows is None and order.is_computed:
            self._notify(NO_LIST_NOTICE)
        return rows

    def _choose_earlier(
        self, order: KeyedOrder, rows: AccountRows | None
    ) -> ConversionAccount | None:
        """The account that was made for an order before; None to send it.

        For an order with a name, only accounts count that were made after the account that the name
        is the id of.
        """
        if rows is None or not order.is_computed:
            return None
        if order.name:
            rows = made_after(rows, order.name) or ()
        return choose_account(rows, order.values)

    def _find_lost(
        self, order: KeyedOrder, rows_before: AccountRows | None, _: int, earliest: datetime
    ) -> str | None:
        """The id of the account that a lost attempt made; None if it made none.

        An order with `new=`, with your own key or of a raw body made only an account that is new:
        not one of `rows_before`, nor one from before `earliest`. Any other order made the account
        that equals it. PaylabError if the list cannot tell.
        """
        makes_new = order.makes_another or order.is_raw
        try:
            rows = self._read_rows()
            is_unknown_before = rows_before is None and not order.is_raw
            if rows is None or (is_unknown_before and order.makes_another):
                raise undecided_account_error("the list could not be read")
            if makes_new:
                rows = _find_new_rows(rows, rows_before or (), earliest)
            account = choose_account(rows, order.values, is_single=makes_new)
        except ChoiceError as error:
            raise PaylabError(str(error)) from error
        return None if account is None else account.id

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

    def _read_rows(self) -> AccountRows | None:
        """The rows of the list; None if the service has no list. ChoiceError for a broken one."""
        pages = self._client.conversion_accounts.list(limit=PAGE_MAX).pages()
        try:
            return read_rows_since(pages, None, lambda _: True)
        except ChoiceError as error:
            cause = error.__cause__
            is_refused = isinstance(cause, APIStatusError) and cause.status in NO_OPERATION
            if is_refused or isinstance(cause, MissingOperationError):
                return None
            raise undecided_account_error(str(error)) from error

    def _lost_answer_advice(self, order: KeyedOrder, _: BaseException) -> str:
        """What to do if it is not known whether an account was made."""
        if not order.is_computed:
            return key_advice(str(order.request.idempotency_key))
        if order.name or order.is_raw:
            return look_first(order.request.path)
        return "it may have been made: the same call looks for it in the list before it sends"


def choose_account(
    rows: AccountRows, order: Values, *, is_single: bool = False
) -> ConversionAccount | None:
    """The newest active, else pending account of an order; None if there is none.

    ChoiceError if accounts may be that of the order, but none shows whose it is, or if there are
    several of which only one can be it (`is_single`).
    """
    candidates = [row for row in rows if status_of(row) != DISABLED and _matches(order, row)]
    accounts = [row for row in candidates if _is_identified(row)]
    if candidates and not accounts:
        reason = f"{candidates[0].id} may be this account, but does not show whose it is"
        raise undecided_account_error(reason)
    if is_single and len(candidates) > 1:
        raise undecided_account_error("the list has several accounts that were made meanwhile")
    return min(accounts, key=_status_rank, default=None)  # of equal ones, the first


def undecided_account_error(why: str) -> ChoiceError:
    """The error if the list cannot tell whether an account was made."""
    hint = 'read lab.conversion_accounts.list(); new="..." makes another account'
    return ChoiceError(why, hint, reason="untold")


def _find_new_rows(rows: AccountRows, rows_before: AccountRows, earliest: datetime) -> AccountRows:
    """The rows that were not in the list before, and do not show an earlier time."""
    earlier_ids = {row.id for row in rows_before}
    return [
        row
        for row in rows
        if row.id not in earlier_ids and (row.created_at is None or creation_time(row) >= earliest)
    ]


def _status_rank(account: ConversionAccount) -> int:
    """The rank of an account by its status: active accounts first, then pending ones."""
    return STATUS_RANKS.get(status_of(account), len(STATUS_RANKS))


def _is_identified(account: ConversionAccount) -> bool:
    """Whether a row shows whose account it is."""
    shown = shown_values(account)
    return all(name in shown and not is_masked(shown[name]) for name in IDENTIFYING_FIELDS)


def _matches(order: Values, account: ConversionAccount) -> bool:
    """Whether an account shows no other value than an order, and the reference that it has."""
    reference = order.get(REFERENCE)
    if reference is not None and reference != shown_values(account).get(REFERENCE):
        return False
    return not find_differences(order, account, may_choose=True)
