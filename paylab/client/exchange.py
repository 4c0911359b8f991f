"""One request sent and one answer read, or the reason there is none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from zlib import decompressobj
from zlib import error as zlib_error

import httpx

from ..errors import APIConnectionError, APIResponseError, APITimeoutError
from ..printable import plain

# Far above any page of 100 objects; a body without end must not fill the memory.
LARGEST_BODY = 64 * 2**20
SUCCESS = range(200, 300)
# zlib reads gzip and deflate by their own heads; some servers send deflate without one.
ANY_HEAD, NO_HEAD = 47, -15
COMPRESSED = ("gzip", "x-gzip", "deflate")


@dataclass(frozen=True)
class Trouble:
    """Why there is no answer; `arrived` is whether the request may have reached the service."""

    error: type[APIConnectionError | APIResponseError]
    # A transport may quote what it could not send; it is shown only once it was cleaned.
    message: str = field(repr=False)
    arrived: bool = True
    may_pass: bool = True


@dataclass(frozen=True)
class Exchange:
    """What came back: status and body, or trouble (with the status when that had come)."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: bytes = field(default=b"", repr=False)
    trouble: Trouble | None = None

    @property
    def went_well(self) -> bool:
        """Whether a whole answer came, with a status of success."""
        return self.trouble is None and (self.status or 0) in SUCCESS


class RedirectedError(Exception):
    """The service points elsewhere; raised before httpx looks at where."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        super().__init__("redirected")


class TooLargeError(Exception):
    """The body is larger than anything the service has to say."""


# The first kind that fits speaks.
TROUBLES: tuple[tuple[type[Exception], Trouble], ...] = (
    (
        TooLargeError,
        Trouble(APIResponseError, "the body is larger than 64 MiB", may_pass=False),
    ),
    (
        httpx.DecodingError,
        Trouble(APIResponseError, "the body cannot be decompressed", may_pass=False),
    ),
    (httpx.ConnectTimeout, Trouble(APITimeoutError, "no connection in time", arrived=False)),
    (httpx.PoolTimeout, Trouble(APITimeoutError, "no free connection in time", arrived=False)),
    (httpx.TimeoutException, Trouble(APITimeoutError, "no answer in time")),
    (httpx.ConnectError, Trouble(APIConnectionError, "could not connect", arrived=False)),
    (httpx.ProxyError, Trouble(APIConnectionError, "the proxy refused", arrived=False)),
    (
        httpx.LocalProtocolError,
        Trouble(APIConnectionError, "not sendable as HTTP", arrived=False, may_pass=False),
    ),
    (
        httpx.UnsupportedProtocol,
        Trouble(APIConnectionError, "not an HTTP address", arrived=False, may_pass=False),
    ),
    (httpx.RequestError, Trouble(APIConnectionError, "the connection was cut off")),
)


def exchange(http: httpx.Client, request: httpx.Request) -> Exchange:
    """Send one request and read its whole answer; trouble comes back as a value."""
    try:
        response = http.send(request, stream=True)
    except RedirectedError as redirected:
        return redirected.exchange
    except httpx.RequestError as error:
        return Exchange(trouble=_trouble(error))
    with closing(response):
        return _read(response)


def stop_at_redirect(response: httpx.Response) -> None:
    """A response hook: httpx parses the target of a redirect even when told not to follow it."""
    if response.has_redirect_location:
        raise RedirectedError(Exchange(response.status_code, dict(response.headers)))


def _read(response: httpx.Response) -> Exchange:
    status, headers = response.status_code, dict(response.headers)
    try:
        return Exchange(status, headers, _content(response))
    except (httpx.RequestError, TooLargeError) as error:
        return Exchange(status, headers, trouble=_trouble(error))


def _content(response: httpx.Response) -> bytes:
    """The body, decoded piece by piece so that it cannot outgrow the memory on the way."""
    if response.is_stream_consumed:  # a transport without a network had it whole
        return response.content
    decode = _decoder(response.headers.get("content-encoding", ""))
    content, received = bytearray(), 0
    for chunk in response.iter_raw():
        received += len(chunk)
        content += decode(chunk, LARGEST_BODY + 1 - len(content)) if decode else chunk
        if max(len(content), received) > LARGEST_BODY:
            raise TooLargeError
    if decode and received and not decode.is_complete:
        raise httpx.DecodingError("the compressed body ends too early")
    return bytes(content)


class Inflate:
    """Decompresses a body piece by piece, never more than is asked for."""

    def __init__(self) -> None:
        self._zlib, self._begun = decompressobj(ANY_HEAD), False

    def __call__(self, chunk: bytes, most: int) -> bytes:
        """At most `most` bytes of what a piece holds."""
        try:
            return self._decompressed(chunk, most)
        except zlib_error as error:
            raise httpx.DecodingError(str(error)) from None

    def _decompressed(self, chunk: bytes, most: int) -> bytes:
        first, self._begun = not self._begun, True
        try:
            return self._zlib.decompress(chunk, most)
        except zlib_error:
            if not first:
                raise
            self._zlib = decompressobj(NO_HEAD)
            return self._zlib.decompress(chunk, most)

    @property
    def is_complete(self) -> bool:
        """Whether the end of the compressed body was there."""
        return self._zlib.eof


def _decoder(encoding: str) -> Inflate | None:
    """What undoes an encoding; DecodingError for one that was not asked for."""
    names = [name.strip().lower() for name in encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if not names:
        return None
    if len(names) > 1 or names[0] not in COMPRESSED:
        raise httpx.DecodingError(f"its encoding is {plain(encoding, 40)!r}, not gzip or deflate")
    return Inflate()


def _trouble(error: Exception) -> Trouble:
    kind = next(trouble for kind, trouble in TROUBLES if isinstance(error, kind))
    detail = plain(str(error), 200)
    message = f"{kind.message}: {detail}" if detail else kind.message
    return Trouble(kind.error, message, kind.arrived, kind.may_pass)
