"""What to do about a refusal: by the field, the id, the state or the kind, as far as it is known.

Nothing is guessed: what the specification says about a field that the service names, what it needs
in a state that the service's words describe, else who decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from ..rules.expected import ExpectedField, expected_field, similar_fields
from ..spec.complaints import Complaint, is_missing
from ..spec.error_body import PHRASES, ErrorBody
from ..spec.json_path import last_name, value_at
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.operations.refusals import Refusal
from ..spec.service.keys import keys
from ..spec.service.service import Service
from ..spec.service.setting import SPEC, key_of
from ..spec.text import plain
from ..spec.translation import Translation
from .refusal_kinds import (
    CURSOR,
    DEEPEST,
    DUPLICATE,
    FORBIDDEN,
    KEY_FORM,
    OF_CALLERS,
    OTHER_VALUES,
    PERMISSION,
    RATE,
    SANDBOX,
    RefusalKind,
    kind_of,
)
from .request import OutgoingRequest

MOST_FIELDS = 3
NOT_FOUND = 404
CONFLICT = 409
TIMED_OUT = 408
NO_PATH = (405, 501)
INVALID = (400, 409, 415, 422)
SERVER_ERRORS = 500
ABSENT = re.compile(
    r"\bnot found\b|\bno such (?!field|key|param|propert)|does not exist|\bunknown \w*id\b",
    re.IGNORECASE,
)
ABOUT_KEY = re.compile(r"idempot|\bkey\b|another body|different body", re.IGNORECASE)
CREDENTIALS = re.compile(
    r"secret|client.?id|api.?key|token|password|signature|credential", re.IGNORECASE
)
"""Names of fields that never belong into a body of a signed request."""
OTHER_BODY = re.compile(r"another|other|different|same param|mismatch", re.IGNORECASE)
SAYS_THE_RULE = re.compile(
    r"\b(must|should|one of|expected|allowed|at least|at most|between)\b", re.IGNORECASE
)
"""Words with which a service says its own rule: ours would repeat or contradict it."""
HEADER = re.compile(r"\bheaders?\b\W{1,3}(?P<name>\w+(-\w+)+)", re.IGNORECASE)
PATH_WORDS = re.compile(r"\brout|\bpath\b|\burl\b|endpoint|cannot (get|post|delete)", re.IGNORECASE)


@dataclass(frozen=True)
class AdviceText:
    """What to try, and the assumption that the call certainly rests on, if any."""

    text: str | None = None
    assumption: str | None = None


class Advisor:
    """Finds the advice for one refusal."""

    def __init__(
        self, outgoing: OutgoingRequest, status: int, told: ErrorBody, service: Service
    ) -> None:
        self._outgoing = outgoing
        self._status = status
        self._told = told
        self._service = service
        self._operation: Operation | None = OPERATIONS.get(outgoing.operation)
        self._body: Mapping[str, Any] = outgoing.asked if isinstance(outgoing.asked, dict) else {}

    @cached_property
    def kind(self) -> RefusalKind | None:
        """The kind of the refusal by its words and status."""
        return kind_of(self._status, self._told.text, self._told.body)

    def advice(self, wait: str | None = None) -> AdviceText:
        """What to try; `wait` says how long the service asks to wait."""
        failed = self._after_failure()
        if wait or failed or self.kind is RATE:
            texts = (failed, RATE.advice if self.kind is RATE else "", wait)
            return AdviceText("; ".join(filter(None, texts)))
        if refusal := self._stated_refusal():
            source = None if refusal.source == SPEC else refusal.source
            return AdviceText(refusal.advice, source)
        text = self._missing_header() or self._by_kind()
        return AdviceText(text) if text else self._absent() or self._by_fields()

    def _by_kind(self) -> str:
        """What the kind of the refusal means; "" if it has none, or is about a field."""
        kind = self.kind
        if self._status in INVALID and kind in OF_CALLERS and self._names_a_field():
            return ""
        if kind is DUPLICATE:
            return self._duplicate()
        if kind is PERMISSION and self._is_sandbox_only():
            return SANDBOX
        return kind.advice if kind else ""

    def _is_sandbox_only(self) -> bool:
        """Whether a 403 is about the sandbox: its operation is, and no other reason is told."""
        is_sandbox = self._operation is not None and self._operation.is_sandbox
        is_silent = self._is_phrase or " " not in self._told.text.strip()
        is_told = re.search("sandbox|production", self._told.text, re.IGNORECASE) is not None
        return is_sandbox and self._status == FORBIDDEN and (is_told or is_silent)

    def _after_failure(self) -> str:
        """What to do after the service failed; "" if it did not."""
        status = self._status
        if (status < SERVER_ERRORS or status in NO_PATH) and status != TIMED_OUT:
            return ""
        if self._outgoing.method == "GET":
            return "the service failed: try again later"
        if self._outgoing.repeatable:  # what to do then is said by the order that was sent
            return "the service failed"
        return "it may have been carried out: look for what it makes before you send it again"

    def _stated_refusal(self) -> Refusal | None:
        """The refusal of the operation that the words of the service describe."""
        refusals = self._operation.refusals if self._operation else ()
        text = f"{self._told.text} {self._problems_text}"
        for refusal in refusals:
            if refusal.words and re.search(refusal.words, text, re.IGNORECASE):
                return refusal
        return None

    @property
    def _problems_text(self) -> str:
        """The field problems in one line."""
        return " ".join(map(str, self._told.problems))

    def _duplicate(self) -> str:
        text = self._told.text
        if "uuid" in text.lower():
            return KEY_FORM
        about_key = re.search("idempot", text, re.IGNORECASE) is not None
        if about_key and OTHER_BODY.search(text):
            return OTHER_VALUES
        return f"{DUPLICATE.advice}{self._where_to_look()}"

    def _where_to_look(self) -> str:
        """The list to look in, if the operation has one."""
        resource = self._operation.resource if self._operation else ""
        return f", in lab.{resource}.list()" if f"{resource}.list" in OPERATIONS else ""

    def _absent(self) -> AdviceText | None:
        """What to check after a 404 or a method that is not allowed; None after another status."""
        status = self._status
        outgoing = self._outgoing
        if status not in (NOT_FOUND, *NO_PATH):
            return None
        has_own = "{" in self._template()
        ids = _ids(self._body)
        is_path = status in NO_PATH or bool(PATH_WORDS.search(self._told.text))
        if not is_path and (has_own or ids):
            return AdviceText(_check_ids(self._operation, self._told_ids(ids), has_own))
        has = f"has no {outgoing.method}" if status in NO_PATH else "has nothing"
        text = f"check the base URL: this service {has} at this address"
        return AdviceText(text, self._path_row())

    def _told_ids(self, ids: list[str]) -> list[str]:
        """Those of the ids whose objects the service names; all if it names none."""
        text = self._told.text.lower().replace("_", " ")
        named_ids = [name for name in ids if name.removesuffix("_id").replace("_", " ") in text]
        return named_ids or ids

    def _path_row(self) -> str | None:
        """The assumption that the path rests on; None if the specification shows it."""
        key = keys().get(key_of(self._operation.path)) if self._operation else None
        return key.row if key and key.origin != SPEC else None

    def _template(self) -> str:
        return self._operation.path(self._service) if self._operation else self._outgoing.path

    def _by_fields(self) -> AdviceText:
        """What the specification says about the fields that the service names."""
        complaints = self._complaints()
        fields = [complaint for complaint in complaints if complaint.field]
        if self._status in INVALID and self._operation and self._operation.fields and fields:
            parts = list(self._of_fields(self._operation, fields[:MOST_FIELDS]))
            if parts:
                sources = [part.assumption for part in parts if part.assumption]
                text = "; ".join(dict.fromkeys(part.text for part in parts if part.text))
                return AdviceText(text or None, next(iter(sources), None))
        return AdviceText(self._by_status())

    def _complaints(self) -> list[Complaint]:
        """The complaints with our names of the fields."""
        if self._operation is None or not self._operation.fields:
            return list(self._told.complaints)
        spec_name = partial(Translation(self._service).field, self._operation.name, self._body)
        return [
            complaint._replace(field=spec_name(complaint.field))
            for complaint in self._told.complaints
        ]

    def _names_a_field(self) -> bool:
        """Whether the service names a field of the specification."""
        name = self._outgoing.operation
        complaints = self._complaints() if name else []
        places = (complaint.field for complaint in complaints)
        return any(expected_field(name, place, self._body, self._service) for place in places)

    def _of_fields(self, operation: Operation, told: list[Complaint]) -> Iterator[AdviceText]:
        """What to change, by field."""
        strange = list[str]()
        for complaint in told:
            field = expected_field(operation.name, complaint.field, self._body, self._service)
            is_secret = CREDENTIALS.search(complaint.field) is not None
            if field is None and complaint.missing and not is_secret and self._is_named(complaint):
                last = last_name(complaint.field)
                spec_field = expected_field(operation.name, last, self._body, self._service)
                if spec_field is not None and value_at(self._body, last) is None:
                    yield AdviceText(f"the specification has {last}, which the call does not")
                elif spec_field is None:
                    strange.append(complaint.field)
            elif field is None and complaint.unknown and not is_secret:
                name = plain(complaint.field, 60)
                yield AdviceText(f"leave {name} out of the call: this service does not know it")
            elif field is not None:
                yield self._of_known(field, complaint)
        if strange:
            yield AdviceText(_not_of_the_spec(operation, strange))

    def _missing_header(self) -> str:
        """How to send a header that the service misses; "" if it misses none."""
        match = HEADER.search(self._told.text)
        if not match or not is_missing(self._told.text):
            return ""
        return f'send this header with headers={{"{match["name"]}": ...}}'

    def _is_named(self, told: Complaint) -> bool:
        """Whether the body names a field by itself, in quotes or in a list, not as a plain word."""
        body = self._told.body
        texts = [*_texts(body)]
        last = last_name(told.field)
        same_words_fields = [
            complaint.field for complaint in self._complaints() if complaint.words == told.words
        ]
        is_compound = any(re.search("[._]|[a-z][A-Z]", name) for name in same_words_fields)
        quoted = [f"{sign}{last}{sign}" for sign in "'\"`"]
        is_quoted = any(name in text for name in quoted for text in texts)
        return is_compound or is_quoted or bool({told.field, last} & {*texts, *_names(body)})

    def _of_known(self, field: ExpectedField, told: Complaint) -> AdviceText:
        """What the specification says about one of its fields."""
        source = None if field.source == SPEC else field.source
        if told.unknown:
            text = f"this service does not know {field.place}: leave it out or ask your provider"
            return AdviceText(text, source)
        if told.missing and value_at(self._body, field.place) is None:
            rule_text = f": it {field.rule}" if field.rule else ""
            return AdviceText(f"add {field.place} to the call{rule_text}", source)
        rule = field.rule_for(value_at(self._body, field.place))
        is_said = not rule or SAYS_THE_RULE.search(told.words) is not None
        return AdviceText(None if is_said else f"{field.place} {rule}")

    def _by_status(self) -> str | None:
        """What a refusal without a known field may need."""
        if ABSENT.search(self._told.text) and self._operation:
            ids = self._told_ids(_ids(self._body))
            return _check_ids(self._operation, ids, "{" in self._template())
        if self._status == CONFLICT and self._operation:
            is_about_key = ABOUT_KEY.search(self._told.text) is not None
            return OTHER_VALUES if is_about_key or self._is_phrase else None
        if re.search("pagination token|cursor", self._told.text, re.IGNORECASE):
            is_list = self._operation is None or self._operation.is_list
            return CURSOR if is_list else None
        if re.search("idempotency.?key", self._told.text, re.IGNORECASE):
            return KEY_FORM if self._outgoing.method == "POST" else None
        return self._stated_states()

    def _stated_states(self) -> str | None:
        """The states in which the specification refuses this, if the service says nothing."""
        if self._operation is None or (" " in self._told.text.strip() and not self._is_phrase):
            return None
        refusals = [
            refusal
            for refusal in self._operation.refusals
            if refusal.number(self._service) == self._status and not refusal.fields
        ]
        if len(refusals) == 1 and refusals[0].advice:
            return refusals[0].advice
        reasons = "; or ".join(refusal.when for refusal in refusals)
        return f"by the specification this is refused if {reasons}" if reasons else None

    @property
    def _is_phrase(self) -> bool:
        """Whether the text is only the standard phrase of a status."""
        return self._told.text in PHRASES


def _ids(body: object) -> list[str]:
    """The names of the ids of other objects in a body."""
    if not isinstance(body, Mapping):
        return []
    names = [name for name in body if name != "client_reference_id" and body[name] is not None]
    inside = [name for name in names if isinstance(body[name], Mapping) and "id" in body[name]]
    return [name for name in names if name.endswith("_id") or name in inside]


def _texts(body: object, depth: int = DEEPEST) -> Iterator[str]:
    """The texts in an error body."""
    if isinstance(body, str):
        yield body
    items = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    for item in items if depth else ():
        yield from _texts(item, depth - 1)


def _names(body: object, depth: int = DEEPEST) -> Iterator[str]:
    """The keys in an error body."""
    items = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    yield from map(str, body) if isinstance(body, dict) else ()
    for item in items if depth else ():
        yield from _names(item, depth - 1)


def _check_ids(operation: Operation | None, ids: list[str], has_own: bool) -> str:
    """To check the ids of a call."""
    resource = operation.resource if operation else ""
    noun = resource.replace("_", " ").removesuffix("s") or "object"
    id_names = ids if ids and not has_own else ["the id", *ids]
    list_call = f"in lab.{resource}.list()" if f"{resource}.list" in OPERATIONS and has_own else ""
    look = f"; look {list_call}" if list_call else ""
    unknown = f"the service does not know {'it' if len(id_names) == 1 else 'them'}"
    reason = f"no {noun} has this id" if has_own and not ids else unknown
    or_belongs = "or it belongs" if len(id_names) == 1 else "or they belong"
    names = " and ".join(id_names)
    return f"check {names}: {reason}, {or_belongs} to another account or environment{look}"


def _not_of_the_spec(operation: Operation, names: list[str]) -> str:
    """What to do about missing fields that the specification does not have."""
    similar = [similar_name for name in names for similar_name in similar_fields(operation, name)]
    unknown = f"{'field' if len(names) == 1 else 'fields'} {', '.join(plain(n, 60) for n in names)}"
    if similar:
        return (
            f"the specification has no {unknown} here, but {', '.join(dict.fromkeys(similar))}: "
            "compare it with your provider's documentation"
        )
    is_inside = any("." in name for name in names)  # extra would need an object for it
    how = "" if is_inside else ", and send it with extra={...}"
    return f"the specification has no {unknown} here: ask your provider what to send{how}"
