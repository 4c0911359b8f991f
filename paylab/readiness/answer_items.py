"""Items: odd answers and events, which a program must survive.

An object is odd if it has something that the specification does not show, or lacks a value. An
event is taken if the receiver answers its delivery with a 2xx.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from ..spec import codes
from ..spec.text import JsonMapping
from .facts import NoteFacts, RequestFacts
from .history import History
from .item import Item, Observation, Situation, note_need, note_right, note_wrong

STATUSES: Mapping[str, frozenset[str]] = {
    "individuals": frozenset(codes.INDIVIDUAL_STATUSES),
    "transfers": frozenset(codes.TRANSFER_STATUSES),
    "conversions": frozenset(codes.CONVERSION_STATUSES),
    "conversion_accounts": frozenset({*codes.CONVERSION_ACCOUNT_STATUSES, *codes.OPENED}),
}
"""The statuses of each resource that the spec names, and those that every reader tolerates."""

RESOURCES_OF_EVENTS = {
    "transfer": "transfers",
    "conversion": "conversions",
    "individual": "individuals",
}

ODD_TRANSFER = {"id": "tr_odd", "status": "on_hold", "source_amount": "10.00", "risk": 1}
"""A transfer with an unknown status and field, and without fields that have no value."""

OPTIONAL_FIELDS = (
    "client_reference_id",
    "completed_in",
    "failure_reason",
    "settlement_reference_id",
    "total_tax",
    "tax_currency",
)
"""Fields of a transfer that have no value in some states. Spec, Transfer."""


def _find_resource(message: RequestFacts | NoteFacts) -> str:
    """Find the resource of an answer or an event, such as "transfers"; "" for an unknown event."""
    if isinstance(message, RequestFacts):
        return message.operation.partition(".")[0]
    family_name = str(message["event_type"]).partition(".")[0]
    return RESOURCES_OF_EVENTS.get(family_name, "")


def _find_messages(history: History) -> Iterator[tuple[RequestFacts | NoteFacts, JsonMapping]]:
    """Yield (answer or delivery, object in it) for each object that the integration received."""
    for request in history.requests:
        if request.is_ok and request.is_received:
            for received_object in request.objects:
                yield request, received_object
    for delivery in history.deliveries:
        if delivery.payload:
            yield delivery, delivery.payload


def _make_survival_check(
    describe_oddity: Callable[[str, JsonMapping], str],
) -> Callable[[History], Iterator[Observation]]:
    """Make the function of an item: the program goes on after it received an odd object.

    `describe_oddity` takes a resource and an object, and says what is odd in it; "" if nothing is.
    """

    def observe(history: History) -> Iterator[Observation]:
        """Observe what followed each odd object, in answers and in deliveries."""
        deliveries_and_oddities: list[tuple[NoteFacts, str]] = []
        for message, received_object in _find_messages(history):
            oddity_text = describe_oddity(_find_resource(message), received_object)
            if isinstance(message, NoteFacts):
                # Usual deliveries, too: they show whether the receiver works at all.
                deliveries_and_oddities.append((message, oddity_text))
            elif oddity_text and history.next_of_program(message) is not None:
                yield note_right(message, f"{oddity_text}: the program went on")
        yield from _observe_odd_deliveries(deliveries_and_oddities)

    return observe


def _observe_odd_deliveries(
    deliveries_and_oddities: Sequence[tuple[NoteFacts, str]],
) -> Iterator[Observation]:
    """Observe what the receiver did with odd deliveries; the oddity of a usual one is "".

    A receiver that takes usual events, and never an odd one, is broken by its refusals.
    """
    odd_pairs = [
        (delivery, oddity_text) for delivery, oddity_text in deliveries_and_oddities if oddity_text
    ]
    taken_pairs = [
        (delivery, oddity_text) for delivery, oddity_text in odd_pairs if delivery.is_taken
    ]
    for delivery, oddity_text in taken_pairs:
        yield note_right(delivery, f"{oddity_text}: taken")
    is_usual_taken = any(
        delivery.is_taken for delivery, oddity_text in deliveries_and_oddities if not oddity_text
    )
    if taken_pairs or not is_usual_taken:
        return
    for delivery, oddity_text in odd_pairs:
        if delivery.is_refused:
            yield note_wrong(delivery, f"{oddity_text}: answered {delivery['status']}")


def _describe_unknown_status(resource: str, received_object: JsonMapping) -> str:
    """Name the status of an object if the spec does not have it; else ""."""
    status = received_object.get("status")
    known_statuses = STATUSES.get(resource)
    if known_statuses is None or not isinstance(status, str) or status.lower() in known_statuses:
        return ""
    return f"the status {status!r}"


def _describe_unknown_field(resource: str, received_object: JsonMapping) -> str:
    """Name the first field of an object that the spec does not have; "" if there is none."""
    known_field_names = _list_known_fields().get(resource)
    if known_field_names is None or "status" not in received_object:
        return ""
    unknown_names = sorted(received_object.keys() - known_field_names)
    return f"the field {unknown_names[0]!r}" if unknown_names else ""


@cache
def _list_known_fields() -> Mapping[str, frozenset[str]]:
    """The fields of each resource that has a status, by the name of the resource."""
    from ..spec import models  # pydantic is not needed to look at a report

    status_change_fields = models.StatusChange.model_fields
    fields_by_resource = {
        "transfers": models.Transfer.model_fields,
        "conversions": models.Conversion.model_fields,
        "conversion_accounts": models.ConversionAccount.model_fields,
        "individuals": {**models.Individual.model_fields, **status_change_fields},
    }
    return {
        resource_name: frozenset(model_fields)
        for resource_name, model_fields in fields_by_resource.items()
    }


def _describe_null_field(resource: str, transfer: JsonMapping) -> str:
    """Name the first optional field of a transfer that is null; "" if no field is.

    "" also for an object of another resource.
    """
    null_names = [
        field_name
        for field_name in OPTIONAL_FIELDS
        if field_name in transfer and transfer[field_name] is None
    ]
    return f"{null_names[0]} is null" if resource == "transfers" and null_names else ""


def _describe_absent_field(resource: str, transfer: JsonMapping) -> str:
    """Name the first optional field that a transfer does not have; "" if it has all of them."""
    absent_names = [field_name for field_name in OPTIONAL_FIELDS if field_name not in transfer]
    is_transfer = resource == "transfers" and "source_amount" in transfer  # no status change
    return f"{absent_names[0]} is absent" if is_transfer and absent_names else ""


def observe_spoiled_bodies(history: History) -> Iterator[Observation]:
    """Observe whether the program goes on after a body that is cut or is no JSON."""
    for request in history.requests:
        if not request.is_spoiled:
            continue
        subject_text = "a body that is cut" if request.row.get("sent") == "part" else "no JSON"
        if history.next_of_program(request) is not None:
            yield note_right(request, f"{subject_text}: the program went on", subject_text)
        else:
            yield note_need(request, subject_text)


ITEMS = (
    Item(
        "answers.spoiled",
        "An answer that is cut or is no JSON does not end the program",
        "The shape of most error bodies is not shown by the spec; a proxy may answer with HTML.",
        "errors.body",
        'Cut a body: faults.on("transfers.list", "truncate", times=1); send a page: '
        'faults.on("transfers.list", "html", times=1).',
        observe=observe_spoiled_bodies,
        holds_under_faults=True,
        situation=Situation(
            "read the transfers twice", {"kind": "html", "operation": "transfers.list"}
        ),
    ),
    Item(
        "answers.statuses",
        "A status that the spec does not name does not end the program",
        "Moves and further states are not shown for every resource: a new one may come.",
        "ca.states",
        'Answer with a status of your own: faults.on("transfers.get", body={"id": "tr_1", '
        '"status": "on_hold"}).',
        observe=_make_survival_check(_describe_unknown_status),
        holds_under_faults=True,
        situation=Situation(
            "read one transfer, and go on",
            {"kind": "custom", "operation": "transfers.get", "body": ODD_TRANSFER, "times": 1},
        ),
    ),
    Item(
        "answers.fields",
        "A field that the spec does not name does not end the program",
        "The version is in the path: fields can be added to /v1 at any time.",
        "spec: Versioning",
        'Answer with one more field: faults.on("transfers.get", body={"id": "tr_1", '
        '"status": "started", "risk": 1}).',
        observe=_make_survival_check(_describe_unknown_field),
        holds_under_faults=True,
        situation=Situation(
            "read one transfer, and go on",
            {"kind": "custom", "operation": "transfers.get", "body": ODD_TRANSFER, "times": 1},
        ),
    ),
    Item(
        "answers.nulls",
        "Fields without a value may be null",
        "Event payload fields without a value are null, for example completed_in.",
        "spec: Events",
        "Create a transfer and read it.",
        needs="transfers",
        observe=_make_survival_check(_describe_null_field),
        holds_under_faults=True,
        situation=Situation("create a transfer and read it"),
    ),
    Item(
        "answers.absent",
        "Fields without a value may be absent",
        "Fields with no value are omitted from individual responses; for transfers the spec "
        "leaves it open.",
        "transfer.nulls",
        'Leave them out: faults.on("transfers.get", body={"id": "tr_1", "status": "started", '
        '"source_amount": "10.00"}).',
        needs="transfers",
        observe=_make_survival_check(_describe_absent_field),
        holds_under_faults=True,
        situation=Situation(
            "read one transfer, and go on",
            {"kind": "custom", "operation": "transfers.get", "body": ODD_TRANSFER, "times": 1},
        ),
    ),
)
