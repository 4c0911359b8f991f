"""The client: a sender with the service's operations on it."""

from __future__ import annotations

from functools import cached_property

from . import resources
from .sender import Sender


class Client(Sender):
    """The service: its operations by resource, and `request` for anything else."""

    @cached_property
    def individuals(self) -> resources.Individuals:
        """End users and recipients, and their verification."""
        return resources.Individuals(self)

    @cached_property
    def financial_accounts(self) -> resources.FinancialAccounts:
        """Payout destinations and crypto wallets."""
        return resources.FinancialAccounts(self)

    @cached_property
    def quotes(self) -> resources.Quotes:
        """Rates and fees, locked for a short while."""
        return resources.Quotes(self)

    @cached_property
    def transfers(self) -> resources.Transfers:
        """Payouts."""
        return resources.Transfers(self)

    @cached_property
    def conversion_accounts(self) -> resources.ConversionAccounts:
        """Where individuals pay in fiat."""
        return resources.ConversionAccounts(self)

    @cached_property
    def conversions(self) -> resources.Conversions:
        """Deposits on their way to becoming stablecoin."""
        return resources.Conversions(self)

    @cached_property
    def webhook_subscriptions(self) -> resources.WebhookSubscriptions:
        """Where events are sent."""
        return resources.WebhookSubscriptions(self)

    @cached_property
    def sandbox(self) -> resources.Sandbox:
        """What only the sandbox can do."""
        return resources.Sandbox(self)
