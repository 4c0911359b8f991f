"""Compares a signature made elsewhere with ours; the command `paylab doctor` checks settings.

Layer by layer, and the first difference is named.
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import new, sha256
from itertools import chain, zip_longest

from ..errors.arguments import explain_arguments
from ..redaction.hiding import HIDDEN
from ..spec import timestamps
from ..spec.service.service import Service
from ..spec.service.signing import SigningSettings
from .canonical import (
    SCHEME,
    ReceivedRequest,
    body_hash,
    key_bytes,
    path_to_sign,
    query_to_sign,
)
from .corrections import adapt_to_dialect, make_known_mistake
from .dates import read_date
from .explanation import list_line_labels
from .findings import LENIENT_FORM, Authorization, Finding, SignedRequest, read_any_headers
from .guesses import guess_bodies, guess_dates, guess_keys, guess_secrets
from .header_checks import (
    check_credential,
    check_headers,
    make_malformed_header_finding,
    make_missing_header_finding,
)
from .inputs import SignatureInputs, make_correct_inputs
from .mistakes import Guess, find_form_mistake, find_guess, make_guesses
from .unauthorized import AUTHORIZATION_FORM, check_body, check_date, verify

UNKNOWN_MISTAKE = (
    "the signature is that of no known mistake; check in turn that the secret key is the one "
    "issued with this API key, that method, path, query and each header line were signed as "
    "they are sent, and that X-Nonce and X-Date are made once, for the signature and for sending"
)


@explain_arguments
def compare(  # noqa: PLR0913 - the request, the keys, and how the service signs
    theirs: Mapping[str, str] | str,
    request: SignedRequest,
    secret: str | None = None,
    *,
    now: datetime | None = None,
    other_secrets: Iterable[str] = (),
    signing: SigningSettings | None = None,
) -> Finding:
    """Compare the headers of a request with ours; the first difference, by name.

    `theirs` is a mapping, or text with `Name: value` lines. Without the secret only the form is
    checked. X-Date is compared with `now`, or with the service's Date in `theirs`. The secret is
    reported as wrong only if one of `other_secrets`, the API key or an empty secret was used.
    `signing` has the signing settings of a Service.

    >>> paylab.signing.compare(headers, request, "secret", now=now).match
    True
    """
    headers = read_any_headers(theirs)
    # curl and most clients add Host themselves, and their logs leave it out.
    headers = {"host": request.hosts[0], **headers}
    if "authorization" not in headers:
        return make_missing_header_finding("authorization")
    authorization = Authorization.parse(headers["authorization"], LENIENT_FORM)
    if authorization is None:
        return make_malformed_header_finding("authorization", AUTHORIZATION_FORM, "unknown")
    signing = signing or Service().signing
    service_time = timestamps.from_http(headers.get("date", "")) or now

    def run_checks() -> Iterator[Finding | None]:
        """Run the checks of `verify`, and slower ones; each may rely on those before it."""
        yield check_headers(headers, authorization, signing)
        yield check_credential(headers, authorization)
        yield _check_hash_function(headers["x-content-sha256"], request.body, signing)
        yield check_body(headers["x-content-sha256"], request.body, signing)
        yield _check_host(headers["host"], request.hosts)
        yield _check_signature(headers, request, authorization, secret, signing, other_secrets)
        yield _verify_as_service(headers, request, secret, service_time, signing)

    for finding in run_checks():
        if finding is not None:
            return finding if finding.mistake else replace(finding, mistake="unknown")
    return Finding(True)


def _check_hash_function(
    claimed_hash: str, body: bytes, signing: SigningSettings
) -> Finding | None:
    """The finding for a body hash that is another digest, or another encoding, of the body.

    None if the hash is right, and if it is wrong in another way, which `check_body` finds.
    """
    expected_hash = body_hash(body, signing.hash_encoding, signing.empty_body)
    if claimed_hash == expected_hash:
        return None
    body_digest = sha256(body)
    description_by_hash = {
        sha256(body_digest.hexdigest().encode()).hexdigest(): "the hash of the hash",
        sha256(body_digest.digest()).hexdigest(): "the hash of the hash",
        b64encode(body_digest.digest()).decode().lower(): "the hash in Base64",
    }
    for hash_name in ("md5", "sha1", "sha512"):
        description_by_hash[new(hash_name, body).hexdigest()] = f"an {hash_name}"
    description = description_by_hash.get(claimed_hash.lower())
    if description is None:
        return None
    return Finding(
        match=False,
        layer="body hash",
        line="x-content-sha256",
        mistake="unknown",
        message=f"X-Content-SHA256 is {description}: it must be {expected_hash!r}",
        theirs=claimed_hash,
        ours=expected_hash,
    )


def _check_host(sent_host: str, hosts: tuple[str, ...]) -> Finding | None:
    """The finding for a Host that is not one of `hosts`, the valid forms of the URL's; else None.

    Upper and lower case are equal.
    """
    if sent_host.lower() in map(str.lower, hosts):
        return None
    mistake = make_known_mistake(
        "host-differs",
        "the Host that was signed is not the one the URL leads to: a proxy, or another base",
    )
    return Finding(
        match=False,
        layer="canonical request",
        line="host",
        mistake=mistake.id,
        message=mistake.message,
        theirs=f"host:{sent_host}",
        ours=f"host:{hosts[0]}",
    )


def _check_signature(  # noqa: PLR0913 - the arguments of `compare`
    headers: Mapping[str, str],
    request: SignedRequest,
    authorization: Authorization,
    secret: str | None,
    signing: SigningSettings,
    other_secrets: Iterable[str],
) -> Finding | None:
    """The finding for a signature other than the right one; None if it is right.

    It names the mistake that makes this signature, if a guess finds it. Without a secret only the
    form of the signature is checked.
    """
    claimed_signature = authorization.signature
    if secret is None:
        return _check_form(claimed_signature, signing)
    expected_inputs = make_correct_inputs(
        key=key_bytes(secret, signing.key_encoding),
        method=request.method,
        path=path_to_sign(request.path, signing.signed_path, signing.base_path),
        query=query_to_sign(request.query, signing.query_order),
        headers={header_name: headers[header_name] for header_name in authorization.names},
        signing=signing,
    )
    if hmac.compare_digest(expected_inputs.signature(), claimed_signature.encode(errors="replace")):
        return None
    likely_guesses = chain(
        make_guesses(expected_inputs),
        guess_bodies(expected_inputs, request.body),
        guess_keys(expected_inputs),
    )
    guess = find_guess(likely_guesses, claimed_signature)
    if guess is not None:
        return _make_guess_finding(expected_inputs, guess, signing)
    form_finding = _check_form(claimed_signature, signing)
    if form_finding is not None:
        return form_finding
    slower_guesses = chain(
        guess_secrets(expected_inputs, other_secrets), guess_dates(expected_inputs)
    )
    guess = find_guess(slower_guesses, claimed_signature)
    if guess is not None:
        return _make_guess_finding(expected_inputs, guess, signing)
    return Finding(
        match=False, layer="signature", line="signature", mistake="unknown", message=UNKNOWN_MISTAKE
    )


def _check_form(signature: str, signing: SigningSettings) -> Finding | None:
    """The finding for a signature that is not Base64 of 64 hex digits, or None.

    None for a service whose signatures have another form.
    """
    if signing.signature != "base64_hex":
        return None
    mistake = find_form_mistake(signature)
    if mistake is None:
        return None
    return Finding(
        match=False, layer="signature", line="encoding", mistake=mistake.id, message=mistake.message
    )


def _make_guess_finding(
    expected_inputs: SignatureInputs, guess: Guess, signing: SigningSettings
) -> Finding:
    """Make the finding for a guess whose signature is the one that was sent.

    It has the mistake, and the first layer and line in which the inputs of the guess differ from
    the right ones, with both versions of the line if it may be shown.
    """
    mistake = adapt_to_dialect(guess.mistake, signing)
    signed_inputs = guess.inputs
    expected_text = expected_inputs.canonical()
    signed_text = signed_inputs.canonical()
    signed_line: str | None = None
    expected_line: str | None = None
    if expected_text != signed_text:
        layer = "canonical request"
        line_label, signed_line, expected_line = _find_differing_line(expected_text, signed_text)
    elif expected_inputs.date != signed_inputs.date:
        layer = "payload"
        line_label = "x-date"
        signed_line = signed_inputs.date
        expected_line = expected_inputs.date
    elif expected_inputs.payload() != signed_inputs.payload():
        layer = "payload"
        line_label = _find_payload_label(expected_inputs, signed_inputs)
    else:
        layer = "signature"
        line_label = "encoding" if expected_inputs.secret == signed_inputs.secret else "key"
    return Finding(
        match=False,
        layer=layer,
        line=line_label,
        mistake=mistake.id,
        message=mistake.message,
        theirs=signed_line,
        ours=expected_line,
    )


def _find_differing_line(expected_text: str, signed_text: str) -> tuple[str, str, str]:
    """The label of the first line that differs, the line as signed, and the line as expected."""
    expected_lines = expected_text.split("\n")
    signed_lines = signed_text.split("\n")
    line_pairs = [*zip_longest(expected_lines, signed_lines, fillvalue="")]
    differing_indexes = [
        index
        for index, (expected_line, signed_line) in enumerate(line_pairs)
        if expected_line != signed_line
    ]
    # All pairs are equal if one text only has more blank lines at its end.
    first_extra_index = min(len(expected_lines), len(signed_lines))
    index = differing_indexes[0] if differing_indexes else first_extra_index
    expected_line, signed_line = line_pairs[index]
    labels = list_line_labels(expected_text)
    label = labels[index] if index < len(labels) else "end"
    if signed_line == "" and label == "host":
        # The blank line is in place of the query, between the path and the first header.
        label = "query string"
    return label, _escape_line(signed_line), _escape_line(expected_line)


def _find_payload_label(expected_inputs: SignatureInputs, signed_inputs: SignatureInputs) -> str:
    """The label of what differs between two payloads of the same canonical request and date."""
    canonical_text = expected_inputs.canonical()
    expected_hash = expected_inputs.hash_canonical(canonical_text)
    if signed_inputs.hash_canonical(canonical_text) != expected_hash:
        return "canonical hash"
    return "line ending" if signed_inputs.payload().startswith(SCHEME) else "scheme"


def _escape_line(canonical_line: str) -> str:
    """Escape the control characters of a line, and hide the API key."""
    escaped_line = canonical_line.encode("unicode_escape", errors="replace").decode()
    if escaped_line.lower().startswith("x-api-key:"):
        return f"x-api-key:{HIDDEN}"
    return escaped_line


def _verify_as_service(
    headers: Mapping[str, str],
    request: SignedRequest,
    secret: str | None,
    service_time: datetime | None,
    signing: SigningSettings,
) -> Finding | None:
    """The reason why the simulator refuses a request in which no mistake was found, or None."""
    authorization = Authorization.parse(headers["authorization"])
    if authorization is None:
        return make_malformed_header_finding("authorization", AUTHORIZATION_FORM)
    if secret is None:
        return check_date(headers["x-date"], service_time, signing)
    received_request = ReceivedRequest(
        method=request.method,
        path=_decode_as_received(request.path),
        query=_decode_as_received(request.query),
        headers={
            _decode_as_received(header_name): _decode_as_received(header_value)
            for header_name, header_value in headers.items()
        },
        body=request.body,
    )
    secret_by_key = {_decode_as_received(authorization.credential): secret}
    now = service_time or _read_signed_time(headers["x-date"], signing)
    return verify(received_request, secret_by_key.get, now, signing=signing)


def _read_signed_time(date_text: str, signing: SigningSettings) -> datetime:
    """X-Date as a time; the current time if it is unreadable.

    `verify` refuses an unreadable X-Date, whatever the current time is.
    """
    try:
        return read_date(date_text, signing.date_form)
    except ValueError:
        return datetime.now(UTC)


def _decode_as_received(canonical_text: str) -> str:
    """Text as a server reads it: the bytes of its UTF-8 as Latin-1."""
    return canonical_text.encode(errors="surrogateescape").decode("latin-1")


__all__ = [
    "compare",
]


def __dir__() -> list[str]:
    return sorted(__all__)
