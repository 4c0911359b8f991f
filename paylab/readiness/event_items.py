"""Items: how events are received.

An event is taken if the receiver answers a delivery of it with a 2xx. An event is delivered in one
or more attempts; each attempt is a `NoteFacts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..spec.codes import EVENT_TYPES
from .facts import NoteFacts, RequestFacts, gap_seconds
from .history import History
from .item import Item, Observation, Situation, note_right, note_wrong

LISTED_EVENTS = "conversion."
"""The types of events whose objects can be read in a list only."""

VERIFYING_SECONDS = 60
"""A later reading is no longer the handling of the event."""


def _find_fault_kinds_by_event(history: History) -> dict[str, list[str]]:
    """The kinds of faults that were applied to each event."""
    fault_kinds_by_event: dict[str, list[str]] = {}
    for fault_note in history.controls("fault_fired"):
        if fault_note["event_id"]:
            fault_kinds_by_event.setdefault(str(fault_note["event_id"]), []).append(
                str(fault_note["fault"])
            )
    return fault_kinds_by_event


def _read_state(delivery: NoteFacts) -> tuple[str, ...]:
    """The type of an event, and the id, status and `updated_at` of its object.

    Events have no id: two deliveries with equal values are the same event. Assumption
    `webhook.identity`.
    """
    payload = delivery.payload
    state_field_names = ("id", "status", "updated_at")
    return (
        str(delivery["event_type"]),
        *(str(payload.get(field_name)) for field_name in state_field_names),
    )


def observe_duplicates(history: History) -> Iterator[Observation]:
    """Observe whether the second delivery of an event is taken, and no action is repeated."""
    first_delivery_by_key: dict[tuple[str, ...], NoteFacts] = {}
    for delivery in history.deliveries:
        delivery_key = (str(delivery["url"]), *_read_state(delivery))
        first_delivery = first_delivery_by_key.get(delivery_key)
        if first_delivery is not None and delivery.is_refused:
            yield note_wrong(delivery, f"answered {delivery['status']}; the first was taken")
        elif first_delivery is not None and delivery.is_taken:
            repetition = _find_repeated_action(history, first_delivery, delivery)
            if repetition is None:
                yield note_right(delivery, "taken, and nothing was done twice")
            else:
                observation_text = f"done again after the duplicate, delivery {delivery.sequence}"
                yield note_wrong(repetition, observation_text)
        if delivery.is_taken:  # later ones do not replace the first
            first_delivery_by_key.setdefault(delivery_key, delivery)


def _find_repeated_action(
    history: History, first_delivery: NoteFacts, second_delivery: NoteFacts
) -> RequestFacts | None:
    """Find a POST that was sent after both deliveries of an event; None if there is none.

    A POST with the same Idempotency-Key does not count: the service carries it out once.
    """
    first_action_by_order = {
        request.order_identity: request
        for request in history.between(first_delivery, second_delivery)
        if request.method == "POST" and request.is_ok
    }
    for request in history.between(second_delivery, None):
        earlier_action = first_action_by_order.get(request.order_identity)
        is_action = request.method == "POST" and request.is_ok
        if earlier_action is not None and is_action:
            has_same_key = bool(request.key) and request.key == earlier_action.key
            return None if has_same_key else request  # only the first repetition is judged
    return None


def observe_late_events(history: History) -> Iterator[Observation]:
    """Observe whether an event that comes late is taken."""
    fault_kinds_by_event = _find_fault_kinds_by_event(history)
    for event_id, attempts in history.attempts_by_event.items():
        if "event_delay" in fault_kinds_by_event.get(event_id, ()):
            yield from _observe_attempts(attempts, "late")


def observe_order_of_events(history: History) -> Iterator[Observation]:
    """Observe whether an event that comes after a newer one of its object is taken."""
    newest_event_by_pair: dict[tuple[str, str], NoteFacts] = {}
    for delivery in history.deliveries:
        event = history.events.get(str(delivery["event_id"]))
        if event is None:
            continue
        receiver_and_object = (str(delivery["url"]), str(delivery["resource_id"]))
        newest_event = newest_event_by_pair.get(receiver_and_object)
        if newest_event is not None and newest_event.sequence > event.sequence:
            yield from _observe_overtaken(history, delivery)
        elif delivery.is_taken:
            newest_event_by_pair[receiver_and_object] = event


def _observe_overtaken(history: History, delivery: NoteFacts) -> Iterator[Observation]:
    """Observe a delivery that came after a newer event of its object: it should be taken.

    It is broken only if no attempt to deliver the event was taken.
    """
    attempts = history.attempts_by_event[str(delivery["event_id"])]
    is_first_attempt = delivery is attempts[0]
    # A redelivery was asked for, so it is late by intention and shows nothing.
    if delivery.is_taken and delivery["cause"] != "redelivery":
        yield note_right(delivery, "taken after a newer event of the same object")
    elif delivery.is_refused and is_first_attempt and not _find_taken(attempts):
        yield note_wrong(
            delivery, f"answered {delivery['status']} after a newer event of the same object"
        )


def observe_unknown_types(history: History) -> Iterator[Observation]:
    """Observe whether an event of a type that the spec does not name is taken."""
    for attempts in history.attempts_by_event.values():
        event_type = str(attempts[0]["event_type"])
        if event_type not in EVENT_TYPES:
            yield from _observe_attempts(attempts, f"the type {event_type!r}")


def _find_taken(attempts: Sequence[NoteFacts]) -> list[NoteFacts]:
    """The attempts that the receiver answered with a 2xx."""
    return [attempt for attempt in attempts if attempt.is_taken]


def _observe_attempts(
    attempts: Sequence[NoteFacts], observation_text: str
) -> Iterator[Observation]:
    """Observe the attempts to deliver one event: one is taken, or else the refusals are broken.

    Nothing is observed if no attempt was answered. `observation_text` says what is odd in it.
    """
    taken_attempts = _find_taken(attempts)
    refused_attempts = [attempt for attempt in attempts if attempt.is_refused]
    if taken_attempts:
        yield note_right(taken_attempts[0], f"{observation_text}: taken")
    elif refused_attempts:
        first_refused_attempt = refused_attempts[0]
        yield note_wrong(
            first_refused_attempt, f"{observation_text}: answered {first_refused_attempt['status']}"
        )


def observe_lost_events(history: History) -> Iterator[Observation]:
    """Observe that the object of an event that a fault dropped was read after the event."""
    for event_id, fault_kinds in _find_fault_kinds_by_event(history).items():
        event = history.events.get(event_id)
        if event is None or "event_drop" not in fault_kinds:
            continue
        reading = history.first_reading(str(event["resource_id"]), event)
        if reading is not None:
            yield note_right(reading, f"read although {event['event_type']} was lost")


def observe_retries_after_outage(history: History) -> Iterator[Observation]:
    """Observe whether the retry of an event is taken after an outage of the receiver."""
    for attempts in history.attempts_by_event.values():
        failed_attempts = [attempt for attempt in attempts if not attempt.is_taken]
        if not failed_attempts:
            continue
        first_failed_attempt = failed_attempts[0]
        later_attempts = [
            attempt for attempt in attempts if attempt.sequence > first_failed_attempt.sequence
        ]
        taken_attempts = _find_taken(later_attempts)
        # A 5xx is another failure of the receiver, and no refusal of the event.
        refused_attempts = [
            later_attempt
            for later_attempt in later_attempts
            if 300 <= (later_attempt["status"] or 0) < 500
        ]
        if taken_attempts:
            taken_attempt = taken_attempts[0]
            yield note_right(taken_attempt, f"attempt {taken_attempt['attempt']} is taken")
        elif refused_attempts and _is_outage(first_failed_attempt):
            refused_attempt = refused_attempts[0]
            observation_text = (
                f"attempt {refused_attempt['attempt']} is answered {refused_attempt['status']}, "
                "after an outage"
            )
            yield note_wrong(refused_attempt, observation_text)


def _is_outage(attempt: NoteFacts) -> bool:
    """Whether the receiver gave no answer or failed, and did not refuse the event itself."""
    return attempt["status"] is None or attempt["status"] >= 500


def observe_readings_after_events(history: History) -> Iterator[Observation]:
    """Observe whether the object of an event is read soon after its delivery, alone if possible."""
    for delivery in history.deliveries:
        object_id = str(delivery["resource_id"])
        if str(delivery["event_type"]).startswith(LISTED_EVENTS):
            reading = history.first_reading(object_id, delivery)
        else:
            reading = history.first_reading_alone(object_id, delivery)
        if reading is None or not delivery.is_taken:
            continue
        if gap_seconds(delivery, reading) <= VERIFYING_SECONDS:
            yield note_right(reading, f"read after {delivery['event_type']}")


def observe_answers(history: History) -> Iterator[Observation]:
    """Observe whether the receiver answers events with a 2xx in time."""
    for attempts in history.attempts_by_event.values():
        taken_attempts = _find_taken(attempts)
        if taken_attempts:
            first_taken_attempt = taken_attempts[0]
            yield note_right(
                first_taken_attempt,
                f"{first_taken_attempt['event_type']} is answered {first_taken_attempt['status']}",
            )
    if any(delivery.is_taken for delivery in history.deliveries):
        return
    for delivery in history.deliveries:
        if delivery.is_refused:
            yield note_wrong(delivery, f"answered {delivery['status']}, and no event was taken")
            return


ITEMS = (
    Item(
        "events.taken",
        "Events are answered with a 2xx",
        "Each delivery is an HTTP POST; any 2xx within 10 s is success.",
        "webhook.delivery",
        "Subscribe, and create a transfer.",
        needs="events",
        observe=observe_answers,
        situation=Situation("create a transfer"),
    ),
    Item(
        "events.duplicate",
        "A duplicate is taken and does nothing",
        "Events carry no id or timestamp; one that was delivered may come again.",
        "webhook.identity",
        'faults.on("transfer.completed", "event_duplicate"), or deliveries.redeliver().',
        needs="events",
        observe=observe_duplicates,
        situation=Situation("create a transfer", {"kind": "event_duplicate"}),
    ),
    Item(
        "events.late",
        "A late event is taken",
        "Retries and their times are not shown by the spec: an event may be old when it comes.",
        "webhook.delivery",
        'faults.on("transfer.completed", "event_delay", seconds=60).',
        needs="events",
        observe=observe_late_events,
        situation=Situation("create a transfer", {"kind": "event_delay", "seconds": 5}),
    ),
    Item(
        "events.order",
        "An event that comes after a newer one is taken",
        "The payload is a snapshot at the time of the event: order is not promised.",
        "webhook.order",
        'faults.on("transfer.funded", "event_reorder").',
        needs="events",
        observe=observe_order_of_events,
        situation=Situation(
            "create a transfer", {"kind": "event_reorder", "event_type": "transfer.created"}
        ),
    ),
    Item(
        "events.unknown",
        "An event of an unknown type is taken",
        "Types can be added: a receiver that refuses one gets it again and again.",
        "spec: Events",
        'Send an event of a type of your own: send_event("transfer.reversed", transfer.id).',
        needs="events",
        observe=observe_unknown_types,
        situation=Situation("go on", event="transfer.reversed"),
    ),
    Item(
        "events.lost",
        "A lost event is made up for by polling",
        "Polling is an alternative to webhooks; delivery is not promised.",
        "spec: Events",
        'faults.on("transfer.completed", "event_drop").',
        needs="events",
        observe=observe_lost_events,
        situation=Situation("create a transfer, and read it", {"kind": "event_drop"}),
    ),
    Item(
        "events.outage",
        "After an outage of the receiver the retry is taken",
        "A delivery that fails is tried again after 5 s, 30 s and 5 min, then given up.",
        "webhook.delivery",
        'faults.on("transfer.created", "event_outage", seconds=10).',
        needs="events",
        observe=observe_retries_after_outage,
        situation=Situation(
            "create a transfer", {"kind": "event_outage", "seconds": 3, "times": 0}
        ),
    ),
    Item(
        "events.verified",
        "An event is verified by reading its object",
        "The signing of deliveries is not shown by the spec: anybody can post an event.",
        "webhook.delivery",
        "Read the object of an event before you act on it.",
        needs="events",
        observe=observe_readings_after_events,
        situation=Situation("create a transfer"),
    ),
)
