"""The settings behind the fields that a service complains about, with values to try."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from ..client.exchange import Exchange
from ..errors.api import APIStatusError
from ..spec import codes, models
from ..spec.complaints import Complaint
from ..spec.error_body import ErrorBody
from ..spec.json_path import last_name, value_at
from ..spec.operations.records import OPERATIONS
from ..spec.service.accounts import AccountDetails
from ..spec.service.files import FILL_IN
from ..spec.service.key import Key
from ..spec.service.keys import keys
from ..spec.service.rails import RAILS
from ..spec.service.service import Service
from ..spec.service.setting import key_of
from ..spec.service.value_types import NONE, WordsLimit
from ..spec.translation import Translation
from .account_fields import SentAccounts
from .constants import listed_words, sent_body, with_constant
from .field_renames import MOST_RENAMES, Candidates, FieldRenames, table_of
from .names import cursor_names, list_key, noun_of, unlikeness
from .stated import stated_numbers, stated_words

NUMBER = re.compile(r"number|numeric|decimal|float", re.IGNORECASE)
TOO_LONG = re.compile(r"at most|too long|longer|maximum|characters|length", re.IGNORECASE)
TEXT = re.compile(r"\b(?:a|be) (?:string|text)|expected string", re.IGNORECASE)
SUGGESTED = re.compile(r"(?:did you mean|renamed to|use) ['\"`]?([A-Za-z_][\w.]*\w)", re.IGNORECASE)
OBJECT = re.compile(r"\bobject\b", re.IGNORECASE)
TRUE = re.compile(r"must be (?:true|accepted)", re.IGNORECASE)
PLACE = re.compile(r"[A-Za-z_][\w-]{0,63}(?:\.[A-Za-z_][\w-]{0,63}){0,3}")
DEFAULTS = {
    "quotes.source_currency": "quotes.default_source_currency",
    "transfers.source_network": "transfers.default_network",
    "conversion_accounts.destination_currency": "conversion_accounts.default_destination_currency",
}
"""The key of the default of a field that may be omitted."""
KNOWN = {"sender_name": "Alex Example", "source_type": codes.SOURCE_TYPES[0]}
"""Values of optional fields that a person needs not choose."""
PAGE_SIZES = (50, 20, 10)


class RefusedFields:
    """Finds the settings behind the fields of a refused request."""

    def __init__(self, error: APIStatusError, exchange: Exchange, service: Service) -> None:
        request = exchange.request
        self._service = service
        self._operation = OPERATIONS[request.operation]
        self._table = table_of(self._operation)
        self._body: Mapping[str, Any] = request.asked if isinstance(request.asked, dict) else {}
        self._sent = sent_body(request.content)
        self._answer = exchange.content
        self._translation = Translation(service)
        self._complaints = ErrorBody(error.text, error.problems).complaints
        self._ours = partial(self._translation.field, self._operation.name, self._body)
        unknown_complaints = [complaint for complaint in self._complaints if complaint.is_unknown]
        self._unknown = {last_name(self._ours(complaint.field)) for complaint in unknown_complaints}
        self._renames = FieldRenames(self._operation, self._body, self._unknown)
        self._accounts = SentAccounts(self._operation, self._body, self._translation, self._unknown)

    def candidates(self) -> Candidates:
        """Values to try, most likely first."""
        if self._operation.is_list:
            yield from self._of_list()
            return
        yield from self._renames.together(self._complaints)
        for complaint in self._complaints:
            if complaint.field:
                yield from self._of_field(complaint, self._ours(complaint.field))

    def _of_list(self) -> Candidates:
        list_form = self._service.list(self._operation.resource)
        complaint_text = " ".join(" ".join(complaint) for complaint in self._complaints).lower()
        unknown_complaints = [complaint for complaint in self._complaints if complaint.is_unknown]
        if any(list_form.limit_parameter in complaint for complaint in unknown_complaints):
            # Another name would be ignored, and prove nothing.
            yield {list_key(list_form, "limit_parameter"): NONE}
        elif "limit" in complaint_text:
            numbers = sorted(stated_numbers(complaint_text), reverse=True)
            yield from ({"lists.max_limit": size} for size in (*numbers, *PAGE_SIZES) if size > 0)
        if "cursor" in complaint_text:
            yield from cursor_names(list_form, self._service)

    def _of_field(self, complaint: Complaint, our_name: str) -> Candidates:
        """Values for one complaint; `our_name` is the name of its field with us."""
        if self._accounts.has_field(our_name):
            account = self._accounts.find_form(our_name)
            if account is not None:
                yield from self._of_detail(*account, complaint, last_name(our_name))
                return
        yield from self._of_reference(complaint, our_name)
        suggestion = SUGGESTED.search(complaint.words)
        setting = self._renames.setting_by_name.get(our_name)
        if complaint.is_unknown and suggestion and setting:
            yield {setting.name: suggestion[1]}
        if complaint.is_missing:
            yield from self._of_missing(complaint, our_name)
        elif not complaint.is_unknown:
            yield from self._of_value(complaint, our_name)

    def _of_detail(
        self,
        form: AccountDetails,
        details: Mapping[str, object],
        complaint: Complaint,
        detail_name: str,
    ) -> Candidates:
        """Values for a field in the details of an account."""
        if complaint.is_missing and detail_name not in details:
            yield from self._renames.in_details(form.key, complaint.field, details)
            yield from self._require_field(f"{form.key}.required", detail_name)
            # A service that needs the old name as well misses it then.
            sent_names = {*form.required} & {*details} & {*form.fields}
            likely_names = sorted(sorted(sent_names), key=partial(unlikeness, detail_name))
            for likely_name in likely_names[:MOST_RENAMES]:
                yield {f"{form.key}.fields.{likely_name}": detail_name}
        elif detail_name == form.field and not complaint.is_unknown:
            yield from self._of_words(keys()[f"{form.key}.allowed"], complaint)

    def _of_reference(self, complaint: Complaint, our_name: str) -> Candidates:
        """The other forms of a reference: its id, or an object with the id."""
        their_name = complaint.field
        for field_name, setting in self._renames.setting_by_name.items():
            id_path = str(self._service.value(setting.name))
            if not field_name.endswith("_id"):
                continue
            holder = id_path.removesuffix(".id").removesuffix("_id")
            their_holder = their_name.removesuffix(".id").removesuffix("_id")
            is_same = their_holder in (holder, field_name.removesuffix("_id"))
            is_same = is_same or noun_of(their_holder) == noun_of(holder)
            if complaint.is_missing:
                # A service that needs another reference as well misses this one then.
                if their_name == id_path:
                    continue
                if is_same and (their_name.endswith("id") or their_name == their_holder):
                    yield {setting.name: their_name}
                    yield {setting.name: f"{their_name}.id"}
                elif not is_same and their_name.startswith(f"{holder}."):
                    yield {setting.name: their_name}
            elif our_name in (field_name, id_path, holder):
                if TEXT.search(complaint.words) and "." in id_path:
                    yield {setting.name: holder}
                elif OBJECT.search(complaint.words) and "." not in id_path:
                    yield from ({setting.name: f"{form}.id"} for form in (id_path, holder))

    def _of_missing(self, complaint: Complaint, our_name: str) -> Candidates:
        """Another name of a field, one more required field, or a constant."""
        name = last_name(our_name)
        default_key = DEFAULTS.get(f"{self._table}.{name}", "")
        if default_key in keys() and value_at(self._body, our_name) is None:
            yield {default_key: NONE}
        if self._table:
            fields = self._renames.setting_by_name
            if name not in fields or value_at(self._body, our_name) is not None:
                yield from self._renames.in_body(complaint.field)
        if "quote_id" in self._body and "quote_id" in self._renames.setting_by_name:
            # The service may miss the terms because it does not know this name of a quote.
            others = keys()["transfers.fields.quote_id"].others
            yield from ({"transfers.fields.quote_id": other} for other in others)
        table = self._table or self._operation.resource
        if value_at(self._body, our_name) is None:
            yield from self._require_field(f"{table}.required", our_name)
            yield from self._suggest_constants(complaint, our_name)
            if our_name not in self._vocabulary:
                yield from self._renames.of_required(complaint.field)

    def _require_field(self, setting_key: str, our_name: str) -> Candidates:
        """One more required field, if the setting can have it and paylab knows its value."""
        limit = keys()[setting_key].limit if setting_key in keys() else None
        if not isinstance(limit, WordsLimit):
            return
        path_segments = our_name.split(".")
        candidate_names = [".".join(path_segments[number:]) for number in range(len(path_segments))]
        if "document" in path_segments[:1]:
            candidate_names.append("document")
        permitted_names = [
            name for name in candidate_names if not limit.words or name in limit.words
        ]
        present_names = self._service.value(setting_key)
        if not permitted_names or not isinstance(present_names, tuple):
            return
        if permitted_names[0] not in present_names:
            yield {setting_key: (*map(str, present_names), permitted_names[0])}

    def _suggest_constants(self, complaint: Complaint, our_name: str) -> Candidates:
        """A constant field: a value that is known or stated, else one that the user fills in."""
        field_path = complaint.field
        top_name, *nested_names = field_path.split(".")
        is_object = isinstance(self._sent.get(top_name), Mapping) if nested_names else True
        is_new = top_name not in self._sent or (is_object and nested_names)
        if self._unknown or not is_new or not self._operation.fields:
            return
        if not PLACE.fullmatch(field_path) or (
            our_name in self._vocabulary and our_name not in KNOWN
        ):
            return
        constant_values: list[Any] = [KNOWN[our_name]] if our_name in KNOWN else []
        constant_values += (
            listed_words(self._answer) or stated_words(complaint.words)[:MOST_RENAMES]
        )
        constant_values += [True] if TRUE.search(complaint.words) else []
        for constant in constant_values or [FILL_IN]:
            yield {
                "extra": with_constant(self._service, self._operation.name, field_path, constant)
            }

    @property
    def _vocabulary(self) -> set[str]:
        """The fields that paylab knows, whose values differ from call to call."""
        model = getattr(models, self._operation.answer)
        setting_names = self._renames.setting_by_name
        return {*self._operation.by_name, *setting_names, *model.model_fields}

    def _of_value(self, complaint: Complaint, our_name: str) -> Candidates:
        """Another form, case or word of a value that was sent and refused."""
        complaint_words = complaint.words
        field_name = last_name(our_name)
        sent_names = [
            field for field in self._body if field == field_name or field.endswith(f"_{field_name}")
        ]
        if field_name.endswith("amount") and NUMBER.search(complaint_words):
            yield {"amounts.requests": "number"}
        if field_name.endswith("currency"):
            sent_texts = [str(self._body[field]) for field in sent_names]
            case_words = ["case", *(sent_text.lower() for sent_text in sent_texts)]
            if any(case_word in complaint_words.lower() for case_word in case_words):
                yield {"currencies.case": "upper"}
                yield {"currencies.case": "lower"}
        if field_name == "payout_method":
            payout_method = self._body.get(field_name)
            for country, country_rails in RAILS.items():
                if payout_method in country_rails(self._service.rails):
                    yield from self._of_words(keys()[f"rails.{country}"], complaint)
        if field_name == "client_reference_id" and TOO_LONG.search(complaint_words):
            limit_key = f"{self._table}.max_reference"
            for number in stated_numbers(complaint_words) if limit_key in keys() else ():
                yield {limit_key: number}
        field = self._operation.by_name.get(field_name)
        setting = key_of(field.setting) if field else ""
        if setting in keys() and keys()[setting].kind == "words":
            yield from self._of_words(keys()[setting], complaint)
        if (
            not sent_names
            and field_name not in self._body
            and value_at(self._body, our_name) is None
        ):
            yield from self._suggest_constants(complaint, our_name)

    def _of_words(self, setting: Key, complaint: Complaint) -> Candidates:
        """Other words: those of the message, those of other services, upper case, each alone."""
        setting_value = self._service.value(setting.name)
        present_words = setting_value if isinstance(setting_value, tuple) else ()
        for choice in (stated_words(complaint.words), setting.default, *setting.others):
            if isinstance(choice, list | tuple) and choice:
                yield {setting.name: tuple(map(str, choice))}
        yield {setting.name: tuple(str(present_word).upper() for present_word in present_words)}
        yield from ({setting.name: (str(present_word),)} for present_word in present_words)
