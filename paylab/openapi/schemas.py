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


def origin(service: Service, source: str = "", read: ReadSetting | None = None) -> Schema:
    """Where a fact comes from: the spec, an assumption, or the setting that a function reads.

    Without a source it is that of the setting; what has none either is stated by the spec.
    """
    key = key_of(read)
    setting_key = keys().get(key)
    if read and setting_key and service.declares(read):
        return {"x-origin": YOURS, "x-setting": key}
    source = source or (setting_key.row if setting_key else SPEC)
    if source == SPEC:
        return {"x-origin": SPEC}
    row = reference.get(source)
    origin_word = next(each for each in ("chosen", "public", SPEC) if each in row.origin)
    return {"x-origin": origin_word, "x-assumption": source}


def placed(parts: Iterable[tuple[str, Schema]]) -> dict[str, Schema]:
    """The parts of an object by the places that a service has for them, if it has one."""
    return {place: schema for place, schema in parts if place != NONE}


def list_setting(
    record: Operation, read: Callable[[OneListSettings], object]
) -> ReadSetting | None:
    """Reads a setting of the list of an operation."""
    listing = record.listing
    return (lambda settings: read(listing(settings.lists))) if listing else None


def words(known: Sequence[str], *, is_open: bool = False) -> Schema:
    """Text that is one of these words; with `is_open`, others are valid too."""
    word_schema: Schema = {"type": "string", "enum": list(dict.fromkeys(known))}
    if not known:
        return {"type": "string"}
    return {"anyOf": [word_schema, {"type": "string"}]} if is_open else word_schema


def closed(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object that has no other fields."""
    return {**opened(properties, required), "additionalProperties": False}


def opened(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object that may have further fields."""
    required_names = [name for name in properties if name in set(required)]
    object_schema: Schema = {"type": "object", "properties": dict(properties)}
    return {**object_schema, "required": required_names} if required_names else object_schema


def nested(
    properties: Mapping[str, Schema], required: Iterable[str] = (), *, is_closed: bool = False
) -> Schema:
    """An object whose dotted names step into objects, which have the origin of their parts."""
    required_names = set(required)
    tree = dict[str, Schema]()
    inside: dict[str, dict[str, Schema]] = {}
    for name, schema in properties.items():
        first, dot, inner_name = name.partition(".")
        if dot:
            inside.setdefault(first, {})[inner_name] = schema
            tree.setdefault(first, {})
        else:
            tree[name] = schema
    for name, parts in inside.items():
        inner_required = {
            part.partition(".")[2] for part in required_names if part.startswith(f"{name}.")
        }
        leading = next(iter(parts.values()))
        facts = {key: part for key, part in leading.items() if key.startswith("x-")}
        tree[name] = {**nested(parts, inner_required, is_closed=is_closed), **facts}
    heads = {part.partition(".")[0] for part in required_names}
    return closed(tree, heads) if is_closed else opened(tree, heads)


def has(names: Iterable[str]) -> Schema:
    """An object with these fields; dotted names step into objects."""
    schema: Schema = {"required": []}
    for name in names:
        first, _, inner_name = name.partition(".")
        if first not in schema["required"]:
            schema["required"].append(first)
        if inner_name:
            inside = schema.setdefault("properties", {})
            inside[first] = merged_schemas(inside.get(first, {}), has([inner_name]))
    return schema


def at_place(place: str, schema: Schema) -> Schema:
    """The properties of an object with a schema at a dotted place."""
    first, _, inner_place = place.partition(".")
    return {first: {"properties": at_place(inner_place, schema)} if inner_place else schema}


def merged_schemas(one: Schema, other: Schema) -> Schema:
    """Two schemas of the same object as one."""
    merged = dict(one)
    for key, value in other.items():
        value_before = merged.get(key)
        if isinstance(value_before, dict) and isinstance(value, dict):
            merged[key] = merged_schemas(value_before, value)
        elif isinstance(value_before, list) and isinstance(value, list):
            merged[key] = [*value_before, *(item for item in value if item not in value_before)]
        else:
            merged[key] = value
    return merged
