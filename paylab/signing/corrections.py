"""The known signing mistakes: the id of each, and what to do instead."""

from __future__ import annotations

from collections.abc import Mapping

from ..light_dataclass import light_dataclass

CORRECTIONS: Mapping[str, str] = {
    "raw-digest": "Base64 the HMAC's lower-case hex text, not its raw bytes",
    "uppercase-signature": "write the HMAC's hex text in lower case before Base64",
    "double-base64": "Base64 the hex text once, not twice",
    "blank-query-line": "leave the query line out when there is no query string",
    "no-query-line": "keep an empty query line when there is no query string",
    "path-without-version": "sign the whole path as sent, /v1 included",
    "path-with-version": "sign the path without its version",
    "uppercase-hash": "write every SHA-256 in lower-case hex",
    "body-changed": (
        "write the body once, send the very bytes that were hashed, and end the canonical request "
        "with X-Content-SHA256 as sent"
    ),
    "missing-header": "give each name in SignedHeaders its line, and list it below",
    "header-name-case": "write header names in lower case",
    "unsorted-headers": "sort the signed headers by name in both places",
    "host-differs": "sign the Host header as it arrives behind every proxy, port included",
    "plus-for-space": "sign the query as sent: + and %20 differ",
    "query-reordered": "sign the query parameters in the order sent",
    "query-decoded": "sign path and query as sent, each percent-escape as it is spelled",
    "key-decoded": "use the secret's UTF-8 bytes as issued, not decoded",
    "key-trimmed": "use the secret exactly as issued: whole, with its prefix, nothing added",
    "wrong-line-ending": (
        "join lines with one newline: no carriage return, no blank line, none at the end"
    ),
    "stale-date": "make X-Date once, just before sending, in UTC, and sign it as sent",
    "wrong-secret": "sign with the secret key that was issued with this API key",
}
"""The correction of each mistake by its id; every check and every guess uses this text."""


@light_dataclass(frozen=True)
class Mistake:
    """The id of a mistake, and a sentence with the correction."""

    id: str
    message: str


def known(id: str, seen: str = "") -> Mistake:  # noqa: A002
    """A known mistake; `seen` is what shows it in this request."""
    correction = CORRECTIONS[id]
    return Mistake(id, f"{seen}: {correction}" if seen else correction)
