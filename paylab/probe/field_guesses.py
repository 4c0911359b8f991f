"""The settings behind the fields that a service complains about, with values to try."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..spec import codes, models
from ..spec.resource import Resource
from ..spec.service.files import FILL_IN
from ..spec.service.key import SettingKey
from ..spec.service.keys import setting_keys
from ..spec.service.lists import ListForm
from ..spec.service.rails import RAILS
from ..spec.service.value_types import NONE, WordsLimit
from .accepted_values import find_accepted_sizes, find_accepted_words, find_listed_words
from .constants import add_constant
from .refused_request import INVALID, MISSING, UNKNOWN, Guesses, RefusedField, RefusedRequest
from .renames import rename_all_at_once, rename_field

NEW_NAME = re.compile(r"(?:did you mean|renamed to|use) ['\"`]?([A-Za-z_][\w.]*\w)", re.IGNORECASE)
NUMBER = re.compile(r"number|numeric|decimal|float", re.IGNORECASE)
TRUE = re.compile(r"must be (?:true|accepted)", re.IGNORECASE)
PLACE = re.compile(r"[A-Za-z_][\w-]{0,63}(?:\.[A-Za-z_][\w-]{0,63}){0,3}")
"""A dotted place in a body."""
CONSTANTS_MAX = 4
"""So many values of a constant field are tried."""
KNOWN_VALUES = {"sender_name": "Alex Example", "source_type": codes.SOURCE_TYPES[0]}
"""Values of optional fields that a person needs not choose."""


def guess_field_settings(request: RefusedRequest) -> Guesses:
    """Yield the settings behind the fields of a refused request, the most likely first."""
    if request.operation.is_list:
        for field in request.fields:
            yield from change_limit(request, field)
        return
    yield from rename_all_at_once(request)
    for field in request.fields:
        if field.path:
            for guess_rule in RULES[field.kind]:
                yield from guess_rule(request, field)


def change_limit(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield the sizes that the words state for a page, or no parameter for it if it is unknown.

    Another name of the parameter would be ignored, and prove nothing.
    """
    list_form = request.service.list(request.operation.resource)
    if field.kind == UNKNOWN and field.path == list_form.limit_parameter:
        yield {find_list_key(list_form, "limit_parameter"): NONE}
    elif field.kind != UNKNOWN and "limit" in f"{field.path} {field.words}".lower():
        sizes_largest_first = reversed(find_accepted_sizes(field.words))
        yield from ({"lists.max_limit": size} for size in sizes_largest_first if size > 0)


def find_list_key(form: ListForm, setting: str) -> str:
    """The key of a list's setting: `lists.transfers.more`, or `lists.order` of all lists."""
    own_key = f"lists.{form.name}.{setting}"
    return own_key if own_key in setting_keys() else f"lists.{setting}"


def follow_new_name(_request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield the name that a sentence suggests: "country is unknown, did you mean country_code?"."""
    new_name_match = NEW_NAME.search(field.words)
    name_setting = field.sent.name_settings.get(field.our_path)
    if new_name_match and name_setting:
        yield {name_setting.name: new_name_match[1]}


def require_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield the required fields with one more, such as `email`, if paylab has a value for it.

    A field in an object may be required by its path, or by any end of it.
    """
    setting = setting_keys().get(f"{field.sent.table or request.operation.resource}.required")
    if setting is None or not isinstance(setting.limit, WordsLimit) or field.was_sent:
        return
    required_names = request.service.value(setting.name)
    if not isinstance(required_names, tuple):
        return
    path_segments = [field.name] if field.sent.is_details else field.our_path.split(".")
    path_ends = [".".join(path_segments[start:]) for start in range(len(path_segments))]
    if path_segments[0] == "document":  # it is only required as a whole
        path_ends.append("document")
    allowed_words = setting.limit.words or path_ends  # without any, every word is allowed
    possible_names = [path_end for path_end in path_ends if path_end in allowed_words]
    if possible_names and possible_names[0] not in required_names:
        yield {setting.name: (*map(str, required_names), possible_names[0])}


def send_number(_request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield the setting for amounts as JSON numbers, if the service asks for a number."""
    if field.name.endswith("amount") and NUMBER.search(field.words):
        yield {"amounts.requests": "number"}


def change_currency_case(_request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield the settings for both letter cases of a refused currency."""
    if field.name.endswith("currency"):
        yield {"currencies.case": "upper"}
        yield {"currencies.case": "lower"}


def choose_words(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield the words that a message lists for a field: `{"rails.MX": ("bitso",)}`."""
    accepted_words = find_accepted_words(field.words)
    if accepted_words:
        yield from (
            {setting.name: accepted_words} for setting in _find_word_settings(request, field)
        )


def _find_word_settings(request: RefusedRequest, field: RefusedField) -> Iterator[SettingKey]:
    """Yield the settings that hold the words of a field.

    Those of a payout method are the rails of each country that has the one that was sent.
    """
    if field.sent.is_details:
        setting = setting_keys().get(f"{field.sent.table}.allowed")
        if setting and setting.field == field.name:
            yield setting
    elif field.name == "payout_method":
        for country, read_rails in RAILS.items():
            if field.sent.values.get("payout_method") in read_rails(request.service.rails):
                yield setting_keys()[f"rails.{country}"]


def add_constant_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Yield the constant fields with one more, once for each value that it may have.

    After "gender must be one of MALE, FEMALE" they are `{"individuals.create": {"gender": "MALE"}}`
    and the same with "FEMALE". Without a known or listed value, a person has to fill it in.
    """
    if not _may_be_constant(request, field):
        return
    listed_words = find_listed_words(request.answered_body) or find_accepted_words(field.words)
    constant_values: list[Any] = [*listed_words[:CONSTANTS_MAX]]
    if field.our_path in KNOWN_VALUES:
        constant_values.insert(0, KNOWN_VALUES[field.our_path])
    if TRUE.search(field.words):
        constant_values.append(True)
    for constant_value in constant_values or [FILL_IN]:
        yield {
            "extra": add_constant(
                request.service,
                operation=request.operation.name,
                place=field.path,
                value=constant_value,
            )
        }


def _may_be_constant(request: RefusedRequest, field: RefusedField) -> bool:
    """Whether a field may be a constant: a new field whose value paylab does not know."""
    operation = request.operation
    # If a field of ours is unknown, the missing field is probably its name at the service.
    is_probably_renamed = bool(request.unknown_names)
    if is_probably_renamed or field.sent.is_details or not operation.fields:
        return False
    if not PLACE.fullmatch(field.path):
        return False
    answer_model = getattr(models, operation.answer, Resource)
    known_names = {*operation.by_name, *request.body.name_settings, *answer_model.model_fields}
    if field.our_path in known_names - KNOWN_VALUES.keys():
        return False
    if any(f"_{name}".endswith(f"_{field.name}") for name in request.body.values):
        return False  # `amount` is what was sent as `source_amount`
    # Something can be added to an object, but not to text.
    top_name, _, nested_path = field.path.partition(".")
    sent_value = request.sent_body.get(top_name)
    return sent_value is None or bool(nested_path and isinstance(sent_value, Mapping))


RULES: dict[str, tuple[Callable[[RefusedRequest, RefusedField], Guesses], ...]] = {
    UNKNOWN: (follow_new_name,),
    MISSING: (rename_field, require_field, add_constant_field),
    INVALID: (send_number, change_currency_case, choose_words, add_constant_field),
}
"""What to try for a field of a body, by what is wrong with it."""
