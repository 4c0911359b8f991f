"""The service behind the proxy: one request, one answer, never repeated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing

import httpx

from ..client.connection import http_client
from ..client.deadline import UPLOAD_BYTES_PER_SECOND_MIN, Deadline
from ..client.decoding import TooLargeError, read_decoded
from ..client.exchange import Transport
from ..client.settings import Settings
from ..logs import log
from ..signing.canonical import ReceivedRequest
from ..simulator.messages import NO_CONTENT, Reply
from ..spec.service.value_types import HEADER_NAME
from ..spec.text import plain

ANSWER_BYTES_MAX = 64 * 1024 * 1024
"""Maximum bytes of an answer; a larger one is not sent on."""

HTTP_STATUSES = range(200, 600)
"""The statuses that an answer can be sent on with."""

HOP_HEADERS = frozenset(
    {
        *("connection", "expect", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    }
)
"""The headers of one connection, which are not sent on."""

_HEADER_VALUE = re.compile(r"[^\x00\r\n\f\v]*")
"""A value that a header of HTTP can have."""

_DECODED = ("content-encoding", "content-length")
_SENT = "the request was sent"
_MAY_BE_DONE = "it may have been carried out"


class UpstreamError(Exception):
    """There is no answer of the service: the status to send instead, and what happened."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class RedirectAnswerError(Exception):
    """A redirect with its body; raised before httpx parses its target and closes it."""

    def __init__(self, response: httpx.Response) -> None:
        """Read the body of a redirect before its connection is closed."""
        super().__init__("redirected")
        self.response = response
        self.body = read_decoded(response, ANSWER_BYTES_MAX)


def _stop_at_redirect(response: httpx.Response) -> None:
    """Raise RedirectAnswerError for a redirect: the client must see it, not its target."""
    if response.has_redirect_location:
        raise RedirectAnswerError(response)


class Upstream:
    """Sends requests to a service as they are, without redirects, cookies or repetitions."""

    def __init__(self, settings: Settings, transport: Transport | None = None) -> None:
        """Make the HTTP client, which follows no redirect."""
        self._deadline = Deadline()
        self._timeout = settings.timeout
        self._http = http_client(settings, transport, self._deadline.cap)
        self._http.event_hooks = {"response": [_stop_at_redirect]}
        base_url = httpx.URL(settings.base_url)
        self._origin = f"{base_url.scheme}://{base_url.netloc.decode()}"
        self.host = base_url.netloc.decode()

    def send(self, request: ReceivedRequest) -> Reply:
        """Send a request, and return the answer; UpstreamError says why there is none."""
        upload_seconds = len(request.body) / UPLOAD_BYTES_PER_SECOND_MIN
        with self._deadline.within(self._timeout + upload_seconds):
            built_request = self._build_request(request)
            try:
                return self._exchange(built_request)
            except UpstreamError:
                raise
            except (httpx.RequestError, TooLargeError) as error:
                raise self._make_upstream_error(error) from None
            except Exception as error:
                log.exception("the proxy cannot read an answer")
                error_text = f"the answer of {self.host} cannot be read ({type(error).__name__})"
                raise UpstreamError(502, f"{error_text}: {_SENT}, {_MAY_BE_DONE}") from error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _build_request(self, request: ReceivedRequest) -> httpx.Request:
        """Build the request of httpx, whose target is exactly that of the request line."""
        request_target = f"{request.path}?{request.query}" if request.query else request.path
        extensions = {
            "target": request_target.encode("latin-1"),
            "timeout": httpx.Timeout(self._timeout).as_dict(),
        }
        header_pairs = [
            (header_name.encode("latin-1"), header_value.encode("latin-1"))
            for header_name, header_value in sendable_headers(request.headers).items()
        ]
        return httpx.Request(
            request.method,
            self._origin,
            headers=header_pairs,
            content=request.body or None,
            extensions=extensions,
        )

    def _exchange(self, request: httpx.Request) -> Reply:
        """Send a request and read its answer within the limits."""
        try:
            response = self._http.send(request, stream=True)
        except RedirectAnswerError as redirect:
            response = redirect.response
            body = redirect.body
        else:
            with closing(response):
                body = read_decoded(response, ANSWER_BYTES_MAX)
        if response.status_code not in HTTP_STATUSES:
            error_text = (
                f"{self.host} answered with {response.status_code}, which is no status of HTTP"
            )
            raise UpstreamError(502, f"{error_text}: {_MAY_BE_DONE}")
        headers = {
            header_name: header_value
            for header_name, header_value in sendable_headers(_read_headers(response)).items()
            if header_name not in _DECODED
        }
        invalid_name = _find_invalid_header(headers)
        if invalid_name is not None:
            error_text = (
                f"{self.host} answered with the header {invalid_name!r:.60}, which is none of HTTP"
            )
            raise UpstreamError(502, f"{error_text}: {_SENT}, {_MAY_BE_DONE}")
        if response.status_code == NO_CONTENT:
            body = b""
        return Reply(response.status_code, body, headers)

    def _make_upstream_error(self, error: httpx.RequestError | TooLargeError) -> UpstreamError:
        """Make the error for a failed request: its status, and whether the request was sent."""
        if isinstance(error, TooLargeError):
            error_text = f"the answer of {self.host} is larger than {ANSWER_BYTES_MAX} bytes"
            return UpstreamError(502, f"{error_text}: {_MAY_BE_DONE}")
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            reason = plain(str(error), 100) or "no connection"
            return UpstreamError(502, f"cannot connect to {self.host} ({reason}): nothing was sent")
        if isinstance(error, httpx.TimeoutException):
            error_text = f"{self.host} did not answer within {self._timeout:g} seconds"
            return UpstreamError(504, f"{error_text}: {_MAY_BE_DONE}")
        if isinstance(error, httpx.DecodingError):
            error_text = f"the answer of {self.host} cannot be decoded"
            return UpstreamError(502, f"{error_text}: {_SENT}, {_MAY_BE_DONE}")
        error_text = f"{self.host} closed the connection without a whole answer"
        return UpstreamError(502, f"{error_text}: {_MAY_BE_DONE}")


def _read_headers(response: httpx.Response) -> dict[str, str]:
    """Read the headers by lower-case name, with the bytes that came; repeated ones are joined."""
    headers: dict[str, str] = {}
    for name_bytes, value_bytes in response.headers.raw:
        header_name = name_bytes.decode("latin-1").lower()
        header_value = value_bytes.decode("latin-1").strip(" \t")
        if header_name in headers:
            header_value = f"{headers[header_name]}, {header_value}"
        headers[header_name] = header_value
    return headers


def _find_invalid_header(headers: Mapping[str, str]) -> str | None:
    """The name of the first header that HTTP does not allow, or None.

    Only a service in this process can answer with one; httpx refuses it from others.
    """
    for header_name, header_value in headers.items():
        is_name = HEADER_NAME.fullmatch(header_name) is not None
        if not is_name or not _HEADER_VALUE.fullmatch(header_value):
            return header_name
    return None


def sendable_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Copy headers by lower-case name, without those that are for one connection only.

    They are left out by their name in `HOP_HEADERS`, or since the header Connection lists them.
    """
    listed_names = {
        header_name.strip().lower() for header_name in headers.get("connection", "").split(",")
    }
    dropped_names = HOP_HEADERS | listed_names
    return {
        header_name: header_value
        for header_name, header_value in headers.items()
        if header_name not in dropped_names
    }
