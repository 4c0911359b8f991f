"""The schemas of request bodies, with the names and dialect of a service."""

from __future__ import annotations

from collections.abc import Iterator

from ..rules import images
from ..spec import codes
from ..spec.field_notes import NOTES
from ..spec.operations.field import (
    CURRENCY,
    DETAILS,
    ENUM,
    LIST,
    OBJECT,
    REFERENCE,
    SPEC,
    Field,
)
from ..spec.operations.operation import Operation
from ..spec.renames import SAME
from ..spec.service import Service
from . import conditions
from .details import DetailSchemas
from .schemas import Components, Schema, closed, origin
from .values import TEXT, known_words, value

_IMAGE = "images"


class BodySchemas:
    """The bodies of operations as named schemas."""

    def __init__(self, service: Service, components: Components) -> None:
        self._service, self._components = service, components
        self.details = DetailSchemas(service, components)

    def body(self, operation: Operation) -> Schema:
        """A reference to the schema of the body of an operation."""
        names = self._service.names(operation.names).theirs if operation.names else SAME.theirs
        found = {names.get(name, name): schema for name, schema in self._fields(operation)}
        asked = [names.get(name, name) for name in conditions.asked_of(self._service, operation)]
        schema = {"description": f"{operation.summary}.", **closed(found, asked)}
        further = conditions.further(self._service, operation, self.details)
        if further:
            schema["allOf"] = [conditions.renamed(each, names) for each in further]
        return self._components.add(operation.body_name, schema)

    def _fields(self, operation: Operation) -> Iterator[tuple[str, Schema]]:
        """The fields of a body by our names, accounts in the form that the service takes."""
        forms = {each.name: each for each in operation.references}
        by_id = {each.by_id: each for each in operation.references}
        for field in operation.fields:
            key = f"{operation.names}.fields.{field.name}" if operation.names else ""
            if field.name in forms and not self._takes(field, "object"):
                continue
            if field.name in by_id and not self._takes(by_id[field.name], "id"):
                continue
            if conditions.is_in_path(self._service, operation, field.name):
                continue
            yield field.name, self._field(field, key, operation)

    def _takes(self, field: Field, form: str) -> bool:
        own = str(self._service.value(field.form_key))
        # A strict simulator refuses a deprecated spelling.
        is_deprecated = form == "id" and field.has_deprecated_id(own)
        return form in {own, *field.forms} and not is_deprecated

    def _field(self, field: Field, key: str, operation: Operation | None = None) -> Schema:
        facts = {**origin(self._service, field.source, key), **_about(self._service, field)}
        if field.kind == DETAILS:
            is_change = operation is not None and len(operation.fields) == 1
            is_part = is_change and self._service.financial_accounts.update == "merge"
            return {**({"type": "object"} if is_part else self.details.any()), **facts}
        if field.kind == REFERENCE:
            about = {"description": "An object, named by its id."}
            named = closed({"id": {**TEXT, "description": "The id.", "x-origin": SPEC}}, ["id"])
            return {**self._components.add("ObjectReference", {**about, **named}), **facts}
        if field.fields:
            return {**self._objects(field), **facts}
        return {**value(self._service, field), **facts}

    def _objects(self, field: Field) -> Schema:
        """A nested object, or a list of them."""
        inner = {each.name: self._field(each, "") for each in field.fields}
        if field.name == _IMAGE:
            inner["content"] |= _content(self._service)
        asked = [each.name for each in field.fields if each.required]
        schema = closed(inner, asked)
        if more := conditions.on_fields_of(field.name, self.details):
            schema["allOf"] = more
        if field.kind == OBJECT:
            return self._components.add(f"New{field.name.title()}", schema)
        name = f"{field.name.removesuffix('s').replace('_', ' ').title().replace(' ', '')}Entry"
        found: Schema = {"type": "array", "items": self._components.add(name, schema)}
        if field.name == _IMAGE:
            found |= {"minItems": 1, "maxItems": codes.IMAGES_MAX}
        return found


def _about(service: Service, field: Field) -> Schema:
    """The description and example of a field; which words are usual, where others may come."""
    said = [NOTES[field.name]] if field.name in NOTES else []
    if field.kind in (ENUM, CURRENCY, LIST) and field.key:
        said.append(f"Assumed: {', '.join(known_words(service, field))}.")
    return {"description": " ".join(said)} if said else {}


def _content(service: Service) -> Schema:
    """The content of an image: a data URI whose decoded size has limits."""
    least, most = images.bounds(service)
    types = "|".join(codes.IMAGE_TYPES)
    said = (
        f"A Base64 data URI. The decoded image has {least:,} to {most:,} bytes, and its first "
        "bytes are of the declared type."
    )
    pattern = f"^data:(?:{types});base64,[A-Za-z0-9+/]+={{0,2}}$"
    return {"pattern": pattern, "description": said}
