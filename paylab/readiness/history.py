"""The history of one world: its records in order, and what they have to do with each other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ..spec.codes import is_stablecoin
from ..spec.text import JsonMapping
from .facts import NoteFacts, RecordFacts, RequestFacts

ORDER_OPERATIONS = ("transfers.create", "conversion_accounts.create")
"""The operations that take an Idempotency-Key. Spec, Idempotency."""


class SeenStatus(NamedTuple):
    """A status of an object that the integration was told, in an answer or in an event."""

    sequence: int
    """The place in the journal of the answer or the delivery that told it."""
    status: str
    seen_object: JsonMapping


class History:
    """The records of a world, by kind. `world` names it in evidence."""

    def __init__(self, rows: Iterable[JsonMapping], world: str = "") -> None:
        """Sort the rows of a journal into requests and notes."""
        self.world = world
        self.requests: list[RequestFacts] = []
        self.notes: list[NoteFacts] = []
        for journal_row in sorted(rows, key=lambda journal_row: int(journal_row["sequence"])):
            if journal_row["kind"] == "request":
                self.requests.append(RequestFacts(journal_row, world))
            else:
                self.notes.append(NoteFacts(journal_row, world))

    @cached_property
    def _by_operation(self) -> dict[str, list[RequestFacts]]:
        """The requests of each operation, in order."""
        requests_by_operation: dict[str, list[RequestFacts]] = defaultdict(list)
        for request in self.requests:
            requests_by_operation[request.operation].append(request)
        return requests_by_operation

    def of(self, *operations: str) -> list[RequestFacts]:
        """The requests of operations, in order."""
        if len(operations) == 1:
            return self._by_operation.get(operations[0], [])
        requests = [
            request
            for operation_name in operations
            for request in self._by_operation.get(operation_name, [])
        ]
        return sorted(requests, key=lambda request: request.sequence)

    @property
    def orders(self) -> list[RequestFacts]:
        """The requests that create a transfer or a conversion account."""
        return self.of(*ORDER_OPERATIONS)

    @cached_property
    def _quotes_by_id(self) -> dict[str, JsonMapping]:
        """The quotes that were answered, by id."""
        return {
            str(quote_request.answer.get("id")): quote_request.answer
            for quote_request in self.of("quotes.create")
        }

    def find_terms(self, request: RequestFacts) -> JsonMapping:
        """The fields of a request and of its answer, over the fields of its quote."""
        quote_fields = self._quotes_by_id.get(str(request.fields.get("quote_id")), {})
        return {**quote_fields, **request.fields, **request.answer}

    def is_off_ramp(self, transfer: RequestFacts) -> bool:
        """Whether a transfer is paid from a stablecoin, by its own terms or by its quote."""
        return is_stablecoin(str(self.find_terms(transfer).get("source_currency") or ""))

    @cached_property
    def deliveries(self) -> list[NoteFacts]:
        """The attempts to deliver events, in order."""
        return [journal_note for journal_note in self.notes if journal_note.kind == "delivery"]

    @cached_property
    def events(self) -> dict[str, NoteFacts]:
        """The events that the world sent, by the id of the event."""
        return {
            journal_note["event_id"]: journal_note
            for journal_note in self.notes
            if journal_note.kind == "event"
        }

    def controls(self, name: str) -> list[NoteFacts]:
        """The controls of a name, such as "fault_fired"."""
        return [journal_note for journal_note in self.notes if journal_note["control"] == name]

    @cached_property
    def attempts_by_event(self) -> dict[str, list[NoteFacts]]:
        """The attempts to deliver each event, in order."""
        attempts_by_event_id: dict[str, list[NoteFacts]] = defaultdict(list)
        for delivery in self.deliveries:
            attempts_by_event_id[str(delivery["event_id"])].append(delivery)
        return attempts_by_event_id

    @cached_property
    def _by_fingerprint(self) -> dict[tuple[object, ...], list[RequestFacts]]:
        """The requests of a test that are the same one, by world, test and fingerprint."""
        requests_by_fingerprint: dict[tuple[object, ...], list[RequestFacts]] = defaultdict(list)
        for request in self.requests:
            requests_by_fingerprint[(*request.scope, *request.fingerprint)].append(request)
        return requests_by_fingerprint

    def repeats(self) -> Iterator[list[RequestFacts]]:
        """Yield, for each request of a test, all its sendings in order: one or more."""
        yield from self._by_fingerprint.values()

    def next_same(self, request: RequestFacts) -> RequestFacts | None:
        """The next time that the same test sent this request again; None if it did not."""
        return first_after(request, self._by_fingerprint[(*request.scope, *request.fingerprint)])

    @cached_property
    def _by_order(self) -> dict[tuple[object, ...], list[RequestFacts]]:
        """The POSTs for each order, by world and identity of the order."""
        requests_by_order: dict[tuple[object, ...], list[RequestFacts]] = defaultdict(list)
        for request in self.requests:
            if request.method == "POST":
                requests_by_order[(request.world, request.order_identity)].append(request)
        return requests_by_order

    def order_groups(self) -> Iterator[list[RequestFacts]]:
        """The requests of each order that creates a transfer or a conversion account."""
        for requests in self._by_order.values():
            if requests[0].operation in ORDER_OPERATIONS:
                yield requests

    def next_of_order(self, request: RequestFacts) -> RequestFacts | None:
        """The next request for the same order. None if there is none."""
        return first_after(request, self._by_order[(request.world, request.order_identity)])

    def between(self, earlier: RecordFacts, later: RecordFacts | None) -> list[RequestFacts]:
        """The requests after a record and before another one, or to the end."""
        first_index = bisect_right(self.requests, earlier.sequence, key=_read_sequence)
        if later is None:
            return self.requests[first_index:]
        end_index = bisect_left(self.requests, later.sequence, key=_read_sequence)
        return self.requests[first_index:end_index]

    @cached_property
    def _reads_by_id(self) -> dict[str, list[RequestFacts]]:
        """The GETs that read each object, alone or in a list, in order."""
        readings_by_id: dict[str, list[RequestFacts]] = defaultdict(list)
        for request in self.requests:
            is_answered = request.is_ok and request.is_received
            if request.method != "GET" or not is_answered:
                continue
            answered_ids = {str(answered_object.get("id")) for answered_object in request.objects}
            for object_id in answered_ids | {request.last_path_segment}:
                readings_by_id[object_id].append(request)
        return readings_by_id

    def first_reading(self, object_id: str, after: RecordFacts) -> RequestFacts | None:
        """The first request after a record that read an object, alone or in a list.

        None if the object was not read after it.
        """
        return first_after(after, self._reads_by_id.get(object_id, []))

    def first_reading_alone(self, object_id: str, after: RecordFacts) -> RequestFacts | None:
        """The first request after a record that read an object by its own path.

        None if the object was not read so after it.
        """
        readings = self._reads_by_id.get(object_id, [])
        readings_alone = [reading for reading in readings if reading.last_path_segment == object_id]
        return first_after(after, readings_alone)

    def next_of_program(self, record: RecordFacts) -> RequestFacts | None:
        """The next request of the same test after a record; None if there is none.

        It shows that the program of the test went on.
        """
        for request in self.between(record, later=None):
            if request.scope == record.scope:
                return request
        return None

    def statuses_known(self, object_id: str) -> list[SeenStatus]:
        """The statuses of an object that the integration was told, in order. Empty if none."""
        return self._statuses_by_id.get(object_id, [])

    @cached_property
    def _statuses_by_id(self) -> dict[str, list[SeenStatus]]:
        """The statuses that the integration was told of each object, in order."""
        statuses_by_object_id: dict[str, list[SeenStatus]] = defaultdict(list)
        for sequence, received_object in self._find_received_objects():
            status = received_object.get("status")
            if status:
                object_id = str(received_object.get("id"))
                statuses_by_object_id[object_id].append(
                    SeenStatus(sequence, str(status), received_object)
                )
        for statuses_of_object in statuses_by_object_id.values():
            statuses_of_object.sort(key=lambda seen_status: seen_status.sequence)
        return statuses_by_object_id

    def _find_received_objects(self) -> Iterator[tuple[int, JsonMapping]]:
        """Yield (sequence of its record, object) for objects in answers, then those in events."""
        for request in self.requests:
            if request.is_ok and request.is_received:
                for answered_object in request.objects:
                    yield request.sequence, answered_object
        for delivery in self.deliveries:
            if delivery.is_taken:
                yield delivery.sequence, delivery.payload

    def record_at(self, sequence: int) -> RecordFacts:
        """The record at a place in the sequence."""
        return self._by_sequence[sequence]

    @cached_property
    def _by_sequence(self) -> dict[int, RecordFacts]:
        """All records by their place in the sequence."""
        return {record.sequence: record for record in (*self.requests, *self.notes)}

    @cached_property
    def object_ids(self) -> Sequence[str]:
        """The ids of the objects whose statuses the integration was told."""
        return tuple(self._statuses_by_id)


def first_after(record: RecordFacts, requests: Sequence[RequestFacts]) -> RequestFacts | None:
    """The first of some requests, in order, that begins after a record. None if there is none."""
    next_index = bisect_right(requests, record.sequence, key=_read_sequence)
    return requests[next_index] if next_index < len(requests) else None


def _read_sequence(record: RecordFacts) -> int:
    """The number of a record in the sequence, as the key of a bisection."""
    return record.sequence
