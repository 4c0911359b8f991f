"""The terms of quotes and transfers as rows: amounts, fees, rate, rail, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from ...corridors import countries
from ...spec import codes
from ...spec.models import Balance, FinancialAccount, Quote, Transfer
from ..html import Row

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


def quote_rows(quote: Quote) -> list[Row]:
    """Rows of a quote: source amount, fees, taxes, rate, destination amount and expiry."""
    rows_of_quote = [*_price_rows(quote, QUOTE_LABELS), *_rail_rows(quote.payout_method)]
    if quote.expires_at:
        rows_of_quote.append(("Holds until", datetime_text(quote.expires_at)))
    return rows_of_quote


def transfer_rows(
    transfer: Transfer,
    wallets: Sequence[FinancialAccount] = (),
    *,
    was_funded: bool | None = None,
    balance: Balance | None = None,
) -> list[Row]:
    """Rows of a transfer: status with its meaning, and terms; unknown values are left out.

    `was_funded` is None if its history does not tell. `balance` is the one that it waits for; None
    if it does not wait or the balance is not known.
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
        ("Balance", "" if balance is None else _balance_text(balance)),
        ("What to do", _advice_sentence(transfer, balance)),
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


def waits_for_balance(transfer: Transfer) -> bool:
    """Whether a transfer waits for funds of the account, and not for a deposit."""
    return transfer.status == "awaiting_funds" and transfer.deposit_instructions is None


def missing_amount(balance: Balance) -> Decimal:
    """How much more the payouts that await funds need; 0 if nothing is known of them."""
    awaited_amount = Decimal(balance.awaiting_funds or 0)
    available_amount = Decimal(balance.available or 0)
    return max(awaited_amount - available_amount, Decimal(0))


def _balance_text(balance: Balance) -> str:
    """What is available, what the payouts that wait need, and what is missing."""
    currency = balance.currency
    return (
        f"{balance.available} {currency} available, payouts wait for {balance.awaiting_funds} "
        f"{currency}: {missing_amount(balance)} {currency} missing"
    )


def _advice_sentence(transfer: Transfer, balance: Balance | None) -> str:
    """What to do about a payout that awaits funds or was not carried out; empty for any other."""
    if transfer.status in UNPAID_STATUSES:
        return f'lab.transfers.create() with the same order and new="{transfer.id}" pays it again.'
    if not waits_for_balance(transfer):
        return ""
    currency = transfer.source_currency or "its currency"
    start_sentence = f"It starts when it is funded from the balance in {currency}"
    if balance is not None:
        return (
            f'{start_sentence}: lab.balance().top_up("{missing_amount(balance)}", "{currency}") '
            "adds what is missing."
        )
    return (
        f"{start_sentence}: lab.balance() shows the balance. A simulator without a balance funds "
        "every payout; if its balance is too low, "
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
        (source_label, money_text(terms.source_amount, source_currency)),
        ("Fee", money_text(terms.total_fee, terms.fee_currency)),
        ("Tax", money_text(terms.total_tax, terms.tax_currency)),
        ("After fee and tax", money_text(terms.net_source_amount, source_currency)),
        ("Rate", "" if rate is None else f"1 {source_currency} = {rate} {destination_currency}"),
        (recipient_label, money_text(terms.destination_amount, destination_currency)),
    ]
    return [(label, text) for label, text in labels_and_texts if text]


def money_text(amount: object, currency: str | None) -> str:
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
    amount_text = money_text(transfer.source_amount, currency)
    if not codes.is_stablecoin(currency):
        return [("Goes back", RETURN_NOT_STATED.format(amount_text))]
    wallet_details = [wallet.details or {} for wallet in wallets]
    addresses = [
        f"{details.get('address')} on {details.get('network')}" for details in wallet_details
    ]
    target_text = " or ".join(addresses) or "the recipient's crypto wallet on the source network"
    return [("Goes back", f"{amount_text} to {target_text}; the service sends no event for that")]
