"""Compares a signature made elsewhere with ours, layer by layer, and names the first difference."""

from __future__ import annotations

import hmac
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import new, sha256
from itertools import zip_longest

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
    signed_path,
    signed_query,
)
from .corrections import Mistake, in_dialect, known
from .dates import read_date
from .explanation import labels
from .findings import LENIENT, Authorization, Finding, SignedRequest, headers_of
from .guesses import dates, guesses, other_secrets, pairs
from .mistakes import Guess, SignatureInputs, first_made, right_inputs
from .unauthorized import (
    FORM,
    check_body,
    check_credential,
    check_date,
    check_headers,
    malformed,
    missing_header,
    verify,
)

HEX = re.compile(rb"[0-9a-f]{64}")

FORMS: tuple[tuple[str, str], ...] = (
    (r"[0-9A-F]{64}", "uppercase-signature"),
    (r"[0-9a-fA-F]{64}\s+", "wrong-line-ending"),
    (r"[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==", "double-base64"),
)


def shape(signature: str) -> Finding | None:
    """The problem of a signature's form, or None."""
    try:
        inside = b64decode(signature, validate=True)
    except ValueError:
        return _found(Mistake("unknown", "the signature is not Base64"))
    if HEX.fullmatch(inside):
        return None
    if len(inside) == 32 and not re.fullmatch(rb"[0-9a-fA-F]{32}", inside):
        return _found(known("raw-digest"))
    text = inside.decode("latin-1")
    for pattern, mistake in FORMS:
        if re.fullmatch(pattern, text):
            return _found(known(mistake))
    return _found(Mistake("unknown", "inside the Base64 there must be 64 lower-case hex digits"))


def _found(mistake: Mistake) -> Finding:
    return Finding(False, "signature", "encoding", mistake.id, mistake.message)


def differing_place(
    right: SignatureInputs, wrong: SignatureInputs
) -> tuple[str, str, str | None, str | None]:
    """The first layer and line that differ, and both versions of the line, if any is shown."""
    right_text = right.canonical()
    wrong_text = wrong.canonical()
    if right_text != wrong_text:
        return "canonical request", *_line(right_text, wrong_text)
    if right.date != wrong.date:
        return "payload", "x-date", wrong.date, right.date
    right_lines = _payload(right)
    wrong_lines = _payload(wrong)
    if right_lines != wrong_lines:
        same = right_lines[-1].lower() == wrong_lines[-1].lower()
        return "payload", "canonical hash" if same else "line ending", None, None
    return "signature", "encoding" if right.secret == wrong.secret else "key", None, None


def _line(ours: str, theirs: str) -> tuple[str, str, str]:
    line_labels = labels(ours)
    pairs = zip_longest(ours.split("\n"), theirs.split("\n"))
    at, differing = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
    right_line, wrong_line = (pair or "" for pair in differing)
    label = line_labels[at] if at < len(line_labels) else "end"
    # The blank line is in place of the query, between the path and the first header.
    label = "query string" if wrong_line == "" and label == "host" else label
    return label, _safe(wrong_line), _safe(right_line)


def _payload(recipe: SignatureInputs) -> list[str]:
    lines = [SCHEME, recipe.date, recipe.hash_case("canonical hash")]
    return recipe.join_payload(lines).split("\n")


def _safe(line: str) -> str:
    """The line with control characters escaped and the API key hidden."""
    escaped = line.encode("unicode_escape", errors="replace").decode()
    return f"x-api-key:{HIDDEN}" if escaped.lower().startswith("x-api-key:") else escaped


UNKNOWN = (
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

    `theirs` is a mapping or text with `Name: value` lines. Without the secret only the form is
    checked. X-Date is compared with `now`, or with the service's Date in `theirs`. The secret is
    reported as wrong only if one of `other_secrets`, the API key or an empty secret was used.
    `signing` is that of a Service.

    >>> paylab.signing.compare(headers, request, "secret", now=now).match
    True
    """
    headers = headers_of(theirs)
    # curl and most clients add Host themselves, and their logs leave it out.
    headers = {"host": request.hosts[0], **headers}
    if "authorization" not in headers:
        return missing_header("authorization")
    header = Authorization.parse(headers["authorization"], LENIENT)
    if header is None:
        return malformed("authorization", FORM, "unknown")
    signing = signing or Service().signing
    clock = timestamps.from_http(headers.get("date", "")) or now
    # The checks of `verify`, and slower ones.
    finding = (
        check_headers(headers, header, signing)
        or check_credential(headers, header)
        or _hashed_otherwise(headers["x-content-sha256"], request.body, signing)
        or check_body(headers["x-content-sha256"], request.body, signing)
        or _host(headers["host"], request.hosts)
        or _signature(headers, request, header, secret, signing, other_secrets)
        or _refused(headers, request, secret, clock, signing)
        or Finding(True)
    )
    return finding if finding.match or finding.mistake else replace(finding, mistake="unknown")


def _refused(
    headers: Mapping[str, str],
    request: SignedRequest,
    secret: str | None,
    clock: datetime | None,
    signing: SigningSettings,
) -> Finding | None:
    """Why the simulator refuses a request in which no mistake was found, or None."""
    header = Authorization.parse(headers["authorization"])
    if header is None:
        return malformed("authorization", FORM)
    if secret is None:
        return check_date(headers["x-date"], clock, signing)
    wire_headers = {_on_wire(name): _on_wire(value) for name, value in headers.items()}
    path = _on_wire(request.path)
    query = _on_wire(request.query)
    received = ReceivedRequest(request.method, path, query, wire_headers, request.body)
    now = clock or _signed_time(headers["x-date"], signing)
    return verify(received, {_on_wire(header.credential): secret}.get, now, signing=signing)


def _signed_time(text: str, signing: SigningSettings) -> datetime:
    """X-Date as a time; any time if it is unreadable, which is refused in any case."""
    try:
        return read_date(text, signing.date_form)
    except ValueError:
        return datetime.now(UTC)


def _on_wire(text: str) -> str:
    """Text as a server reads it: the bytes of its UTF-8 as Latin-1."""
    return text.encode(errors="surrogateescape").decode("latin-1")


def _hashed_otherwise(claimed: str, body: bytes, signing: SigningSettings) -> Finding | None:
    """A body hash that is another digest, or another encoding, of the body."""
    digest = sha256(body)
    other_hashes = {
        sha256(digest.hexdigest().encode()).hexdigest(): "the hash of the hash",
        sha256(digest.digest()).hexdigest(): "the hash of the hash",
        b64encode(digest.digest()).decode().lower(): "the hash in Base64",
    }
    other_hashes |= {
        new(name, body).hexdigest(): f"an {name}" for name in ("md5", "sha1", "sha512")
    }
    description = other_hashes.get(claimed.lower())
    expected = body_hash(body, signing.hash_encoding, signing.empty_body)
    if description is None or claimed == expected:
        return None
    message = f"X-Content-SHA256 is {description}: it must be {expected!r}"
    return Finding(False, "body hash", "x-content-sha256", "unknown", message, claimed, expected)


def _host(sent: str, hosts: tuple[str, ...]) -> Finding | None:
    if sent.lower() in map(str.lower, hosts):
        return None
    explanation = (
        "the Host that was signed is not the one the URL leads to: a proxy, or another base"
    )
    mistake = known("host-differs", explanation)
    texts = (f"host:{sent}", f"host:{hosts[0]}")
    return Finding(False, "canonical request", "host", mistake.id, mistake.message, *texts)


def _signature(  # noqa: PLR0913 - the arguments of `compare`
    headers: Mapping[str, str],
    request: SignedRequest,
    given: Authorization,
    secret: str | None,
    signing: SigningSettings,
    secrets: Iterable[str],
) -> Finding | None:
    if secret is None:
        return shape(given.signature)
    signed = {name: headers[name] for name in given.names}
    key = key_bytes(secret, signing.key_encoding)
    path = signed_path(request.path, signing.signed_path, signing.base_path)
    query = signed_query(request.query, signing.query_order)
    right = right_inputs(key, request.method, path, query, signed, signing)

    def finding_of(guesses: Iterable[Guess]) -> Finding | None:
        guess = first_made(guesses, given.signature)
        if guess is None:
            return None
        mistake = in_dialect(guess[0], signing)
        layer, line, *texts = differing_place(right, guess[1])
        return Finding(False, layer, line, mistake.id, mistake.message, *texts)

    if hmac.compare_digest(right.made(), given.signature.encode(errors="replace")):
        return None
    return (
        finding_of(guesses(right, request.body))
        or shape(given.signature)
        or finding_of(other_secrets(right, secrets))
        or finding_of(dates(right))
        or finding_of(pairs(right))
        or Finding(False, "signature", "signature", "unknown", UNKNOWN)
    )
