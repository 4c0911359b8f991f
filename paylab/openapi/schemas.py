"""The parts of schemas: where a fact comes from, words, named objects, and nested ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..spec import assumptions
from ..spec.operations.field import SPEC
from ..spec.service import Service
from ..spec.service_keys import NONE

Schema = dict[str, Any]

YOURS = "yours"
"""The origin of a value that was set in a service.toml."""

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


def origin(service: Service, source: str = "", key: str = "") -> Schema:
    """Where a fact comes from: the spec, an assumption, or the setting of this service.

    Without a source it is that of the setting; what has none either is stated by the spec.
    """
    known = assumptions.KEYS.get(key)
    if known and service.declares(key):
        return {"x-origin": YOURS, "x-setting": key}
    source = source or (known.row if known else SPEC)
    if source == SPEC:
        return {"x-origin": SPEC}
    row = assumptions.get(source)
    found = next(each for each in ("chosen", "public", SPEC) if each in row.origin)
    return {"x-origin": found, "x-assumption": source}


def placed(
    service: Service, table: str, parts: Mapping[str, Schema], source: str = ""
) -> dict[str, Schema]:
    """The parts of an object under the names that a table of settings has for them."""
    names = {part: str(service.value(f"{table}.{part}")) for part in parts}
    return {
        names[part]: {**schema, **origin(service, source, f"{table}.{part}")}
        for part, schema in parts.items()
        if names[part] != NONE
    }


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


def nested(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """An object whose dotted names step into objects, which have the origin of their parts."""
    asked, tree = set(required), dict[str, Schema]()
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
        tree[name] = {**nested(parts, below), **facts}
    return opened(tree, {each.partition(".")[0] for each in asked})


def has(names: Iterable[str]) -> Schema:
    """An object with these fields; dotted names step into objects."""
    found: Schema = {"required": []}
    for name in names:
        first, _, rest = name.partition(".")
        if first not in found["required"]:
            found["required"].append(first)
        if rest:
            inner = found.setdefault("properties", {}).setdefault(first, {"required": []})
            inner["required"].append(rest)
    return found
