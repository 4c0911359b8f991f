"""Quotes and transfers: what the spec leaves open, and what is assumed."""

from __future__ import annotations

from .row import Gap

AREA = "Quotes and transfers"
_ROWS = (
    (
        "quote.operation",
        "the quote operation",
        "`POST /v1/quotes` 201. In: financial_account {id} or financial_account_id, "
        "payout_method, destination_currency, source_currency (default usd), exactly "
        "one of source_amount, destination_amount, net_source_amount; source_network "
        "required when the source is a stablecoin. Out: id, the amounts and "
        "currencies, derived_source_amount (boolean), exchange_rate, payout_method, "
        "financial_account_id, recipient_id, total_fee, fee_currency, total_tax, "
        "tax_currency, net_source_amount, source_network, expires_at, created_at. "
        "Locks rate and fees for 2 minutes",
        "public",
    ),
    (
        "transfer.create",
        "full request, status, errors",
        "201. source_currency, destination_currency, payout_method and "
        "financial_account {id} (financial_account_id accepted as well); one amount; "
        "or quote_id instead of those. Optional client_reference_id (≤ 64), "
        "source_network, source_type `prefunded` (default) or `deposit`. 400 invalid, "
        "404 unknown account, 422 expired or used quote, 422 off-ramp without a "
        "crypto_wallet on source_network",
        "public",
    ),
    (
        "transfer.get",
        "read one",
        "`GET /v1/transfers/{id}` 200, 404",
        "public",
    ),
    (
        "transfer.deposit",
        "source_type deposit",
        "awaiting_funds with deposit_instructions and a deadline 24 h away; prefunded "
        "is funded at once",
        "public",
    ),
    (
        "transfer.other-moves",
        "pending, cancelled, under_review",
        "awaiting_funds → cancelled; started → under_review → started or failed; pending not used",
        "chosen",
    ),
    (
        "transfer.payout-initiated",
        "payload of transfer.payout_initiated",
        "the Transfer, status started",
        "chosen",
    ),
    (
        "money.rule",
        "fees, taxes, rates",
        "simulator only: fixed table of rates; fee 0.50 % of source (at least 0.50), "
        "tax 0; net = source less fee and tax; destination = net at the rate; rounded half-even "
        "to the currency's minor unit (6 for USDC)",
        "chosen",
    ),
    (
        "list.order",
        "order of lists",
        "newest first (created_at, then id); a page never repeats or skips a row when "
        "rows are added while paging",
        "chosen",
    ),
    (
        "list.cursor",
        "cursor token",
        'base64url of JSON with position and direction; anything else → 400 `{"error": '
        '"Invalid pagination token"}`',
        "spec",
    ),
)
TRANSFERS = tuple(Gap(*row, area=AREA) for row in _ROWS)
