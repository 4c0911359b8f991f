"""The open points of the area 'On-ramp'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "On-ramp"

ROWS = (
    Assumption(
        "ca.create",
        question="What does a conversion account take, and how is it answered?",
        assumed="the body has individual_id, payout_account {id} and source_currency, and can "
        "have destination_currency (by default USDC) and client_reference_id (at most "
        "255 characters). The answer has id, individual_id, payout_account (the whole "
        "financial account), source_currency, destination_currency, status, created_at,"
        " updated_at and deposit_instructions. It is 404 for an unknown individual or "
        "account, 422 for an individual that is not active, 422 for an account that is "
        "no crypto_wallet of that individual, and 400 for a currency that is not that "
        "of the individual's country",
        origin="public",
    ),
    Assumption(
        "ca.list",
        question="How are conversion accounts listed?",
        assumed="`GET /v1/conversion_accounts`, in pages. Public copies show an array without "
        "pages, which is read as well",
        origin="public",
    ),
    Assumption(
        "ca.get",
        question="How is one conversion account read?",
        assumed="`GET /v1/conversion_accounts/{id}`, as the spec says",
        origin="spec",
    ),
    Assumption(
        "ca.states",
        question="Which statuses are there besides pending and active?",
        assumed="under_review and disabled, which are read and never made",
        origin="public",
    ),
    Assumption(
        "ca.provisioning",
        question="When is a conversion account answered by 201, when by 202?",
        assumed="in the simulator, MX answers 201; PH answers 202, and the account becomes "
        "active 1 s later",
    ),
    Assumption(
        "ca.idempotency-202",
        question="What does the same key do after a 202?",
        assumed="a 202 is not stored (the specification stores 200 and 201), so a second POST "
        "makes a second account: a client never posts again after a 202, and polls",
        origin="spec",
    ),
    Assumption(
        "deposit.path",
        question="Where is a sandbox deposit sent, and how is it answered?",
        assumed="`POST /v1/sandbox/deposits`: 201 with id, conversion_account_id, amount, "
        "currency, sender_name and created_at. It is 400 for an amount above the limit "
        "or another currency, 404 for an unknown account, 422 for one that is not "
        "active, and 403 outside the sandbox",
    ),
    Assumption(
        "deposit.review",
        question="What does a missing sender name do?",
        assumed="the conversion is held for review and stays pending until released",
    ),
    Assumption(
        "conversion.other-moves",
        question="When does a conversion get awaiting_funds, cancelled, expired or failed?",
        assumed="failed from pending or started; the other three never by themselves",
        keyless="Any status can follow any other when paylab reads it.",
    ),
    Assumption(
        "codes.new",
        question="Which statuses, status detail codes and event types does the specification not"
        " list?",
        assumed="none; new ones are read, kept and shown as they came",
        origin="spec, chosen",
    ),
    Assumption(
        "conversion.get",
        question="How is one conversion read?",
        assumed="no operation is assumed: find it in the list",
        origin="public",
    ),
    Assumption(
        "conversion.list",
        question="Where are conversions listed?",
        assumed="`GET /v1/conversions`, as the spec says",
        origin="spec",
    ),
    Assumption(
        "instructions.mx",
        question="Which details do deposit instructions with an mx_virtual_account have?",
        assumed="clabe (18 digits, with a right check digit); payment_methods has spei",
        origin="spec",
    ),
    Assumption(
        "instructions.ph",
        question="Which details do deposit instructions with a ph_qr_code have?",
        assumed="qrph_payload (an EMV text with the template of QR Ph and a right CRC); "
        "payment_methods has instapay",
        origin="spec",
    ),
    Assumption(
        "instructions.other",
        question="Which details do other deposit instructions have?",
        assumed="a crypto_wallet has address and network; the others have account_holder_name, "
        "and account_number or iban",
    ),
)
