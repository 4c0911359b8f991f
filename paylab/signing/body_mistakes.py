"""Mistakes in the hash of a body: it is the hash of the same content, written in another way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from itertools import product

from ..spec.text import JsonValue
from .canonical import EMPTY_HASH
from .corrections import Mistake, make_known_mistake

BODY_BYTES_MAX = 1_000_000
"""Maximum bytes of a body for which other formats are tried."""

TEXT_ENCODINGS = ("latin-1", "utf-16", "utf-16-le", "utf-8-sig")

JSON_LAYOUTS: tuple[tuple[str, int | None, tuple[str, str] | None], ...] = (
    ("without spaces", None, (",", ":")),
    ("with spaces after commas and colons", None, None),
    ("indented by 2", 2, None),
    ("indented by 4", 4, None),
)
"""The description, indent and separators of the JSON that other programs write."""


def find_body_mistake(claimed_hash: str, body: bytes) -> Mistake | None:
    """The mistake that makes `claimed_hash` of a body; None if it is not a known one."""
    if claimed_hash.lower() == sha256(body).hexdigest():
        return make_known_mistake("uppercase-hash")
    if body and claimed_hash == EMPTY_HASH:
        return make_known_mistake("body-changed", "it is the hash of an empty body")
    for description, rewritten_body in rewrite_body(body):
        rewritten_hashes = (
            sha256(rewritten_body).hexdigest(),
            sha256(rewritten_body + b"\n").hexdigest(),
        )
        if claimed_hash in rewritten_hashes:
            return make_known_mistake("body-changed", f"it is the hash of the body {description}")
    return None


def rewrite_body(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a body in the formats of other programs, each after a description of the difference.

    Nothing for a body longer than `BODY_BYTES_MAX`.
    """
    if len(body) > BODY_BYTES_MAX:
        return
    yield "with a line break at its end", body
    yield "without the white space around it", body.strip()
    yield from _encode_text(body)
    try:
        json_value = json.loads(body)
    except (ValueError, RecursionError):
        return
    yield from _write_json(json_value)


def _encode_text(body: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a text in other encodings and line ends, each after its description.

    Nothing for a body that is not text in UTF-8.
    """
    try:
        body_text = body.decode()
    except ValueError:
        return
    for encoding in TEXT_ENCODINGS:
        yield f"encoded as {encoding}", body_text.encode(encoding, "replace")
    yield "with line breaks of Windows", body_text.replace("\n", "\r\n").encode()


def _write_json(json_value: JsonValue) -> Iterator[tuple[str, bytes]]:
    """Yield a value as JSON in every layout, with or without sorted keys and escaped letters."""
    for escapes_letters, sorts_keys, layout in product((False, True), (False, True), JSON_LAYOUTS):
        description, indent, separators = layout
        description = f"as JSON {description}"
        if sorts_keys:
            description += ", keys sorted"
        if escapes_letters:
            description += ", letters escaped"
        json_text = json.dumps(
            json_value,
            ensure_ascii=escapes_letters,
            sort_keys=sorts_keys,
            indent=indent,
            separators=separators,
        )
        yield description, json_text.encode(errors="replace")
