"""Read a service's response: status, body, and the problems of each field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..client.call import Call, DeferredCall
from ..client.refusal import read_refusal
from ..client.request import Exchange
from ..client.response import parse_json
from ..redaction.redaction import Redaction
from ..spec.complaints import Complaint
from ..spec.envelope import leaves
from ..spec.error_body import ErrorBody
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

MOST = 3
"""Maximum depth at which the message and the problems of an error are searched."""


@dataclass(frozen=True)
class Problems:
    """Where an error body has its field problems: their key and format."""

    key: str
    form: str
    field: str
    message: str
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
            return Problems(key, "sentences", "", "")
    if isinstance(value, Mapping) and key and value and all(map(_is_words, value.values())):
        if NO_FIELDS & {str(name).lower() for name in value}:
            return None
        return Problems(key, "by_field", "", "", _field_form(list(value)))
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
    return Problems(key, "objects", field, message, _field_form(values(field)))


def _field_form(names: list[Any]) -> str:
    """The format of nested field names; empty if unknown."""
    if any(isinstance(each, list) for each in names):
        return "list"
    if any(isinstance(each, str) and each.startswith("/") for each in names):
        return "pointer"
    return "dotted" if any(isinstance(each, str) and "." in each for each in names) else ""


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

    @property
    def complaints(self) -> tuple[Complaint, ...]:
        """What the service says about each field; empty for a success."""
        return () if self.went_well else self.error_body.complaints

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
