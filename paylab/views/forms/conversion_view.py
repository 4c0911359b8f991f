"""The life of a conversion, step by step."""

from __future__ import annotations

from typing import Any

from ...status import CONVERSION
from ..page import Row
from .live import Live
from .watch import Look

HELD = "for review, since the deposit names no sender (gap deposit.review)"


class ConversionView(Live):
    """A conversion's machine, live; before there is one, the deposit is on its way.

    `unnamed` is whether its deposit came without a sender's name.
    """

    machine = CONVERSION
    moving = ("pending", "started")
    title = "Conversion"

    def __init__(self, look: Look, *, unnamed: bool = False, **options: Any) -> None:
        self.unnamed = unnamed
        super().__init__(look, **options)

    def facts_of(self, found: Any) -> list[Row]:
        """What came in, what goes out, and each time that is known."""
        if found is None:
            return [("Conversion", "not there yet: the deposit is on its way")]
        paid, out = found.deposit, found.payout
        rows = [
            ("Conversion", found.id),
            ("Paid in", _money(paid)),
            ("Received", _time(getattr(paid, "received_at", None))),
            ("Fee", f"{found.total_fee or ''} {found.fee_currency or ''}".strip()),
            ("Paid out", _money(out)),
            ("Sent", _time(getattr(out, "initiated_at", None))),
            ("Transaction", str(getattr(out, "tx_hash", None) or "")),
            ("Confirmed", _time(getattr(out, "completed_at", None))),
            ("Held", HELD if self.unnamed and found.status == "pending" else ""),
        ]
        return [row for row in rows if row[1]]

    def state_of(self, found: Any) -> str | None:
        """Its status; a deposit whose conversion is not there yet counts as pending."""
        return "pending" if found is None else found.status


def _money(part: Any) -> str:
    amount = getattr(part, "amount", None)
    return "" if amount is None else f"{amount} {part.currency or ''}".strip()


def _time(moment: Any) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC" if hasattr(moment, "strftime") else str(moment or "")
