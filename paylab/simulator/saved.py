"""A whole world in a file that may be attached to a bug report: readable, and without secrets."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import SimulatorError
from ..files import replace
from ..personal import bare_urls, impersonal
from ..redaction import Redaction

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


def write(snapshot: dict[str, Any], path: Path, *, keep_personal: bool = False) -> None:
    """Write a snapshot without document numbers, personal data and the secrets in webhook URLs."""
    dump = shareable(snapshot, keep_personal=keep_personal)
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


def shareable(snapshot: dict[str, Any], *, keep_personal: bool = False) -> dict[str, Any]:
    """A snapshot without its checksum and what must not be passed on."""
    dump = {key: value for key, value in snapshot.items() if key != "checksum"}
    clean = bare_urls(Redaction([]).json(dump))
    return dict(clean if keep_personal else impersonal(clean))
