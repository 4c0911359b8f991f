"""The checks of the headers of a signed request: what is missing, unsigned or malformed."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from dataclasses import replace

from ..spec.service.signing import SigningSettings
from .canonical import SPELLINGS, order_header_names
from .corrections import correction, make_known_mistake
from .findings import Authorization, Finding

REQUIRED_NAMES = ("host", "x-api-key", "x-date", "x-content-sha256")
UUID_PATTERN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
NAME_LENGTH_MAX = 60


def check_headers(
    headers: Mapping[str, str], authorization: Authorization, signing: SigningSettings
) -> Finding | None:
    """The finding for a header that is missing or not signed, or for a wrong SignedHeaders.

    None if all headers that the service needs are there and signed.
    """
    names_finding = _check_spelling(authorization.names) or _check_order(
        authorization.names, signing
    )
    form_finding = names_finding or _check_nonce_form(headers, signing)
    if form_finding is not None:
        return form_finding
    nonce_names = ["x-nonce"] if signing.nonce == "required" else []
    for header_name in (*REQUIRED_NAMES, *nonce_names, *authorization.names):
        if header_name not in headers:
            return make_missing_header_finding(header_name)
    return _check_unsigned_headers(headers, authorization.names)


def _check_spelling(signed_names: tuple[str, ...]) -> Finding | None:
    """The finding for SignedHeaders with capitals or with a name twice, or None."""
    lower_names = [header_name.lower() for header_name in signed_names]
    if list(signed_names) != lower_names:
        mistake = make_known_mistake("header-name-case", "SignedHeaders has capitals")
        finding = make_malformed_header_finding("SignedHeaders", mistake.message)
        return replace(
            finding, mistake=mistake.id, theirs=";".join(signed_names), ours=";".join(lower_names)
        )
    if len(set(signed_names)) < len(signed_names):
        return make_malformed_header_finding(
            "SignedHeaders", "name each header once in SignedHeaders"
        )
    return None


def _check_unsigned_headers(
    headers: Mapping[str, str], signed_names: tuple[str, ...]
) -> Finding | None:
    """The finding for a header that must be signed if it is sent, and is not; else None."""
    nonce_names = ["x-nonce"] if "x-nonce" in headers else []
    for header_name in (*REQUIRED_NAMES, *nonce_names):
        if header_name not in signed_names:
            spelling = SPELLINGS[header_name]
            message = f"{spelling} is sent but not signed: add it to SignedHeaders and sign it"
            finding = make_header_finding(header_name, "unsigned-header", message)
            return replace(finding, mistake="missing-header")
    return None


def check_credential(headers: Mapping[str, str], authorization: Authorization) -> Finding | None:
    """The finding for a Credential that differs from X-API-Key; None if both are one API key."""
    if are_equal(authorization.credential, headers["x-api-key"]):
        return None
    message = "Credential and X-API-Key differ: both are the API key"
    return make_header_finding("Credential", "unknown-key", message)


def _check_order(header_names: tuple[str, ...], signing: SigningSettings) -> Finding | None:
    """The finding for SignedHeaders in a wrong order; None if the service sorts them itself."""
    ordered_names = order_header_names(header_names, signing.header_order)
    if signing.header_order == "sorted" or list(header_names) == ordered_names:
        return None
    mistake_id = "unsorted-headers"
    finding = make_malformed_header_finding(
        "SignedHeaders", correction(mistake_id, signing), mistake_id
    )
    return replace(finding, theirs=";".join(header_names), ours=";".join(ordered_names))


def _check_nonce_form(headers: Mapping[str, str], signing: SigningSettings) -> Finding | None:
    """The finding for an X-Nonce that the service refuses, or that is not in its form; else None.

    None for a request without X-Nonce.
    """
    nonce = headers.get("x-nonce")
    if nonce is None:
        return None
    if signing.nonce == "refused":
        message = "X-Nonce is not accepted: leave it out"
        return make_header_finding("x-nonce", "unreadable-nonce", message)
    if signing.nonce_form == "uuid" and not UUID_PATTERN.fullmatch(nonce):
        return make_header_finding("x-nonce", "unreadable-nonce", "X-Nonce must be a UUID")
    return None


def make_missing_header_finding(name: str) -> Finding:
    """Make the finding for a header that is not sent."""
    spelling = SPELLINGS.get(name, name[:NAME_LENGTH_MAX])
    finding = make_header_finding(
        name, "missing-header", f"{spelling} is missing: send and sign it"
    )
    return replace(finding, mistake="missing-header")


def make_malformed_header_finding(
    line: str, message: str, mistake_id: str | None = None
) -> Finding:
    """Make the finding for an Authorization header that does not have the form of the spec."""
    finding = make_header_finding(line, "malformed-authorization", message)
    return replace(finding, mistake=mistake_id)


def make_header_finding(header_line: str, reason: str, message: str) -> Finding:
    """Make the finding for a header; `reason` is the fixed word of the 401."""
    return Finding(match=False, layer="headers", line=header_line, message=message, reason=reason)


def are_equal(signature: str, other_signature: str) -> bool:
    """Compare in constant time; text that is not ASCII is accepted."""
    return hmac.compare_digest(
        signature.encode(errors="replace"), other_signature.encode(errors="replace")
    )
