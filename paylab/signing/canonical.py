"""Canonical request, payload and signature."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import b2a_base64, hexlify
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from hmac import HMAC, compare_digest
from typing import Literal, NamedTuple

from ..errors.base import ArgumentError
from ..spec.route import strip_base_path
from ..spec.service.signing import SAMPLE_ORDER
from ..spec.service.value_types import NONE

SCHEME = "HMAC-SHA256"
VERSION_PATTERN = re.compile(r"/v\d+(?=/|\Z)")
EMPTY_HASH = sha256(b"").hexdigest()

SPELLINGS = {
    "authorization": "Authorization",
    "host": "Host",
    "x-api-key": "X-API-Key",
    "x-content-sha256": "X-Content-SHA256",
    "x-date": "X-Date",
    "x-nonce": "X-Nonce",
}
"""The headers of a signed request as the spec spells them, by lower-case name."""

SIGNATURE_FORMS: Mapping[str, Callable[[bytes], bytes]] = {
    "base64_hex": lambda digest: b2a_base64(hexlify(digest), newline=False),
    "hex": hexlify,
    "base64": b64encode,
}
"""The texts of an HMAC, by the setting signing.signature. Spec, "Signature", steps 3 and 4."""

PORT_PATTERN = re.compile(r":\d+\Z")

EmptyQuery = Literal["omit", "blank"]
"""The query line without a query string: no line (the spec), or an empty one (a dialect)."""

HeaderOrder = Literal["sorted", "sample"]
"""The order of signed headers: sorted by name, or that of the sample of the spec (a dialect)."""


KEY_DECODERS: Mapping[str, Callable[[str], bytes]] = {
    "utf-8": str.encode,
    "hex": bytes.fromhex,
    "base64": lambda secret: b64decode(secret, validate=True),
}
"""The encodings of the HMAC key in the text of a secret."""


def key_bytes(secret: str, encoding: str = "utf-8") -> bytes:
    """The HMAC key of a secret. ArgumentError when the secret is not written in that encoding.

    >>> paylab.signing.key_bytes("736563726574", "hex")
    b'secret'
    """
    try:
        return KEY_DECODERS[encoding](secret)
    except KeyError:
        encodings_text = ", ".join(KEY_DECODERS)
        raise ArgumentError(f"encoding must be one of {encodings_text}, not {encoding!r}") from None
    except ValueError:
        raise ArgumentError(f"the secret key is not {encoding} text", "secret") from None


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as it arrived: path and query as on the request line, header names lower case.

    Bytes that are not ASCII are decoded as Latin-1, as HTTP servers do.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""


class Signature(NamedTuple):
    """A signature and the two texts it is computed from; its repr omits the signature."""

    canonical: str
    payload: str
    value: str

    def __repr__(self) -> str:
        return f"Signature(canonical={self.canonical!r}, payload={self.payload!r})"


def body_hash(body: bytes, encoding: str = "hex", empty: str = "hash") -> str:
    """X-Content-SHA256: lower-case hex of SHA-256; no body hashes as zero bytes.

    `encoding` and `empty` are the settings signing.hash_encoding and signing.empty_body.

    >>> paylab.signing.body_hash(b"") == paylab.signing.EMPTY_HASH
    True
    """
    if not body and empty == "blank":
        return ""
    return encode_hash(sha256(body).hexdigest(), encoding)


def encode_hash(digest: str, encoding: str = "hex") -> str:
    """Write a hash, given in hex, as the service wants it: in hex, or as Base64 of its bytes."""
    if encoding == "hex":
        return digest
    return b64encode(bytes.fromhex(digest)).decode()


def path_to_sign(path: str, part: str = "whole", base: str = NONE) -> str:
    """The path to sign: the path as sent, or without its version or without the base path.

    `part` and `base` are the settings signing.signed_path and signing.base_path.

    >>> from paylab.signing.canonical import path_to_sign
    >>> path_to_sign("/api/v1/transfers", "unversioned", "/api")
    '/transfers'
    """
    path = strip_base_path(path, base)
    if part == "whole":
        return path
    return VERSION_PATTERN.sub("", path, count=1)


def query_to_sign(query: str, order: str = "sent") -> str:
    """The query to sign: as sent, or with its parameters sorted (signing.query_order).

    >>> from paylab.signing.canonical import query_to_sign
    >>> query_to_sign("limit=2&cursor=a", "sorted")
    'cursor=a&limit=2'
    """
    if order == "sent":
        return query
    return "&".join(sorted(query.split("&")))


def host_to_sign(host: str, form: str = "whole") -> str:
    """The Host to sign: as sent, or without its port (signing.signed_host)."""
    if form == "whole":
        return host
    return PORT_PATTERN.sub("", host)


def _sort_as_in_sample(header_names: Iterable[str]) -> list[str]:
    """Put names in the order of the sample of the spec; others follow, sorted."""
    last_place = len(SAMPLE_ORDER)
    index_by_header = {header_name: index for index, header_name in enumerate(SAMPLE_ORDER)}
    return sorted(header_names, key=lambda name: (index_by_header.get(name, last_place), name))


HEADER_ORDERS: Mapping[HeaderOrder, Callable[[Iterable[str]], list[str]]] = {
    "sorted": sorted,
    "sample": _sort_as_in_sample,
}
"""What puts the names of signed headers in order, by the setting signing.header_order."""


def order_header_names(names: Iterable[str], order: HeaderOrder = "sorted") -> list[str]:
    """Put the names of signed headers in the order of the signature.

    `order` is the setting signing.header_order.

    >>> from paylab.signing.canonical import order_header_names
    >>> order_header_names(["x-content-sha256", "x-date"], "sample")
    ['x-date', 'x-content-sha256']
    """
    return HEADER_ORDERS[order](names)


def canonical_request(  # noqa: PLR0913 - the six parts the spec lists
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    content_hash: str,
    *,
    empty_query: EmptyQuery = "omit",
    header_order: HeaderOrder = "sorted",
) -> str:
    """The text whose hash is signed.

    `path` and `query` are exactly as on the request line, `headers` the signed ones by
    lower-case name. Spec, "Canonical request".

    >>> paylab.signing.canonical_request("GET", "/v1", "", {"host": "a.test"}, "e3b0").split()
    ['GET', '/v1', 'host:a.test', 'host', 'e3b0']
    """
    header_names = HEADER_ORDERS[header_order](headers)
    target_text = f"{path}\n{query}" if query or empty_query == "blank" else path
    headers_text = "\n".join(
        [f"{header_name}:{headers[header_name]}" for header_name in header_names]
    )
    return f"{method}\n{target_text}\n{headers_text}\n{';'.join(header_names)}\n{content_hash}"


def to_bytes(text: str) -> bytes:
    """The UTF-8 bytes of a text. Bytes that were decoded with `surrogateescape` are restored."""
    return text.encode(errors="surrogateescape")


def payload(date: str, canonical: str) -> str:
    """The three lines that the HMAC signs: scheme, X-Date, hash of the canonical request."""
    hex_digest = sha256(canonical.encode("utf-8", "surrogateescape")).hexdigest()  # as `to_bytes`
    return f"{SCHEME}\n{date}\n{hex_digest}"


def keyed(secret: bytes) -> HMAC:
    """The HMAC of a key without a message, to reuse for many signatures.

    >>> paylab.signing.keyed(b"secret").name
    'hmac-sha256'
    """
    return HMAC(secret, digestmod="sha256")


def hmac_digest(key: bytes | HMAC, message: bytes) -> bytes:
    """The HMAC-SHA256 of a message; the key may be prepared by `keyed`."""
    keyed_hmac = key.copy() if isinstance(key, HMAC) else keyed(key)
    keyed_hmac.update(message)
    return keyed_hmac.digest()


def make_signature(  # noqa: PLR0913 - the key and the six parts the spec lists
    secret: str | bytes | HMAC,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    content_hash: str,
    *,
    empty_query: EmptyQuery = "omit",
    header_order: HeaderOrder = "sorted",
    form: str = "base64_hex",
) -> Signature:
    """The signature of a request as `sign` makes it, whatever its parts are."""
    canonical_text = canonical_request(
        method,
        path,
        query,
        headers,
        content_hash,
        empty_query=empty_query,
        header_order=header_order,
    )
    payload_text = payload(headers["x-date"], canonical_text)
    hmac_key = secret.encode() if isinstance(secret, str) else secret
    digest_bytes = hmac_digest(hmac_key, payload_text.encode("utf-8", "surrogateescape"))
    return Signature(canonical_text, payload_text, SIGNATURE_FORMS[form](digest_bytes).decode())


def authorization(api_key: str, names: Iterable[str], signature: str) -> str:
    """The Authorization header.

    >>> paylab.signing.authorization("key", ["host"], "c2ln")
    'HMAC-SHA256 Credential=key,SignedHeaders=host,Signature=c2ln'
    """
    return f"{SCHEME} Credential={api_key},SignedHeaders={';'.join(names)},Signature={signature}"


def signed_headers(  # noqa: PLR0913 - everything a request's headers are made of
    api_key: str,
    secret: str | bytes | HMAC,
    method: str,
    host: str,
    path: str,
    query: str = "",
    *,
    content_hash: str = EMPTY_HASH,
    date: str,
    nonce: str | None,
    empty_query: EmptyQuery = "omit",
    header_order: HeaderOrder = "sorted",
    host_form: str = "whole",
    form: str = "base64_hex",
) -> tuple[dict[str, str], Signature]:
    """All headers of a signed request, and its Signature.

    The options are those of `paylab.signing.sign`; `host_form` is the setting signing.signed_host.

    >>> headers, _ = paylab.signing.signed_headers(
    ...     "key",
    ...     "secret",
    ...     "GET",
    ...     "pay.test",
    ...     "/v1/transfers",
    ...     date="2026-01-31T09:30:00.123Z",
    ...     nonce="1769851800123004217",
    ... )
    >>> sorted(map(str.lower, headers))
    ['authorization', 'host', 'x-api-key', 'x-content-sha256', 'x-date', 'x-nonce']
    """
    value_by_header = {  # in alphabetical order
        "host": host_to_sign(host, host_form),
        "x-api-key": api_key,
        "x-content-sha256": content_hash,
        "x-date": date,
    }
    if nonce is not None:
        value_by_header["x-nonce"] = nonce
    signature = make_signature(
        secret,
        method,
        path,
        query,
        headers=value_by_header,
        content_hash=content_hash,
        empty_query=empty_query,
        header_order=header_order,
        form=form,
    )
    headers = {
        SPELLINGS[header_name]: header_text for header_name, header_text in value_by_header.items()
    }
    headers["Host"] = host
    ordered_names = (
        value_by_header  # already sorted
        if header_order == "sorted"
        else order_header_names(value_by_header, header_order)
    )
    headers["Authorization"] = authorization(api_key, ordered_names, signature.value)
    return headers, signature


def is_delivery_signature(value: str, key: bytes, body: bytes) -> bool:
    """Whether a header value is the HMAC of a delivery.

    It may be hex or Base64, with or without `sha256=` in front.
    """
    claimed_signature = value.strip().removeprefix("sha256=").encode()
    digest_bytes = hmac_digest(key, body)
    is_hex = compare_digest(claimed_signature, digest_bytes.hex().encode())
    is_base64 = compare_digest(claimed_signature, b64encode(digest_bytes))
    return is_hex or is_base64
