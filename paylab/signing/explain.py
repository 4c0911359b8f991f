"""A signature explained: each layer, the meaning of every line, and its source in the spec."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..redaction.hiding import HIDDEN
from .canonical import SCHEME, authorization, body_hash, canonical_request, signature_of
from .canonical import payload as payload_text

SIGNED = ("host", "x-api-key", "x-content-sha256", "x-date", "x-nonce")
"""The headers of a signed request, sorted by name."""

_NAMES = re.compile(r"SignedHeaders=([^,\s]+)")


@dataclass(frozen=True, slots=True)
class ExplainedLine:
    """One line of a layer: text, meaning, and its source in the spec or the assumptions."""

    text: str
    what: str
    source: str


@dataclass(frozen=True, slots=True)
class Layer:
    """One of the texts that a signature is computed from."""

    name: str
    lines: tuple[ExplainedLine, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """The layers from the body to the header; keys and signatures are hidden."""

    layers: tuple[Layer, ...]

    def __repr__(self) -> str:
        return "\n\n".join(map(_shown, self.layers))


def explain(  # noqa: PLR0913 - a request, and what may be shown of it
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes = b"",
    *,
    secret: str | None = None,
    reveal: bool = False,
) -> Explanation:
    """Each layer of the signature of a request, as the spec defines it.

    `headers` are those of the request; Host defaults to the URL's.
    With a `secret` the last layers are computed too; `reveal` shows key and signature.

    >>> paylab.signing.explain("GET", request.url, headers).layers[0].name
    'body hash'
    """
    parts = urlsplit(url)
    given = {"host": parts.netloc, "x-content-sha256": body_hash(body)}
    given |= {name.lower(): value for name, value in headers.items()}
    named = _NAMES.search(given.get("authorization", ""))
    names = sorted(named[1].lower().split(";")) if named else SIGNED
    signed = {name: given[name] for name in names if name in given}
    canonical = canonical_request(
        method, parts.path, parts.query, signed, given["x-content-sha256"]
    )
    text = payload_text(given.get("x-date", ""), canonical)
    hashed = f"SHA-256 of the {len(body)} bytes of the body" if body else "SHA-256 of no bytes"
    source = "spec, Headers, assumption signing.body-hash"
    first = Layer("body hash", (ExplainedLine(body_hash(body), hashed, source),))
    layers = [first, *explain_text(canonical, text, reveal=reveal).layers[:2]]
    if secret is not None:
        shown = given.get("x-api-key", ""), signature_of(secret.encode(), text)
        layers += _last(sorted(signed), *(shown if reveal else (HIDDEN, HIDDEN)))
    return Explanation(tuple(layers))


def explain_text(canonical: str, payload: str, *, reveal: bool = False) -> Explanation:
    """The layers of a signature whose two texts are known.

    >>> paylab.signing.explain_text("GET", "HMAC-SHA256").layers[0].name
    'canonical request'
    """
    lines = tuple(_canonical_lines(canonical, reveal=reveal)) if canonical else ()
    rows = zip(payload.split("\n"), _PAYLOAD, strict=False) if payload else ()
    below = tuple(ExplainedLine(text, what, source) for text, (what, source) in rows)
    layers = (Layer(CANONICAL, lines), Layer(PAYLOAD, below))
    last = _last(_names_of(canonical), HIDDEN, HIDDEN) if canonical else []
    return Explanation((*layers, *last))


def labels(canonical: str) -> list[str]:
    """A short label for each line of a canonical request: path, query, a header's name."""
    lines = canonical.split("\n")
    names = _names_of(canonical)
    before = len(lines) - len(names) - 2
    first = ["method", "path", *["query string"] * max(0, before - 2)][: max(before, 0)]
    return [*first, *names, "signed header names", "body hash"]


CANONICAL, PAYLOAD, SIGNATURE, HEADER = "canonical request", "payload", "signature", "header"
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


def _canonical_lines(canonical: str, *, reveal: bool) -> Iterator[ExplainedLine]:
    for text, label in zip(canonical.split("\n"), labels(canonical), strict=False):
        what, source = _WHAT.get(label, (f"the header {label}", f"{_SPEC} 4"))
        hidden = label == "x-api-key" and not reveal
        yield ExplainedLine(f"x-api-key:{HIDDEN}" if hidden else text, what, source)


def _last(names: list[str], api_key: str, value: str) -> list[Layer]:
    text = "HMAC-SHA256 of the payload with the secret, as hex text, in Base64"
    made = ExplainedLine(value, text, "spec, Signature 3 and 4, assumption signing.hex")
    sent = f"Authorization as sent: {SCHEME}, key, names, signature"
    line = ExplainedLine(authorization(api_key, names, value), sent, "spec, Headers")
    return [Layer(SIGNATURE, (made,)), Layer(HEADER, (line,))]


def _names_of(canonical: str) -> list[str]:
    lines = canonical.split("\n")
    return lines[-2].split(";") if len(lines) > 2 else []


def _shown(layer: Layer) -> str:
    rows = [f"  {line.text}\n      {line.what} ({line.source})" for line in layer.lines]
    return "\n".join([layer.name, *rows])
