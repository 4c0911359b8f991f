"""A signature explained: each layer, the meaning of every line, and its source in the spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors.arguments import explain_arguments
from ..errors.names import with_name_suggestions
from ..errors.text import printable_lines
from ..redaction.hiding import HIDDEN
from .canonical import SCHEME, authorization, body_hash, canonical_request
from .canonical import payload as payload_text
from .findings import check_url

SIGNED_NAMES = ("host", "x-api-key", "x-content-sha256", "x-date", "x-nonce")
"""The headers of a signed request, sorted by name."""


@dataclass(frozen=True)
class ExplainedLine:
    """One line of a layer: text, meaning, and its source in the spec or the assumptions."""

    text: str
    what: str
    source: str


@dataclass(frozen=True)
class Layer:
    """One of the texts that a signature is computed from."""

    name: str
    lines: tuple[ExplainedLine, ...]

    def __str__(self) -> str:
        line_texts = [
            f"  {explained_line.text}\n      {explained_line.what} ({explained_line.source})"
            for explained_line in self.lines
        ]
        return printable_lines("\n".join([self.name, *line_texts]))


@with_name_suggestions
@dataclass(frozen=True)
class Explanation:
    """The layers from the canonical request to the header; keys and signatures are hidden."""

    layers: tuple[Layer, ...]

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self.layers))


@explain_arguments
def explain(method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Explanation:
    """The layers of the signature of a request, as the spec defines it.

    `headers` are those of the request; Host defaults to the URL's. ConfigError for a wrong URL.

    >>> paylab.signing.explain("GET", request.url, headers).layers[0].name
    'canonical request'
    """
    check_url(url)
    url_parts = urlsplit(url)
    content_hash = body_hash(body)
    all_headers = {"host": url_parts.netloc, "x-content-sha256": content_hash}
    all_headers |= {
        header_name.lower(): header_value for header_name, header_value in headers.items()
    }
    signed_headers = {
        header_name: all_headers[header_name]
        for header_name in SIGNED_NAMES
        if header_name in all_headers
    }
    canonical_text = canonical_request(
        method,
        path=url_parts.path,
        query=url_parts.query,
        headers=signed_headers,
        content_hash=content_hash,
    )
    date_text = all_headers.get("x-date", "")
    return explain_text(canonical_text, payload_text(date_text, canonical_text))


@explain_arguments
def explain_text(canonical: str, payload: str) -> Explanation:
    """The layers of a signature whose two texts are known.

    >>> paylab.signing.explain_text("GET", "HMAC-SHA256").layers[0].name
    'canonical request'
    """
    layers = [
        Layer("canonical request", tuple(_explain_canonical(canonical))),
        Layer("payload", tuple(_explain_payload(payload))),
    ]
    if canonical:
        signature_line = ExplainedLine(HIDDEN, *SIGNATURE_MEANING)
        header_text = authorization(HIDDEN, _read_signed_names(canonical), HIDDEN)
        header_line = ExplainedLine(header_text, *HEADER_MEANING)
        layers += [Layer("signature", (signature_line,)), Layer("header", (header_line,))]
    return Explanation(tuple(layers))


def list_line_labels(canonical: str) -> list[str]:
    """List a short label for each line of a canonical request: method, path, a header's name."""
    canonical_lines = canonical.split("\n")
    header_names = _read_signed_names(canonical)
    # Two lines after the headers are names and hash. Before them are two lines, three with a query.
    first_line_count = len(canonical_lines) - len(header_names) - 2
    first_labels = ["method", "path", "query string"][:first_line_count]
    return [*first_labels, *header_names, "signed header names", "body hash"]


SPEC_SECTION = "spec, Canonical request"
LINE_MEANINGS = {
    "method": ("request method", f"{SPEC_SECTION} 1"),
    "path": (
        "path as on the request line, version included",
        f"{SPEC_SECTION} 2, assumption signing.path",
    ),
    "query string": ("query as on the request line; no line if none", f"{SPEC_SECTION} 3"),
    "signed header names": ("names of the lines above, sorted", f"{SPEC_SECTION} 5"),
    "body hash": ("SHA-256 of the body, lower-case hex", f"{SPEC_SECTION} 6"),
    "host": ("Host as sent, port included", f"{SPEC_SECTION} 4, assumption signing.host"),
    "x-api-key": ("the API key", f"{SPEC_SECTION} 4"),
    "x-content-sha256": ("the hash that is sent", f"{SPEC_SECTION} 4"),
    "x-date": (
        "UTC, ISO 8601 with milliseconds",
        f"{SPEC_SECTION} 4, assumption signing.date-form",
    ),
    "x-nonce": ("unix milliseconds and 6 random digits", f"{SPEC_SECTION} 4"),
}
PAYLOAD_MEANINGS = (
    ("the scheme", "spec, Signature 2"),
    ("X-Date again", "spec, Signature 2"),
    ("SHA-256 of the canonical request, lower-case hex", "spec, Signature 1 and 2"),
)
SIGNATURE_MEANING = (
    "HMAC-SHA256 of the payload with the secret, as hex text, in Base64",
    "spec, Signature 3 and 4, assumption signing.hex",
)
HEADER_MEANING = (f"Authorization as sent: {SCHEME}, key, names, signature", "spec, Headers")


def _explain_canonical(canonical: str) -> Iterator[ExplainedLine]:
    """The lines of a canonical request with their meanings; the API key is hidden."""
    if not canonical:
        return
    for canonical_line, label in zip(
        canonical.split("\n"), list_line_labels(canonical), strict=False
    ):
        meaning, spec_section = LINE_MEANINGS.get(
            label, (f"the header {label}", f"{SPEC_SECTION} 4")
        )
        shown_text = f"x-api-key:{HIDDEN}" if label == "x-api-key" else canonical_line
        yield ExplainedLine(shown_text, meaning, spec_section)


def _explain_payload(payload: str) -> Iterator[ExplainedLine]:
    """The lines of a payload with their meanings."""
    if not payload:
        return
    lines_with_meanings = zip(payload.split("\n"), PAYLOAD_MEANINGS, strict=False)
    for payload_line, (meaning, spec_section) in lines_with_meanings:
        yield ExplainedLine(payload_line, meaning, spec_section)


def _read_signed_names(canonical: str) -> list[str]:
    """The names of signed headers, from the last line but one of a canonical request.

    Empty for a text that is too short to have this line.
    """
    canonical_lines = canonical.split("\n")
    if len(canonical_lines) <= 2:
        return []
    return canonical_lines[-2].split(";")
