"""Sending: every attempt signed afresh, remembered, and repeated only where that is safe."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from itertools import count
from random import Random, SystemRandom
from typing import Any, Self
from uuid import UUID

import httpx

from ..rules.webhooks import is_loopback
from . import wire
from .address import check_encrypted
from .auth import SignatureAuth
from .call import Call
from .config import Settings
from .exchange import Exchange, exchange, stop_at_redirect
from .failures import failure
from .outgoing import Outgoing, outgoing
from .reading import Answer
from .redaction import Redaction
from .retries import wait_before_retry
from .upload import Upload

REMEMBERED_CALLS = 200
HEADERS = {"User-Agent": "paylab", "Accept": "application/json"}

log = logging.getLogger("paylab")


def utcnow() -> datetime:
    """The wall clock, aware."""
    return datetime.now(UTC)


class Sender:
    """Sends signed requests; clock, sleep and randomness come in as arguments.

    `calls` holds the latest attempts, oldest first.
    """

    def __init__(  # noqa: PLR0913 - each is a door to the world that a test or a simulator shuts
        self,
        settings: Settings,
        *,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], datetime] = utcnow,
        sleep: Callable[[float], None] = time.sleep,
        random: Random | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> None:
        options = {"max_retries": max_retries, "timeout": timeout}
        given = {name: value for name, value in options.items() if value is not None}
        self.settings = replace(settings, **given)  # type: ignore[arg-type] # int and float
        self.clock, self.sleep, self.random = clock, sleep, random or SystemRandom()
        self.calls: deque[Call] = deque(maxlen=REMEMBERED_CALLS)
        self._redaction = Redaction([self.settings.api_key, self.settings.secret_key])
        self._http = _http_client(self.settings, transport)
        self._http.auth = SignatureAuth(self.settings, clock, self.random)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.settings.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def new_key(self) -> str:
        """A new Idempotency-Key: a UUID4 in its 36 characters."""
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Send any signed request and return the decoded JSON of its answer."""
        key = idempotency_key
        return self.send(method, path, json=json, params=params, idempotency_key=key).body

    def send(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        params: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Send a request, again where that is safe, and read its answer or raise why not."""
        request = outgoing(self.settings.base_url, method, path, json, params)
        key = wire.header("idempotency_key", idempotency_key)
        return self._send(replace(request, idempotency_key=key))

    def upload(self, path: str, body: Upload) -> Answer:
        """Send a body that is read in pieces, once."""
        request = outgoing(self.settings.base_url, "POST", path, None, None)
        return self._send(replace(request, content=body))

    def _send(self, request: Outgoing) -> Answer:
        for attempt in count(1):
            result, call = self._attempt(request, attempt)
            wait = self._wait(request, result, attempt)
            if wait is None:
                return self._answer(request, result, call)
            log.debug("trying again in %.2f s", wait)
            self.sleep(wait)
        raise AssertionError("count() does not end")

    def _wait(self, request: Outgoing, result: Exchange, attempt: int) -> float | None:
        if attempt > self.settings.max_retries:
            return None
        return wait_before_retry(request, result, attempt, self.clock(), self.random)

    def _attempt(self, outgoing: Outgoing, attempt: int) -> tuple[Exchange, Call]:
        request = self._http.build_request(
            outgoing.method,
            outgoing.url,
            content=outgoing.content,
            headers=outgoing.headers,
            extensions=outgoing.extensions,
        )
        call = Call(
            when=self.clock(),
            method=outgoing.method,
            path=outgoing.path,
            url=str(outgoing.url),
            attempt=attempt,
            idempotency_key=outgoing.idempotency_key,
        )
        result = exchange(self._http, request)
        call = self._finished(call, request, result)
        self.calls.append(call)
        log.debug("%s", call)
        return result, call

    def _finished(self, call: Call, request: httpx.Request, result: Exchange) -> Call:
        trouble = result.trouble
        return replace(
            call,
            status=result.status,
            elapsed=max(0.0, (self.clock() - call.when).total_seconds()),
            replayed=result.headers.get("idempotency-replayed", "").lower() == "true",
            request_headers=self._redaction.headers(request.headers),
            response_headers=self._redaction.headers(result.headers),
            error=self._redaction.text(trouble.message) if trouble else None,
        )

    def _answer(self, outgoing: Outgoing, result: Exchange, call: Call) -> Answer:
        error = failure(outgoing, result, call, self._redaction)
        if error is not None:
            raise error
        return Answer.of(result.content, call)


def _http_client(settings: Settings, transport: httpx.BaseTransport | None) -> httpx.Client:
    url = httpx.URL(settings.base_url)
    if transport is None:  # One that is given answers for where it leads.
        check_encrypted(settings.base_url)
    return httpx.Client(
        transport=transport,
        timeout=settings.timeout,
        headers=HEADERS,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        follow_redirects=False,
        event_hooks={"response": [stop_at_redirect]},
        # Proxies from the environment serve people behind one; what is meant for this
        # machine must not leave it.
        trust_env=not is_loopback(url.host.strip("[]")),
        # Plain http has nothing to verify, and loading the certificates takes 30 ms.
        verify=url.scheme == "https",
    )
