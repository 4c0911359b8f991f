"""An attempt of a call: what was sent and what came back, and its record without secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

import httpx

from ..errors.api import APIConnectionError, APIResponseError, APITimeoutError
from ..redaction.redaction import Redaction
from ..signing.canonical import Signature
from ..spec.text import plain
from .call import Body, Call, DeferredCall, Timings, is_replay
from .decoding import TooLargeError
from .request import OutgoingRequest
from .request_signer import SIGNATURE

KEPT_BODY_LENGTH_MAX = 32 * 1024
SEARCHED_MARGIN = 4 * 1024
"""Characters after the limit that are also searched, so that no secret is truncated and missed."""

PIECE_LENGTH = 2**17
"""Characters redacted at a time: the redaction truncates much longer texts."""

ROW_END = re.compile(r"\},(?=\s*\{)")
LONG_DATA = re.compile(r"[A-Za-z0-9+/_=%\\\r\n-]{1000,}")
"""Base64 or hexadecimal data that is too long for an id, a cursor or a QR text."""

HEADER_BYTES_ESTIMATE = 3000
"""Approximate bytes of headers and signed texts."""


@dataclass(frozen=True, repr=False)
class TransportFailure:
    """Why there is no answer; `arrived` says whether the request may have reached the service."""

    error: type[APIConnectionError | APIResponseError]
    # A transport may quote the request; the message is redacted before it is shown.
    message: str
    arrived: bool = True
    may_pass: bool = True


# The first matching kind is used.
TRANSPORT_FAILURES: tuple[tuple[type[Exception], TransportFailure], ...] = (
    (
        TooLargeError,
        TransportFailure(APIResponseError, "the body is larger than 8 MiB", may_pass=False),
    ),
    (
        httpx.DecodingError,
        TransportFailure(APIResponseError, "the body cannot be decompressed", may_pass=False),
    ),
    (
        httpx.ConnectTimeout,
        TransportFailure(APITimeoutError, "no connection in time", arrived=False),
    ),
    (
        httpx.PoolTimeout,
        TransportFailure(APITimeoutError, "no free connection in time", arrived=False),
    ),
    (httpx.TimeoutException, TransportFailure(APITimeoutError, "no answer in time")),
    (httpx.ConnectError, TransportFailure(APIConnectionError, "could not connect", arrived=False)),
    (httpx.ProxyError, TransportFailure(APIConnectionError, "the proxy refused", arrived=False)),
    (
        httpx.LocalProtocolError,
        TransportFailure(APIConnectionError, "not sendable as HTTP", arrived=False, may_pass=False),
    ),
    (
        httpx.UnsupportedProtocol,
        TransportFailure(APIConnectionError, "not an HTTP address", arrived=False, may_pass=False),
    ),
    (httpx.RequestError, TransportFailure(APIConnectionError, "the connection was cut off")),
)


def describe_transport_failure(error: Exception) -> TransportFailure:
    """Why there is no answer, by the class of an exception, with the words of the exception."""
    # The first that fits: special classes come before general ones in the table.
    failure = next(
        failure for error_class, failure in TRANSPORT_FAILURES if isinstance(error, error_class)
    )
    detail_text = plain(str(error), 200)
    return replace(failure, message=f"{failure.message}: {detail_text}") if detail_text else failure


@dataclass(frozen=True, repr=False)
class Exchange:
    """A request as it was sent, and the answer.

    With a `failure` the answer is missing or incomplete; `status` is 0 if no status arrived.
    `number` counts the attempts of a call from 1, `sent` has the headers of this attempt, and
    `events` are the steps that httpcore reported, with their times. `skew` is how many seconds the
    clock of the service is ahead, if the service sent a readable Date.
    """

    request: OutgoingRequest
    number: int
    when: datetime
    elapsed: float
    sent: httpx.Request
    events: Sequence[tuple[str, float]]
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    failure: TransportFailure | None = None
    skew: float | None = None

    @property
    def went_well(self) -> bool:
        """Whether the whole answer arrived with a 2xx status."""
        return self.failure is None and 200 <= self.status < 300

    @property
    def replayed(self) -> bool:
        """Whether the service answered from its memory of an Idempotency-Key."""
        return is_replay(self.headers)


def exchange_redaction(exchange: Exchange, redaction: Redaction) -> Redaction:
    """The redaction that also hides the document numbers which this exchange names."""
    content = exchange.request.content
    bodies = [content if isinstance(content, bytes) else b"", exchange.content]
    body_texts = (body.decode(errors="replace") for body in bodies)
    return redaction.of_exchange(str(exchange.request.url), *body_texts)


def shorten_body(content: bytes, redaction: Redaction) -> Body:
    """A redacted body; of more than 32 KiB only the beginning, with its size and SHA-256."""
    # An image must be read whole; otherwise only the kept part is needed.
    has_image = b";base64," in content
    kept_content = content if has_image else content[: KEPT_BODY_LENGTH_MAX + SEARCHED_MARGIN]
    body_text = redaction.text(kept_content.decode(errors="replace"))
    if len(kept_content) < len(content) or len(body_text) > KEPT_BODY_LENGTH_MAX:
        hex_digest = sha256(content).hexdigest()[:16]
        body_text = (
            f"{body_text[:KEPT_BODY_LENGTH_MAX]}… <{len(content)} bytes, sha256 {hex_digest}>"
        )
    return Body(body_text, len(content), exact=body_text.encode() == content)


def clean_body(content: bytes, redaction: Redaction) -> str:
    """A redacted body of any length; for one that is not text, its size."""
    try:
        body_text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return f"<{len(content)} bytes>"
    redacted_pieces = map(redaction.text, _split_text(body_text))
    return LONG_DATA.sub(lambda data: f"<{len(data[0])} characters>", "".join(redacted_pieces))


def _split_text(body_text: str) -> Iterator[str]:
    """The pieces of a text: a long list is split between its objects, so that none is cut."""
    piece_start = 0
    while len(body_text) - piece_start > PIECE_LENGTH:
        row_end_match = ROW_END.search(body_text, piece_start + PIECE_LENGTH)
        if row_end_match is None:
            break
        yield body_text[piece_start : row_end_match.end()]
        piece_start = row_end_match.end()
    yield body_text[piece_start:]


def record_call(
    exchange: Exchange,
    redaction: Redaction,
    redact_body: Callable[[bytes, Redaction], Body] = shorten_body,
    **other_fields: Any,
) -> Call:
    """The record of an attempt, without its secrets; `other_fields` are more fields of it."""
    outgoing_request = exchange.request
    failure = exchange.failure
    redaction = exchange_redaction(exchange, redaction)
    if isinstance(outgoing_request.content, bytes | None):
        request_body = redact_body(outgoing_request.content or b"", redaction)
    else:  # an upload is not held in memory
        upload = outgoing_request.content
        outline_body = redact_body(upload.outline, redaction)
        request_body = replace(outline_body, size=upload.length, exact=False)
    response_body = redact_body(exchange.content, redaction)
    signature = exchange.sent.extensions.get(SIGNATURE) or Signature("", payload="", value="")
    return Call(
        when=exchange.when,
        method=outgoing_request.method,
        path=redaction.text(outgoing_request.path),
        url=redaction.text(str(outgoing_request.url)),
        status=exchange.status or None,
        elapsed=exchange.elapsed,
        attempt=exchange.number,
        idempotency_key=outgoing_request.idempotency_key,
        replayed=exchange.replayed,
        request_headers=redaction.headers(exchange.sent.headers),
        response_headers=redaction.headers(exchange.headers),
        error=redaction.text(failure.message) if failure else None,
        spent=Timings.of(exchange.events),
        skew=exchange.skew,
        request_body=request_body,
        response_body=response_body,
        canonical=redaction.text(signature.canonical),
        payload=signature.payload,
        personal=redaction.personal,
        **other_fields,
    )


class Attempt(NamedTuple):
    """An exchange with its record, and whether an attempt before it was lost."""

    exchange: Exchange
    deferred: DeferredCall
    after_lost: bool = False

    @property
    def call(self) -> Call:
        """The record of the call."""
        return self.deferred.call


Transport = httpx.BaseTransport | Callable[[], httpx.BaseTransport]
"""A transport of httpx, or what makes it for the first request."""

Watcher = Callable[[Exchange], None]
"""Told of each attempt."""
