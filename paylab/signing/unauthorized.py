"""Why a signature is refused: the first mistake in a request as received.

The simulator's 401, `paylab sign --compare`, `paylab doctor` and error hints use these checks.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from datetime import datetime
from math import ceil

from ..errors.arguments import explain_arguments
from ..spec import timestamps
from ..spec.service.service import Service
from ..spec.service.signing import SigningSettings
from .canonical import (
    EMPTY_HASH,
    SPELLING,
    ReceivedRequest,
    body_hash,
    in_order,
    key_bytes,
    sign,
    signed_host,
    signed_path,
    signed_query,
)
from .corrections import CORRECTIONS, correction, in_dialect, known
from .dates import read_date
from .findings import Authorization, Finding

REQUIRED = ("host", "x-api-key", "x-date", "x-content-sha256")

_HASH = re.compile(r"[0-9a-f]{64}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MOST_ECHOED = 60


@explain_arguments
def verify(
    request: ReceivedRequest,
    secret_for: Callable[[str], str | None],
    now: datetime,
    *,
    signing: SigningSettings | None = None,
    nonces: Container[str] = (),
) -> Finding | None:
    """The first reason to refuse a request, or None.

    `signing` is that of a Service. `nonces` are the used ones; the caller adds this one after the
    request has passed. Spec, "Authentication"; assumptions `signing.*`.

    >>> paylab.signing.verify(received, {"key": "secret"}.get, now) is None
    True
    """
    signing = signing or Service().signing
    text = request.headers.get("authorization")
    header = Authorization.parse(text or "")
    if header is None:
        return missing_header("authorization") if text is None else malformed("authorization", FORM)
    secret = secret_for(header.credential)
    finding = check_headers(request.headers, header, signing)
    finding = finding or check_credential(request.headers, header)
    if finding is not None:
        return finding
    if secret is None:
        message = "the API key is not known here: check key and base URL"
        return Finding(False, "headers", "x-api-key", None, message, reason="unknown-key")
    dated = check_date(request.headers["x-date"], now, signing)
    if dated is not None and dated.reason != "stale-date":
        return dated
    claimed = request.headers["x-content-sha256"]
    signed = check_body(claimed, request.body, signing) or _check_signature(
        request, header, secret, signing
    )
    if dated is not None:
        sent = read_date(request.headers["x-date"], signing.date_form)
        return _dated(dated, sent, now, signed)
    return signed or _check_nonce(request.headers.get("x-nonce"), nonces)


def check_headers(
    headers: Mapping[str, str], given: Authorization, signing: SigningSettings
) -> Finding | None:
    """Headers that are missing or not signed, and names in SignedHeaders that are not valid."""
    lower = [name.lower() for name in given.names]
    if list(given.names) != lower:
        message = known("header-name-case", "SignedHeaders has capitals").message
        names = {"theirs": ";".join(given.names), "ours": ";".join(lower)}
        return malformed("SignedHeaders", message, "header-name-case", **names)
    if len(set(lower)) < len(lower):
        return malformed("SignedHeaders", "name each header once in SignedHeaders")
    if problem := _check_order(given.names, signing) or _check_nonce_form(headers, signing):
        return problem
    nonce = ["x-nonce"] if signing.nonce == "required" else []
    for name in (*REQUIRED, *nonce, *given.names):
        if name not in headers:
            return missing_header(name)
    must_be_signed = [*REQUIRED, *(["x-nonce"] if "x-nonce" in headers else [])]
    unsigned = [name for name in must_be_signed if name not in given.names]
    if not unsigned:
        return None
    message = f"{SPELLING[unsigned[0]]} is sent but not signed: add it to SignedHeaders and sign it"
    texts = "headers", unsigned[0], "missing-header", message
    return Finding(False, *texts, reason="unsigned-header")


def check_credential(headers: Mapping[str, str], given: Authorization) -> Finding | None:
    """Credential and X-API-Key must be the same API key."""
    if _same(given.credential, headers["x-api-key"]):
        return None
    message = "Credential and X-API-Key differ: both are the API key"
    return Finding(False, "headers", "Credential", None, message, reason="unknown-key")


def _check_order(names: tuple[str, ...], signing: SigningSettings) -> Finding | None:
    """The order of SignedHeaders, if the service does not sort them itself."""
    ours = in_order(names, signing.header_order)
    if signing.header_order == "sorted" or list(names) == ours:
        return None
    message = correction("unsorted-headers", signing)
    texts = {"theirs": ";".join(names), "ours": ";".join(ours)}
    return malformed("SignedHeaders", message, "unsorted-headers", **texts)


def _check_nonce_form(headers: Mapping[str, str], signing: SigningSettings) -> Finding | None:
    """An X-Nonce that is refused, or has another form."""
    nonce = headers.get("x-nonce")
    if nonce is None:
        return None
    message = ""
    if signing.nonce == "refused":
        message = "X-Nonce is not accepted: leave it out"
    elif signing.nonce_form == "uuid" and not _UUID.fullmatch(nonce):
        message = "X-Nonce must be a UUID"
    if not message:
        return None
    return Finding(False, "headers", "x-nonce", None, message, reason="unreadable-nonce")


def check_date(text: str, now: datetime | None, signing: SigningSettings) -> Finding | None:
    """Check the form of X-Date, and that it is within the tolerance of `now`."""
    tolerance = signing.tolerance
    try:
        date = read_date(text, signing.date_form)
    except ValueError as error:
        known_as = {"theirs": text, "reason": "unreadable-date"}
        return Finding(False, "headers", "x-date", None, str(error), **known_as)
    ahead = (date - now).total_seconds() if now else 0.0
    if now is None or abs(ahead) <= tolerance:
        return None
    side = "ahead of" if ahead > 0 else "behind"
    message = (
        f"X-Date is {ceil(abs(ahead))} s {side} the service's clock, {tolerance:g} s are allowed"
    )
    stale = known("stale-date", message)
    texts = (text, timestamps.to_text(now))
    return Finding(False, "headers", "x-date", stale.id, stale.message, *texts, "stale-date")


def _dated(dated: Finding, sent: datetime, now: datetime, signed: Finding | None) -> Finding:
    """A date that is too old or too new, and whether everything else is right."""
    seconds = (now - sent).total_seconds()
    age = f"{_about(abs(seconds))} {'old' if seconds > 0 else 'ahead'}"
    remainder = f"and also: {signed.message}" if signed else f"the signature is right, but {age}"
    return replace(dated, message=f"{dated.message}; {remainder}")


def _about(seconds: float) -> str:
    """A number of seconds in words, such as "an hour"."""
    for size, singular, plural in ((86400, "a day", "days"), (3600, "an hour", "hours")):
        if (number := round(seconds / size)) >= 1:
            return singular if number == 1 else f"{number} {plural}"
    return f"{max(1, round(seconds / 60))} minutes"


def check_body(claimed: str, body: bytes, signing: SigningSettings) -> Finding | None:
    """X-Content-SHA256 must be the hash of the body; names the mistake if known."""
    expected = body_hash(body, signing.hash_encoding, signing.empty_body)
    if _same(claimed, expected):
        return None
    message = f"X-Content-SHA256 must be {expected!r} for the body that arrived"
    mistake = None
    if expected == body_hash(body):  # not in another dialect, whose mistakes are not known
        from .mistakes import body_mistake

        known_mistake = body_mistake(claimed, body)
        is_hash = _HASH.fullmatch(claimed)
        message, mistake = (_BODY, "body-changed") if is_hash else (_NO_HASH, None)
        if known_mistake:
            message = f"X-Content-SHA256 differs: {known_mistake.message}"
            mistake = known_mistake.id
    place = "body hash", "x-content-sha256"
    return Finding(False, *place, mistake, message, claimed, expected, "body-hash")


def _check_signature(
    request: ReceivedRequest, given: Authorization, secret: str, signing: SigningSettings
) -> Finding | None:
    method, path, query = map(_from_wire, (request.method, request.path, request.query))
    headers = {_from_wire(name): _from_wire(request.headers[name]) for name in given.names}
    key = key_bytes(secret, signing.key_encoding)
    path = signed_path(path, signing.signed_path, signing.base_path)
    query = signed_query(query, signing.query_order)
    signed = {**headers, "host": signed_host(headers["host"], signing.signed_host)}
    right = sign(
        *(key, method, path, query, signed, signed["x-content-sha256"]),
        empty_query=signing.empty_query,
        header_order=signing.header_order,
        form=signing.signature,
    )
    if _same(right.value, given.signature):
        return None
    from .mistakes import right_inputs, signature_mistake  # only a refused request needs them

    recipe = right_inputs(key, method, path, query, headers, signing)
    mistake = signature_mistake(given.signature, recipe)
    words = mistake and in_dialect(mistake, signing).message
    message = f"the signature differs: {words}" if words else _DIFFERS
    name = mistake.id if mistake else None
    return Finding(False, "signature", "signature", name, message, reason="signature")


def _check_nonce(nonce: str | None, nonces: Container[str]) -> Finding | None:
    if nonce is None or nonce not in nonces:
        return None
    message = "X-Nonce was used before: every request needs a new one"
    return Finding(False, "headers", "x-nonce", None, message, reason="nonce-reused")


def missing_header(name: str) -> Finding:
    """A header that is not there."""
    message = f"{SPELLING.get(name, name[:_MOST_ECHOED])} is missing: send and sign it"
    return Finding(False, "headers", name, "missing-header", message, reason="missing-header")


def malformed(line: str, message: str, mistake: str | None = None, **texts: str) -> Finding:
    """An Authorization header that does not have the form of the spec."""
    reason = "malformed-authorization"
    return Finding(False, "headers", line, mistake, message, reason=reason, **texts)


def _same(one: str, other: str) -> bool:
    """Compare in constant time; accepts text that is not ASCII."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))


def _from_wire(text: str) -> str:
    """Text decoded as Latin-1, decoded again as UTF-8."""
    if text.isascii():
        return text
    return text.encode("latin-1", errors="replace").decode(errors="surrogateescape")


FORM = (
    "Authorization must read: HMAC-SHA256 "
    "Credential=<API_KEY>,SignedHeaders=<names joined by semicolons>,Signature=<BASE64>"
)
_NO_HASH = (
    f"X-Content-SHA256 must be 64 lower-case hex digits; without a body they are {EMPTY_HASH}"
)
_BODY = f"X-Content-SHA256 is not the hash of the body that arrived: {CORRECTIONS['body-changed']}"
_DIFFERS = (
    "the signature differs: another secret key, or another method, path, query, "
    "header value or body than the one signed. Compare the canonical request line by line"
)
