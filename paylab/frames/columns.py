"""The columns of each kind of object: names, kinds and paths."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..errors.base import ConfigError

Kind = Literal["text", "list", "word", "amount", "time", "seconds"]
Kept = Literal[
    "transfers",
    "conversions",
    "individuals",
    "conversion_accounts",
    "quotes",
    "events",
    "deliveries",
]


@dataclass(frozen=True)
class Column:
    """A flat column: its name, kind, and the dotted path of its field.

    A `*` in a path means every item of a list; the values are joined by commas.
    """

    name: str
    kind: Kind = "text"
    path: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the path."""
        return tuple((self.path or self.name).split("."))


@dataclass(frozen=True)
class Schema:
    """The columns of one kind of object."""

    name: Kept
    columns: tuple[Column, ...]
    is_flat: bool = True
    """Whether Arrow's reader can read the pages: it cannot if objects contain lists of objects."""
    is_list: bool = True
    """Whether the service lists these objects, so that each id stands for one row."""

    @property
    def names(self) -> list[str]:
        """The column names in order."""
        return [column.name for column in self.columns]

    def kind(self, name: str) -> Kind:
        """The kind of a column; text for an unknown name."""
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

INSTRUCTIONS = tuple(each for each in TRANSFERS.columns if each.name.startswith("deposit_inst"))

# Document numbers and account details are not in frames and files.
INDIVIDUALS = Schema(
    "individuals",
    (
        Column("id"),
        *(Column(name) for name in ("given_name", "family_name", "email", "phone")),
        Column("date_of_birth"),
        Column("country", "word"),
        Column("status", "word"),
        Column("status_codes", "list", "status_details.*.code"),
        Column("product_types", "list"),
        Column("document_type", "word", "document.type"),
        *(
            Column(f"address_{name}", path=f"address.{name}")
            for name in ("line_1", "line_2", "city", "state", "postal_code", "country")
        ),
        Column("financial_account_ids", "list", "financial_accounts.*.id"),
        Column("financial_account_types", "list", "financial_accounts.*.type"),
        Column("idv_consent_recorded_at", "time"),
        Column("created_at", "time"),
        Column("updated_at", "time"),
    ),
    is_flat=False,
)

CONVERSION_ACCOUNTS = Schema(
    "conversion_accounts",
    (
        Column("id"),
        Column("individual_id"),
        Column("client_reference_id"),
        Column("status", "word"),
        Column("source_currency", "word"),
        Column("destination_currency", "word"),
        Column("payout_account_id", path="payout_account.id"),
        Column("created_at", "time"),
        Column("updated_at", "time"),
        *INSTRUCTIONS,
    ),
    is_flat=False,
)

AMOUNTS = ("source_amount", "net_source_amount", "destination_amount", "exchange_rate")
QUOTES = Schema(
    "quotes",
    (
        Column("id"),
        *(Column(name, "amount") for name in (*AMOUNTS, "total_fee", "total_tax")),
        *(Column(name, "word") for name in ("source_currency", "source_network")),
        *(Column(name, "word") for name in ("destination_currency", "fee_currency")),
        *(Column(name, "word") for name in ("tax_currency", "payout_method")),
        Column("recipient_id"),
        Column("financial_account_id"),
        Column("created_at", "time"),
        Column("expires_at", "time"),
    ),
    is_flat=False,
    is_list=False,
)

EVENTS = Schema(
    "events",
    (
        Column("type", "word"),
        Column("id", path="payload.id"),
        Column("status", "word", "payload.status"),
        Column("client_reference_id", path="payload.client_reference_id"),
        *(Column(name, "amount", f"payload.{name}") for name in AMOUNTS),
        Column("source_currency", "word", "payload.source_currency"),
        Column("destination_currency", "word", "payload.destination_currency"),
        Column("failure_reason", path="payload.failure_reason"),
        Column("created_at", "time", "payload.created_at"),
        Column("updated_at", "time", "payload.updated_at"),
    ),
    is_flat=False,
    is_list=False,
)

DELIVERIES = Schema(
    "deliveries",
    (
        Column("id"),
        Column("event_type", "word"),
        Column("resource_id"),
        Column("url"),
        Column("attempt", "seconds"),
        Column("status", "seconds"),
        Column("error"),
        Column("created_at", "time", "at"),
    ),
    is_flat=False,
    is_list=False,
)

SCHEMAS: dict[str, Schema] = {
    schema.name: schema
    for schema in (
        *(TRANSFERS, CONVERSIONS, INDIVIDUALS, CONVERSION_ACCOUNTS),
        *(QUOTES, EVENTS, DELIVERIES),
    )
}


def schema_of(kind: str) -> Schema:
    """The schema of a kind; ConfigError lists the kinds."""
    if kind not in SCHEMAS:
        raise ConfigError(f"kind is {kind!r}: it must be one of {', '.join(SCHEMAS)}")
    return SCHEMAS[kind]


def likeliest(names: Iterable[str]) -> Schema:
    """The schema that has most of these names."""
    known = set(names)
    return max(SCHEMAS.values(), key=lambda schema: len(known & set(schema.names)))
