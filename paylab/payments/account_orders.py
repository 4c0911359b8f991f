"""Sends the order of a conversion account: the list is read first, since a 202 is not stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..client.client import Client
from ..client.new_orders import deliver_order
from ..client.orders import key_advice
from ..client.response import Response
from ..errors.base import ChoiceError, MissingOperationError, PagingError
from ..spec.codes import PAGE_MAX
from ..spec.models import ConversionAccount
from ..spec.resource import creation_time
from .comparison import find_differences, is_masked, read_shown, status_of
from .identity import REFERENCE, Values
from .keyed_order import Identity, KeyedOrder
from .search import lacks_list, read_rows_since

NO_LIST_NOTICE = (
    "the service has no list of conversion accounts: it was not looked for an account that an "
    "earlier attempt made"
)
STATUS_RANKS = {"active": 0, "pending": 1}
"""The statuses of which an account is returned first; a disabled one is never returned."""
DISABLED = "disabled"
IDENTIFYING_FIELDS = ("individual_id", "payout_account", "source_currency")
"""What a row must show to tell whether it is the ordered account."""


class AccountOrders:
    """Sends orders of conversion accounts; `notify` shows a notice of an account made before."""

    def __init__(self, client: Client, notify: Callable[[str], object]) -> None:
        self._client = client
        self._notify = notify

    def send(self, order: KeyedOrder) -> Response:
        """Create the account of an order, or return the equal one that the list already has.

        The list is not read before an order with `new=`, with your own key or of a raw body.
        ChoiceError for an account that is no success, or if the list cannot tell.
        """
        earlier_account = self._find_earlier_account(order)
        if earlier_account is not None:
            return self._return_earlier(order, earlier_account)
        response = self._post(order)
        if order.is_raw and not response.has_id:
            return response  # of a service whose answer has another form
        account = response.read(ConversionAccount)
        if find_differences(order.values, account):
            conflict_text = f"the answer is about another account: {account.id}"
            hint = "read lab.conversion_accounts.list() before you send it again"
            raise ChoiceError(conflict_text, hint, reason="conflict", payment=account)
        return self._return_earlier(order, account) if response.replayed else response

    def _find_earlier_account(self, order: KeyedOrder) -> ConversionAccount | None:
        """The account that was made for an order before; None to send the order."""
        if not _is_account_of_order(order):
            return None
        try:
            return self._find_account(order)
        except MissingOperationError:
            # The specification has no list of these accounts: without one, it is no error.
            self._notify(NO_LIST_NOTICE)
            return None

    def _post(self, order: KeyedOrder) -> Response:
        """Send an order: its answer, or for one without a body a reading of the new account."""
        request = replace(order.request, find=lambda _status: self._find_made_id(order))
        make_advice = partial(_advise_after_lost_answer, order)
        with deliver_order(self._client.session, request, make_advice) as answer:
            is_empty = answer.body is None and not order.is_raw
            response = self._read_made_account(order) if is_empty else answer
            if not order.is_raw or response.has_id:
                # Raises, with advice: an account may have been made though the answer has none.
                response.read(ConversionAccount)
            return response

    def _read_made_account(self, order: KeyedOrder) -> Response:
        """Read the account of an order whose answer has no body; PagingError if there is none."""
        account_id = self._find_made_id(order)
        if account_id is None:
            raise PagingError("the answer has no body, and the list has no account of this order")
        return self._client.call("conversion_accounts.get", parts={"id": account_id})

    def _find_made_id(self, order: KeyedOrder) -> str | None:
        """The id of the account that an attempt made whose answer is lost; None if it made none.

        PagingError if the list cannot tell. It cannot for an order with `new=`, with your own key
        or of a raw body: an equal account may be that of another order.
        """
        try:
            account = self._find_account(order)
        except (ChoiceError, MissingOperationError) as error:
            raise PagingError(str(error)) from error
        if account is not None and not _is_account_of_order(order):
            raise PagingError("an equal account in the list may be that of another order")
        return None if account is None else account.id

    def _find_account(self, order: KeyedOrder) -> ConversionAccount | None:
        """The account of an order in the list; None if the list has none.

        ChoiceError if the list cannot tell, MissingOperationError if the service has no list.
        """
        listed_accounts = self._read_newest_first()
        matching_accounts = [
            account
            for account in listed_accounts
            if status_of(account) != DISABLED and _matches(order.values, account)
        ]
        identified_accounts = [account for account in matching_accounts if _is_identified(account)]
        if matching_accounts and not identified_accounts:
            reason = f"{matching_accounts[0].id} may be this account, but does not show whose it is"
            raise _undecided_error(reason)
        # Of accounts with an equal rank, the first one is the newest.
        return min(identified_accounts, key=_status_rank, default=None)

    def _read_newest_first(self) -> list[ConversionAccount]:
        """Read all conversion accounts, newest first; the errors are those of `_find_account`."""
        pages = self._client.conversion_accounts.list(limit=PAGE_MAX).pages()
        try:
            return sorted(read_rows_since(pages, None), key=creation_time, reverse=True)
        except ChoiceError as error:
            if lacks_list(error.__cause__):
                raise MissingOperationError(str(error.__cause__)) from error
            raise _undecided_error(str(error)) from error

    def _return_earlier(self, order: KeyedOrder, account: ConversionAccount) -> Response:
        """The response with the account that an earlier order made, as the account is now.

        ChoiceError if the account is disabled.
        """
        response = self._client.call(
            "conversion_accounts.get", parts={"id": account.id}, timeout=order.request.timeout
        )
        current_account = response.read_again(account)
        if status_of(current_account) == DISABLED:
            refusal_text = f"{current_account.id} was made for this order and is disabled"
            hint = f'new="{current_account.id}" makes another account'
            raise ChoiceError(refusal_text, hint, reason="dead", payment=current_account)
        account_text = f"{current_account.id} ({current_account.status})"
        self._notify(
            f"{account_text} was made for this order before; nothing new was created; "
            f'for another account: new="{current_account.id}"'
        )
        return replace(response, replayed=True)


def _is_account_of_order(order: KeyedOrder) -> bool:
    """Whether an equal account in the list is surely that of an order.

    Not of an order with `new=` or with your own key, nor of a raw body, which can lack fields.
    """
    return order.identity in (Identity.REFERENCE, Identity.VALUES) and not order.is_raw


def _advise_after_lost_answer(order: KeyedOrder, _error: BaseException) -> str:
    """Say what to do if it is not known whether an account was made."""
    if not order.has_computed_key:
        return key_advice(str(order.request.idempotency_key))
    if not _is_account_of_order(order):
        path = order.request.path
        return f"it may have been carried out: check with GET {path} before sending"
    return "it may have been made: the same call looks for it in the list before it sends"


def _undecided_error(why: str) -> ChoiceError:
    """The error if the list cannot tell whether an account was made."""
    hint = 'read lab.conversion_accounts.list(); new="..." makes another account'
    return ChoiceError(why, hint, reason="untold")


def _status_rank(account: ConversionAccount) -> int:
    """The rank of an account by its status: active accounts first, then pending ones."""
    return STATUS_RANKS.get(status_of(account), len(STATUS_RANKS))


def _is_identified(account: ConversionAccount) -> bool:
    """Whether an account shows all of `IDENTIFYING_FIELDS`, unmasked."""
    shown_values = [read_shown(account, field_name) for field_name in IDENTIFYING_FIELDS]
    return all(
        shown_value is not None and not is_masked(shown_value) for shown_value in shown_values
    )


def _matches(order: Values, account: ConversionAccount) -> bool:
    """Whether an account shows no other value than an order, and its reference if it has one."""
    reference = order.get(REFERENCE)
    if reference is not None and reference != read_shown(account, REFERENCE):
        return False
    return not find_differences(order, account)
