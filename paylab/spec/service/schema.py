"""The JSON Schema of a service.toml, by which editors complete and check it."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from typing import Any

from ..operations.records import OPERATIONS
from .frozen import to_json_value
from .key import Key
from .keys import keys
from .loader import EXTRA
from .tree import ServiceSettings

DIALECT = "http://json-schema.org/draft-07/schema#"
"""What Even Better TOML and taplo read."""

Schema = dict[str, Any]


def service_schema() -> Schema:
    """The schema: each key with its question, type and default; no other keys.

    >>> from paylab.spec.service.schema import service_schema
    >>> service_schema()["properties"]["signing"]["properties"]["tolerance"]["maximum"]
    86400
    """
    root = _empty_table()
    for name, key in keys().items():
        if name == EXTRA:
            root["properties"][EXTRA] = _constants_schema(key)
            continue
        *groups, leaf = name.split(".")
        table = root
        settings: Any = ServiceSettings()
        for group in groups:
            settings = getattr(settings, group)
            table = table["properties"].setdefault(group, _group_schema(settings))
        table["properties"][leaf] = _setting_schema(key)
    return {"$schema": DIALECT, "title": "service.toml", **root}


def schema_text() -> str:
    """The schema as JSON text."""
    return json.dumps(service_schema(), indent=2, ensure_ascii=False) + "\n"


def _empty_table() -> Schema:
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _group_schema(settings: object) -> Schema:
    """A table of a group of settings, described as the group is; names have no description."""
    if not is_dataclass(settings):
        return _empty_table()
    return {**_empty_table(), "description": str(settings.__doc__).partition("\n")[0]}


def _setting_schema(key: Key) -> Schema:
    """The type of a setting as pydantic reads it, its question and its default."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(key.annotation).json_schema()
    options = [option for option in schema.pop("anyOf", []) if option.get("type") != "null"]
    schema |= options[0] if options else {}
    if len(key.words) == 1 or "const" in schema:
        schema["enum"] = list(key.words)
    about = f"{key.question} (assumption {key.row})"
    default = keys()[key.base].default if key.default is None else key.default
    return {**schema, "description": about, "default": to_json_value(default)}


def _constants_schema(key: Key) -> Schema:
    """The operations that can have constant fields."""
    named = {
        name: {
            "type": "object",
            "description": f"Constant fields of the body: {operation.summary}.",
        }
        for name, operation in OPERATIONS.items()
        if operation.fields
    }
    return {**_empty_table(), "properties": named, "description": key.question}
