"""The record of one attempt of a call, without its secrets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors.arguments import explain_arguments
from ..errors.names import with_name_suggestions
from ..errors.text import plain, printable, printable_lines
from ..light_dataclass import light_dataclass
from ..spec.service.signing import SigningSettings

if TYPE_CHECKING:
    from ..signing.explanation import Explanation
    from ..signing.snippets import LanguageName, SnippetRequest

STEPS = {
    "connecting": ("connect_tcp", "start_tls"),
    "waiting": ("send_request_headers", "send_request_body", "receive_response_headers"),
    "reading": ("receive_response_body",),
}
"""The steps that httpcore reports, by the field of `Timings` they belong to."""


@light_dataclass(frozen=True)
class Timings:
    """Seconds for connecting (TLS included), waiting for the answer, and reading it."""

    connecting: float
    waiting: float
    reading: float

    @classmethod
    def of(cls, events: Iterable[tuple[str, float]]) -> Timings | None:
        """The times of the steps that httpcore reported; None for a transport without a network.

        An event is such as `http11.receive_response_body.started`, with the time in seconds.
        """
        start_by_step: dict[str, float] = {}
        seconds_by_step: dict[str, float] = {}
        for event_name, event_time in events:
            qualified_step, _, step_phase = event_name.rpartition(".")
            step_name = qualified_step.rpartition(".")[2]
            if step_phase == "started":
                start_by_step[step_name] = event_time
            elif step_name in start_by_step:
                seconds_by_step[step_name] = event_time - start_by_step.pop(step_name)
        if not seconds_by_step:
            return None
        part_seconds = [
            sum(seconds_by_step.get(step_name, 0.0) for step_name in step_names)
            for step_names in STEPS.values()
        ]
        return cls(*part_seconds)

    @property
    def total(self) -> float:
        """The seconds of all three parts."""
        return self.connecting + self.waiting + self.reading

    def __str__(self) -> str:
        step_texts = [f"{step_name} {getattr(self, step_name) * 1000:.1f}" for step_name in STEPS]
        return f"{self.total * 1000:.1f} ms ({', '.join(step_texts)})"


@light_dataclass(frozen=True)
class Body:
    """The text that may be shown, and the size of the bytes on the wire.

    `exact` means that the text is the whole body, without removal or truncation.
    """

    text: str = field(default="", repr=False)
    size: int = 0
    exact: bool = True

    def __str__(self) -> str:
        return printable_lines(self.text)

    def __bool__(self) -> bool:
        return self.size > 0

    def pretty(self) -> str:
        """JSON indented, other text unchanged."""
        try:
            return json.dumps(json.loads(self.text), indent=2, ensure_ascii=False)
        except (ValueError, RecursionError):
            return self.text


def is_replay(headers: Mapping[str, str]) -> bool:
    """Whether the headers say that the service repeats an earlier answer with the same key.

    >>> from paylab.client.call import is_replay
    >>> is_replay({"idempotency-replayed": "true"})
    True
    """
    header_text = headers.get("idempotency-replayed", "")
    return header_text.strip().lower() not in ("", "false", "0", "no")


@with_name_suggestions
@explain_arguments
@light_dataclass(frozen=True)
class Call:
    """An attempt: the request, the response and the time it took.

    `number` counts the attempts of a client from 1. `status` is None without an answer;
    `error` then says why. Headers are by lower-case name, without those that hold a secret.
    `spent` is set on a real network. `canonical` and `payload` are the signed texts, `dialect` how
    the service wants them signed; `finding` names the mistake when they were refused, `personal`
    fields that a HAR leaves out, and `place` the service.
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
    request_headers: Mapping[str, str] = field(default_factory=dict)
    response_headers: Mapping[str, str] = field(default_factory=dict)
    error: str | None = None
    number: int = 0
    spent: Timings | None = None
    skew: float | None = None
    finding: str | None = None
    request_body: Body = Body()
    response_body: Body = Body()
    canonical: str = ""
    payload: str = ""
    dialect: SigningSettings = field(default_factory=SigningSettings)
    key_header: str = "Idempotency-Key"
    personal: frozenset[str] = frozenset()
    place: str = ""

    @property
    def failed(self) -> bool:
        """Whether the answer is missing or not 2xx."""
        return self.status is None or not 200 <= self.status < 300

    def outcome(self) -> str:
        """The status, with remarks such as a replay.

        >>> lab.calls[-1].outcome()
        '201'
        """
        outcome_text = str(self.status or "no answer")
        if self.replayed:
            outcome_text += ", replayed"
        return f"{outcome_text} ({self.error})" if self.error else outcome_text

    def explain(self) -> Explanation:
        """The layers of its signature, line by line.

        >>> len(lab.calls[-1].explain().layers)
        4
        """
        from ..signing.explanation import explain_text

        return explain_text(self.canonical, self.payload)

    def as_curl(self) -> str:
        """A bash script with openssl and curl that signs this request anew and sends it.

        >>> "curl" in lab.calls[-1].as_curl()
        True
        """
        from ..signing import snippets

        return snippets.curl(self._make_snippet_request())

    def as_python(self) -> str:
        """A Python script that signs this request anew and sends it, by the standard library only.

        >>> "hmac" in lab.calls[-1].as_python()
        True
        """
        from ..signing import snippets

        return snippets.python(self._make_snippet_request())

    def as_httpx(self) -> str:
        """Python code of an httpx.Auth that signs any request.

        >>> "httpx" in lab.calls[-1].as_httpx()
        True
        """
        from ..signing import snippets

        return snippets.httpx(self._make_snippet_request())

    def snippet(self, language: LanguageName | str) -> str:
        """A program that signs this request anew and sends it: in Node, Go, Java, Python or bash.

        It reads PAYLAB_API_KEY, PAYLAB_SECRET_KEY and PAYLAB_BASE_URL from its environment.

        >>> "node:crypto" in lab.calls[-1].snippet("node")
        True
        """
        from ..signing import snippets

        return snippets.write_snippet(self._make_snippet_request(), language)

    def _make_snippet_request(self) -> SnippetRequest:
        """The request as the snippets write it; without a body that is not known exactly."""
        from ..signing.snippets import SnippetRequest

        body_text = self.request_body.text if self.request_body.exact else None
        return SnippetRequest(
            method=self.method,
            url=self.url,
            body=body_text,
            idempotency_key=self.idempotency_key,
            key_header=self.key_header,
            signing=self.dialect,
        )

    def __str__(self) -> str:
        time_text = f" in {self.spent.total * 1000:.0f} ms" if self.spent else ""
        result_text = f"{self.outcome()}{time_text}, attempt {self.attempt}"
        return printable(f"{self.method} {self.path} -> {result_text}")

    def __repr__(self) -> str:
        return f"<Call {self}>"


@dataclass
class DeferredCall:
    """A call record that is built and redacted on first access.

    Most are never read, and redacting one takes longer than making the call. `call_or_maker` is
    the call, or before the first access the function that makes it from its number. The log sets
    `number` before that. `size` is roughly its memory in bytes.
    """

    call_or_maker: Call | Callable[[int], Call]
    path: str
    size: int
    number: int = 0

    @property
    def call(self) -> Call:
        """The call, built once."""
        call_or_maker = self.call_or_maker
        if isinstance(call_or_maker, Call):
            return call_or_maker
        call = call_or_maker(self.number)  # other threads may build it too
        self.call_or_maker = call  # drop the maker, which holds secrets
        return call

    def __repr__(self) -> str:
        return "<DeferredCall>"  # its path may hold a secret


class Har(dict[str, Any]):
    """A HAR 1.2 object. Its repr shows its file and the number of its calls, not their content.

    `path` is the file to which it was written; None if it was not. `count` is the number of calls.
    """

    path: Path | None = None
    count: int = 0

    def __repr__(self) -> str:
        place_text = "not written: give a path"
        if self.path is not None:
            place_text = f"in {plain(str(self.path))}"
        calls_text = f"{self.count} call{'' if self.count == 1 else 's'}"
        return f'<HAR of {calls_text}, {place_text}; ["log"]["entries"] has them>'
