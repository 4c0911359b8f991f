"""Quotes and transfers."""

from __future__ import annotations

from typing import Any

from ...models import FinancialAccount, Quote, Transfer
from ...paging import Pager
from ...rules import transfers as rules
from ...status import TRANSFER
from .. import wire
from ..http import Sender
from . import listing
from .references import reference
from .waiting import EVERY, TIMEOUT, Patience, Until

Account = FinancialAccount | str | dict[str, Any]

QUOTE = (
    *("financial_account", "financial_account_id", "payout_method"),
    *("source_currency", "source_network", "destination_currency"),
    *("source_amount", "destination_amount", "net_source_amount"),
)
TRANSFER_FIELDS = (*QUOTE, "quote_id", "client_reference_id", "source_type")


class Quotes:
    """Rates and fees, locked for a short while."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(self, financial_account: Account | None = None, **fields: Any) -> Quote:
        """Ask for a quote.

        payout_method, destination_currency, source_currency, source_network, and one of
        source_amount, destination_amount, net_source_amount.
        """
        given = {"financial_account": reference(financial_account), **fields}
        body = wire.fields(given, QUOTE)
        wire.refuse(rules.check_quote(body))
        return self._sender.send("POST", wire.path("quotes"), json=body).read(Quote)


class Transfers:
    """Payouts."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def create(
        self,
        financial_account: Account | None = None,
        *,
        idempotency_key: str | None = None,
        new: bool = False,
        **fields: Any,
    ) -> Transfer:
        """Create a transfer; the same key and body again gives the same transfer.

        The same cell or call site with the same body keeps its key; `new=True` pays again.

        quote_id, or payout_method, source_currency, destination_currency and one amount;
        client_reference_id, source_network, source_type.
        """
        given = {"financial_account": reference(financial_account), **fields}
        body = wire.fields(given, TRANSFER_FIELDS)
        wire.refuse(rules.check(body))
        wire.caution(rules.warn(body))
        path = wire.path("transfers")
        return self._sender.once(path, body, idempotency_key, new=new).read(Transfer)

    def get(self, id: str) -> Transfer:  # noqa: A002 - the service's word
        """Read one transfer."""
        return self._sender.send("GET", wire.path("transfers", id)).read(Transfer)

    def list(
        self,
        limit: int | None = None,
        product_type: str | None = None,
        cursor: str | None = None,
    ) -> Pager[Transfer]:
        """List transfers, newest first."""
        listing.check(limit, product_type)
        params = {"limit": limit, "product_type": product_type}
        return listing.pager(self._sender, wire.path("transfers"), Transfer, params, cursor)

    def wait(
        self,
        id: str,  # noqa: A002
        until: Until = TRANSFER.final,
        timeout: float = TIMEOUT,
        every: float = EVERY,
    ) -> Transfer:
        """Ask again until the transfer is final, or until `until` holds."""
        patience = Patience(self._sender.sleep, timeout, every)
        return patience.poll(lambda: self.get(id), until, "the transfer", TRANSFER.final)
