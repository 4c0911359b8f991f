"""The parts of schemas: where a fact comes from, words, named objects, and nested ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ..spec.assumptions import reference
from ..spec.operations.operation import Operation, ReadNames
from ..spec.service.keys import setting_keys
from ..spec.service.lists import OneListSettings
from ..spec.service.service import YOURS, Service
from ..spec.service.setting import SPEC, setting_key_of
from ..spec.service.tree import ServiceSettings
from ..spec.service.value_types import NONE
from ..spec.text import JsonObject

Schema = JsonObject

ReadSetting = Callable[[ServiceSettings], object]
"""Reads the setting that a fact depends on."""

NOT_BLANK = r"\S"
"""The pattern of text that is not blank."""

NEVER: Schema = {"not": {}}
"""The schema of a field that must be absent."""


class Components:
    """The named schemas of a document."""

    def __init__(self) -> None:
        """Start without schemas."""
        self.schemas: dict[str, Schema] = {}

    def add(self, name: str, schema: Schema) -> Schema:
        """Name a schema; return the reference to it."""
        self.schemas[name] = schema
        return ref_to(name)


def ref_to(name: str) -> Schema:
    """A reference to the schema of this name among the components of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def any_of(schemas: Iterable[Schema]) -> Schema:
    """The schema of a value that fits one of these schemas; a single one is returned itself."""
    schema_list = [*schemas]
    return schema_list[0] if len(schema_list) == 1 else {"anyOf": schema_list}


def make_origin_members(
    service: Service, assumption_id: str = "", read: ReadSetting | None = None
) -> Schema:
    """The members of an object that say where its fact comes from, such as `x-origin`.

    If the user set the setting that `read` reads, the origin is the user, and `x-setting` names
    that setting. Otherwise it is the origin of the assumption, by default the assumption of the
    setting, and `x-assumption` names it. Without an assumption the origin is the spec.
    """
    setting_key = setting_key_of(read)
    setting_facts = setting_keys().get(setting_key)
    if read and setting_facts and service.declares(read):
        return {"x-origin": YOURS, "x-setting": setting_key}
    if not assumption_id:
        assumption_id = setting_facts.row if setting_facts else SPEC
    if assumption_id == SPEC:
        return {"x-origin": SPEC}
    origins_text = reference.get(assumption_id).origin
    # Of an assumption with several origins, the least certain one.
    least_certain_origin = next(
        origin for origin in ("chosen", "public", SPEC) if origin in origins_text
    )
    return {"x-origin": least_certain_origin, "x-assumption": assumption_id}


def drop_absent_paths(paths_and_schemas: Iterable[tuple[str, Schema]]) -> dict[str, Schema]:
    """Schemas by dotted path, without values that the service does not have (path "none")."""
    return {path: schema for path, schema in paths_and_schemas if path != NONE}


def make_name_reader(names_of: ReadNames, field_name: str) -> ReadSetting:
    """Make a function that reads the service's name of one field; `read_names` reads all names."""
    return lambda settings: names_of(settings)[field_name]


def make_list_setting_reader(
    operation: Operation, read: Callable[[OneListSettings], object]
) -> ReadSetting | None:
    """Make a function that reads a setting of the list of an operation; None if it has no list."""
    read_list_settings = operation.listing
    if read_list_settings is None:
        return None
    return lambda settings: read(read_list_settings(settings.lists))


def words_schema(words: Sequence[str], *, is_open: bool = False) -> Schema:
    """Text that is one of these words; with `is_open`, or without words, any text is valid."""
    if not words:
        return {"type": "string"}
    enum_schema: Schema = {"type": "string", "enum": list(dict.fromkeys(words))}
    return {"anyOf": [enum_schema, {"type": "string"}]} if is_open else enum_schema


def open_words_schema(words: Sequence[str]) -> Schema:
    """Text of an answer: one of these words, or one that a later version of the service has.

    It is no enumeration, with which generated clients would fail at a new word.
    """
    known_words = list(dict.fromkeys(words))
    description_text = f"One of {', '.join(known_words)}; a later version may have more."
    return {"type": "string", "description": description_text, "x-extensible-enum": known_words}


def closed_object(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """The schema of an object that may have these properties only."""
    return {**open_object(properties, required), "additionalProperties": False}


def open_object(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """The schema of an object with these properties, and perhaps others."""
    required_names = set(required)
    object_schema: Schema = {"type": "object", "properties": dict(properties)}
    ordered_required_names = [
        field_name for field_name in properties if field_name in required_names
    ]
    if ordered_required_names:
        object_schema["required"] = ordered_required_names
    return object_schema


def nested_object(
    properties: Mapping[str, Schema], required: Iterable[str] = (), *, is_closed: bool = False
) -> Schema:
    """The schema of an object whose properties may be dotted paths into objects.

    `page.next` becomes a property `next` of an object `page`, which has the origin of its first
    property. `required` are paths, too.
    """
    required_paths = set(required)
    schema_by_key: dict[str, Schema] = {}
    inner_schemas_by_key: dict[str, dict[str, Schema]] = {}
    for path, property_schema in properties.items():
        first_key, _, inner_path = path.partition(".")
        if inner_path:
            inner_schemas_by_key.setdefault(first_key, {})[inner_path] = property_schema
            schema_by_key.setdefault(first_key, {})  # keeps the order; filled below
        else:
            schema_by_key[first_key] = property_schema
    for first_key, schema_by_inner_path in inner_schemas_by_key.items():
        path_prefix = f"{first_key}."
        inner_required_paths = {
            path.removeprefix(path_prefix)
            for path in required_paths
            if path.startswith(path_prefix)
        }
        inner_schema = nested_object(
            schema_by_inner_path, inner_required_paths, is_closed=is_closed
        )
        first_schema = next(iter(schema_by_inner_path.values()))
        origin_members = {
            member_name: member_value
            for member_name, member_value in first_schema.items()
            if member_name.startswith("x-")
        }
        schema_by_key[first_key] = {**inner_schema, **origin_members}
    required_keys = {path.partition(".")[0] for path in required_paths}
    make_object = closed_object if is_closed else open_object
    return make_object(schema_by_key, required_keys)


def required_fields_schema(paths: Iterable[str]) -> Schema:
    """The schema of an object that must have these fields; dotted paths step into objects."""
    object_schema: Schema = {"required": []}
    for path in paths:
        first_key, _, inner_path = path.partition(".")
        if first_key not in object_schema["required"]:
            object_schema["required"].append(first_key)
        if inner_path:
            schema_by_key = object_schema.setdefault("properties", {})
            inner_schema = required_fields_schema([inner_path])
            schema_by_key[first_key] = merge_schemas(schema_by_key.get(first_key, {}), inner_schema)
    return object_schema


def property_at(path: str, schema: Schema) -> Schema:
    """The properties of an object that has a value of this schema at a dotted path.

    `a.b` gives `{"a": {"properties": {"b": schema}}}`.
    """
    first_key, _, inner_path = path.partition(".")
    if not inner_path:
        return {first_key: schema}
    return {first_key: {"properties": property_at(inner_path, schema)}}


def merge_schemas(schema: Schema, addition: Schema) -> Schema:
    """Merge two schemas of the same object; lists are joined, and else `addition` wins."""
    merged_schema = dict(schema)
    for keyword, added_value in addition.items():
        own_value = schema.get(keyword)
        if isinstance(own_value, dict) and isinstance(added_value, dict):
            merged_schema[keyword] = merge_schemas(own_value, added_value)
        elif isinstance(own_value, list) and isinstance(added_value, list):
            new_items = [added_item for added_item in added_value if added_item not in own_value]
            merged_schema[keyword] = [*own_value, *new_items]
        else:
            merged_schema[keyword] = added_value
    return merged_schema
