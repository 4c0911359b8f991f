"""Sends one request and reads its answer within the deadline of the call."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakSet
from zlib import decompressobj
from zlib import error as zlib_error

import httpcore
import httpx

from ..errors import APIConnectionError, APIResponseError, APITimeoutError
from ..redaction.redaction import Redaction
from ..spec.text import plain

TIMES = 4
"""All attempts of a call together may take so many times its timeout; pauses are not counted."""

SLOWEST = 50_000
"""Bytes a second at which an upload is still waited for."""
BODY_HASH = "paylab.body_hash"
OUTLINE = "paylab.outline"
"""Extensions of a request whose body is read in pieces: its SHA-256, its fields without images."""


class Deadline(threading.local):
    """The deadline of the current call, per thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = math.inf

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Set a deadline in seconds; a nested call has its own."""
        before = self._at
        self._at = self._clock() + seconds
        try:
            yield
        finally:
            self._at = before

    def extend(self, seconds: float) -> None:
        """Extend the deadline by a pause."""
        self._at += seconds

    def left(self) -> float:
        """Seconds left; 0 or less when the deadline has passed."""
        return self._at - self._clock()

    def cap(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float | None:
        """A timeout cut to the time left; an error when none is left."""
        left = self.left()
        if left <= 0:
            raise error("the deadline of the whole call has passed")
        if left == math.inf:
            return timeout
        return left if timeout is None else min(timeout, left)


class BoundedStream(httpcore.NetworkStream):
    """A connection whose waits end at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes."""
        left = self._deadline.cap(timeout, httpcore.ReadTimeout)
        try:
            return self._stream.read(max_bytes, left)
        except httpcore.ReadTimeout:
            self._deadline.cap(None, httpcore.ReadTimeout)  # it was the deadline that ended it
            raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes."""
        self._stream.write(buffer, self._deadline.cap(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        left = self._deadline.cap(timeout, httpcore.ConnectTimeout)
        stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return BoundedStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Information about the connection."""
        return self._stream.get_extra_info(info)


class BoundedBackend(httpcore.NetworkBackend):
    """Opens connections that keep a deadline."""

    def __init__(self, backend: httpcore.NetworkBackend, deadline: Deadline) -> None:
        self._backend, self._deadline = backend, deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to a host."""
        left = self._deadline.cap(timeout, httpcore.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, left, local_address, socket_options)
        return BoundedStream(stream, self._deadline)

    def sleep(self, seconds: float) -> None:
        """Pause between attempts to connect."""
        self._backend.sleep(seconds)


def bound(http: httpx.Client, deadline: Deadline) -> None:
    """Make the connections of a client keep a deadline; other transports are left alone."""
    # httpx has no argument for the network backend of the pools that it makes.
    for transport in (http._transport, *http._mounts.values()):
        pool = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = BoundedBackend(pool._network_backend, deadline)


class NoCookies(httpx.Cookies):
    """A cookie jar that ignores every cookie."""

    def extract_cookies(self, response: httpx.Response) -> None:
        """Ignore the cookies of an answer."""


NONE = NoCookies()


class CookielessClient(httpx.Client):
    """An httpx client that never sends a cookie."""

    @property
    def cookies(self) -> httpx.Cookies:
        """Always empty."""
        return NONE

    @cookies.setter
    def cookies(self, cookies: object) -> None:
        """Ignore them."""


NAMES = ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy")))


class Cleaning(logging.Filter):
    """A log filter that redacts every record and drops none."""

    def __init__(self) -> None:
        super().__init__()
        self.redactions: WeakSet[Redaction] = WeakSet()

    def filter(self, record: logging.LogRecord) -> bool:
        """Replace the record's text when something was redacted."""
        said = clean = record.getMessage()
        for redaction in tuple(self.redactions):
            clean = redaction.text(clean)
        if clean != said:
            record.msg, record.args = clean, ()
        return True


_CLEANING = Cleaning()
"""Loggers belong to the whole process, and so does what cleans them."""


def clean_loggers(redaction: Redaction) -> None:
    """Redact the log records of other libraries while this redaction exists."""
    _CLEANING.redactions.add(redaction)
    for name in NAMES:
        logging.getLogger(name).addFilter(_CLEANING)


# Far above any page of 100 objects; a body without end must not fill the memory.
LARGEST_BODY = 8 * 2**20
SUCCESS = range(200, 300)
# zlib reads gzip and deflate by their own heads; some servers send deflate without one.
ANY_HEAD, NO_HEAD = 47, -15
COMPRESSED = ("gzip", "x-gzip", "deflate")


@dataclass(frozen=True)
class Trouble:
    """Why there is no answer; `arrived` says whether the request may have reached the service.

    `kind` is the name of the exception behind it, and `detail` what that says.
    """

    error: type[APIConnectionError | APIResponseError]
    # A transport may quote what it could not send; it is shown only once it was cleaned.
    message: str = field(repr=False)
    arrived: bool = True
    may_pass: bool = True
    kind: str = ""
    detail: str = field(default="", repr=False)


@dataclass(frozen=True)
class Exchange:
    """The response: status and body, or trouble (with the status if it had arrived)."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    content: bytes = field(default=b"", repr=False)
    trouble: Trouble | None = None

    @property
    def went_well(self) -> bool:
        """Whether the whole answer arrived with a 2xx status."""
        return self.trouble is None and (self.status or 0) in SUCCESS


class RedirectedError(Exception):
    """A redirect; raised before httpx parses its target."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        super().__init__("redirected")


class TooLargeError(Exception):
    """The body is larger than the limit."""


# The first kind that fits speaks.
TROUBLES: tuple[tuple[type[Exception], Trouble], ...] = (
    (
        TooLargeError,
        Trouble(APIResponseError, "the body is larger than 8 MiB", may_pass=False),
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


def exchange(
    http: httpx.Client, request: httpx.Request, auth: httpx.Auth | None = None
) -> Exchange:
    """Send one request and read its whole answer; trouble is returned as a value.

    `auth` signs it in place of the client's own.
    """
    try:
        response = http.send(request, stream=True, auth=auth or http.auth)
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
    """The body, decoded in pieces so that memory stays bounded."""
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
    """Decompresses a body in pieces of bounded size."""

    def __init__(self) -> None:
        self._zlib, self._begun = decompressobj(ANY_HEAD), False

    def __call__(self, chunk: bytes, most: int) -> bytes:
        """Decompress at most `most` bytes."""
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
        """Whether the compressed body ended properly."""
        return self._zlib.eof


def _decoder(encoding: str) -> Inflate | None:
    """The decoder of a content encoding; DecodingError for one that was not requested."""
    names = [name.strip().lower() for name in encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if not names:
        return None
    if len(names) > 1 or names[0] not in COMPRESSED:
        raise httpx.DecodingError(f"its encoding is {plain(encoding, 40)!r}, not gzip or deflate")
    return Inflate()


def _trouble(error: Exception) -> Trouble:
    kind, known = next(row for row in TROUBLES if isinstance(error, row[0]))
    detail = plain(str(error), 200)
    message = f"{known.message}: {detail}" if detail else known.message
    return replace(known, message=message, kind=kind.__name__, detail=detail)
