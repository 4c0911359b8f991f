"""Conversion accounts, their deposit instructions, and sandbox deposits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from ...light_dataclass import light_dataclass
from .. import codes
from .frozen import FrozenDict, make_name_table
from .setting import Setting
from .value_types import CurrencyLimit, IntegerLimit, Place, Words, WordsLimit


@light_dataclass(frozen=True)
class ConversionAccountSettings:
    """Conversion accounts."""

    default_destination_currency: Annotated[
        str,
        CurrencyLimit(sorted(codes.STABLECOINS)),
        Setting(
            "Which currency does a conversion account pay out that has no "
            "destination_currency (none: it is refused)?",
            row="ca.create",
            origin="public",
            others=("usdc", "none"),
        ),
    ] = "USDC"
    required: Annotated[
        Words,
        WordsLimit(("client_reference_id", "destination_currency")),
        Setting(
            "Which fields does a conversion account need besides the individual, the wallet"
            " and source_currency (in paylab's names)?",
            row="ca.create",
            origin="public",
            others=(("client_reference_id",), ("destination_currency",)),
        ),
    ] = ()
    max_reference: Annotated[
        int,
        IntegerLimit(1, 1000),
        Setting(
            "How many characters may client_reference_id of a conversion account have?",
            row="ca.create",
            origin="public",
            others=(36, 64),
        ),
    ] = 255
    at_once: Annotated[
        Words,
        WordsLimit(codes.COUNTRIES),
        Setting(
            "In which countries is a conversion account ready at once (201), without "
            "provisioning (202)?",
            row="ca.provisioning",
            others=(("MX", "PH"), ()),
        ),
    ] = ("MX",)

    fields: Annotated[
        FrozenDict[Place],
        Setting(
            "Under which name does a conversion account, sent or answered, hold what paylab"
            " calls {name}?",
            row="ca.create",
            origin="public",
            others={
                "individual_id": ("customer_id", "individual.id"),
                "payout_account_id": ("payout_account_id", "wallet.id", "wallet_id"),
                "source_currency": ("from_currency",),
                "destination_currency": ("to_currency",),
                "client_reference_id": ("reference",),
            },
        ),
    ] = make_name_table(
        "individual_id",
        "source_currency",
        "destination_currency",
        "client_reference_id",
        payout_account_id="payout_account.id",
    )


@light_dataclass(frozen=True)
class SandboxDepositSettings:
    """Sandbox deposits."""

    missing_sender: Annotated[
        Literal["held", "accepted", "refused"],
        Setting(
            "What happens to a sandbox deposit whose sender_name is empty: is its "
            "conversion held, is it accepted like any other, or refused?",
            row="deposit.review",
        ),
    ] = "held"

    fields: Annotated[
        FrozenDict[Place],
        Setting(
            "Under which name does a sandbox deposit, sent or answered, hold what paylab "
            "calls {name}?",
            row="deposit.path",
            others={
                "conversion_account_id": ("account_id",),
                "amount": ("source_amount",),
                "currency": ("source_currency",),
                "sender_name": ("payer_name",),
                "created_at": ("created",),
            },
        ),
    ] = make_name_table(
        "conversion_account_id",
        "amount",
        "currency",
        "sender_name",
        "created_at",
    )


@light_dataclass(frozen=True)
class InstructionNames:
    """The names in the details of one type of deposit instructions."""

    fields: Annotated[
        FrozenDict[Place],
        Setting(
            "Under which name do the details of {account} instructions hold what paylab calls "
            "{name}?"
        ),
    ]


@light_dataclass(frozen=True)
class InstructionSettings:
    """The names in the details of deposit instructions, by type."""

    mx_virtual_account: Annotated[
        InstructionNames,
        Setting(
            row="instructions.mx",
            origin="spec",
            others={"fields.clabe": ("account_number",)},
        ),
    ] = InstructionNames(
        make_name_table(
            "clabe",
        )
    )
    ph_qr_code: Annotated[
        InstructionNames,
        Setting(
            row="instructions.ph",
            origin="spec",
            others={"fields.qrph_payload": ("qr_payload",)},
        ),
    ] = InstructionNames(
        make_name_table(
            "qrph_payload",
        )
    )
    crypto_wallet: Annotated[
        InstructionNames,
        Setting(
            row="instructions.other",
            others={"fields.address": ("wallet_address",), "fields.network": ("blockchain",)},
        ),
    ] = InstructionNames(
        make_name_table(
            "address",
            "network",
        )
    )


NAMES_BY_INSTRUCTION_TYPE: Mapping[str, Callable[[InstructionSettings], InstructionNames]] = {
    "mx_virtual_account": lambda instructions: instructions.mx_virtual_account,
    "ph_qr_code": lambda instructions: instructions.ph_qr_code,
    "crypto_wallet": lambda instructions: instructions.crypto_wallet,
}
"""The names in deposit instructions by their type."""
