"""The connection to a service: signs, sends and reads, within the deadline of the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Self

import httpx

from ..errors.base import ConfigError
from ..loopback import is_loopback
from ..redaction.hiding import hide_frames
from ..redaction.redaction import Redaction
from ..spec.timestamps import from_http
from .base_url import check_encrypted
from .call import Call, DeferredCall
from .deadline import Cap
from .decoding import BODY_BYTES_MAX, WORLD_BYTES_MAX, TooLargeError, read_decoded
from .exchange import (
    HEADER_BYTES_ESTIMATE,
    Attempt,
    Exchange,
    Transport,
    TransportFailure,
    Watcher,
    describe_transport_failure,
    record_call,
)
from .request import CAP, STREAMED, OutgoingRequest
from .request_signer import Sign
from .settings import Settings


class RedirectedError(Exception):
    """A redirect; raised before httpx parses its target."""

    def __init__(self, response: httpx.Response) -> None:
        """Keep the response, whose body is not read."""
        self.response = response
        super().__init__("redirected")


HEADERS = {
    "Accept-Encoding": "gzip, deflate",  # encodings that can be decoded with limited memory
    "Connection": "keep-alive",
    "User-Agent": "paylab",
    "Accept": "application/json",
}


class _NoCookies(httpx.Cookies):
    """Cookies of which none is read or sent: a call must not depend on those before it."""

    def extract_cookies(self, response: httpx.Response) -> None:
        """Read none: httpx would parse each answer as urllib does, for a tenth of a call's time."""

    def set_cookie_header(self, request: httpx.Request) -> None:
        """Send none."""


class _CookielessClient(httpx.Client):
    """An httpx client that keeps no cookies."""

    cookies = _NoCookies()  # type: ignore[override] # nothing sets other ones


def http_client(settings: Settings, transport: Transport | None, cap: Cap) -> httpx.Client:
    """The httpx client of a service: no cookies, no redirects, proxies only off this machine."""
    proxy_transports: Mapping[str, httpx.BaseTransport | None] = {}
    if callable(transport):
        transport = transport()
    elif transport is None:  # The caller of a custom transport decides where it connects.
        from .pool import pool_transport, proxy_mounts  # an embedded simulator needs no httpcore

        check_encrypted(settings.base_url)
        url = httpx.URL(settings.base_url)
        transport = pool_transport(cap, is_encrypted=url.scheme == "https")
        if not is_loopback(url.host.strip("[]")):
            proxy_transports = proxy_mounts(cap)
    return _CookielessClient(
        transport=transport,
        mounts=proxy_transports,
        timeout=settings.timeout,
        headers=HEADERS,
        # The target would receive the API key, with a signature of another address.
        event_hooks={"response": [_stop_at_redirect]},
        trust_env=False,
    )


def _stop_at_redirect(response: httpx.Response) -> None:
    """Raise RedirectedError: httpx parses the target of a redirect that it does not follow."""
    if response.has_redirect_location:
        raise RedirectedError(response)


@dataclass(frozen=True)
class ServiceConnection:
    """Sends one request at a time and gives what came back, with the record of the call.

    `clock` is the wall clock, `perf` a stopwatch, `cap` cuts a wait at the deadline of the call,
    and `place` names the service. Requests to the control API of a simulator have its control
    token instead of a signature, if there is one.
    """

    http: httpx.Client
    sign: Sign
    settings: Settings
    redaction: Redaction
    clock: Callable[[], datetime]
    perf: Callable[[], float]
    cap: Cap
    place: Callable[[], str]
    watchers: Sequence[Watcher] = ()

    def send(self, outgoing: OutgoingRequest, number: int = 1) -> Attempt:
        """Send a request once; an attempt without an answer has the reason, nothing is raised."""
        exchange = self._perform_exchange(outgoing, number)
        # A copy, since a watcher may be added or removed by another thread.
        for watcher in tuple(self.watchers):
            watcher(exchange)
        content = outgoing.content
        body_size = len(content) if isinstance(content, bytes) else 0
        call_size = HEADER_BYTES_ESTIMATE + body_size + len(exchange.content)
        make_call = partial(self._record_attempt, exchange)
        return Attempt(exchange, DeferredCall(make_call, outgoing.path, call_size))

    def close(self) -> None:
        """Close the connections."""
        self.http.close()

    def sign_with(self, sign: Sign) -> Self:
        """The same connection with another signature."""
        return replace(self, sign=sign)

    def _make_request(
        self, outgoing: OutgoingRequest, trace_events: list[tuple[str, float]]
    ) -> httpx.Request:
        """The request with its headers, except those that the signing adds."""
        http_timeout = (
            self.http.timeout if outgoing.timeout is None else httpx.Timeout(outgoing.timeout)
        )
        extensions: dict[str, Any] = {
            "timeout": http_timeout.as_dict(),
            CAP: self.cap,
            "trace": lambda event, _: trace_events.append((event, self.perf())),
        }
        headers = self.http.headers.raw
        content = outgoing.content
        if content is not None:
            headers.append((b"Content-Type", b"application/json"))
            if not isinstance(content, bytes):
                headers.append((b"Content-Length", str(content.length).encode()))
                extensions[STREAMED] = content
        if outgoing.idempotency_key is not None:
            key_header = self.settings.service.idempotency.header
            headers.append((key_header.encode(), outgoing.idempotency_key.encode()))
        request = httpx.Request(
            outgoing.method, outgoing.url, content=content, headers=headers, extensions=extensions
        )
        if outgoing.given_headers:
            request.headers.update(outgoing.given_headers)
        return request

    @hide_frames
    def _perform_exchange(self, outgoing: OutgoingRequest, number: int) -> Exchange:
        """Send a request and read the answer; a failure of the network is noted, not raised."""
        trace_events: list[tuple[str, float]] = []
        request = self._make_request(outgoing, trace_events)
        attempted_at = self.clock()
        if self.http.is_closed:
            raise ConfigError("the connections are closed: make another lab with paylab.connect()")
        self._authorize_request(request, outgoing)
        bytes_max = WORLD_BYTES_MAX if outgoing.is_control else BODY_BYTES_MAX
        response, content, failure = self._receive_answer(request, bytes_max)
        # The wall clock can be set back during a call.
        seconds_elapsed = max(0.0, (self.clock() - attempted_at).total_seconds())
        make_exchange = partial(
            Exchange,
            request=outgoing,
            number=number,
            when=attempted_at,
            elapsed=seconds_elapsed,
            sent=request,
            events=trace_events,
        )
        if response is None:
            return make_exchange(failure=failure)
        headers = dict(response.headers.items())  # three times as fast as without `items`
        # Date has whole seconds and the answer took time: a skew of one or two seconds is none.
        service_date = from_http(headers.get("date", ""))
        skew_seconds = (
            None if service_date is None else (service_date - attempted_at).total_seconds()
        )
        return make_exchange(
            status=response.status_code,
            headers=headers,
            content=content,
            failure=failure,
            skew=skew_seconds,
        )

    @hide_frames
    def _authorize_request(self, request: httpx.Request, outgoing: OutgoingRequest) -> None:
        """Sign a request, or give one to the controls of a shared simulator its token."""
        token = self.settings.control_token
        if token is None or not outgoing.is_control:
            self.sign(request)
            return
        request.headers["X-API-Key"] = self.settings.api_key.reveal()  # chooses one of its worlds
        request.headers["Authorization"] = f"Bearer {token.reveal()}"

    @hide_frames
    def _receive_answer(
        self, request: httpx.Request, bytes_max: int
    ) -> tuple[httpx.Response | None, bytes, TransportFailure | None]:
        """Send a request; return the response, its body, and the failure if one of them is lost.

        The response is None if none began. The body is empty for a redirect.
        """
        response = None
        try:
            # As a stream, so that reading can end at the limit of a body.
            response = self.http.send(request, stream=True)
            with closing(response):
                return response, read_decoded(response, bytes_max), None
        except RedirectedError as redirected:
            return redirected.response, b"", None
        except (httpx.RequestError, TooLargeError) as error:
            return response, b"", describe_transport_failure(error)

    def _record_attempt(self, exchange: Exchange, number: int) -> Call:
        """The record of an attempt, with the mistake in its signature if that was refused."""
        service = self.settings.service
        return record_call(
            exchange,
            self.redaction,
            number=number,
            place=self.place(),
            finding=self._find_signing_mistake(exchange),
            dialect=service.signing,
            key_header=service.idempotency.header,
        )

    @hide_frames
    def _find_signing_mistake(self, exchange: Exchange) -> str | None:
        """The known mistake behind a refused signature; None if there is none, or for an upload."""
        service = self.settings.service
        outgoing_request = exchange.request
        content = outgoing_request.content or b""
        if exchange.status != service.error_codes.signature or not isinstance(content, bytes):
            return None
        from ..signing.comparison import compare  # only a refused signature needs them
        from ..signing.findings import SignedRequest

        signed_request = SignedRequest(outgoing_request.method, str(outgoing_request.url), content)
        # The Date of the answer is the time by which the service judged the signature.
        headers = {**exchange.sent.headers, "date": exchange.headers.get("date", "")}
        secret = self.settings.secret_key.reveal()
        finding = compare(headers, signed_request, secret, signing=service.signing)
        if finding.match:
            return None
        return self.redaction.text(f"{finding.mistake}: {finding.message}")
