"""The open points of the area 'Quotes and transfers'."""

from __future__ import annotations

from .assumption import Assumption

AREA = "Quotes and transfers"

ROWS = (
    Assumption(
        "quote.operation",
        question="How is a quote made, and what does it answer?",
        assumed="`POST /v1/quotes`, answered by 201. The body has financial_account {id} or "
        "financial_account_id, payout_method, destination_currency, source_currency (by"
        " default USD), source_network for a stablecoin, and exactly one of "
        "source_amount, destination_amount and net_source_amount. The answer has id, "
        "the amounts and currencies, derived_source_amount (true or false), "
        "exchange_rate, payout_method, financial_account_id, recipient_id, total_fee, "
        "fee_currency, total_tax, tax_currency, net_source_amount, source_network, "
        "expires_at and created_at. A quote locks rate and fees for 2 minutes",
        origin="public",
    ),
    Assumption(
        "transfer.create",
        question="What does a transfer take, and how is it answered?",
        assumed="the body has a quote_id, or source_currency, destination_currency, "
        "payout_method, financial_account {id} (or financial_account_id) and one "
        "amount. It can have client_reference_id (at most 64 characters), "
        "source_network, and source_type, which is `prefunded` by default, or "
        "`deposit`. The answer is 201; 400 for an invalid body, 404 for an unknown "
        "account, 422 for a quote that has expired or was used, and 422 for an off-ramp"
        " without a crypto_wallet on source_network",
        origin="public",
    ),
    Assumption(
        "transfer.get",
        question="How is one transfer read?",
        assumed="`GET /v1/transfers/{id}`: 200, or 404",
        origin="public",
    ),
    Assumption(
        "transfer.list",
        question="Where are transfers listed?",
        assumed="`GET /v1/transfers`, as the spec says",
        origin="spec",
    ),
    Assumption(
        "transfer.deposit",
        question="What does source_type deposit do?",
        assumed="the transfer is awaiting_funds, with deposit_instructions and a deadline 24 "
        "hours later; a prefunded one is funded at once",
        origin="public",
    ),
    Assumption(
        "transfer.other-moves",
        question="How does a transfer get pending, cancelled or under_review?",
        assumed="from awaiting_funds to cancelled; from started to under_review, and from there"
        " to started or failed; never to pending",
        keyless="Any status can follow any other when paylab reads it.",
    ),
    Assumption(
        "transfer.payout-initiated",
        question="What is the payload of transfer.payout_initiated?",
        assumed="the transfer, with status started",
        keyless="paylab reads any payload that has an id.",
    ),
    Assumption(
        "balance.read",
        question="How is the prefunded balance of the account read?",
        assumed="by no operation: a dashboard shows it. A service with a path for it answers "
        "{balances: [{currency, available, reserved, awaiting_funds}]}. In the "
        "simulator a payout reserves its source_amount when it is funded, and a failed "
        "one in USD returns it",
    ),
    Assumption(
        "money.rule",
        question="Which rates, fees and taxes are there?",
        assumed="those of the simulator only: a fixed table of rates, a fee of 0.50 % of the "
        "source amount (at least 0.50), and no tax. The net amount is the source less "
        "the fee, the destination amount is the net at the rate, rounded half-even to "
        "the decimals of the currency (6 for USDC)",
        keyless="Only the simulator computes prices.",
    ),
    Assumption(
        "list.order",
        question="In which order are lists?",
        assumed="newest first (created_at, then id); a page never repeats or skips a row when "
        "rows are added while paging. A service is not taken at this word: `since`, "
        "`Dataset.sync` and `watch` read whole lists, unless "
        '`paylab.connect(list_order="newest_first")` declares the order',
    ),
    Assumption(
        "list.cursor",
        question="What is a cursor?",
        assumed="base64url of JSON with position and direction; anything else is refused by 400"
        ' `{"error": "Invalid pagination token"}`',
        origin="spec",
        keyless="A cursor is opaque to a client.",
    ),
    Assumption(
        "list.envelope",
        question="How are the parts of a page called?",
        assumed="data, has_next_page, cursor, as the spec shows for transfers and conversions; "
        "the list of webhook subscriptions is a bare array",
        origin="spec, chosen",
    ),
)
