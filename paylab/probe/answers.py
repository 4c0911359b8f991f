"""Read a service's response: status, body, and the problems of each field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..client.call import Call, DeferredCall
from ..client.request import Exchange
from ..client.response import ErrorBody, parse_json, read_refusal
from ..redaction.redaction import Redaction
from ..spec.paging import value_at
from ..spec.text import plain

FIELDS = (
    *("field", "path", "pointer", "source.pointer", "source.parameter", "param", "parameter"),
    *("loc", "property", "name", "attribute", "key", "in", "target"),
)

MESSAGES = (
    *("message", "msg", "detail", "reason", "description", "text", "error", "issue", "title"),
    "code",
)

WORDS = (
    *("error", "message", "detail", "error_description", "errormessage", "title", "description"),
    *("reason", "msg", "text"),
)

NO_FIELDS = frozenset({"message", "code", "error", "detail", "title", "msg", "reason", "type"})
"""Keys of an object that is itself an error and contains no fields."""

STEPS = re.compile(r"^/?(?:data/attributes/?)?")

MOST = 3
"""Maximum depth at which the message and the problems of an error are searched."""


@dataclass(frozen=True)
class Problems:
    """The field problems of an error body: key, format and content."""

    key: str
    form: str
    field: str
    message: str
    listed: tuple[tuple[str, str], ...]
    field_form: str = ""


def problems(body: object) -> Problems | None:
    """The field problems of a body; None when it lists none."""
    for key, value in (("", body), *leaves(body, MOST)):
        found = _read(key, value)
        if found is not None:
            return found
    return None


def words_key(body: object, listed: Problems | None) -> str | None:
    """The dotted key of an error's message; None if there is none."""

    def place(key: str) -> int:
        last = key.rpartition(".")[2].lower()
        return WORDS.index(last) if last in WORDS else len(WORDS)

    ranks = {
        key: (" " not in value, place(key), key.count("."))
        for key, value in leaves(body, MOST)
        if isinstance(value, str)
        and (" " in value or place(key) < len(WORDS))
        and not (listed and key.startswith(f"{listed.key}."))
    }
    return min(ranks, key=ranks.__getitem__, default=None)


def _read(key: str, value: object) -> Problems | None:
    if isinstance(value, list) and value:
        if all(isinstance(each, Mapping) for each in value):
            return _objects(key, value)
        if all(isinstance(each, str) for each in value):
            return Problems(key, "sentences", "", "", tuple(("", each) for each in value))
    if isinstance(value, Mapping) and key and value and all(map(_is_words, value.values())):
        if NO_FIELDS & {str(name).lower() for name in value}:
            return None
        rows = {
            str(name): [each] if isinstance(each, str) else each for name, each in value.items()
        }
        listed = tuple((_dotted(name), text) for name, each in rows.items() for text in each)
        return Problems(key, "by_field", "", "", listed, _field_form(list(rows)))
    return None


def _is_words(value: object) -> bool:
    if isinstance(value, str):
        return bool(value)
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _objects(key: str, rows: list[Mapping[str, Any]]) -> Problems | None:
    def values(name: str) -> list[Any]:
        return [value_at(row, name) for row in rows]

    messages = (name for name in MESSAGES if all(isinstance(each, str) for each in values(name)))
    message = next(messages, "")
    if not message:
        return None
    named = [name for name in FIELDS if any(values(name))]
    empty = [name for name in FIELDS if any(each is not None for each in values(name))]
    field = next(iter([*named, *empty]), "")
    raw = values(field)
    listed = tuple(zip(map(_dotted, raw), values(message), strict=True))
    return Problems(key, "objects", field, message, listed, _field_form(raw))


def _field_form(names: list[Any]) -> str:
    """The format of nested field names; empty if unknown."""
    if any(isinstance(each, list) for each in names):
        return "list"
    if any(isinstance(each, str) and each.startswith("/") for each in names):
        return "pointer"
    return "dotted" if any(isinstance(each, str) and "." in each for each in names) else ""


def _dotted(field: object) -> str:
    """`a.0.b` from a list of steps, a JSON pointer or a dotted name."""
    if isinstance(field, list):
        return ".".join(map(str, field))
    text = "" if field is None else str(field)
    if text.startswith("/"):
        return STEPS.sub("", text).replace("/", ".")
    return text.replace("[", ".").replace("]", "").strip(".")


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
    """The message about one field; the name is dotted, or empty if unknown."""

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
        """The integers in the message."""
        return tuple(int(text) for text in _NUMBER.findall(self.words) if len(text) < 10)


@dataclass(frozen=True)
class ServiceReply:
    """A response as the probe reads it; `status` is 0 without a response."""

    exchange: Exchange
    deferred: DeferredCall
    redaction: Redaction = field(repr=False)

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
        return self.deferred.call

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
        body: dict[str, Any] = self.body if isinstance(self.body, dict) else {}
        inner = body.get("data")
        return inner if isinstance(inner, dict) and inner.get("id") else body

    @cached_property
    def error_body(self) -> ErrorBody:
        """The message of a refusal and its field problems, in any format."""
        return read_refusal(self.status, self.exchange.content, self.redaction)

    @cached_property
    def problems(self) -> Problems | None:
        """The list of field problems in the body of a refusal."""
        return None if self.went_well else problems(self.error_body.body)

    @cached_property
    def complaints(self) -> tuple[Complaint, ...]:
        """The messages about each field, from the list of problems or the text."""
        if self.went_well:
            return ()
        listed = self.problems.listed if self.problems else ()
        found = [Complaint(*each) if each[0] else _complaint(each[1]) for each in listed]
        texts = [each for text in _texts(self.error_body.body) for each in SENTENCES.split(text)]
        spoken = [_complaint(each) for each in texts]
        known = {"", *(each.field for each in found)}
        both = [*found, *(each for each in spoken if each.field not in known)]
        return tuple(dict.fromkeys(part for each in both for part in _parts(each)))

    def about(self, name: str) -> tuple[Complaint, ...]:
        """The messages about a field, without those about unknown fields."""
        return tuple(each for each in self.complaints if each.field == name and not each.unknown)

    def below(self, name: str) -> dict[str, Complaint]:
        """The messages about the fields of an object, by relative name."""
        start = f"{name}." if name else ""
        inside = (each for each in self.complaints if each.field.startswith(start))
        return {each.field.removeprefix(start): each for each in inside if each.field != start}

    def missing(self, inside: str = "") -> list[str]:
        """The names of the fields that have to be sent, inside an object of the body."""
        return [name for name, each in self.below(inside).items() if each.missing and name]

    @property
    def words(self) -> str:
        """The message of a refusal, without ids."""
        return plain(self.error_body.text, 300)


def _texts(body: object) -> Iterator[str]:
    """Every text of a body that may mention fields, with and without markup."""
    if isinstance(body, str):
        yield " ".join(_TAG.sub(" ", body).split())
    elif isinstance(body, dict):
        yield from (text for value in body.values() for text in _texts(value))
    elif isinstance(body, list):
        yield from (text for value in body for text in _texts(value))


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


def leaves(body: object, depth: int = 2, at: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an object and of the objects inside it, by dotted names."""
    for name, value in body.items() if isinstance(body, dict) and depth else ():
        yield f"{at}{name}", value
        yield from leaves(value, depth - 1, f"{at}{name}.")
