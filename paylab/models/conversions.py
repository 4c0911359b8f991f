"""Conversion accounts, the deposits they receive and the conversions these become."""

from __future__ import annotations

from .individuals import FinancialAccount
from .resource import Instant, Money, Resource
from .transfers import DepositInstructions


class ConversionDeposit(Resource):
    """The fiat that came in."""

    amount: Money | None = None
    currency: str | None = None
    received_at: Instant | None = None


class ConversionPayout(Resource):
    """The stablecoin that goes out; the last three fields are None until they happen."""

    amount: Money | None = None
    currency: str | None = None
    payout_account_id: str | None = None
    tx_hash: str | None = None
    initiated_at: Instant | None = None
    completed_at: Instant | None = None


class Conversion(Resource):
    """One fiat deposit on its way to becoming stablecoin."""

    id: str = ""
    conversion_account_id: str | None = None
    individual_id: str | None = None
    status: str | None = None
    deposit: ConversionDeposit | None = None
    payout: ConversionPayout | None = None
    total_fee: Money | None = None
    fee_currency: str | None = None
    exchange_rate: Money | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class ConversionAccount(Resource):
    """Where an individual pays in fiat that is converted to their crypto wallet."""

    id: str = ""
    individual_id: str | None = None
    client_reference_id: str | None = None
    status: str | None = None
    source_currency: str | None = None
    destination_currency: str | None = None
    payout_account: FinancialAccount | None = None
    deposit_instructions: DepositInstructions | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None


class Deposit(Resource):
    """A simulated fiat deposit, which exists in the sandbox only."""

    id: str = ""
    conversion_account_id: str | None = None
    amount: Money | None = None
    currency: str | None = None
    sender_name: str | None = None
    created_at: Instant | None = None
