"""One attempt of one call, as it is remembered: everything but its secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from .. import snippets
from ..signing import Explanation, explain_text
from .body import Body
from .timing import Spent


@dataclass(frozen=True)
class Call:
    """An attempt: what was asked, what came back, how long it took.

    `number` counts the attempts of a client from 1. `status` is None when no answer came;
    `error` then says why. Headers are by lower-case name, those that hold a secret left out.
    `spent` is there where a real network was. `canonical` and `payload` are the signed texts;
    `finding` is what the doctor says when they were refused.
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
        """Whether there was no answer, or one that is not 2xx."""
        return self.status is None or not 200 <= self.status < 300

    @property
    def size(self) -> int:
        """Roughly how much memory its texts take."""
        texts = (self.request_body.text, self.response_body.text, self.canonical, self.url)
        headers = (*self.request_headers.values(), *self.response_headers.values())
        return sum(map(len, (*texts, *headers))) + 1000

    def outcome(self) -> str:
        """The status, and what is remarkable about it."""
        words = [str(self.status or "no answer"), *["replayed"] * self.replayed]
        return ", ".join(words) + (f" ({self.error})" if self.error else "")

    def explain(self) -> Explanation:
        """The layers of its signature, line by line."""
        return explain_text(self.canonical, self.payload)

    def as_curl(self) -> str:
        """A bash script with openssl and curl that signs this request afresh and sends it."""
        return snippets.curl(self._request())

    def as_python(self) -> str:
        """The same in Python with the standard library alone."""
        return snippets.python(self._request())

    def as_httpx(self) -> str:
        """The same as an httpx.Auth that signs any request."""
        return snippets.httpx(self._request())

    def _request(self) -> snippets.Request:
        text = self.request_body.text if self.request_body.exact else None
        key = self.idempotency_key
        return snippets.Request(self.method, self.url, text, key)

    def __str__(self) -> str:
        time = f" in {self.spent.total * 1000:.0f} ms" if self.spent else ""
        return f"{self.method} {self.path} -> {self.outcome()}{time}, attempt {self.attempt}"

    def __repr__(self) -> str:
        return f"<Call {self}>"
