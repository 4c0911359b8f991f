"""The JSON Schema of a service.toml, by which editors complete and check it."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from typing import Any

from ..operations.records import OPERATIONS
from .frozen import to_json_value
from .key import SettingKey
from .keys import setting_keys
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
    root_schema = _make_empty_table()
    for key_name, setting in setting_keys().items():
        if key_name == EXTRA:
            root_schema["properties"][EXTRA] = _make_constants_schema(setting)
            continue
        *group_names, setting_name = key_name.split(".")
        table_schema = root_schema
        settings_group: Any = ServiceSettings()
        for group_name in group_names:
            settings_group = getattr(settings_group, group_name)
            table_schema = table_schema["properties"].setdefault(
                group_name, _make_group_schema(settings_group)
            )
        table_schema["properties"][setting_name] = _make_setting_schema(setting)
    return {"$schema": DIALECT, "title": "service.toml", **root_schema}


def schema_text() -> str:
    """The schema of a service.toml as JSON text, with a newline at the end."""
    return json.dumps(service_schema(), indent=2, ensure_ascii=False) + "\n"


def _make_empty_table() -> Schema:
    """The schema of a table of TOML without keys, to which its keys are added."""
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _make_group_schema(settings: object) -> Schema:
    """The schema of a table of settings, without its keys yet.

    A group of settings has the first line of its docstring as description, a table of names none.
    """
    if not is_dataclass(settings):
        return _make_empty_table()
    return {**_make_empty_table(), "description": str(settings.__doc__).partition("\n")[0]}


def _make_setting_schema(setting: SettingKey) -> Schema:
    """The schema of a setting: its type as pydantic reads it, its question and its default."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(setting.annotation).json_schema()
    # A key that can inherit has the type "value or null"; a file cannot write null.
    value_schemas = [
        type_schema for type_schema in schema.pop("anyOf", []) if type_schema.get("type") != "null"
    ]
    schema |= value_schemas[0] if value_schemas else {}
    if len(setting.words) == 1 or "const" in schema:
        schema["enum"] = list(setting.words)
    description = f"{setting.question} (assumption {setting.row})"
    default_value = (
        setting_keys()[setting.base].default if setting.default is None else setting.default
    )
    return {**schema, "description": description, "default": to_json_value(default_value)}


def _make_constants_schema(setting: SettingKey) -> Schema:
    """The schema of `extra`: a table of constant fields for each operation with a body."""
    schema_by_operation = {
        operation_name: {
            "type": "object",
            "description": f"Constant fields of the body: {operation.summary}.",
        }
        for operation_name, operation in OPERATIONS.items()
        if operation.fields
    }
    return {
        **_make_empty_table(),
        "properties": schema_by_operation,
        "description": setting.question,
    }
