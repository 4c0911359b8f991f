"""The status of an individual, a conversion or a transfer, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...corridors import countries
from ...spec import codes
from ...spec.models import Quote, Transfer
from ...spec.status import CONVERSION, INDIVIDUAL, TRANSFER
from ..cards import deposit_card
from ..html import Row
from .live import LiveStatus, Look, Times, moment_or_none
from .view import Html, Node

STATES = {
    "pending": "The service has received it and has not started.",
    "awaiting_funds": "Waiting for the funds.",
    "started": "Funded; the payout has started.",
    "completed": "The recipient has been paid.",
    "cancelled": "Cancelled before it was funded; nothing was paid out.",
    "failed": "The payout failed; this transfer is not retried.",
    "expired": "Not funded before its deadline; processing did not start.",
    "under_review": "Under review by the service; it then continues or fails.",
}


def quote_rows(quote: Quote) -> list[Row]:
    """Rows of a quote: source amount, fees, taxes, rate, destination amount and expiry."""
    validity = ("Holds until", moment(quote.expires_at))
    return [*_price(quote), *_rail(quote.payout_method), *([validity] if quote.expires_at else [])]


def transfer_rows(transfer: Transfer, wallets: Sequence[Any] = ()) -> list[Row]:
    """Rows of a transfer: status with its meaning, and terms; unknown values are left out."""
    rows = [
        ("Transfer", transfer.id),
        ("Reference", transfer.client_reference_id),
        ("Status", transfer.status),
        ("Meaning", STATES.get(str(transfer.status))),
        ("Reason", transfer.failure_reason),
        *_returned(transfer, wallets),
        *_price(transfer),
        *_rail(transfer.payout_method),
        ("Took", transfer.completed_in and f"{transfer.completed_in} s"),
        ("Settlement reference", transfer.settlement_reference_id),
    ]
    return [(label, str(text)) for label, text in rows if text not in (None, "")]


def left(quote: Quote, now: datetime) -> tuple[str, bool]:
    """A sentence on how long a quote is still valid, and whether it has expired."""
    until = quote.expires_at
    if not isinstance(until, datetime):
        return "The expiry time is unknown.", False
    seconds = int((until - now).total_seconds())
    if seconds <= 0:
        return f"Expired at {until:%H:%M:%S} UTC: get a new quote.", True
    return f"Rate and fees are locked for another {seconds // 60}:{seconds % 60:02d}.", False


def moment(value: object) -> str:
    """A time with seconds; empty for None."""
    return f"{value:%Y-%m-%d %H:%M:%S} UTC" if isinstance(value, datetime) else str(value or "")


def _price(terms: Quote | Transfer) -> list[Row]:
    source = terms.source_currency
    target = terms.destination_currency
    rate = terms.exchange_rate
    rows = [
        ("You send", _money(terms.source_amount, source)),
        ("Fee", _money(terms.total_fee, terms.fee_currency)),
        ("Tax", _money(terms.total_tax, terms.tax_currency)),
        ("After fee and tax", _money(terms.net_source_amount, source)),
        ("Rate", "" if rate is None else f"1 {source} = {rate} {target}"),
        ("They get", _money(terms.destination_amount, target)),
    ]
    return [row for row in rows if row[1]]


def _money(amount: object, currency: str | None) -> str:
    return "" if amount is None else f"{amount} {currency or ''}".strip()


def _rail(method: str | None) -> list[Row]:
    rails = (
        rail for corridor in countries.of().all for rail in corridor.rails if rail.method == method
    )
    rail = next(rails, None)
    return [("Rail", str(rail or method))] if method else []


def _returned(transfer: Transfer, wallets: Sequence[Any]) -> list[Row]:
    """Where a failed off-ramp returns the stablecoins (spec, "What the service does", 6)."""
    currency = transfer.source_currency or ""
    if transfer.status != "failed" or not codes.is_stablecoin(currency):
        return []
    wallet_details = [wallet.details or {} for wallet in wallets]
    places = [f"{details.get('address')} on {details.get('network')}" for details in wallet_details]
    where = " or ".join(places) or "the recipient's crypto wallet on the source network"
    amount = _money(transfer.source_amount, currency)
    return [("Goes back", f"{amount} to {where}; the service sends no event for that")]


def picture(account: object) -> Html:
    """The card of an account's deposit instructions, as a node of a page."""
    card = deposit_card(account)
    return Html(card._repr_mimebundle_()["text/html"])


class StatusLine(LiveStatus):
    """The verification of an individual, refreshed automatically."""

    machine = INDIVIDUAL
    moving = ("pending", "under_review")
    title = "Verification"

    def _facts_of(self, found: Any) -> list[Row]:
        details = [detail for detail in found.status_details or [] if hasattr(detail, "code")]
        return [
            ("Person", f"{found.given_name or ''} {found.family_name or ''}".strip()),
            *((str(detail.code or "detail"), str(detail.message or "")) for detail in details),
        ]


HELD = "for review: the deposit names no sender (assumed: deposit.review)"


class ConversionView(LiveStatus):
    """The live status of a conversion; before it exists, of its deposit.

    `unnamed` tells whether the deposit has no sender name.
    """

    machine = CONVERSION
    moving = ("pending", "started")
    title = "Conversion"

    def __init__(self, look: Look, *, unnamed: bool = False, **options: Any) -> None:
        self.unnamed = unnamed
        super().__init__(look, **options)

    def _facts_of(self, found: Any) -> list[Row]:
        if found is None:
            return [("Conversion", "none yet: waiting for the deposit")]
        deposit = found.deposit
        payout = found.payout
        rows = [
            ("Conversion", found.id),
            (
                "Paid in",
                _money(getattr(deposit, "amount", None), getattr(deposit, "currency", None)),
            ),
            ("Received", moment(getattr(deposit, "received_at", None))),
            ("Fee", _money(found.total_fee, found.fee_currency)),
            (
                "Paid out",
                _money(getattr(payout, "amount", None), getattr(payout, "currency", None)),
            ),
            ("Sent", moment(getattr(payout, "initiated_at", None))),
            ("Transaction", str(getattr(payout, "tx_hash", None) or "")),
            ("Confirmed", moment(getattr(payout, "completed_at", None))),
            ("Held", HELD if self.unnamed and found.status == "pending" else ""),
        ]
        return [row for row in rows if row[1]]

    def _times_of(self, found: Any) -> Times:
        """The times of the deposit, of the payout and of its confirmation."""
        if found is None:
            return {}
        payout = found.payout
        status = found.status
        begun = getattr(found.deposit, "received_at", None) or found.created_at
        sent_at = getattr(payout, "initiated_at", None)
        completed_at = getattr(payout, "completed_at", None)
        times = {"pending": begun, "started": sent_at, "completed": completed_at}
        changed = {} if times.get(str(status)) else {str(status): found.updated_at}
        return {state: moment_or_none(at) for state, at in {**times, **changed}.items()}

    def _state_of(self, found: Any) -> str | None:
        """The status; pending while the conversion does not exist yet."""
        return "pending" if found is None else found.status


class TransferLine(LiveStatus):
    """The live status of a transfer; a failed off-ramp returns to one of `wallets`."""

    machine = TRANSFER
    moving = ("pending", "awaiting_funds", "started", "under_review")
    title = "Transfer"

    def __init__(self, look: Look, *, wallets: Sequence[Any] = (), **options: Any) -> None:
        self._wallets = wallets
        self.pay = Html()
        super().__init__(look, **options)

    def nodes(self) -> Sequence[Node]:
        """The status, and the deposit instructions below it."""
        return [*super().nodes(), self.pay]

    def see(self, found: Any) -> None:
        """Show a new value, and the deposit instructions while it awaits funds."""
        waits = found.deposit_instructions is not None
        self.pay.html = picture(found).html if waits else ""
        super().see(found)

    def _facts_of(self, found: Any) -> list[Row]:
        return [row for row in transfer_rows(found, self._wallets) if row[0] != "Status"]

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook, with the deposit instructions."""
        instructions = getattr(self.seen, "deposit_instructions", None)
        details = getattr(instructions, "details", None) or {}
        return [
            *super().rows(),
            *((f"Pay to {name}", str(value)) for name, value in details.items()),
        ]

    def _tick(self, seconds: float) -> None:
        """Do not advance a frozen clock while waiting for a deposit, which comes from outside."""
        if getattr(self.seen, "deposit_instructions", None) is None:
            super()._tick(seconds)
