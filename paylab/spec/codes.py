"""The enumerations and limits of the spec.

Enumerations are `Literal` types, by which editors complete values, and tuples of their words in
the order of the spec, which forms and messages use too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

SEPA = (
    "AT", "BE", "BG", "HR", "CY", "EE", "FI", "FR", "DE", "GR", "IE", "IT", "LV", "LT",
    "LU", "MT", "NL", "PT", "SK", "SI", "ES", "CZ", "DK", "HU", "PL", "RO", "SE",
    "IS", "LI", "NO", "CH",
)  # fmt: skip
Country = Literal[
    "AR", "BR", "CO", "MX", "US", "IN", "PH", "SG", "VN", "AE", "GB", "AT", "BE", "BG",
    "CH", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IS",
    "IT", "LI", "LT", "LU", "LV", "MT", "NL", "NO", "PL", "PT", "RO", "SE", "SI", "SK",
]  # fmt: skip
COUNTRIES: tuple[str, ...] = get_args(Country)

GLOBAL_PAYOUTS = "global_payouts"
ON_RAMP_PRODUCT = "on_ramp"
OFF_RAMP_PRODUCT = "off_ramp"
Product = Literal["global_payouts", "off_ramp", "on_ramp"]
PRODUCTS: tuple[str, ...] = get_args(Product)
RAMP_PRODUCTS = (ON_RAMP_PRODUCT, OFF_RAMP_PRODUCT)

DocumentType = Literal[
    "cuit", "cuil", "cpf", "cnpj", "cc", "ce", "nit", "pep", "curp", "tin",
    "eu_residence_permit", "emirates_id", "driver_licence", "national_id", "passport",
]  # fmt: skip
DOCUMENT_TYPES: tuple[str, ...] = get_args(DocumentType)

PIX = "pix"
BANK_ACCOUNT = "bank_account"
DIGITAL_WALLET = "digital_wallet"
UPI = "upi"
CRYPTO_WALLET = "crypto_wallet"
PH_QR_CODE = "ph_qr_code"
AccountType = Literal[
    "pix", "bank_account", "digital_wallet", "upi", "crypto_wallet", "ph_qr_code"
]  # fmt: skip
ACCOUNT_TYPES: tuple[str, ...] = get_args(AccountType)

IndividualStatus = Literal["pending", "under_review", "active", "rejected", "action_required"]
INDIVIDUAL_STATUSES: tuple[str, ...] = get_args(IndividualStatus)
TransferStatus = Literal[
    "pending", "awaiting_funds", "started", "completed",
    "cancelled", "failed", "expired", "under_review",
]  # fmt: skip
TRANSFER_STATUSES: tuple[str, ...] = get_args(TransferStatus)
ConversionStatus = Literal[
    "pending", "awaiting_funds", "started", "completed", "cancelled", "failed", "expired",
]  # fmt: skip
CONVERSION_STATUSES: tuple[str, ...] = get_args(ConversionStatus)
ConversionAccountStatus = Literal["pending", "active"]
CONVERSION_ACCOUNT_STATUSES: tuple[str, ...] = get_args(ConversionAccountStatus)
Status: TypeAlias = IndividualStatus | TransferStatus | ConversionStatus | ConversionAccountStatus
"""The statuses of all objects."""
OPENED = ("active", "under_review", "disabled")
"""Statuses in which a conversion account no longer waits for its provisioning."""

SourceType = Literal["prefunded", "deposit"]
SOURCE_TYPES: tuple[str, ...] = get_args(SourceType)
"""Where the source of a transfer comes from. Assumption `transfer.create`."""

StatusDetailCode = Literal[
    "verification_front_image_needed",
    "verification_back_image_needed",
    "verification_selfie_needed",
    "verification_token_needed",
    "verification_image_blurry",
    "verification_image_glare",
    "verification_portrait_unclear",
    "verification_portrait_missing",
    "verification_document_not_detected",
    "verification_image_unprocessable",
    "verification_document_damaged",
    "verification_document_expired",
    "verification_unsupported_document_type",
    "verification_country_not_determined",
    "verification_electronic_replica",
    "verification_attribute_mismatch",
    "verification_disallowed_country",
    "verification_age_mismatch",
    "verification_identity_unverified",
    "verification_unknown_error",
]
STATUS_DETAIL_CODES: tuple[str, ...] = get_args(StatusDetailCode)
STATUS_DETAILS: Mapping[str, str] = {
    "verification_front_image_needed": "The front of the document is needed.",
    "verification_back_image_needed": "The back of the document is needed.",
    "verification_selfie_needed": "A selfie is needed.",
    "verification_token_needed": "This individual is verified by a token, not by images.",
    "verification_image_blurry": "A picture is too blurred to be read.",
    "verification_image_glare": "Light reflects from the document and hides part of it.",
    "verification_portrait_unclear": "The face cannot be seen clearly.",
    "verification_portrait_missing": "There is no face in the picture.",
    "verification_document_not_detected": "No document was found in the picture.",
    "verification_image_unprocessable": "A picture could not be opened or read.",
    "verification_document_damaged": "The document is damaged.",
    "verification_document_expired": "The document is no longer valid.",
    "verification_unsupported_document_type": "This kind of document is not accepted.",
    "verification_country_not_determined": "The document does not show which country issued it.",
    "verification_electronic_replica": (
        "The picture shows a screen or a copy, not the document itself."
    ),
    "verification_attribute_mismatch": "What the document says differs from what was filled in.",
    "verification_disallowed_country": "Documents of this country are not accepted.",
    "verification_age_mismatch": "The age does not fit: too young, or not what was filled in.",
    "verification_identity_unverified": "The person could not be matched with the document.",
    "verification_unknown_error": "The check failed for a reason the service does not name.",
}
"""The codes in the details of an individual's status, and what each means."""

ImageSide = Literal["document-front", "document-back", "selfie"]
IMAGE_SIDES: tuple[str, ...] = get_args(ImageSide)
ImageType = Literal[
    "application/pdf", "image/jpeg", "image/png",
    "image/heic", "image/heif", "image/tiff",
]  # fmt: skip
IMAGE_TYPES: tuple[str, ...] = get_args(ImageType)

Network = Literal["base", "ethereum", "polygon", "solana"]
NETWORKS: tuple[str, ...] = get_args(Network)
PayoutMethod = Literal[
    "ach", "ach_co", "base", "bitso", "cbu_cvu", "ethereum", "faster_payments", "fed_now",
    "instapay", "internal", "internal_pull", "local", "pesonet", "pix", "polygon", "rtp",
    "sepa_instant", "solana", "spei", "wire", "upi",
]  # fmt: skip
PAYOUT_METHODS: tuple[str, ...] = get_args(PayoutMethod)
SourceCurrency = Literal["USD", "USDC", "PHP"]
SOURCE_CURRENCIES: tuple[str, ...] = get_args(SourceCurrency)
DestinationCurrency = Literal[
    "MXN", "COP", "BRL", "PHP", "VND", "EUR", "GBP", "ARS", "INR", "SGD", "USDC",
]  # fmt: skip
DESTINATION_CURRENCIES: tuple[str, ...] = get_args(DestinationCurrency)
STABLECOINS = frozenset({"USDC"})

OnRampCurrency = Literal["mxn", "php"]
ON_RAMP_CURRENCIES: tuple[str, ...] = get_args(OnRampCurrency)
"""The source currencies of conversion accounts."""

Currency: TypeAlias = SourceCurrency | DestinationCurrency | OnRampCurrency
"""The currencies of all fields: conversion accounts and events have them in lower case."""

DepositInstructionType = Literal[
    "ae_bank_account", "crypto_wallet", "eu_bank_account", "gb_bank_account",
    "mx_virtual_account", "ph_qr_code",
]  # fmt: skip
DEPOSIT_INSTRUCTION_TYPES: tuple[str, ...] = get_args(DepositInstructionType)

EventType = Literal[
    "transfer.created", "transfer.funded", "transfer.payout_initiated", "transfer.completed",
    "transfer.failed", "transfer.expired", "conversion.created", "conversion.payout_initiated",
    "conversion.completed", "conversion.failed", "individual.status_changed",
]  # fmt: skip
EVENT_TYPES: tuple[str, ...] = get_args(EventType)
EVENTS: Mapping[str, str] = {
    "transfer.created": "a transfer is created and awaits funding",
    "transfer.funded": "the funds of a transfer were received, its execution starts",
    "transfer.payout_initiated": "the payout leg of a transfer starts",
    "transfer.completed": "the payout of a transfer settled",
    "transfer.failed": "a transfer failed for good",
    "transfer.expired": "the funding deadline of a transfer passed unfunded",
    "conversion.created": "a deposit was received into the virtual account or QR destination",
    "conversion.payout_initiated": "the blockchain payout of a conversion was broadcast",
    "conversion.completed": "the blockchain payout of a conversion was confirmed",
    "conversion.failed": "a conversion failed for good",
    "individual.status_changed": "the status of an individual changes, for example after KYC",
}
"""The events of webhooks, and when each is sent."""

PAGE_MAX = 100
TOKEN_MAX = 4096
IMAGES_MAX = 10
IMAGE_MIN = 10_240
IMAGE_MAX = 15_728_640
IDEMPOTENCY_HOURS = 24
LOOKBACK = "45 days"
"""How far a batch searches the list, and what errors advise for one order."""
UPI_MAX = 45
PHONE_MAX_IN = 20
HOLDER_NAME_MIN = 2
HOLDER_NAME_MAX = 140
IBAN_MIN = 15
IBAN_MAX = 34

MINOR_UNITS = {"USDC": 6, "VND": 0}
MINOR_UNIT_DEFAULT = 2


def same_currency(currency: str, other_currency: str) -> bool:
    """Whether two codes are the same currency, such as `mxn` and `MXN`.

    >>> paylab.codes.same_currency("mxn", "MXN")
    True
    """
    return str(currency).casefold() == str(other_currency).casefold()


def minor_unit(currency: str) -> int:
    """The number of decimals of an amount in this currency.

    >>> paylab.codes.minor_unit("USDC")
    6
    """
    return MINOR_UNITS.get(str(currency).upper(), MINOR_UNIT_DEFAULT)


def is_stablecoin(currency: str) -> bool:
    """Whether the currency is a stablecoin.

    >>> paylab.codes.is_stablecoin("USDC")
    True
    """
    return str(currency).upper() in STABLECOINS


__all__ = [
    "ACCOUNT_TYPES",
    "BANK_ACCOUNT",
    "CONVERSION_ACCOUNT_STATUSES",
    "CONVERSION_STATUSES",
    "COUNTRIES",
    "CRYPTO_WALLET",
    "DEPOSIT_INSTRUCTION_TYPES",
    "DESTINATION_CURRENCIES",
    "DIGITAL_WALLET",
    "DOCUMENT_TYPES",
    "EVENTS",
    "EVENT_TYPES",
    "GLOBAL_PAYOUTS",
    "HOLDER_NAME_MAX",
    "HOLDER_NAME_MIN",
    "IBAN_MAX",
    "IBAN_MIN",
    "IDEMPOTENCY_HOURS",
    "IMAGES_MAX",
    "IMAGE_MAX",
    "IMAGE_MIN",
    "IMAGE_SIDES",
    "IMAGE_TYPES",
    "INDIVIDUAL_STATUSES",
    "LOOKBACK",
    "MINOR_UNITS",
    "MINOR_UNIT_DEFAULT",
    "NETWORKS",
    "OFF_RAMP_PRODUCT",
    "ON_RAMP_CURRENCIES",
    "ON_RAMP_PRODUCT",
    "OPENED",
    "PAGE_MAX",
    "PAYOUT_METHODS",
    "PHONE_MAX_IN",
    "PH_QR_CODE",
    "PIX",
    "PRODUCTS",
    "RAMP_PRODUCTS",
    "SEPA",
    "SOURCE_CURRENCIES",
    "SOURCE_TYPES",
    "STABLECOINS",
    "STATUS_DETAILS",
    "STATUS_DETAIL_CODES",
    "TOKEN_MAX",
    "TRANSFER_STATUSES",
    "UPI",
    "UPI_MAX",
    "AccountType",
    "ConversionAccountStatus",
    "ConversionStatus",
    "Country",
    "Currency",
    "DepositInstructionType",
    "DestinationCurrency",
    "DocumentType",
    "EventType",
    "ImageSide",
    "ImageType",
    "IndividualStatus",
    "Network",
    "OnRampCurrency",
    "PayoutMethod",
    "Product",
    "SourceCurrency",
    "SourceType",
    "Status",
    "StatusDetailCode",
    "TransferStatus",
    "is_stablecoin",
    "minor_unit",
    "same_currency",
]


def __dir__() -> list[str]:
    return sorted(__all__)
