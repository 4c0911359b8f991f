"""The settings behind the fields that a service complains about, with values to try."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..spec.service.key import SettingKey
from ..spec.service.keys import setting_keys
from ..spec.service.rails import RAILS
from ..spec.service.setting import setting_key_of
from ..spec.service.value_types import NONE, WordsLimit
from .accepted_values import find_accepted_numbers, find_accepted_words
from .constants import add_constant_field
from .names import Guesses, find_list_key, suggest_cursor_names
from .refused_request import INVALID, MISSING, UNKNOWN, RefusedField, RefusedRequest
from .renames import (
    move_missed_reference,
    move_refused_reference,
    rename_all_at_once,
    rename_required_field,
    rename_unknown_field,
)

NUMBER = re.compile(r"number|numeric|decimal|float", re.IGNORECASE)
NEW_NAME = re.compile(r"(?:did you mean|renamed to|use) ['\"`]?([A-Za-z_][\w.]*\w)", re.IGNORECASE)
PAGE_SIZES = (50, 20, 10)


def guess_field_settings(request: RefusedRequest) -> Guesses:
    """The settings behind the fields of a refused request, the most likely first."""
    if not request.operation.is_list:
        yield from rename_all_at_once(request)
    for field in request.fields:
        if field.path or request.operation.is_list:
            for rule in RULES[_find_place(request, field), field.kind]:
                yield from rule(request, field)


def _find_place(request: RefusedRequest, field: RefusedField) -> str:
    """Where a field was sent: in a query, in the details of an account, or else in a body."""
    if request.operation.is_list:
        return "query"
    return "details" if request.find_object(field).is_details else "body"


def shorten_pages(request: RefusedRequest, field: RefusedField) -> Guesses:
    """The largest page that the words state, and usual sizes."""
    if "limit" in f"{field.path} {field.words}".lower():
        stated_sizes = sorted(find_accepted_numbers(field.words), reverse=True)
        for size in (*stated_sizes, *PAGE_SIZES):
            if size > 0:
                yield {"lists.max_limit": size}


def rename_cursor(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Other names of the parameter with the cursor."""
    if "cursor" in f"{field.path} {field.words}".lower():
        form = request.service.list(request.operation.resource)
        yield from suggest_cursor_names(form, request.service)


def omit_limit(request: RefusedRequest, field: RefusedField) -> Guesses:
    """No limit of a page, if the service does not know that parameter.

    Another name would be ignored, and prove nothing.
    """
    form = request.service.list(request.operation.resource)
    if form.limit_parameter == field.path:
        yield {find_list_key(form, "limit_parameter"): NONE}


def follow_new_name(request: RefusedRequest, field: RefusedField) -> Guesses:
    """The name in "country is unknown, did you mean country_code?"."""
    new_name_match = NEW_NAME.search(field.words)
    setting = request.body.name_settings.get(field.our_path)
    if new_name_match and setting:
        yield {setting.name: new_name_match[1]}


def rename_quote(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Other names of a quote: a service that does not know its name misses the terms instead."""
    setting = request.body.name_settings.get("quote_id")
    if setting and "quote_id" in request.body.values:
        yield from ({setting.name: other_name} for other_name in setting.others)


def require_field(request: RefusedRequest, field: RefusedField) -> Guesses:
    """One more required field, such as the e-mail of an individual, if paylab has its value.

    A field in an object may be required by its path, or by any end of it.
    """
    sent = request.find_object(field)
    key = setting_keys().get(f"{sent.table or request.operation.resource}.required")
    required_names = request.service.value(key.name) if key else None
    if not key or not isinstance(key.limit, WordsLimit) or not isinstance(required_names, tuple):
        return
    segments = [field.name] if sent.is_details else field.our_path.split(".")
    names = [".".join(segments[start:]) for start in range(len(segments))]
    if segments[0] == "document":
        names.append("document")
    name = next((name for name in names if not key.limit.words or name in key.limit.words), None)
    if name and name not in required_names and not sent.has(field):
        yield {key.name: (*map(str, required_names), name)}


def send_number(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Amounts as JSON numbers, if the service asks for a number."""
    if field.name.endswith("amount") and NUMBER.search(field.words):
        yield {"amounts.requests": "number"}


def change_currency_case(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Both letter cases of a refused currency."""
    if field.name.endswith("currency"):
        yield {"currencies.case": "upper"}
        yield {"currencies.case": "lower"}


def choose_words(request: RefusedRequest, field: RefusedField) -> Guesses:
    """Other words of a field that has fixed ones, such as `{"rails.MX": ("SPEI",)}`.

    They are those of the message, those of other services, upper case, and each alone.
    """
    for key in _find_word_settings(request, field):
        value = request.service.value(key.name)
        words_now = tuple(map(str, value)) if isinstance(value, tuple) else ()
        for words in (find_accepted_words(field.words), key.default, *key.others):
            if isinstance(words, list | tuple) and words:
                yield {key.name: tuple(map(str, words))}
        yield {key.name: tuple(word.upper() for word in words_now)}
        yield from ({key.name: (word,)} for word in words_now)


def _find_word_settings(request: RefusedRequest, field: RefusedField) -> Iterator[SettingKey]:
    """The settings with the words of a field: of rails, each country that has the one sent."""
    sent = request.find_object(field)
    known_field = request.operation.by_name.get(field.name)
    if sent.is_details:
        if field.name == sent.choice:
            yield setting_keys()[f"{sent.table}.allowed"]
    elif field.name == "payout_method":
        for country, read_rails in RAILS.items():
            if sent.values.get("payout_method") in read_rails(request.service.rails):
                yield setting_keys()[f"rails.{country}"]
    elif (
        known_field
        and (key := setting_keys().get(setting_key_of(known_field.setting)))
        and key.kind == "words"
    ):
        yield key


Rule = Callable[[RefusedRequest, RefusedField], Guesses]
RULES: dict[tuple[str, str], tuple[Rule, ...]] = {
    ("query", UNKNOWN): (omit_limit, rename_cursor),
    ("query", MISSING): (shorten_pages, rename_cursor),
    ("query", INVALID): (shorten_pages, rename_cursor),
    ("body", UNKNOWN): (follow_new_name,),
    ("body", MISSING): (
        *(move_missed_reference, rename_unknown_field, rename_quote),
        *(require_field, add_constant_field, rename_required_field),
    ),
    ("body", INVALID): (
        *(
            move_refused_reference,
            send_number,
            change_currency_case,
            choose_words,
            add_constant_field,
        ),
    ),
    ("details", UNKNOWN): (),
    ("details", MISSING): (rename_unknown_field, require_field, rename_required_field),
    ("details", INVALID): (choose_words,),
}
"""What to try for a field, by the place where it was sent and by what is wrong with it."""
