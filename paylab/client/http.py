"""Sending: every attempt signed afresh, remembered, and repeated only where that is safe."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from random import Random, SystemRandom
from typing import Any, Self
from urllib.parse import quote
from uuid import UUID

import httpx

from ..doctor import skew_warning
from ..errors import APIStatusError, PaylabError
from ..redaction import Redaction
from ..rules.webhooks import is_loopback
from . import wire
from .address import check_encrypted
from .attempt import Attempts
from .auth import SignatureAuth
from .config import Settings
from .cookies import CookielessClient
from .exchange import Exchange, stop_at_redirect
from .failures import NOTHING_SENT, failure
from .keys import Fresh, Keeper, Order, Ticket
from .later import Later
from .log import CallLog
from .loggers import clean_loggers
from .outgoing import Outgoing, outgoing
from .reading import Answer
from .retries import wait_before_retry
from .upload import Upload

HEADERS = {"User-Agent": "paylab", "Accept": "application/json"}

# The service looked at it and did not carry it out; after a 5xx nobody knows.
REFUSALS = range(400, 500)

log = logging.getLogger("paylab")


def utcnow() -> datetime:
    """The wall clock, aware."""
    return datetime.now(UTC)


class Sender:
    """Sends signed requests; clock, sleep and randomness come in as arguments.

    `calls` holds the latest attempts, oldest first; `keeper` chooses Idempotency-Keys.
    """

    calls_kind: type[CallLog] = CallLog

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
        perf: Callable[[], float] = time.perf_counter,
        keeper: Keeper | None = None,
    ) -> None:
        options = {"max_retries": max_retries, "timeout": timeout}
        given = {name: value for name, value in options.items() if value is not None}
        self.settings = replace(settings, **given)  # type: ignore[arg-type] # int and float
        self.clock, self.sleep, self.random = clock, sleep, random or SystemRandom()
        self.calls: CallLog = self.calls_kind()
        self.keeper: Keeper = keeper or Fresh()
        self._skew_told = False
        self._redaction = Redaction([self.settings.api_key, self.settings.secret_key])
        clean_loggers(self._redaction)
        self._http = _http_client(self.settings, transport)
        self._http.auth = SignatureAuth(self.settings, clock, self.random)
        kind = self.calls_kind.kind
        self._attempts = Attempts(
            self._http, self.settings.secret_key, self._redaction, clock, perf, kind
        )

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
        return self._answer(replace(request, idempotency_key=key))

    def upload(self, path: str, body: Upload) -> Answer:
        """Send a body that is read in pieces, once."""
        request = outgoing(self.settings.base_url, "POST", path, None, None)
        return self._answer(replace(request, content=body))

    def fetch(self, path: str) -> bytes:
        """The body of a GET as it came, for a reader faster than ours; nothing is parsed."""
        return self._send(outgoing(self.settings.base_url, "GET", path, None, None))[0]

    def once(self, path: str, body: Any, key: str | None = None, *, new: bool = False) -> Answer:
        """POST what must not happen twice, with the key the keeper chooses."""
        request = outgoing(self.settings.base_url, "POST", path, body, None)
        content = request.content if isinstance(request.content, bytes) else b""
        ticket = self.keeper.open(Order(path, content, wire.key(key), new, self.new_key))
        if ticket.known is not None:
            answer = self.send("GET", f"{path}/{quote(ticket.known, safe='')}")
            return replace(answer, call=replace(answer.call, replayed=True))
        return self._kept(replace(request, idempotency_key=ticket.key), ticket)

    def _kept(self, request: Outgoing, ticket: Ticket) -> Answer:
        """Send, and tell the ticket how it ended; no answer leaves it open."""
        try:
            answer = self._answer(request)
        except PaylabError as error:
            if isinstance(error, APIStatusError) and error.status in REFUSALS:
                ticket.refused(error.status)
            elif error.hint != NOTHING_SENT:
                error.hint = ticket.lost or error.hint
            raise
        made = answer.body.get("id") if isinstance(answer.body, dict) else None
        status = answer.call.status or 0
        ticket.answered(status, str(made or ""), replayed=answer.call.replayed)
        return answer

    def _answer(self, request: Outgoing) -> Answer:
        content, later = self._send(request)
        return Answer.of(content, later.call)

    def _send(self, request: Outgoing) -> tuple[bytes, Later]:
        for attempt in count(1):
            result, later = self._attempt(request, attempt)
            wait = self._wait(request, result, attempt)
            if wait is None:
                return self._content(request, result, later), later
            log.debug("trying again in %.2f s", wait)
            self.sleep(wait)
        raise AssertionError("count() does not end")

    def _wait(self, request: Outgoing, result: Exchange, attempt: int) -> float | None:
        if attempt > self.settings.max_retries:
            return None
        return wait_before_retry(request, result, attempt, self.clock(), self.random)

    def _attempt(self, outgoing: Outgoing, attempt: int) -> tuple[Exchange, Later]:
        result, later = self._attempts.make(outgoing, attempt)
        self.calls.keep(later)
        if not later.patient or log.isEnabledFor(logging.DEBUG):
            log.debug("%s", later.call)
        self._tell_skew(later.skew)
        return result, later

    def _tell_skew(self, skew: float | None) -> None:
        """Say once that the clocks drift apart, before it becomes an error."""
        warning = skew_warning(skew)
        if warning and not self._skew_told:
            log.warning("%s", warning)
        self._skew_told = warning is not None

    def _content(self, outgoing: Outgoing, result: Exchange, later: Later) -> bytes:
        if not result.went_well:
            raise failure(outgoing, result, later.call, self._redaction)
        return result.content


def _http_client(settings: Settings, transport: httpx.BaseTransport | None) -> httpx.Client:
    url = httpx.URL(settings.base_url)
    if transport is None:  # One that is given answers for where it leads.
        check_encrypted(settings.base_url)
    return CookielessClient(
        transport=transport,
        timeout=settings.timeout,
        headers=HEADERS,
        follow_redirects=False,
        event_hooks={"response": [stop_at_redirect]},
        # Proxies from the environment serve people behind one; what is meant for this
        # machine must not leave it.
        trust_env=not is_loopback(url.host.strip("[]")),
        # Plain http has nothing to verify, and loading the certificates takes 30 ms.
        verify=url.scheme == "https",
    )
