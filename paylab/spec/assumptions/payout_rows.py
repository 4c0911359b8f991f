"""The open points of the area 'Quotes and transfers'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Quotes and transfers"

ROWS = (
    Assumption(
        "quote.operation",
        question="the quote operation",
        assumed="`POST /v1/quotes` 201. In: financial_account {id} or financial_account_id,"
        " payout_method, destination_currency, source_currency (default usd), "
        "exactly one of source_amount, destination_amount, net_source_amount; "
        "source_network required when the source is a stablecoin. Out: id, the "
        "amounts and currencies, derived_source_amount (boolean), exchange_rate, "
        "payout_method, financial_account_id, recipient_id, total_fee, "
        "fee_currency, total_tax, tax_currency, net_source_amount, source_network, "
        "expires_at, created_at. Locks rate and fees for 2 minutes",
        origin="public",
    ),
    Assumption(
        "transfer.create",
        question="full request, status, errors",
        assumed="201. source_currency, destination_currency, payout_method and "
        "financial_account {id} (financial_account_id accepted as well); one "
        "amount; or quote_id instead of those. Optional client_reference_id (≤ 64),"
        " source_network, source_type `prefunded` (default) or `deposit`. 400 "
        "invalid, 404 unknown account, 422 expired or used quote, 422 off-ramp "
        "without a crypto_wallet on source_network",
        origin="public",
    ),
    Assumption(
        "transfer.get",
        question="read one",
        assumed="`GET /v1/transfers/{id}` 200, 404",
        origin="public",
    ),
    Assumption(
        "transfer.list",
        question="path of the list",
        assumed="`GET /v1/transfers`, as the spec says",
        origin="spec",
    ),
    Assumption(
        "transfer.deposit",
        question="source_type deposit",
        assumed="awaiting_funds with deposit_instructions and a deadline 24 h away; "
        "prefunded is funded at once",
        origin="public",
    ),
    Assumption(
        "transfer.other-moves",
        question="pending, cancelled, under_review",
        assumed="awaiting_funds → cancelled; started → under_review → started or failed; "
        "pending not used",
        keyless="Any status can follow any other when paylab reads it.",
    ),
    Assumption(
        "transfer.payout-initiated",
        question="payload of transfer.payout_initiated",
        assumed="the Transfer, status started",
        keyless="paylab reads any payload that has an id.",
    ),
    Assumption(
        "balance.read",
        question="read the prefunded balance of the account",
        assumed="no operation is assumed: a dashboard shows it. A service with a path answers "
        "{balances: [{currency, available, reserved, awaiting_funds}]}. In the simulator a payout "
        "reserves its source_amount when it is funded, and a failed one in USD returns it",
    ),
    Assumption(
        "money.rule",
        question="fees, taxes, rates",
        assumed="simulator only: fixed table of rates; fee 0.50 % of source (at least "
        "0.50), tax 0; net = source less fee and tax; destination = net at the "
        "rate; rounded half-even to the currency's minor unit (6 for USDC)",
        keyless="Only the simulator computes prices.",
    ),
    Assumption(
        "list.order",
        question="order of lists",
        assumed="newest first (created_at, then id); a page never repeats or skips a row "
        "when rows are added while paging. A service is not taken at this word: "
        "`since`, `Dataset.sync` and `watch` read whole lists, unless "
        '`paylab.connect(list_order="newest_first")` declares the order',
    ),
    Assumption(
        "list.cursor",
        question="cursor token",
        assumed="base64url of JSON with position and direction; anything else → 400 "
        '`{"error": "Invalid pagination token"}`',
        origin="spec",
        keyless="A cursor is opaque to a client.",
    ),
    Assumption(
        "list.envelope",
        question="names in the answer of a list",
        assumed="data, has_next_page, cursor, as the spec shows for transfers and "
        "conversions; the list of webhook subscriptions is a bare array",
        origin="spec, chosen",
    ),
)
