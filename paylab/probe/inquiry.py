"""A probe while it runs: what was found so far, and the service that the next request follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import ServiceError
from ..spec import assumptions
from ..spec.assumptions import NONE, Value
from ..spec.service import Service
from .answers import Reply
from .report import ANSWERED, DIFFERS, HOLDS, NOT_ASKED, UNCLEAR, Finding
from .requests import BudgetError, NotAskedError, Requests

READS, REFUSALS, WRITES = "reads", "refusals", "writes"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"
"""An id that nothing has; many services refuse one of another form in other words."""
PREFIX = "paylab-probe"
"""What every reference and name that a probe makes begins with."""


@dataclass
class Inquiry:
    """What is known while a probe runs; `stopped` is whether its budget was used up.

    `assumed` is the service that the probe began with, `service` that with all that was found.
    `memory` keeps what later questions need: replies, rows of lists, ids of objects made.
    """

    requests: Requests
    assumed: Service
    found: dict[str, Finding] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    stopped: bool = False

    def __post_init__(self) -> None:
        self.service = self.assumed
        for finding in self.found.values():
            self._follow(finding)

    def answer(self, key: str, value: Value, *replies: Reply, why: str = "") -> None:
        """Note what a service has; it holds when it is what was assumed."""
        spec = assumptions.KEYS[key]
        try:
            value = spec.read(value)
        except ValueError as error:
            words = f"the service has {value!r:.60}, but {key} {error}"
            self.unclear(key, words, *replies)
            return
        outcome = HOLDS if value == self.assumed.value(key) else DIFFERS
        self._note(Finding(key, outcome, value, why, _calls(replies)))

    def unclear(self, key: str, why: str, *replies: Reply) -> None:
        """Note that the answers do not tell."""
        if not self.knows(key):
            self._note(Finding(key, UNCLEAR, None, why, _calls(replies)))

    def skip(self, key: str, why: str) -> None:
        """Note that a key was not asked about."""
        if not self.knows(key):
            self._note(Finding(key, NOT_ASKED, None, why))

    def knows(self, key: str) -> bool:
        """Whether a key has an answer."""
        return key in self.found and self.found[key].outcome in ANSWERED

    def value(self, key: str) -> Any:
        """The value of a key as far as it is known."""
        return self.service.value(key)

    def path(self, name: str, id_: str = "") -> str | None:
        """The path of a key of [paths]; None when the service has none."""
        template = str(self.value(f"paths.{name}"))
        return None if template == NONE else filled(template, id_)

    def sent(self, group: str, body: dict[str, Any]) -> dict[str, Any]:
        """A body with the service's names of its fields."""
        return self.service.names(group).send(body)

    def remember(self, name: str, make: Callable[[], Reply]) -> Reply:
        """A reply that several questions read: it is asked for once."""
        if name not in self.memory:
            self.memory[name] = make()
        kept: Reply = self.memory[name]
        return kept

    def resume(self, finding: Finding) -> None:
        """Take a finding from an earlier run."""
        self._note(finding)

    def _note(self, finding: Finding) -> None:
        self.found[finding.key] = finding
        self._follow(finding)

    def _follow(self, finding: Finding) -> None:
        """Let the next requests follow a finding, unless it contradicts another so far."""
        if finding.outcome in ANSWERED and finding.value is not None:
            try:
                self.service = self.service.with_values({finding.key: finding.value})
            except ServiceError:
                self.memory.setdefault("contradictions", []).append(finding.key)


class Question(NamedTuple):
    """A question: the keys that it answers, what it may send, and what asks it."""

    title: str
    level: str
    keys: tuple[str, ...]
    ask: Callable[[Inquiry], None]


def run(
    inquiry: Inquiry,
    questions: Iterable[Question],
    forbidden: str = "",
    keep: Callable[[Inquiry], None] = lambda inquiry: None,
) -> None:
    """Ask one question after another; each of their keys ends as something.

    `forbidden` is the reason why none of them may be asked; `keep` is called after each.
    """
    for question in questions:
        open_keys = [key for key in question.keys if not inquiry.knows(key)]
        if not open_keys:
            continue
        reason = forbidden or _asked(inquiry, question)
        for key in open_keys:
            if key in inquiry.found:
                continue
            if reason:
                inquiry.skip(key, reason)
            else:
                inquiry.unclear(key, "the answers do not show it")
        keep(inquiry)


def _asked(inquiry: Inquiry, question: Question) -> str:
    """Ask; the reason if it could not be."""
    try:
        question.ask(inquiry)
    except NotAskedError as error:
        inquiry.stopped = inquiry.stopped or isinstance(error, BudgetError)
        return str(error)
    return ""


def filled(template: str, id_: str) -> str:
    """A template with an id in every placeholder."""
    for name in ("id", "conversion_account_id"):
        template = template.replace(f"{{{name}}}", id_)
    return template


def keys_of(*groups: str) -> tuple[str, ...]:
    """Every key whose name begins with one of these."""
    return tuple(name for name in assumptions.KEYS if name.startswith(groups))


def ordered(words: Iterable[str], key: str) -> tuple[str, ...]:
    """Words in the order of what is assumed, then of the words that can be followed, then as found.

    Words that differ from an assumed one in case alone take its place.
    """
    spec = assumptions.KEYS[key]
    default = spec.default if isinstance(spec.default, tuple) else ()
    known = [str(word).casefold() for word in (*default, *spec.values)]
    found = list(dict.fromkeys(words))

    def place(word: str) -> int:
        folded = word.casefold()
        return known.index(folded) if folded in known else len(known)

    return tuple(sorted(found, key=place))


def _calls(replies: Iterable[Reply]) -> tuple[Any, ...]:
    return tuple(reply.call for reply in replies)
