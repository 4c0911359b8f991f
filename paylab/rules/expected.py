"""What the specification expects of one field of a request, in the words of its rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..corridors import countries
from ..corridors.account_types import DetailField
from ..spec import money
from ..spec.json_path import dotted, last_name
from ..spec.operations.field import (
    AMOUNT,
    CURRENCY,
    DATE,
    DETAILS,
    ENUM,
    LIST,
    TEXT,
    TIME,
    Field,
)
from ..spec.operations.operation import Operation
from ..spec.operations.records import OPERATIONS
from ..spec.service.service import Service
from .accounts import likely_country
from .fields import Check, day, fits, one_of, text_of, timestamp
from .individuals import email, phone

WRONG = "x"
"""A value that is right for no field with a rule."""
PERSONAL = {"email": email, "phone": phone}
"""The fields of a person with a form of their own."""


class ExpectedField:
    """A field of a request as the specification has it: its name in full, and its rule."""

    def __init__(self, place: str, field: Field | DetailField, service: Service) -> None:
        self.place = place
        self.source = field.source
        self.required = field.required
        self._field = field
        self._service = service

    @property
    def rule(self) -> str:
        """The words of the rule, such as "must be one of mxn, php"; "" for any text."""
        field = self._field
        if isinstance(field, DetailField):
            return self._message(fits(field.form)) if _has_rule(field) else ""
        if field.name in PERSONAL:
            return PERSONAL[field.name](WRONG)
        check = _check(field, self._service)
        return self._message(check) if check else ""

    def rule_for(self, value: object) -> str:
        """The rule if a value that was sent breaks it; "" for a value that fits.

        A choice of words is always told: the service may have fewer of them.
        """
        rule = self.rule
        if "one of" in rule:
            return rule
        return "" if value is None or self._fits(value) else rule

    def _fits(self, value: object) -> bool:
        field = self._field
        if isinstance(field, DetailField):
            return not fits(field.form)(value, self.place)
        if field.name in PERSONAL:
            return not PERSONAL[field.name](value)
        check = _check(field, self._service)
        return field.kind == TEXT or check is None or not check(value, self.place)

    def _message(self, check: Check) -> str:
        problems = check(WRONG, self.place)
        return problems[0].message if problems else ""


def expected_field(
    operation: str, place: str, body: object, service: Service
) -> ExpectedField | None:
    """The field of an operation at a dotted place; None if the specification has none there.

    Letter case, `_` and `-` do not count: `sourceAmount` is `source_amount`.
    """
    fields: tuple[Field | DetailField, ...] = OPERATIONS[operation].fields
    spec_place = ""
    value = body
    steps = [part for part in place.split(".") if part]
    for at, step in enumerate(steps):
        if step.isdecimal():
            spec_place = dotted(spec_place, step)
            value = _item(value, int(step))
            continue
        field = next(
            (candidate for candidate in fields if _folded(candidate.name) == _folded(step)), None
        )
        if field is None:
            return None
        spec_place = dotted(spec_place, field.name)
        if at == len(steps) - 1:
            return ExpectedField(spec_place, field, service)
        if isinstance(field, DetailField):
            return None
        entry = value
        value = value.get(field.name) if isinstance(value, Mapping) else None
        is_details = field.kind == DETAILS
        fields = tuple(_details(entry, body, service)) if is_details else field.fields
    return None


def similar_fields(operation: Operation, name: str) -> tuple[str, ...]:
    """The fields of an operation whose names end in a name, as source_amount in amount."""
    end = f"_{last_name(name).lower()}"
    return tuple(field.name for field in operation.fields if field.name.endswith(end))


def _check(field: Field, service: Service) -> Check | None:
    """The check of a field by its kind; None if any value may be right."""
    if field.kind == ENUM or (field.kind == LIST and field.words):
        read = field.setting(service) if field.setting else field.words
        words = (read,) if isinstance(read, str) else tuple(read)
        return one_of(words, field.source) if words else None
    if field.kind == CURRENCY:
        return one_of(field.words, field.source, fold=True)
    if field.kind == AMOUNT:
        return lambda value, at: money.check_amount(value, None, at)
    if field.kind in (DATE, TIME):
        return day if field.kind == DATE else timestamp
    longest = field.longest(service)
    if longest and field.kind == TEXT:
        too_long = "x" * (longest + 1)
        return lambda _, at: text_of(field, service)(too_long, at)
    return None


def _details(entry: object, body: object, service: Service) -> Iterator[DetailField]:
    """The fields of the details of an account in a body, as its country and type have them."""
    holder: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
    request_body: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    details = holder.get("details")
    kind = holder.get("type")
    country = request_body.get("country") or likely_country(
        kind, details if isinstance(details, Mapping) else {}
    )
    account = countries.of(service).account(country, kind)
    yield from account.fields if account else ()


def _has_rule(field: DetailField) -> bool:
    form = field.form
    return bool(form.message or form.choices or form.check)


def _item(inside: object, number: int) -> object:
    is_there = isinstance(inside, list | tuple) and number < len(inside)
    return inside[number] if is_there else None  # type: ignore[index]


def _folded(name: str) -> str:
    return re.sub("[_-]", "", name).lower()
