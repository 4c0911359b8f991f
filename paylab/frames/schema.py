"""The flat columns of a transfer and of a conversion, always all of them, always in this order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "list", "word", "amount", "time", "seconds"]
Kept = Literal["transfers", "conversions"]


@dataclass(frozen=True)
class Column:
    """A flat column: its name, what it holds, and the dotted path of the field it comes from."""

    name: str
    kind: Kind = "text"
    path: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that lead from the service's object to the value."""
        return tuple((self.path or self.name).split("."))


@dataclass(frozen=True)
class Schema:
    """The columns of one kind of object."""

    name: Kept
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """The column names in order."""
        return [column.name for column in self.columns]

    def kind(self, name: str) -> Kind:
        """What a column holds: text when the name is not one of ours."""
        return next((column.kind for column in self.columns if column.name == name), "text")


TRANSFERS = Schema(
    "transfers",
    (
        Column("id"),
        Column("client_reference_id"),
        Column("source_amount", "amount"),
        Column("source_currency", "word"),
        Column("destination_amount", "amount"),
        Column("destination_currency", "word"),
        Column("exchange_rate", "amount"),
        Column("recipient_id"),
        Column("financial_account_id"),
        Column("payout_method", "word"),
        Column("status", "word"),
        Column("total_fee", "amount"),
        Column("fee_currency", "word"),
        Column("total_tax", "amount"),
        Column("tax_currency", "word"),
        Column("net_source_amount", "amount"),
        Column("completed_in", "seconds"),
        Column("created_at", "time"),
        Column("updated_at", "time"),
        Column("failure_reason"),
        Column("settlement_reference_id"),
        Column("deposit_instructions_type", "word", "deposit_instructions.type"),
        Column("deposit_instructions_currency", "word", "deposit_instructions.currency"),
        Column(
            "deposit_instructions_payment_methods", "list", "deposit_instructions.payment_methods"
        ),
        Column("deposit_instructions_deadline", "time", "deposit_instructions.deadline"),
        Column("deposit_instructions_address", path="deposit_instructions.details.address"),
        Column("deposit_instructions_clabe", path="deposit_instructions.details.clabe"),
        Column(
            "deposit_instructions_qrph_payload", path="deposit_instructions.details.qrph_payload"
        ),
    ),
)

CONVERSIONS = Schema(
    "conversions",
    (
        Column("id"),
        Column("conversion_account_id"),
        Column("individual_id"),
        Column("status", "word"),
        Column("deposit_amount", "amount", "deposit.amount"),
        Column("deposit_currency", "word", "deposit.currency"),
        Column("deposit_received_at", "time", "deposit.received_at"),
        Column("payout_amount", "amount", "payout.amount"),
        Column("payout_currency", "word", "payout.currency"),
        Column("payout_account_id", path="payout.payout_account_id"),
        Column("payout_tx_hash", path="payout.tx_hash"),
        Column("payout_initiated_at", "time", "payout.initiated_at"),
        Column("payout_completed_at", "time", "payout.completed_at"),
        Column("total_fee", "amount"),
        Column("fee_currency", "word"),
        Column("exchange_rate", "amount"),
        Column("created_at", "time"),
        Column("updated_at", "time"),
    ),
)

SCHEMAS: dict[str, Schema] = {schema.name: schema for schema in (TRANSFERS, CONVERSIONS)}


def likeliest(names: Iterable[str]) -> Schema:
    """The schema that shares most of these names."""
    known = set(names)
    return max(SCHEMAS.values(), key=lambda schema: len(known & set(schema.names)))
