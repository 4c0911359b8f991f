"""Quotes and transfers."""

from __future__ import annotations

from typing import Any

from pydantic import StrictBool

from .resource import Instant, Money, Resource


class DepositInstructions(Resource):
    """Where and how to pay in; `details` depends on `type`."""

    type: str | None = None
    currency: str | None = None
    payment_methods: list[str] | None = None
    details: dict[str, Any] | None = None
    deadline: Instant | None = None


class Quote(Resource):
    """A rate and its fees, locked until `expires_at`."""

    id: str = ""
    source_amount: Money | None = None
    source_currency: str | None = None
    source_network: str | None = None
    derived_source_amount: StrictBool | None = None
    net_source_amount: Money | None = None
    destination_amount: Money | None = None
    destination_currency: str | None = None
    exchange_rate: Money | None = None
    total_fee: Money | None = None
    fee_currency: str | None = None
    total_tax: Money | None = None
    tax_currency: str | None = None
    payout_method: str | None = None
    financial_account_id: str | None = None
    recipient_id: str | None = None
    expires_at: Instant | None = None
    created_at: Instant | None = None


class Transfer(Resource):
    """A payout to a recipient's financial account."""

    id: str = ""
    client_reference_id: str | None = None
    source_amount: Money | None = None
    source_currency: str | None = None
    destination_amount: Money | None = None
    destination_currency: str | None = None
    exchange_rate: Money | None = None
    recipient_id: str | None = None
    financial_account_id: str | None = None
    payout_method: str | None = None
    status: str | None = None
    total_fee: Money | None = None
    fee_currency: str | None = None
    total_tax: Money | None = None
    tax_currency: str | None = None
    net_source_amount: Money | None = None
    completed_in: str | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    failure_reason: str | None = None
    settlement_reference_id: str | None = None
    deposit_instructions: DepositInstructions | None = None
