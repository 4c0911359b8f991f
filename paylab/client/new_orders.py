"""Sends each order as a new one, for a client without a lab."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack
from urllib.parse import urlsplit

from ..spec.codes import PAGE_MAX
from ..spec.operations.records import OPERATIONS
from .orders import Advice, Order, add_advice_on_error, key_advice
from .parameters import strict_keywords
from .request import Options, OutgoingRequest, check_key

if TYPE_CHECKING:
    from ..spec.models import ConversionAccount
    from .client import Client
    from .response import Response
    from .session import Session

ACCOUNT_OPERATION = "conversion_accounts.create"


class NewOrders:
    """Sends each order as a new one, with the caller's key or a random one.

    A lab has one that computes the keys: `paylab.payments.orders`.
    """

    def __init__(self, client: Client) -> None:
        """Send by the session of a client."""
        self._session = client.session

    @strict_keywords(Options)
    def send(self, order: Order, **options: Unpack[Options]) -> Response:
        """Send an order; its response has an object with an id."""
        request = self._session.requests.operation(
            order.operation, dict(order.fields), options=options
        )
        own_key = request.idempotency_key
        idempotency_key = self._session.new_key() if own_key is None else check_key(own_key)
        request = replace(request, idempotency_key=idempotency_key)
        advice_text = key_advice(idempotency_key)
        with deliver_order(self._session, request, lambda _: advice_text) as delivered_response:
            response = self._add_listed_account(order, delivered_response)
            response.require_object_with_id()
        return response

    def _add_listed_account(self, order: Order, response: Response) -> Response:
        """Add the newest conversion account of its order to a response without a body."""
        # Only this operation may answer without a body: with 202, while the account is made.
        if response.body is not None or order.operation != ACCOUNT_OPERATION:
            return response
        from ..spec.models import ConversionAccount  # its models take long to import
        from ..spec.resource import creation_time

        list_name = ACCOUNT_OPERATION.partition(".")[0]
        listed_accounts = self._session.lists.pager(list_name, ConversionAccount, {}, PAGE_MAX)
        accounts = [
            listed_account
            for listed_account in listed_accounts
            if _is_ordered(listed_account, order)
        ]
        newest_account = max(accounts, key=creation_time, default=None)
        return response if newest_account is None else replace(response, body=newest_account.raw)

    def send_raw(self, request: OutgoingRequest, body: object) -> Response:
        """Send the request of a path as it is; `body` is its JSON."""
        return self._session.deliver(request)


def _is_ordered(account: ConversionAccount, order: Order) -> bool:
    """Whether a conversion account has the individual, the wallet and the currency of an order."""
    fields = order.fields
    wallet = fields.get("payout_account")
    wallet_id = wallet.get("id") if isinstance(wallet, Mapping) else wallet
    currency = str(fields.get("source_currency"))
    has_individual = account.individual_id == fields.get("individual_id")
    has_wallet = account.payout_account is not None and account.payout_account.id == wallet_id
    has_currency = str(account.source_currency).lower() == currency.lower()
    return has_individual and has_wallet and has_currency


@contextmanager
def deliver_order(session: Session, request: OutgoingRequest, advice: Advice) -> Iterator[Response]:
    """Provide the response of an order; an error of it, or of the block, gets the advice.

    A response without a body gets the object that its Location header names, if any.
    """
    with add_advice_on_error(advice):
        response = session.deliver(request)
        yield response if response.body is not None else _follow_location(session, response)


def _follow_location(session: Session, response: Response) -> Response:
    """Add the object that Location names to a response without a body; unchanged without one."""
    location_path = urlsplit(response.exchange.headers.get("location", "")).path
    if not location_path:
        return response
    object_id = session.service.match(location_path)[1].get("id")
    if object_id is None:
        return response
    reading_operation = OPERATIONS[response.exchange.request.operation].reading_name
    object_response = session.call(reading_operation, parts={"id": object_id})
    return replace(response, body=object_response.body)
