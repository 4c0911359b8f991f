"""The schemas of request bodies, with the names and dialect of a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..spec import codes
from ..spec.field_meanings import find_field_note
from ..spec.operations.field import CURRENCY, DETAILS, ENUM, LIST, OBJECT, REFERENCE, Field
from ..spec.operations.operation import Operation
from ..spec.service.frozen import to_json_value
from ..spec.service.service import YOURS, Service
from ..spec.service.setting import SPEC
from . import conditions
from .details import DetailSchemas
from .schemas import (
    Components,
    Schema,
    any_of,
    closed_object,
    make_name_reader,
    make_origin_members,
    nested_object,
)
from .values import NOT_BLANK_TEXT, accepted_words, value_schema

_IMAGES_FIELD = "images"


class BodySchemas:
    """The bodies of operations as named schemas."""

    def __init__(self, service: Service, components: Components) -> None:
        """Add the schemas of the details of accounts to `components`; `body` adds bodies."""
        self._service = service
        self._components = components
        self.details = DetailSchemas(service, components)

    def body(self, operation: Operation) -> Schema:
        """A reference to the schema of the body of an operation."""
        their_names = operation.request_names(self._service).their_names
        schema_by_name = {
            their_names.get(our_name, our_name): body_schema
            for our_name, body_schema in self._make_field_schemas(operation)
        }
        required_field_names = conditions.required_fields(self._service, operation)
        required_names = [their_names.get(our_name, our_name) for our_name in required_field_names]
        constants: Mapping[str, object] = self._service.extra.get(operation.name, {})
        for constant_path, constant_value in flatten_constants(constants):
            schema_by_name[constant_path] = {
                "const": constant_value,
                "x-origin": YOURS,
                "x-setting": "extra",
            }
            required_names.append(constant_path)
        body_schema = {
            "description": f"{operation.summary}.",
            **nested_object(schema_by_name, required_names, is_closed=True),
        }
        body_conditions = conditions.body_conditions(self._service, operation, self.details)
        if body_conditions:
            body_schema["allOf"] = conditions.rename_fields(body_conditions, their_names)
        return self._components.add(operation.body_name, body_schema)

    def _make_field_schemas(self, operation: Operation) -> Iterator[tuple[str, Schema]]:
        """Yield the fields of a body with their schemas, in our names."""
        for field in operation.fields:
            if self._is_in_body(field, operation):
                yield field.name, self._make_field_schema(field, operation)

    def _is_in_body(self, field: Field, operation: Operation) -> bool:
        """Whether the service takes a field of an operation in the body.

        The id of a sandbox deposit may be in the path. A reference has two fields: an object with
        an id, and the id alone. A service may take only one of them.
        """
        if conditions.is_in_path(self._service, operation, field.name):
            return False
        id_name_by_reference = conditions.find_references_sent_as_ids(self._service, operation)
        if field.name in id_name_by_reference:
            return field.accepts("object")
        for reference in operation.references:
            if reference.id_name == field.name:
                return reference.name in id_name_by_reference or _takes_id_alone(reference)
        return True

    def _make_field_schema(self, field: Field, operation: Operation | None = None) -> Schema:
        """The schema of a field with its origin; without `operation` for one in a nested object."""
        read_name = None
        if operation and operation.names:
            read_name = make_name_reader(operation.names, field.name)
        return {
            **self._make_kind_schema(field, operation),
            **make_origin_members(self._service, field.source, read_name),
            **_describe_field(self._service, field),
        }

    def _make_kind_schema(self, field: Field, operation: Operation | None) -> Schema:
        """The schema of a field by its kind; `operation` is None for one in a nested object."""
        if field.kind == DETAILS:
            is_update = operation is not None and operation.name == "financial_accounts.update"
            # An update that is merged may have any of the details, without the required ones.
            may_be_partial = is_update and self._service.financial_accounts.update == "merge"
            return {"type": "object"} if may_be_partial else any_of(self.details.references())
        if field.kind == REFERENCE:
            id_schema = {**NOT_BLANK_TEXT, "description": "The id.", "x-origin": SPEC}
            object_with_id_schema = {
                "description": "An object, named by its id.",
                **closed_object({"id": id_schema}, ["id"]),
            }
            return self._components.add("ObjectReference", object_with_id_schema)
        if field.fields:
            return self._make_nested_schema(field)
        return value_schema(self._service, field)

    def _make_nested_schema(self, field: Field) -> Schema:
        """The schema of a nested object, or of a list of objects."""
        schema_by_field = {
            inner_field.name: self._make_field_schema(inner_field) for inner_field in field.fields
        }
        if field.name == _IMAGES_FIELD:
            schema_by_field["content"] |= _make_image_content_schema()
        required_names = [inner_field.name for inner_field in field.fields if inner_field.required]
        object_schema = closed_object(schema_by_field, required_names)
        nested_conditions = conditions.nested_conditions(field.name, self.details)
        if nested_conditions:
            object_schema["allOf"] = nested_conditions
        if field.kind == OBJECT:
            return self._components.add(f"{field.name.title()}Input", object_schema)
        item_name = field.name.removesuffix("s").replace("_", " ").title().replace(" ", "")
        entry_reference = self._components.add(f"{item_name}Entry", object_schema)
        if field.name == _IMAGES_FIELD:
            return {
                "type": "array",
                "items": entry_reference,
                "minItems": 1,
                "maxItems": codes.IMAGES_MAX,
            }
        return {"type": "array", "items": entry_reference}


def _takes_id_alone(reference: Field) -> bool:
    """Whether the id alone is accepted beside the object; a deprecated spelling is not shown."""
    return reference.accepts("id") and not reference.has_deprecated_id


def flatten_constants(
    constants: Mapping[str, object], path_prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield the constant fields of a service, at any depth, with their dotted paths."""
    for constant_name, constant in constants.items():
        if isinstance(constant, Mapping):
            yield from flatten_constants(constant, f"{path_prefix}{constant_name}.")
        else:
            yield f"{path_prefix}{constant_name}", to_json_value(constant)


def _describe_field(service: Service, field: Field) -> Schema:
    """The description of a field, with the words that are only assumed; empty without both."""
    description_sentences = []
    field_note = find_field_note(field.name)
    if field_note:
        description_sentences.append(field_note)
    if field.kind in (ENUM, CURRENCY, LIST) and field.has_open_words:
        description_sentences.append(f"Assumed: {', '.join(accepted_words(service, field))}.")
    return {"description": " ".join(description_sentences)} if description_sentences else {}


def _make_image_content_schema() -> Schema:
    """The content of an image: a data URI whose decoded size has limits."""
    description_text = (
        f"A Base64 data URI. The decoded image has {codes.IMAGE_MIN:,} to {codes.IMAGE_MAX:,} "
        "bytes, and its first bytes are of the declared type."
    )
    type_pattern = "|".join(codes.IMAGE_TYPES)
    pattern = f"^data:(?:{type_pattern});base64,[A-Za-z0-9+/]+={{0,2}}$"
    return {"pattern": pattern, "description": description_text}
