"""The parts of schemas: where a fact comes from, words, named objects, and nested ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..spec.assumptions import reference
from ..spec.operations.operation import Operation
from ..spec.service.keys import keys
from ..spec.service.lists import OneListSettings
from ..spec.service.service import YOURS, Service
from ..spec.service.setting import SPEC, key_of
from ..spec.service.tree import ServiceSettings
from ..spec.service.value_types import NONE

Schema = dict[str, Any]

ReadSetting = Callable[[ServiceSettings], object]
"""Reads the setting that a fact depends on."""

NOT_BLANK = r"\S"
"""The pattern of text that is not blank."""

NEVER: Schema = {"not": {}}
"""The schema of a field that must be absent."""


class Components:
    """The named schemas of a document."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}

    def add(self, name: str, schema: Schema) -> Schema:
        """Name a schema; return the reference to it."""
        self.schemas[name] = schema
        return ref_to(name)


def ref_to(name: str) -> Schema:
    """A reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def any_of(schemas: Iterable[Schema]) -> Schema:
    """One schema or another; a single one stands for itself."""
    alternatives = [*schemas]
    return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def origin_facts(
    service: Service, assumption_id: str = "", read: ReadSetting | None = None
) -> Schema:
    """Where a fact comes from: the spec, an assumption, or the setting that a function reads.

    Without a source it is that of the setting; what has none either is stated by the spec.
    """
    key_name = key_of(read)
    setting = keys().get(key_name)
    if read and setting and service.declares(read):
        return {"x-origin": YOURS, "x-setting": key_name}
    if not assumption_id:
        assumption_id = setting.row if setting else SPEC
    if assumption_id == SPEC:
        return {"x-origin": SPEC}
    assumption = reference.get(assumption_id)
    origin_word = next(
        origin_word
        for origin_word in ("chosen", "public", SPEC)
        if origin_word in assumption.origin
    )
    return {"x-origin": origin_word, "x-assumption": assumption_id}


def drop_absent_places(parts: Iterable[tuple[str, Schema]]) -> dict[str, Schema]:
    """The parts of an object by the places that a service has for them, if it has one."""
    return {path: schema for path, schema in parts if path != NONE}


def make_list_setting_reader(
    record: Operation, read: Callable[[OneListSettings], object]
) -> ReadSetting | None:
    """Reads a setting of the list of an operation."""
    listing = record.listing
    return (lambda settings: read(listing(settings.lists))) if listing else None


def words_schema(words: Sequence[str], *, is_open: bool = False) -> Schema:
    """Text that is one of these words; with `is_open`, or without words, any text is valid."""
    if not words:
        return {"type": "string"}
    schema: Schema = {"type": "string", "enum": list(dict.fromkeys(words))}
    return {"anyOf": [schema, {"type": "string"}]} if is_open else schema


def open_words_schema(words: Sequence[str]) -> Schema:
    """Text of an answer: one of these words, or one that a later version of the service has.

    It is no enumeration, with which generated clients would fail at a new word.
    """
    known_words = list(dict.fromkeys(words))
    description = f"One of {', '.join(known_words)}; a later version may have more."
    return {"type": "string", "description": description, "x-extensible-enum": known_words}


def closed_object(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object that has no other fields."""
    return {**open_object(properties, required), "additionalProperties": False}


def open_object(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object that may have further fields."""
    required_names = [name for name in properties if name in set(required)]
    object_schema: Schema = {"type": "object", "properties": dict(properties)}
    return {**object_schema, "required": required_names} if required_names else object_schema


def nested_object(
    properties: Mapping[str, Schema], required: Iterable[str] = (), *, is_closed: bool = False
) -> Schema:
    """An object whose dotted names step into objects, which have the origin of their parts."""
    required_names = set(required)
    tree: dict[str, Schema] = {}
    parts_by_name: dict[str, dict[str, Schema]] = {}
    for path, schema in properties.items():
        first_name, _, inner_path = path.partition(".")
        if inner_path:
            parts_by_name.setdefault(first_name, {})[inner_path] = schema
            tree.setdefault(first_name, {})
        else:
            tree[first_name] = schema
    for first_name, parts in parts_by_name.items():
        prefix = f"{first_name}."
        inner_required = {
            path.removeprefix(prefix) for path in required_names if path.startswith(prefix)
        }
        first_part = next(iter(parts.values()))
        facts = {key: fact for key, fact in first_part.items() if key.startswith("x-")}
        tree[first_name] = {**nested_object(parts, inner_required, is_closed=is_closed), **facts}
    top_required = {path.partition(".")[0] for path in required_names}
    return closed_object(tree, top_required) if is_closed else open_object(tree, top_required)


def required_fields_schema(names: Iterable[str]) -> Schema:
    """An object with these fields; dotted names step into objects."""
    schema: Schema = {"required": []}
    for path in names:
        first_name, _, inner_path = path.partition(".")
        if first_name not in schema["required"]:
            schema["required"].append(first_name)
        if inner_path:
            properties = schema.setdefault("properties", {})
            inner_schema = required_fields_schema([inner_path])
            properties[first_name] = merge_schemas(properties.get(first_name, {}), inner_schema)
    return schema


def property_at(path: str, schema: Schema) -> Schema:
    """The properties of an object with a schema at a dotted path."""
    first_name, _, inner_path = path.partition(".")
    if not inner_path:
        return {first_name: schema}
    return {first_name: {"properties": property_at(inner_path, schema)}}


def merge_schemas(schema: Schema, addition: Schema) -> Schema:
    """Two schemas of the same object as one; `addition` wins where they differ."""
    merged = dict(schema)
    for keyword, keyword_value in addition.items():
        earlier = merged.get(keyword)
        if isinstance(earlier, dict) and isinstance(keyword_value, dict):
            merged[keyword] = merge_schemas(earlier, keyword_value)
        elif isinstance(earlier, list) and isinstance(keyword_value, list):
            merged[keyword] = [*earlier, *(item for item in keyword_value if item not in earlier)]
        else:
            merged[keyword] = keyword_value
    return merged
