"""The known signing mistakes: the id of each, and what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..light_dataclass import light_dataclass
from ..spec.service.signing import SigningSettings

CORRECTIONS: Mapping[str, str] = {
    "hex-signature": "encode the HMAC's hex text in Base64",
    "raw-digest": "Base64 the HMAC's lower-case hex text, not its raw bytes",
    "uppercase-signature": "write the HMAC's hex text in lower case before Base64",
    "double-base64": "Base64 the hex text once, not twice",
    "unhashed-canonical": (
        "end the payload with the SHA-256 of the canonical request in hex, not with its text"
    ),
    "no-algorithm-line": "begin the payload with the line HMAC-SHA256, before X-Date and the hash",
    "method-case": "sign the method in capitals, as it is sent",
    "query-mark": "sign the query without its question mark",
    "query-in-path-line": "write path and query in two lines, without the question mark",
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
    "space-after-colon": "write each header line as name:value, without a space after the colon",
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


SIGNATURE_CORRECTIONS = {
    "hex": "write the HMAC as lower-case hex text, without Base64",
    "base64": "Base64 the bytes of the HMAC, not its hex text",
}
"""The corrections of a wrong form of the signature, by the setting signing.signature."""

IN_DIALECT: Mapping[str, tuple[Callable[[SigningSettings], str], Mapping[str, str]]] = {
    "raw-digest": (lambda signing: signing.signature, SIGNATURE_CORRECTIONS),
    "uppercase-signature": (lambda signing: signing.signature, SIGNATURE_CORRECTIONS),
    "double-base64": (lambda signing: signing.signature, SIGNATURE_CORRECTIONS),
    "unsorted-headers": (
        lambda signing: signing.header_order,
        {
            "sample": "name the signed headers in the order host, x-api-key, x-date, "
            "x-content-sha256, x-nonce in both places"
        },
    ),
    "host-differs": (
        lambda signing: signing.signed_host,
        {"portless": "sign the Host header as it arrives behind every proxy, without its port"},
    ),
    "query-reordered": (
        lambda signing: signing.query_order,
        {"sorted": "sort the query parameters before you sign them"},
    ),
}
"""The setting on which the correction of a mistake depends, and what to do by its value."""


def correction(mistake_id: str, signing: SigningSettings) -> str:
    """Say what to do instead of a mistake, for a service with this dialect of signatures."""
    usual_correction = CORRECTIONS[mistake_id]
    if mistake_id not in IN_DIALECT:
        return usual_correction
    read_setting, correction_by_value = IN_DIALECT[mistake_id]
    return correction_by_value.get(read_setting(signing), usual_correction)


def adapt_to_dialect(mistake: Mistake, signing: SigningSettings) -> Mistake:
    """Replace the correction in the message of a mistake by that for a service with this dialect.

    A mistake without a known id stays as it is.
    """
    if mistake.id not in CORRECTIONS:
        return mistake
    message = mistake.message.replace(CORRECTIONS[mistake.id], correction(mistake.id, signing))
    return replace(mistake, message=message)


def make_known_mistake(mistake_id: str, evidence: str = "") -> Mistake:
    """Make a known mistake; its message is the correction, after the `evidence` in a request."""
    message = CORRECTIONS[mistake_id]
    if evidence:
        message = f"{evidence}: {message}"
    return Mistake(mistake_id, message)
