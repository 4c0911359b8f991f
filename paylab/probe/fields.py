"""The settings behind the fields that a service complains about, with values to try."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
from ..spec.service.key import SettingKey
from ..spec.service.keys import setting_keys
from ..spec.service.rails import RAILS
from ..spec.service.service import Service
from ..spec.service.setting import setting_key_of
from ..spec.service.value_types import NONE, WordsLimit
from ..spec.translation import Translation
from .account_fields import SentAccounts
from .constants import add_constant, find_listed_words, read_sent_body
from .field_renames import MOST_RENAMES, FieldRenames, find_names_table
from .names import Candidates, find_list_key, find_noun, sort_by_likeness, suggest_cursor_names
from .stated import find_stated_numbers, find_stated_words

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
        self._table = find_names_table(self._operation)
        self._body: Mapping[str, Any] = request.asked if isinstance(request.asked, dict) else {}
        self._sent = read_sent_body(request.content)
        self._answer = exchange.content
        translation = Translation(service)
        self._our_name = partial(translation.translate_field, self._operation.name, self._body)
        self._complaints = ErrorBody(error.text, error.problems).complaints
        self._unknown_names = {
            last_name(self._our_name(complaint.field))
            for complaint in self._complaints
            if complaint.is_unknown
        }
        self._renames = FieldRenames(self._operation, self._body, self._unknown_names)
        self._accounts = SentAccounts(self._operation, self._body, translation, self._unknown_names)

    def find_candidates(self) -> Candidates:
        """Values to try, most likely first."""
        if self._operation.is_list:
            yield from self._suggest_for_list()
            return
        yield from self._renames.rename_all_at_once(self._complaints)
        for complaint in self._complaints:
            if complaint.field:
                yield from self._suggest_for_field(complaint, self._our_name(complaint.field))

    def _suggest_for_list(self) -> Candidates:
        """The limit of a page, no limit at all, and other names of the cursor."""
        list_form = self._service.list(self._operation.resource)
        complaint_text = " ".join(" ".join(complaint) for complaint in self._complaints).lower()
        is_limit_unknown = any(
            complaint.is_unknown and list_form.limit_parameter in complaint
            for complaint in self._complaints
        )
        if is_limit_unknown:  # another name would be ignored, and prove nothing
            yield {find_list_key(list_form, "limit_parameter"): NONE}
        elif "limit" in complaint_text:
            stated_sizes = sorted(find_stated_numbers(complaint_text), reverse=True)
            yield from (
                {"lists.max_limit": size} for size in (*stated_sizes, *PAGE_SIZES) if size > 0
            )
        if "cursor" in complaint_text:
            yield from suggest_cursor_names(list_form, self._service)

    def _suggest_for_field(self, complaint: Complaint, our_name: str) -> Candidates:
        """Values for one complaint; `our_name` is the name of its field with us."""
        is_detail = self._accounts.has_field(our_name)
        account = self._accounts.find_account(our_name) if is_detail else None
        if account is not None:
            yield from self._suggest_for_detail(*account, complaint, last_name(our_name))
            return
        yield from self._suggest_reference_paths(complaint, our_name)
        suggestion = SUGGESTED.search(complaint.words)
        setting = self._renames.setting_by_name.get(our_name)
        if complaint.is_unknown and suggestion and setting:
            yield {setting.name: suggestion[1]}
        if complaint.is_missing:
            yield from self._suggest_for_missing(complaint, our_name)
        elif not complaint.is_unknown:
            yield from self._suggest_for_value(complaint, our_name)

    def _suggest_for_detail(
        self,
        form: AccountDetails,
        details: Mapping[str, object],
        complaint: Complaint,
        detail_name: str,
    ) -> Candidates:
        """Values for a field in the details of an account."""
        if complaint.is_missing and detail_name not in details:
            yield from self._renames.rename_in_details(form.key, complaint.field, details)
            yield from self._require_field(f"{form.key}.required", detail_name)
            # If the service needs the old name as well, it refuses this, and it is not kept.
            sent_names = {*form.required} & {*details} & {*form.fields}
            likely_names = sort_by_likeness(sorted(sent_names), detail_name)
            for likely_name in likely_names[:MOST_RENAMES]:
                yield {f"{form.key}.fields.{likely_name}": detail_name}
        elif detail_name == form.field and not complaint.is_unknown:
            yield from self._suggest_words(setting_keys()[f"{form.key}.allowed"], complaint)

    def _suggest_reference_paths(self, complaint: Complaint, our_name: str) -> Candidates:
        """The other forms of a reference: its id, or an object with the id."""
        for field_name, setting in self._renames.setting_by_name.items():
            if not field_name.endswith("_id"):
                continue
            id_path = str(self._service.value(setting.name))
            if complaint.is_missing:
                new_paths = find_missed_reference_paths(field_name, id_path, complaint.field)
            elif our_name in (field_name, id_path, name_referred_object(id_path)):
                new_paths = find_refused_reference_paths(id_path, complaint.words)
            else:
                continue
            yield from ({setting.name: new_path} for new_path in new_paths)

    def _suggest_for_missing(self, complaint: Complaint, our_name: str) -> Candidates:
        """Another name of a field, one more required field, or a constant."""
        field_name = last_name(our_name)
        setting_by_name = self._renames.setting_by_name
        is_sent = value_at(self._body, our_name) is not None
        default_key = DEFAULTS.get(f"{self._table}.{field_name}", "")
        if default_key in setting_keys() and not is_sent:
            yield {default_key: NONE}
        if self._table and (is_sent or field_name not in setting_by_name):
            yield from self._renames.rename_in_body(complaint.field)
        if "quote_id" in self._body and "quote_id" in setting_by_name:
            # The service may miss the terms because it does not know this name of a quote.
            quote_key = setting_keys()["transfers.fields.quote_id"]
            yield from ({quote_key.name: other_name} for other_name in quote_key.others)
        if is_sent:
            return
        yield from self._require_field(
            f"{self._table or self._operation.resource}.required", our_name
        )
        yield from self._suggest_constants(complaint, our_name)
        if our_name not in self._vocabulary:
            yield from self._renames.rename_required(complaint.field)

    def _require_field(self, setting_key: str, our_name: str) -> Candidates:
        """One more required field, if the setting can have it and paylab knows its value."""
        limit = setting_keys()[setting_key].limit if setting_key in setting_keys() else None
        required_names = self._service.value(setting_key) if limit else None
        if not isinstance(limit, WordsLimit) or not isinstance(required_names, tuple):
            return
        # A field in an object may be required by its path, or by any end of it.
        path_segments = our_name.split(".")
        names = [".".join(path_segments[start:]) for start in range(len(path_segments))]
        if path_segments[0] == "document":
            names.append("document")
        permitted_names = [name for name in names if not limit.words or name in limit.words]
        if permitted_names and permitted_names[0] not in required_names:
            yield {setting_key: (*map(str, required_names), permitted_names[0])}

    def _suggest_constants(self, complaint: Complaint, our_name: str) -> Candidates:
        """A constant field: a value that is known or stated, else one that the user fills in."""
        if not self._may_be_constant(complaint.field, our_name):
            return
        constants: list[Any] = [KNOWN[our_name]] if our_name in KNOWN else []
        constants += (
            find_listed_words(self._answer) or find_stated_words(complaint.words)[:MOST_RENAMES]
        )
        if TRUE.search(complaint.words):
            constants.append(True)
        for constant in constants or [FILL_IN]:
            extra = add_constant(self._service, self._operation.name, complaint.field, constant)
            yield {"extra": extra}

    def _may_be_constant(self, field_path: str, our_name: str) -> bool:
        """Whether a field may be a constant: it is new, and no field whose value paylab knows."""
        top_name, *nested_names = field_path.split(".")
        # Something can be added to an object, but not to text.
        sent_object = self._sent.get(top_name) if nested_names else None
        is_new = top_name not in self._sent or isinstance(sent_object, Mapping)
        has_values = our_name in self._vocabulary and our_name not in KNOWN
        is_name_known = bool(self._unknown_names) or has_values
        is_body_known = bool(self._operation.fields)
        return is_new and is_body_known and not is_name_known and bool(PLACE.fullmatch(field_path))

    @property
    def _vocabulary(self) -> set[str]:
        """The fields that paylab knows, whose values differ from call to call."""
        model = getattr(models, self._operation.answer)
        setting_names = self._renames.setting_by_name
        return {*self._operation.by_name, *setting_names, *model.model_fields}

    def _suggest_for_value(self, complaint: Complaint, our_name: str) -> Candidates:
        """Another form, case or word of a value that was sent and refused."""
        field_name = last_name(our_name)
        if field_name.endswith("amount") and NUMBER.search(complaint.words):
            yield {"amounts.requests": "number"}
        if field_name.endswith("currency"):
            yield from self._suggest_currency_cases(complaint, field_name)
        if field_name == "payout_method":
            yield from self._suggest_rail_settings(complaint)
        if field_name == "client_reference_id":
            yield from self._suggest_reference_lengths(complaint)
        field = self._operation.by_name.get(field_name)
        words_key = setting_keys().get(setting_key_of(field.setting)) if field else None
        if words_key is not None and words_key.kind == "words":
            yield from self._suggest_words(words_key, complaint)
        if not self._find_sent(field_name) and value_at(self._body, our_name) is None:
            yield from self._suggest_constants(complaint, our_name)

    def _find_sent(self, field_name: str) -> list[str]:
        """The values of the body that have a name, or a name that ends with it as a word."""
        return [
            str(value)
            for name, value in self._body.items()
            if f"_{name}".endswith(f"_{field_name}")
        ]

    def _suggest_currency_cases(self, complaint: Complaint, field_name: str) -> Candidates:
        """Both letter cases of a currency, if the service names the case or a sent currency."""
        telling_words = ["case", *map(str.lower, self._find_sent(field_name))]
        if any(word in complaint.words.lower() for word in telling_words):
            yield {"currencies.case": "upper"}
            yield {"currencies.case": "lower"}

    def _suggest_reference_lengths(self, complaint: Complaint) -> Candidates:
        """The longest reference, if the service states a length."""
        length_key = f"{self._table}.max_reference"
        if length_key in setting_keys() and TOO_LONG.search(complaint.words):
            yield from ({length_key: length} for length in find_stated_numbers(complaint.words))

    def _suggest_rail_settings(self, complaint: Complaint) -> Candidates:
        """Settings of rails to try, of each country that has the rail that was sent.

        For example `{"rails.MX": ("SPEI", ...)}` after a payout by SPEI was refused.
        """
        sent_rail = self._body.get("payout_method")
        for country, read_rails in RAILS.items():
            if sent_rail in read_rails(self._service.rails):
                rails_setting = setting_keys()[f"rails.{country}"]
                yield from self._suggest_words(rails_setting, complaint)

    def _suggest_words(self, setting: SettingKey, complaint: Complaint) -> Candidates:
        """Other words: those of the message, those of other services, upper case, each alone."""
        setting_value = self._service.value(setting.name)
        words_now = tuple(map(str, setting_value)) if isinstance(setting_value, tuple) else ()
        for words in (find_stated_words(complaint.words), setting.default, *setting.others):
            if isinstance(words, list | tuple) and words:
                yield {setting.name: tuple(map(str, words))}
        yield {setting.name: tuple(word.upper() for word in words_now)}
        yield from ({setting.name: (word,)} for word in words_now)


def name_referred_object(path: str) -> str:
    """The object that a reference names: `recipient` of `recipient_id` and of `recipient.id`."""
    return path.removesuffix(".id").removesuffix("_id")


def find_missed_reference_paths(field_name: str, id_path: str, missed_path: str) -> Iterator[str]:
    """Where else a reference may be sent, if the service says that `missed_path` is missing.

    `field_name` is our name of the reference, `id_path` the path where it was sent. A service that
    misses what was sent needs another reference as well: there is nothing to try then.
    """
    if missed_path == id_path:
        return
    sent_object = name_referred_object(id_path)
    missed_object = name_referred_object(missed_path)
    has_same_noun = find_noun(missed_object) == find_noun(sent_object)
    our_object = name_referred_object(field_name)
    is_same_object = has_same_noun or missed_object in (sent_object, our_object)
    is_reference = missed_path.endswith("id") or missed_path == missed_object
    is_in_sent_object = missed_path.startswith(f"{sent_object}.")
    if is_same_object and is_reference:  # `recipient_id` was sent, `recipient` is missing
        yield missed_path
        yield f"{missed_path}.id"
    elif not is_same_object and is_in_sent_object:  # `payee.id` was sent, `payee.key` is missing
        yield missed_path


def find_refused_reference_paths(id_path: str, refusal_words: str) -> Iterator[str]:
    """The paths of a reference that was sent as an object instead of text, or the reverse."""
    sent_object = name_referred_object(id_path)
    is_in_object = "." in id_path
    if is_in_object and TEXT.search(refusal_words):  # `recipient.id` was sent: try `recipient`
        yield sent_object
    elif not is_in_object and OBJECT.search(refusal_words):  # `recipient_id` was sent
        yield from (f"{id_path}.id", f"{sent_object}.id")
