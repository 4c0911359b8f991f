"""A signature explained: each layer, the meaning of every line, and its source in the spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors.arguments import explain_arguments
from ..errors.text import printable_lines
from ..redaction.hiding import HIDDEN
from .canonical import SCHEME, authorization, body_hash, canonical_request
from .canonical import payload as payload_text
from .findings import check_url

SIGNED = ("host", "x-api-key", "x-content-sha256", "x-date", "x-nonce")
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
        rows = [f"  {line.text}\n      {line.what} ({line.source})" for line in self.lines]
        return printable_lines("\n".join([self.name, *rows]))


@dataclass(frozen=True)
class Explanation:
    """The layers from the canonical request to the header; keys and signatures are hidden."""

    layers: tuple[Layer, ...]

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self.layers))


@explain_arguments
def explain(method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Explanation:
    """The layers of the signature of a request, as the spec defines it.

    `headers` are those of the request; Host defaults to the URL's. ConfigError for what is no URL.

    >>> paylab.signing.explain("GET", request.url, headers).layers[0].name
    'canonical request'
    """
    check_url(url)
    parts = urlsplit(url)
    hashed = body_hash(body)
    lower_headers = {"host": parts.netloc, "x-content-sha256": hashed}
    lower_headers |= {name.lower(): value for name, value in headers.items()}
    signed = {name: lower_headers[name] for name in SIGNED if name in lower_headers}
    canonical = canonical_request(method, parts.path, parts.query, signed, hashed)
    return explain_text(canonical, payload_text(lower_headers.get("x-date", ""), canonical))


@explain_arguments
def explain_text(canonical: str, payload: str) -> Explanation:
    """The layers of a signature whose two texts are known.

    >>> paylab.signing.explain_text("GET", "HMAC-SHA256").layers[0].name
    'canonical request'
    """
    lines = tuple(_canonical_lines(canonical)) if canonical else ()
    rows = zip(payload.split("\n"), _PAYLOAD, strict=False) if payload else ()
    payload_lines = tuple(ExplainedLine(text, meaning, source) for text, (meaning, source) in rows)
    layers = [Layer("canonical request", lines), Layer("payload", payload_lines)]
    if canonical:
        signature = ExplainedLine(HIDDEN, *_SIGNATURE)
        header = ExplainedLine(authorization(HIDDEN, _names_of(canonical), HIDDEN), *_HEADER)
        layers += [Layer("signature", (signature,)), Layer("header", (header,))]
    return Explanation(tuple(layers))


def labels(canonical: str) -> list[str]:
    """A short label for each line of a canonical request: path, query, a header's name."""
    lines = canonical.split("\n")
    names = _names_of(canonical)
    first = ["method", "path", "query string"][: len(lines) - len(names) - 2]
    return [*first, *names, "signed header names", "body hash"]


_SPEC = "spec, Canonical request"
_WHAT = {
    "method": ("request method", f"{_SPEC} 1"),
    "path": (
        "path as on the request line, version included",
        f"{_SPEC} 2, assumption signing.path",
    ),
    "query string": ("query as on the request line; no line if none", f"{_SPEC} 3"),
    "signed header names": ("names of the lines above, sorted", f"{_SPEC} 5"),
    "body hash": ("SHA-256 of the body, lower-case hex", f"{_SPEC} 6"),
    "host": ("Host as sent, port included", f"{_SPEC} 4, assumption signing.host"),
    "x-api-key": ("the API key", f"{_SPEC} 4"),
    "x-content-sha256": ("the hash that is sent", f"{_SPEC} 4"),
    "x-date": ("UTC, ISO 8601 with milliseconds", f"{_SPEC} 4, assumption signing.date-form"),
    "x-nonce": ("unix milliseconds and 6 random digits", f"{_SPEC} 4"),
}
_PAYLOAD = (
    ("the scheme", "spec, Signature 2"),
    ("X-Date again", "spec, Signature 2"),
    ("SHA-256 of the canonical request, lower-case hex", "spec, Signature 1 and 2"),
)
_SIGNATURE = (
    "HMAC-SHA256 of the payload with the secret, as hex text, in Base64",
    "spec, Signature 3 and 4, assumption signing.hex",
)
_HEADER = (f"Authorization as sent: {SCHEME}, key, names, signature", "spec, Headers")


def _canonical_lines(canonical: str) -> Iterator[ExplainedLine]:
    for text, label in zip(canonical.split("\n"), labels(canonical), strict=False):
        meaning, source = _WHAT.get(label, (f"the header {label}", f"{_SPEC} 4"))
        yield ExplainedLine(
            f"x-api-key:{HIDDEN}" if label == "x-api-key" else text, meaning, source
        )


def _names_of(canonical: str) -> list[str]:
    lines = canonical.split("\n")
    return lines[-2].split(";") if len(lines) > 2 else []
