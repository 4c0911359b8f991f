"""Quotes and transfers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Unpack

from ...errors.names import suggesting
from ...rules import transfers as rules
from ...spec import codes
from ...spec.models import FinancialAccount, Quote, Transfer
from ...spec.operations.field import CURRENCY, ENUM
from ...spec.operations.records import OPERATIONS
from ...spec.paging import Pager
from ...spec.status import TRANSFER
from ..parameters import Account, body_of, judge, takes
from ..request import Options
from ..response import Response
from ..sender import Sender
from . import operations
from .operations import EVERY, TIMEOUT, Patience, Until

Money = Decimal | str | int


@suggesting
class Quotes:
    """Rates and fees, locked for a short time."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._asked: dict[str, dict[str, Any]] = {}

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
        self._asked[quote.id] = body
        self._sender.keeper.note_quote(quote.id, body)
        return quote


def _terms(quote: Quote) -> dict[str, Any]:
    """The request terms of a quote."""
    given = "destination_amount" if quote.derived_source_amount else "source_amount"
    names = (*OPERATIONS["quotes.create"].of_kind(CURRENCY, ENUM), given)
    account = {"financial_account": quote.financial_account_id}
    return {**account, **{name: getattr(quote, name) for name in names}}


@suggesting
class Transfers:
    """Payouts."""

    def __init__(self, sender: Sender, once: Callable[..., Response]) -> None:
        self._sender, self._once = sender, once

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
        new: bool = False,
        **options: Unpack[Options],
    ) -> Transfer:
        """Create a transfer from a quote, or from an account, a rail, currencies and one amount.

        Two requests to create a payment are the same order when they ask for the same thing at the
        same address: equal values in every field, `client_reference_id` included. The same order
        is paid once in 24 hours, whoever asks: another cell, thread, process or script with this
        ledger, another spelling, another API key. A different `client_reference_id` makes a
        different order; `new=True` makes another payment on purpose.

        A repeated order returns the same transfer, with `replayed` true. `extra` sends fields that
        paylab does not know.

        >>> lab.transfers.create(quote_id=quote, client_reference_id="invoice-7").status
        'awaiting_funds'
        """
        body = body_of("transfers.create", locals(), extra)
        service = self._sender.service
        judge(rules.check(body, service), rules.warn(body, service))
        return self.send(body, new=new, **options).read(Transfer)

    @takes(Options)
    def send(
        self,
        body: dict[str, Any],
        *,
        new: bool = False,
        make: Callable[[], str] | None = None,
        in_batch: bool = False,
        **options: Unpack[Options],
    ) -> Response:
        """The response of an order whose body was checked, with how it was found.

        `make` creates its key. In a batch, a reference names one payment for good.
        """
        return self._once(
            "transfers.create",
            body,
            new=new,
            listed=partial(self.list, limit=codes.PAGE_MAX),
            make=make,
            in_batch=in_batch,
            **options,
        )

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
        **options: Unpack[Options],
    ) -> Pager[Transfer]:
        """List transfers; `limit` is the size of a page.

        >>> lab.transfers.list(limit=5).first().source_currency
        'USD'
        """
        operations.check(limit, self._sender.service.list("transfers"), product_type)
        filters = {"product_type": product_type}
        return self._sender.pager("transfers", Transfer, options, limit, cursor, filters)

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
