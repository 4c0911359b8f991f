"""What a file holds, in a small JSON file beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files import replace
from .schema import Kind, Schema

MEANING: dict[Kind, str] = {
    "text": "text, exactly as the service sent it",
    "list": "texts joined by commas",
    "word": "one of a few words",
    "amount": "an exact decimal number, as text; never to be read as a float",
    "time": "an instant in UTC, ISO 8601",
    "seconds": "a whole number of seconds",
}


def beside(path: Path) -> Path:
    """Where the sidecar of a file or a folder is."""
    path = path.resolve()
    return path / "_columns.json" if path.is_dir() else path.with_name(f"{path.name}.columns.json")


def write(path: Path, schema: Schema, about: Mapping[str, Any]) -> None:
    """Describe the columns of a file, and say where its rows came from."""
    columns = [
        {"name": c.name, "kind": c.kind, "field": c.path or c.name, "meaning": MEANING[c.kind]}
        for c in schema.columns
    ]
    text = json.dumps({"kind": schema.name, **about, "columns": columns}, indent=1)
    with replace(beside(path)) as sink:
        sink.write(text.encode() + b"\n")


def forget(path: Path) -> None:
    """Take away what described the file that another one has replaced."""
    if not path.is_dir():
        beside(path).unlink(missing_ok=True)


def read(path: Path) -> dict[str, Any]:
    """What the sidecar of a file says; nothing when there is none."""
    try:
        said = json.loads(beside(path).read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}
