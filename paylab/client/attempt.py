"""One attempt: sending, timing, and the record of the call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import httpx

from ..redaction.redaction import Redaction
from ..signing.canonical import Signature
from ..spec.service import Service
from .call import Call, Later, recorded_body
from .clock import Stopwatch, skew
from .exchange import Exchange, exchange
from .request import SIGNATURE, Outgoing
from .settings import Secret

TEACHING = b"document"
"""A body with this is cleaned at once: it holds what must be hidden in others too."""

Watcher = Callable[[Outgoing, Exchange, datetime], None]
"""Told of each attempt: the request, what came back, and when it was sent."""


@dataclass(frozen=True)
class Attempts:
    """Makes attempts: the connection, the wall clock, the stopwatch and the redaction.

    With the secret and the settings of the service a refused signature is checked. `auth` signs
    in place of the connection's own.
    """

    http: httpx.Client
    secret: Secret
    redaction: Redaction
    clock: Callable[[], datetime]
    perf: Callable[[], float]
    service: Service
    watchers: Sequence[Watcher] = ()
    auth: httpx.Auth | None = None

    def make(self, outgoing: Outgoing, attempt: int) -> tuple[Exchange, Later]:
        """Send once; returns the exchange and the deferred call record."""
        watch = Stopwatch(self.perf)
        request = self._request(outgoing, watch)
        when = self.clock()
        result = exchange(self.http, request, self.auth)
        for watcher in tuple(self.watchers):
            watcher(outgoing, result, when)
        facts = {
            "when": when,
            "attempt": attempt,
            "elapsed": max(0.0, (self.clock() - when).total_seconds()),
            "spent": watch.spent(),
            "skew": (ahead := skew(result.headers, when)),
        }
        make = partial(self._call, outgoing, request, result, facts)
        size, patient = len(result.content), _patient(outgoing, result)
        return result, Later(make, outgoing.path, size, ahead, patient=patient)

    def _request(self, outgoing: Outgoing, watch: Stopwatch) -> httpx.Request:
        """The httpx request: headers and timeout of the client, no cookies."""
        timeout = self.http.timeout if outgoing.timeout is None else httpx.Timeout(outgoing.timeout)
        request = httpx.Request(
            outgoing.method,
            outgoing.url,
            content=outgoing.content,
            headers=[*self.http.headers.raw, *_raw(outgoing.headers)],
            extensions={**outgoing.extensions, "trace": watch, "timeout": timeout.as_dict()},
        )
        if outgoing.given_headers:
            request.headers.update(outgoing.given_headers)
        return request

    def _call(
        self,
        outgoing: Outgoing,
        request: httpx.Request,
        result: Exchange,
        known: dict[str, Any],
        number: int,
    ) -> Call:
        """The record of an attempt, without its secrets."""
        facts = self._asked(outgoing, request) | self._answered(result)
        facts["finding"] = self._finding(outgoing, request, result)
        return Call(number=number, **known, **facts)

    def _finding(self, outgoing: Outgoing, request: httpx.Request, result: Exchange) -> str | None:
        """The known mistake behind a refused signature, judged by the service's clock."""
        content = outgoing.content or b""
        if result.status != self.service.error_codes.signature or not isinstance(content, bytes):
            return None
        from ..signing.comparison import compare  # only a refused signature needs them
        from ..signing.findings import Request

        asked = Request(outgoing.method, str(outgoing.url), content)
        headers = {**request.headers, "date": result.headers.get("date", "")}
        found = compare(headers, asked, self.secret.reveal(), signing=self.service.signing)
        return None if found.match else self.redaction.text(f"{found.mistake}: {found.message}")

    def _asked(self, outgoing: Outgoing, request: httpx.Request) -> dict[str, Any]:
        clean = self.redaction
        signature = request.extensions.get(SIGNATURE) or Signature("", "", "")
        return {
            "method": outgoing.method,
            "request_body": recorded_body(
                outgoing.content, clean, outgoing.length, outgoing.digest
            ),  # first: it teaches what to hide
            "path": clean.text(outgoing.path),
            "url": clean.text(str(outgoing.url)),
            "idempotency_key": outgoing.idempotency_key,
            "request_headers": clean.headers(request.headers),
            "canonical": clean.text(signature.canonical),
            "payload": signature.payload,
        }

    def _answered(self, result: Exchange) -> dict[str, Any]:
        clean, trouble = self.redaction, result.trouble
        replayed = result.headers.get("idempotency-replayed", "").lower() == "true"
        return {
            "status": result.status,
            "replayed": replayed,
            "response_body": recorded_body(result.content, clean),
            "response_headers": clean.headers(result.headers),
            "error": clean.text(trouble.message) if trouble else None,
        }


def _patient(outgoing: Outgoing, result: Exchange) -> bool:
    """Whether the record can be built later: a 2xx answer to a GET without document numbers."""
    read = outgoing.method == "GET" and outgoing.content is None and result.went_well
    return read and TEACHING not in result.content


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()]
