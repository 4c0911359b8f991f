"""The JSON Schema of a service.toml, by which editors complete and check it."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from typing import Any

from ..operations.records import OPERATIONS
from .frozen import plain_value
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
    whole = _table()
    for name, key in keys().items():
        if name == EXTRA:
            whole["properties"][EXTRA] = _extra(key)
            continue
        *groups, last = name.split(".")
        table = whole
        settings: Any = ServiceSettings()
        for group in groups:
            settings = getattr(settings, group)
            table = table["properties"].setdefault(group, _group(settings))
        table["properties"][last] = _setting(key)
    return {"$schema": DIALECT, "title": "service.toml", **whole}


def schema_text() -> str:
    """The schema as JSON text."""
    return json.dumps(service_schema(), indent=2, ensure_ascii=False) + "\n"


def _table() -> Schema:
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _group(settings: Any) -> Schema:
    """A table of a group of settings, described as the group is; names have no description."""
    if not is_dataclass(settings):
        return _table()
    return {**_table(), "description": str(settings.__doc__).partition("\n")[0]}


def _setting(key: Key) -> Schema:
    """The type of a setting as pydantic reads it, its question and its default."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(key.annotation).json_schema()
    options = [each for each in schema.pop("anyOf", []) if each.get("type") != "null"]
    schema |= options[0] if options else {}
    if len(key.words) == 1 or "const" in schema:
        schema["enum"] = list(key.words)
    about = f"{key.question} (assumption {key.row})"
    default = keys()[key.base].default if key.default is None else key.default
    return {**schema, "description": about, "default": plain_value(default)}


def _extra(key: Key) -> Schema:
    """The operations that can have constant fields."""
    named = {
        name: {
            "type": "object",
            "description": f"Constant fields of the body: {operation.summary}.",
        }
        for name, operation in OPERATIONS.items()
        if operation.fields
    }
    return {**_table(), "properties": named, "description": key.question}
