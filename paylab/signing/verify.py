"""Verification: a request as received, and the one reason it is refused.

The checks are a list, from cheap to dear; the first that fails speaks.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from datetime import datetime

from .. import instants
from .canonical import body_hash, sign
from .mistakes import body_mistake, signature_mistake

REQUIRED = ("host", "x-api-key", "x-date", "x-content-sha256")
SPELLING = {
    "authorization": "Authorization",
    "host": "Host",
    "x-api-key": "X-API-Key",
    "x-date": "X-Date",
    "x-content-sha256": "X-Content-SHA256",
    "x-nonce": "X-Nonce",
}
TOLERANCE = 300.0
"""Seconds X-Date may differ from the verifier's clock, either way. Gap `signing.tolerance`."""

_AUTHORIZATION = re.compile(
    r"HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\S+)"
)
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived: path and query as on the request line, header names lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused: a stable word, a sentence, and the mistake where one is known."""

    reason: str
    message: str
    mistake: str | None = None


@dataclass(frozen=True, slots=True)
class Authorization:
    """The three parts of the Authorization header."""

    credential: str
    names: tuple[str, ...]
    signature: str

    @classmethod
    def parse(cls, text: str) -> Authorization | None:
        """Read the header; None when it is not of the spec's form."""
        match = _AUTHORIZATION.fullmatch(text)
        return match and cls(match[1], tuple(match[2].split(";")), match[3])


def verify(
    request: Received,
    secret_for: Callable[[str], str | None],
    now: datetime,
    *,
    tolerance: float = TOLERANCE,
    nonces: Container[str] = (),
) -> Refusal | None:
    """None when the request is genuine, else the first reason it is not.

    `nonces` are those already used; remembering this one is the caller's part, and only once
    the request passed. Spec, "Authentication"; gaps `signing.*`.
    """
    text = request.headers.get("authorization")
    if text is None:
        return _missing("authorization")
    given = Authorization.parse(text)
    if given is None:
        return Refusal("malformed-authorization", _FORM_MESSAGE)
    secret = secret_for(given.credential)
    return (
        _check_headers(request, given)
        or _check_key(request, given, secret)
        or _check_date(request.headers["x-date"], now, tolerance)
        or _check_body(request)
        or _check_signature(request, given, secret or "")
        or _check_nonce(request.headers.get("x-nonce"), nonces)
    )


def _check_headers(request: Received, given: Authorization) -> Refusal | None:
    if any(name != name.lower() for name in given.names):
        message = "the names in SignedHeaders must be lower case"
        return Refusal("header-name-case", message, "header-name-case")
    for name in (*REQUIRED, *given.names):
        if name not in request.headers:
            return _missing(name)
    needed = [*REQUIRED, *(["x-nonce"] if "x-nonce" in request.headers else [])]
    unsigned = [name for name in needed if name not in given.names]
    if unsigned:
        message = f"{SPELLING[unsigned[0]]} is sent but not listed in SignedHeaders"
        return Refusal("unsigned-header", message, "missing-header")
    if len(set(given.names)) < len(given.names):
        return Refusal("malformed-authorization", "a name stands twice in SignedHeaders")
    return None


def _check_key(request: Received, given: Authorization, secret: str | None) -> Refusal | None:
    if not _same(given.credential, request.headers["x-api-key"]):
        return Refusal("unknown-key", "Credential and X-API-Key differ: both are the API key")
    if secret is None:
        return Refusal("unknown-key", "the API key is not known here: check key and base URL")
    return None


def _check_date(text: str, now: datetime, tolerance: float) -> Refusal | None:
    try:
        ahead = (instants.from_text(text) - now).total_seconds()
    except ValueError as error:
        return Refusal("unreadable-date", f"X-Date cannot be read: {error}")
    if abs(ahead) <= tolerance:
        return None
    side = "ahead of" if ahead > 0 else "behind"
    message = (
        f"X-Date is {abs(ahead):.0f} s {side} the service's clock, {tolerance:.0f} s are allowed"
    )
    return Refusal("stale-date", message, "stale-date")


def _check_body(request: Received) -> Refusal | None:
    claimed = request.headers["x-content-sha256"]
    if _same(claimed, body_hash(request.body)):
        return None
    mistake = body_mistake(claimed, request.body)
    if mistake:
        return Refusal("body-hash", f"X-Content-SHA256 differs: {mistake.message}", mistake.id)
    if not _HASH.fullmatch(claimed):
        return Refusal("body-hash", "X-Content-SHA256 must be 64 lower-case hex digits")
    message = "X-Content-SHA256 is not the hash of the body that arrived"
    return Refusal("body-hash", message, "body-changed")


def _check_signature(request: Received, given: Authorization, secret: str) -> Refusal | None:
    headers = {name: request.headers[name] for name in given.names}
    claimed = headers["x-content-sha256"]
    right = sign(secret, request.method, request.path, request.query, headers, claimed)
    if _same(right.value, given.signature):
        return None
    mistake = signature_mistake(
        given.signature, secret, request.method, request.path, request.query, headers
    )
    if mistake:
        return Refusal("signature", f"the signature differs: {mistake.message}", mistake.id)
    return Refusal("signature", _DIFFERS_MESSAGE)


def _check_nonce(nonce: str | None, nonces: Container[str]) -> Refusal | None:
    if nonce is None or nonce not in nonces:
        return None
    return Refusal("nonce-reused", "X-Nonce was used before: every request needs a new one")


def _missing(name: str) -> Refusal:
    return Refusal("missing-header", f"{SPELLING.get(name, name)} is missing", "missing-header")


def _same(one: str, other: str) -> bool:
    """Constant time, and safe for text that is not ASCII."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))


_FORM_MESSAGE = (
    "Authorization must read: HMAC-SHA256 "
    "Credential=<API_KEY>,SignedHeaders=<names joined by semicolons>,Signature=<BASE64>"
)
_DIFFERS_MESSAGE = (
    "the signature differs: another secret key, or another method, path, query, "
    "header value or body than the one signed"
)
