"""The schema of a field of a request by its kind."""

from __future__ import annotations

from collections.abc import Iterable

from ..spec import codes
from ..spec.money import WHOLE_DIGITS_MAX
from ..spec.operations.field import AMOUNT, CURRENCY, DATE, ENUM, ID, INTEGER, LIST, TIME, Field
from ..spec.service.service import Service
from ..spec.text import CASE_CHANGES
from .schemas import NOT_BLANK, Schema, words_schema

DECIMALS_MAX = max(codes.MINOR_UNITS.values())
AMOUNT_TEXT: Schema = {
    "type": "string",
    "pattern": rf"^(?=.*[1-9])[0-9]{{1,{WHOLE_DIGITS_MAX}}}(?:\.[0-9]{{1,{DECIMALS_MAX}}})?$",
}
"""An amount of a request: more than 0, exact."""
TIMESTAMP: Schema = {"type": "string", "format": "date-time"}
DAY_PATTERN: Schema = {"type": "string", "format": "date"}
NOT_BLANK_TEXT: Schema = {"type": "string", "minLength": 1, "pattern": NOT_BLANK}


def value_schema(service: Service, field: Field) -> Schema:
    """The schema of a field that is no object."""
    if field.kind == AMOUNT:
        is_sent_as_number = service.amounts.requests == "number"
        return {"type": "number", "exclusiveMinimum": 0} if is_sent_as_number else dict(AMOUNT_TEXT)
    if field.kind in (ENUM, CURRENCY, LIST):
        return _make_field_words_schema(service, field)
    if field.kind in _SCHEMAS_BY_KIND:
        return dict(_SCHEMAS_BY_KIND[field.kind])
    text_schema: Schema = {"type": "string"} if field.may_be_empty else dict(NOT_BLANK_TEXT)
    length_max = field.length_max(service)
    if length_max:
        text_schema["maxLength"] = length_max
    return text_schema


_SCHEMAS_BY_KIND: dict[str, Schema] = {
    INTEGER: {"type": "integer"},
    DATE: DAY_PATTERN,
    TIME: TIMESTAMP,
    ID: NOT_BLANK_TEXT,
}


def accepted_words(service: Service, field: Field) -> tuple[str, ...]:
    """The words that this service accepts in a field; empty if it takes any text."""
    if field.name == "event_types":
        return (*field.words, *service.webhooks.event_types)
    if field.setting:
        setting_words = field.setting(service)
        return setting_words if isinstance(setting_words, tuple) else (setting_words,)
    if field.kind == CURRENCY:
        change_case = CASE_CHANGES[service.currencies.case]
        return tuple(change_case(word) for word in field.words)
    return field.words


def any_case_schema(words: Iterable[str]) -> Schema:
    """The schema of one of these words in upper, lower or mixed case, as a pattern.

    The pattern uses no flag for case, since not every language knows such a flag.
    """
    word_patterns = map(_make_any_case_pattern, words)
    return {"type": "string", "pattern": f"^(?:{'|'.join(word_patterns)})$"}


def _make_any_case_pattern(word: str) -> str:
    """The pattern of a word such as usd: [Uu][Ss][Dd]."""
    return "".join(f"[{character.upper()}{character.lower()}]" for character in word)


def _make_field_words_schema(service: Service, field: Field) -> Schema:
    """The schema of a field with words; if they are only assumed, any other text is valid, too."""
    known_words = accepted_words(service, field)
    word_schema = words_schema(known_words, is_open=field.has_open_words)
    if field.kind == CURRENCY and service.currencies.case == "any":
        word_schema = {"anyOf": [word_schema, any_case_schema(known_words)]}
    if field.kind == LIST:
        return {"type": "array", "minItems": 1, "items": word_schema}
    return word_schema
