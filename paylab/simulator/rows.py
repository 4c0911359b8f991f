"""The rows of a world as pydantic models. A snapshot is checked by them before it is loaded."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..spec import codes, money
from ..spec.status import MACHINES
from . import balances, fault_kinds
from .row_fields import (
    COUNT_MAX,
    Count,
    Currency,
    Id,
    Number,
    Object,
    Product,
    Record,
    Text,
    Time,
    TimestampedRow,
    Values,
    Word,
    make_choice_validator,
    make_validator,
    nested_field,
)
from .table import INTERNALS


class Terms(Values):
    """Amounts, currencies and account of a payout."""

    source_amount: Text
    source_currency: Currency
    destination_amount: Text
    destination_currency: Currency
    exchange_rate: Text
    total_fee: Text
    fee_currency: Currency
    total_tax: Text
    tax_currency: Currency
    net_source_amount: Text
    payout_method: Text
    recipient_id: Id
    financial_account_id: Id


class StatusDetailRow(Values):
    """A detail of an individual's status."""

    code: Text
    message: Text


class DepositInstructionsRow(Values):
    """Where to pay."""

    type: Annotated[Text, make_choice_validator(codes.DEPOSIT_INSTRUCTION_TYPES)]
    details: Object


class IndividualRow(TimestampedRow):
    """A row of `individuals`."""

    given_name: Text
    family_name: Text
    country: Text
    email: Text | None = None
    phone: Text | None = None
    date_of_birth: Text | None = None
    idv_consent_recorded_at: Text | None = None
    address: Object
    status: Word
    product_types: list[Product]
    document: Object | None
    status_details: list[StatusDetailRow] | None
    accounts: list[Id] = nested_field(INTERNALS, "accounts")
    images: dict[Any, Object] = nested_field(INTERNALS, "images")
    specimens: Object = nested_field(INTERNALS, "specimens", default={})
    outcomes: list[Text] = nested_field(INTERNALS, "outcomes", default=[])
    attempts: Count = nested_field(INTERNALS, "attempts", default=0)


class FinancialAccountRow(TimestampedRow):
    """A row of `financial_accounts`; a wallet needs its network."""

    type: Annotated[Text, make_choice_validator(codes.ACCOUNT_TYPES)]
    details: Object
    owner: Id = nested_field(INTERNALS, "owner")

    @model_validator(mode="after")
    def _require_network(self) -> FinancialAccountRow:
        """ValueError for a crypto wallet without its network."""
        network = self.details.get("network")
        if self.type == codes.CRYPTO_WALLET and not isinstance(network, str):
            raise ValueError("details.network must be text")
        return self


class QuoteRow(Record, Terms):
    """A row of `quotes`."""

    created_at: Time
    expires_at: Time
    derived_source_amount: bool
    source_network: Text | None
    used: bool = nested_field(INTERNALS, "used")


class TransferRow(TimestampedRow, Terms):
    """A row of `transfers`; one that is under way has the time of its start."""

    status: Word
    client_reference_id: Text | None
    completed_in: Text | None
    failure_reason: Text | None
    settlement_reference_id: Text | None
    deposit_instructions: DepositInstructionsRow | None = None
    product: Product = nested_field(INTERNALS, "product")
    source_type: Text = nested_field(INTERNALS, "source_type")
    outcome: Text | None = nested_field(INTERNALS, "outcome")
    started_at: Time | None = nested_field(INTERNALS, "started_at", default=None)

    @model_validator(mode="after")
    def _require_start(self) -> TransferRow:
        """ValueError for a transfer under way without the time when it was funded."""
        if self.status in ("started", "under_review") and self.started_at is None:
            raise ValueError("_.started_at is missing")
        return self


class ConversionAccountRow(TimestampedRow):
    """A row of `conversion_accounts`."""

    individual_id: Id
    source_currency: Annotated[Text, make_choice_validator(codes.ON_RAMP_CURRENCIES)]
    destination_currency: Annotated[Text, make_choice_validator(codes.STABLECOINS)]
    status: Word
    client_reference_id: Text | None = None
    deposit_instructions: DepositInstructionsRow | None = None
    payout_account_id: Id = nested_field(INTERNALS, "payout_account_id")


class DepositRow(Record):
    """A row of `deposits`."""

    created_at: Time
    conversion_account_id: Id
    amount: Text
    currency: Currency
    sender_name: Text
    internal: Object = Field(alias="_")


class ConversionRow(TimestampedRow):
    """A row of `conversions`."""

    conversion_account_id: Id
    individual_id: Id
    status: Word
    deposit_amount: Text = nested_field("deposit", "amount")
    deposit_currency: Currency = nested_field("deposit", "currency")
    received_at: Time = nested_field("deposit", "received_at")
    payout_amount: Text = nested_field("payout", "amount")
    payout_currency: Currency = nested_field("payout", "currency")
    payout_account_id: Id = nested_field("payout", "payout_account_id")
    tx_hash: Text | None = nested_field("payout", "tx_hash")
    initiated_at: Time | None = nested_field("payout", "initiated_at")
    completed_at: Time | None = nested_field("payout", "completed_at")
    total_fee: Text
    fee_currency: Currency
    exchange_rate: Text
    network: Text = nested_field(INTERNALS, "network")


class SubscriptionRow(TimestampedRow):
    """A row of `webhook_subscriptions`."""

    url: Text
    event_types: list[Word]
    is_active: bool
    internal: Object = Field(alias="_")


class EventRow(Record):
    """A row of `events`."""

    created_at: Time
    at: Time
    event_type: Word
    resource_id: Text
    delivered_type: Word = nested_field("body", "event_type")
    payload: Object = nested_field("body", "event_payload")


class QueuedEventRow(Record):
    """A row of `outbox`."""

    created_at: Time
    due: Time
    url: Text
    lane: Text
    resource_id: Text
    subscription_id: Id
    event_id: Id | None = None
    event_type: Word
    body: Annotated[
        Text,
        make_validator("JSON text of an object", lambda text: isinstance(json.loads(text), dict)),
    ]
    attempt: Annotated[int, Field(ge=1, le=COUNT_MAX)]
    rank: Number


class AttemptRow(Record):
    """A row of `deliveries`."""

    created_at: Time
    at: Time
    resource_id: Text
    url: Text
    event_type: Word
    body: Object
    attempt: Annotated[int, Field(ge=1, le=COUNT_MAX)]
    status: Annotated[int, Field(ge=100, le=999)] | None
    error: Text | None
    headers: dict[Text, Text] = Field(default_factory=dict)
    event_id: Id | None = nested_field(INTERNALS, "event_id", default=None)
    subscription_id: Id | None = nested_field(INTERNALS, "subscription_id", default=None)


class FaultRow(Record):
    """A row of `faults`: what the control API takes, and how often it struck."""

    left: Count
    drawn: Count

    @model_validator(mode="before")
    @classmethod
    def _check_fault(cls, fault_row: object) -> Any:
        """Check the details as the control API does, and that none is missing."""
        if not isinstance(fault_row, dict):
            return fault_row
        fault_details = {
            detail_name: fault_row[detail_name]
            for detail_name in {*fault_kinds.FAULT_DETAILS, "kind"} & fault_row.keys()
        }
        mistakes = [str(problem) for problem in fault_kinds.check_fault(fault_details)]
        for detail_name in fault_kinds.DETAIL_DEFAULTS:
            is_optional = detail_name == "status" and fault_row.get("kind") == "custom"
            if fault_row.get(detail_name) is None and not is_optional:
                mistakes.append(f"{detail_name} is missing")
        if mistakes:
            raise ValueError("; ".join(mistakes))
        return fault_row


class IdempotencyRow(Record):
    """A row of `idempotency`: the stored answer of a key."""

    digest: Annotated[Text, make_validator("64 hex digits", re.compile(r"[0-9a-f]{64}").fullmatch)]
    status: Annotated[int, Field(ge=200, le=299)]
    until: Time
    body: Annotated[
        Text, make_validator("Base64", lambda text: b64decode(text, validate=True) is not None)
    ]


class TimerRow(Record):
    """A row of `timers`: the planned step of another row."""

    due: Time
    kind: Annotated[Text, make_choice_validator(MACHINES)]
    step: Text


class BalanceRow(Record):
    """A row of `balances`, by currency."""

    id: Annotated[Text, make_choice_validator(balances.BALANCE_CURRENCIES)]
    amount: Annotated[
        Text, make_validator("an amount", lambda text: money.read_amount(text) is not None)
    ]


class CoinReturnRow(TimestampedRow):
    """A row of `coin_returns`: the stablecoins of a failed transfer."""

    transfer_id: Id
    individual_id: Id
    financial_account_id: Id
    amount: Text
    currency: Currency
    network: Text
    address: Text | None
    tx_hash: Text


class Tables(BaseModel):
    """The tables of a world."""

    model_config = ConfigDict(strict=True, extra="forbid")

    individuals: list[IndividualRow] = []
    financial_accounts: list[FinancialAccountRow] = []
    quotes: list[QuoteRow] = []
    transfers: list[TransferRow] = []
    conversion_accounts: list[ConversionAccountRow] = []
    deposits: list[DepositRow] = []
    conversions: list[ConversionRow] = []
    webhook_subscriptions: list[SubscriptionRow] = []
    events: list[EventRow] = []
    images: list[Record] = []
    outbox: list[QueuedEventRow] = []
    deliveries: list[AttemptRow] = []
    faults: list[FaultRow] = []
    idempotency: list[IdempotencyRow] = []
    timers: list[TimerRow] = []
    balances: list[BalanceRow] = []
    coin_returns: list[CoinReturnRow] = []
