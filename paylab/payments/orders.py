"""Sends orders under keys that are computed from them, one equal order at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Unpack

from ..client.base_url import address
from ..client.client import Client
from ..client.order_body import order_body
from ..client.orders import Order
from ..client.parameters import strict_keywords
from ..client.request import Options, OutgoingRequest
from ..client.response import Response
from ..errors.base import ChoiceError
from ..spec.models import FinancialAccount
from ..spec.request_body import read_request
from ..storage.locks import Locks
from .account_orders import AccountOrders
from .identity import ACCOUNTS, TRANSFER
from .keyed_order import make_keyed_order
from .payment_orders import PaymentOrders


class KeyedOrderSender:
    """Sends orders under keys that are computed from them; `notify` shows a notice."""

    def __init__(self, client: Client, notify: Callable[[str], object], locks: Locks) -> None:
        self._client = client
        self._locks = locks
        self._payments = PaymentOrders(client, notify)
        self._accounts = AccountOrders(client, notify)
        self._address = address(client.settings.base_url)

    @strict_keywords(Options)
    def send(self, order: Order, **options: Unpack[Options]) -> Response:
        """The response with the payment of an order: created, or the one that it repeats."""
        body = order.body or order_body(order.operation, order.fields, self._client.service)
        request = self._client.session.requests.operation(
            order.operation, dict(body), options=options
        )
        return self._send(order, replace(request, asked=dict(order.fields)))

    def send_raw(self, request: OutgoingRequest, body: object) -> Response:
        """Send the request of a path under the key of its body, whose bytes stay as given."""
        # A body that is no object is an order as well: its key is computed from the whole body.
        fields = body if isinstance(body, dict) else {"": body}
        fields = read_request(self._client.service, request.operation, dict(fields)).fields
        for account_field in ACCOUNTS:
            fields[account_field] = _without_details(fields.get(account_field))
        quote_terms = self._client.quotes.terms(fields.get("quote_id"))
        return self._send(Order(request.operation, fields, quote_terms), request, is_raw=True)

    def _send(self, order: Order, request: OutgoingRequest, *, is_raw: bool = False) -> Response:
        """Send an order under its key, while no equal order is under way on this machine."""
        keyed_order = make_keyed_order(
            order,
            request,
            begun=self._client.clock(),
            new_key=self._client.new_key,
            is_raw=is_raw,
        )
        wait_seconds = request.timeout or self._client.settings.timeout
        refusal_text = (
            f"not sent: an equal order is under way on this machine for {wait_seconds:g} s"
        )
        hint = "the same call asks again without paying twice"
        busy_error = ChoiceError(refusal_text, hint, reason="busy")
        lock_name = f"{self._address} {keyed_order.request.idempotency_key}"
        sender = self._payments if order.operation == TRANSFER else self._accounts
        with self._locks.hold(lock_name, wait_seconds, busy_error):
            return sender.send(keyed_order)


def _without_details(account: object) -> object:
    """Reduce an account that was read from the service to its id.

    Any other value is returned as it is: no object, an object without an id, or an object with
    members that no read account has, which belong to the order.
    """
    if not isinstance(account, Mapping) or account.get("id") is None:
        return account
    is_read_account = account.keys() <= FinancialAccount.model_fields.keys()
    return {"id": account["id"]} if is_read_account else account
