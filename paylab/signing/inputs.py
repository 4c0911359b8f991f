"""The parts that a signature is computed from. Each part can be replaced."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from ..spec.service.signing import SigningSettings
from .canonical import SCHEME, SIGNATURE_FORMS, host_to_sign, order_header_names, to_bytes

HeaderLines = tuple[tuple[str, str], ...]
JoinLines = Callable[[Sequence[str]], str]


def take_last_line(payload_lines: Sequence[str]) -> str:
    """Take the last of the three lines of a payload, the hash, alone."""
    return payload_lines[-1]


def join_without_scheme(payload_lines: Sequence[str]) -> str:
    """Join the lines of a payload without the first one, the scheme."""
    return "\n".join(payload_lines[1:])


def join_without_date(payload_lines: Sequence[str]) -> str:
    """Join the lines of a payload without the second one, the date."""
    return "\n".join([payload_lines[0], *payload_lines[2:]])


def hash_text(text: str) -> str:
    """The SHA-256 of a text as lower-case hex."""
    return sha256(to_bytes(text)).hexdigest()


class SignatureInputs(NamedTuple):
    """The parts and steps of a signature. A line of the canonical request that is None is left out.

    `headers` are the header lines, each written in `header_format`. `request_headers` are the
    signed headers of the request, in the order of SignedHeaders; `signed_names` is their line.
    """

    secret: bytes
    method: str
    path: str
    query: str | None
    headers: HeaderLines
    signed_names: str
    content_hash: str
    date: str
    request_headers: HeaderLines
    header_format: str = "{}:{}"
    join_canonical: JoinLines = "\n".join
    hash_canonical: Callable[[str], str] = hash_text
    join_payload: JoinLines = "\n".join
    encode: Callable[[bytes], bytes] = SIGNATURE_FORMS["base64_hex"]

    def canonical(self) -> str:
        """The canonical request of these parts. A part that is None has no line."""
        header_lines = [
            self.header_format.format(header_name, header_value)
            for header_name, header_value in self.headers
        ]
        canonical_lines = [
            self.method,
            self.path,
            self.query,
            *header_lines,
            self.signed_names,
            self.content_hash,
        ]
        return self.join_canonical(
            [canonical_line for canonical_line in canonical_lines if canonical_line is not None]
        )

    def payload(self) -> str:
        """The text that the HMAC signs."""
        return self.join_payload([SCHEME, self.date, self.hash_canonical(self.canonical())])

    def signature(self) -> bytes:
        """Sign these parts: the HMAC of the payload, encoded."""
        return self.encode(hmac.digest(self.secret, to_bytes(self.payload()), "sha256"))

    def with_header(self, name: str, value: str) -> SignatureInputs:
        """These parts with another value of one header line."""
        headers = tuple(
            (header_name, value if header_name == name else header_value)
            for header_name, header_value in self.headers
        )
        return self._replace(headers=headers)


def make_correct_inputs(  # noqa: PLR0913 - the key and the parts that the spec lists
    key: bytes,
    method: str,
    path: str,
    query: str,
    headers: Mapping[str, str],
    signing: SigningSettings,
) -> SignatureInputs:
    """Make the parts of a signature as a service signs them.

    `headers` are the signed headers by lower-case name, in the order of SignedHeaders. Path and
    query are given as they are signed.
    """
    has_query_line = bool(query) or signing.empty_query == "blank"
    header_names = order_header_names(headers, signing.header_order)
    value_by_header = {**headers, "host": host_to_sign(headers["host"], signing.signed_host)}
    return SignatureInputs(
        secret=key,
        method=method,
        path=path,
        query=query if has_query_line else None,
        headers=tuple((header_name, value_by_header[header_name]) for header_name in header_names),
        signed_names=";".join(header_names),
        content_hash=headers["x-content-sha256"],
        date=headers["x-date"],
        request_headers=tuple(headers.items()),
        encode=SIGNATURE_FORMS[signing.signature],
    )
