"""On-ramp: what the spec leaves open, and what is assumed."""

from __future__ import annotations

from .row import Gap

AREA = "On-ramp"
_ROWS = (
    (
        "ca.create",
        "rest of the body and response",
        "individual_id, payout_account {id}, source_currency, destination_currency "
        "(default USDC), client_reference_id (≤ 255). Out: id, individual_id, "
        "payout_account (the whole FinancialAccount), source_currency, "
        "destination_currency, status, created_at, updated_at, deposit_instructions. "
        "404 unknown individual or account, 422 individual not active, 422 account not "
        "a crypto_wallet of that individual, 400 currency that is not the individual's "
        "country's",
        "public",
    ),
    (
        "ca.list",
        "list",
        "`GET /v1/conversion_accounts`, page envelope (public copies show a bare "
        "array: readers take both)",
        "public",
    ),
    (
        "ca.states",
        "states beyond pending and active",
        "under_review, disabled: tolerated",
        "public",
    ),
    (
        "ca.provisioning",
        "when 201, when 202",
        "simulator: MX answers 201, PH answers 202 and becomes active 1 s later",
        "chosen",
    ),
    (
        "ca.idempotency-202",
        "the same key after a 202",
        "a 202 is not stored (spec stores 200 and 201), so a second POST makes a "
        "second account: a client never posts again after 202, it polls",
        "spec",
    ),
    (
        "deposit.path",
        "path and response of the sandbox deposit",
        "`POST /v1/sandbox/deposits` 201 with id, conversion_account_id, amount, "
        "currency, sender_name, created_at; 400 over the cap or wrong currency; 404; "
        "422 account not active; 403 outside the sandbox",
        "chosen",
    ),
    (
        "deposit.review",
        "what a missing sender name does",
        "the conversion is held for review and stays pending until released",
        "chosen",
    ),
    (
        "conversion.other-moves",
        "awaiting_funds, cancelled, expired; where failure happens",
        "failure from pending or started; the other three never by themselves",
        "chosen",
    ),
    (
        "conversion.get",
        "read one conversion",
        "no operation is assumed: find it in the list",
        "public",
    ),
    (
        "instructions.mx",
        "details of mx_virtual_account",
        "clabe (18 digits, valid check digit); payment_methods spei",
        "spec",
    ),
    (
        "instructions.ph",
        "details of ph_qr_code",
        "qrph_payload (valid EMV TLV, QR Ph template, CRC); payment_methods instapay",
        "spec",
    ),
    (
        "instructions.other",
        "ae, eu, gb bank accounts, crypto_wallet",
        "crypto_wallet: address, network; the others: account_holder_name and "
        "account_number or iban",
        "chosen",
    ),
)
ON_RAMP = tuple(Gap(*row, area=AREA) for row in _ROWS)
