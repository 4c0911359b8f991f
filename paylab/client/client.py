"""The client: the operations of the service by resource, over one sender."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from ..spec.service import Service
from .order_sending import OrderSending
from .sender import Sender

if TYPE_CHECKING:
    from .resources.conversions import ConversionAccounts, Conversions, Sandbox
    from .resources.individuals import FinancialAccounts, Individuals
    from .resources.transfers import Quotes, Transfers
    from .resources.webhooks import WebhookSubscriptions


class Client(Sender):
    """The service: its operations by resource, and `request` for anything else."""

    def with_service(self, service: Service) -> Self:
        """A client of the same address, keys, clock and calls that follows another service.

        It has no order ledger, and asks nothing on its own when a signature is refused.
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
        )

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

        return Transfers(self, OrderSending(self).once)

    @cached_property
    def conversion_accounts(self) -> ConversionAccounts:
        """Accounts into which individuals pay fiat."""
        from .resources.conversions import ConversionAccounts

        return ConversionAccounts(self, OrderSending(self).once)

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
