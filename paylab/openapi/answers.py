"""The schemas of answers and of event payloads, made from the models."""

from __future__ import annotations

import types
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from ..spec import models
from ..spec.answers import AnswerForm, Words, answer_form, missing_of
from ..spec.field_notes import NOTES
from ..spec.money import CURRENCY_FIELDS, Amount
from ..spec.operations.operation import Operation, ReadNames
from ..spec.operations.records import ANSWERED_AMOUNTS, NAMED, answer_names
from ..spec.resource import Resource
from ..spec.service.lists import ListForm
from ..spec.service.on_ramp import INSTRUCTIONS, InstructionNames, InstructionSettings
from ..spec.service.service import Service
from ..spec.service.value_types import NONE
from .details import DetailSchemas
from .schemas import (
    Components,
    ReadSetting,
    Schema,
    list_setting,
    nested,
    origin,
    placed,
    ref_to,
    words,
)
from .values import DAY, TIMESTAMP

_AMOUNT: Schema = {"type": "string", "pattern": r"^-?[0-9]+(?:\.[0-9]+)?$"}
_LOWER = frozenset({("DepositInstructions", "currency"), ("ConversionAccount", "source_currency")})
"""The currencies that a REST answer has in lower case, as the spec shows them."""


class AnswerSchemas:
    """The models of answers as named schemas, with the names and dialect of a service."""

    def __init__(self, service: Service, components: Components, details: DetailSchemas) -> None:
        self._service = service
        self._components = components
        self._details = details

    def model(self, name: str, *, in_event: bool = False) -> Schema:
        """A reference to a model; events have currencies in lower case."""
        kind: type[BaseModel] = getattr(models, name)
        title = f"{name}Snapshot" if in_event else name
        if title in self._components.schemas:
            return ref_to(title)
        form = answer_form(name)
        record = NAMED.get(name)
        table = record.names if record else None
        names = answer_names(name, self._service).theirs
        absent, nullable = missing_of(form, Service() if in_event else self._service)
        self._components.schemas[title] = {}  # keeps the order: the outer object first
        properties = {}
        for field in kind.model_fields:
            schema = self._value(kind, field, form, in_event=in_event)
            if field in nullable:
                schema = _or_null(schema)
            if field in NOTES:
                schema["description"] = NOTES[field]
            read = _name_of(table, field) if table else None
            facts = origin(self._service, form.assumed.get(field, form.source), read)
            properties[names.get(field, field)] = {**schema, **facts}
        always = [names.get(field, field) for field in {*kind.model_fields} - {*absent}]
        about = {"description": str(kind.__doc__)}
        return self._components.add(title, {**about, **nested(properties, always)})

    def held(self, record: Operation, schema: Schema) -> Schema:
        """The object of an answer under the key that the service has for it."""
        item = record.item(self._service)
        return schema if item == NONE else nested({item: schema}, [item])

    def page(self, record: Operation, form: ListForm, source: str) -> Schema:
        """The answer of a list: a page, or a bare array of all rows."""
        name = record.answer
        rows: Schema = {"type": "array", "items": self.model(name)}
        if form.is_array:
            return rows
        more_schema: Schema = {"type": "boolean", "description": "Whether another page follows."}
        cursor: Schema = {
            "type": ["string", "null"],
            "description": "The cursor of the next page; null without one.",
        }
        rows_schema: Schema = {**rows, "description": "The rows of this page."}
        facts = partial(origin, self._service, source)
        properties = placed(
            [
                (form.items, {**rows_schema, **facts(list_setting(record, lambda own: own.items))}),
                (form.more, {**more_schema, **facts(list_setting(record, lambda own: own.more))}),
                (form.cursor, {**cursor, **facts(list_setting(record, lambda own: own.cursor))}),
            ]
        )
        about = {"description": f"A page of a list of {name} objects."}
        return self._components.add(f"{name}Page", {**about, **nested(properties, properties)})

    def _value(
        self, kind: type[BaseModel], field: str, form: AnswerForm, *, in_event: bool
    ) -> Schema:
        annotation = kind.model_fields[field].annotation
        if field in form.words:
            return self._words(field, form.words[field], annotation, in_event=in_event)
        if field in CURRENCY_FIELDS:
            is_lower = in_event or (kind.__name__, field) in _LOWER
            return {"type": "string", "pattern": "^[a-z]{3,4}$" if is_lower else "^[A-Z]{3,4}$"}
        if field == "details":
            return self._any_details(kind.__name__)
        if field == "date_of_birth":
            return dict(DAY)
        return self._typed(annotation, field, in_event=in_event)

    def _typed(self, annotation: Any, field: str, *, in_event: bool) -> Schema:
        """The schema of a type of the models."""
        base = _without_none(annotation)
        if get_origin(base) is list:
            inner = self._typed(get_args(base)[0], field, in_event=in_event)
            return {"type": "array", "items": inner}
        if isinstance(base, type) and issubclass(base, Resource):
            return self.model(base.__name__, in_event=in_event and _has_currency(base))
        if base is Amount:
            is_number = self._service.amounts.answers == "number" and field in ANSWERED_AMOUNTS
            return {"type": "number"} if is_number else dict(_AMOUNT)
        return dict(_TYPES.get(base, {"type": "string"}))

    def _words(self, field: str, given: Words, annotation: Any, *, in_event: bool) -> Schema:
        other_words = given.setting(self._service) if given.setting else ()
        all_words = (*given.words, *other_words)
        if field in CURRENCY_FIELDS and in_event:
            all_words = tuple(map(str.lower, all_words))
        word_schema = words(all_words, is_open=given.is_open)
        is_list = get_origin(_without_none(annotation)) is list
        return {"type": "array", "items": word_schema} if is_list else word_schema

    def _any_details(self, model: str) -> Schema:
        """The details of an account or of deposit instructions, of a known type or another."""
        about = "Details of another type than those above."
        open_object: Schema = {"type": "object", "additionalProperties": True}
        other_details = self._components.add("OtherDetails", {"description": about, **open_object})
        if model == "FinancialAccount":
            return {"anyOf": [*self._details.any()["anyOf"], other_details]}
        kinds = [self._instructions(kind, names) for kind, names in INSTRUCTIONS.items()]
        return {"anyOf": [*kinds, other_details]}

    def _instructions(
        self, kind: str, named: Callable[[InstructionSettings], InstructionNames]
    ) -> Schema:
        """The details of a type of deposit instructions."""
        table = named(self._service.deposit_instructions).fields
        properties = {
            their: {"type": "string", **origin(self._service, read=_detail_of(named, our))}
            for our, their in table.items()
        }
        title = "".join(part.title() for part in kind.split("_"))
        about = {"description": f"Where to pay, of instructions of the type {kind}."}
        schema = {**about, **nested(properties, properties)}
        return self._components.add(f"{title}Instructions", schema)


def _name_of(table: ReadNames, field: str) -> ReadSetting:
    """Reads the name of a field in a table of settings."""
    return lambda settings: table(settings)[field]


def _detail_of(named: Callable[[InstructionSettings], InstructionNames], field: str) -> ReadSetting:
    """Reads the name of a field in the details of deposit instructions."""
    return lambda settings: named(settings.deposit_instructions).fields[field]


def _or_null(schema: Schema) -> Schema:
    """A value, or null."""
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


_TYPES: dict[Any, Schema] = {bool: {"type": "boolean"}, datetime: TIMESTAMP}


def _without_none(annotation: Any) -> Any:
    """The type without None and without the validators around it."""
    if get_origin(annotation) is Annotated:
        return _without_none(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        member = next(
            member_type for member_type in get_args(annotation) if member_type is not type(None)
        )
        return _without_none(member)
    return annotation


def _has_currency(kind: type[BaseModel]) -> bool:
    """Whether a model, or one inside it, has a currency."""
    inner = (_without_none(field.annotation) for field in kind.model_fields.values())
    return bool(CURRENCY_FIELDS & kind.model_fields.keys()) or any(
        isinstance(annotation, type)
        and issubclass(annotation, Resource)
        and _has_currency(annotation)
        for annotation in inner
    )
