"""The record of one attempt of a call, without its secrets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from ..redaction.redaction import Redaction
from ..signing import snippets
from ..signing.explain import Explanation, explain_text
from .clock import Spent

LONGEST_KEPT = 32 * 1024
MARGIN = 4 * 1024
"""Characters past the cut that are still searched, so that no secret is cut in two and missed."""


CONTROLS = "/_simulator"
"""The path of a simulator's controls, which are not calls of the service."""


@dataclass(frozen=True)
class Body:
    """The text that may be shown, and the size and SHA-256 of the bytes on the wire.

    `exact` says that the text is the whole body: nothing removed, nothing cut off.
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


def recorded_body(
    content: bytes | Iterable[bytes] | None,
    redaction: Redaction,
    length: int | None = None,
    digest: str | None = None,
) -> Body:
    """A redacted body; for one that is not held in memory, its length and hash."""
    if length is not None and digest is not None:
        return Body(f"<{length} bytes, sha256 {digest[:16]}>", length, digest, exact=False)
    if not isinstance(content, bytes) or not content:
        return Body()
    digest = sha256(content).hexdigest()
    shown = _shown(content, digest, redaction)
    return Body(shown, len(content), digest, exact=shown.encode() == content)


def _shown(content: bytes, digest: str, redaction: Redaction) -> str:
    # An image is measured whole; without one, only what will be kept need be read.
    few = content if b";base64," in content else content[: LONGEST_KEPT + MARGIN]
    clean = redaction.learn(few.decode(errors="replace"))
    if len(few) == len(content) and len(clean) <= LONGEST_KEPT:
        return clean
    return f"{clean[:LONGEST_KEPT]}… <{len(content)} bytes, sha256 {digest[:16]}>"


@dataclass(frozen=True)
class Call:
    """An attempt: the request, the response and the time it took.

    `number` counts the attempts of a client from 1. `status` is None without an answer;
    `error` then says why. Headers are by lower-case name, without those that hold a secret.
    `spent` is set on a real network. `canonical` and `payload` are the signed texts;
    `finding` names the mistake when they were refused.
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

    @property
    def failed(self) -> bool:
        """Whether the answer is missing or not 2xx."""
        return self.status is None or not 200 <= self.status < 300

    @property
    def size(self) -> int:
        """The approximate memory of its texts."""
        texts = (self.request_body.text, self.response_body.text, self.canonical, self.url)
        headers = (*self.request_headers.values(), *self.response_headers.values())
        return sum(map(len, (*texts, *headers))) + 1000

    def outcome(self) -> str:
        """The status, with remarks such as a replay."""
        words = [str(self.status or "no answer"), *["replayed"] * self.replayed]
        return ", ".join(words) + (f" ({self.error})" if self.error else "")

    def explain(self) -> Explanation:
        """The layers of its signature, line by line."""
        return explain_text(self.canonical, self.payload)

    def as_curl(self) -> str:
        """A bash script with openssl and curl that signs this request anew and sends it."""
        return snippets.curl(self._request())

    def as_python(self) -> str:
        """The same in Python with the standard library alone."""
        return snippets.python(self._request())

    def as_httpx(self) -> str:
        """The same as an httpx.Auth that signs any request."""
        return snippets.httpx(self._request())

    def _request(self) -> snippets.SnippetRequest:
        text = self.request_body.text if self.request_body.exact else None
        key = self.idempotency_key
        return snippets.SnippetRequest(self.method, self.url, text, key)

    def __str__(self) -> str:
        time = f" in {self.spent.total * 1000:.0f} ms" if self.spent else ""
        return f"{self.method} {self.path} -> {self.outcome()}{time}, attempt {self.attempt}"

    def __repr__(self) -> str:
        return f"<Call {self}>"


ROUGHLY = 3000
"""Bytes that headers and signed texts take."""


class Later:
    """A call record that is built and redacted on first access.

    Pages of a list are many and rarely looked at, and redacting one takes longer than
    fetching it. The log sets `number` before the first access.
    """

    __slots__ = ("__held", "number", "path", "patient", "size", "skew")

    def __init__(
        self,
        make: Callable[[int], Call],
        path: str,
        size: int,
        skew: float | None,
        *,
        patient: bool,
    ) -> None:
        self.__held: Call | Callable[[int], Call] = make
        self.path, self.size, self.skew = path, size + ROUGHLY, skew
        self.patient, self.number = patient, 0

    @property
    def call(self) -> Call:
        """The call, built once."""
        if not isinstance(self.__held, Call):  # what it is made of holds secrets, and goes
            self.__held = self.__held(self.number)
        return self.__held

    def __repr__(self) -> str:
        return "<Later>"  # its path may hold a secret

    def __reduce__(self) -> tuple[Callable[[Call], Call], tuple[Call]]:
        return _same, (self.call,)


def _same(call: Call) -> Call:
    return call
