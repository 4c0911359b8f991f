"""How an answer has the fields that have no value: absent, null, or as the spec shows each."""

from __future__ import annotations

from typing import Any

from .answers import NESTED, answer_shape
from .service.tree import ServiceSettings
from .text import JsonObject

JsonFields = JsonObject


def list_missing_fields(
    model: str, service: ServiceSettings
) -> tuple[frozenset[str], frozenset[str]]:
    """The names of fields that an answer may leave out, and of fields that it may have as null."""
    shape = answer_shape(model)
    missing_names = frozenset((*shape.absent, *shape.nullable))
    missing_form = _read_missing_form(model, service)
    if missing_form == "absent":
        return missing_names, frozenset()
    if missing_form == "null":
        return frozenset(), missing_names
    return frozenset(shape.absent), frozenset(shape.nullable)


def add_missing_values(service: ServiceSettings, model: str, fields: JsonFields) -> JsonFields:
    """Make the fields without a value absent or null, as in answers of the service.

    `fields` are an object of the model `model`. Assumptions `object.missing`, `transfer.nulls`.
    """
    missing_form = _read_missing_form(model, service)
    if missing_form == "absent":
        return dict(drop_nulls(fields))
    if missing_form == "as_specified":
        return fields
    # The form is "null": what the spec leaves out is added.
    completed_fields = {**dict.fromkeys(answer_shape(model).absent), **fields}
    for field_name, nested_model_name in NESTED.items():
        nested_object = completed_fields.get(field_name)
        if isinstance(nested_object, dict):
            completed_fields[field_name] = add_missing_values(
                service, nested_model_name, nested_object
            )
    return completed_fields


def _read_missing_form(model: str, service: ServiceSettings) -> str:
    """The setting for missing values in answers of a model: absent, null or as_specified."""
    # Transfers have a setting of their own, which the general one overrules.
    is_as_specified = service.objects.missing == "as_specified"
    if is_as_specified and model == "Transfer" and service.transfers.missing == "absent":
        return "absent"
    return service.objects.missing


def drop_nulls(value: object) -> Any:
    """Return a JSON value without the null fields and null items inside it, at any depth."""
    if isinstance(value, list):
        return [drop_nulls(inner_value) for inner_value in value if inner_value is not None]
    if not isinstance(value, dict):
        return value
    return {
        # Most fields are text: a look at the type is quicker than a call.
        member_name: inner_value if type(inner_value) is str else drop_nulls(inner_value)
        for member_name, inner_value in value.items()
        if inner_value is not None
    }
