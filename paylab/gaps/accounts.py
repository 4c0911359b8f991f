"""Financial accounts: what the spec leaves open, and what is assumed."""

from __future__ import annotations

from .row import Gap

AREA = "Financial accounts"
_ROWS = (
    (
        "details.ar",
        "AR bank_account",
        "account_number (22 digits), account_type `cbu` or `cvu`",
        "public",
    ),
    (
        "details.br",
        "pix",
        "pix_key, pix_key_type ∈ cpf, cnpj, email, phone, evp",
        "chosen",
    ),
    (
        "details.co",
        "CO bank_account",
        "bank_code, account_number, account_type `savings` or `checking`",
        "chosen",
    ),
    (
        "details.in",
        "upi",
        "upi_id",
        "spec",
    ),
    (
        "details.mx",
        "MX bank_account",
        "clabe",
        "chosen",
    ),
    (
        "details.ph",
        "PH bank_account, digital_wallet",
        "issuer, account_number, account_holder_name; the issuer list is small, marked "
        "as ours, extendable, and named in the 400: bank_account `bdo`, `bpi`, "
        "`landbank`, `metrobank`, `unionbank`; digital_wallet `gcash`, `grabpay`, "
        "`maya`",
        "chosen",
    ),
    (
        "details.ph-qr",
        "ph_qr_code",
        "qrph_payload",
        "chosen",
    ),
    (
        "details.gb",
        "GB bank_account",
        "bank_account_country, sort_code, account_number, account_holder_name",
        "chosen",
    ),
    (
        "details.sepa",
        "SEPA bank_account",
        "bank_account_country, iban, bic, account_holder_name",
        "chosen",
    ),
    (
        "details.wallet",
        "crypto_wallet",
        "address, network ∈ base, ethereum, polygon, solana",
        "public",
    ),
    (
        "account.errors",
        "errors of create and update",
        "400 invalid details, 404 unknown id, 422 crypto_wallet update",
        "chosen",
    ),
)
ACCOUNTS = tuple(Gap(*row, area=AREA) for row in _ROWS)
