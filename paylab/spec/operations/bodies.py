"""The fields of the body of each operation that takes one."""

from __future__ import annotations

from dataclasses import replace

from .. import codes
from .field import (
    AMOUNT,
    CURRENCY,
    DATE,
    DETAILS,
    ENUM,
    ID,
    LIST,
    OBJECT,
    REFERENCE,
    TIME,
    Field,
    FieldSettings,
)

_REQUIRED = "individual.required"
_TRANSFERRED = "transfer.create"
_ON_RAMP = "ca.create"


def _read_networks(service: FieldSettings) -> tuple[str, ...]:
    """The networks of the crypto wallets of a service."""
    return service.financial_accounts.crypto_wallet.allowed


ADDRESS = (
    Field("country", ENUM, words=codes.COUNTRIES, example="MX"),
    Field("line_1", personal=True, may_be_empty=True, example="Calle Ejemplo 1"),
    Field("line_2", personal=True, may_be_empty=True),
    Field("city", personal=True, may_be_empty=True, example="Ciudad de México"),
    Field("state", personal=True, may_be_empty=True),
    Field("postal_code", personal=True, may_be_empty=True, example="00000"),
)
DOCUMENT = (
    Field("type", ENUM, required=True, words=codes.DOCUMENT_TYPES, example="curp"),
    Field("number", secret=True, example="XEXX010101HNEXXXA4"),
)
_WALLET = {"address": "0x000000000000000000000000000000000000dEaD", "network": "base"}
ENTRY = (
    Field("type", ENUM, required=True, words=codes.ACCOUNT_TYPES, example=codes.CRYPTO_WALLET),
    Field("details", DETAILS, required=True, example=_WALLET),
)
INDIVIDUAL = (
    Field(
        "product_types",
        LIST,
        required=True,
        source=_REQUIRED,
        words=codes.PRODUCTS,
        example=[codes.ON_RAMP_PRODUCT],
    ),
    Field("given_name", required=True, source=_REQUIRED, personal=True, echoed=True, example="Ana"),
    Field(
        "family_name",
        required=True,
        source=_REQUIRED,
        personal=True,
        echoed=True,
        example="Ejemplo Ficticia",
    ),
    Field("country", ENUM, required=True, source=_REQUIRED, words=codes.COUNTRIES, example="MX"),
    Field("email", personal=True, echoed=True, example="ana.ejemplo@example.com"),
    Field("phone", personal=True, echoed=True, example="+525500000000"),
    Field("date_of_birth", DATE, personal=True, echoed=True, example="1990-01-31"),
    Field("address", OBJECT, required=True, source=_REQUIRED, fields=ADDRESS),
    Field("document", OBJECT, fields=DOCUMENT),
    Field("idv_consent_recorded_at", TIME, echoed=True, example="2026-01-15T11:00:00Z"),
    Field("financial_accounts", LIST, fields=ENTRY),
)
TOKEN = (
    Field("provider", ENUM, required=True, setting=lambda service: service.verification.provider),
    Field("token", required=True, secret=True, length_limit=codes.TOKEN_MAX, example="share-token"),
    Field("applicant_id", required=True, personal=True, example="applicant-1"),
    Field("partner_terms_accepted_at", TIME, required=True, example="2026-01-15T11:00:00Z"),
)
_IMAGE = (
    Field("type", ENUM, required=True, words=codes.IMAGE_SIDES),
    Field("content", required=True, secret=True),
)
IMAGES = (Field("images", LIST, required=True, fields=_IMAGE),)
_PERSON = "ind_01KF0Y6ZG0AAAAAAAAAAAAAAAA"
_EXAMPLE = {"id": "fa_01KF0Y6ZG0AAAAAAAAAAAAAAAA"}
FINANCIAL_ACCOUNT = (
    Field("individual_id", ID, required=True, to="individuals", example=_PERSON),
    *ENTRY,
)
NEW_DETAILS = ENTRY[1:]
TRANSFER = (
    Field(
        "financial_account",
        REFERENCE,
        to="financial_accounts",
        forms=("object", "id"),
        example=_EXAMPLE,
    ),
    Field("quote_id", ID, source=_TRANSFERRED, to="quotes"),
    Field("financial_account_id", ID, source=_TRANSFERRED, to="financial_accounts"),
    Field("payout_method", ENUM, words=codes.PAYOUT_METHODS, example="spei"),
    Field("source_currency", CURRENCY, words=codes.SOURCE_CURRENCIES, example="USD"),
    Field(
        "source_network", ENUM, source=_TRANSFERRED, words=codes.NETWORKS, setting=_read_networks
    ),
    Field(
        "source_type",
        ENUM,
        source=_TRANSFERRED,
        words=codes.SOURCE_TYPES,
        setting=lambda _service: codes.SOURCE_TYPES,
    ),
    Field("destination_currency", CURRENCY, words=codes.DESTINATION_CURRENCIES, example="MXN"),
    Field("source_amount", AMOUNT, example="100.00"),
    Field("destination_amount", AMOUNT, source=_TRANSFERRED),
    Field("net_source_amount", AMOUNT, source=_TRANSFERRED),
    Field(
        "client_reference_id",
        source=_TRANSFERRED,
        echoed=True,
        length_limit=lambda service: service.transfers.max_reference,
        example="invoice-7",
    ),
)
_PRICED = (
    *("financial_account", "financial_account_id", "payout_method", "source_currency"),
    *("source_network", "destination_currency"),
    *("source_amount", "destination_amount", "net_source_amount"),
)
"""The fields of a transfer on which its price depends: those of a quote."""
QUOTE = tuple(
    replace(
        field,
        required=field.name in ("payout_method", "destination_currency"),
        source="quote.operation",
        forms=("id",) if field.forms else (),
    )
    for field in TRANSFER
    if field.name in _PRICED
)

CONVERSION_ACCOUNT = (
    Field("individual_id", ID, required=True, source=_ON_RAMP, to="individuals", example=_PERSON),
    Field(
        "payout_account",
        REFERENCE,
        required=True,
        to="financial_accounts",
        whole=True,
        example=_EXAMPLE,
    ),
    Field("payout_account_id", ID, source=_ON_RAMP, to="financial_accounts"),
    Field(
        "source_currency",
        CURRENCY,
        required=True,
        words=codes.ON_RAMP_CURRENCIES,
        example="mxn",
    ),
    Field(
        "destination_currency", CURRENCY, source=_ON_RAMP, words=tuple(sorted(codes.STABLECOINS))
    ),
    Field(
        "client_reference_id",
        source=_ON_RAMP,
        echoed=True,
        length_limit=lambda service: service.conversion_accounts.max_reference,
    ),
)
DEPOSIT = (
    Field(
        "conversion_account_id",
        ID,
        required=True,
        to="conversion_accounts",
        example="ca_01KF0Y6ZG0AAAAAAAAAAAAAAAA",
    ),
    Field("amount", AMOUNT, required=True, example="10.00"),
    Field("currency", CURRENCY, required=True, words=codes.ON_RAMP_CURRENCIES, example="mxn"),
    Field("sender_name", personal=True, may_be_empty=True),
)
SUBSCRIPTION = (
    Field("url", required=True, example="https://hooks.example.com/in"),
    Field(
        "event_types", LIST, required=True, words=codes.EVENT_TYPES, example=["transfer.completed"]
    ),
)
