"""The client: the operations of the service by resource, over one sender."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, Unpack

from ..errors.arguments import explain_arguments
from ..errors.base import PaylabError
from ..spec.operations.records import IDEMPOTENT
from ..spec.service.service import Service
from .new_orders import NewOrders
from .orders import OrderSender
from .request import Options
from .response import Response
from .sender import Sender

if TYPE_CHECKING:
    from .resources.conversions import ConversionAccounts, Conversions, Sandbox
    from .resources.individuals import FinancialAccounts, Individuals
    from .resources.transfers import Quotes, Transfers
    from .resources.webhooks import WebhookSubscriptions
    from .settings import Settings


ANSWER_SECONDS = 2.0
"""How long an answer is waited for that only tells the time."""


@explain_arguments
class Client(Sender):
    """The service: its operations by resource, and `request` for anything else.

    `orders` makes what sends the orders of this client; by default each is a new one.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        orders: Callable[[Client], OrderSender] = NewOrders,
        **options: Any,
    ) -> None:
        super().__init__(settings, **options)
        self._make_orders = orders

    @cached_property
    def orders(self) -> OrderSender:
        """Sends POSTs that must not happen twice."""
        return self._make_orders(self)

    def send(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> Response:
        """Send a request, with retries where safe, and read its answer or raise an error."""
        request = self.requests.path(method, path, json, params, options)
        is_order = request.method == "POST" and request.operation in IDEMPOTENT
        if is_order and request.idempotency_key is None:
            return self.orders.send_raw(request, json)
        return self.deliver(request)

    def with_service(self, service: Service) -> Self:
        """A client of the same address, keys, clock and calls that follows another service.

        Each of its orders is a new one, and it asks nothing on its own when a signature is refused.
        """
        return type(self)(
            replace(self.settings, service=service),
            transport=self._transport,
            clock=self.clock,
            sleep=self.sleep,
            random=self.random,
            perf=self._perf,
            watchers=self.watchers,
            calls=self.calls,
            tries_dialects=False,
            fresh_ids=self.fresh_ids,
            service_clock=self.service_clock,
        )

    def ask_time(self) -> None:
        """Send a GET if no answer had a Date yet, so that the time at the service is known."""
        for _ in range(2):  # the first one may meet a connection that was closed
            if self.service_clock.is_known:
                return
            with suppress(PaylabError):
                options: Options = {"timeout": ANSWER_SECONDS}
                self._attempt(self.requests.operation("transfers.list", options=options))

    # The resources are made when they are first used: their models take long to import.

    @cached_property
    def individuals(self) -> Individuals:
        """Individuals and their verification."""
        from .resources.individuals import Individuals

        return Individuals(self)

    @cached_property
    def financial_accounts(self) -> FinancialAccounts:
        """Payout destinations and crypto wallets of individuals."""
        from .resources.individuals import FinancialAccounts

        return FinancialAccounts(self)

    @cached_property
    def quotes(self) -> Quotes:
        """Rates and fees, locked for a short time."""
        from .resources.transfers import Quotes

        return Quotes(self)

    @cached_property
    def transfers(self) -> Transfers:
        """Payouts."""
        from .resources.transfers import Transfers

        return Transfers(self, self.orders, self.quotes.terms)

    @cached_property
    def conversion_accounts(self) -> ConversionAccounts:
        """Accounts into which individuals pay fiat."""
        from .resources.conversions import ConversionAccounts

        return ConversionAccounts(self, self.orders)

    @cached_property
    def conversions(self) -> Conversions:
        """Conversions of fiat deposits to stablecoin."""
        from .resources.conversions import Conversions

        return Conversions(self)

    @cached_property
    def sandbox(self) -> Sandbox:
        """Simulated deposits, in a sandbox only."""
        from .resources.conversions import Sandbox

        return Sandbox(self)

    @cached_property
    def webhook_subscriptions(self) -> WebhookSubscriptions:
        """URLs that receive events."""
        from .resources.webhooks import WebhookSubscriptions

        return WebhookSubscriptions(self)
