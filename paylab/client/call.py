"""The record of one attempt of a call, without its secrets, and why an answer is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

import httpx

from ..errors.api import APIConnectionError, APIResponseError, APITimeoutError
from ..errors.names import suggesting
from ..redaction.redaction import Redaction
from ..signing import snippets
from ..signing.canonical import EmptyQuery, Signature
from ..signing.explain import Explanation, explain_text
from ..spec.text import plain
from .decoding import TooLargeError
from .request import SIGNATURE, Exchange, OutgoingRequest, Trouble

LONGEST_KEPT = 32 * 1024
MARGIN = 4 * 1024
"""Characters after the limit that are also searched, so that no secret is truncated and missed."""


# The first matching kind is used.
TROUBLES: tuple[tuple[type[Exception], Trouble], ...] = (
    (TooLargeError, Trouble(APIResponseError, "the body is larger than 8 MiB", may_pass=False)),
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


def trouble_of(error: Exception) -> Trouble:
    """The trouble behind an exception, with its words."""
    known = next(trouble for kind, trouble in TROUBLES if isinstance(error, kind))
    detail = plain(str(error), 200)
    return replace(known, message=f"{known.message}: {detail}" if detail else known.message)


STEPS = {
    "connecting": ("connect_tcp", "start_tls"),
    "waiting": ("send_request_headers", "send_request_body", "receive_response_headers"),
    "reading": ("receive_response_body",),
}
"""The steps httpcore tells of, by the part of `Spent` they belong to."""


@dataclass(frozen=True)
class Spent:
    """Seconds for connecting (TLS included), waiting for the answer, and reading it."""

    connecting: float
    waiting: float
    reading: float

    @classmethod
    def of(cls, events: Iterable[tuple[str, float]]) -> Spent | None:
        """The times of what httpcore told of; a transport without a network tells of nothing."""
        begun: dict[str, float] = {}
        took: dict[str, float] = {}
        for event, at in events:  # such as http11.receive_response_body.started
            step, _, moment = event.rpartition(".")
            name = step.rpartition(".")[2]
            if moment == "started":
                begun[name] = at
            elif name in begun:
                took[name] = at - begun.pop(name)
        sums = (sum(took.get(step, 0.0) for step in steps) for steps in STEPS.values())
        return cls(*sums) if took else None

    @property
    def total(self) -> float:
        """All three."""
        return self.connecting + self.waiting + self.reading

    def __str__(self) -> str:
        parts = [f"{name} {getattr(self, name) * 1000:.1f}" for name in STEPS]
        return f"{self.total * 1000:.1f} ms ({', '.join(parts)})"


@dataclass(frozen=True)
class Body:
    """The text that may be shown, and the size and SHA-256 of the bytes on the wire.

    `exact` means that the text is the whole body, without removal or truncation.
    """

    text: str = field(default="", repr=False)
    size: int = 0
    digest: str = sha256(b"").hexdigest()
    exact: bool = True

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self.size > 0

    def pretty(self) -> str:
        """JSON indented, other text unchanged."""
        try:
            return json.dumps(json.loads(self.text), indent=2, ensure_ascii=False)
        except (ValueError, RecursionError):
            return self.text


def recorded_body(content: bytes, redaction: Redaction) -> Body:
    """A redacted body, cut to the part that is kept."""
    if not content:
        return Body()
    digest = sha256(content).hexdigest()
    # An image must be read whole; otherwise only the kept part is needed.
    few = content if b";base64," in content else content[: LONGEST_KEPT + MARGIN]
    shown = redaction.learn(few.decode(errors="replace"))
    if len(few) < len(content) or len(shown) > LONGEST_KEPT:
        shown = f"{shown[:LONGEST_KEPT]}… <{len(content)} bytes, sha256 {digest[:16]}>"
    return Body(shown, len(content), digest, exact=shown.encode() == content)


@suggesting
@dataclass(frozen=True)
class Call:
    """An attempt: the request, the response and the time it took.

    `number` counts the attempts of a client from 1. `status` is None without an answer;
    `error` then says why. Headers are by lower-case name, without those that hold a secret.
    `spent` is set on a real network. `canonical` and `payload` are the signed texts,
    `empty_query` and the fields after it say how the service wants them signed;
    `finding` names the mistake when they were refused, `personal` fields that a HAR leaves out,
    `place` the service, if a log has kept the call.
    """

    when: datetime
    method: str
    path: str
    url: str
    status: int | None = None
    elapsed: float = 0.0
    attempt: int = 1
    idempotency_key: str | None = None
    replayed: bool = False
    request_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    response_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    error: str | None = None
    number: int = 0
    spent: Spent | None = None
    skew: float | None = None
    finding: str | None = None
    request_body: Body = field(default=Body(), repr=False)
    response_body: Body = field(default=Body(), repr=False)
    canonical: str = field(default="", repr=False)
    payload: str = field(default="", repr=False)
    empty_query: EmptyQuery = field(default="omit", repr=False)
    key_encoding: str = field(default="utf-8", repr=False)
    hash_encoding: str = field(default="hex", repr=False)
    empty_body: str = field(default="hash", repr=False)
    signed_path: str = field(default="whole", repr=False)
    personal: frozenset[str] = field(default=frozenset(), repr=False)
    place: str = field(default="", repr=False, compare=False)

    @property
    def failed(self) -> bool:
        """Whether the answer is missing or not 2xx."""
        return self.status is None or not 200 <= self.status < 300

    @property
    def size(self) -> int:
        """The approximate size of its texts in memory."""
        texts = (self.request_body.text, self.response_body.text, self.canonical, self.url)
        headers = (*self.request_headers.values(), *self.response_headers.values())
        return sum(map(len, (*texts, *headers))) + 1000

    def outcome(self) -> str:
        """The status, with remarks such as a replay.

        >>> lab.calls[-1].outcome()
        '201'
        """
        words = [str(self.status or "no answer"), *["replayed"] * self.replayed]
        return ", ".join(words) + (f" ({self.error})" if self.error else "")

    def explain(self) -> Explanation:
        """The layers of its signature, line by line.

        >>> len(lab.calls[-1].explain().layers)
        4
        """
        return explain_text(self.canonical, self.payload)

    def as_curl(self) -> str:
        """A bash script with openssl and curl that signs this request anew and sends it.

        >>> "curl" in lab.calls[-1].as_curl()
        True
        """
        return snippets.curl(self._request())

    def as_python(self) -> str:
        """A Python script that does the same with the standard library only.

        >>> "hmac" in lab.calls[-1].as_python()
        True
        """
        return snippets.python(self._request())

    def as_httpx(self) -> str:
        """Python code of an httpx.Auth that signs any request.

        >>> "httpx" in lab.calls[-1].as_httpx()
        True
        """
        return snippets.httpx(self._request())

    def _request(self) -> snippets.SnippetRequest:
        text = self.request_body.text if self.request_body.exact else None
        request = (self.method, self.url, text, self.idempotency_key)
        dialect = {name: getattr(self, name) for name in snippets.DIALECT}
        return snippets.SnippetRequest(*request, **dialect)

    def __str__(self) -> str:
        time = f" in {self.spent.total * 1000:.0f} ms" if self.spent else ""
        return f"{self.method} {self.path} -> {self.outcome()}{time}, attempt {self.attempt}"

    def __repr__(self) -> str:
        return f"<Call {self}>"


def recorded_call(
    outgoing: OutgoingRequest,
    request: httpx.Request,
    exchange: Exchange,
    clean: Redaction,
    events: Iterable[tuple[str, float]],
    **known: Any,
) -> Call:
    """The record of an attempt, without its secrets; `known` are more of its fields."""
    # First the bodies: they teach what to hide elsewhere.
    if isinstance(outgoing.content, bytes | None):
        sent = recorded_body(outgoing.content or b"", clean)
    else:  # an upload is not held in memory
        length, digest = outgoing.length or 0, outgoing.digest or ""
        sent = Body(f"<{length} bytes, sha256 {digest[:16]}>", length, digest, exact=False)
    came = recorded_body(exchange.content, clean)
    signature = request.extensions.get(SIGNATURE) or Signature("", "", "")
    return Call(
        method=outgoing.method,
        path=clean.text(outgoing.path),
        url=clean.text(str(outgoing.url)),
        status=exchange.status,
        idempotency_key=outgoing.idempotency_key,
        replayed=exchange.replayed,
        request_headers=clean.headers(request.headers),
        response_headers=clean.headers(exchange.headers),
        error=clean.text(exchange.trouble.message) if exchange.trouble else None,
        spent=Spent.of(events),
        request_body=sent,
        response_body=came,
        canonical=clean.text(signature.canonical),
        payload=signature.payload,
        personal=clean.personal,
        **known,
    )


ROUGHLY = 3000
"""Approximate bytes of headers and signed texts."""


@dataclass(slots=True, repr=False, eq=False)
class DeferredCall:
    """A call record that is built and redacted on first access.

    Most are never looked at, and redacting one takes longer than making the call. The log sets
    `number` and `place` before the first access. One that is not `patient` has to be built soon:
    it holds what must be hidden in others too, or an error needs it. `size` is roughly its memory.
    """

    held: Call | Callable[[int], Call]
    path: str
    size: int
    patient: bool = True
    number: int = 0
    place: Callable[[], str] = str

    @property
    def call(self) -> Call:
        """The call, built once."""
        if not isinstance(self.held, Call):  # drop its source, which contains secrets
            self.held = replace(self.held(self.number), place=self.place())
        return self.held

    def __repr__(self) -> str:
        return "<DeferredCall>"  # its path may hold a secret

    def __reduce__(self) -> tuple[Callable[[Call], Call], tuple[Call]]:
        return replace, (self.call,)
