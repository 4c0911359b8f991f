"""What to do about a refusal: by the field, the id, the state or the kind, as far as it is known.

Nothing is guessed: what the specification says about a field that the service names, what it needs
in a state that the service's words describe, else who decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..spec.complaints import says_missing
from ..spec.error_body import ErrorBody
from ..spec.error_words import is_markup, is_status_phrase
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.operations.refusals import Refusal
from ..spec.service.keys import keys
from ..spec.service.service import Service
from ..spec.service.setting import SPEC, key_of
from .absent_objects import (
    PATH_ID,
    UNNAMED,
    absent_ids,
    advise_to_check_ids,
    describe_unknown_path,
    find_id_names,
    is_about_path,
    is_absence,
)
from .field_advice import AdviceText, FieldAdvisor
from .refusal_kinds import (
    CURSOR,
    DUPLICATE,
    FORBIDDEN,
    KEY_FORM,
    KEY_IN_USE,
    KEY_SENT,
    NO_KEY,
    OTHER_VALUES,
    PERMISSION,
    RATE,
    SANDBOX_ONLY_ADVICE,
    UNAUTHORIZED,
    RefusalKind,
    kind_of,
)
from .request import OWN_HEADERS, OutgoingRequest

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
OTHER_BODY = re.compile(r"\b(other|another|different|same param\w*|mismatch)\b", re.IGNORECASE)
HEADER = re.compile(r"\bheaders?\b\W{1,3}(?P<name>\w+(-\w+)+)", re.IGNORECASE)


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
        advice = AdviceText(failed) if failed else self._after_refusal()
        return AdviceText("; ".join(filter(None, (advice.text, wait))) or None, advice.assumption)

    def _after_refusal(self) -> AdviceText:
        """What to try after a refusal, by what the service says."""
        if self.kind is RATE:
            return AdviceText(RATE.advice)
        if refusal := self._stated_refusal():
            assumption = None if refusal.source == SPEC else refusal.source
            return AdviceText(refusal.advice, assumption)
        advice_text = self._missing_header() or self._advise_about_key() or self._advise_by_kind()
        if advice_text:
            return AdviceText(advice_text)
        return self._advise_on_absent_object() or self._advise_on_fields()

    def _advise_by_kind(self) -> str:
        """What to do by the kind of the refusal; "" if it has none, or is about a field.

        "Forbidden" in a 400 that names a field is about the field, not about the caller.
        """
        kind = self.kind
        names_a_field = any(complaint.field for complaint in self._told.complaints)
        is_about_field = self._status in INVALID and names_a_field
        if kind is None or (kind.is_about_caller and is_about_field):
            return ""
        if kind is DUPLICATE:
            return f"{DUPLICATE.advice}{self._where_to_look()}"
        if kind is PERMISSION and self._is_sandbox_only():
            return SANDBOX_ONLY_ADVICE
        return kind.advice

    def _is_sandbox_only(self) -> bool:
        """Whether a 403 is about the sandbox: its operation is, and no other reason is told."""
        is_sandbox = self._operation is not None and self._operation.is_sandbox
        is_told = (
            re.search(r"sandbox|production|\blive\b", self._told.text, re.IGNORECASE) is not None
        )
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
        refusal_text = f"{self._told.text} {' '.join(map(str, self._told.problems))}"
        if self._status in (UNAUTHORIZED, FORBIDDEN) or YOUR_ACCOUNT.search(refusal_text):
            return None  # it is about the caller
        for refusal in refusals:
            if refusal.words and re.search(refusal.words, refusal_text, re.IGNORECASE):
                return refusal
        return None

    def _advise_about_key(self) -> str:
        """What to do about the Idempotency-Key, by what was sent; "" if it is not about the key."""
        if self._status not in INVALID:
            return ""
        if self._outgoing.idempotency_key is not None:
            return self._advise_about_sent_key()
        refusal_text = self._told.text
        asks_for_key = "uuid" in refusal_text.lower() or says_missing(refusal_text)
        return NO_KEY if IDEMPOTENCY.search(refusal_text) and asks_for_key else ""

    def _advise_about_sent_key(self) -> str:
        """What to do about the key that was sent; "" if the refusal is not about it."""
        refusal_text = self._told.text
        # A conflict without words: most likely the key was used with another body.
        if self._status == CONFLICT and is_status_phrase(refusal_text):
            return OTHER_VALUES
        if not IDEMPOTENCY.search(refusal_text):
            return ""
        if "uuid" in refusal_text.lower():
            return KEY_FORM
        if IN_USE.search(refusal_text):
            return KEY_IN_USE
        if OTHER_BODY.search(refusal_text):
            return OTHER_VALUES
        return KEY_SENT if says_missing(refusal_text) and self.kind is not DUPLICATE else ""

    def _where_to_look(self) -> str:
        """The list to look in, if the operation has one."""
        resource = self._operation.resource if self._operation else ""
        return f", in lab.{resource}.list()" if f"{resource}.list" in OPERATIONS else ""

    def _advise_on_absent_object(self) -> AdviceText | None:
        """What to check if the service does not know an object or the path; None otherwise."""
        told = self._told
        absent_id_names = absent_ids(
            told.text, self._operation, find_id_names(self._body), has_own=self._has_path_id
        )
        if absent_id_names and self._operation and not self._is_page:
            return AdviceText(advise_to_check_ids(self._operation, absent_id_names))
        if self._status in (NOT_FOUND, *NO_PATH):
            return self._advise_on_nothing_there()
        names_field = any(complaint.field for complaint in told.complaints)
        return AdviceText(UNNAMED) if is_absence(told.text) and not names_field else None

    def _advise_on_nothing_there(self) -> AdviceText:
        """What to check if the service has nothing at the path, or does not say what it misses."""
        outgoing = self._outgoing
        if self._operation is None:
            return AdviceText(describe_unknown_path(self._service, outgoing.method, outgoing.path))
        lacks_method = self._status in NO_PATH
        lack = f"has no {outgoing.method}" if lacks_method else "has nothing"
        advice_text = f"check the base URL: this service {lack} at this address"
        if lacks_method or self._is_page or is_about_path(self._told.text):
            return AdviceText(advice_text, self._path_row())
        if not self._is_silent:
            return AdviceText(UNNAMED if any(map(is_absence, self._told_texts)) else None)
        own_id = [PATH_ID] if self._has_path_id else []
        id_names = [*own_id, *find_id_names(self._body)]
        if id_names:
            ids_advice = advise_to_check_ids(self._operation, id_names)
            advice_text = f"{ids_advice}; if it is right, check the base URL"
        return AdviceText(advice_text, self._path_row())

    @property
    def _is_page(self) -> bool:
        """Whether the answer is a web page."""
        body = self._told.body
        return isinstance(body, str) and is_markup(body)

    @property
    def _has_path_id(self) -> bool:
        """Whether the path of the request has an id."""
        operation = self._operation
        path = operation.path(self._service) if operation else self._outgoing.path
        return "{" in path

    def _path_row(self) -> str | None:
        """The assumption that the path rests on; None if the specification shows it."""
        path_setting = keys().get(key_of(self._operation.path)) if self._operation else None
        return path_setting.row if path_setting and path_setting.origin != SPEC else None

    def _advise_on_fields(self) -> AdviceText:
        """What the specification says about the fields that the service names."""
        operation = self._operation
        if self._status not in INVALID or operation is None or not operation.fields:
            return AdviceText(self._by_status())
        field_advice = FieldAdvisor(operation, self._body, self._service)
        return field_advice.advice(self._told.complaints) or AdviceText(self._by_status())

    def _missing_header(self) -> str:
        """How to send a header that the service misses; "" if it misses none."""
        match = HEADER.search(self._told.text)
        header_name = match["name"] if match else ""
        if (
            not header_name
            or not says_missing(self._told.text)
            or "signature" in header_name.lower()
        ):
            return ""
        if header_name.lower() == "idempotency-key":
            return KEY_SENT if self._outgoing.idempotency_key else NO_KEY
        if header_name.lower() in OWN_HEADERS:
            return "it was sent: a proxy may remove it; lab.explain() shows it"
        return f'send this header with headers={{"{header_name}": ...}}'

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
        """Whether the words are a phrase or codes, so that they say no more than the status."""
        return all(is_status_phrase(text) or " " not in text.strip() for text in self._told_texts)

    @property
    def _told_texts(self) -> list[str]:
        """The text of the refusal, and what it says of fields."""
        return [self._told.text, *(problem.message for problem in self._told.problems)]
