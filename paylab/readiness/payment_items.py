"""Items: transfers, quotes, conversion accounts, deposits and amounts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from ..spec import codes, timestamps
from ..spec.money import check_amount, read_amount
from .facts import RequestFacts
from .history import History
from .item import Item, Observation, Situation, note_need, note_right, note_wrong

AMOUNT_CURRENCIES = {
    "source_amount": "source_currency",
    "net_source_amount": "source_currency",
    "destination_amount": "destination_currency",
    "amount": "currency",
}
"""The field with the currency of each amount of a request."""

DEPOSIT_MAX = {"mxn": Decimal(50), "php": Decimal(100)}
"""The highest sandbox deposit. Spec, Limits."""


def observe_slow_account(history: History) -> Iterator[Observation]:
    """Observe whether a conversion account with a 202 is polled until active, not made again."""
    for creating_request in history.of("conversion_accounts.create"):
        if creating_request.status != 202 or not creating_request.is_received:
            continue
        repetition = _find_early_repeat(history, creating_request)
        if repetition is not None:
            yield note_wrong(
                repetition, f"created again after the 202 of call {creating_request.number}"
            )
        else:
            yield from _observe_polling(history, creating_request)


def _find_early_repeat(history: History, creating_request: RequestFacts) -> RequestFacts | None:
    """The next request for the same account, if the first was not known to be active by then."""
    account_id = str(creating_request.answer.get("id"))
    repetition = _find_next_request(history, creating_request)
    if repetition is None or _is_known_active(history, account_id, repetition.sequence):
        return None
    return repetition


def _observe_polling(history: History, creating_request: RequestFacts) -> Iterator[Observation]:
    """Observe that an account was seen to be active after its creation; nothing if it was not."""
    account_id = str(creating_request.answer.get("id"))
    for seen_status in history.statuses_known(account_id):
        if seen_status.status in codes.OPENED and seen_status.sequence > creating_request.sequence:
            reading = history.first_reading(account_id, creating_request)
            yield note_right(
                reading or creating_request, f"polled until it was {seen_status.status}"
            )
            return


def _find_next_request(history: History, request: RequestFacts) -> RequestFacts | None:
    """The next request to create the same conversion account; None after the last one."""
    account_identity = _identify_account(request)
    for later_request in history.of("conversion_accounts.create"):
        is_later = later_request.sequence > request.sequence
        if is_later and _identify_account(later_request) == account_identity:
            return later_request
    return None


def _identify_account(request: RequestFacts) -> list[object]:
    """The fields that are equal in two requests for one conversion account."""
    field_names = ("individual_id", "payout_account", "source_currency")
    return [request.fields.get(field_name) for field_name in field_names]


def _is_known_active(history: History, object_id: str, before_sequence: int) -> bool:
    """Whether the integration knew, before a sequence, that a conversion account was active."""
    return any(
        seen_status.status in codes.OPENED and seen_status.sequence < before_sequence
        for seen_status in history.statuses_known(object_id)
    )


def observe_off_ramp(history: History) -> Iterator[Observation]:
    """Observe whether an off-ramp transfer waits until the individual has a crypto wallet."""
    for request in history.of("transfers.create"):
        if not history.is_off_ramp(request):
            continue
        if request.is_ok:
            yield note_right(request, "the wallet was there")
        elif request.status == 422 and "wallet" in str(request.answer).lower():
            yield note_wrong(request, "refused: there is no crypto_wallet on the network")


def observe_quotes(history: History) -> Iterator[Observation]:
    """Observe whether a quote that has expired is replaced by a new one."""
    for request in history.of("transfers.create"):
        quote_id = str(request.fields.get("quote_id") or "")
        is_refused_quote = request.status == 422 and "quote" in str(request.answer).lower()
        if not quote_id or not is_refused_quote:
            continue
        repetition = _find_next_transfer_by_quote(history, request)
        if repetition is None:
            yield note_need(request, "a new quote after one that was refused")
        elif repetition.fields.get("quote_id") == quote_id:
            observation_text = f"the quote of call {request.number} again, which had expired"
            yield note_wrong(repetition, observation_text)
        else:
            observation_text = f"a new quote in place of that of call {request.number}"
            yield note_right(repetition, observation_text, "a new quote after one that was refused")
    yield from _find_renewals(history)


def _find_next_transfer_by_quote(history: History, request: RequestFacts) -> RequestFacts | None:
    """The next request for a transfer by a quote with the same reference. None without one."""
    order_reference = request.fields.get("client_reference_id")
    for later_request in history.of("transfers.create"):
        is_later = later_request.sequence > request.sequence
        is_same_order = later_request.fields.get("client_reference_id") == order_reference
        if is_later and is_same_order and later_request.fields.get("quote_id"):
            return later_request
    return None


def _find_renewals(history: History) -> Iterator[Observation]:
    """Observe quotes that expired unused, and were replaced before the transfer."""
    used_ids = {request.fields.get("quote_id") for request in history.of("transfers.create")}
    for quote_request, renewal_request in pairwise(history.of("quotes.create")):
        expires_at = timestamps.read_or_none(quote_request.answer.get("expires_at"))
        is_unused = quote_request.answer.get("id") not in used_ids
        is_after_expiry = expires_at is not None and renewal_request.at >= expires_at
        if is_unused and is_after_expiry and renewal_request.is_ok:
            yield note_right(
                renewal_request, f"a new quote: that of call {quote_request.number} had expired"
            )


def observe_expired_transfers(history: History) -> Iterator[Observation]:
    """Observe whether a transfer that nobody funded in time is seen to be expired."""
    for request in history.of("transfers.create"):
        for seen_status in history.statuses_known(str(request.answer.get("id"))):
            if seen_status.status == "expired":
                expiry_record = history.record_at(seen_status.sequence)
                yield note_right(
                    expiry_record, f"the transfer of call {request.number} was seen to be expired"
                )
                break


def observe_amounts(history: History) -> Iterator[Observation]:
    """Observe whether amounts are text with no more decimals than their currency has."""
    for request in history.requests:
        for amount_field_name, currency_field_name in AMOUNT_CURRENCIES.items():
            amount = request.fields.get(amount_field_name)
            if request.method != "POST" or amount is None or _is_zero_or_less(amount):
                continue
            currency = request.fields.get(currency_field_name) or ""
            problems = check_amount(amount, currency, amount_field_name)
            if isinstance(amount, int | float):
                yield note_wrong(request, f"{amount_field_name} is the number {amount}, not text")
            elif problems:
                yield note_wrong(request, f"{amount_field_name} {problems[0].message}")
            else:
                yield note_right(request, f"{amount_field_name} is {amount!r}")


def _is_zero_or_less(amount: object) -> bool:
    """Whether the text of an amount is refused for its value, and not for its form."""
    return isinstance(amount, str) and (amount.startswith("-") or read_amount(amount) == 0)


def observe_deposits(history: History) -> Iterator[Observation]:
    """Observe whether sandbox deposits keep to the cap of their currency."""
    for request in history.of("sandbox.deposit"):
        amount = read_amount(request.fields.get("amount"))
        deposit_cap = DEPOSIT_MAX.get(str(request.fields.get("currency") or "").lower())
        if amount is None or deposit_cap is None:
            continue
        if amount > deposit_cap:
            yield note_wrong(request, f"{amount} is more than {deposit_cap}")
        else:
            yield note_right(request, f"{amount} of at most {deposit_cap}")


ITEMS = (
    Item(
        "payments.202",
        "A 202 is polled to the end, and not posted again",
        "202 with status pending while provisioning is in flight: poll until status is active. A "
        "202 is not stored, so a second POST makes a second account.",
        "spec: POST /v1/conversion_accounts",
        'Create a conversion account with the reference "scenario:slow".',
        needs="on-ramp",
        observe=observe_slow_account,
        situation=Situation("create a conversion account of the Philippines"),
    ),
    Item(
        "payments.wallet",
        "An off-ramp has its wallet first",
        "Creating an off-ramp transfer is rejected when the individual has no crypto_wallet on the "
        "source_network of the quote.",
        "spec: What the service does, 6",
        "Create a transfer from USDC.",
        needs="off-ramp",
        observe=observe_off_ramp,
        situation=Situation("pay from USDC"),
    ),
    Item(
        "payments.quote",
        "A stale quote is replaced",
        "A quote locks rate and fees for two minutes; a transfer with an expired one is refused.",
        "quote.operation",
        'Create a quote, then clock.advance("3m"), then pay.',
        needs="quotes",
        observe=observe_quotes,
        situation=Situation(
            "create a quote, and pay by it after the next pause",
            after="quotes.create",
            advance="3m",
        ),
    ),
    Item(
        "payments.deadline",
        "A transfer that expires is noticed",
        "When the funding deadline passes, an unfunded transfer expires; processing never began.",
        "spec: Transfer status",
        'Pay with the reference "scenario:expired".',
        needs="transfers",
        observe=observe_expired_transfers,
        situation=Situation(
            "create a transfer, and follow it", after="transfers.create", moves=("expired",)
        ),
    ),
    Item(
        "payments.amounts",
        "Amounts are text in the places of their currency",
        "Amounts, rates and fees are strings.",
        "spec: Resources and their fields",
        "Create a transfer.",
        needs="orders",
        observe=observe_amounts,
        situation=Situation("create a transfer"),
    ),
    Item(
        "payments.caps",
        "Sandbox deposits keep to their cap",
        "The sandbox deposit cap is 50 MXN for MX and 100 PHP for PH.",
        "spec: Limits",
        "Pay a sandbox deposit.",
        needs="sandbox deposits",
        observe=observe_deposits,
        situation=Situation("pay a sandbox deposit"),
    ),
)
