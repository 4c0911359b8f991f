"""What answers have in their fields beyond the types of the models: presence, words and sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from . import codes
from .operations.field import SPEC


@dataclass(frozen=True)
class Words:
    """The words of a field: of the spec, and of the setting `key`; others may come if `is_open`."""

    words: tuple[str, ...] = ()
    key: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class AnswerForm:
    """How a model comes in answers.

    `always` are the fields of every answer, `nullable` those of them that are null without a
    value. `words` are the enumerations by field. `source` is where the fields are stated, and
    `assumed` are the fields with another source.
    """

    always: tuple[str, ...]
    nullable: tuple[str, ...] = ()
    words: Mapping[str, Words] = field(default_factory=dict)
    source: str = SPEC
    assumed: Mapping[str, str] = field(default_factory=dict)


_STAMPS = ("created_at", "updated_at")
_COINS = Words(tuple(sorted(codes.STABLECOINS)))
_COUNTRY = Words(codes.COUNTRIES)
_TERMS = (
    "source_amount", "source_currency", "net_source_amount", "destination_amount",
    "destination_currency", "exchange_rate", "total_fee", "fee_currency", "total_tax",
    "tax_currency", "payout_method", "financial_account_id", "recipient_id",
)  # fmt: skip
_TERM_WORDS = {
    "source_currency": Words(codes.SOURCE_CURRENCIES),
    "destination_currency": Words(codes.DESTINATION_CURRENCIES),
    "payout_method": Words(codes.PAYOUT_METHODS),
}
_STATUS = Words(codes.INDIVIDUAL_STATUSES, "statuses.individuals")

ANSWERS: Mapping[str, AnswerForm] = {
    "Address": AnswerForm(("country",), words={"country": _COUNTRY}),
    "Document": AnswerForm(("type",), words={"type": Words(codes.DOCUMENT_TYPES)}),
    "StatusDetail": AnswerForm(
        ("code", "message"),
        words={"code": Words(codes.STATUS_DETAIL_CODES, "statuses.detail_codes", is_open=True)},
    ),
    "FinancialAccount": AnswerForm(
        ("id", "type", "details", *_STAMPS), words={"type": Words(codes.ACCOUNT_TYPES)}
    ),
    "Individual": AnswerForm(
        (
            *("id", "given_name", "family_name", "address", "country", "status"),
            *("product_types", "financial_accounts", *_STAMPS),
        ),
        words={
            "country": _COUNTRY,
            "status": _STATUS,
            "product_types": Words(codes.PRODUCTS),
        },
    ),
    "StatusChange": AnswerForm(
        ("id", "status", "previous_status", "updated_at"),
        words={"status": _STATUS, "previous_status": _STATUS},
    ),
    "VerificationImage": AnswerForm(
        ("id", "type", "content_type", *_STAMPS),
        words={"type": Words(codes.IMAGE_SIDES), "content_type": Words(codes.IMAGE_TYPES)},
    ),
    "DepositInstructions": AnswerForm(
        ("type", "currency", "payment_methods", "details"),
        words={"type": Words(codes.DEPOSIT_INSTRUCTION_TYPES)},
    ),
    "Quote": AnswerForm(
        (
            *("id", *_TERMS, "source_network", "derived_source_amount"),
            *("expires_at", "created_at"),
        ),
        nullable=("source_network",),
        words=_TERM_WORDS,
        source="quote.operation",
    ),
    "Transfer": AnswerForm(
        (
            *("id", "client_reference_id", *_TERMS, "status", "completed_in"),
            *("failure_reason", "settlement_reference_id", *_STAMPS),
        ),
        nullable=(
            *("client_reference_id", "completed_in", "failure_reason"),
            "settlement_reference_id",
        ),
        words={**_TERM_WORDS, "status": Words(codes.TRANSFER_STATUSES, "statuses.transfers")},
    ),
    "ConversionPayout": AnswerForm(
        ("amount", "currency", "payout_account_id", "tx_hash", "initiated_at", "completed_at"),
        nullable=("tx_hash", "initiated_at", "completed_at"),
    ),
    "Conversion": AnswerForm(
        (
            *("id", "conversion_account_id", "individual_id", "status", "deposit", "payout"),
            *("total_fee", "fee_currency", "exchange_rate", *_STAMPS),
        ),
        words={"status": Words(codes.CONVERSION_STATUSES, "statuses.conversions")},
    ),
    "ConversionAccount": AnswerForm(
        (
            *("id", "individual_id", "status", "source_currency", "destination_currency"),
            *("payout_account", *_STAMPS),
        ),
        words={
            "status": Words(
                codes.CONVERSION_ACCOUNT_STATUSES[:2], "statuses.conversion_accounts", is_open=True
            ),
            "source_currency": Words(tuple(codes.ON_RAMP.values())),
            "destination_currency": _COINS,
        },
        assumed=dict.fromkeys(
            ("individual_id", "client_reference_id", "destination_currency", *_STAMPS), "ca.create"
        ),
    ),
    "Deposit": AnswerForm(
        ("id", "conversion_account_id", "amount", "currency", "sender_name", "created_at"),
        source="deposit.path",
    ),
    "WebhookSubscription": AnswerForm(
        ("id", "url", "event_types", "is_active", *_STAMPS),
        words={"event_types": Words(codes.EVENT_TYPES, "webhooks.event_types")},
    ),
}
"""The models of `paylab.spec.models` by name; one that is not here always has all its fields."""


def answer_form(model: str, fields: Iterable[str]) -> AnswerForm:
    """How a model with these fields comes in answers."""
    return ANSWERS.get(model) or AnswerForm(tuple(fields))
