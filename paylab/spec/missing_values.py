"""How an answer has the fields that have no value: absent, null, or as the spec shows each."""

from __future__ import annotations

from typing import Any

from .answers import NESTED, answer_form
from .service.tree import ServiceSettings

JsonFields = dict[str, Any]


def list_missing_fields(
    model: str, service: ServiceSettings
) -> tuple[frozenset[str], frozenset[str]]:
    """The fields that may be absent, and those that may be null, in the answers of a service."""
    answer = answer_form(model)
    missing_names = frozenset((*answer.absent, *answer.nullable))
    missing_form = _read_missing_form(model, service)
    if missing_form == "absent":
        return missing_names, frozenset()
    if missing_form == "null":
        return frozenset(), missing_names
    return frozenset(answer.absent), frozenset(answer.nullable)


def add_missing_values(service: ServiceSettings, model: str, fields: JsonFields) -> JsonFields:
    """An object whose fields without a value are absent or null, as in answers of the service.

    Assumptions `object.missing` and `transfer.nulls`.
    """
    missing_form = _read_missing_form(model, service)
    if missing_form == "absent":
        return dict(drop_nulls(fields))
    if missing_form == "as_specified":
        return fields
    completed_fields = {**dict.fromkeys(answer_form(model).absent), **fields}
    for field_name, nested_model in NESTED.items():
        nested_object = completed_fields.get(field_name)
        if isinstance(nested_object, dict):
            completed_fields[field_name] = add_missing_values(service, nested_model, nested_object)
    return completed_fields


def _read_missing_form(model: str, service: ServiceSettings) -> str:
    """How the answers of a model have missing values: absent, null or as_specified."""
    is_as_specified = service.objects.missing == "as_specified"
    if is_as_specified and model == "Transfer" and service.transfers.missing == "absent":
        return "absent"
    return service.objects.missing


def drop_nulls(value: object) -> Any:
    """The value without null fields and list items, at any depth."""
    if isinstance(value, list):
        return [drop_nulls(item) for item in value if item is not None]
    if not isinstance(value, dict):
        return value
    return {
        # Most fields are text: a look at the type is quicker than a call.
        key: item if type(item) is str else drop_nulls(item)
        for key, item in value.items()
        if item is not None
    }
