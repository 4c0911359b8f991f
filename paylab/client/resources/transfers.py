"""Quotes and transfers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any, Unpack

from ...errors.arguments import explain_arguments
from ...errors.names import suggesting
from ...rules import transfers as rules
from ...spec.models import FinancialAccount, Quote, Transfer
from ...spec.operations.field import CURRENCY, ENUM
from ...spec.operations.records import OPERATIONS
from ...spec.paging import Pager
from ...spec.status import TRANSFER
from ...spec.text import normal_name
from ...spec.time_arguments import read_duration
from ..order_body import order_body
from ..orders import Order, OrderSender
from ..parameters import Account, body_of, judge, read_name, takes
from ..request import Options
from ..response import Response
from ..sender import Sender
from . import operations
from .operations import EVERY, TIMEOUT, Patience, Until

Money = Decimal | str | int


@explain_arguments
@suggesting
class Quotes:
    """Rates and fees, locked for a short time."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._asked: dict[str, dict[str, Any]] = {}

    def terms(self, quote: Quote | str | None) -> Mapping[str, Any] | None:
        """The terms of a quote, or of the id of one that was made here; else None.

        >>> lab.client.quotes.terms("qt_unknown") is None
        True
        """
        id_ = getattr(quote, "id", quote)
        asked = self._asked.get(str(id_))
        return _terms(quote) if asked is None and isinstance(quote, Quote) else asked

    @takes(Options)
    def again(self, quote: Quote, **options: Unpack[Options]) -> Quote:
        """A new quote with the same request, or with the terms of a quote from elsewhere.

        >>> lab.quotes.again(quote).source_amount == quote.source_amount
        True
        """
        asked = self._asked.get(quote.id)
        if asked is None:
            return self.create(**_terms(quote), **options)
        return self._ask(asked, options)

    @takes(Options)
    def create(  # noqa: PLR0913 - a field each
        self,
        financial_account: Account | None = None,
        *,
        financial_account_id: FinancialAccount | str | None = None,
        payout_method: str | None = None,
        source_currency: str | None = None,
        source_network: str | None = None,
        destination_currency: str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        extra: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Quote:
        """Ask for a quote with exactly one of the three amounts.

        A stablecoin needs its source_network. `extra` sends fields that paylab does not know.

        >>> lab.quotes.create(
        ...     payee,
        ...     source_amount="20",
        ...     source_currency="USD",
        ...     destination_currency="MXN",
        ...     payout_method="spei",
        ... ).total_fee
        Amount('0.50')
        """
        body = body_of("quotes.create", locals(), extra)
        service = self._sender.service
        judge(rules.check_quote(body, service), rules.warn(body, service))
        return self._ask(body, options)

    def _ask(self, body: dict[str, Any], options: Options) -> Quote:
        quote = self._sender.call("quotes.create", body, **options).read(Quote)
        # A field with a default, such as the currency, counts as if it had been given.
        usual = {name: value for name, value in _terms(quote).items() if name not in rules.AMOUNTS}
        self._asked[quote.id] = {**usual, **body}
        return quote


def _terms(quote: Quote) -> dict[str, Any]:
    """The request terms of a quote."""
    given = "destination_amount" if quote.derived_source_amount else "source_amount"
    names = (*OPERATIONS["quotes.create"].of_kind(CURRENCY, ENUM), given)
    terms = {"financial_account": quote.financial_account_id}
    terms |= {name: getattr(quote, name) for name in names}
    return {name: value for name, value in terms.items() if value is not None}


@explain_arguments
@suggesting
class Transfers:
    """Payouts."""

    def __init__(
        self,
        sender: Sender,
        orders: OrderSender,
        terms: Callable[[Quote | str | None], Mapping[str, Any] | None],
    ) -> None:
        self._sender, self._orders, self._terms = sender, orders, terms

    @takes(Options)
    def create(  # noqa: PLR0913 - a field each
        self,
        financial_account: Account | None = None,
        *,
        quote_id: Quote | str | None = None,
        financial_account_id: FinancialAccount | str | None = None,
        payout_method: str | None = None,
        source_currency: str | None = None,
        source_network: str | None = None,
        source_type: str | None = None,
        destination_currency: str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        client_reference_id: str | None = None,
        extra: Mapping[str, Any] | None = None,
        new: str | bool = "",
        lookback: timedelta | str | None = None,
        **options: Unpack[Options],
    ) -> Transfer:
        """Create a transfer from a quote, or from an account, a rail, currencies and one amount.

        The Idempotency-Key of a payment is computed from the order, so a service that keeps the
        spec recognises a repetition from any cell, process or machine with the same API key within
        24 hours. An order with a `client_reference_id` is that reference, otherwise its values. A
        repetition returns the live payment; other values under a reference, a payment that failed,
        expired or was cancelled, or one too old are errors, never successes. After 24 hours only
        the list tells (`lookback=`). `new=` pays again on purpose.

        A repetition has `replayed` true. `lookback="3 days"` reads the list before sending.
        `new="tr_1"` is another order of that name, which is paid once; `new=True` has a random key,
        which a crash loses. Your own `idempotency_key` decides alone. `extra` sends fields that
        paylab does not know.

        >>> lab.transfers.create(quote_id=quote, client_reference_id="invoice-7").status
        'awaiting_funds'
        """
        body = body_of("transfers.create", locals(), extra)
        service = self._sender.service
        spelled = order_body("transfers.create", body, service)
        judge(rules.check(spelled, service), rules.warn(spelled, service))
        searched = None if lookback is None else read_duration(lookback, "lookback")
        terms = self._terms(quote_id if isinstance(quote_id, Quote) else body.get("quote_id"))
        order = Order("transfers.create", body, terms, new, searched, body=spelled)
        return self.send(order, **options).read(Transfer)

    @takes(Options)
    def send(self, order: Order, **options: Unpack[Options]) -> Response:
        """The response of an order whose fields were checked, with how it was found."""
        return self._orders.send(order, **options)

    @takes(Options)
    def get(self, id: Transfer | str, **options: Unpack[Options]) -> Transfer:
        """Read one transfer.

        >>> lab.transfers.get(transfer.id) == transfer
        True
        """
        return self._sender.read("transfers.get", id, Transfer, options)

    @takes(Options)
    def list(
        self,
        limit: int | None = None,
        product_type: str | None = None,
        cursor: str | None = None,
        *,
        client_reference_id: str | None = None,
        **options: Unpack[Options],
    ) -> Pager[Transfer]:
        """List transfers; `limit` is the size of a page.

        `client_reference_id` keeps those with this reference; the list is filtered on this machine.

        >>> lab.transfers.list(limit=5).first().source_currency
        'USD'
        """
        operations.check(limit, self._sender.service.list("transfers"), product_type)
        filters = {"product_type": product_type}
        pager = self._sender.pager("transfers", Transfer, options, limit, cursor, filters)
        if client_reference_id is None:
            return pager
        reference = read_name(client_reference_id, "client_reference_id")
        return pager.select(lambda row: normal_name(row.client_reference_id or "") == reference)

    @takes()
    def wait(
        self,
        id: Transfer | str,
        until: Until = TRANSFER.final,
        timeout: float = TIMEOUT,
        every: float = EVERY,
    ) -> Transfer:
        """Poll until the transfer is final, or until `until` holds.

        >>> lab.transfers.wait(transfer).status
        'completed'
        """
        patience = Patience(self._sender.sleep, self._sender.wait_shown, timeout, every)
        return patience.poll(lambda: self.get(id), until, "the transfer", TRANSFER.final)
