"""Quotes and transfers."""

from __future__ import annotations

from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .. import codes
from .frozen import FrozenDict, make_name_table
from .setting import Setting
from .value_types import CurrencyLimit, IntegerLimit, OptionalName, Place, Words, WordsLimit


@light_dataclass(frozen=True)
class QuoteSettings:
    """Quotes."""

    default_source_currency: Annotated[
        str,
        CurrencyLimit(codes.SOURCE_CURRENCIES),
        Setting(
            "In which currency is a quote's source that has no source_currency (none: it is"
            " refused)?",
            row="quote.operation",
            origin="public",
            others=("usdc", "none"),
        ),
    ] = "usd"
    lifetime: Annotated[
        int,
        IntegerLimit(1, 86400),
        Setting(
            "For how many seconds does a quote hold?",
            row="quote.operation",
            origin="public",
            others=(30, 600),
        ),
    ] = 120

    fields: Annotated[
        FrozenDict[Place],
        Setting(
            "Under which name does a quote, asked for or answered, hold what paylab calls {name}?",
            row="quote.operation",
            origin="public",
            others={
                "source_amount": ("amount",),
                "destination_amount": ("target_amount",),
                "net_source_amount": ("net_amount",),
                "source_currency": ("from_currency",),
                "destination_currency": ("to_currency",),
                "source_network": ("network",),
                "payout_method": ("rail",),
                "financial_account_id": ("financial_account_id", "account.id", "account_id"),
                "recipient_id": ("individual_id",),
                "derived_source_amount": ("is_source_derived",),
                "exchange_rate": ("rate",),
                "total_fee": ("fee",),
                "fee_currency": ("currency_of_fee",),
                "total_tax": ("tax",),
                "tax_currency": ("currency_of_tax",),
                "expires_at": ("valid_until",),
                "created_at": ("created",),
            },
        ),
    ] = make_name_table(
        "source_amount",
        "destination_amount",
        "net_source_amount",
        "source_currency",
        "destination_currency",
        "source_network",
        "payout_method",
        "recipient_id",
        "derived_source_amount",
        "exchange_rate",
        "total_fee",
        "fee_currency",
        "total_tax",
        "tax_currency",
        "expires_at",
        "created_at",
        financial_account_id="financial_account.id",
    )


@light_dataclass(frozen=True)
class TransferSettings:
    """Transfers."""

    required: Annotated[
        Words,
        WordsLimit(("client_reference_id", "quote_id", "source_network", "source_type")),
        Setting(
            "Which fields does a transfer need besides an account, a rail, two currencies "
            "and an amount (in paylab's names)?",
            row="transfer.create",
            origin="public",
            others=(("client_reference_id",), ("quote_id",)),
        ),
    ] = ()
    max_reference: Annotated[
        int,
        IntegerLimit(1, 1000),
        Setting(
            "How many characters may client_reference_id of a transfer have?",
            row="transfer.create",
            origin="public",
            others=(36, 255),
        ),
    ] = 64
    deadline_hours: Annotated[
        int,
        IntegerLimit(1, 720),
        Setting(
            "How many hours does a transfer wait for its deposit?",
            row="transfer.deposit",
            origin="public",
            others=(1, 72),
        ),
    ] = 24
    missing: Annotated[
        Literal["null", "absent"],
        Setting(
            "Is a field of a transfer that has no value null, or left out of the answer (absent)?",
            row="transfer.nulls",
            others=("absent",),
        ),
    ] = "null"
    default_network: Annotated[
        OptionalName,
        Setting(
            "From which network does a stablecoin transfer come that has no source_network "
            "(none: it is refused)?",
            row="transfer.network",
            others=("ethereum", "none"),
        ),
    ] = "base"

    fields: Annotated[
        FrozenDict[Place],
        Setting(
            "Under which name does a transfer, sent or answered, hold what paylab calls {name}?",
            row="transfer.create",
            origin="public",
            others={
                "quote_id": ("quote",),
                "source_amount": ("amount",),
                "source_currency": ("from_currency",),
                "destination_currency": ("to_currency",),
                "payout_method": ("rail",),
                "destination_amount": ("target_amount",),
                "net_source_amount": ("net_amount",),
                "source_network": ("network",),
                "source_type": ("funding_source",),
                "financial_account_id": ("financial_account_id", "account.id"),
                "client_reference_id": ("reference",),
            },
        ),
    ] = make_name_table(
        "quote_id",
        "source_amount",
        "source_currency",
        "destination_currency",
        "payout_method",
        "destination_amount",
        "net_source_amount",
        "source_network",
        "source_type",
        "client_reference_id",
        financial_account_id="financial_account.id",
    )
