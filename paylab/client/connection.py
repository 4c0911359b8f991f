"""The connection to a service: signs, sends and reads, within the deadline of the call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from ..loopback import is_loopback
from ..redaction.hiding import hide_frames
from ..redaction.redaction import Redaction
from ..signing.snippets import DIALECT
from ..spec.timestamps import from_http
from .base_url import check_encrypted
from .call import ROUGHLY, Call, DeferredCall, recorded_call, trouble_of
from .deadline import Cap
from .decoding import LARGEST_WORLD, TooLargeError, read_decoded
from .request import BODY_HASH, CONTROLS, OUTLINE, ControlAuth, Exchange, OutgoingRequest
from .settings import Settings

utcnow = partial(datetime.now, UTC)
"""The current time, aware, in UTC."""


class RedirectedError(Exception):
    """A redirect; raised before httpx parses its target."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        super().__init__("redirected")


HEADERS = {
    "Accept-Encoding": "gzip, deflate",  # encodings that can be decoded with limited memory
    "Connection": "keep-alive",
    "User-Agent": "paylab",
    "Accept": "application/json",
}

TEACHING = b"document"
"""A body with this is redacted at once: its document numbers are hidden in later bodies too."""
SHARED = b'"token"'
"""The same of a body that is sent: it may hold a share token."""

Watcher = Callable[[OutgoingRequest, Exchange, datetime], None]
"""Told of each attempt: the request, what came back, and when it was sent."""


def http_client(
    settings: Settings, transport: httpx.BaseTransport | None, cap: Cap
) -> httpx.Client:
    """The httpx client of a service: no cookies, no redirects, proxies only off this machine."""
    url = httpx.URL(settings.base_url)
    if transport is None:  # The caller of a custom transport decides where it connects.
        check_encrypted(settings.base_url)
    client = httpx.Client(
        transport=transport,
        timeout=settings.timeout,
        headers=HEADERS,
        # A stored cookie would make a call depend on those before it.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        # The target would receive the API key, with a signature of another address.
        follow_redirects=False,
        event_hooks={"response": [_stop_at_redirect]},
        # Proxies from the environment are used, but not for requests to this
        # machine.
        trust_env=not is_loopback(url.host.strip("[]")),
        # Plain http needs no certificates, whose loading takes 30 ms.
        verify=url.scheme == "https",
    )
    # httpx has no argument for the network backend of the pools that it makes.
    for mounted in (client._transport, *client._mounts.values()):
        pool = getattr(mounted, "_pool", None)
        if pool is not None:
            from .bounded import BoundedBackend  # an embedded simulator needs no httpcore

            pool._network_backend = BoundedBackend(pool._network_backend, cap)
    return client


def _stop_at_redirect(response: httpx.Response) -> None:
    """httpx parses the target of a redirect even when told not to follow it."""
    if response.has_redirect_location:
        raise RedirectedError(response)


@dataclass(frozen=True)
class ServiceConnection:
    """Sends one request at a time and gives what came back, with the record of the call.

    `auth` signs, `clock` is the wall clock and `perf` a stopwatch. Requests to the control API of a
    simulator have its control token instead of a signature, if the settings have one.
    """

    http: httpx.Client
    auth: httpx.Auth
    settings: Settings
    redaction: Redaction
    clock: Callable[[], datetime]
    perf: Callable[[], float]
    watchers: Sequence[Watcher] = ()

    def send(self, outgoing: OutgoingRequest, attempt: int = 1) -> tuple[Exchange, DeferredCall]:
        """Send once; trouble is returned as a value."""
        events: list[tuple[str, float]] = []
        timeout = self.http.timeout if outgoing.timeout is None else httpx.Timeout(outgoing.timeout)
        extensions = {
            "timeout": timeout.as_dict(),
            "trace": lambda event, _: events.append((event, self.perf())),
        }
        if outgoing.digest is not None:
            extensions |= {BODY_HASH: outgoing.digest, OUTLINE: outgoing.outline}
        headers = self.http.headers.raw
        if outgoing.content is not None:
            headers.append((b"Content-Type", b"application/json"))
        if outgoing.length is not None:
            headers.append((b"Content-Length", str(outgoing.length).encode()))
        if outgoing.idempotency_key is not None:
            headers.append((b"Idempotency-Key", outgoing.idempotency_key.encode()))
        request = httpx.Request(
            *(outgoing.method, outgoing.url),
            content=outgoing.content,
            headers=headers,
            extensions=extensions,
        )
        if outgoing.given_headers:
            request.headers.update(outgoing.given_headers)
        when = self.clock()
        exchange = self._exchanged(request, when, self._auth(outgoing))
        # A copy, since a watcher may be added or removed by another thread.
        for watcher in tuple(self.watchers):
            watcher(outgoing, exchange, when)
        known = {
            "when": when,
            "attempt": attempt,
            # The wall clock can be set back during a call.
            "elapsed": max(0.0, (self.clock() - when).total_seconds()),
            "skew": exchange.skew,
        }
        make = partial(self._record, outgoing, request, exchange, events, known)
        sent = outgoing.content if isinstance(outgoing.content, bytes) else b""
        # Twice as fast as `in`.
        taught = outgoing.digest or max(sent.rfind(TEACHING), exchange.content.rfind(TEACHING)) >= 0
        # A document is an object with a type and a number, whatever its name is.
        taught = taught or (b"number" in sent and b"type" in sent) or SHARED in sent
        patient = exchange.went_well and not taught
        size = ROUGHLY + len(sent) + len(exchange.content)
        return exchange, DeferredCall(make, outgoing.path, size, patient=patient)

    def _auth(self, outgoing: OutgoingRequest) -> httpx.Auth:
        token = self.settings.control_token
        if token is None or not outgoing.is_control:
            return self.auth
        return ControlAuth(self.settings.api_key, token)

    @hide_frames
    def _exchanged(self, request: httpx.Request, when: datetime, auth: httpx.Auth) -> Exchange:
        """Send a request and read the whole answer."""
        response, content, trouble = None, b"", None
        try:
            # As a stream, so that reading can end at the limit of a body.
            response = self.http.send(request, stream=True, auth=auth)
            with closing(response):
                is_control = request.url.path.startswith(CONTROLS)
                content = read_decoded(response, LARGEST_WORLD if is_control else None)
        except RedirectedError as redirected:
            response = redirected.response
        except (httpx.RequestError, TooLargeError) as error:
            trouble = trouble_of(error)
        if response is None:
            return Exchange(trouble=trouble)
        headers = dict(response.headers.items())  # three times as fast as without `items`
        # Date has whole seconds and the answer took time, so one or two seconds mean nothing.
        date = from_http(headers.get("date", ""))
        skew = None if date is None else (date - when).total_seconds()
        return Exchange(response.status_code, headers, content, trouble, skew)

    @hide_frames
    def _record(  # noqa: PLR0913 - what is known of an attempt
        self,
        outgoing: OutgoingRequest,
        request: httpx.Request,
        exchange: Exchange,
        events: list[tuple[str, float]],
        known: dict[str, Any],
        number: int,
    ) -> Call:
        """The record of an attempt; of a refused signature with the known mistake behind it."""
        finding, service = None, self.settings.service
        content = outgoing.content or b""
        if exchange.status == service.error_codes.signature and isinstance(content, bytes):
            from ..signing.comparison import compare  # only a refused signature needs them
            from ..signing.findings import SignedRequest

            asked = SignedRequest(outgoing.method, str(outgoing.url), content)
            # Judged by the service's clock.
            headers = {**request.headers, "date": exchange.headers.get("date", "")}
            secret = self.settings.secret_key.reveal()
            found = compare(headers, asked, secret, signing=service.signing)
            if not found.match:
                finding = self.redaction.text(f"{found.mistake}: {found.message}")
        facts = {**known, "number": number, "finding": finding}
        facts |= {name: getattr(service.signing, name) for name in DIALECT}
        return recorded_call(outgoing, request, exchange, self.redaction, events, **facts)
