"""Known mistakes: what a signature would be had its maker made one, so that it can be named.

Each row of a table is a mistake and the way to make it on purpose; a claimed value that equals
what the mistake gives was made by it.
"""

from __future__ import annotations

import binascii
import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import permutations
from typing import Any
from urllib.parse import unquote, unquote_plus

from .canonical import EMPTY_HASH

MAX_REORDERED = 5
"""Query parameters tried in every order; more would be too many orders."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake by its id, and the sentence that tells its maker what to do."""

    id: str
    message: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything a signature is made of, so that one part can be made wrong."""

    secret: bytes
    method: str
    path: str
    query: str | None
    headers: tuple[tuple[str, str], ...]
    content_hash: str
    date: str
    newline: str = "\n"
    end: str = ""
    hash_case: Callable[[str], str] = str
    finish: Callable[[bytes], bytes] = lambda digest: b64encode(digest.hex().encode())

    def made(self) -> str:
        """The signature these parts give."""
        names = ";".join(name for name, _ in self.headers)
        lines = [self.method, self.path, *([] if self.query is None else [self.query])]
        lines += [f"{name}:{value}" for name, value in self.headers]
        canonical = self.newline.join([*lines, names, self.content_hash]) + self.end
        hashed = self.hash_case(sha256(canonical.encode(errors="replace")).hexdigest())
        text = self.newline.join(["HMAC-SHA256", self.date, hashed]) + self.end
        digest = hmac.digest(self.secret, text.encode(errors="replace"), "sha256")
        return self.finish(digest).decode()


def signature_mistake(  # noqa: PLR0913 - a claimed signature and all that it should cover
    claimed: str,
    secret: str,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
) -> Mistake | None:
    """Name the mistake that made `claimed`, or None when it is none of those known.

    `headers` are the signed ones by lower-case name, in the order the request named them.
    """
    pairs = tuple(sorted(headers.items()))
    right = Recipe(
        secret.encode(),
        method,
        path,
        query or None,
        pairs,
        headers["x-content-sha256"],
        headers["x-date"],
    )
    for mistake, variants in _TABLE:
        for wrong in variants(right, headers):
            if hmac.compare_digest(wrong.made().encode(), claimed.encode(errors="replace")):
                return mistake
    return None


def body_mistake(claimed: str, body: bytes) -> Mistake | None:
    """Name what `claimed`, an X-Content-SHA256 that does not fit the body, is the hash of."""
    right = sha256(body).hexdigest()
    if claimed.lower() == right:
        return Mistake("uppercase-hash", "write the hash in lower-case hex")
    if body and claimed == EMPTY_HASH:
        return Mistake("body-changed", "it is the hash of an empty body, and a body was sent")
    for way, text in _other_spellings(body):
        if sha256(text).hexdigest() == claimed:
            return Mistake("body-changed", f"it is the hash of this JSON written {way}; {_ONCE}")
    return None


_ONCE = "write the body once and send the very bytes that were hashed"


def _other_spellings(body: bytes) -> Iterator[tuple[str, bytes]]:
    yield "with a line break at the end", body + b"\n"
    yield "without the white space around it", body.strip()
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return
    for ascii_only in (False, True):
        for sort in (False, True):
            for form, options in _JSON_FORMS:
                way = form + (", keys sorted" if sort else "") + (", \\u escapes" * ascii_only)
                text = json.dumps(value, ensure_ascii=ascii_only, sort_keys=sort, **options)
                yield way, text.encode(errors="replace")


_JSON_FORMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("without spaces", {"separators": (",", ":")}),
    ("with spaces after commas and colons", {}),
    ("indented by 2", {"indent": 2}),
    ("indented by 4", {"indent": 4}),
)

Variants = Callable[[Recipe, Mapping[str, str]], Iterable[Recipe]]


def _orders(right: Recipe, headers: Mapping[str, str]) -> Iterator[Recipe]:
    yield replace(right, headers=tuple(headers.items()))
    sample = ("host", "x-api-key", "x-date", "x-content-sha256", "x-nonce")
    yield replace(right, headers=tuple((name, headers[name]) for name in sample if name in headers))


def _spelled(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    for spell in (str.title, str.upper, _as_in_the_table):
        yield replace(right, headers=tuple((spell(name), value) for name, value in right.headers))


def _as_in_the_table(name: str) -> str:
    return {"x-api-key": "X-API-Key", "x-content-sha256": "X-Content-SHA256"}.get(
        name, name.title()
    )


def _hosts(right: Recipe, headers: Mapping[str, str]) -> Iterator[Recipe]:
    name, _, port = headers["host"].partition(":")
    names = {name, "localhost", "127.0.0.1", "[::1]"}
    for host in {*names, *(f"{each}:{end}" for each in names for end in (port, "80", "443"))}:
        changed = {**dict(right.headers), "host": host}
        yield replace(right, headers=tuple(sorted(changed.items())))


def _reordered(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    parts = (right.query or "").split("&")
    orders = permutations(parts) if len(parts) <= MAX_REORDERED else [sorted(parts)]
    yield from (replace(right, query="&".join(order)) for order in orders)


def _decoded(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    for decode in (unquote, unquote_plus):
        query = None if right.query is None else decode(right.query)
        yield replace(right, query=query)
        yield replace(right, query=query, path=unquote(right.path))
    yield replace(right, path=unquote(right.path))


def _plus(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    query = right.query or ""
    yield replace(right, query=query.replace("%20", "+"))
    yield replace(right, query=query.replace("+", "%20"))


def _unversioned(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    head, version, rest = right.path.partition("/v1/")
    if version:
        yield replace(right, path=f"/{rest}")
        yield replace(right, path=f"{head}/{rest}")


def _cases(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    upper = right.content_hash.upper()
    yield replace(right, hash_case=str.upper)
    yield replace(right, content_hash=upper)
    yield replace(right, content_hash=upper, hash_case=str.upper)


def _decoded_keys(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    for decode in (bytes.fromhex, b64decode):
        try:
            yield replace(right, secret=decode(right.secret.decode()))
        except (ValueError, binascii.Error):
            continue


def _trimmed_keys(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    key = right.secret
    for other in (key.strip(), key + b"\n", key + b"\r\n", b'"' + key + b'"', key.rstrip(b"=")):
        yield replace(right, secret=other)


def _endings(right: Recipe, _: Mapping[str, str]) -> Iterator[Recipe]:
    yield replace(right, newline="\r\n")
    yield replace(right, end="\n")
    yield replace(right, newline="\r\n", end="\r\n")


def _one(**change: object) -> Variants:
    return lambda right, _: [replace(right, **change)]  # type: ignore[arg-type] # any field


_TABLE: tuple[tuple[Mistake, Variants], ...] = (
    (
        Mistake("raw-digest", "Base64 the HMAC's lower-case hex text, not its raw bytes"),
        _one(finish=b64encode),
    ),
    (
        Mistake("uppercase-signature", "write the HMAC's hex text in lower case before Base64"),
        _one(finish=lambda digest: b64encode(digest.hex().upper().encode())),
    ),
    (
        Mistake("double-base64", "Base64 the hex text once, not twice"),
        _one(finish=lambda digest: b64encode(b64encode(digest.hex().encode()))),
    ),
    (
        Mistake("blank-query-line", "leave the query line out when there is no query string"),
        _one(query=""),
    ),
    (Mistake("unsorted-headers", "sort the signed headers by name in both places"), _orders),
    (Mistake("header-name-case", "write header names in lower case"), _spelled),
    (
        Mistake("path-without-version", "sign the whole path as sent, /v1 included"),
        _unversioned,
    ),
    (Mistake("uppercase-hash", "write every SHA-256 in lower-case hex"), _cases),
    (Mistake("host-differs", "sign the Host header as sent, port included"), _hosts),
    (Mistake("plus-for-space", "sign the query as sent: + and %20 differ"), _plus),
    (Mistake("query-reordered", "sign the query parameters in the order sent"), _reordered),
    (
        Mistake("query-decoded", "sign path and query as sent, percent-encoding included"),
        _decoded,
    ),
    (Mistake("key-decoded", "use the secret's UTF-8 bytes as issued, not decoded"), _decoded_keys),
    (Mistake("key-trimmed", "use the secret exactly as issued, nothing added"), _trimmed_keys),
    (
        Mistake("wrong-line-ending", "join lines with one newline and end without one"),
        _endings,
    ),
)
