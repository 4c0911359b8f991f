"""Advises on a refusal by the field, the id, the state or the kind that the refusal is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from ..spec.complaints import says_missing
from ..spec.error_body import ErrorBody
from ..spec.error_words import is_markup, is_status_phrase
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.operations.refusals import Refusal
from ..spec.service.keys import setting_keys
from ..spec.service.service import Service
from ..spec.service.setting import SPEC, setting_key_of
from ..spec.text import JsonMapping
from .absent_objects import (
    PATH_ID,
    UNNAMED,
    advise_to_check_ids,
    describe_unknown_path,
    find_absent_ids,
    find_id_names,
    find_path_id,
    is_about_path,
    is_absence,
    read_id,
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
    find_kind,
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

CONTROLS = "/_simulator/"
"""How the paths of a simulator's controls begin."""
NO_OBJECT = "this simulator has no such object: check the id in a list, as lab.transfers.list()"


class Advisor:
    """Finds the advice for one refusal."""

    def __init__(
        self, outgoing: OutgoingRequest, status: int, error_body: ErrorBody, service: Service
    ) -> None:
        """Advise on a request that a service refused with this status and body."""
        self._outgoing = outgoing
        self._status = status
        self._error_body = error_body
        self._service = service
        self._operation: Operation | None = OPERATIONS.get(outgoing.operation)
        self._body: JsonMapping = outgoing.asked if isinstance(outgoing.asked, dict) else {}

    @cached_property
    def kind(self) -> RefusalKind | None:
        """The kind of the refusal by its words and status."""
        return find_kind(self._status, self._error_body.text, self._error_body.body)

    def advice(self, wait_advice: str | None = None) -> AdviceText:
        """The advice on the refusal; `wait_advice` says how long the service asks to wait."""
        failure_advice = self._advise_after_failure()
        first_advice = (
            AdviceText(failure_advice) if failure_advice else self._advise_after_refusal()
        )
        advice_texts = filter(None, (first_advice.text, wait_advice))
        return AdviceText("; ".join(advice_texts) or None, first_advice.assumption)

    def _advise_after_refusal(self) -> AdviceText:
        """The first advice that the words of the refusal allow.

        For a control of the simulator that is only the advice on an unknown object.
        """
        if self._outgoing.path.startswith(CONTROLS):
            is_about_object = self._status == NOT_FOUND and "object" in self._error_body.text
            return AdviceText(NO_OBJECT if is_about_object else None)
        if self.kind is RATE:
            return AdviceText(RATE.advice)
        if refusal := self._find_known_refusal():
            assumption = None if refusal.source == SPEC else refusal.source
            return AdviceText(refusal.advice, assumption)
        advice_text = (
            self._advise_on_missing_header() or self._advise_about_key() or self._advise_by_kind()
        )
        if advice_text:
            return AdviceText(advice_text)
        return self._advise_on_absent_object() or self._advise_on_fields()

    def _advise_by_kind(self) -> str:
        """Advise by the kind of the refusal; "" if it has no kind, or is about a field.

        "Forbidden" in a 400 that names a field is about the field, not about the caller.
        """
        refusal_kind = self.kind
        names_a_field = any(complaint.field for complaint in self._error_body.complaints)
        is_about_field = self._status in INVALID and names_a_field
        if refusal_kind is None or (refusal_kind.is_about_caller and is_about_field):
            return ""
        if refusal_kind is DUPLICATE:
            return f"{DUPLICATE.advice}{self._name_list_to_look_in()}"
        if refusal_kind is PERMISSION and self._is_sandbox_only():
            return SANDBOX_ONLY_ADVICE
        return refusal_kind.advice

    def _is_sandbox_only(self) -> bool:
        """Whether a 403 says that an operation of the sandbox was called elsewhere.

        It does if its words name an environment, or give no reason at all.
        """
        is_sandbox_operation = self._operation is not None and self._operation.is_sandbox
        if self._status != FORBIDDEN or not is_sandbox_operation:
            return False
        environment_match = re.search(
            r"sandbox|production|\blive\b", self._error_body.text, re.IGNORECASE
        )
        return environment_match is not None or self._is_silent

    def _advise_after_failure(self) -> str:
        """Advise after the service failed; "" if it did not fail."""
        is_server_error = self._status >= SERVER_ERRORS and self._status not in NO_PATH
        if not is_server_error and self._status != TIMED_OUT:
            return ""
        if self._outgoing.method == "GET":
            return "the service failed: try again later"
        if self._outgoing.repeatable:  # an order: its sender adds what to do
            return "the service failed"
        return "it may have been carried out: look for what it makes before you send it again"

    def _find_known_refusal(self) -> Refusal | None:
        """The first known refusal of the operation whose pattern is in the answer.

        None if no pattern is, or if the answer is about the caller.
        """
        known_refusals = self._operation.refusals if self._operation else ()
        answer_text = f"{self._error_body.text} {' '.join(map(str, self._error_body.problems))}"
        if self._status in (UNAUTHORIZED, FORBIDDEN) or YOUR_ACCOUNT.search(answer_text):
            return None
        for refusal in known_refusals:
            words_pattern = refusal.words_pattern
            if words_pattern and re.search(words_pattern, answer_text, re.IGNORECASE):
                return refusal
        return None

    def _advise_about_key(self) -> str:
        """Advise about the Idempotency-Key, by what was sent; "" if the refusal is not about it."""
        if self._status not in INVALID:
            return ""
        if self._outgoing.idempotency_key is not None:
            return self._advise_about_sent_key()
        refusal_text = self._error_body.text
        asks_for_key = "uuid" in refusal_text.lower() or says_missing(refusal_text)
        return NO_KEY if IDEMPOTENCY.search(refusal_text) and asks_for_key else ""

    def _advise_about_sent_key(self) -> str:
        """Advise about the key that was sent; "" if the refusal is not about it."""
        refusal_text = self._error_body.text
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

    def _name_list_to_look_in(self) -> str:
        """The list to look in, such as ", in lab.transfers.list()"; "" if there is none."""
        resource = self._operation.resource if self._operation else ""
        return f", in lab.{resource}.list()" if f"{resource}.list" in OPERATIONS else ""

    def _advise_on_absent_object(self) -> AdviceText | None:
        """Advise what to check if the service does not know an object or the path; else None."""
        error_body = self._error_body
        absent_id_names = find_absent_ids(
            error_body.text,
            self._operation,
            find_id_names(self._body),
            has_path_id=self._has_path_id,
        )
        if absent_id_names and self._operation and not self._is_web_page:
            return AdviceText(self._advise_to_check_ids(self._operation, absent_id_names))
        if self._status in (NOT_FOUND, *NO_PATH):
            return self._advise_on_absent_path()
        names_field = any(complaint.field for complaint in error_body.complaints)
        return AdviceText(UNNAMED) if is_absence(error_body.text) and not names_field else None

    def _advise_on_absent_path(self) -> AdviceText:
        """Advise for a 404 about the path, or about nothing that the service names."""
        method = self._outgoing.method
        if self._operation is None:
            return AdviceText(describe_unknown_path(self._service, method, self._outgoing.path))
        lacks_method = self._status in NO_PATH
        lack_text = f"has no {method}" if lacks_method else "has nothing"
        assumption = self._find_path_assumption(self._operation)
        url_advice = f"check the base URL: this service {lack_text} at this address"
        is_about_address = lacks_method or self._is_web_page or is_about_path(self._error_body.text)
        if is_about_address:
            return AdviceText(url_advice, assumption)
        if not self._is_silent:  # its words are about an object, or about something else
            is_about_object = any(map(is_absence, self._refusal_texts))
            return AdviceText(UNNAMED if is_about_object else None)
        path_id_names = [PATH_ID] if self._has_path_id else []
        id_names = [*path_id_names, *find_id_names(self._body)]
        if not id_names:
            return AdviceText(url_advice, assumption)
        ids_advice = self._advise_to_check_ids(self._operation, id_names)
        advice_text = f"{ids_advice}; if it is right, check the base URL"
        return AdviceText(advice_text, assumption)

    def _advise_to_check_ids(self, operation: Operation, id_names: Sequence[str]) -> str:
        """The advice to check ids of the call: that in the path, or fields of the body."""
        path_id = find_path_id(operation.path(self._service), self._outgoing.path)
        id_by_name = {id_name: read_id(self._body.get(id_name)) for id_name in id_names}
        if PATH_ID in id_by_name:
            id_by_name[PATH_ID] = path_id
        return advise_to_check_ids(operation, id_by_name)

    @property
    def _is_web_page(self) -> bool:
        """Whether the answer is a web page."""
        body = self._error_body.body
        return isinstance(body, str) and is_markup(body)

    @property
    def _has_path_id(self) -> bool:
        """Whether the path of the request has an id."""
        operation = self._operation
        path_template = operation.path(self._service) if operation else self._outgoing.path
        return "{" in path_template

    @staticmethod
    def _find_path_assumption(operation: Operation) -> str | None:
        """The id of the assumption behind a path; None if the specification shows the path."""
        path_setting = setting_keys().get(setting_key_of(operation.path))
        return path_setting.row if path_setting and path_setting.origin != SPEC else None

    def _advise_on_fields(self) -> AdviceText:
        """Advise on the fields that the service names, by the specification."""
        operation = self._operation
        if self._status not in INVALID or operation is None or not operation.fields:
            return AdviceText(self._advise_by_status())
        advisor = FieldAdvisor(operation, self._body, self._service)
        return advisor.advice(self._error_body.complaints) or AdviceText(self._advise_by_status())

    def _advise_on_missing_header(self) -> str:
        """How to send a header that the service misses; "" if it misses none.

        A missing signature is not advised on: paylab signs every request.
        """
        header_match = HEADER.search(self._error_body.text)
        if header_match is None or not says_missing(self._error_body.text):
            return ""
        header_name = header_match["name"]
        if "signature" in header_name.lower():
            return ""
        if header_name.lower() == "idempotency-key":
            return KEY_SENT if self._outgoing.idempotency_key else NO_KEY
        if header_name.lower() in OWN_HEADERS:
            return "it was sent: a proxy may remove it; lab.explain() shows it"
        return f'send this header with headers={{"{header_name}": ...}}'

    def _advise_by_status(self) -> str | None:
        """Advise after a refusal without a known field; None if nothing is known."""
        if re.search("pagination token|cursor", self._error_body.text, re.IGNORECASE):
            is_list = self._operation is None or self._operation.is_list
            return CURSOR if is_list else None
        return self._describe_refused_states()

    def _describe_refused_states(self) -> str | None:
        """The states in which the specification refuses the operation with this status.

        None if the service gives a reason itself, or if there are no such states.
        """
        if self._operation is None or not self._is_silent:
            return None
        state_refusals = [
            refusal
            for refusal in self._operation.refusals
            if refusal.status_code(self._service) == self._status and not refusal.fields
        ]
        if len(state_refusals) == 1 and state_refusals[0].advice:
            return state_refusals[0].advice
        reasons_text = "; or ".join(refusal.when for refusal in state_refusals)
        return f"by the specification this is refused if {reasons_text}" if reasons_text else None

    @property
    def _is_silent(self) -> bool:
        """Whether the words say no more than the status: "Not Found", or a code like not_found."""
        return all(
            is_status_phrase(text) or " " not in text.strip() for text in self._refusal_texts
        )

    @property
    def _refusal_texts(self) -> list[str]:
        """The text of the refusal, and its messages about fields."""
        return [self._error_body.text, *(problem.message for problem in self._error_body.problems)]
