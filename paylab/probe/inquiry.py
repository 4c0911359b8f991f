"""The state of a running probe: findings, and the service that the next request follows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ..errors import ServiceError
from ..spec import assumptions
from ..spec.service import Service
from ..spec.service_keys import NONE, Value
from .answers import ServiceReply
from .names import matching_names
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

    `assumed` is the initial service, `service` the same with the findings. `memory` has the replies
    for later questions, `rows` those of each list, `instructions` those for deposits, and `made`
    the created objects.
    """

    requests: Requests
    assumed: Service
    found: dict[str, ProbeFinding] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, list[Any]] = field(default_factory=dict)
    instructions: list[Any] = field(default_factory=list)
    made: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    stopped: bool = False

    def __post_init__(self) -> None:
        self.service = self.assumed

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
        self.note(ProbeFinding(key, outcome, value, why, tuple(reply.call for reply in replies)))

    def unclear(self, key: str, why: str, *replies: ServiceReply) -> None:
        """Record that the responses do not show the value of a key."""
        if not self.knows(key):
            self.note(ProbeFinding(key, UNCLEAR, None, why, tuple(reply.call for reply in replies)))

    def skip(self, key: str, why: str) -> None:
        """Record that a key was not probed."""
        if not self.knows(key):
            self.note(ProbeFinding(key, NOT_ASKED, None, why))

    def knows(self, key: str) -> bool:
        """Whether a key has an answer."""
        return key in self.found and self.found[key].outcome in ANSWERED

    def value(self, key: str) -> Any:
        """The found value of a key, else the assumed one."""
        return self.service.value(key)

    def words(self, key: str) -> list[str]:
        """The words that are assumed for a key."""
        value = self.assumed.value(key)
        return [str(each) for each in value] if isinstance(value, tuple) else []

    def followed(self, key: str, words: list[str]) -> tuple[str, ...]:
        """The words that a key can have, sorted; a remark names each other one."""
        values = assumptions.KEYS[key].values
        for word in words:
            if word not in values:
                self.remarks.append(f"{key}: the service also names {word}, which is not followed")
        return ordered([word for word in words if word in values], key)

    def match(
        self, keys: Mapping[str, str], theirs: Collection[str], without: Collection[str] = ()
    ) -> dict[str, str]:
        """Our names and those of the service: the ones in use, else the most similar ones."""
        current = {our: str(self.value(key)) for our, key in keys.items()}
        sure = {our: name for our, name in current.items() if name in theirs}
        free = [name for name in theirs if name not in (*sure.values(), *without)]
        left = {our: key for our, key in keys.items() if our not in sure}
        return sure | matching_names(left, free)

    def path(self, name: str, id_: str = "") -> str:
        """The path of a key of [paths]; empty if the service does not have it."""
        template = str(self.value(f"paths.{name}"))
        return "" if template == NONE else filled(template, id_)

    def sent(self, group: str, body: dict[str, Any]) -> dict[str, Any]:
        """A body with the service's names of its fields."""
        return self.service.names(group).send(body)

    def refused_individual(
        self, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> ServiceReply:
        """Send an individual that must be refused."""
        path = self.path("create_individual")
        return self.requests.refused(path, body, headers=headers)

    def remember(self, name: str, make: Callable[[], ServiceReply]) -> ServiceReply:
        """A reply that several questions use; the request is sent once."""
        if name not in self.memory:
            self.memory[name] = make()
        kept: ServiceReply = self.memory[name]
        return kept

    def note(self, finding: ProbeFinding) -> None:
        """Add a finding, and use it in the next requests unless it contradicts another one."""
        key, value = finding.key, finding.value
        self.found[key] = finding
        if key not in self.service.given and value == assumptions.KEYS[key].default:
            return  # it is already in use
        if finding.outcome in ANSWERED and value is not None:
            with suppress(ServiceError):
                self.service = self.service.with_values({key: value})


class Question:
    """A question: the kind of its requests, its function, and its keys."""

    def __init__(self, level: str, ask: Callable[[Inquiry], None], *keys: str) -> None:
        self.level, self.ask, self.keys = level, ask, keys


def ask_all(
    inquiry: Inquiry,
    questions: Iterable[Question],
    keep: Callable[[Inquiry], None],
    forbidden: str = "",
) -> None:
    """Ask the questions in order; every key gets a finding.

    `keep` is called after each question; `forbidden` is the reason to ask none.
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


def field_keys(group: str) -> dict[str, str]:
    """The key of each of our names of the fields of a group."""
    start = f"{group}.fields."
    return {key.removeprefix(start): key for key in keys_of(start)}


def ordered(words: Iterable[str], key: str) -> tuple[str, ...]:
    """Sort words: assumed ones first, then other known ones, then the rest as found.

    A word that differs only in case replaces the assumed one.
    """
    spec = assumptions.KEYS[key]
    default = spec.default if isinstance(spec.default, tuple) else ()
    known = [str(word).casefold() for word in (*default, *spec.values)]

    def place(word: str) -> int:
        folded = word.casefold()
        return known.index(folded) if folded in known else len(known)

    return tuple(sorted(dict.fromkeys(words), key=place))


def known_words(key: str) -> list[str]:
    """The words to try for a key: the assumed ones, then those of other services."""
    spec = assumptions.KEYS[key]
    lists = [each for each in (spec.default, *spec.others) if isinstance(each, tuple)]
    return list(dict.fromkeys(str(word) for words in lists for word in words))
