"""What a service answered: its status, its body, and what a refusal says of each field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..client.call import Call, Later
from ..client.exchange import Exchange
from ..client.failures import Said, read_refusal
from ..client.response import parse_json
from ..redaction.redaction import Redaction
from ..spec.text import plain
from . import shapes

MISSING = re.compile(
    r"\brequired\b|\bmissing\b|\bblank\b|must be (?:given|present|provided)|\bis needed\b"
    r"|can(?:no|')t be empty|must not be (?:null|empty)|give exactly one",
    re.IGNORECASE,
)
UNKNOWN = re.compile(
    r"unrecogni[sz]ed|unknown|not (?:a )?(?:permitted|allowed|known|supported)"
    r"|extra (?:inputs?|fields?)|unexpected (?:key|field|param)|additional propert",
    re.IGNORECASE,
)
_UNKNOWN_KEYS = re.compile(
    r"(?:unrecogni[sz]ed|unknown|unexpected) (?:key|field)[^:]*:\s*(.+)", re.I
)
_CHOICE = re.compile(
    r"(?:(?:one|array|list) of|expected|(?:should|must) be|allowed(?: values)?(?: are)?|supported)"
    r"[ :]+"
    r"\[?((?:['\"]?[\w.+-]+['\"]?(?:\s*(?:,|\||\bor\b|\band\b)\s*|$|\]))+)",
    re.IGNORECASE,
)
_WORD = re.compile(r"['\"]?([\w.+-]+)['\"]?")
_SENTENCE = re.compile(r"\s*(?P<field>[\w.\[\]-]+): (?P<words>.+)", re.DOTALL)
_NAMED = re.compile(r'\s*"(?P<field>[\w.]+)" (?P<words>.+)', re.DOTALL)
_NUMBER = re.compile(r"\d+")
_TAG = re.compile(r"<title>.*?</title>|<[^<>]*>")
SENTENCES = re.compile(r"(?:;|\n)\s*")
NOT_WORDS = frozenset({"or", "and", "a", "an", "one", "of", "text", "string", "number", "object"})


class Complaint(NamedTuple):
    """What a refusal says of one field; the dotted name is empty where none is given."""

    field: str
    words: str

    @property
    def missing(self) -> bool:
        """Whether the field has to be sent."""
        return bool(MISSING.search(self.words)) and not self.unknown

    @property
    def unknown(self) -> bool:
        """Whether the service has no such field."""
        return bool(UNKNOWN.search(self.words)) and "value" not in self.words.lower()

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that the service says it accepts."""
        found = [match[1] for match in _CHOICE.finditer(self.words)]
        words = _WORD.findall(max(found, key=len)) if found else []
        return tuple(word for word in words if word.lower() not in NOT_WORDS)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The whole numbers in the words."""
        return tuple(int(text) for text in _NUMBER.findall(self.words) if len(text) < 10)


@dataclass(frozen=True)
class Reply:
    """An answer as the probe reads it; `status` is 0 when none came."""

    exchange: Exchange
    later: Later
    redaction: Redaction = field(repr=False)
    number: int = 0

    @property
    def status(self) -> int:
        """The status, 0 without an answer."""
        return (self.exchange.status or 0) if self.exchange.trouble is None else 0

    @property
    def went_well(self) -> bool:
        """Whether the answer is a success."""
        return self.exchange.went_well

    @property
    def call(self) -> Call:
        """The record of the call, without secrets."""
        return self.later.call

    @property
    def headers(self) -> dict[str, str]:
        """The headers by lower-case name."""
        return {name.lower(): value for name, value in self.exchange.headers.items()}

    @cached_property
    def body(self) -> Any:
        """The JSON of the body with exact numbers; None when it is not JSON."""
        try:
            return parse_json(self.exchange.content) if self.exchange.content.strip() else None
        except (ValueError, RecursionError):
            return None

    @property
    def object(self) -> dict[str, Any]:
        """The object in the body, or inside its `data`; empty when there is none."""
        inner = self.body.get("data") if isinstance(self.body, dict) else None
        found = next((one for one in (inner, self.body) if isinstance(one, dict)), {})
        return found if found.get("id") or not isinstance(self.body, dict) else self.body

    @property
    def text(self) -> str:
        """The body as text without secrets."""
        return self.redaction.text(self.exchange.content.decode("utf-8", "replace"))

    @cached_property
    def said(self) -> Said:
        """The words of a refusal and its field problems, whatever its shape."""
        return read_refusal(self.status, self.exchange.content, self.redaction)

    @cached_property
    def problems(self) -> shapes.Problems | None:
        """The list of field problems in the body of a refusal."""
        return None if self.went_well else shapes.problems(self.said.body)

    @cached_property
    def complaints(self) -> tuple[Complaint, ...]:
        """What a refusal says of each field, from its list of problems or its sentences."""
        if self.went_well:
            return ()
        listed = self.problems.listed if self.problems else ()
        found = [Complaint(*each) if each[0] else _complaint(each[1]) for each in listed]
        texts = [each for text in _texts(self.said.body) for each in SENTENCES.split(text)]
        spoken = [_complaint(each) for each in texts]
        both = [*found, *(each for each in spoken if each.field and not _names(found, each.field))]
        return tuple(dict.fromkeys(part for each in both for part in _parts(each)))

    def about(self, name: str) -> tuple[Complaint, ...]:
        """What is said of a field, unknown fields left out."""
        return tuple(each for each in self.complaints if each.field == name and not each.unknown)

    def below(self, name: str) -> dict[str, Complaint]:
        """What is said of the fields inside an object, by their names there."""
        start = f"{name}." if name else ""
        inside = (each for each in self.complaints if each.field.startswith(start))
        return {each.field.removeprefix(start): each for each in inside if each.field != start}

    def missing(self, inside: str = "") -> list[str]:
        """The names of the fields that have to be sent, inside an object of the body."""
        return [name for name, each in self.below(inside).items() if each.missing and name]

    @property
    def words(self) -> str:
        """What a refusal says, without the ids that it repeats."""
        return plain(self.said.text, 300)

    def __str__(self) -> str:
        return f"{self.later.path} answered {self.status or 'nothing'}"


def _texts(body: object) -> Iterator[str]:
    """Every text of a body that may hold sentences about fields, whole and without markup."""
    if isinstance(body, str):
        yield " ".join(_TAG.sub(" ", body).split())
    elif isinstance(body, dict):
        yield from (text for value in body.values() for text in _texts(value))
    elif isinstance(body, list):
        yield from (text for value in body for text in _texts(value))


def _names(complaints: list[Complaint], name: str) -> bool:
    return any(each.field == name for each in complaints)


def _complaint(sentence: str) -> Complaint:
    """A sentence such as `details.clabe: is required` as a complaint about its field."""
    match = _NAMED.fullmatch(sentence) or _SENTENCE.fullmatch(sentence)
    if match and not _UNKNOWN_KEYS.match(sentence):
        return Complaint(match["field"].replace("[", ".").replace("]", ""), match["words"])
    return Complaint("", sentence)


def _parts(complaint: Complaint) -> Iterator[Complaint]:
    """A complaint about several unknown keys as one for each."""
    match = _UNKNOWN_KEYS.search(complaint.words)
    if not match:
        yield complaint
        return
    start = f"{complaint.field}." if complaint.field else ""
    for name in _WORD.findall(match[1]):
        yield Complaint(f"{start}{name}", complaint.words)
