"""Why the hash of a body differs: what else the sender may have hashed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from typing import Any

from .canonical import EMPTY_HASH
from .mistakes import Mistake

MOST_REWRITTEN = 1_000_000
"""Bytes of a body that is written in other ways; a longer one would keep the service busy."""


def body_mistake(claimed: str, body: bytes) -> Mistake | None:
    """Name what `claimed`, an X-Content-SHA256 that does not fit the body, is the hash of."""
    if claimed.lower() == sha256(body).hexdigest():
        return Mistake("uppercase-hash", "write the hash in lower-case hex")
    if body and claimed == EMPTY_HASH:
        return Mistake("body-changed", f"it is the hash of an empty body; {_ONCE}")
    for way, text in other_spellings(body):
        if claimed in (sha256(text).hexdigest(), sha256(text + b"\n").hexdigest()):
            return Mistake("body-changed", f"it is the hash of the body {way}; {_ONCE}")
    return None


_ONCE = "write the body once and send the very bytes that were hashed"


def other_spellings(body: bytes) -> Iterator[tuple[str, bytes]]:
    """The body as other programs may have written it, each with how it differs."""
    if len(body) > MOST_REWRITTEN:
        return
    yield "with a line break at its end", body
    yield "without the white space around it", body.strip()
    yield from _as_text(body)
    try:
        yield from _as_json(json.loads(body))
    except (ValueError, RecursionError):
        return


def _as_text(body: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        text = body.decode()
    except ValueError:
        return
    for form in ("latin-1", "utf-16", "utf-16-le", "utf-8-sig"):
        yield f"encoded as {form}", text.encode(form, "replace")
    yield "with line breaks of Windows", text.replace("\n", "\r\n").encode()


def _as_json(value: Any) -> Iterator[tuple[str, bytes]]:
    for escaped, ordered, (form, options) in product((False, True), (False, True), _FORMS):
        way = f"as JSON {form}{', keys sorted' * ordered}{', letters escaped' * escaped}"
        text = json.dumps(value, ensure_ascii=escaped, sort_keys=ordered, **options)
        yield way, text.encode(errors="replace")


_FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("without spaces", {"separators": (",", ":")}),
    ("with spaces after commas and colons", {}),
    ("indented by 2", {"indent": 2}),
    ("indented by 4", {"indent": 4}),
)
