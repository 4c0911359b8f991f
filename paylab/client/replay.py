"""A replay: answers requests from a HAR file, without a service and without keys.

Requests are matched by method, path, query and body. Headers, and with them signatures, nonces,
dates and Idempotency-Keys, are not compared, nor are times and images in a body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

import httpx

from ..errors.base import ConfigError, ReplayError
from ..redaction.hiding import HIDDEN
from ..redaction.redaction import Redaction
from ..spec.money import PLAIN_NUMBER
from ..spec.service.service import Service
from ..spec.text import plain, printable, read_json
from ..spec.timestamps import read
from .call import Call
from .exchange import TRANSPORT_FAILURES, clean_body
from .har import read_har
from .request import CONTROLS, STREAMED

TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
IMAGE = re.compile(r".*<\d+ (?:bytes|characters)(?:, sha256 [0-9a-f]{16})?>", re.DOTALL)
DIFFERENCES_SHOWN = 8
CUT = re.compile(r".*… <\d+ bytes, sha256 [0-9a-f]{16}>", re.DOTALL)
"""A body of which `lab.calls` has kept only the beginning."""

# Headers about the bytes on the wire, which are not those of the recorded text.
DROPPED = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive"}
)


@dataclass(frozen=True)
class RequestFields:
    """The compared parts of a request by name: `method`, `path`, and such as `body.currency`."""

    method: str
    path: str
    fields: Mapping[str, str]

    @classmethod
    def of(cls, method: str, target: str, body: str) -> RequestFields:
        """The fields of a redacted request."""
        path, _, query = target.partition("?")
        pairs = [("method", method), ("path", path)]
        pairs += [(f"query.{name}", text) for name, text in parse_qsl(query, True)]
        try:
            value = read_json(body) if body else None
        except (ValueError, RecursionError):
            value = body
        # Times differ from run to run, and of an image only its size is known.
        varies = (TIME.fullmatch, IMAGE.fullmatch)
        all_fields = [*pairs, *_flatten("body", value)]
        fields = {
            name: _normalize_value(name, text)
            for name, text in all_fields
            if not any(test(text) for test in varies)
        }
        return cls(method, path, fields)

    @cached_property
    def key(self) -> str:
        """The compared parts as one text."""
        return json.dumps(sorted(self.fields.items()), ensure_ascii=False)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """A pattern for keys of equal requests, if something in this one is redacted."""
        parts = [re.escape(part) for part in self.key.split(HIDDEN)]
        return re.compile(".*".join(parts)) if len(parts) > 1 else None

    def differences(self, sent: RequestFields) -> Iterator[str]:
        """The differences from another request, field by field."""
        for name in dict.fromkeys([*self.fields, *sent.fields]):
            texts = [request.fields.get(name) for request in (self, sent)]
            if texts[0] != texts[1]:
                words = ["nothing" if text is None else repr(plain(text, 60)) for text in texts]
                yield f"{name}: {words[0]} was recorded, {words[1]} was sent"

    def likeness(self, sent: RequestFields) -> tuple[bool, float, int]:
        """The similarity to another request."""
        paths = SequenceMatcher(None, self.path, sent.path).ratio()
        common = self.fields.items() & sent.fields.items()
        return self.method == sent.method, paths, len(common)


def _normalize_value(name: str, text: str) -> str:
    """A value in one spelling: an amount of a recording may have other decimals."""
    if name.endswith("_amount") and PLAIN_NUMBER.fullmatch(text):
        return format(Decimal(text).normalize(), "f")
    return text.upper() if name.endswith("_currency") else text


def _flatten(name: str, value: object) -> Iterator[tuple[str, str]]:
    """The values in parsed JSON by dotted names."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _flatten(f"{name}.{key}", item)
    elif isinstance(value, list) and value:
        for at, item in enumerate(value):
            yield from _flatten(f"{name}.{at}", item)
    elif value is not None:
        yield name, value if isinstance(value, str) else json.dumps(value, default=str)


@dataclass(frozen=True, repr=False)
class RecordedCall:
    """A call of a HAR file by its number there, and the compared parts of its request."""

    number: int
    call: Call
    question: RequestFields

    @classmethod
    def of(cls, number: int, call: Call, redaction: Redaction) -> RecordedCall:
        """A call, with a request as redacted as those that are compared with it."""
        url = urlsplit(call.url)
        target = redaction.text(f"{url.path}?{url.query}" if url.query else url.path)
        body = clean_body(call.request_body.text.encode("utf-8", "surrogatepass"), redaction)
        return cls(number, call, RequestFields.of(call.method.upper(), target, body))

    def __str__(self) -> str:
        return printable(f"call {self.number}, {self.question.method} {self.question.path}")

    def response(self, request: httpx.Request) -> httpx.Response:
        """The recorded response; a recorded failure is raised."""
        call = self.call
        answer = self.call.response_body.text
        error = None if call.error is None else _make_failure(call.error)
        if error is not None and call.status is None:
            raise error
        if CUT.fullmatch(answer):
            raise ReplayError(
                f"the answer of {self} is not whole: write the file with lab.record(...), "
                "which keeps answers of any length"
            )
        headers = [
            (name.encode("ascii", "replace"), text.encode("utf-8", "replace"))
            for name, text in call.response_headers.items()
            if name not in DROPPED
        ]
        content = (
            answer.encode("utf-8", "surrogatepass") if error is None else _make_failing_body(error)
        )
        return httpx.Response(call.status or 0, headers=headers, content=content)


def _make_failure(message: str) -> Exception:
    """The exception behind a recorded error message; a cut connection if it is another's."""
    kinds = [
        (kind, failure.message)
        for kind, failure in TRANSPORT_FAILURES
        if message.startswith(failure.message)
    ]
    kind, words = kinds[0] if kinds else (httpx.RequestError, "")
    return kind(message.removeprefix(words).removeprefix(": "))


def _make_failing_body(error: Exception) -> Iterator[bytes]:
    """A body that raises the recorded failure."""
    yield b""
    raise error


class Replay(httpx.BaseTransport):
    """Answers as the service did when the HAR file was written.

    A read gets a response recorded between the same two writes; a repeated read gets the last
    one again. A repeated write gets its response again only with the same key.
    """

    def __init__(self, path: str | Path, service: Service | None = None) -> None:
        self.path = Path(path)
        calls, _, facts = read_har(self.path)
        self.service = service or Service(facts.get("service") or {})
        self.base_url = str(facts.get("base_url") or _base_url(self.path, calls, self.service))
        self._redaction = Redaction([])
        self._lock = Lock()
        self.entries = [
            RecordedCall.of(number, call, self._redaction)
            for number, call in enumerate(calls, 1)
            if call.url.startswith(f"{self.base_url}/")
        ]
        first = self.entries[0].call.when if self.entries else datetime.fromtimestamp(0, UTC)
        self._now = read(facts.get("started")) or first
        self._used: set[int] = set()
        self._answered: dict[str, int] = {}
        self._last_write = -1
        self._places: dict[str, list[int]] = {}
        for at, entry in enumerate(self.entries):
            self._places.setdefault(entry.question.key, []).append(at)

    @property
    def has_controls(self) -> bool:
        """Whether the service was a simulator whose controls were used."""
        return any(CONTROLS in entry.question.path for entry in self.entries)

    def now(self) -> datetime:
        """The time of the latest replayed call."""
        return self._now

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded answer to a request; ReplayError when there is none."""
        streamed = request.extensions.get(STREAMED)
        content = request.read() if streamed is None else streamed.outline
        body = clean_body(content, self._redaction)
        target = self._redaction.text(request.url.raw_path.decode("ascii"))
        question = RequestFields.of(request.method, target, body)
        with self._lock:
            at = self._find_entry(
                question, request.headers.get(self.service.idempotency.header, "")
            )
            self._used.add(at)
            entry = self.entries[at]
            self._now = max(self._now, entry.call.when)
        return entry.response(request)

    def _find_entry(self, question: RequestFields, key: str) -> int:
        """The entry that answers a question."""
        places = self._places.get(question.key) or self._find_redacted_entries(question)
        if not places:
            raise self._unknown_request_error(question)
        if question.method == "GET":
            return self._read_at(places)
        fresh = [at for at in places if at not in self._used]
        again = self._answered.get(f"{question.key} {key}") if key else None
        if not fresh and again is None:
            times = len(places)
            raise ReplayError(
                f"{question.method} {question.path} was recorded {times} "
                f"time{'' if times == 1 else 's'} in {self.path.name} and is sent again"
            )
        at = fresh[0] if fresh else again or 0
        self._answered[f"{question.key} {key}"] = at
        self._last_write = max(self._last_write, at)
        return at

    def _read_at(self, places: list[int]) -> int:
        """The next response between the last write and the next one, or the latest."""
        later_numbers = range(self._last_write + 1, len(self.entries))
        writes = (at for at in later_numbers if self.entries[at].question.method != "GET")
        end = next((at for at in writes if at not in self._used), len(self.entries))
        in_span = [at for at in places if self._last_write < at < end]
        fresh = [at for at in in_span if at not in self._used]
        earlier = [at for at in places if at < end]
        return (fresh or in_span[-1:] or earlier[-1:] or places)[0]

    def _find_redacted_entries(self, question: RequestFields) -> list[int]:
        """Entries with redacted values that may match this question."""
        patterns = ((at, entry.question.pattern) for at, entry in enumerate(self.entries))
        return [at for at, pattern in patterns if pattern and pattern.fullmatch(question.key)]

    def _unknown_request_error(self, sent: RequestFields) -> ReplayError:
        message = f"{sent.method} {sent.path} was not recorded in {self.path.name}"
        if not self.entries:
            return ReplayError(message)
        nearest = max(self.entries, key=lambda entry: entry.question.likeness(sent))
        differences_found = list(nearest.question.differences(sent))
        hidden = len(differences_found) - DIFFERENCES_SHOWN
        differences = [
            *differences_found[:DIFFERENCES_SHOWN],
            *([f"and {hidden} more"] if hidden > 0 else []),
        ]
        return ReplayError(message, str(nearest), differences)


def _base_url(path: Path, calls: Sequence[Call], service: Service) -> str:
    """The base URL in a HAR of another program: that of the calls with paths of the service."""
    hosts = list(dict.fromkeys(filter(None, (_base_of(call.url, service) for call in calls))))
    if len(hosts) == 1:
        return hosts[0]
    if hosts:
        raise ConfigError(
            f"{path} has calls to several services ({', '.join(hosts)}): leave those of one in it"
        )
    raise ConfigError(
        f"{path} has no call of the service: none of its {len(calls)} URLs has a path such as "
        f"{service.path('transfers.list')}"
    )


def _base_of(url: str, service: Service) -> str | None:
    """The part of a URL before a path of the service."""
    parts = urlsplit(url)
    starts = [match.start() for match in re.finditer("/", parts.path)]
    at = next((at for at in starts if service.match(parts.path[at:])[0]), None)
    return None if at is None else f"{parts.scheme}://{parts.netloc}{parts.path[:at]}"
