"""Sidecars: files that describe the columns of an exported file and the source of its rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files import file_mode, replace
from .columns import Kind, Schema

OLD_SIDECAR = "_columns.json"
MEANING: dict[Kind, str] = {
    "text": "text, as the service sent it",
    "list": "texts joined by commas",
    "word": "one of a few words",
    "amount": "an exact decimal number, as text; do not read it as a float",
    "time": "a time in UTC, ISO 8601",
    "seconds": "a whole number of seconds",
}


def find_sidecar_path(path: Path) -> Path:
    """The path of the sidecar of a file or a folder: it is beside it.

    Some readers take every file in a folder for one of rows.
    """
    target_path = path.resolve()
    return target_path.with_name(f"{target_path.name}.columns.json")


def write_sidecar(
    path: Path, schema: Schema, about: Mapping[str, object], permissions: int | None = None
) -> None:
    """Write a description of the columns, and `about`, the source of the rows.

    `permissions` are those of an earlier sidecar. The new sidecar keeps them.
    """
    column_facts = [
        {
            "name": schema_column.name,
            "kind": schema_column.kind,
            "field": schema_column.path,
            "meaning": MEANING[schema_column.kind],
        }
        for schema_column in schema.columns
    ]
    sidecar_json = json.dumps({"kind": schema.name, **about, "columns": column_facts}, indent=1)
    with replace(find_sidecar_path(path), mode=permissions) as sidecar_file:
        sidecar_file.write(sidecar_json.encode() + b"\n")


def forget_sidecar(path: Path) -> int | None:
    """Remove the sidecar of a replaced file or folder; return its permissions, None without one."""
    sidecar_path = find_sidecar_path(path)
    permissions = file_mode(sidecar_path)
    sidecar_path.unlink(missing_ok=True)
    return permissions


def read_sidecar(path: Path) -> dict[str, Any]:
    """The content of the sidecar of a file or folder; empty if there is none."""
    try:
        sidecar_path = find_sidecar_path(path)
        if not sidecar_path.exists():  # older versions wrote that of a folder into the folder
            sidecar_path = path / OLD_SIDECAR
        sidecar_facts = json.loads(sidecar_path.read_bytes())
    except (OSError, ValueError, RuntimeError):  # a RuntimeError for a link to itself
        return {}
    return sidecar_facts if isinstance(sidecar_facts, dict) else {}
