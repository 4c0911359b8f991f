"""An item of readiness, what its function observes, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..spec.text import JsonObject, printable_lines
from .facts import RecordFacts
from .history import History

Verdict = Literal["shown", "not seen", "broken", "not applicable", "question"]
VERDICTS: tuple[Verdict, ...] = ("broken", "not seen", "shown", "not applicable", "question")
"""The verdicts; what needs action comes first."""


class Observation(NamedTuple):
    """A fact about an item that a record shows.

    A `note_need` observation names a `subject` that must also be shown, such as a rail.
    """

    effect: Literal["shown", "broken", "needed"]
    text: str
    record: RecordFacts
    subject: str = ""


def note_right(record: RecordFacts, text: str, subject: str = "") -> Observation:
    """Note that the integration did the right thing; `text` says what."""
    return Observation("shown", text, record, subject)


def note_wrong(record: RecordFacts, text: str) -> Observation:
    """Note that the integration did the wrong thing; `text` says what."""
    return Observation("broken", text, record)


def note_need(record: RecordFacts, subject: str) -> Observation:
    """Note that a subject, such as a rail in use, must also be shown for the item."""
    return Observation("needed", text="", record=record, subject=subject)


Observe = Callable[[History], Iterable[Observation]]
"""Observes one item in the history of one world."""


@dataclass(frozen=True)
class Situation:
    """How a simulator brings an item about, while the integration does what `action` says.

    `fault` has the details of a fault, `seed` is the number of transfers that are added first, and
    `event` is the type of an event that is sent about the latest transfer. After the operation
    `after`, the created object goes through the statuses `moves`, the clock moves by `advance`, or
    with `grows` a transfer is added.
    """

    action: str
    fault: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    after: str = ""
    moves: tuple[str, ...] = ()
    advance: str = ""
    grows: bool = False
    event: str = ""


@dataclass(frozen=True)
class Item:
    """One row of the report: what must be seen, why, and how to show it.

    `source` is the section of the spec or the id of the assumption behind `why`. `needs` is what
    the integration must use for the item to apply, a name of `USES`. Without `observe` the item is
    a question. In an item with `holds_under_faults`, calls under a fault count like others.
    """

    id: str
    what: str
    why: str
    source: str
    show: str = ""
    needs: str = "anything"
    observe: Observe | None = None
    holds_under_faults: bool = False
    situation: Situation | None = None


class Evidence(NamedTuple):
    """A call, delivery, event or control that shows something: where it is, and what it shows."""

    world: str
    test: str
    call: str
    text: str

    def __str__(self) -> str:
        location_text = ", ".join(filter(None, (self.world, self.test, self.call)))
        return printable_lines(f"{location_text}: {self.text}")


@dataclass(frozen=True)
class JudgedItem:
    """An item with its verdict, the evidence for it, and a remark on what is missing."""

    item: Item
    verdict: Verdict
    evidence: tuple[Evidence, ...] = ()
    remark: str = ""

    def to_json(self) -> JsonObject:
        """The judged item as JSON, as a row of the report."""
        return {
            "id": self.item.id,
            "what": self.item.what,
            "why": self.item.why,
            "source": self.item.source,
            "verdict": self.verdict,
            "evidence": [evidence._asdict() for evidence in self.evidence],
            "remark": self.remark,
            "show": self.item.show,
        }
