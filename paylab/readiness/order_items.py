"""Items: keys of orders, and what is done when nobody knows whether an order was carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from uuid import UUID

from ..spec.codes import IDEMPOTENCY_HOURS
from .facts import RequestFacts, client_seconds
from .history import ORDER_OPERATIONS, History
from .item import Item, Observation, Situation, note_right, note_wrong

UNREPEATABLE = (
    "individuals.create",
    "financial_accounts.create",
    "webhook_subscriptions.create",
    "sandbox.deposit",
)
"""Operations that take no key: a repetition creates a second object."""

LOOKS = {
    "individuals.create": ("individuals.list",),
    "financial_accounts.create": ("individuals.get", "individuals.list"),
    "webhook_subscriptions.create": ("webhook_subscriptions.list",),
    "sandbox.deposit": ("conversions.list",),
    "transfers.create": ("transfers.list",),
    "conversion_accounts.create": ("conversion_accounts.list",),
}
"""The operations that tell whether a request was carried out. Other reads may be of a thread."""

ENDED = ("failed", "expired", "cancelled")
"""Statuses of a payment after which its order can be given again, with another key."""


def observe_keys(history: History) -> Iterator[Observation]:
    """Observe whether each order has an Idempotency-Key that is a UUID."""
    for request in history.orders:
        if not request.key:
            yield note_wrong(request, "has no Idempotency-Key")
        elif _is_uuid(request.key):
            yield note_right(request, "has an Idempotency-Key")
        else:
            yield note_wrong(request, "its Idempotency-Key is not a UUID of 36 characters")


def _is_uuid(key_text: str) -> bool:
    """Whether a key is a UUID of 36 characters. Spec, Idempotency, 4."""
    try:
        return str(UUID(key_text)) == key_text.lower()
    except ValueError:
        return False


def observe_keys_of_orders(history: History) -> Iterator[Observation]:
    """Observe whether a repeated order has the key of the request before it, unless that failed."""
    for order_requests in history.order_groups():
        for request in order_requests:
            later_request = history.next_of_order(request)
            # A 429 was refused before anything was paid.
            if later_request is None or request.status == 429:
                continue
            if not request.key or not later_request.key:  # `observe_keys` observes these
                continue
            if later_request.key == request.key:
                observation_text = f"the key of call {request.number}, for the same order"
                yield note_right(later_request, observation_text)
            elif _is_same_payment(history, request, later_request):
                observation_text = f"another key than call {request.number}, for the same order"
                yield note_wrong(later_request, observation_text)


def _is_same_payment(history: History, request: RequestFacts, later_request: RequestFacts) -> bool:
    """Whether two requests with different keys would pay one order twice.

    Without a reference, the same terms are another payment once the first was answered.
    """
    if _is_outcome_unknown(request):
        return True
    is_made_with_reference = request.is_ok and request.fields.get("client_reference_id")
    if not is_made_with_reference:
        return False
    payment_id = str(request.answer.get("id"))
    statuses_before = [
        seen_status.status
        for seen_status in history.statuses_known(payment_id)
        if seen_status.sequence < later_request.sequence
    ]
    has_ended = bool(statuses_before) and statuses_before[-1] in ENDED
    return not has_ended


def _is_outcome_unknown(request: RequestFacts) -> bool:
    """Whether nobody knows if a request was carried out: a lost answer, or a failure."""
    return request.is_lost or (request.status >= 500 and request.fault != "refuse")


def observe_orders_of_keys(history: History) -> Iterator[Observation]:
    """Observe whether each key stands for one order only."""
    first_request_by_key: dict[str, RequestFacts] = {}
    for request in history.orders:
        if not request.key:
            continue
        first_request = first_request_by_key.setdefault(
            f"{request.operation} {request.key}", request
        )
        if first_request.is_ok and first_request.order_identity != request.order_identity:
            yield note_wrong(request, f"the key of call {first_request.number}, with another order")
        elif request.verdict("idempotency") == "conflict":
            yield note_wrong(request, f"the key of call {first_request.number}, with another body")
        elif first_request is request and len(first_request_by_key) > 1:  # there are other keys
            yield note_right(request, "a key of its own")


def _make_loss_check(
    is_cause: Callable[[RequestFacts], bool],
) -> Callable[[History], Iterator[Observation]]:
    """Make the function of an item: an order whose answer was lost is sent again with its key.

    `is_cause` tells whether the answer to a request was lost in the way of this item. Looking in
    the list for the order is also right.
    """

    def observe(history: History) -> Iterator[Observation]:
        """Observe what followed each order whose answer was lost in this way."""
        for request in history.orders:
            if not request.is_lost or not is_cause(request):
                continue
            repetition = history.next_of_order(request)
            if repetition is None:
                yield from _find_list_reading(history, request, end=None)
            elif repetition.key and repetition.key == request.key:
                observation_text = f"the order of call {request.number} again, with its key"
                yield note_right(repetition, observation_text)
            else:
                list_observations = [*_find_list_reading(history, request, repetition)]
                yield from list_observations or [_observe_second_payment(request, repetition)]

    return observe


def _find_list_reading(
    history: History, request: RequestFacts, end: RequestFacts | None
) -> Iterator[Observation]:
    """Observe that the list was read after an order, to find out whether it was carried out.

    Nothing is observed if the list was not read before `end`; None is the end of the history.
    """
    list_operation = request.operation.replace(".create", ".list")
    for list_reading in history.between(request, end):
        is_list_operation = list_reading.operation == list_operation
        is_same_scope = list_reading.scope == request.scope
        if is_list_operation and is_same_scope and list_reading.is_ok:
            yield note_right(
                list_reading, f"looked in the list for the order of call {request.number}"
            )
            return


def _observe_second_payment(request: RequestFacts, repeat: RequestFacts) -> Observation:
    """Observe that an order whose answer was lost was sent again without its key."""
    key_text = "another key" if repeat.key else "no key"
    order_text = f"the order of call {request.number}, whose answer was lost"
    return note_wrong(repeat, f"{order_text}, again with {key_text}")


def observe_repeats_without_key(history: History) -> Iterator[Observation]:
    """Observe whether a request without a key is not sent again while its outcome is unknown."""
    for request in history.of(*UNREPEATABLE, *ORDER_OPERATIONS):
        if request.key or not _is_outcome_unknown(request):
            continue
        repetition = history.next_same(request)
        looking_operations = LOOKS[request.operation]
        has_looked = any(
            request_between.operation in looking_operations and request_between.is_ok
            for request_between in history.between(request, repetition)
        )
        if repetition is None or has_looked:
            yield note_right(request, "was not sent again blindly")
        else:
            yield note_wrong(
                repetition, f"call {request.number} again, which may have been carried out"
            )


def observe_repeats_after_conflict(history: History) -> Iterator[Observation]:
    """Observe whether the same request is not sent again after a 409."""
    for request in history.orders:
        if request.status != 409:
            continue
        repetition = history.next_same(request)
        if repetition is None:
            yield note_right(request, "the conflict ended it")
        else:
            key_text = "" if repetition.key == request.key else " with another key"
            mistake_text = f"the request of call {request.number} again{key_text}, which got a 409"
            yield note_wrong(repetition, mistake_text)


def observe_forgotten_keys(history: History) -> Iterator[Observation]:
    """Observe orders that are sent again after the service has forgotten their key, a mistake.

    From then on only the list tells whether a lost order was carried out: to read it is right.
    """
    first_request_by_key: dict[str, RequestFacts] = {}
    for request in history.orders:
        if not request.key:
            continue
        first_request = first_request_by_key.setdefault(request.key, request)
        if _count_hours(first_request, request) >= IDEMPOTENCY_HOURS and first_request.is_ok:
            yield note_wrong(
                request, f"the key of call {first_request.number}, after {IDEMPOTENCY_HOURS} hours"
            )
    for first_request in first_request_by_key.values():
        if first_request.is_lost:  # nobody knows whether it was carried out
            yield from _find_late_list_reading(history, first_request)


def _find_late_list_reading(history: History, lost_order: RequestFacts) -> Iterator[Observation]:
    """Observe that the list was read for an order when the service had forgotten its key.

    Nothing is observed if it was not.
    """
    for list_reading in history.of(lost_order.operation.replace(".create", ".list")):
        is_late = _count_hours(lost_order, list_reading) >= IDEMPOTENCY_HOURS
        if is_late and list_reading.scope == lost_order.scope:
            yield note_right(
                list_reading,
                f"looked in the list {IDEMPOTENCY_HOURS} hours after call {lost_order.number}",
            )
            return


def _count_hours(first_request: RequestFacts, later_request: RequestFacts) -> float:
    """The hours that passed for the integration: in a named test, by the clock of the world.

    Elsewhere by the clock that dates its requests: a program that has the time of the machine
    does not notice that a world's clock was advanced.
    """
    if later_request.test:
        return (later_request.at - first_request.at).total_seconds() / 3600
    return client_seconds(first_request, later_request) / 3600


LOST_ANSWER = 'faults.on("transfers.create", "drop_after", times=1)'

ITEMS = (
    Item(
        "orders.key",
        "Every order has an Idempotency-Key, which is a UUID",
        "POST /v1/transfers and POST /v1/conversion_accounts accept an Idempotency-Key header: "
        "only with it can an order be sent again without paying twice.",
        "spec: Idempotency",
        "Create a transfer.",
        needs="orders",
        observe=observe_keys,
        situation=Situation("create a transfer"),
    ),
    Item(
        "orders.one-key",
        "An order keeps its key",
        "The result of a successful request is returned for later requests with the same key; "
        "another key is another payment.",
        "spec: Idempotency, 1",
        f"Let an order be sent again: {LOST_ANSWER}.",
        needs="orders",
        observe=observe_keys_of_orders,
        situation=Situation(
            "create a transfer", {"kind": "drop_after", "operation": "transfers.create"}
        ),
    ),
    Item(
        "orders.one-order",
        "A key stands for one order",
        "The same key with a different body gives 409 Conflict.",
        "spec: Idempotency, 3",
        "Create two different transfers.",
        needs="orders",
        observe=observe_orders_of_keys,
        situation=Situation("create two different transfers"),
    ),
    Item(
        "orders.lost-answer",
        "After a lost answer the order is sent again with its key, or looked for in the list",
        "The status code and body of a successful response are stored and returned for later "
        "requests with the same key.",
        "spec: Idempotency, 1",
        f"Lose the answer of an order: {LOST_ANSWER}.",
        needs="orders",
        observe=_make_loss_check(lambda request: not request.is_own_timeout),
        holds_under_faults=True,
        situation=Situation(
            "create a transfer", {"kind": "drop_after", "operation": "transfers.create"}
        ),
    ),
    Item(
        "orders.timeout",
        "After a timeout of its own the order is sent again with its key, or looked for",
        "A client that stops waiting does not know whether the order was carried out.",
        "spec: Idempotency, 1",
        'Answer later than your timeout: faults.on("transfers.create", delay=60, times=1).',
        needs="orders",
        observe=_make_loss_check(lambda request: request.is_own_timeout),
        holds_under_faults=True,
        situation=Situation(
            "create a transfer",
            {"kind": "custom", "operation": "transfers.create", "delay": 120, "times": 1},
        ),
    ),
    Item(
        "orders.no-key",
        "What has no key is not sent again blindly",
        "Only POST /v1/transfers and POST /v1/conversion_accounts take a key: any other POST that "
        "is sent twice creates two objects.",
        "spec: Idempotency",
        'Lose the answer of another POST: faults.on("individuals.create", "drop_after", times=1).',
        needs="POST without a key",
        observe=observe_repeats_without_key,
        holds_under_faults=True,
        situation=Situation(
            "create an individual", {"kind": "drop_after", "operation": "individuals.create"}
        ),
    ),
    Item(
        "orders.conflict",
        "A 409 ends the order",
        "The same key with a different body gives 409 Conflict: it will give it again.",
        "spec: Idempotency, 3",
        'Answer an order with 409: faults.on("transfers.create", status=409, times=1).',
        needs="orders",
        observe=observe_repeats_after_conflict,
        holds_under_faults=True,
        situation=Situation(
            "create a transfer", {"kind": "status", "operation": "transfers.create", "status": 409}
        ),
    ),
    Item(
        "orders.24-hours",
        "After 24 hours the list is asked, and the key is not used any more",
        "Stored results expire after 24 hours: the same key pays again then.",
        "spec: Idempotency, 5",
        f"In a test with a name, lose an answer ({LOST_ANSWER}), stop, and go on after "
        'clock.advance("25h").',
        needs="orders",
        observe=observe_forgotten_keys,
        holds_under_faults=True,
    ),
)
