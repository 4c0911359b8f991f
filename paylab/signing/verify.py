"""Verification: a request as received, and the one reason it is refused.

The checks are a list, from cheap to dear; the first that fails speaks.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Container
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from ..spec import codes, timestamps
from .canonical import EMPTY_HASH, SPELLING, Received, body_hash, sign
from .mistakes import body_mistake, signature_mistake

REQUIRED = ("host", "x-api-key", "x-date", "x-content-sha256")

_AUTHORIZATION = re.compile(
    r"HMAC-SHA256 Credential=([^,]+), ?"
    r"SignedHeaders=([^,;\s]+(?:;[^,;\s]+)*), ?"
    r"Signature=(\S+)"
)
_HASH = re.compile(r"[0-9a-f]{64}")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_MOST_ECHOED = 60


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
    tolerance: float = codes.SIGNATURE_TOLERANCE,
    nonces: Container[str] = (),
) -> Refusal | None:
    """None when the request is genuine, else the first reason it is not.

    `tolerance` is seconds either way. `nonces` are those already used; remembering this one is
    the caller's part, and only once the request passed. Spec, "Authentication"; gaps `signing.*`.
    """
    text = request.headers.get("authorization")
    if text is None:
        return _missing("authorization")
    given = Authorization.parse(text)
    if given is None:
        return Refusal("malformed-authorization", _FORM)
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
        message = "write the names in SignedHeaders in lower case"
        return Refusal("malformed-authorization", message, "header-name-case")
    if len(set(given.names)) < len(given.names):
        return Refusal("malformed-authorization", "name each header once in SignedHeaders")
    for name in (*REQUIRED, *given.names):
        if name not in request.headers:
            return _missing(name)
    needed = [*REQUIRED, *(["x-nonce"] if "x-nonce" in request.headers else [])]
    unsigned = [SPELLING[name] for name in needed if name not in given.names]
    if unsigned:
        message = f"{unsigned[0]} is sent but not signed: add it to SignedHeaders, and sign it"
        return Refusal("unsigned-header", message, "missing-header")
    return None


def _check_key(request: Received, given: Authorization, secret: str | None) -> Refusal | None:
    if not _same(given.credential, request.headers["x-api-key"]):
        return Refusal("unknown-key", "Credential and X-API-Key differ: both are the API key")
    if secret is None:
        return Refusal("unknown-key", "the API key is not known here: check key and base URL")
    return None


def read_date(text: str) -> datetime:
    """X-Date as an instant; ValueError unless it is in the one form. Gap `signing.date-form`."""
    if not _DATE.fullmatch(text):
        raise ValueError(f"{_DATE_FORM}, not {text[:40]!r}")
    try:
        return timestamps.from_text(text)
    except (ValueError, OverflowError):
        raise ValueError(f"{_DATE_FORM}; {text} does not exist") from None


def _check_date(text: str, now: datetime, tolerance: float) -> Refusal | None:
    try:
        ahead = (read_date(text) - now).total_seconds()
    except ValueError as error:
        return Refusal("unreadable-date", str(error))
    if abs(ahead) <= tolerance:
        return None
    side = "ahead of" if ahead > 0 else "behind"
    message = (
        f"X-Date is {ceil(abs(ahead))} s {side} the service's clock, {tolerance:g} s are "
        "allowed: sign just before sending, in UTC, by a clock that is right"
    )
    return Refusal("stale-date", message, "stale-date")


def _check_body(request: Received) -> Refusal | None:
    claimed = request.headers["x-content-sha256"]
    if _same(claimed, body_hash(request.body)):
        return None
    mistake = body_mistake(claimed, request.body)
    if mistake:
        return Refusal("body-hash", f"X-Content-SHA256 differs: {mistake.message}", mistake.id)
    message = _BODY if _HASH.fullmatch(claimed) else _NO_HASH
    return Refusal("body-hash", message, "body-changed")


def _check_signature(request: Received, given: Authorization, secret: str) -> Refusal | None:
    method, path, query = map(_from_wire, (request.method, request.path, request.query))
    headers = {_from_wire(name): _from_wire(request.headers[name]) for name in given.names}
    right = sign(secret, method, path, query, headers, headers["x-content-sha256"])
    if _same(right.value, given.signature):
        return None
    mistake = signature_mistake(given.signature, secret, method, path, query, headers)
    if mistake:
        return Refusal("signature", f"the signature differs: {mistake.message}", mistake.id)
    return Refusal("signature", _DIFFERS)


def _check_nonce(nonce: str | None, nonces: Container[str]) -> Refusal | None:
    if nonce is None or nonce not in nonces:
        return None
    return Refusal("nonce-reused", "X-Nonce was used before: every request needs a new one")


def _missing(name: str) -> Refusal:
    sent = SPELLING.get(name, name[:_MOST_ECHOED])
    return Refusal("missing-header", f"{sent} is missing: send and sign it", "missing-header")


def _same(one: str, other: str) -> bool:
    """Constant time, and safe for text that is not ASCII."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))


def _from_wire(text: str) -> str:
    """The text whose bytes arrived as Latin-1; each stays what it was when it is encoded again."""
    if text.isascii():
        return text
    return text.encode("latin-1", errors="replace").decode(errors="surrogateescape")


_FORM = (
    "Authorization must read: HMAC-SHA256 "
    "Credential=<API_KEY>,SignedHeaders=<names joined by semicolons>,Signature=<BASE64>"
)
_DATE_FORM = "X-Date must be UTC in ISO 8601 with milliseconds, like 2026-01-31T09:30:00.123Z"
_NO_HASH = (
    f"X-Content-SHA256 must be 64 lower-case hex digits; without a body they are {EMPTY_HASH}"
)
_BODY = "X-Content-SHA256 is not the hash of the body that arrived: hash the very bytes sent"
_DIFFERS = (
    "the signature differs: another secret key, or another method, path, query, "
    "header value or body than the one signed. Compare the canonical request line by line"
)
