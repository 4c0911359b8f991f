"""The status of an individual, a conversion or a transfer, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...corridors import countries
from ...spec import codes
from ...spec.models import Conversion, FinancialAccount, Individual, Quote, Transfer
from ...spec.status import CONVERSION, INDIVIDUAL, TRANSFER
from ..cards import deposit_card
from ..html import Row
from .live import LiveStatus, datetime_or_none
from .nodes import Html, Node
from .refresher import Read
from .timeline import Times

TRANSFER_MEANINGS = {
    "pending": "The service has received it.",
    "awaiting_funds": "Waiting for the funds.",
    "started": "Funded; the payout has started.",
    "completed": "The recipient has been paid.",
    "cancelled": "Cancelled; whether it had been funded is not known.",
    "failed": "The payout failed; this transfer is not retried.",
    "expired": "Not funded before its deadline; processing did not start.",
    "under_review": "Under review by the service; what follows is not specified.",
}
"""What each status of a transfer means."""
CANCELLED_MEANINGS = {
    True: "Cancelled after it was funded; the recipient was not paid.",
    False: "Cancelled before it was funded; nothing was paid out.",
}
"""What cancelled means if it is known whether the transfer was funded."""
SOURCE_AMOUNT = "Source amount"
PAYMENT_LABELS = {
    "pending": ("You will send", "Recipient will get"),
    "awaiting_funds": ("You will send", "Recipient will get"),
    "started": ("You sent", "Recipient will get"),
    "under_review": (SOURCE_AMOUNT, "Recipient would get"),
    "completed": ("You sent", "Recipient got"),
    "failed": ("You sent", "Recipient would have got"),
    "cancelled": (SOURCE_AMOUNT, "Recipient would have got"),
    "expired": ("You would have sent", "Recipient would have got"),
}
"""The labels of both amounts by the status of a transfer: what happened, or what will."""
UNPAID_STATUSES = ("failed", "cancelled", "expired")
"""The final statuses of a transfer that paid nothing out."""
RETURN_NOT_STATED = (
    "{}: the specification does not say where to; a simulator returns it to its balance, if any"
)
QUOTE_LABELS = ("You send", "Recipient gets")
AMOUNT_LABELS = (SOURCE_AMOUNT, "Destination amount")
"""The labels of a status that is not known."""

PAYOUT_LABELS = {
    "pending": "To pay out",
    "started": "Is paying out",
    "completed": "Paid out",
    "failed": "Would have paid out",
}
"""The label of the payout by the status of a conversion."""
HELD_LABEL = "Would pay out"


def quote_rows(quote: Quote) -> list[Row]:
    """Rows of a quote: source amount, fees, taxes, rate, destination amount and expiry."""
    rows_of_quote = [*_price_rows(quote, QUOTE_LABELS), *_rail_rows(quote.payout_method)]
    if quote.expires_at:
        rows_of_quote.append(("Holds until", datetime_text(quote.expires_at)))
    return rows_of_quote


def transfer_rows(
    transfer: Transfer, wallets: Sequence[FinancialAccount] = (), *, was_funded: bool | None = None
) -> list[Row]:
    """Rows of a transfer: status with its meaning, and terms; unknown values are left out.

    `was_funded` is None if its history does not tell.
    """
    duration_seconds = transfer.completed_in
    meaning_text = TRANSFER_MEANINGS.get(str(transfer.status))
    if transfer.status == "cancelled" and was_funded is not None:
        meaning_text = CANCELLED_MEANINGS[was_funded]
    labels_and_texts = [
        ("Transfer", transfer.id),
        ("Reference", transfer.client_reference_id),
        ("Status", transfer.status),
        ("Meaning", meaning_text),
        ("What to do", _advice_sentence(transfer)),
        ("Reason", transfer.failure_reason),
        *_return_rows(transfer, wallets),
        *_price_rows(transfer, _payment_labels(transfer, was_funded)),
        *_rail_rows(transfer.payout_method),
        ("Took", "" if duration_seconds is None else f"{duration_seconds} s"),
        ("Settlement reference", transfer.settlement_reference_id),
    ]
    return [(label, str(text)) for label, text in labels_and_texts if text not in (None, "")]


def _payment_labels(transfer: Transfer, was_funded: bool | None) -> tuple[str, str]:
    """The labels of both amounts by the status, and by `was_funded` where the status is silent."""
    source_label, recipient_label = PAYMENT_LABELS.get(str(transfer.status), AMOUNT_LABELS)
    if source_label == SOURCE_AMOUNT and was_funded is not None:
        source_label = "You sent" if was_funded else "You would have sent"
    return source_label, recipient_label


def _advice_sentence(transfer: Transfer) -> str:
    """What to do about a payout that awaits funds or was not carried out; empty for any other."""
    if transfer.status in UNPAID_STATUSES:
        return f'lab.transfers.create() with the same order and new="{transfer.id}" pays it again.'
    if transfer.status != "awaiting_funds" or transfer.deposit_instructions is not None:
        return ""
    currency = transfer.source_currency or "its currency"
    return (
        f"It starts when it is funded from the balance in {currency}: lab.balance() shows the "
        "balance. A simulator without a balance funds every payout; if its balance is too low, "
        f'lab.balance().top_up("{transfer.source_amount}", "{currency}") adds to it.'
    )


def is_expired(quote: Quote, now: datetime) -> bool:
    """Whether the expiry time of a quote is known and past."""
    expires_at = quote.expires_at
    return isinstance(expires_at, datetime) and _seconds_until(expires_at, now) <= 0


def expiry_sentence(quote: Quote, now: datetime) -> str:
    """A sentence on how long a quote is still valid."""
    expires_at = quote.expires_at
    if not isinstance(expires_at, datetime):
        return "The expiry time is unknown."
    seconds_left = _seconds_until(expires_at, now)
    if seconds_left <= 0:
        return f"Expired at {expires_at:%H:%M:%S} UTC: get a fresh quote."
    return f"Rate and fees are locked for another {seconds_left // 60}:{seconds_left % 60:02d}."


def _seconds_until(moment: datetime, now: datetime) -> int:
    """Whole seconds from now to a moment; negative once it has passed."""
    return int((moment - now).total_seconds())


def datetime_text(value: object) -> str:
    """A time with seconds, or any other value as text; empty for None."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    return str(value or "")


def _price_rows(terms: Quote | Transfer, labels: tuple[str, str]) -> list[Row]:
    """Rows of the known amounts and of the rate, with the labels of (source, destination)."""
    source_label, recipient_label = labels
    source_currency = terms.source_currency
    destination_currency = terms.destination_currency
    rate = terms.exchange_rate
    labels_and_texts = [
        (source_label, _money_text(terms.source_amount, source_currency)),
        ("Fee", _money_text(terms.total_fee, terms.fee_currency)),
        ("Tax", _money_text(terms.total_tax, terms.tax_currency)),
        ("After fee and tax", _money_text(terms.net_source_amount, source_currency)),
        ("Rate", "" if rate is None else f"1 {source_currency} = {rate} {destination_currency}"),
        (recipient_label, _money_text(terms.destination_amount, destination_currency)),
    ]
    return [(label, text) for label, text in labels_and_texts if text]


def _money_text(amount: object, currency: str | None) -> str:
    """An amount with its currency; empty without an amount."""
    return "" if amount is None else f"{amount} {currency or ''}".strip()


def _rail_rows(method: str | None) -> list[Row]:
    """A row with the rail of a payout method; no row without a method."""
    if not method:
        return []
    for corridor in countries.all_corridors():
        for rail in corridor.rails:
            if rail.method == method:
                return [("Rail", str(rail))]
    return [("Rail", method)]


def _return_rows(transfer: Transfer, wallets: Sequence[FinancialAccount]) -> list[Row]:
    """A row on where the money of a failed transfer goes: stablecoins to the recipient's wallet.

    Source: spec, "What the service does", 6. For other money the specification says nothing.
    """
    currency = transfer.source_currency or ""
    if transfer.status != "failed" or transfer.source_amount is None:
        return []
    amount_text = _money_text(transfer.source_amount, currency)
    if not codes.is_stablecoin(currency):
        return [("Goes back", RETURN_NOT_STATED.format(amount_text))]
    wallet_details = [wallet.details or {} for wallet in wallets]
    addresses = [
        f"{details.get('address')} on {details.get('network')}" for details in wallet_details
    ]
    target_text = " or ".join(addresses) or "the recipient's crypto wallet on the source network"
    return [("Goes back", f"{amount_text} to {target_text}; the service sends no event for that")]


def deposit_card_node(account: object) -> Html:
    """The card of an account's deposit instructions, as a node of a page."""
    card = deposit_card(account)
    return Html(card._repr_mimebundle_()["text/html"])


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
            ("Fee", _money_text(resource.total_fee, resource.fee_currency)),
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
    return _money_text(getattr(holder, "amount", None), getattr(holder, "currency", None))


class TransferView(LiveStatus):
    """The live status of a transfer; a failed off-ramp returns to one of `wallets`."""

    machine = TRANSFER
    timed_states = ("pending", "awaiting_funds", "started", "under_review")
    title = "Transfer"

    def __init__(
        self, read: Read, *, wallets: Sequence[FinancialAccount] = (), **options: Any
    ) -> None:
        self._wallets = wallets
        self.deposit_node = Html()
        super().__init__(read, **options)

    def nodes(self) -> Sequence[Node]:
        """The status, and the deposit instructions below it."""
        return [*super().nodes(), self.deposit_node]

    def show_resource(self, resource: Transfer) -> None:
        """Show the transfer, and the deposit instructions while it awaits funds."""
        self.deposit_node.html = ""
        if resource.deposit_instructions:
            self.deposit_node.html = deposit_card_node(resource).html
        super().show_resource(resource)

    def _make_fact_rows(self, resource: Transfer) -> list[Row]:
        """The rows of a transfer, without the status that the timeline shows."""
        was_funded = self.timeline.has_visited("started")
        rows = transfer_rows(resource, self._wallets, was_funded=was_funded)
        return [row for row in rows if row[0] != "Status"]

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
