"""Signs requests: a function that adds the signed headers, and the nonces it uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count
from random import Random
from typing import TYPE_CHECKING

from ..redaction.hiding import Secret, hide_frames
from ..signing.canonical import (
    body_hash,
    encode_hash,
    key_bytes,
    keyed,
    path_to_sign,
    query_to_sign,
    signed_headers,
)
from ..signing.dates import date_text
from ..spec.service.signing import SigningSettings
from .request import STREAMED, StreamedBody

if TYPE_CHECKING:
    from httpx import Request

SIGNATURE = "paylab.signature"
"""The extension in which a signed request has its signature with the signed texts, for the log."""

NONCE_VALUES = 10**6
# Coprime to 10^6, so that stepping by it visits every 6-digit value once.
NONCE_STEP = 618_033


class Nonces:
    """Nonces that never repeat: unix milliseconds and a 6-digit counter with a random start."""

    def __init__(self, random: Random) -> None:
        """Draw the start of the counter."""
        self.reseed(random)

    def reseed(self, random: Random) -> None:
        """Draw another start of the counter, as a forked child must."""
        self._random = random
        self._start = random.randrange(NONCE_VALUES)
        self._count = count()

    def next(self, now: datetime) -> str:
        """The nonce of a request sent now, unique even on a frozen clock."""
        # After a million values the counter restarts, with the next millisecond.
        round_number, position = divmod(next(self._count), NONCE_VALUES)
        six_digits = (self._start + position * NONCE_STEP) % NONCE_VALUES
        milliseconds = int(now.timestamp() * 1000) + round_number
        return f"{milliseconds}{six_digits:06d}"

    def next_uuid(self, now: datetime) -> str:
        """A random UUID as the nonce of a request sent now."""
        from uuid import UUID  # only for a service with such nonces

        return str(UUID(int=self._random.getrandbits(128), version=4))


Sign = Callable[["Request"], None]


def _choose_nonce_maker(
    dialect: SigningSettings, nonces: Nonces
) -> Callable[[datetime], str | None]:
    """A function that makes the nonce of a request sent at a time, None for no nonce."""
    if dialect.nonce == "refused":
        return lambda now: None
    return nonces.next_uuid if dialect.nonce_form == "uuid" else nonces.next


@hide_frames
def request_signer(
    api_key: Secret,
    secret_key: Secret,
    dialect: SigningSettings,
    clock: Callable[[], datetime],
    nonces: Nonces,
) -> Sign:
    """A function that signs a request: path and query exactly as on the request line, Host as sent.

    It adds the signed headers to the request, and keeps the signature with the texts that were
    signed. `dialect` are the settings [signing] of a service.
    """
    next_nonce = _choose_nonce_maker(dialect, nonces)
    api_key_text = api_key.reveal()
    keyed_hmac = keyed(key_bytes(secret_key.reveal(), dialect.key_encoding))
    no_body_hash = body_hash(b"", dialect.hash_encoding, dialect.empty_body)

    # A closure, because a secret in an attribute would show in `vars`.
    def sign(request: Request) -> None:
        """Set the headers of a signature that is made now; the request keeps what was signed."""
        now = clock()
        path, _, query_text = request.url.raw_path.decode("ascii").partition("?")
        headers, request.extensions[SIGNATURE] = signed_headers(
            api_key=api_key_text,
            secret=keyed_hmac,
            method=request.method,
            host=request.headers["Host"],
            path=path_to_sign(path, dialect.signed_path, dialect.base_path),
            query=query_to_sign(query_text, dialect.query_order),
            content_hash=_hash_content(request, dialect.hash_encoding) or no_body_hash,
            date=date_text(now, dialect.date_form),
            nonce=next_nonce(now),
            empty_query=dialect.empty_query,
            header_order=dialect.header_order,
            host_form=dialect.signed_host,
            form=dialect.signature,
        )
        _set_headers(request, headers)

    return sign


def _hash_content(request: Request, encoding: str) -> str:
    """The hash of the body of a request; "" if it has none."""
    streamed_body: StreamedBody | None = request.extensions.get(STREAMED)
    if streamed_body is not None:
        return encode_hash(streamed_body.digest, encoding)
    return body_hash(request.content, encoding) if request.content else ""


def _set_headers(request: Request, headers: Mapping[str, str]) -> None:
    """Set headers of a request. Headers with these names are replaced."""
    # Three times faster than `update`.
    new_headers = [
        (header_name.encode(), header_text.encode()) for header_name, header_text in headers.items()
    ]
    new_names = {header_name.lower() for header_name, _ in new_headers}
    other_headers = [
        header_pair
        for header_pair in request.headers.raw
        if header_pair[0].lower() not in new_names
    ]
    request.headers = type(request.headers)([*other_headers, *new_headers])
