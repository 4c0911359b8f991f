"""A refused request: what was sent, and what the service says of each field."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..client.call import Call
from ..client.exchange import Exchange
from ..errors.api import APIStatusError
from ..spec.complaints import Complaint
from ..spec.error_body import ErrorBody
from ..spec.json_path import last_name, value_at
from ..spec.operations.records import OPERATIONS
from ..spec.service.key import SettingKey, Value
from ..spec.service.keys import find_settings_below
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.text import JsonMapping, plain
from ..spec.translation import Translation

Guess = Mapping[str, Value]
"""Settings with which a refused request may succeed: values by keys, tried together."""
Guesses = Iterator[Guess]
"""Guesses, the most likely first."""

MISSING = "missing"
UNKNOWN = "unknown"
INVALID = "invalid"
BESIDE_DETAILS = frozenset({"details", "type", "individual_id"})
"""Fields of an account beside those in its details."""
PROBLEMS_MAX = 5
"""So many problems of a refusal are repeated."""


def describe_error(error: BaseException) -> str:
    """Write an error in one line: its status, the service's words, and its problems by field."""
    error_text = " ".join(str(error).split())
    call = getattr(error, "call", None)
    if isinstance(error, APIStatusError) and call and is_web_page(call):
        error_text += ", a web page"
    for problem in getattr(error, "problems", ())[:PROBLEMS_MAX]:
        if problem.field and problem.field not in error_text:
            error_text += f"; {problem.field}: {problem.message}"
    return plain(error_text, 300)


def is_web_page(call: Call) -> bool:
    """Whether an answer is a web page, which is no answer of an API."""
    is_html = "html" in str(call.response_headers.get("content-type", "")).lower()
    return is_html or call.response_body.text.lstrip().startswith("<")


def read_complaints(error: APIStatusError) -> tuple[Complaint, ...]:
    """Read what a refusal says of each field; if it names no field, its sentences."""
    return ErrorBody(error.text, error.problems).complaints


def classify_complaint(complaint: Complaint) -> str:
    """Say what is wrong with a field: `MISSING`, `UNKNOWN`, or `INVALID` for its value."""
    if complaint.is_unknown:
        return UNKNOWN
    return MISSING if complaint.is_missing else INVALID


@dataclass(frozen=True)
class SentObject:
    """What was sent as the body of a request, or as the details of an account in it.

    `table` are its settings, such as "quotes" or "financial_accounts.MX.bank_account"; "" without.
    `values` have our names.
    """

    table: str
    values: Mapping[str, Any]
    is_details: bool = False

    @cached_property
    def name_settings(self) -> Mapping[str, SettingKey]:
        """The settings that rename its fields, by our names of the fields."""
        return find_settings_below(f"{self.table}.fields.") if self.table else {}


@dataclass(frozen=True)
class RefusedField:
    """What a service says of one field: a sentence (`words`), of which `kind` is the gist.

    `path` has the service's names, `our_path` ours: the service calls it `payee.id`, paylab
    `recipient_id`. Both are dotted, and "" if no field is named. `sent` is the object that the
    field is in, or would be in.
    """

    path: str
    our_path: str
    kind: str
    words: str
    sent: SentObject

    @property
    def name(self) -> str:
        """Our name of the field, without the object that it is in."""
        return last_name(self.our_path)

    @property
    def place(self) -> str:
        """Where the service has the field: its path in a body, its name in details."""
        return last_name(self.path) if self.sent.is_details else self.path

    @property
    def was_sent(self) -> bool:
        """Whether the request had the field."""
        our_place = self.name if self.sent.is_details else self.our_path
        return value_at(self.sent.values, our_place) is not None


class RefusedRequest:
    """A refused request of a known operation, and the settings that it was made of.

    `body` has our names, `sent_body` the service's; both are empty without a JSON body.
    """

    def __init__(self, error: APIStatusError, exchange: Exchange, service: Service) -> None:
        request = exchange.request
        self.service = service
        self.operation = OPERATIONS[request.operation]
        self.body = SentObject(
            setting_key_of(self.operation.names).removesuffix(".fields"),
            request.asked if isinstance(request.asked, dict) else {},
        )
        self.sent_body = _read_sent_body(request.content)
        self.answered_body = error.body
        self._translation = Translation(service)
        complaints = read_complaints(error)
        self.unknown_names = {
            last_name(self._translate(complaint.field))
            for complaint in complaints
            if complaint.is_unknown
        }
        self.fields = [self._make_field(complaint) for complaint in complaints]

    def _make_field(self, complaint: Complaint) -> RefusedField:
        """Make the field that a complaint is about, with the object that the field is in."""
        our_path = self._translate(complaint.field)
        complaint_kind = classify_complaint(complaint)
        sent_object = self._find_object(our_path)
        return RefusedField(
            path=complaint.field,
            our_path=our_path,
            kind=complaint_kind,
            words=complaint.words,
            sent=sent_object,
        )

    def _translate(self, path: str) -> str:
        """Translate the service's path of a field into ours."""
        return self._translation.translate_field(self.operation.name, self.body.values, path)

    def _find_object(self, our_path: str) -> SentObject:
        """Find the object that has a field: the details of an account, else the body.

        A service may say `financial_accounts.0.details.clabe`, `details.clabe`, or, of a request
        that creates an account, `clabe`. If the field can be in the details of several accounts,
        the body is returned.
        """
        *parents, field_name = our_path.split(".")
        is_in_account = "details" in parents or "financial_accounts" in parents
        is_bare = self.operation.resource == "financial_accounts" and not parents
        is_in_details = field_name not in BESIDE_DETAILS and (is_in_account or is_bare)
        if not is_in_details:
            return self.body
        details_objects = list(self._find_details())
        if is_bare or len(details_objects) != 1:
            # A bare name may be new at the service: then the unknown names show the account.
            candidate_names = {field_name, *self.unknown_names} if is_bare else {field_name}
            details_objects = [
                details_object
                for details_object in details_objects
                if candidate_names & details_object.name_settings.keys()
            ]
        return details_objects[0] if len(details_objects) == 1 else self.body

    def _find_details(self) -> Iterator[SentObject]:
        """Yield the details of the accounts in the body whose settings are known."""
        body = self.body.values
        listed_accounts = body.get("financial_accounts", [body])  # or the body is the account
        for account in listed_accounts:
            details = account.get("details")
            if isinstance(details, Mapping):
                account_settings = self._translation.find_account_settings(
                    body.get("country"), account.get("type"), details
                )
                if account_settings is not None:
                    yield SentObject(account_settings.key, details, is_details=True)


def _read_sent_body(content: object) -> JsonMapping:
    """Read the body of a request as it was sent; empty if it is not an object of JSON."""
    try:
        json_value = json.loads(content) if isinstance(content, bytes) else {}
    except ValueError:
        return {}
    return json_value if isinstance(json_value, dict) else {}
