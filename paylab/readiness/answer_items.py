"""Items: answers and events that are not as usual, and that a program must survive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from ..spec import codes
from ..spec.text import JsonMapping
from .facts import NoteFacts, RequestFacts
from .history import History
from .item import Item, Observation, Situation, broken, needed, shown

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


def _resource_of(record: RequestFacts | NoteFacts) -> str:
    """The resource of the objects in an answer or an event. Empty if there is none."""
    if isinstance(record, RequestFacts):
        return record.operation.partition(".")[0]
    name = str(record["event_type"]).partition(".")[0]
    return RESOURCES_OF_EVENTS.get(name, "")


def _find_messages(history: History) -> Iterator[tuple[RequestFacts | NoteFacts, JsonMapping]]:
    """The objects that the integration received, in answers and in deliveries."""
    for request in history.requests:
        if request.is_ok and request.is_received:
            for item in request.objects:
                yield request, item
    for delivery in history.deliveries:
        if delivery.payload:
            yield delivery, delivery.payload


def _make_survival_check(
    describe: Callable[[str, JsonMapping], str],
) -> Callable[[History], Iterator[Observation]]:
    """The function of an item: the program goes on after an object that `describe` describes."""

    def judge(history: History) -> Iterator[Observation]:
        refused_deliveries: list[tuple[NoteFacts, str]] = []
        is_taken = False
        has_usual = False
        for record, item in _find_messages(history):
            text = describe(_resource_of(record), item)
            if isinstance(record, NoteFacts):
                is_taken |= bool(text) and record.is_taken
                has_usual |= not text and record.is_taken
                if text and record.is_refused:
                    refused_deliveries.append((record, text))
                if text and record.is_taken:
                    yield shown(record, f"{text}: taken")
            elif text and history.survivor(record) is not None:
                yield shown(record, f"{text}: the program went on")
        # A receiver that takes other events, and none like this one, does not stand it.
        if has_usual and not is_taken:
            for delivery, text in refused_deliveries:
                yield broken(delivery, f"{text}: answered {delivery['status']}")

    return judge


def _unknown_status(resource: str, item: JsonMapping) -> str:
    status = item.get("status")
    known = STATUSES.get(resource)
    if known is None or not isinstance(status, str) or status.lower() in known:
        return ""
    return f"the status {status!r}"


def _unknown_field(resource: str, item: JsonMapping) -> str:
    known = _known_fields().get(resource)
    if known is None or "status" not in item:
        return ""
    names = sorted(item.keys() - known)
    return f"the field {names[0]!r}" if names else ""


@cache
def _known_fields() -> Mapping[str, frozenset[str]]:
    """The fields of each resource that has a status."""
    from ..spec import models  # pydantic is not needed to look at a report

    change = models.StatusChange.model_fields
    resources = {
        "transfers": models.Transfer.model_fields,
        "conversions": models.Conversion.model_fields,
        "conversion_accounts": models.ConversionAccount.model_fields,
        "individuals": {**models.Individual.model_fields, **change},
    }
    return {name: frozenset(fields) for name, fields in resources.items()}


def _null_field(resource: str, item: JsonMapping) -> str:
    names = [name for name in OPTIONAL_FIELDS if name in item and item[name] is None]
    return f"{names[0]} is null" if resource == "transfers" and names else ""


def _absent_field(resource: str, item: JsonMapping) -> str:
    names = [name for name in OPTIONAL_FIELDS if name not in item]
    is_transfer = resource == "transfers" and "source_amount" in item
    return f"{names[0]} is absent" if is_transfer and names else ""


def judge_spoiled(history: History) -> Iterator[Observation]:
    """After a body that is cut or is no JSON, the program goes on."""
    for request in history.requests:
        if not request.is_spoiled:
            continue
        subject = "a body that is cut" if request.row.get("sent") == "part" else "no JSON"
        if history.survivor(request) is not None:
            yield shown(request, f"{subject}: the program went on", subject)
        else:
            yield needed(request, subject)


ITEMS = (
    Item(
        "answers.spoiled",
        "An answer that is cut or is no JSON does not end the program",
        "The shape of most error bodies is not shown by the spec; a proxy may answer with HTML.",
        "errors.body",
        'Cut a body: faults.on("transfers.list", "truncate", times=1); send a page: '
        'faults.on("transfers.list", "html", times=1).',
        judge=judge_spoiled,
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
        judge=_make_survival_check(_unknown_status),
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
        judge=_make_survival_check(_unknown_field),
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
        judge=_make_survival_check(_null_field),
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
        judge=_make_survival_check(_absent_field),
        holds_under_faults=True,
        situation=Situation(
            "read one transfer, and go on",
            {"kind": "custom", "operation": "transfers.get", "body": ODD_TRANSFER, "times": 1},
        ),
    ),
)
