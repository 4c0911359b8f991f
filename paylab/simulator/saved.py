"""A whole world in a file that may be attached to a bug report: readable, and without secrets."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ..errors import SimulatorError
from ..files import replace
from ..redaction import HIDDEN, Redaction

_WHOLE_FLOAT = re.compile(r"(?<=\d)\.0\b")


def checksum(dump: dict[str, Any]) -> str:
    """The same for a snapshot that was read and written again, with other spaces or key order.

    Whole floats count as integers: some programs write 1.0 as 1.
    """
    text = json.dumps(dump, sort_keys=True)
    return sha256(_WHOLE_FLOAT.sub("", text).encode()).hexdigest()


def as_sent(snapshot: Any) -> dict[str, Any]:
    """A snapshot with its fractions as JSON has them, whatever the client read them as."""
    text = json.dumps(snapshot, default=float)
    return dict(json.loads(text))


def write(snapshot: dict[str, Any], path: Path) -> None:
    """Write a snapshot without document numbers, and without what a webhook's URL may hide."""
    dump = _clean({key: value for key, value in snapshot.items() if key != "checksum"})
    text = json.dumps({**dump, "checksum": checksum(dump)}, indent=1, ensure_ascii=False)
    with replace(path, private=True) as sink:
        sink.write(f"{text}\n".encode())


def read(path: Path) -> dict[str, Any]:
    """The snapshot in a file; SimulatorError when there is none in it."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SimulatorError(f"{path} cannot be read as a saved world: {error}") from None
    if not isinstance(found, dict) or "paylab_snapshot" not in found:
        raise SimulatorError(f"{path} is no saved world: lab.simulator.save(path) writes one")
    return found


def _clean(value: Any) -> Any:
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {name: _item(name, item) for name, item in value.items()}
    return _ANYBODY.text(value) if isinstance(value, str) else value


def _item(name: str, item: Any) -> Any:
    if name == "document" and isinstance(item, dict) and item.get("number"):
        return {**item, "number": HIDDEN}
    return _bare(item) if name == "url" and isinstance(item, str) else _clean(item)


def _bare(url: str) -> str:
    """A URL without user, password and query: tokens are often kept there."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


_ANYBODY = Redaction([])
"""Whose keys they are does not matter: signatures, credentials and data URIs are known by form."""
