"""The client: the operations of the service by resource, over one sender."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Self

from ..spec.service import Service
from .order_sending import OrderSending
from .resources.conversions import ConversionAccounts, Conversions, Sandbox
from .resources.individuals import FinancialAccounts, Individuals
from .resources.transfers import Quotes, Transfers
from .resources.webhooks import WebhookSubscriptions
from .sender import Sender


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

    individuals = cached_property(Individuals)
    financial_accounts = cached_property(FinancialAccounts)
    quotes = cached_property(Quotes)
    conversions = cached_property(Conversions)
    webhook_subscriptions = cached_property(WebhookSubscriptions)
    sandbox = cached_property(Sandbox)

    @cached_property
    def transfers(self) -> Transfers:
        """Payouts."""
        return Transfers(self, OrderSending(self).once)

    @cached_property
    def conversion_accounts(self) -> ConversionAccounts:
        """Accounts into which individuals pay fiat."""
        return ConversionAccounts(self, OrderSending(self).once)
