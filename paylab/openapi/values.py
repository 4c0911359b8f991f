"""The schema of a field of a request by its kind."""

from __future__ import annotations

from collections.abc import Iterable

from ..corridors.account_types import Format
from ..spec import codes
from ..spec.money import WHOLE_DIGITS_MAX
from ..spec.operations.field import AMOUNT, CURRENCY, DATE, ENUM, ID, INTEGER, LIST, TIME, Field
from ..spec.service.service import Service
from ..spec.service.setting import SPEC
from ..spec.text import CASES
from .schemas import NOT_BLANK, Schema, words

MOST_DECIMALS = max(codes.MINOR_UNITS.values())
AMOUNT_TEXT: Schema = {
    "type": "string",
    "pattern": rf"^(?=.*[1-9])[0-9]{{1,{WHOLE_DIGITS_MAX}}}(?:\.[0-9]{{1,{MOST_DECIMALS}}})?$",
}
"""An amount of a request: more than 0, exact."""
TIMESTAMP: Schema = {"type": "string", "format": "date-time"}
DAY: Schema = {"type": "string", "format": "date"}
TEXT: Schema = {"type": "string", "minLength": 1, "pattern": NOT_BLANK}


def value(service: Service, field: Field) -> Schema:
    """The schema of a field that is no object."""
    if field.kind == AMOUNT:
        is_number = service.amounts.requests == "number"
        return {"type": "number", "exclusiveMinimum": 0} if is_number else dict(AMOUNT_TEXT)
    if field.kind in (ENUM, CURRENCY, LIST):
        return _words(service, field)
    if field.kind in _SIMPLE:
        return dict(_SIMPLE[field.kind])
    text: Schema = {"type": "string"} if field.may_be_empty else dict(TEXT)
    most = field.longest(service)
    return {**text, "maxLength": most} if most else text


_SIMPLE: dict[str, Schema] = {
    INTEGER: {"type": "integer"},
    DATE: DAY,
    TIME: TIMESTAMP,
    ID: TEXT,
}


def known_words(service: Service, field: Field) -> tuple[str, ...]:
    """The words of a field in this service."""
    if field.name == "event_types":
        return (*field.words, *service.webhooks.event_types)
    if field.setting:
        accepted = field.setting(service)
        return accepted if isinstance(accepted, tuple) else (accepted,)
    case = CASES[service.currencies.case] if field.kind == CURRENCY else str
    return tuple(case(word) for word in field.words)


def any_case(known: Iterable[str]) -> Schema:
    """These words in upper, lower or mixed case, as a pattern that every language reads."""
    patterns = ("".join(f"[{c.upper()}{c.lower()}]" for c in word) for word in known)
    return {"type": "string", "pattern": f"^(?:{'|'.join(patterns)})$"}


def _words(service: Service, field: Field) -> Schema:
    """Words of the spec are all there are; of others a service may have more."""
    accepted = known_words(service, field)
    word_schema = words(accepted, is_open=field.has_open_words)
    if field.kind == CURRENCY and service.currencies.case == "any":
        word_schema = {"anyOf": [word_schema, any_case(accepted)]}
    return (
        word_schema
        if field.kind != LIST
        else {"type": "array", "minItems": 1, "items": word_schema}
    )


def formatted(form: Format) -> Schema:
    """The schema of a text with a format; of one that only an assumption limits, any word."""
    if form.choices:
        return words(form.choices, is_open=form.source != SPEC)
    narrow = form.also or form
    pattern = f"^(?:{narrow.pattern})$".replace(".*", r"[\s\S]*") if narrow.pattern else NOT_BLANK
    least = max(form.least, 1)
    most = form.most
    text: Schema = {"type": "string", "minLength": least, "pattern": pattern}
    return {**text, "maxLength": most} if most else text
