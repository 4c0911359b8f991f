"""The schemas of request bodies, with the names and dialect of a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..spec import codes
from ..spec.field_notes import NOTES
from ..spec.operations.field import CURRENCY, DETAILS, ENUM, LIST, OBJECT, REFERENCE, Field
from ..spec.operations.operation import Operation
from ..spec.service.frozen import plain_value
from ..spec.service.service import YOURS, Service
from ..spec.service.setting import SPEC
from . import conditions
from .details import DetailSchemas
from .schemas import Components, Schema, closed, nested, origin
from .values import TEXT, known_words, value

_IMAGE = "images"


class BodySchemas:
    """The bodies of operations as named schemas."""

    def __init__(self, service: Service, components: Components) -> None:
        self._service = service
        self._components = components
        self.details = DetailSchemas(service, components)

    def body(self, operation: Operation) -> Schema:
        """A reference to the schema of the body of an operation."""
        names = operation.request_names(self._service).theirs
        properties = {names.get(name, name): schema for name, schema in self._fields(operation)}
        required_names = [
            names.get(name, name) for name in conditions.asked_of(self._service, operation)
        ]
        extra: Mapping[str, Any] = self._service.extra.get(operation.name, {})
        for name, constant in constants(extra):
            properties[name] = {"const": constant, "x-origin": YOURS, "x-setting": "extra"}
            required_names.append(name)
        schema = {
            "description": f"{operation.summary}.",
            **nested(properties, required_names, is_closed=True),
        }
        further = conditions.further(self._service, operation, self.details)
        if further:
            schema["allOf"] = [conditions.renamed(part, names) for part in further]
        return self._components.add(operation.body_name, schema)

    def _fields(self, operation: Operation) -> Iterator[tuple[str, Schema]]:
        """The fields of a body by our names, accounts in the form that the service takes."""
        moved = conditions.moved_references(self._service, operation)
        by_id = {
            reference_record.by_id: reference_record for reference_record in operation.references
        }
        for field in operation.fields:
            if field.name in moved and "object" not in field.forms:
                continue
            reference = by_id.get(field.name)
            if reference and reference.name not in moved and not _takes_id(reference):
                continue
            if conditions.is_in_path(self._service, operation, field.name):
                continue
            yield field.name, self._field(field, operation)

    def _field(self, field: Field, operation: Operation | None = None) -> Schema:
        names = operation.names if operation else None
        read = (lambda settings: names(settings)[field.name]) if names else None
        facts = {**origin(self._service, field.source, read), **_about(self._service, field)}
        if field.kind == DETAILS:
            is_change = operation is not None and len(operation.fields) == 1
            is_part = is_change and self._service.financial_accounts.update == "merge"
            return {**({"type": "object"} if is_part else self.details.any()), **facts}
        if field.kind == REFERENCE:
            about = {"description": "An object, named by its id."}
            reference_schema = closed(
                {"id": {**TEXT, "description": "The id.", "x-origin": SPEC}}, ["id"]
            )
            return {
                **self._components.add("ObjectReference", {**about, **reference_schema}),
                **facts,
            }
        if field.fields:
            return {**self._objects(field), **facts}
        return {**value(self._service, field), **facts}

    def _objects(self, field: Field) -> Schema:
        """A nested object, or a list of them."""
        inner = {inner_field.name: self._field(inner_field) for inner_field in field.fields}
        if field.name == _IMAGE:
            inner["content"] |= _content()
        required_names = [inner_field.name for inner_field in field.fields if inner_field.required]
        schema = closed(inner, required_names)
        if further := conditions.on_fields_of(field.name, self.details):
            schema["allOf"] = further
        if field.kind == OBJECT:
            return self._components.add(f"New{field.name.title()}", schema)
        name = f"{field.name.removesuffix('s').replace('_', ' ').title().replace(' ', '')}Entry"
        array: Schema = {"type": "array", "items": self._components.add(name, schema)}
        if field.name == _IMAGE:
            array |= {"minItems": 1, "maxItems": codes.IMAGES_MAX}
        return array


def _takes_id(reference: Field) -> bool:
    """Whether the id alone is accepted beside the object; a deprecated spelling is not shown."""
    return "id" in reference.forms and not reference.has_deprecated_id


def constants(values: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    """The constant fields of a service by their places, at any depth."""
    for name, constant in values.items():
        if isinstance(constant, Mapping):
            yield from constants(constant, f"{at}{name}.")
        else:
            yield f"{at}{name}", plain_value(constant)


def _about(service: Service, field: Field) -> Schema:
    """The description and example of a field; which words are usual, where others may come."""
    sentences = [NOTES[field.name]] if field.name in NOTES else []
    if field.kind in (ENUM, CURRENCY, LIST) and field.has_open_words:
        sentences.append(f"Assumed: {', '.join(known_words(service, field))}.")
    return {"description": " ".join(sentences)} if sentences else {}


def _content() -> Schema:
    """The content of an image: a data URI whose decoded size has limits."""
    least = codes.IMAGE_MIN
    most = codes.IMAGE_MAX
    types = "|".join(codes.IMAGE_TYPES)
    description = (
        f"A Base64 data URI. The decoded image has {least:,} to {most:,} bytes, and its first "
        "bytes are of the declared type."
    )
    pattern = f"^data:(?:{types});base64,[A-Za-z0-9+/]+={{0,2}}$"
    return {"pattern": pattern, "description": description}
