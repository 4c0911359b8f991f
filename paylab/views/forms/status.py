"""The status of an individual, a conversion or a transfer, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...spec.models import Balance, Conversion, FinancialAccount, Individual, Transfer
from ...spec.status import CONVERSION, INDIVIDUAL, TRANSFER
from ..cards import deposit_card
from ..html import Row
from .live import LiveStatus, datetime_or_none
from .nodes import Html, Node
from .refresher import Read
from .terms import datetime_text, missing_amount, money_text, transfer_rows, waits_for_balance
from .timeline import Times

PAYOUT_LABELS = {
    "pending": "To pay out",
    "started": "Is paying out",
    "completed": "Paid out",
    "failed": "Would have paid out",
}
"""The label of the payout by the status of a conversion."""
HELD_LABEL = "Would pay out"


class IndividualView(LiveStatus):
    """The live status of the verification of an individual."""

    machine = INDIVIDUAL
    timed_states = ("pending", "under_review")
    title = "Verification"

    def _make_fact_rows(self, resource: Individual) -> list[Row]:
        """The name, and each status detail that has a code with the message of the service."""
        full_name = f"{resource.given_name or ''} {resource.family_name or ''}".strip()
        person_rows = [("Person", full_name)]
        for status_detail in resource.status_details or []:
            if hasattr(status_detail, "code"):
                detail_label = str(status_detail.code or "detail")
                person_rows.append((detail_label, str(status_detail.message or "")))
        return person_rows


HELD = (
    "for review: the deposit names no sender (assumed: deposit.review); "
    'in a simulator, lab.simulator.move(id, "started") releases it'
)


PERHAPS_HELD = "not known: the service reports a conversion that is held for review as pending, too"


class ConversionView(LiveStatus):
    """The live status of a conversion; before it exists, of its deposit.

    `needs_review` is whether its deposit is held for review while the conversion is pending; None
    if that is not known.
    """

    machine = CONVERSION
    timed_states = ("pending", "started")
    title = "Conversion"

    def __init__(self, read: Read, *, needs_review: bool | None = None, **options: Any) -> None:
        self._needs_review = needs_review
        super().__init__(read, **options)

    def _make_fact_rows(self, resource: Conversion | None) -> list[Row]:
        """The amounts and the times that are known; None is a conversion that does not exist."""
        if resource is None:
            return [("Conversion", "none yet: waiting for the deposit")]
        deposit = resource.deposit
        payout = resource.payout
        is_pending = resource.status == "pending"
        is_held = is_pending and self._needs_review is True
        may_be_held = is_pending and self._needs_review is None
        payout_label = PAYOUT_LABELS.get(str(resource.status), "Payout")
        hold_sentence = PERHAPS_HELD if may_be_held else ""
        if is_held:
            payout_label = HELD_LABEL
            hold_sentence = HELD
        received_at = getattr(deposit, "received_at", None)
        conversion_rows = [
            ("Conversion", resource.id),
            ("Held", hold_sentence),
            ("Paid in" if received_at else "Deposit", _amount_text(deposit)),
            ("Received", datetime_text(received_at)),
            ("Fee", money_text(resource.total_fee, resource.fee_currency)),
            (payout_label, _amount_text(payout)),
            ("Broadcast", datetime_text(getattr(payout, "initiated_at", None))),
            ("Transaction", str(getattr(payout, "tx_hash", None) or "")),
            ("Confirmed", datetime_text(getattr(payout, "completed_at", None))),
        ]
        return [(label, text) for label, text in conversion_rows if text]

    def _read_times(self, resource: Conversion | None) -> Times:
        """The times of the deposit, of the payout and of its confirmation."""
        if resource is None:
            return {}
        payout = resource.payout
        time_by_state = {
            "pending": getattr(resource.deposit, "received_at", None) or resource.created_at,
            "started": getattr(payout, "initiated_at", None),
            "completed": getattr(payout, "completed_at", None),
        }
        status = str(resource.status)
        if not time_by_state.get(status):  # a failed conversion has no time of its failure
            time_by_state[status] = resource.updated_at
        return {state: datetime_or_none(moment) for state, moment in time_by_state.items()}

    def _read_state(self, resource: Conversion | None) -> str | None:
        """The status; pending while the conversion does not exist yet."""
        return "pending" if resource is None else resource.status


def _amount_text(holder: object) -> str:
    """The amount and the currency of a deposit or a payout; empty if they are not known."""
    return money_text(getattr(holder, "amount", None), getattr(holder, "currency", None))


class TransferView(LiveStatus):
    """The live status of a transfer; a failed off-ramp returns to one of `wallets`.

    `read_balance(currency)` returns the balance in a currency, or None if it is not known. It is
    called while the transfer waits for it.
    """

    machine = TRANSFER
    timed_states = ("pending", "awaiting_funds", "started", "under_review")
    title = "Transfer"

    def __init__(
        self,
        read: Read,
        *,
        wallets: Sequence[FinancialAccount] = (),
        read_balance: Callable[[str], Balance | None] = lambda _: None,
        **options: Any,
    ) -> None:
        self._wallets = wallets
        self._read_balance = read_balance
        self._low_balance: Balance | None = None
        self.deposit_node = Html()
        super().__init__(read, **options)

    def nodes(self) -> Sequence[Node]:
        """The status, and the deposit instructions below it."""
        return [*super().nodes(), self.deposit_node]

    def show_resource(self, resource: Transfer) -> None:
        """Show the transfer, and the deposit instructions while it awaits funds."""
        self.deposit_node.html = ""
        if resource.deposit_instructions:
            self.deposit_node.html = deposit_card(resource)._repr_mimebundle_()["text/html"]
        self._low_balance = self._find_low_balance(resource)
        super().show_resource(resource)

    def _make_fact_rows(self, resource: Transfer) -> list[Row]:
        """The rows of a transfer, without the status that the timeline shows."""
        was_funded = self.timeline.has_visited("started")
        rows = transfer_rows(
            resource, self._wallets, was_funded=was_funded, balance=self._low_balance
        )
        return [row for row in rows if row[0] != "Status"]

    def _find_low_balance(self, transfer: Transfer) -> Balance | None:
        """The balance that a transfer waits for, if it is known and too low."""
        if not waits_for_balance(transfer):
            return None
        balance = self._read_balance(transfer.source_currency or "")
        return balance if balance is not None and missing_amount(balance) else None

    def rows(self) -> Sequence[Row]:
        """The rows saved in the notebook, with the deposit instructions."""
        status_rows = list(super().rows())
        instructions = getattr(self.resource, "deposit_instructions", None)
        details = getattr(instructions, "details", None) or {}
        for detail_name, detail_value in details.items():
            status_rows.append((f"Pay to {detail_name}", str(detail_value)))
        return status_rows

    def _advance_clock(self, seconds: float) -> None:
        """Do not advance a frozen clock while waiting for a deposit, which comes from outside."""
        if not getattr(self.resource, "deposit_instructions", None):
            super()._advance_clock(seconds)
