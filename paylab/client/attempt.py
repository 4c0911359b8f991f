"""One attempt: sent, timed, and turned into the call that is remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import httpx

from .. import doctor
from ..doctor import skew
from ..redaction import Redaction
from ..signing import Signature
from .auth import SIGNATURE
from .body import body
from .call import Call
from .exchange import Exchange, exchange
from .outgoing import Outgoing
from .secret import Secret
from .timing import Stopwatch

UNAUTHORIZED = 401


@dataclass(frozen=True)
class Attempts:
    """Makes attempts: the connection, two clocks (of the day, and for measuring), the redaction.

    With the secret a refused signature is looked at by the doctor.
    """

    http: httpx.Client
    secret: Secret
    redaction: Redaction
    clock: Callable[[], datetime]
    perf: Callable[[], float]
    kind: type[Call]

    def make(self, outgoing: Outgoing, attempt: int) -> tuple[Exchange, Call]:
        """Send once; what came back, and the account of it."""
        watch = Stopwatch(self.perf)
        request = self.http.build_request(
            outgoing.method,
            outgoing.url,
            content=outgoing.content,
            headers=outgoing.headers,
            extensions={**outgoing.extensions, "trace": watch},
        )
        when = self.clock()
        result = exchange(self.http, request)
        elapsed = max(0.0, (self.clock() - when).total_seconds())
        facts = self._asked(outgoing, request) | self._answered(result)
        spent = watch.spent()
        facts["finding"] = self._finding(outgoing, request, result)
        call = self.kind(when=when, attempt=attempt, elapsed=elapsed, spent=spent, **facts)
        return result, call

    def _finding(self, outgoing: Outgoing, request: httpx.Request, result: Exchange) -> str | None:
        """What the doctor says of a signature that was refused, by the service's own clock."""
        content = outgoing.content or b""
        if result.status != UNAUTHORIZED or not isinstance(content, bytes):
            return None
        asked = doctor.Request(outgoing.method, str(outgoing.url), content)
        headers = {**request.headers, "date": result.headers.get("date", "")}
        found = doctor.compare(headers, asked, self.secret.reveal())
        return None if found.match else self.redaction.text(f"{found.mistake}: {found.message}")

    def _asked(self, outgoing: Outgoing, request: httpx.Request) -> dict[str, Any]:
        clean = self.redaction
        signature = request.extensions.get(SIGNATURE) or Signature("", "", "")
        return {
            "method": outgoing.method,
            "request_body": body(outgoing.content, clean),  # first: it teaches what to hide
            "path": outgoing.path,
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
            "response_body": body(result.content, clean),
            "response_headers": clean.headers(result.headers),
            "error": clean.text(trouble.message) if trouble else None,
        }


def skewed(call: Call) -> float | None:
    """Seconds the service's clock is ahead of the one the call was dated by."""
    return skew(call.response_headers, call.when)
