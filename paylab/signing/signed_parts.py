"""The signed parts of a request that has arrived, and its signature for another host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..spec.service.signing import SigningSettings
from .canonical import (
    ReceivedRequest,
    Signature,
    authorization,
    host_to_sign,
    key_bytes,
    make_signature,
    path_to_sign,
    query_to_sign,
)


@dataclass(frozen=True)
class SignedParts:
    """The parts that a signature covers beside the hash of the body, as the service reads them."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]

    def sign(self, key: bytes, signing: SigningSettings) -> Signature:
        """Sign the parts with the key of a secret."""
        signed_headers = {
            **self.headers,
            "host": host_to_sign(self.headers["host"], signing.signed_host),
        }
        return make_signature(
            key,
            method=self.method,
            path=self.path,
            query=self.query,
            headers=signed_headers,
            content_hash=self.headers["x-content-sha256"],
            empty_query=signing.empty_query,
            header_order=signing.header_order,
            form=signing.signature,
        )


def read_signed_parts(
    request: ReceivedRequest, names: Iterable[str], signing: SigningSettings
) -> SignedParts:
    """Read the parts of a request that its signature covers; `names` are the signed headers."""
    path = path_to_sign(_decode_utf8(request.path), signing.signed_path, signing.base_path)
    query_text = query_to_sign(_decode_utf8(request.query), signing.query_order)
    headers = {
        _decode_utf8(header_name): _decode_utf8(request.headers[header_name])
        for header_name in names
    }
    return SignedParts(_decode_utf8(request.method), path, query_text, headers)


def sign_for_host(
    request: ReceivedRequest,
    names: Iterable[str],
    host: str,
    secret: str,
    signing: SigningSettings,
) -> dict[str, str]:
    """Sign a request again for another host: its new Host and Authorization, by lower-case name.

    Its date, nonce and other signed headers stay. `names` are the names in SignedHeaders.
    """
    signed_names = tuple(names)
    signed_parts = read_signed_parts(request, signed_names, signing)
    signed_parts = replace(signed_parts, headers={**signed_parts.headers, "host": host})
    signature = signed_parts.sign(key_bytes(secret, signing.key_encoding), signing)
    api_key = request.headers["x-api-key"]
    return {"host": host, "authorization": authorization(api_key, signed_names, signature.value)}


def _decode_utf8(latin_text: str) -> str:
    """Decode as UTF-8 a text that an HTTP server has decoded as Latin-1."""
    if latin_text.isascii():
        return latin_text
    return latin_text.encode("latin-1", errors="replace").decode(errors="surrogateescape")
