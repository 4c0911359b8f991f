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
    known = keys().get(key)
    if read and known and service.declares(read):
        return {"x-origin": YOURS, "x-setting": key}
    source = source or (known.row if known else SPEC)
    if source == SPEC:
        return {"x-origin": SPEC}
    row = reference.get(source)
    found = next(each for each in ("chosen", "public", SPEC) if each in row.origin)
    return {"x-origin": found, "x-assumption": source}


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
    named: Schema = {"type": "string", "enum": list(dict.fromkeys(known))}
    if not known:
        return {"type": "string"}
    return {"anyOf": [named, {"type": "string"}]} if is_open else named


def closed(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object that has no other fields."""
    return {**opened(properties, required), "additionalProperties": False}


def opened(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object that may have further fields."""
    asked = [name for name in properties if name in set(required)]
    found: Schema = {"type": "object", "properties": dict(properties)}
    return {**found, "required": asked} if asked else found


def nested(
    properties: Mapping[str, Schema], required: Iterable[str] = (), *, is_closed: bool = False
) -> Schema:
    """An object whose dotted names step into objects, which have the origin of their parts."""
    asked = set(required)
    tree = dict[str, Schema]()
    inside: dict[str, dict[str, Schema]] = {}
    for name, schema in properties.items():
        first, dot, rest = name.partition(".")
        if dot:
            inside.setdefault(first, {})[rest] = schema
            tree.setdefault(first, {})
        else:
            tree[name] = schema
    for name, parts in inside.items():
        below = {each.partition(".")[2] for each in asked if each.startswith(f"{name}.")}
        leading = next(iter(parts.values()))
        facts = {key: each for key, each in leading.items() if key.startswith("x-")}
        tree[name] = {**nested(parts, below, is_closed=is_closed), **facts}
    heads = {each.partition(".")[0] for each in asked}
    return closed(tree, heads) if is_closed else opened(tree, heads)


def has(names: Iterable[str]) -> Schema:
    """An object with these fields; dotted names step into objects."""
    found: Schema = {"required": []}
    for name in names:
        first, _, rest = name.partition(".")
        if first not in found["required"]:
            found["required"].append(first)
        if rest:
            inside = found.setdefault("properties", {})
            inside[first] = merged_schemas(inside.get(first, {}), has([rest]))
    return found


def at_place(place: str, schema: Schema) -> Schema:
    """The properties of an object with a schema at a dotted place."""
    first, _, rest = place.partition(".")
    return {first: {"properties": at_place(rest, schema)} if rest else schema}


def merged_schemas(one: Schema, other: Schema) -> Schema:
    """Two schemas of the same object as one."""
    found = dict(one)
    for key, value in other.items():
        known = found.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            found[key] = merged_schemas(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            found[key] = [*known, *(each for each in value if each not in known)]
        else:
            found[key] = value
    return found
