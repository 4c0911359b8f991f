"""The client: the operations of the service by resource, over one sender."""

from __future__ import annotations

from functools import cached_property

from .resources.conversions import ConversionAccounts, Conversions, Sandbox
from .resources.individuals import FinancialAccounts, Individuals
from .resources.transfers import Quotes, Transfers
from .resources.webhooks import WebhookSubscriptions
from .sender import Sender


class Client(Sender):
    """The service: its operations by resource, and `request` for anything else."""

    @cached_property
    def individuals(self) -> Individuals:
        """End users and recipients, and their verification."""
        return Individuals(self)

    @cached_property
    def financial_accounts(self) -> FinancialAccounts:
        """Payout destinations and crypto wallets."""
        return FinancialAccounts(self)

    @cached_property
    def quotes(self) -> Quotes:
        """Rates and fees, locked for a short while."""
        return Quotes(self)

    @cached_property
    def transfers(self) -> Transfers:
        """Payouts."""
        return Transfers(self)

    @cached_property
    def conversion_accounts(self) -> ConversionAccounts:
        """Accounts into which individuals pay fiat."""
        return ConversionAccounts(self)

    @cached_property
    def conversions(self) -> Conversions:
        """Deposits that are converted to stablecoin."""
        return Conversions(self)

    @cached_property
    def webhook_subscriptions(self) -> WebhookSubscriptions:
        """Where events are sent."""
        return WebhookSubscriptions(self)

    @cached_property
    def sandbox(self) -> Sandbox:
        """Operations of the sandbox only."""
        return Sandbox(self)
