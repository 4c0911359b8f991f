"""A rehearsal: the situations that an integration has not shown yet, one after another."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import dropwhile, product, takewhile
from typing import Protocol, Unpack

from ..errors.arguments import explain_arguments
from ..errors.base import PaylabError
from ..errors.text import printable
from ..readiness.item import Item, JudgedItem
from ..readiness.report import Readiness
from ..spec.text import JsonObject
from .fault_kinds import FaultDetails


class ClockControl(Protocol):
    """The clock of a simulator."""

    def advance(self, span: str) -> None:
        """Advance it by a span like "25h"."""


class FaultPlan(Protocol):
    """The faults of a simulator."""

    def add(self, kind: str, **details: Unpack[FaultDetails]) -> JsonObject:
        """Add a fault."""

    def remove(self, fault_id: str) -> None:
        """Remove a fault."""


class RehearsalControls(Protocol):
    """The controls of a simulator that a rehearsal needs."""

    @property
    def clock(self) -> ClockControl:
        """The clock."""

    @property
    def faults(self) -> FaultPlan:
        """The faults."""

    def journal(self, after: int = 0) -> list[JsonObject]:
        """The records after a number."""

    def seed(self, *, transfers: int = 0) -> JsonObject:
        """Add finished transfers."""

    def send_event(self, event_type: str, object_id: str = "") -> JsonObject:
        """Send an event about an object."""

    def move(self, object_id: str, to: str) -> JsonObject:
        """Move an object to a status."""


@explain_arguments
class Rehearsal:
    """Plays what is not seen yet: it arms a fault, or moves objects, while an integration runs.

    Iterate over it: while the body of the loop runs, the situation of the item applies, and
    `item.situation.action` says what the integration must do.
    """

    def __init__(self, controls: RehearsalControls) -> None:
        """Play on the simulator of these controls."""
        self._controls = controls
        self._fault_id = ""
        self._item: Item | None = None
        self._handled_sequence = 0
        self._settled_rows: list[JsonObject] = []

    @property
    def missing(self) -> Sequence[Item]:
        """The items that are not seen yet and that a situation can show.

        >>> len(lab.simulator.rehearse().missing) > 10
        True
        """
        unseen_items = self._judge_all_items().of("not seen")
        return [
            judged_item.item
            for judged_item in unseen_items
            if judged_item.item.situation is not None
        ]

    def __iter__(self) -> Iterator[Item]:
        """Yield the missing items; the situation of each applies while the caller handles it."""
        played_ids: set[str] = set()
        # What an integration does may make further items apply.
        while item := self.find_next(played_ids):
            played_ids.add(item.id)
            self.set_up(item)
            try:
                yield item
                self.follow_up()
            finally:
                self.clean_up()

    def find_next(self, played_ids: Collection[str] = ()) -> Item | None:
        """The first missing item that was not played. None if there is none.

        >>> lab.simulator.rehearse().find_next().situation is None
        False
        """
        unplayed_items = (
            unplayed_item for unplayed_item in self.missing if unplayed_item.id not in played_ids
        )
        return next(unplayed_items, None)

    @property
    def has_requests(self) -> bool:
        """Whether the integration has sent anything yet."""
        return any(journal_row["kind"] == "request" for journal_row in self._read_rows())

    def judge(self, item: Item) -> JudgedItem:
        """The verdict on an item now.

        >>> rehearsal = lab.simulator.rehearse()
        >>> rehearsal.judge(rehearsal.missing[0]).verdict
        'not seen'
        """
        return self._judge_all_items()[item.id]

    def _judge_all_items(self) -> Readiness:
        """The verdict on each item, by the journal until now."""
        from ..readiness.judgement import judge

        return judge({"": self._read_rows()})

    def _read_rows(self) -> list[JsonObject]:
        """All rows of the journal. Those that cannot change any more are read once."""
        settled_rows = self._settled_rows
        last_sequence = int(settled_rows[-1]["sequence"]) if settled_rows else 0
        new_rows = self._controls.journal(last_sequence)
        settled_rows += takewhile(_is_settled, new_rows)
        # From the first open row on, the rows are read again the next time.
        return [*settled_rows, *dropwhile(_is_settled, new_rows)]

    def set_up(self, item: Item) -> None:
        """Set up the situation of an item: its seed, its fault and its event."""
        situation = item.situation
        self.clean_up()
        self._item = item
        if situation is None:
            return
        if situation.seed:
            self._controls.seed(transfers=situation.seed)
        if situation.fault:
            fault_settings = dict(situation.fault)
            fault_kind = fault_settings.pop("kind")
            fault = self._controls.faults.add(fault_kind, **fault_settings)
            self._fault_id = str(fault["id"])
        # `follow_up` handles only what the integration creates from here on.
        self._handled_sequence = self._read_last_sequence()
        transfer_requests = self._find_successful_requests("transfers.create")
        if situation.event and transfer_requests:  # the event is about a transfer that exists
            self._controls.send_event(situation.event, str(transfer_requests[-1]["answer"]["id"]))

    def follow_up(self) -> bool:
        """Do what the situation needs after the integration has created objects.

        Advance the clock, add a transfer, or move the objects. Return False if the integration
        has created none since `set_up` or the last `follow_up`.
        """
        situation = self._item.situation if self._item else None
        if situation is None or not situation.after:
            return False
        creating_requests = self._find_successful_requests(situation.after)
        new_requests = [
            journal_row
            for journal_row in creating_requests
            if journal_row["sequence"] > self._handled_sequence
        ]
        if not new_requests:
            return False
        self._handled_sequence = int(new_requests[-1]["sequence"])
        if situation.advance:
            self._controls.clock.advance(situation.advance)
        if situation.grows:
            self._controls.seed(transfers=1)
        for creating_request, status in product(new_requests, situation.moves):
            # The object may have moved by itself meanwhile.
            with suppress(PaylabError):
                self._controls.move(self._find_payment_id(creating_request), status)
        return True

    def _find_payment_id(self, creating_request: JsonObject) -> str:
        """The id of the object that a request created.

        For a deposit it is the id of the conversion; empty while the deposit has no conversion.
        """
        answer = creating_request["answer"]
        if creating_request["operation"] != "sandbox.deposit":
            return str(answer["id"])
        account_id = answer["conversion_account_id"]
        for journal_row in self._read_rows():
            is_later = journal_row["sequence"] > creating_request["sequence"]
            if not is_later or journal_row.get("event_type") != "conversion.created":
                continue
            if journal_row["body"]["event_payload"]["conversion_account_id"] == account_id:
                return str(journal_row["resource_id"])
        return ""

    def _find_successful_requests(self, operation_name: str) -> list[JsonObject]:
        """The requests of an operation that succeeded."""
        return [
            journal_row
            for journal_row in self._read_rows()
            if journal_row.get("operation") == operation_name and 200 <= journal_row["status"] < 300
        ]

    def clean_up(self) -> None:
        """Remove the fault of the situation, if it has one."""
        if self._fault_id:
            self._controls.faults.remove(self._fault_id)
            self._fault_id = ""
        self._item = None

    def _read_last_sequence(self) -> int:
        """The number of the last record in the journal. 0 if it is empty."""
        journal_rows = self._read_rows()
        return int(journal_rows[-1]["sequence"]) if journal_rows else 0

    def __repr__(self) -> str:
        missing_ids_text = ", ".join(item.id for item in self.missing)
        return printable(f"<rehearsal of {missing_ids_text or 'nothing'}>")


def _is_settled(journal_row: JsonObject) -> bool:
    """Whether a record cannot change any more: its request or its delivery has ended."""
    return (
        journal_row["kind"] not in ("request", "delivery")
        or journal_row.get("duration") is not None
    )
