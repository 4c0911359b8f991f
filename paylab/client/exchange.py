"""One request sent and one answer read, or the reason there is none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field

import httpx

from ..errors import APIConnectionError, APIResponseError, APITimeoutError
from .plain import plain

# Far above any page of 100 objects; a body without end must not fill the memory.
LARGEST_BODY = 64 * 2**20
SUCCESS = range(200, 300)


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
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > LARGEST_BODY:
            raise TooLargeError
    return bytes(content)


def _trouble(error: Exception) -> Trouble:
    kind = next(trouble for kind, trouble in TROUBLES if isinstance(error, kind))
    detail = plain(str(error), 200)
    message = f"{kind.message}: {detail}" if detail else kind.message
    return Trouble(kind.error, message, kind.arrived, kind.may_pass)
