"""Canonical request, payload and signature."""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

SCHEME = "HMAC-SHA256"
EMPTY_HASH = sha256(b"").hexdigest()

SPELLING = {
    "authorization": "Authorization",
    "host": "Host",
    "x-api-key": "X-API-Key",
    "x-content-sha256": "X-Content-SHA256",
    "x-date": "X-Date",
    "x-nonce": "X-Nonce",
}
"""The headers of a signed request as the spec spells them, by lower-case name."""

EmptyQuery = Literal["omit", "blank"]
"""What stands for a missing query string: no line (the spec), or an empty one (a dialect)."""


_KEYS: Mapping[str, Callable[[str], bytes]] = {
    "utf-8": str.encode,
    "hex": bytes.fromhex,
    "base64": lambda secret: b64decode(secret, validate=True),
}
"""How the text of a secret stands for the bytes of the HMAC key."""


def key_bytes(secret: str, encoding: str = "utf-8") -> bytes:
    """The HMAC key of a secret; ValueError when the secret is not written in that encoding."""
    try:
        return _KEYS[encoding](secret)
    except ValueError:
        raise ValueError(f"the secret key is not {encoding} text") from None


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived: path and query as on the request line, header names lower case.

    Bytes that are not ASCII are decoded as Latin-1, as HTTP servers do.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature and the two texts it is computed from; its repr omits the signature."""

    canonical: str
    payload: str
    value: str = field(repr=False)


def body_hash(body: bytes) -> str:
    """X-Content-SHA256: lower-case hex of SHA-256; no body hashes as zero bytes."""
    return sha256(body).hexdigest() if body else EMPTY_HASH


def canonical_request(  # noqa: PLR0913 - the six parts the spec lists
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    content_hash: str,
    *,
    empty_query: EmptyQuery = "omit",
) -> str:
    """The text whose hash is signed.

    `path` and `query` are exactly as on the request line, `headers` the signed ones by
    lower-case name. Spec, "Canonical request".
    """
    names = sorted(headers)
    target = f"{path}\n{query}" if query or empty_query == "blank" else path
    lines = "\n".join([f"{name}:{headers[name]}" for name in names])
    return f"{method}\n{target}\n{lines}\n{';'.join(names)}\n{content_hash}"


def to_bytes(text: str) -> bytes:
    """UTF-8; bytes that were decoded with `surrogateescape` are restored."""
    return text.encode(errors="surrogateescape")


def payload(date: str, canonical: str) -> str:
    """The three lines that the HMAC signs: scheme, X-Date, hash of the canonical request."""
    return f"{SCHEME}\n{date}\n{sha256(to_bytes(canonical)).hexdigest()}"


def signature_of(secret: bytes, text: str) -> str:
    """Base64 of the HMAC written as lower-case hex. Spec, "Signature", steps 3 and 4."""
    digest = hmac.digest(secret, to_bytes(text), "sha256")
    return b64encode(digest.hex().encode()).decode()


def sign(  # noqa: PLR0913 - the key and the six parts the spec lists
    secret: str | bytes,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    content_hash: str,
    *,
    empty_query: EmptyQuery = "omit",
) -> Signature:
    """Sign a request; the date is the `x-date` among the headers.

    The secret is the HMAC key itself as bytes, or text that stands for its UTF-8 bytes.
    """
    canonical = canonical_request(
        method, path, query, headers, content_hash, empty_query=empty_query
    )
    text = payload(headers["x-date"], canonical)
    key = secret if isinstance(secret, bytes) else secret.encode()
    return Signature(canonical, text, signature_of(key, text))


def authorization(api_key: str, names: Iterable[str], signature: str) -> str:
    """The Authorization header."""
    return f"{SCHEME} Credential={api_key},SignedHeaders={';'.join(names)},Signature={signature}"


def signed_headers(  # noqa: PLR0913 - everything a request's headers are made of
    api_key: str,
    secret: str | bytes,
    method: str,
    host: str,
    path: str,
    query: str = "",
    *,
    content_hash: str = EMPTY_HASH,
    date: str,
    nonce: str | None,
    empty_query: EmptyQuery = "omit",
) -> tuple[dict[str, str], Signature]:
    """All headers of a signed request as they are sent, and the Signature with its texts."""
    signed = {
        "host": host,
        "x-api-key": api_key,
        "x-content-sha256": content_hash,
        "x-date": date,
    }
    if nonce is not None:
        signed["x-nonce"] = nonce
    signature = sign(secret, method, path, query, signed, content_hash, empty_query=empty_query)
    sent = {SPELLING[name]: value for name, value in signed.items()}
    sent["Authorization"] = authorization(api_key, sorted(signed), signature.value)
    return sent, signature
