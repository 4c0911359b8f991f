"""How an answer has the fields that have no value: absent, null, or as the spec shows each."""

from __future__ import annotations

from typing import Any

from .answers import NESTED, AnswerForm, answer_form
from .service.tree import ServiceSettings

JsonFields = dict[str, Any]


def missing_fields(
    answer: AnswerForm, service: ServiceSettings
) -> tuple[frozenset[str], frozenset[str]]:
    """The fields that may be absent, and those that may be null, in the answers of a service."""
    missing = frozenset((*answer.absent, *answer.nullable))
    if service.objects.missing == "absent":
        return missing, frozenset()
    if service.objects.missing == "null":
        return frozenset(), missing
    return frozenset(answer.absent), frozenset(answer.nullable)


def with_missing_values(service: ServiceSettings, model: str, fields: JsonFields) -> JsonFields:
    """An object in which fields without a value are absent or null, as in answers of the service.

    Assumption `object.missing`.
    """
    missing = service.objects.missing
    if missing == "absent":
        return dict(without_nulls(fields))
    if missing == "as_specified":
        return fields
    completed = {**dict.fromkeys(answer_form(model).absent), **fields}
    for name, nested_model in NESTED.items():
        nested_object = completed.get(name)
        if isinstance(nested_object, dict):
            completed[name] = with_missing_values(service, nested_model, nested_object)
    return completed


def without_nulls(value: object) -> Any:
    """The value without null fields and list items, at any depth."""
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    return {key: without_nulls(item) for key, item in value.items() if item is not None}
