"""Why a signature is refused: the first mistake in a request as received.

The simulator's 401, `paylab sign --compare`, `paylab doctor` and error hints use these checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import replace
from datetime import datetime
from math import ceil

from ..errors.arguments import explain_arguments
from ..spec import timestamps
from ..spec.service.service import Service
from ..spec.service.signing import SigningSettings
from .canonical import (
    EMPTY_HASH,
    ReceivedRequest,
    body_hash,
    key_bytes,
)
from .corrections import CORRECTIONS, adapt_to_dialect, make_known_mistake
from .dates import read_date
from .findings import Authorization, Finding
from .header_checks import (
    are_equal,
    check_credential,
    check_headers,
    make_header_finding,
    make_malformed_header_finding,
    make_missing_header_finding,
)
from .signed_parts import read_signed_parts

HASH_PATTERN = re.compile(r"[0-9a-f]{64}")
DURATION_UNITS = ((86400, "a day", "days"), (3600, "an hour", "hours"))
"""The units of a duration that is too long for minutes: seconds, one of them, and the plural."""


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
    if "authorization" not in request.headers:
        return make_missing_header_finding("authorization")
    authorization = Authorization.parse(request.headers["authorization"])
    if authorization is None:
        return make_malformed_header_finding("authorization", AUTHORIZATION_FORM)
    return _check_parts(
        request,
        authorization,
        secret=secret_for(authorization.credential),
        now=now,
        signing=signing,
        used_nonces=nonces,
    )


def _check_parts(  # noqa: PLR0913 - the arguments of `verify`
    request: ReceivedRequest,
    authorization: Authorization,
    secret: str | None,
    now: datetime,
    signing: SigningSettings,
    used_nonces: Container[str],
) -> Finding | None:
    """Check headers, key, date, body, signature and nonce, in this order.

    The finding of the first check that fails; None if all pass.
    """
    headers_finding = check_headers(request.headers, authorization, signing)
    if headers_finding is None:
        headers_finding = check_credential(request.headers, authorization)
    if headers_finding is not None:
        return headers_finding
    if secret is None:
        return make_header_finding(
            "x-api-key", "unknown-key", "the API key is not known here: check key and base URL"
        )
    date_text = request.headers["x-date"]
    date_finding = check_date(date_text, now, signing)
    # A stale date is reported last, with the result of the other checks.
    if date_finding is not None and date_finding.reason != "stale-date":
        return date_finding
    signature_finding = check_body(request.headers["x-content-sha256"], request.body, signing)
    if signature_finding is None:
        signature_finding = _check_signature(request, authorization, secret, signing)
    if date_finding is not None:
        sent_at = read_date(date_text, signing.date_form)
        return _add_other_result(date_finding, sent_at, now, signature_finding)
    return signature_finding or _check_nonce(request.headers.get("x-nonce"), used_nonces)


def check_date(date_text: str, now: datetime | None, signing: SigningSettings) -> Finding | None:
    """The finding for an X-Date of another form, or outside the tolerance of `now`; else None.

    Only the form is checked if `now` is None.
    """
    tolerance_seconds = signing.tolerance
    try:
        sent_at = read_date(date_text, signing.date_form)
    except ValueError as error:
        finding = make_header_finding("x-date", "unreadable-date", str(error))
        return replace(finding, theirs=date_text)
    if now is None:
        return None
    seconds_ahead = (sent_at - now).total_seconds()
    if abs(seconds_ahead) <= tolerance_seconds:
        return None
    direction = "ahead of" if seconds_ahead > 0 else "behind"
    distance_seconds = ceil(abs(seconds_ahead))
    distance_text = f"{distance_seconds} s {direction} the service's clock"
    evidence = f"X-Date is {distance_text}, {tolerance_seconds:g} s are allowed"
    mistake = make_known_mistake("stale-date", evidence)
    finding = make_header_finding("x-date", "stale-date", mistake.message)
    return replace(finding, mistake=mistake.id, theirs=date_text, ours=timestamps.to_text(now))


def _add_other_result(
    date_finding: Finding, sent_at: datetime, now: datetime, signature_finding: Finding | None
) -> Finding:
    """Add the result of the other checks to the finding for a date that is too old or too new."""
    if signature_finding is not None:
        other_result_text = f"and also: {signature_finding.message}"
    else:
        age_seconds = (now - sent_at).total_seconds()
        direction = "old" if age_seconds > 0 else "ahead"
        duration_text = _describe_duration(abs(age_seconds))
        other_result_text = f"the signature is right, but {duration_text} {direction}"
    return replace(date_finding, message=f"{date_finding.message}; {other_result_text}")


def _describe_duration(seconds: float) -> str:
    """Write a duration in the largest unit that it fills, such as "an hour" or "3 days"."""
    for unit_seconds, singular, plural in DURATION_UNITS:
        unit_count = round(seconds / unit_seconds)
        if unit_count == 1:
            return singular
        if unit_count > 1:
            return f"{unit_count} {plural}"
    return f"{max(1, round(seconds / 60))} minutes"


def check_body(claimed_hash: str, body: bytes, signing: SigningSettings) -> Finding | None:
    """The finding for an X-Content-SHA256 that is not the hash of the body, or None.

    It names the mistake that makes the claimed hash, if it is a known one.
    """
    expected_hash = body_hash(body, signing.hash_encoding, signing.empty_body)
    if are_equal(claimed_hash, expected_hash):
        return None
    mistake_id = None
    if expected_hash != body_hash(body):  # a dialect, whose mistakes are not known
        message = f"X-Content-SHA256 must be {expected_hash!r} for the body that arrived"
    else:
        from .body_mistakes import find_body_mistake

        mistake = find_body_mistake(claimed_hash, body)
        if mistake is not None:
            message = f"X-Content-SHA256 differs: {mistake.message}"
            mistake_id = mistake.id
        elif HASH_PATTERN.fullmatch(claimed_hash):
            message = BODY_MESSAGE
            mistake_id = "body-changed"
        else:
            message = HASH_FORM_MESSAGE
    return Finding(
        match=False,
        layer="body hash",
        line="x-content-sha256",
        mistake=mistake_id,
        message=message,
        theirs=claimed_hash,
        ours=expected_hash,
        reason="body-hash",
    )


def _check_signature(
    request: ReceivedRequest, authorization: Authorization, secret: str, signing: SigningSettings
) -> Finding | None:
    """The finding for a signature other than the right one; None if it is right.

    It names the mistake that makes this signature, if it is a known one.
    """
    signed_parts = read_signed_parts(request, authorization.names, signing)
    secret_bytes = key_bytes(secret, signing.key_encoding)
    expected_signature = signed_parts.sign(secret_bytes, signing)
    if are_equal(expected_signature.value, authorization.signature):
        return None
    from .inputs import make_correct_inputs  # only a refused request needs them
    from .mistakes import find_mistake

    expected_inputs = make_correct_inputs(
        key=secret_bytes,
        method=signed_parts.method,
        path=signed_parts.path,
        query=signed_parts.query,
        headers=signed_parts.headers,
        signing=signing,
    )
    mistake = find_mistake(authorization.signature, expected_inputs)
    finding = Finding(
        match=False,
        layer="signature",
        line="signature",
        message=SIGNATURE_MESSAGE,
        reason="signature",
    )
    if mistake is None:
        return finding
    mistake_id = None if mistake.id == "unknown" else mistake.id
    message = f"the signature differs: {adapt_to_dialect(mistake, signing).message}"
    return replace(finding, mistake=mistake_id, message=message)


def _check_nonce(nonce: str | None, used_nonces: Container[str]) -> Finding | None:
    """The finding for a nonce that was used before; None for a new nonce, and without a nonce."""
    if nonce is None or nonce not in used_nonces:
        return None
    message = "X-Nonce was used before: every request needs a new one"
    return make_header_finding("x-nonce", "nonce-reused", message)


AUTHORIZATION_FORM = (
    "Authorization must read: HMAC-SHA256 "
    "Credential=<API_KEY>,SignedHeaders=<names joined by semicolons>,Signature=<BASE64>"
)
HASH_FORM_MESSAGE = (
    f"X-Content-SHA256 must be 64 lower-case hex digits; without a body they are {EMPTY_HASH}"
)
BODY_MESSAGE = (
    f"X-Content-SHA256 is not the hash of the body that arrived: {CORRECTIONS['body-changed']}"
)
SIGNATURE_MESSAGE = (
    "the signature differs: another secret key, or another method, path, query, "
    "header value or body than the one signed. Compare the canonical request line by line"
)
