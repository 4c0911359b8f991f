"""The schemas of answers and of event payloads, made from the models."""

from __future__ import annotations

import types
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from ..spec import models
from ..spec.answers import AnswerShape, FieldWords, answer_shape, list_missing_fields
from ..spec.field_meanings import ANSWER_AMOUNTS, CURRENCY_FIELDS, find_field_note
from ..spec.money import Amount
from ..spec.operations.operation import Operation
from ..spec.operations.records import NAMED, answer_names
from ..spec.resource import Resource
from ..spec.service.lists import ListForm
from ..spec.service.on_ramp import NAMES_BY_INSTRUCTION_TYPE, InstructionNames, InstructionSettings
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .details import DetailSchemas
from .schemas import (
    Components,
    ReadSetting,
    Schema,
    any_of,
    drop_absent_paths,
    make_list_setting_reader,
    make_name_reader,
    make_origin_members,
    nested_object,
    open_words_schema,
    ref_to,
)
from .values import DAY_PATTERN, TIMESTAMP

_AMOUNT_SCHEMA: Schema = {"type": "string", "pattern": r"^-?[0-9]+(?:\.[0-9]+)?$"}
_LOWER_CASE_CURRENCIES = frozenset(
    {("DepositInstructions", "currency"), ("ConversionAccount", "source_currency")}
)
"""The currencies that a REST answer has in lower case, as the spec shows them."""


class AnswerSchemas:
    """The models of answers as named schemas, with the names and dialect of a service."""

    def __init__(self, service: Service, components: Components, details: DetailSchemas) -> None:
        """Write with the names of a service; `details` has added its schemas to `components`."""
        self._service = service
        self._components = components
        self._details = details

    def model(self, name: str, *, in_event: bool = False) -> Schema:
        """Add the schema of a model, and return a reference to it.

        With `in_event`, the schema is for a snapshot in an event: its currencies are in lower case.
        """
        model_class: type[BaseModel] = getattr(models, name)
        schema_name = f"{name}Snapshot" if in_event else name
        if schema_name in self._components.schemas:
            return ref_to(schema_name)
        self._components.schemas[schema_name] = {}  # keeps the order: the outer object first
        their_names = answer_names(name, self._service).their_names
        # Snapshots of events are always as the spec shows them.
        absent_names, nullable_names = list_missing_fields(
            name, Service() if in_event else self._service
        )
        schema_by_field = {}
        required_names = []
        for field_name in model_class.model_fields:
            field_schema = self._make_described_schema(
                model_class, field_name, is_nullable=field_name in nullable_names, in_event=in_event
            )
            their_name = their_names.get(field_name, field_name)
            schema_by_field[their_name] = field_schema
            if field_name not in absent_names:
                required_names.append(their_name)
        description_member = {"description": str(model_class.__doc__)}
        object_schema = {**description_member, **nested_object(schema_by_field, required_names)}
        return self._components.add(schema_name, object_schema)

    def _make_described_schema(
        self, model: type[BaseModel], field: str, *, is_nullable: bool, in_event: bool
    ) -> Schema:
        """The schema of a field with its description and its origin."""
        answer_facts = answer_shape(model.__name__)
        schema = self._make_field_schema(model, field, answer_facts, in_event=in_event)
        if is_nullable:
            schema = _allow_null(schema)
        description_sentences = [find_field_note(field), schema.get("description", "")]
        if any(description_sentences):
            schema["description"] = " ".join(filter(None, description_sentences))
        naming_operation = NAMED.get(model.__name__)
        names_of = naming_operation.names if naming_operation else None
        read_name = make_name_reader(names_of, field) if names_of else None
        assumption_id = answer_facts.assumed.get(field, answer_facts.source)
        return {**schema, **make_origin_members(self._service, assumption_id, read_name)}

    def put_under_item_key(self, operation: Operation, schema: Schema) -> Schema:
        """Nest the schema of an object under the service's key for it, such as `data`.

        Unchanged if the answer of the service is the object itself.
        """
        item_path = operation.item_path(self._service)
        return schema if item_path == NONE else nested_object({item_path: schema}, [item_path])

    def page(self, operation: Operation, list_form: ListForm, source: str) -> Schema:
        """The schema of the answer of a list: a page, or a bare array of all rows.

        `source` is where its fields are stated: "spec", or the id of an assumption.
        """
        model_name = operation.answer
        rows_schema: Schema = {"type": "array", "items": self.model(model_name)}
        if list_form.is_array:
            return rows_schema
        rows_schema["description"] = "The rows of this page."
        more_schema: Schema = {"type": "boolean", "description": "Whether another page follows."}
        cursor_schema: Schema = {
            "type": ["string", "null"],
            "description": "The cursor of the next page; null without one.",
        }
        read_rows_key = make_list_setting_reader(operation, lambda settings: settings.items)
        read_more_key = make_list_setting_reader(operation, lambda settings: settings.more)
        read_cursor_key = make_list_setting_reader(operation, lambda settings: settings.cursor)
        rows_schema |= make_origin_members(self._service, source, read_rows_key)
        more_schema |= make_origin_members(self._service, source, read_more_key)
        cursor_schema |= make_origin_members(self._service, source, read_cursor_key)
        paths_and_schemas = [
            (list_form.items, rows_schema),
            (list_form.more, more_schema),
            (list_form.cursor, cursor_schema),
        ]
        schema_by_path = drop_absent_paths(paths_and_schemas)
        page_schema = nested_object(schema_by_path, schema_by_path)
        description_member = {"description": f"A page of a list of {model_name} objects."}
        return self._components.add(f"{model_name}Page", {**description_member, **page_schema})

    def _make_field_schema(
        self, model: type[BaseModel], field: str, shape: AnswerShape, *, in_event: bool
    ) -> Schema:
        """The schema of a field of a model: by its fixed words, its name, or else its type.

        Events have currencies in lower case.
        """
        annotation = model.model_fields[field].annotation
        if field in shape.words:
            schema = self._make_words_schema(field, shape.words[field], in_event=in_event)
            is_list = get_origin(_find_plain_type(annotation)) is list
            return {"type": "array", "items": schema} if is_list else schema
        if field in CURRENCY_FIELDS:
            is_lower_case = in_event or (model.__name__, field) in _LOWER_CASE_CURRENCIES
            pattern = "^[a-z]{3,4}$" if is_lower_case else "^[A-Z]{3,4}$"
            return {"type": "string", "pattern": pattern}
        if field == "details":
            return self._make_details_schema(model.__name__)
        if field == "date_of_birth":
            return dict(DAY_PATTERN)
        return self._make_type_schema(annotation, field, in_event=in_event)

    def _make_type_schema(self, annotation: object, field: str, *, in_event: bool) -> Schema:
        """The schema of a field by its type in the model."""
        field_type = _find_plain_type(annotation)
        if get_origin(field_type) is list:
            items_schema = self._make_type_schema(get_args(field_type)[0], field, in_event=in_event)
            return {"type": "array", "items": items_schema}
        if isinstance(field_type, type) and issubclass(field_type, Resource):
            has_snapshot = in_event and _has_currency(field_type)
            return self.model(field_type.__name__, in_event=has_snapshot)
        if field_type is Amount:
            is_written_as_number = (
                self._service.amounts.answers == "number" and field in ANSWER_AMOUNTS
            )
            return {"type": "number"} if is_written_as_number else dict(_AMOUNT_SCHEMA)
        return dict(_SCHEMAS_BY_TYPE.get(field_type, {"type": "string"}))

    def _make_words_schema(self, field: str, field_words: FieldWords, *, in_event: bool) -> Schema:
        """The schema of a field whose text is a word of the spec, or a word that a service adds."""
        known_words = field_words.words
        if field_words.read_setting:
            known_words = (*known_words, *field_words.read_setting(self._service))
        if field in CURRENCY_FIELDS and in_event:
            # The examples of events in the spec have currencies in lower case.
            known_words = tuple(map(str.lower, known_words))
        return open_words_schema(known_words)

    def _make_details_schema(self, model_name: str) -> Schema:
        """The schema of the details of an account, or of deposit instructions, of any type."""
        other_schema: Schema = {
            "description": "Details of another type than those above.",
            "type": "object",
            "additionalProperties": True,
        }
        other_details_reference = self._components.add("OtherDetails", other_schema)
        if model_name == "FinancialAccount":
            return any_of([*self._details.references(), other_details_reference])
        known_details_references = [
            self._add_instructions_schema(instructions_type, read_details)
            for instructions_type, read_details in NAMES_BY_INSTRUCTION_TYPE.items()
        ]
        return any_of([*known_details_references, other_details_reference])

    def _add_instructions_schema(
        self,
        instructions_type: str,
        read_details: Callable[[InstructionSettings], InstructionNames],
    ) -> Schema:
        """Add the schema of the details of one type of deposit instructions; return a reference."""
        schema_by_field = {}
        for our_name, their_name in read_details(self._service.deposit_instructions).fields.items():
            read_name = _make_detail_name_reader(read_details, our_name)
            origin_members = make_origin_members(self._service, read=read_name)
            schema_by_field[their_name] = {"type": "string", **origin_members}
        schema_title = "".join(word.title() for word in instructions_type.split("_"))
        description_member = {
            "description": f"Where to pay, of instructions of the type {instructions_type}."
        }
        schema = {**description_member, **nested_object(schema_by_field, schema_by_field)}
        return self._components.add(f"{schema_title}Instructions", schema)


def _make_detail_name_reader(
    read_details: Callable[[InstructionSettings], InstructionNames], field: str
) -> ReadSetting:
    """Make a function that reads the name of a field in the details of deposit instructions."""
    return lambda settings: read_details(settings.deposit_instructions).fields[field]


def _allow_null(schema: Schema) -> Schema:
    """A copy of a schema in which null is valid also."""
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


_SCHEMAS_BY_TYPE: dict[Any, Schema] = {bool: {"type": "boolean"}, datetime: TIMESTAMP}


def _find_plain_type(annotation: object) -> Any:
    """The type in an annotation: `Amount` of `Annotated[Amount, ...] | None`."""
    if get_origin(annotation) is Annotated:
        return _find_plain_type(get_args(annotation)[0])
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    member_types = [
        member_type for member_type in get_args(annotation) if member_type is not type(None)
    ]
    return _find_plain_type(member_types[0])


def _has_currency(model: type[BaseModel]) -> bool:
    """Whether a model, or a model of one of its fields, has a field with a currency."""
    if not CURRENCY_FIELDS.isdisjoint(model.model_fields):
        return True
    for field_info in model.model_fields.values():
        field_type = _find_plain_type(field_info.annotation)
        is_model = isinstance(field_type, type) and issubclass(field_type, Resource)
        if is_model and _has_currency(field_type):
            return True
    return False
