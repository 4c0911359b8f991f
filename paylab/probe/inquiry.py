"""The state of a running probe: findings, and the service that the next request follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..errors import ServiceError
from ..spec import assumptions
from ..spec.service import Service
from ..spec.service_keys import NONE, Value
from .answers import ServiceReply
from .report import ANSWERED, DIFFERS, HOLDS, NOT_ASKED, UNCLEAR, ProbeFinding
from .requests import BudgetError, NotAskedError, Requests

READS, REFUSALS, WRITES = "reads", "refusals", "writes"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"
"""An id that does not exist, in UUID form, which many services require."""
PREFIX = "paylab-probe"
"""The prefix of every reference and name that a probe creates."""


@dataclass
class Inquiry:
    """The state of a running probe; `stopped` is whether its budget was used up.

    `assumed` is the initial service, `service` the same with the findings. `memory` has the data
    for later questions: replies, rows of lists, ids of created objects.
    """

    requests: Requests
    assumed: Service
    found: dict[str, ProbeFinding] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    stopped: bool = False

    def __post_init__(self) -> None:
        self.service = self.assumed
        for finding in self.found.values():
            self._follow(finding)

    def answer(self, key: str, value: Value, *replies: ServiceReply, why: str = "") -> None:
        """Record the value of a key; the assumption holds if the values are equal."""
        spec = assumptions.KEYS[key]
        try:
            value = spec.read(value)
        except ValueError as error:
            words = f"the service has {value!r:.60}, but {key} {error}"
            self.unclear(key, words, *replies)
            return
        outcome = HOLDS if value == self.assumed.value(key) else DIFFERS
        self._note(ProbeFinding(key, outcome, value, why, _calls(replies)))

    def unclear(self, key: str, why: str, *replies: ServiceReply) -> None:
        """Record that the responses do not show the value of a key."""
        if not self.knows(key):
            self._note(ProbeFinding(key, UNCLEAR, None, why, _calls(replies)))

    def skip(self, key: str, why: str) -> None:
        """Record that a key was not probed."""
        if not self.knows(key):
            self._note(ProbeFinding(key, NOT_ASKED, None, why))

    def knows(self, key: str) -> bool:
        """Whether a key has an answer."""
        return key in self.found and self.found[key].outcome in ANSWERED

    def value(self, key: str) -> Any:
        """The found value of a key, else the assumed one."""
        return self.service.value(key)

    def path(self, name: str, id_: str = "") -> str | None:
        """The path of a key of [paths]; None if the service does not have it."""
        template = str(self.value(f"paths.{name}"))
        return None if template == NONE else filled(template, id_)

    def sent(self, group: str, body: dict[str, Any]) -> dict[str, Any]:
        """A body with the service's names of its fields."""
        return self.service.names(group).send(body)

    def remember(self, name: str, make: Callable[[], ServiceReply]) -> ServiceReply:
        """A reply that several questions use; the request is sent once."""
        if name not in self.memory:
            self.memory[name] = make()
        kept: ServiceReply = self.memory[name]
        return kept

    def resume(self, finding: ProbeFinding) -> None:
        """Add a finding of an earlier run."""
        self._note(finding)

    def _note(self, finding: ProbeFinding) -> None:
        self.found[finding.key] = finding
        self._follow(finding)

    def _follow(self, finding: ProbeFinding) -> None:
        """Use a finding in the next requests, unless it contradicts another one."""
        key, value = finding.key, finding.value
        if key not in self.service.given and value == assumptions.KEYS[key].default:
            return  # it is already in use
        if finding.outcome in ANSWERED and value is not None:
            try:
                self.service = self.service.with_values({key: value})
            except ServiceError:
                self.memory.setdefault("contradictions", []).append(key)


class Question(NamedTuple):
    """A question: its keys, the kind of requests, and its function."""

    title: str
    level: str
    keys: tuple[str, ...]
    ask: Callable[[Inquiry], None]


def ask_all(
    inquiry: Inquiry,
    questions: Iterable[Question],
    forbidden: str = "",
    keep: Callable[[Inquiry], None] = lambda inquiry: None,
) -> None:
    """Ask the questions in order; every key gets a finding.

    `forbidden` is the reason to ask none; `keep` is called after each question.
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
    """Ask; return the reason if it was not possible."""
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
    """Sort words: assumed ones first, then other known ones, then the rest as found.

    A word that differs only in case replaces the assumed one.
    """
    spec = assumptions.KEYS[key]
    default = spec.default if isinstance(spec.default, tuple) else ()
    known = [str(word).casefold() for word in (*default, *spec.values)]
    found = list(dict.fromkeys(words))

    def place(word: str) -> int:
        folded = word.casefold()
        return known.index(folded) if folded in known else len(known)

    return tuple(sorted(found, key=place))


def _calls(replies: Iterable[ServiceReply]) -> tuple[Any, ...]:
    return tuple(reply.call for reply in replies)


def words_of(inquiry: Inquiry, key: str) -> list[str]:
    """The words that are assumed for a key."""
    value = inquiry.assumed.value(key)
    return [str(each) for each in value] if isinstance(value, tuple) else []


def question(title: str, ask: Any, *keys: str) -> Question:
    """A question that creates objects."""
    return Question(title, WRITES, keys, ask)
