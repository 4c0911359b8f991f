"""A refused request: what was sent, and what the service says of each field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ..client.exchange import Exchange
from ..errors.api import APIStatusError
from ..spec import models
from ..spec.complaints import Complaint
from ..spec.json_path import last_name, value_at
from ..spec.operations.records import OPERATIONS
from ..spec.resource import Resource
from ..spec.service.key import SettingKey
from ..spec.service.keys import find_settings_below
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.translation import Translation
from .refusal_words import read_complaints

MISSING = "missing"
UNKNOWN = "unknown"
INVALID = "invalid"
BESIDE_DETAILS = frozenset({"details", "type", "individual_id"})
"""Fields of an account beside those in its details."""


def classify_complaint(complaint: Complaint) -> str:
    """Whether a field is missing, unknown, or has an invalid value."""
    if complaint.is_unknown:
        return UNKNOWN
    return MISSING if complaint.is_missing else INVALID


class RefusedField(NamedTuple):
    """What a service says of one field: a sentence, of which `kind` is the gist.

    `path` has the service's names, `our_path` ours: the service calls it `payee.id`, paylab
    `recipient_id`. Both are dotted.
    """

    path: str
    our_path: str
    kind: str
    words: str

    @property
    def name(self) -> str:
        """Our name of the field, without the object that it is in."""
        return last_name(self.our_path)


@dataclass(frozen=True)
class SentObject:
    """What was sent as the body of a request, or as the details of an account in it.

    `table` are its settings, such as "quotes" or "financial_accounts.MX.bank_account"; "" without.
    `values` have our names. `required` are the fields that it has to have, and `choice` is the
    field of details that has fixed words.
    """

    table: str
    values: Mapping[str, Any]
    required: tuple[str, ...]
    is_details: bool = False
    choice: str = ""

    @cached_property
    def name_settings(self) -> dict[str, SettingKey]:
        """The settings that rename its fields, by our names of the fields."""
        return find_settings_below(f"{self.table}.fields.") if self.table else {}

    def has(self, field: RefusedField) -> bool:
        """Whether a field was sent."""
        path = field.name if self.is_details else field.our_path
        return value_at(self.values, path) is not None

    def place(self, field: RefusedField) -> str:
        """Where the service has a field: its path in a body, its name in details."""
        return last_name(field.path) if self.is_details else field.path


class RefusedRequest:
    """A refused request of a known operation, and the settings that it was made of.

    `body` has our names, `sent_body` the service's; its values are empty without a JSON body.
    """

    def __init__(self, error: APIStatusError, exchange: Exchange, service: Service) -> None:
        request = exchange.request
        self.service = service
        self.operation = OPERATIONS[request.operation]
        self.body = SentObject(
            setting_key_of(self.operation.names).removesuffix(".fields"),
            request.asked if isinstance(request.asked, dict) else {},
            tuple(field.name for field in self.operation.fields if field.required),
        )
        self.sent_body = _read_sent_body(request.content)
        self.answered_body = error.body
        self._translation = Translation(service)
        self.fields = [self._read_field(complaint) for complaint in read_complaints(error)]
        self.unknown_names = {field.name for field in self.fields if field.kind == UNKNOWN}

    def _read_field(self, complaint: Complaint) -> RefusedField:
        our_path = self._translation.translate_field(
            self.operation.name, self.body.values, complaint.field
        )
        kind = classify_complaint(complaint)
        return RefusedField(complaint.field, our_path, kind, complaint.words)

    def knows(self, field: RefusedField) -> bool:
        """Whether paylab has a field, whose value differs from call to call."""
        answer_model = getattr(models, self.operation.answer, Resource)
        names = {*self.operation.by_name, *self.body.name_settings, *answer_model.model_fields}
        return field.our_path in names

    def find_object(self, field: RefusedField) -> SentObject:
        """The details of the account that has a refused field; the body if there is not one.

        A service may say `financial_accounts.0.details.clabe`, `details.clabe`, or, of a request
        that creates an account, `clabe`.
        """
        *parents, name = field.our_path.split(".")
        is_in_account = not {"details", "financial_accounts"}.isdisjoint(parents)
        is_bare = self.operation.resource == "financial_accounts" and not parents
        if name in BESIDE_DETAILS or not (is_in_account or is_bare):
            return self.body
        index_match = re.match(r"financial_accounts\.(\d+)", field.our_path)
        objects = list(self._find_details(int(index_match[1]) if index_match else None))
        if is_bare or len(objects) != 1:
            names = {name, *self.unknown_names} if is_bare else {name}
            objects = [each for each in objects if names & each.name_settings.keys()]
        return objects[0] if len(objects) == 1 else self.body

    def _find_details(self, account_index: int | None) -> Iterator[SentObject]:
        """The details of the account with an index, or of all; only those with known settings."""
        body = self.body.values
        accounts = body.get("financial_accounts", [body])
        if not isinstance(accounts, list):
            return
        if account_index is not None:
            accounts = accounts[account_index : account_index + 1]
        for account in accounts:
            details = account.get("details") if isinstance(account, Mapping) else None
            if isinstance(details, Mapping):
                account_type = account.get("type")
                form = self._translation.find_account_settings(
                    body.get("country"), account_type, details
                )
                if form is not None:
                    yield SentObject(form.key, details, form.required, True, form.field)


def _read_sent_body(content: object) -> Mapping[str, Any]:
    """The body of a request as it was sent; empty if it is not JSON."""
    try:
        body = json.loads(content) if isinstance(content, bytes) else {}
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
