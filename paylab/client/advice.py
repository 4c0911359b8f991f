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
from ..spec.complaints import Complaint, says_missing
from ..spec.error_body import ErrorBody
from ..spec.error_words import is_markup, is_status_phrase
from ..spec.json_path import last_name, value_at
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.operations.refusals import Refusal
from ..spec.service.keys import keys
from ..spec.service.service import Service
from ..spec.service.setting import SPEC, key_of
from ..spec.text import plain
from ..spec.translation import Translation
from .absent_objects import (
    UNNAMED,
    absent_ids,
    check_ids,
    describe_unknown_path,
    find_id_names,
    is_about_path,
    is_absence,
)
from .refusal_kinds import (
    CURSOR,
    DEPTH_MAX,
    DUPLICATE,
    FORBIDDEN,
    KEY_FORM,
    KEY_IN_USE,
    KEY_SENT,
    NO_KEY,
    OTHER_VALUES,
    PERMISSION,
    RATE,
    SANDBOX,
    UNAUTHORIZED,
    RefusalKind,
    kind_of,
)
from .request import OWN_HEADERS, OutgoingRequest

FIELDS_MAX = 3
NOT_FOUND = 404
CONFLICT = 409
TIMED_OUT = 408
NO_PATH = (405, 501)
INVALID = (400, 409, 415, 422)
SERVER_ERRORS = 500
IDEMPOTENCY = re.compile(r"idempot|\b(another|different) (body|payload)\b", re.IGNORECASE)
IN_USE = re.compile(r"in.progress|concurrent|being processed", re.IGNORECASE)
YOUR_ACCOUNT = re.compile(
    r"\byour (\w+ )?(account|organi[sz]ation|company|business|merchant)\b", re.IGNORECASE
)
CREDENTIALS = re.compile(
    r"secret|client.?id|api.?key|token|password|signature|credential", re.IGNORECASE
)
"""Names of fields that never belong into a body of a signed request."""
OTHER_BODY = re.compile(r"\b(other|another|different|same param\w*|mismatch)\b", re.IGNORECASE)
SAYS_THE_RULE = re.compile(
    r"\b(must|should|one of|expected|allowed|at least|at most|between)\b", re.IGNORECASE
)
"""Words with which a service says its own rule: ours would repeat or contradict it."""
HEADER = re.compile(r"\bheaders?\b\W{1,3}(?P<name>\w+(-\w+)+)", re.IGNORECASE)


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
        texts = AdviceText(failed) if failed else self._after_refusal()
        return AdviceText("; ".join(filter(None, (texts.text, wait))) or None, texts.assumption)

    def _after_refusal(self) -> AdviceText:
        """What to try after a refusal, by what the service says."""
        if self.kind is RATE:
            return AdviceText(RATE.advice)
        if refusal := self._stated_refusal():
            source = None if refusal.source == SPEC else refusal.source
            return AdviceText(refusal.advice, source)
        text = self._missing_header() or self._about_key() or self._by_kind()
        return (
            AdviceText(text)
            if text
            else self._advise_on_absent_object() or self._advise_on_fields()
        )

    def _by_kind(self) -> str:
        """What the kind of the refusal means; "" if it has none, or is about a field."""
        kind = self.kind
        names_a_field = any(complaint.field for complaint in self._told.complaints)
        if kind is None or (self._status in INVALID and kind.is_about_caller and names_a_field):
            return ""
        if kind is DUPLICATE:
            return f"{DUPLICATE.advice}{self._where_to_look()}"
        return SANDBOX if kind is PERMISSION and self._is_sandbox_only() else kind.advice

    def _is_sandbox_only(self) -> bool:
        """Whether a 403 is about the sandbox: its operation is, and no other reason is told."""
        is_sandbox = self._operation is not None and self._operation.is_sandbox
        is_told = re.search("sandbox|production", self._told.text, re.IGNORECASE) is not None
        return is_sandbox and self._status == FORBIDDEN and (is_told or self._is_silent)

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
        text = f"{self._told.text} {' '.join(map(str, self._told.problems))}"
        if self._status in (UNAUTHORIZED, FORBIDDEN) or YOUR_ACCOUNT.search(text):
            return None  # it is about the caller
        for refusal in refusals:
            if refusal.words and re.search(refusal.words, text, re.IGNORECASE):
                return refusal
        return None

    def _about_key(self) -> str:
        """What to do about the Idempotency-Key, by what was sent; "" if it is not about the key."""
        text = self._told.text
        has_key = self._outgoing.idempotency_key is not None
        is_bare = self._status == CONFLICT and is_status_phrase(text) and has_key
        if self._status not in INVALID or not (is_bare or IDEMPOTENCY.search(text)):
            return ""
        is_form = "uuid" in text.lower()
        if not has_key:
            return NO_KEY if is_form or says_missing(text) else ""
        if is_form:
            return KEY_FORM
        if IN_USE.search(text):
            return KEY_IN_USE
        if is_bare or OTHER_BODY.search(text):
            return OTHER_VALUES
        return KEY_SENT if says_missing(text) and self.kind is not DUPLICATE else ""

    def _where_to_look(self) -> str:
        """The list to look in, if the operation has one."""
        resource = self._operation.resource if self._operation else ""
        return f", in lab.{resource}.list()" if f"{resource}.list" in OPERATIONS else ""

    def _advise_on_absent_object(self) -> AdviceText | None:
        """What to check if the service does not know an object or the path; None otherwise."""
        template = self._path_template()
        told = self._told
        is_page = isinstance(told.body, str) and is_markup(told.body)
        ids = absent_ids(
            told.text, self._operation, find_id_names(self._body), has_own="{" in template
        )
        if ids and not is_page and self._operation:
            return AdviceText(check_ids(self._operation, ids))
        if self._status not in (NOT_FOUND, *NO_PATH):
            is_named = is_absence(told.text) and not any(each.field for each in told.complaints)
            return AdviceText(UNNAMED) if is_named else None
        if self._operation is None:
            return AdviceText(
                describe_unknown_path(self._service, self._outgoing.method, self._outgoing.path)
            )
        has = f"has no {self._outgoing.method}" if self._status in NO_PATH else "has nothing"
        text = f"check the base URL: this service {has} at this address"
        if self._status in NO_PATH or is_page or is_about_path(told.text):
            return AdviceText(text, self._path_row())
        if not self._is_silent:
            return AdviceText(UNNAMED if is_absence(told.text) else None)
        names = [*(["the id"] if "{" in template else []), *find_id_names(self._body)]
        if names and self._operation:
            text = f"{check_ids(self._operation, names)}; if it is right, check the base URL"
        return AdviceText(text, self._path_row())

    def _path_row(self) -> str | None:
        """The assumption that the path rests on; None if the specification shows it."""
        key = keys().get(key_of(self._operation.path)) if self._operation else None
        return key.row if key and key.origin != SPEC else None

    def _path_template(self) -> str:
        return self._operation.path(self._service) if self._operation else self._outgoing.path

    def _advise_on_fields(self) -> AdviceText:
        """What the specification says about the fields that the service names."""
        operation = self._operation
        if self._status not in INVALID or operation is None or not operation.fields:
            return AdviceText(self._by_status())
        complaints = [complaint for complaint in self._translate_complaints() if complaint.field]
        changes = list(self._changes_by_field(operation, complaints[:FIELDS_MAX]))
        if not changes:
            return AdviceText(self._by_status())
        texts = dict.fromkeys(change.text for change in changes if change.text)
        assumptions = [change.assumption for change in changes if change.assumption]
        return AdviceText("; ".join(texts) or None, next(iter(assumptions), None))

    def _translate_complaints(self) -> list[Complaint]:
        """The complaints with our names of the fields."""
        if self._operation is None or not self._operation.fields:
            return list(self._told.complaints)
        spec_name = partial(Translation(self._service).field, self._operation.name, self._body)
        return [
            complaint._replace(field=spec_name(complaint.field))
            for complaint in self._told.complaints
        ]

    def _changes_by_field(
        self, operation: Operation, complaints: list[Complaint]
    ) -> Iterator[AdviceText]:
        """What to change, by field."""
        strange = list[str]()
        sent = {*_find_texts(self._body)}
        for complaint in complaints:
            field = expected_field(operation.name, complaint.field, self._body, self._service)
            is_secret = CREDENTIALS.search(complaint.field) is not None
            if complaint.field in sent and field is None:
                continue  # a refused value, not a field
            if field is None and complaint.is_missing and not is_secret:
                last = last_name(complaint.field)
                spec_field = expected_field(operation.name, last, self._body, self._service)
                if spec_field is not None and value_at(self._body, last) is None:
                    yield AdviceText(
                        f"the service names {plain(complaint.field, 60)}; the specification has "
                        f"{last} at the top, which was not sent: add it, or ask your provider"
                    )
                elif spec_field is None:
                    strange.append(complaint.field)
            elif field is None and complaint.is_unknown and not is_secret:
                name = plain(complaint.field, 60)
                yield AdviceText(f"leave {name} out of the call: this service does not know it")
            elif field is not None:
                yield self._of_known(field, complaint)
        if strange:
            yield AdviceText(_not_of_the_spec(operation, strange))

    def _missing_header(self) -> str:
        """How to send a header that the service misses; "" if it misses none."""
        match = HEADER.search(self._told.text)
        name = match["name"] if match else ""
        if not name or not says_missing(self._told.text) or "signature" in name.lower():
            return ""
        if name.lower() == "idempotency-key":
            return KEY_SENT if self._outgoing.idempotency_key else NO_KEY
        if name.lower() in OWN_HEADERS:
            return "it was sent: a proxy may remove it; lab.explain() shows it"
        return f'send this header with headers={{"{name}": ...}}'

    def _of_known(self, field: ExpectedField, told: Complaint) -> AdviceText:
        """What the specification says about one of its fields."""
        source = None if field.source == SPEC else field.source
        value = value_at(self._body, field.path)
        is_about_value = isinstance(value, str) and value.lower() in told.words.lower()
        if told.is_unknown and not is_about_value:  # a field that has to be sent cannot be left out
            text = f"this service does not know {field.path}: leave it out or ask your provider"
            return AdviceText() if field.required else AdviceText(text, source)
        if told.is_missing and value is None:
            rule_text = f": it {field.rule}" if field.rule else ""
            return AdviceText(f"add {field.path} to the call{rule_text}", source)
        rule = "" if told.is_missing and value else field.rule_for(value)
        is_said = not rule or SAYS_THE_RULE.search(told.words) is not None
        return AdviceText(None if is_said else f"{field.path} {rule}")

    def _by_status(self) -> str | None:
        """What a refusal without a known field may need."""
        if re.search("pagination token|cursor", self._told.text, re.IGNORECASE):
            is_list = self._operation is None or self._operation.is_list
            return CURSOR if is_list else None
        return self._stated_states()

    def _stated_states(self) -> str | None:
        """The states in which the specification refuses this, if the service says nothing."""
        if self._operation is None or not self._is_silent:
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
    def _is_silent(self) -> bool:
        """Whether the text is a phrase or a code, so that it says no more than the status."""
        return is_status_phrase(self._told.text) or " " not in self._told.text.strip()


def _find_texts(body: object, depth: int = DEPTH_MAX) -> Iterator[str]:
    """The texts in a body."""
    if isinstance(body, str):
        yield body
    items = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    for item in items if depth else ():
        yield from _find_texts(item, depth - 1)


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
