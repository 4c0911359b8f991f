"""Pages as the service sends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

Page = dict[str, Any]


@pytest.fixture
def paged() -> Callable[..., list[Page]]:
    """A function that splits rows into pages with cursors; each row gets an id of its own."""

    def cut(rows: list[Any], size: int = 2) -> list[Page]:
        ids = [row.get("id") for row in rows]
        rows = [
            row | {"id": f"{ids[at]}_{at}"} if ids[at] and ids[at] in ids[:at] else row
            for at, row in enumerate(rows)
        ]
        starts = range(0, len(rows), size)
        return [
            {
                "data": rows[at : at + size],
                "has_next_page": at + size < len(rows),
                "cursor": f"after{at}" if at + size < len(rows) else None,
            }
            for at in starts
        ]

    return cut


@pytest.fixture
def broken() -> Callable[[list[Page]], Iterator[Page]]:
    """A function that yields pages and then raises ConnectionError."""

    def cut(pages: list[Page]) -> Iterator[Page]:
        yield from pages
        raise ConnectionError("cut")

    return cut


@pytest.fixture
def transfer() -> Page:
    """A transfer with the status `awaiting_funds`."""
    return {
        "id": "tr_1",
        "client_reference_id": "0042",
        "source_amount": "10.25",
        "source_currency": "USDC",
        "destination_amount": "171.29",
        "destination_currency": "MXN",
        "exchange_rate": "16.7112",
        "recipient_id": "ind_1",
        "financial_account_id": "fa_1",
        "payout_method": "spei",
        "status": "awaiting_funds",
        "total_fee": "0.50",
        "fee_currency": "USDC",
        "total_tax": "0",
        "tax_currency": "USDC",
        "net_source_amount": "9.75",
        "completed_in": None,
        "created_at": "2026-01-31T09:30:00.123Z",
        "updated_at": "2026-01-31T09:30:01Z",
        "failure_reason": None,
        "settlement_reference_id": None,
        "deposit_instructions": {
            "type": "crypto_wallet",
            "currency": "usdc",
            "payment_methods": ["base"],
            "details": {"address": "0xabc", "clabe": "032180000118359719"},
            "deadline": "2026-02-01T09:30:00+00:00",
        },
    }


@pytest.fixture
def conversion() -> Page:
    """A conversion whose payout is initiated but not completed."""
    return {
        "id": "conv_1",
        "conversion_account_id": "ca_1",
        "individual_id": "ind_1",
        "status": "started",
        "deposit": {"amount": "50.00", "currency": "MXN", "received_at": "2026-01-31T09:30:00Z"},
        "payout": {
            "amount": "2.771234",
            "currency": "USDC",
            "payout_account_id": "fa_2",
            "tx_hash": "0xfeed",
            "initiated_at": "2026-01-31T09:30:01Z",
            "completed_at": None,
        },
        "total_fee": "0.25",
        "fee_currency": "MXN",
        "exchange_rate": "0.055703",
        "created_at": "2026-01-31T09:30:00Z",
        "updated_at": "2026-01-31T09:30:01Z",
    }
