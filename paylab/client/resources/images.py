"""Images as the service takes them: a side and a data URI each."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...errors import Problem, RuleError
from ...rules import images as rules

Content = str | bytes | Path
Images = Mapping[str, Content] | Iterable[Mapping[str, Any]]


def as_items(images: Images) -> list[dict[str, Any]]:
    """The items of an upload from a mapping of sides, or from items; bytes and paths are read."""
    if isinstance(images, Mapping):
        listed: Iterable[Any] = ({"type": s, "content": c} for s, c in images.items())
    else:
        listed = images
    return [_item(item, f"images.{at}") for at, item in enumerate(listed)]


def _item(item: object, field: str) -> dict[str, Any]:
    if not isinstance(item, Mapping):
        raise RuleError([Problem(field, "must be an object with type and content")])
    return {**item, "content": _content(item.get("content"), f"{field}.content")}


def _content(content: object, field: str) -> object:
    data = content.read_bytes() if isinstance(content, Path) else content
    return (
        data_uri(bytes(data), field) if isinstance(data, bytes | bytearray | memoryview) else data
    )


def data_uri(data: bytes, field: str = "content") -> str:
    """Bytes as a Base64 data URI, its type told from their beginning."""
    mime = rules.sniff(data)
    if mime is None:
        reason = "is none of PDF, JPEG, PNG, HEIC, HEIF, TIFF by its first bytes"
        raise RuleError([Problem(field, reason)])
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"
