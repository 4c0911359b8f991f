"""The open points of the area 'On-ramp'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "On-ramp"

ROWS = (
    Assumption(
        "ca.create",
        question="rest of the body and response",
        assumed="individual_id, payout_account {id}, source_currency, destination_currency "
        "(default USDC), client_reference_id (≤ 255). Out: id, individual_id, "
        "payout_account (the whole FinancialAccount), source_currency, "
        "destination_currency, status, created_at, updated_at, "
        "deposit_instructions. 404 unknown individual or account, 422 individual "
        "not active, 422 account not a crypto_wallet of that individual, 400 "
        "currency that is not the individual's country's",
        origin="public",
    ),
    Assumption(
        "ca.list",
        question="list",
        assumed="`GET /v1/conversion_accounts`, page envelope (public copies show a bare "
        "array: readers take both)",
        origin="public",
    ),
    Assumption(
        "ca.get",
        question="read one",
        assumed="`GET /v1/conversion_accounts/{id}`, as the spec says",
        origin="spec",
    ),
    Assumption(
        "ca.states",
        question="states beyond pending and active",
        assumed="under_review, disabled: tolerated",
        origin="public",
    ),
    Assumption(
        "ca.provisioning",
        question="when 201, when 202",
        assumed="simulator: MX answers 201, PH answers 202 and becomes active 1 s later",
    ),
    Assumption(
        "ca.idempotency-202",
        question="the same key after a 202",
        assumed="a 202 is not stored (spec stores 200 and 201), so a second POST makes a "
        "second account: a client never posts again after 202, it polls",
        origin="spec",
    ),
    Assumption(
        "deposit.path",
        question="path and response of the sandbox deposit",
        assumed="`POST /v1/sandbox/deposits` 201 with id, conversion_account_id, amount, "
        "currency, sender_name, created_at; 400 over the cap or wrong currency; "
        "404; 422 account not active; 403 outside the sandbox",
    ),
    Assumption(
        "deposit.review",
        question="what a missing sender name does",
        assumed="the conversion is held for review and stays pending until released",
    ),
    Assumption(
        "conversion.other-moves",
        question="awaiting_funds, cancelled, expired; where failure happens",
        assumed="failure from pending or started; the other three never by themselves",
        keyless="Any status can follow any other when paylab reads it.",
    ),
    Assumption(
        "codes.new",
        question="statuses, status detail codes and event types that the spec does not list",
        assumed="none; new ones are read, kept and shown as they came",
        origin="spec, chosen",
    ),
    Assumption(
        "conversion.get",
        question="read one conversion",
        assumed="no operation is assumed: find it in the list",
        origin="public",
    ),
    Assumption(
        "conversion.list",
        question="path of the list",
        assumed="`GET /v1/conversions`, as the spec says",
        origin="spec",
    ),
    Assumption(
        "instructions.mx",
        question="details of mx_virtual_account",
        assumed="clabe (18 digits, valid check digit); payment_methods spei",
        origin="spec",
    ),
    Assumption(
        "instructions.ph",
        question="details of ph_qr_code",
        assumed="qrph_payload (valid EMV TLV, QR Ph template, CRC); payment_methods instapay",
        origin="spec",
    ),
    Assumption(
        "instructions.other",
        question="ae, eu, gb bank accounts, crypto_wallet",
        assumed="crypto_wallet: address, network; the others: account_holder_name and "
        "account_number or iban",
    ),
)
