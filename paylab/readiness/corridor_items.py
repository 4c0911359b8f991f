"""Items: each corridor and rail in use, with a payment that completes and one that fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..spec.text import JsonMapping
from .facts import RecordFacts
from .history import History
from .item import Item, Observation, Situation, note_need, note_right

FINAL_STATUSES = ("completed", "failed")
"""How a payment of each corridor must have ended for the integration."""


def observe_payouts(history: History) -> Iterator[Observation]:
    """Observe, for each currency and rail of payouts from fiat, if one completes and one fails."""
    for request in history.of("transfers.create"):
        if request.is_ok and not history.is_off_ramp(request):
            corridor_text = _describe_destination(history.find_terms(request))
            yield from _observe_corridor(
                history, request, corridor_text, str(request.answer.get("id"))
            )


def observe_off_ramps(history: History) -> Iterator[Observation]:
    """Observe for each source and rail whether an off-ramp has completed, and one has failed."""
    for request in history.of("transfers.create"):
        if request.is_ok and history.is_off_ramp(request):
            payment_terms = history.find_terms(request)
            source_network = payment_terms.get("source_network")
            source_text = str(payment_terms["source_currency"]).upper()
            if source_network:
                source_text += f" on {source_network}"
            corridor_text = f"{source_text} to {_describe_destination(payment_terms)}"
            yield from _observe_corridor(
                history, request, corridor_text, str(request.answer.get("id"))
            )


def observe_on_ramps(history: History) -> Iterator[Observation]:
    """Observe, for each currency of conversion accounts, if one completes and one fails."""
    conversion_ids_by_account = _find_conversions_by_account(history)
    for request in history.of("conversion_accounts.create", "sandbox.deposit"):
        if not request.is_ok:
            continue
        payment_terms = history.find_terms(request)
        currency = payment_terms.get("source_currency") or payment_terms.get("currency")
        account_id = str(payment_terms.get("conversion_account_id") or payment_terms.get("id"))
        corridor_text = f"{str(currency).upper()} to a stablecoin"
        yield from _observe_corridor(
            history, request, corridor_text, *conversion_ids_by_account.get(account_id, ())
        )


def _describe_destination(terms: JsonMapping) -> str:
    """Describe the currency and the rail of a payout: "MXN by spei"."""
    currency = str(terms.get("destination_currency") or "").upper()
    return f"{currency} by {terms.get('payout_method')}"


def _find_conversions_by_account(history: History) -> Mapping[str, set[str]]:
    """The ids of the conversions that the integration received, by their conversion account."""
    conversion_ids_by_account: dict[str, set[str]] = {}
    for object_id in history.object_ids:
        conversion_fields = history.statuses_known(object_id)[0].seen_object
        if conversion_fields.get("conversion_account_id"):
            account_id = str(conversion_fields["conversion_account_id"])
            conversion_ids_by_account.setdefault(account_id, set()).add(object_id)
    return conversion_ids_by_account


def _observe_corridor(
    history: History, request: RecordFacts, corridor: str, *payment_ids: str
) -> Iterator[Observation]:
    """Observe that a corridor needs both statuses, and which of them its payments have shown."""
    for final_status in FINAL_STATUSES:
        yield note_need(request, f"{corridor}, {final_status}")
    for payment_id in payment_ids:
        for seen_status in history.statuses_known(payment_id):
            if seen_status.status in FINAL_STATUSES:
                subject_text = f"{corridor}, {seen_status.status}"
                yield note_right(
                    history.record_at(seen_status.sequence), subject_text, subject_text
                )


ITEMS = (
    Item(
        "payments.corridors",
        "Each payout corridor and rail in use ends well once, and badly once",
        "A terminal failure during processing sets failed and failure_reason.",
        "spec: Transfer status",
        'Pay with the reference "scenario:failed", and once without, and read both.',
        needs="payouts",
        observe=observe_payouts,
        situation=Situation(
            "create a transfer, and follow it",
            after="transfers.create",
            moves=("started", "failed"),
        ),
    ),
    Item(
        "payments.off-ramps",
        "Each off-ramp corridor and rail in use ends well once, and badly once",
        "The crypto wallet receives the stablecoins back when a transfer cannot be completed.",
        "spec: What the service does, 6",
        'Pay from USDC with the reference "scenario:failed", and once without, and read both.',
        needs="off-ramp",
        observe=observe_off_ramps,
        situation=Situation(
            "pay from USDC, and follow the transfer",
            after="transfers.create",
            moves=("started", "failed"),
        ),
    ),
    Item(
        "payments.on-ramps",
        "Each on-ramp corridor in use ends well once, and badly once",
        "Each deposit creates a conversion, which ends completed, or failed after a terminal "
        "failure.",
        "spec: Conversion status",
        'Pay a sandbox deposit with the sender_name "Scenario Failed", and once without, and read '
        "the conversions.",
        needs="on-ramp",
        observe=observe_on_ramps,
        situation=Situation(
            "pay a sandbox deposit, and follow its conversion",
            after="sandbox.deposit",
            moves=("failed",),
        ),
    ),
)
