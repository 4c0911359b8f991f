"""Quotes, transfers, and the balances that pay for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from typing import Any, Unpack

from ...errors.arguments import explain_arguments
from ...errors.base import WaitTimeoutError
from ...errors.names import with_name_suggestions
from ...rules import transfers as rules
from ...rules.account_routes import find_route, narrow_problems
from ...spec import codes
from ...spec.models import BalanceList, FinancialAccount, Individual, Quote, Transfer
from ...spec.operations.field import CURRENCY, ENUM
from ...spec.operations.records import OPERATIONS
from ...spec.paging import Pager
from ...spec.status import TRANSFER
from ...spec.text import JsonObject
from ...spec.time_arguments import read_duration
from ..order_body import order_body
from ..orders import Order, OrderSender
from ..parameters import Account, build_body, raise_or_warn, strict_keywords
from ..payout_advice import advise_on_payout
from ..request import Options
from ..response import Response
from ..route_advice import name_choices
from . import operations
from .operations import POLL_SECONDS, WAIT_SECONDS, Poller, Until
from .resource_session import ResourceSession

Money = Decimal | str | int


@with_name_suggestions
@explain_arguments
class Quotes:
    """Rates and fees, locked for a short time."""

    def __init__(self, session: ResourceSession) -> None:
        """`session` sends the requests."""
        self._session = session
        self._asked_terms: dict[str, dict[str, Any]] = {}

    def terms(self, quote: Quote | str | None) -> Mapping[str, object] | None:
        """The fields with which a quote was asked for; None for the id of a quote from elsewhere.

        >>> lab.client.quotes.terms("qt_unknown") is None
        True
        """
        quote_id = getattr(quote, "id", quote)
        asked_terms = self._asked_terms.get(str(quote_id))
        if asked_terms is None and isinstance(quote, Quote):  # a quote from elsewhere
            return _find_terms(quote)
        return asked_terms

    @strict_keywords(Options)
    def again(self, quote: Quote, **options: Unpack[Options]) -> Quote:
        """A new quote with the same request, or with the terms of a quote from elsewhere.

        >>> lab.quotes.again(quote).source_amount == quote.source_amount
        True
        """
        asked_terms = self._asked_terms.get(quote.id)
        if asked_terms is None:
            return self.create(**_find_terms(quote), **options)
        return self._request_quote(asked_terms, options)

    @strict_keywords(Options)
    def create(  # noqa: PLR0913 - a field each
        self,
        financial_account: Account | None = None,
        *,
        financial_account_id: FinancialAccount | str | None = None,
        payout_method: codes.PayoutMethod | str | None = None,
        source_currency: codes.SourceCurrency | str | None = None,
        source_network: codes.Network | str | None = None,
        destination_currency: codes.DestinationCurrency | str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        extra: Mapping[str, object] | None = None,
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
        body = build_body(
            "quotes.create",
            extra,
            financial_account=financial_account,
            financial_account_id=financial_account_id,
            payout_method=payout_method,
            source_currency=source_currency,
            source_network=source_network,
            destination_currency=destination_currency,
            source_amount=source_amount,
            destination_amount=destination_amount,
            net_source_amount=net_source_amount,
        )
        service = self._session.service
        currency = body.get("destination_currency")
        read_route = partial(find_route, financial_account, currency, service)
        problems = [*rules.check_quote(body, service), *rules.check_rail(body, service)]
        warnings = rules.find_rail_warnings(body, service)
        raise_or_warn(narrow_problems(problems, read_route), warnings)
        with name_choices(read_route):
            return self._request_quote(body, options)

    def _request_quote(self, body: JsonObject, options: Options) -> Quote:
        """Request a quote, and remember its terms: the fields of the request and the defaults."""
        quote = self._session.call("quotes.create", body, **options).read(Quote)
        # Of the three amounts, only the one in the body was asked for.
        terms_left_out = {*rules.AMOUNTS}
        if "financial_account_id" in body:  # the body has the account under its id
            terms_left_out.add("financial_account")
        # A field with a default, such as the currency, counts as if it had been given.
        shown_terms = {
            term_name: term_value
            for term_name, term_value in _find_terms(quote).items()
            if term_name not in terms_left_out
        }
        self._asked_terms[quote.id] = {**shown_terms, **body}
        return quote


def _find_terms(quote: Quote) -> dict[str, Any]:
    """The fields that ask for a quote like this one, with one of its amounts."""
    amount_name = "destination_amount" if quote.derived_source_amount else "source_amount"
    term_names = (*OPERATIONS["quotes.create"].field_names_of_kind(CURRENCY, ENUM), amount_name)
    terms = {"financial_account": quote.financial_account_id}
    terms |= {term_name: getattr(quote, term_name) for term_name in term_names}
    return {
        term_name: term_value for term_name, term_value in terms.items() if term_value is not None
    }


@with_name_suggestions
@explain_arguments
class Transfers:
    """Payouts."""

    def __init__(
        self,
        session: ResourceSession,
        orders: OrderSender,
        terms: Callable[[Quote | str | None], Mapping[str, object] | None],
    ) -> None:
        """`orders` sends new transfers, and `terms` finds the terms of a quote."""
        self._session = session
        self._orders = orders
        self._find_quote_terms = terms

    @strict_keywords(Options)
    def create(  # noqa: PLR0913 - a field each
        self,
        financial_account: Account | None = None,
        *,
        quote_id: Quote | str | None = None,
        financial_account_id: FinancialAccount | str | None = None,
        payout_method: codes.PayoutMethod | str | None = None,
        source_currency: codes.SourceCurrency | str | None = None,
        source_network: codes.Network | str | None = None,
        source_type: codes.SourceType | str | None = None,
        destination_currency: codes.DestinationCurrency | str | None = None,
        source_amount: Money | None = None,
        destination_amount: Money | None = None,
        net_source_amount: Money | None = None,
        client_reference_id: str | None = None,
        extra: Mapping[str, object] | None = None,
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

        Orders are the same if all fields are, of a quote its terms, and `extra` if the service
        shows it; references are trimmed, and their case counts. A repetition has `replayed` true.
        `lookback="45 days"` reads the list before sending. After a 5xx its newest page is read
        before the order is sent again.
        `new="tr_1"` is another order of that name, which is paid once in 24 hours, or with
        `lookback=` also later; `new=True` has a random key, which a crash loses. Your own
        `idempotency_key` decides alone. `extra` sends fields that paylab does not know.

        >>> lab.transfers.create(quote_id=quote, client_reference_id="invoice-7").status
        'awaiting_funds'
        """
        body = build_body(
            "transfers.create",
            extra,
            financial_account=financial_account,
            quote_id=quote_id,
            financial_account_id=financial_account_id,
            payout_method=payout_method,
            source_currency=source_currency,
            source_network=source_network,
            source_type=source_type,
            destination_currency=destination_currency,
            source_amount=source_amount,
            destination_amount=destination_amount,
            net_source_amount=net_source_amount,
            client_reference_id=client_reference_id,
        )
        service = self._session.service
        sent_body = order_body("transfers.create", body, service)
        lookback_age = None if lookback is None else read_duration(lookback, "lookback")
        problems = [*rules.check(sent_body, service), *rules.check_rail(sent_body, service)]
        # A whole quote shows its terms, also if it was made elsewhere.
        quote_or_id = quote_id if isinstance(quote_id, Quote) else body.get("quote_id")
        quote_terms = self._find_quote_terms(quote_or_id)
        transfer_order = Order(
            "transfers.create",
            body,
            terms=quote_terms,
            new=new,
            lookback=lookback_age,
            body=sent_body,
        )
        currency = body.get("destination_currency")
        read_route = partial(find_route, financial_account, currency, service)
        warnings = rules.find_rail_warnings(sent_body, service)
        raise_or_warn(narrow_problems(problems, read_route), warnings)
        with name_choices(read_route):
            response = self.send(transfer_order, **options)
        return response.read(Transfer)

    @strict_keywords(Options)
    def send(self, order: Order, **options: Unpack[Options]) -> Response:
        """The response of an order whose fields were checked, with how it was found."""
        return self._orders.send(order, **options)

    @strict_keywords(Options)
    def get(self, id: Transfer | str, **options: Unpack[Options]) -> Transfer:
        """Read one transfer.

        >>> lab.transfers.get(transfer.id) == transfer
        True
        """
        return self._session.read("transfers.get", id, Transfer, options)

    @strict_keywords(Options)
    def list(  # noqa: PLR0913 - a filter each
        self,
        limit: int | None = None,
        product_type: codes.Product | str | None = None,
        cursor: str | None = None,
        *,
        status: codes.TransferStatus | str | Collection[str] | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        individual_id: Individual | str | None = None,
        client_reference_id: str | None = None,
        **options: Unpack[Options],
    ) -> Pager[Transfer]:
        """List all transfers, in pages of `limit`; `list()[:5]` are the first five.

        `status`, `since` and `until` (the times of creation from which and before which),
        `individual_id` (the recipient) and `client_reference_id` are applied while the list is
        read; the service filters by `product_type`.

        >>> lab.transfers.list(limit=5).first().source_currency
        'USD'
        >>> lab.transfers.list(status="failed").first().status
        'failed'
        """
        operations.check_limit(limit, self._session.service.list("transfers"))
        filters = {
            "product_type": product_type,
            "status": status,
            "since": since,
            "until": until,
            "individual_id": individual_id,
            "client_reference_id": client_reference_id,
        }
        return self._session.lists.pager("transfers", Transfer, options, limit, cursor, filters)

    @strict_keywords()
    def wait(
        self,
        id: Transfer | str,
        until: codes.TransferStatus | Until = TRANSFER.final,
        timeout: float = WAIT_SECONDS,
        every: float = POLL_SECONDS,
    ) -> Transfer:
        """Poll until the transfer is final, or until `until` holds.

        >>> lab.transfers.wait(transfer).status
        'completed'
        """
        poller = Poller.for_resource(self._session, "transfers", timeout, every)
        try:
            return poller.poll(lambda: self.get(id), until, "the transfer", final=TRANSFER.final)
        except WaitTimeoutError as error:
            error.hint = advise_on_payout(error.last, timeout) or error.hint
            raise


@with_name_suggestions
@explain_arguments
class Balances:
    """The prefunded balances of the account, of a service that has an operation for them."""

    def __init__(self, session: ResourceSession) -> None:
        """`session` sends the requests."""
        self._session = session

    @strict_keywords(Options)
    def get(self, **options: Unpack[Options]) -> BalanceList:
        """The balance of each currency. Assumption `balance.read`.

        >>> lab.client.balances.get()
        Traceback (most recent call last):
        paylab.errors.base.MissingOperationError: ...
        """
        response = self._session.call("balances.get", **options)
        if isinstance(response.body, list):  # without an object around it
            response = replace(response, body={"balances": response.body})
        return response.read(BalanceList)
