"""Sends the order of a conversion account: the list is read first, since a 202 is not stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ..client.client import Client
from ..client.failures import look_first
from ..client.new_orders import located
from ..client.orders import advice_on_error, with_key
from ..client.response import Response
from ..errors.api import APIStatusError, ConflictError
from ..errors.base import ChoiceError, MissingOperationError, PaylabError
from ..spec.codes import PAGE_MAX
from ..spec.models import ConversionAccount
from ..spec.resource import created
from .identity import REFERENCE, Values, values
from .search import read_back
from .sending import Sending

RANKS = ("active", "pending")
"""The statuses of which an account is returned first; a disabled one is never returned."""
TEXTS = ("individual_id", "source_currency", "destination_currency", REFERENCE)
NEEDED = ("individual_id", "payout_account", "source_currency")
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

    def send(self, sending: Sending) -> Response:
        """Send an order, unless the list has its account."""
        earlier = self._found_before(sending)
        if earlier is not None:
            return self._repetition(sending, earlier)
        request = replace(sending.request, find=partial(self._find_lost, sending))
        try:
            with advice_on_error(lambda: self._advice(sending)):
                response = self._client.session.deliver(request)
                if response.body is None:
                    response = self._without_body(sending, located(self._client.session, response))
                if sending.is_raw and not response.has_id:
                    return response  # of a service whose answer has another form
                account = response.read(ConversionAccount)
        except ConflictError:
            earlier = self._found_before(sending)
            if earlier is None:
                raise
            return self._repetition(sending, earlier)
        if _contradicts(account, sending.values):
            what = f"the answer is about another account: {account.id}"
            hint = "read lab.conversion_accounts.list() before you send it again"
            raise ChoiceError(what, hint, reason="conflict", payment=account)
        if response.exchange.request.method == "GET":
            return replace(response, is_found=True)
        if not response.replayed:
            return response
        return self._repetition(sending, account)

    def _found_before(self, sending: Sending) -> ConversionAccount | None:
        """The account of an order that the list has; None to send.

        An order with a name is looked for only after the account that its name is the id of.
        """
        name = sending.order.new
        if sending.is_raw or not sending.is_computed:
            return None
        is_named = isinstance(name, str) and bool(name)
        try:
            rows = self._rows()
        except ChoiceError as error:
            if error.reason == MISSING:
                self._tell(NO_LIST)
            elif not is_named:
                raise
            return None
        if not is_named:
            return _best(rows, sending.values)
        named = next((row for row in rows if row.id == name), None)
        others = [row for row in rows if row is not named]
        return None if named is None else _best(others, sending.values, created(named))

    def _without_body(self, sending: Sending, response: Response) -> Response:
        """A response whose body is the account in the list, if that has it."""
        if response.body is None and not sending.is_raw:
            account = _best(self._rows(), sending.values)
            response = response if account is None else replace(response, body=account.raw)
        return response

    def _repetition(self, sending: Sending, account: ConversionAccount) -> Response:
        """The account that an earlier order made, as it is now; ChoiceError if it is disabled."""
        response = self._client.call(
            "conversion_accounts.get", parts={"id": account.id}, timeout=sending.request.timeout
        )
        latest = response.read(ConversionAccount)
        if _is_disabled(latest):
            what = f"{latest.id} was made for this order and is disabled"
            hint = f'new="{latest.id}" makes another account'
            raise ChoiceError(what, hint, reason="dead", payment=latest)
        self._tell(
            f"{latest.id} ({latest.status}) was made for this order before; nothing new was "
            f'created; for another account: new="{latest.id}"'
        )
        return replace(response, replayed=True, is_found=True)

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

    def _find_lost(self, sending: Sending, status: int, since: datetime) -> str | None:
        """The id of the account that a lost attempt made; PaylabError if the list cannot tell."""
        try:
            account = _best(self._rows(), sending.values, since if sending.order.new else None)
        except ChoiceError as error:
            raise PaylabError(str(error)) from error
        return None if account is None else account.id

    def _advice(self, sending: Sending) -> str:
        """What to do if it is not known whether an account was made."""
        if not sending.is_computed:
            return with_key(str(sending.request.idempotency_key))
        if sending.order.new or sending.is_raw:
            return look_first(sending.request.path)
        return "it may have been made: the same call looks for it in the list before it sends"


def _best(
    rows: Sequence[ConversionAccount], order: Values, since: datetime | None = None
) -> ConversionAccount | None:
    """The newest active, else pending account of an order, created since a time."""
    same = [row for row in rows if not _is_disabled(row) and _agrees(row, order)]
    if since is not None:
        same = [row for row in same if row.created_at is None or created(row) >= since]
    whole = [row for row in same if {*NEEDED} <= _shown(row).keys()]
    if same and not whole:
        raise _untold(f"{same[0].id} may be this account, but does not show whose it is")
    return min(sorted(whole, key=created, reverse=True), key=_rank, default=None)


def _is_disabled(account: ConversionAccount) -> bool:
    return str(account.status or "").strip().lower() == "disabled"


def _rank(account: ConversionAccount) -> int:
    """The place of a status: active accounts first, then pending ones."""
    status = str(account.status or "").strip().lower()
    return RANKS.index(status) if status in RANKS else len(RANKS)


def _shown(account: ConversionAccount) -> dict[str, Any]:
    """The readable values of an account, spelled as those of an order."""
    wallet = getattr(account.payout_account, "id", account.payout_account)
    texts = {name: getattr(account, name) for name in TEXTS}
    fields = {name: value for name, value in texts.items() if isinstance(value, str) and value}
    wallet = wallet if isinstance(wallet, str) and wallet else None
    return values({**fields, "payout_account": wallet})


def _contradicts(account: ConversionAccount, order: Values) -> bool:
    """Whether an account shows another value than an order has."""
    shown = _shown(account)
    return any(shown[name] != order[name] for name in shown.keys() & order.keys())


def _agrees(account: ConversionAccount, order: Values) -> bool:
    """Whether an account may be that of an order; one without a reference has none."""
    reference = order.get(REFERENCE)
    return not _contradicts(account, order) and reference in (None, _shown(account).get(REFERENCE))


def _untold(why: str, reason: str = "untold") -> ChoiceError:
    hint = 'read lab.conversion_accounts.list(); new="..." sends without reading it'
    return ChoiceError(why, hint, reason=reason)
