"""The open points of the area 'Financial accounts'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Financial accounts"

ROWS = (
    Assumption(
        "details.ar",
        question="AR bank_account",
        assumed="account_number (22 digits), account_type `cbu` or `cvu`",
        origin="public",
    ),
    Assumption(
        "details.br",
        question="pix",
        assumed="pix_key, pix_key_type ∈ cpf, cnpj, email, phone, evp, each with the format"
        " that Brazil's key directory gives it",
    ),
    Assumption(
        "details.co",
        question="CO bank_account",
        assumed="bank_code, account_number, account_type `savings` or `checking`",
    ),
    Assumption("details.in", question="upi", assumed="upi_id, without spaces", origin="spec"),
    Assumption("details.mx", question="MX bank_account", assumed="clabe"),
    Assumption(
        "details.ph",
        question="PH bank_account, digital_wallet",
        assumed="issuer, account_number, account_holder_name; the issuer list is small, "
        "marked as ours, extendable, and named in the 400: bank_account `bdo`, "
        "`bpi`, `landbank`, `metrobank`, `unionbank`; digital_wallet `gcash`, "
        "`grabpay`, `maya`",
    ),
    Assumption(
        "details.ph-qr",
        question="ph_qr_code",
        assumed="qrph_payload, an EMV text of the Philippines with a right CRC",
    ),
    Assumption(
        "details.gb",
        question="GB bank_account",
        assumed="bank_account_country, sort_code, account_number, account_holder_name",
    ),
    Assumption(
        "details.sepa",
        question="SEPA bank_account",
        assumed="bank_account_country, iban, bic, account_holder_name",
    ),
    Assumption(
        "details.wallet",
        question="crypto_wallet",
        assumed="address, network ∈ base, ethereum, polygon, solana",
        origin="public",
    ),
    Assumption(
        "account.owner",
        question="how a new account names its individual",
        assumed="individual_id, as the spec says",
        origin="spec",
    ),
    Assumption(
        "account.errors",
        question="errors of create and update",
        assumed="400 invalid details, 404 unknown id, 422 crypto_wallet update",
        keyless="error_codes.validation and error_codes.state are the statuses of such refusals.",
    ),
)
