"""The open points of the area 'Financial accounts'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Financial accounts"

ROWS = (
    Assumption(
        "details.ar",
        question="Which details does a bank account in Argentina have?",
        assumed="account_number (22 digits) and account_type, `cbu` or `cvu`",
        origin="public",
    ),
    Assumption(
        "details.br",
        question="Which details does a Pix account have?",
        assumed="pix_key and pix_key_type: `cpf`, `cnpj`, `email`, `phone` or `evp`, each with "
        "the format that Brazil's key directory gives it",
    ),
    Assumption(
        "details.co",
        question="Which details does a bank account in Colombia have?",
        assumed="bank_code, account_number and account_type, `savings` or `checking`",
    ),
    Assumption(
        "details.in",
        question="Which details does a UPI account have?",
        assumed="upi_id, without spaces",
        origin="spec",
    ),
    Assumption(
        "details.mx",
        question="Which details does a bank account in Mexico have?",
        assumed="clabe",
    ),
    Assumption(
        "details.ph",
        question="Which details do bank accounts and digital wallets in the Philippines have?",
        assumed="issuer, account_number and account_holder_name. The list of issuers is short "
        "and paylab's own, can be extended, and is named in the 400: bank_account "
        "`bdo`, `bpi`, `landbank`, `metrobank`, `unionbank`; digital_wallet `gcash`, "
        "`grabpay`, `maya`",
    ),
    Assumption(
        "details.ph-qr",
        question="Which details does a ph_qr_code have?",
        assumed="qrph_payload, an EMV text of the Philippines with a right CRC",
    ),
    Assumption(
        "details.gb",
        question="Which details does a bank account in the United Kingdom have?",
        assumed="bank_account_country, sort_code, account_number and account_holder_name",
    ),
    Assumption(
        "details.sepa",
        question="Which details does a bank account in a SEPA country have?",
        assumed="bank_account_country, iban, bic and account_holder_name",
    ),
    Assumption(
        "details.wallet",
        question="Which details does a crypto_wallet have?",
        assumed="address and network: `base`, `ethereum`, `polygon` or `solana`",
        origin="public",
    ),
    Assumption(
        "account.owner",
        question="How does a new account name its individual?",
        assumed="individual_id, as the spec says",
        origin="spec",
    ),
    Assumption(
        "account.errors",
        question="How are mistakes in creating and updating an account refused?",
        assumed="400 for invalid details, 404 for an unknown id, 422 for the update of a "
        "crypto_wallet",
        keyless="error_codes.validation and error_codes.state are the statuses of such refusals.",
    ),
)
