"""The terms of a quote and the life of a transfer, in rows and words for a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from .. import codes, corridors
from ..models import Quote, Transfer
from .page import Row

STATES = {
    "pending": "The service has it and has not begun.",
    "awaiting_funds": "Waiting for the money that pays for it.",
    "started": "Paid for; the payout is on its way.",
    "completed": "The recipient has been paid.",
    "cancelled": "Called off before it was paid for; nothing was paid out.",
    "failed": "The payout failed for good; this transfer will not be tried again.",
    "expired": "Not paid for before its deadline; processing never began.",
    "under_review": "The service is looking into it; it goes on or fails after that.",
}


def quote_rows(quote: Quote) -> list[Row]:
    """What is sent, each fee and tax, the rate, what they get, and until when it holds."""
    held = [("Holds until", moment(quote.expires_at))] if quote.expires_at else []
    return [*_price(quote), *_rail(quote.payout_method), *held]


def transfer_rows(transfer: Transfer, wallets: Sequence[Any] = ()) -> list[Row]:
    """How a transfer stands, in words, and its terms; what is not known is left out."""
    rows = [
        ("Transfer", transfer.id),
        ("Reference", transfer.client_reference_id),
        ("Status", transfer.status),
        ("That means", STATES.get(str(transfer.status))),
        ("Reason", transfer.failure_reason),
        *_returned(transfer, wallets),
        *_price(transfer),
        *_rail(transfer.payout_method),
        ("Took", transfer.completed_in and f"{transfer.completed_in} s"),
        ("Settlement reference", transfer.settlement_reference_id),
    ]
    return [(label, str(text)) for label, text in rows if text not in (None, "")]


def left(quote: Quote, now: datetime) -> tuple[str, bool]:
    """How long a quote still holds, in words, and whether it is over."""
    until = quote.expires_at
    if not isinstance(until, datetime):
        return "How long it holds is not said.", False
    seconds = int((until - now).total_seconds())
    if seconds <= 0:
        return f"Expired at {until:%H:%M:%S} UTC: ask for a fresh quote.", True
    return f"Rate and fees are locked for {seconds // 60}:{seconds % 60:02d} more.", False


def moment(value: object) -> str:
    """A time, to the second."""
    return f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else str(value)


def _price(terms: Quote | Transfer) -> list[Row]:
    source, target = terms.source_currency, terms.destination_currency
    rows = [
        ("You send", _money(terms.source_amount, source)),
        ("Fee", _money(terms.total_fee, terms.fee_currency)),
        ("Tax", _money(terms.total_tax, terms.tax_currency)),
        ("After fee and tax", _money(terms.net_source_amount, source)),
        ("Rate", _rate(terms.exchange_rate, source, target)),
        ("They get", _money(terms.destination_amount, target)),
    ]
    return [row for row in rows if row[1]]


def _money(amount: object, currency: str | None) -> str:
    return "" if amount is None else f"{amount} {currency or ''}".strip()


def _rate(rate: object, source: str | None, target: str | None) -> str:
    return "" if rate is None else f"1 {source} = {rate} {target}"


def _rail(method: str | None) -> list[Row]:
    found = (rail for one in corridors.ALL for rail in one.rails if rail.method == method)
    rail = next(found, None)
    return [("Rail", str(rail or method))] if method else []


def _returned(transfer: Transfer, wallets: Sequence[Any]) -> list[Row]:
    """A failed off-ramp gives the stablecoins back (spec, "What the service does", 6)."""
    currency = transfer.source_currency or ""
    if transfer.status != "failed" or not codes.is_stablecoin(currency):
        return []
    places = [f"{one.get('address')} on {one.get('network')}" for one in map(_details, wallets)]
    where = " or ".join(places) or "the recipient's crypto wallet on the source network"
    amount = _money(transfer.source_amount, currency)
    return [("Goes back", f"{amount} to {where}; the service sends no event for that")]


def _details(wallet: Any) -> dict[str, Any]:
    details = getattr(wallet, "details", None)
    return details if isinstance(details, dict) else {}


__all__ = ["STATES", "left", "moment", "quote_rows", "transfer_rows"]
