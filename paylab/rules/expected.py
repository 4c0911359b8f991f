"""The rule that the specification has for one field of a request, as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..corridors import countries
from ..corridors.account_types import DetailField
from ..errors.choices import SEVERAL_CHOICES, choice_message
from ..errors.habits import fold_name
from ..spec import money
from ..spec.json_path import join_path, last_name
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
from .fields import (
    Check,
    as_object,
    check_iso_date,
    check_timestamp,
    make_choice_check,
    make_format_check,
    make_text_field_check,
)
from .individuals import email_warning, phone_warning

INVALID_VALUE = "x"
"""A value that is right for no field with a rule."""
PERSONAL_WARNINGS: Mapping[str, Callable[[object], str]] = {
    "email": email_warning,
    "phone": phone_warning,
}
"""The fields of a person with a format of their own."""
CHECKS_BY_KIND: dict[str, Check] = {
    AMOUNT: lambda value, path: money.check_amount(value, None, path),
    DATE: check_iso_date,
    TIME: check_timestamp,
}


class ExpectedField:
    """A field of a request as the specification has it: its dotted path, and its rule."""

    def __init__(self, path: str, field: Field | DetailField, service: Service) -> None:
        """Keep the field; `path` is its dotted path in the names of the specification."""
        self.path = path
        self.source = field.source
        self.required = field.required
        self._field = field
        self._service = service

    @property
    def rule(self) -> str:
        """The text of the rule, such as "must be one of mxn, php"; "" for any text."""
        field = self._field
        if isinstance(field, DetailField):
            if field.form.choices:
                return choice_message(field.form.choices)
            # The invalid value of a field that takes any text would have no message.
            return self._read_message(make_format_check(field.form)) if _has_rule(field) else ""
        if field.name in PERSONAL_WARNINGS:
            return PERSONAL_WARNINGS[field.name](INVALID_VALUE)
        choices = _list_choices(field, self._service)
        if choices:
            return choice_message(choices)
        if field.kind == TEXT:
            return _describe_length_max(field, self._service, self.path)
        field_check = _make_field_check(field, self._service)
        return self._read_message(field_check) if field_check else ""

    def broken_rule(self, value: object) -> str:
        """Return the rule if a value that was sent breaks it, or "" if the value is valid.

        A rule with several choices is always returned: the service may accept fewer of them.
        """
        rule_text = self.rule
        has_choices = rule_text.startswith(SEVERAL_CHOICES)
        is_broken = has_choices or (value is not None and not self._accepts(value))
        return rule_text if is_broken else ""

    def _accepts(self, sent_value: object) -> bool:
        """Return whether a value keeps the rule."""
        field = self._field
        if isinstance(field, DetailField):
            problems = make_format_check(field.form)(sent_value, self.path)
            return not problems
        if field.name in PERSONAL_WARNINGS:
            warning_text = PERSONAL_WARNINGS[field.name](sent_value)
            return not warning_text
        field_check = _make_field_check(field, self._service)
        if field_check is None:
            return True
        problems = field_check(sent_value, self.path)
        return not problems

    def _read_message(self, check: Check) -> str:
        """Return the message of a check for an invalid value, without this value."""
        problems = check(INVALID_VALUE, self.path)
        return problems[0].message.removesuffix(f", not {INVALID_VALUE}") if problems else ""


def expected_field(
    operation: str, path: str, body: object, service: Service
) -> ExpectedField | None:
    """Find the field of an operation at a dotted path; None if the specification has none there.

    Letter case, `_` and `-` do not count: `sourceAmount` is `source_amount`.
    """
    fields: tuple[Field | DetailField, ...] = OPERATIONS[operation].fields
    spec_path = ""
    parent_value = body
    segments = [path_segment for path_segment in path.split(".") if path_segment]
    for segment_number, segment in enumerate(segments, 1):
        if segment.isdecimal():
            spec_path = join_path(spec_path, segment)
            parent_value = _read_list_item(parent_value, int(segment))
            continue
        field = _find_field(segment, fields)
        if field is None:
            return None
        spec_path = join_path(spec_path, field.name)
        is_last_segment = segment_number == len(segments)
        if is_last_segment:
            return ExpectedField(spec_path, field, service)
        if isinstance(field, DetailField):  # it has no fields inside
            return None
        if field.kind == DETAILS:
            # The details of an account depend on the account, which has them.
            fields = _list_detail_fields(as_object(parent_value), as_object(body), service)
        else:
            fields = field.fields
        parent_value = as_object(parent_value).get(field.name)  # the parent of the next segment
    return None


def similar_fields(operation: Operation, name: str) -> tuple[str, ...]:
    """Return the fields of an operation that end in a name, as source_amount ends in amount."""
    name_ending = f"_{last_name(name).lower()}"
    return tuple(field.name for field in operation.fields if field.name.endswith(name_ending))


def _find_field(
    field_name: str, fields: tuple[Field | DetailField, ...]
) -> Field | DetailField | None:
    """Return the field with a name, in any spelling; None if there is none."""
    for field in fields:
        if fold_name(field.name) == fold_name(field_name):
            return field
    return None


def _make_field_check(field: Field, service: Service) -> Check | None:
    """Make the check of a field by its kind; None if any value may be right."""
    choices = _list_choices(field, service)
    if choices:
        return make_choice_check(choices, field.source, ignore_case=field.kind == CURRENCY)
    return CHECKS_BY_KIND.get(field.kind)


def _list_choices(field: Field, service: Service) -> tuple[str, ...]:
    """Return the words of which a field has one; empty if it is no choice."""
    if field.kind == CURRENCY:
        return field.words
    if field.kind != ENUM and not (field.kind == LIST and field.words):
        return ()
    word_or_words = field.setting(service) if field.setting else field.words
    return (word_or_words,) if isinstance(word_or_words, str) else tuple(word_or_words)


def _describe_length_max(field: Field, service: Service, path: str) -> str:
    """Return the message for a longer text than a text field takes; "" without a maximum."""
    length_max = field.length_max(service)
    if not length_max:
        return ""
    problems = make_text_field_check(field, service)("x" * (length_max + 1), path)
    return problems[0].message


def _list_detail_fields(
    account: Mapping[str, object], body: Mapping[str, object], service: Service
) -> tuple[DetailField, ...]:
    """Return the fields that the details of an account type can have, its country's first."""
    account_type = account.get("type")
    details = as_object(account.get("details"))
    country = body.get("country") or countries.likely_country(account_type, details)
    account_facts = countries.of(service).account(country, account_type)
    likely_fields = account_facts.fields if account_facts else ()
    other_accounts = [corridor.account(account_type) for corridor in countries.of(service).all]
    other_fields = [
        field for other_account in other_accounts if other_account for field in other_account.fields
    ]
    return (*likely_fields, *other_fields)


def _has_rule(field: DetailField) -> bool:
    """Return whether the field does not accept any text."""
    text_format = field.form
    return bool(text_format.message or text_format.choices or text_format.check)


def _read_list_item(list_value: object, index: int) -> object:
    """Return an item of a list; None if the value is no list, or has no such item."""
    if isinstance(list_value, list | tuple) and index < len(list_value):
        list_item: object = list_value[index]
        return list_item
    return None
