"""Sends the order of a conversion account: the list is read first, since a 202 is not stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from ..client.client import Client
from ..client.failures import look_first
from ..client.new_orders import deliver_order
from ..client.orders import with_key
from ..client.response import Response
from ..errors.api import APIStatusError, ConflictError
from ..errors.base import ChoiceError, MissingOperationError, PaylabError
from ..spec.codes import PAGE_MAX
from ..spec.models import ConversionAccount
from ..spec.resource import created
from .comparison import other_values, shown_values, status_of
from .identity import REFERENCE, Values
from .keyed_order import KeyedOrder
from .search import read_back

RANKS = ("active", "pending")
"""The statuses of which an account is returned first; a disabled one is never returned."""
DISABLED = "disabled"
NEEDED = frozenset({"individual_id", "payout_account", "source_currency"})
"""What a row must show to tell whether it is the ordered account."""
NO_OPERATION = (404, 405, 501)
"""Statuses of a service that has no list of conversion accounts, which the spec does not show."""
MISSING = "missing"
NO_LIST = (
    "the service has no list of conversion accounts: it was not looked for an account that an "
    "earlier attempt made"
)


class AccountOrders:
    """Sends orders of conversion accounts; `tell` shows a notice of an account made before."""

    def __init__(self, client: Client, tell: Callable[[str], object]) -> None:
        self._client = client
        self._tell = tell

    def send(self, order: KeyedOrder) -> Response:
        """Send an order, unless the list has its account."""
        earlier = self._found_before(order)
        if earlier is not None:
            return self._repetition(order, earlier)
        request = replace(order.request, find=partial(self._find_lost, order))
        try:
            with deliver_order(
                self._client.session, request, partial(self._advice, order)
            ) as delivered:
                response = self._with_body(order, delivered)
                if order.is_raw and not response.has_id:
                    return response  # of a service whose answer has another form
                account = response.read(ConversionAccount)
        except ConflictError:
            earlier = self._found_before(order)
            if earlier is None:
                raise
            return self._repetition(order, earlier)
        if other_values(order.values, account, may_choose=True):
            what = f"the answer is about another account: {account.id}"
            hint = "read lab.conversion_accounts.list() before you send it again"
            raise ChoiceError(what, hint, reason="conflict", payment=account)
        return self._repetition(order, account) if response.replayed else response

    def _found_before(self, order: KeyedOrder) -> ConversionAccount | None:
        """The account of an order that the list has; None to send.

        An order with a name is looked for only after the account that its name is the id of.
        """
        if order.is_raw or not order.is_computed:
            return None
        try:
            rows = self._rows()
        except ChoiceError as error:
            if error.reason == MISSING:
                self._tell(NO_LIST)
            elif not order.name:
                raise
            return None
        if not order.name:
            return _best(rows, order.values)
        named = next((row for row in rows if row.id == order.name), None)
        if named is None:
            return None
        others = [row for row in rows if row is not named]
        return _best(others, order.values, created(named))

    def _with_body(self, order: KeyedOrder, response: Response) -> Response:
        """The response; one without a body has the account in the list, if there is one."""
        if response.body is not None or order.is_raw:
            return response
        account = _best(self._rows(), order.values)
        return response if account is None else replace(response, body=account.raw)

    def _repetition(self, order: KeyedOrder, account: ConversionAccount) -> Response:
        """The account that an earlier order made, as it is now; ChoiceError if it is disabled."""
        response = self._client.call(
            "conversion_accounts.get", parts={"id": account.id}, timeout=order.request.timeout
        )
        latest = response.read(ConversionAccount)
        if status_of(latest) == DISABLED:
            what = f"{latest.id} was made for this order and is disabled"
            hint = f'new="{latest.id}" makes another account'
            raise ChoiceError(what, hint, reason="dead", payment=latest)
        self._tell(
            f"{latest.id} ({latest.status}) was made for this order before; nothing new was "
            f'created; for another account: new="{latest.id}"'
        )
        return replace(response, replayed=True)

    def _rows(self) -> list[ConversionAccount]:
        """The rows of the list; none if the settings of the service say that it has no list.

        ChoiceError if it cannot be read to its end.
        """
        try:
            self._client.service.path("conversion_accounts.list")
        except MissingOperationError:
            return []
        pages = self._client.conversion_accounts.list(limit=PAGE_MAX).pages()
        try:
            return read_back(pages, None, lambda _: True)
        except ChoiceError as error:
            cause = error.__cause__
            is_missing = isinstance(cause, APIStatusError) and cause.status in NO_OPERATION
            raise _untold(str(error), MISSING if is_missing else "untold") from error

    def _find_lost(self, order: KeyedOrder, status: int, since: datetime) -> str | None:
        """The id of the account that a lost attempt made; PaylabError if the list cannot tell."""
        try:
            account = _best(self._rows(), order.values, since if order.order.new else None)
        except ChoiceError as error:
            raise PaylabError(str(error)) from error
        return None if account is None else account.id

    def _advice(self, order: KeyedOrder) -> str:
        """What to do if it is not known whether an account was made."""
        if not order.is_computed:
            return with_key(str(order.request.idempotency_key))
        if order.name or order.is_raw:
            return look_first(order.request.path)
        return "it may have been made: the same call looks for it in the list before it sends"


def _best(
    rows: Sequence[ConversionAccount], order: Values, since: datetime | None = None
) -> ConversionAccount | None:
    """The newest active, else pending account of an order, created since a time."""
    live = [row for row in rows if status_of(row) != DISABLED and _agrees(order, row)]
    if since is not None:
        live = [row for row in live if row.created_at is None or created(row) >= since]
    shown = [row for row in live if shown_values(row).keys() >= NEEDED]
    if live and not shown:
        raise _untold(f"{live[0].id} may be this account, but does not show whose it is")
    return min(sorted(shown, key=created, reverse=True), key=_rank, default=None)


def _rank(account: ConversionAccount) -> int:
    """The place of a status: active accounts first, then pending ones."""
    status = status_of(account)
    return RANKS.index(status) if status in RANKS else len(RANKS)


def _agrees(order: Values, account: ConversionAccount) -> bool:
    """Whether an account may be that of an order; one without a reference has none."""
    is_named = order.get(REFERENCE) in (None, shown_values(account).get(REFERENCE))
    return is_named and not other_values(order, account, may_choose=True)


def _untold(why: str, reason: str = "untold") -> ChoiceError:
    hint = 'read lab.conversion_accounts.list(); new="..." sends without reading it'
    return ChoiceError(why, hint, reason=reason)
