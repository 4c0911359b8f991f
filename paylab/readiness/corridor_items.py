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
            corridor = _describe_destination(history.find_terms(request))
            yield from _observe_corridor(history, request, corridor, str(request.answer.get("id")))


def observe_off_ramps(history: History) -> Iterator[Observation]:
    """Observe for each source and rail whether an off-ramp has completed, and one has failed."""
    for request in history.of("transfers.create"):
        if request.is_ok and history.is_off_ramp(request):
            terms = history.find_terms(request)
            network = terms.get("source_network")
            source_text = str(terms["source_currency"]).upper()
            if network:
                source_text += f" on {network}"
            corridor = f"{source_text} to {_describe_destination(terms)}"
            yield from _observe_corridor(history, request, corridor, str(request.answer.get("id")))


def observe_on_ramps(history: History) -> Iterator[Observation]:
    """Observe, for each currency of conversion accounts, if one completes and one fails."""
    conversion_ids = _find_conversions_by_account(history)
    for request in history.of("conversion_accounts.create", "sandbox.deposit"):
        if not request.is_ok:
            continue
        terms = history.find_terms(request)
        currency = terms.get("source_currency") or terms.get("currency")
        account_id = str(terms.get("conversion_account_id") or terms.get("id"))
        corridor = f"{str(currency).upper()} to a stablecoin"
        yield from _observe_corridor(
            history, request, corridor, *conversion_ids.get(account_id, ())
        )


def _describe_destination(terms: JsonMapping) -> str:
    """Describe the currency and the rail of a payout: "MXN by spei"."""
    currency = str(terms.get("destination_currency") or "").upper()
    return f"{currency} by {terms.get('payout_method')}"


def _find_conversions_by_account(history: History) -> Mapping[str, set[str]]:
    """The ids of the conversions that the integration received, by their conversion account."""
    conversion_ids: dict[str, set[str]] = {}
    for object_id in history.object_ids:
        conversion = history.statuses_known(object_id)[0].seen_object
        if conversion.get("conversion_account_id"):
            account_id = str(conversion["conversion_account_id"])
            conversion_ids.setdefault(account_id, set()).add(object_id)
    return conversion_ids


def _observe_corridor(
    history: History, request: RecordFacts, corridor: str, *payment_ids: str
) -> Iterator[Observation]:
    """Observe that a corridor needs both statuses, and which of them its payments have shown."""
    for outcome in FINAL_STATUSES:
        yield note_need(request, f"{corridor}, {outcome}")
    for payment_id in payment_ids:
        for seen_status in history.statuses_known(payment_id):
            if seen_status.status in FINAL_STATUSES:
                subject = f"{corridor}, {seen_status.status}"
                yield note_right(history.record_at(seen_status.sequence), subject, subject)


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
