"""A replay: answers requests from a HAR file, without a service and without keys.

Requests are matched by method, path, query and body. Headers, and with them signatures, nonces,
dates and Idempotency-Keys, are not compared, nor are times and images in a body.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
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
from ..spec.timestamps import read_or_none
from .call import Call
from .exchange import TRANSPORT_FAILURES, clean_body
from .har import EPOCH, read_har
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
        """The compared parts of a redacted request; a body that is no JSON is one text."""
        path, _, query_text = target.partition("?")
        text_by_field = {"method": method, "path": path}
        for parameter_name, parameter_text in parse_qsl(query_text, keep_blank_values=True):
            text_by_field[f"query.{parameter_name}"] = parameter_text
        try:
            json_value = read_json(body) if body else None
        except (ValueError, RecursionError):
            json_value = body
        text_by_field.update(_list_values("body", json_value))
        compared_text_by_field = {
            field_name: _normalize_value(field_name, field_text)
            for field_name, field_text in text_by_field.items()
            if not _is_incomparable(field_text)
        }
        return cls(method, path, compared_text_by_field)

    @cached_property
    def key(self) -> str:
        """The compared parts as one text."""
        return json.dumps(sorted(self.fields.items()), ensure_ascii=False)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """A pattern for the keys of equal requests, in which a redacted part matches any text.

        None if nothing in this request is redacted.
        """
        escaped_texts = [re.escape(visible_text) for visible_text in self.key.split(HIDDEN)]
        return re.compile(".*".join(escaped_texts)) if len(escaped_texts) > 1 else None

    def differences(self, sent: RequestFields) -> Iterator[str]:
        """A sentence for each field that differs: recorded here, and sent in another request."""
        for field_name in dict.fromkeys([*self.fields, *sent.fields]):
            recorded_text = self.fields.get(field_name)
            sent_text = sent.fields.get(field_name)
            if recorded_text != sent_text:
                recorded_quote = _describe_text(recorded_text)
                sent_quote = _describe_text(sent_text)
                yield f"{field_name}: {recorded_quote} was recorded, {sent_quote} was sent"

    def likeness(self, sent: RequestFields) -> tuple[bool, float, int]:
        """How similar another request is, for sorting: method, then path, then equal fields."""
        path_likeness = SequenceMatcher(None, self.path, sent.path).ratio()
        equal_fields = self.fields.items() & sent.fields.items()
        return self.method == sent.method, path_likeness, len(equal_fields)


def _is_incomparable(field_text: str) -> bool:
    """Whether a text differs from run to run: a time, or an image, whose size alone is known."""
    return bool(TIME.fullmatch(field_text) or IMAGE.fullmatch(field_text))


def _describe_text(field_text: str | None) -> str:
    """A text of a request in quotes, or that there is none."""
    return "nothing" if field_text is None else repr(plain(field_text, 60))


def _normalize_value(field_name: str, field_text: str) -> str:
    """A value in one spelling: an amount of a recording may have other decimals."""
    if field_name.endswith("_amount") and PLAIN_NUMBER.fullmatch(field_text):
        return format(Decimal(field_text).normalize(), "f")
    return field_text.upper() if field_name.endswith("_currency") else field_text


def _list_values(field_path: str, field_value: object) -> Iterator[tuple[str, str]]:
    """The values in parsed JSON as texts, each with its dotted path; no null.

    >>> dict(_list_values("body", {"address": {"city": "Puebla"}, "tags": ["a", 2]}))
    {'body.address.city': 'Puebla', 'body.tags.0': 'a', 'body.tags.1': '2'}
    """
    if isinstance(field_value, dict) and field_value:
        for member_name, member in field_value.items():
            yield from _list_values(f"{field_path}.{member_name}", member)
    elif isinstance(field_value, list) and field_value:
        for index, member in enumerate(field_value):
            yield from _list_values(f"{field_path}.{index}", member)
    elif isinstance(field_value, str):
        yield field_path, field_value
    elif field_value is not None:
        yield field_path, json.dumps(field_value, default=str)


@dataclass(frozen=True, repr=False)
class RecordedCall:
    """A call of a HAR file by its number there, and the compared parts of its request."""

    number: int
    call: Call
    request: RequestFields

    @classmethod
    def of(cls, number: int, call: Call, redaction: Redaction) -> RecordedCall:
        """A call, with a request as redacted as those that are compared with it."""
        url_parts = urlsplit(call.url)
        query_suffix = f"?{url_parts.query}" if url_parts.query else ""
        path_and_query = redaction.text(url_parts.path + query_suffix)
        body_text = clean_body(call.request_body.text.encode("utf-8", "surrogatepass"), redaction)
        return cls(number, call, RequestFields.of(call.method.upper(), path_and_query, body_text))

    def __str__(self) -> str:
        return printable(f"call {self.number}, {self.request.method} {self.request.path}")

    def response(self, request: httpx.Request) -> httpx.Response:
        """The recorded response; a recorded failure is raised."""
        call = self.call
        body_text = call.response_body.text
        recorded_error = None if call.error is None else _make_recorded_exception(call.error)
        if recorded_error is not None and call.status is None:  # nothing arrived
            raise recorded_error
        if CUT.fullmatch(body_text):
            raise ReplayError(
                f"the answer of {self} is not whole: write the file with lab.record(...), "
                "which keeps answers of any length"
            )
        headers = [
            (header_name.encode("ascii", "replace"), header_text.encode("utf-8", "replace"))
            for header_name, header_text in call.response_headers.items()
            if header_name not in DROPPED
        ]
        content: bytes | Iterator[bytes]
        if recorded_error is None:
            content = body_text.encode("utf-8", "surrogatepass")
        else:  # a status arrived, and the body failed
            content = _make_failing_body(recorded_error)
        return httpx.Response(call.status or 0, headers=headers, content=content)


def _make_recorded_exception(message: str) -> Exception:
    """The exception of httpx that gives a recorded message again.

    For a message of another program it is a cut connection.
    """
    for error_class, failure in TRANSPORT_FAILURES:
        if message.startswith(failure.message):
            return error_class(message.removeprefix(failure.message).removeprefix(": "))
    return httpx.RequestError(message.removeprefix(": "))


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
        """Read the file; without a service, its settings are those in the file."""
        self.path = Path(path)
        calls, _, har_facts = read_har(self.path)
        self.service = service or Service(har_facts.get("service") or {})
        base_url = har_facts.get("base_url") or _find_base_url(self.path, calls, self.service)
        self.base_url = str(base_url)
        self._redaction = Redaction([])
        self._lock = Lock()
        self.recorded_calls = [
            RecordedCall.of(call_number, call, self._redaction)
            for call_number, call in enumerate(calls, 1)
            if call.url.startswith(f"{self.base_url}/")  # a browser records other addresses, too
        ]
        first_time = self.recorded_calls[0].call.when if self.recorded_calls else EPOCH
        self._now = read_or_none(har_facts.get("started")) or first_time
        self._used_indexes: set[int] = set()
        self._index_by_order: dict[tuple[str, str], int] = {}
        self._last_write_index = -1
        self._indexes_by_request: dict[str, list[int]] = {}
        for index, recorded_call in enumerate(self.recorded_calls):
            self._indexes_by_request.setdefault(recorded_call.request.key, []).append(index)

    @property
    def has_controls(self) -> bool:
        """Whether the service was a simulator whose controls were used."""
        return any(CONTROLS in recorded_call.request.path for recorded_call in self.recorded_calls)

    def now(self) -> datetime:
        """The time of the latest replayed call."""
        return self._now

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The recorded answer to a request; ReplayError when there is none."""
        streamed_body = request.extensions.get(STREAMED)
        content = request.read() if streamed_body is None else streamed_body.outline
        body_text = clean_body(content, self._redaction)
        path_and_query = self._redaction.text(request.url.raw_path.decode("ascii"))
        request_fields = RequestFields.of(request.method, path_and_query, body_text)
        with self._lock:
            idempotency_key = request.headers.get(self.service.idempotency.header, "")
            index = self._choose_index(request_fields, idempotency_key)
            self._used_indexes.add(index)
            recorded_call = self.recorded_calls[index]
            self._now = max(self._now, recorded_call.call.when)
        return recorded_call.response(request)

    def _choose_index(self, request_fields: RequestFields, idempotency_key: str) -> int:
        """Choose the call that answers a request, and note a write; ReplayError without one."""
        indexes = self._indexes_by_request.get(request_fields.key)
        indexes = indexes or self._find_redacted_indexes(request_fields)
        if not indexes:
            raise self._make_unknown_request_error(request_fields)
        if request_fields.method == "GET":
            return self._choose_read_index(indexes)
        order_key = request_fields.key, idempotency_key
        unused_indexes = [index for index in indexes if index not in self._used_indexes]
        # If all are used, the same order gets its answer again.
        index = unused_indexes[0] if unused_indexes else self._index_by_order.get(order_key)
        if index is None:
            times_text = "1 time" if len(indexes) == 1 else f"{len(indexes)} times"
            message = f"was recorded {times_text} in {self.path.name} and is sent again"
            raise ReplayError(f"{request_fields.method} {request_fields.path} {message}")
        if idempotency_key:
            self._index_by_order[order_key] = index
        self._last_write_index = max(self._last_write_index, index)
        return index

    def _choose_read_index(self, indexes: list[int]) -> int:
        """The index of the recorded read that answers a request, one of `indexes`.

        It is the first unused read between the last write and the next one. If all of these are
        used, it is the last of them. Without any, it is the last read before, else the first after.
        """
        next_write_index = self._find_next_write_index()
        earlier_indexes = [index for index in indexes if index < next_write_index]
        current_indexes = [index for index in earlier_indexes if index > self._last_write_index]
        unused_indexes = [index for index in current_indexes if index not in self._used_indexes]
        if unused_indexes:
            return unused_indexes[0]
        # The last one before the next write is between the writes if any is.
        return earlier_indexes[-1] if earlier_indexes else indexes[0]

    def _find_next_write_index(self) -> int:
        """The index of the first unused write after the last write; the count if there is none."""
        for index in range(self._last_write_index + 1, len(self.recorded_calls)):
            is_write = self.recorded_calls[index].request.method != "GET"
            if is_write and index not in self._used_indexes:
                return index
        return len(self.recorded_calls)

    def _find_redacted_indexes(self, request_fields: RequestFields) -> list[int]:
        """The indexes of the calls whose request equals this one but for redacted values."""
        indexes: list[int] = []
        for index, recorded_call in enumerate(self.recorded_calls):
            request_pattern = recorded_call.request.pattern
            if request_pattern and request_pattern.fullmatch(request_fields.key):
                indexes.append(index)
        return indexes

    def _make_unknown_request_error(self, sent: RequestFields) -> ReplayError:
        """The error for a request without a recorded answer, with the nearest one."""
        message = f"{sent.method} {sent.path} was not recorded in {self.path.name}"
        if not self.recorded_calls:
            return ReplayError(message)
        nearest_call = max(self.recorded_calls, key=lambda call: call.request.likeness(sent))
        all_differences = list(nearest_call.request.differences(sent))
        difference_lines = all_differences[:DIFFERENCES_SHOWN]
        hidden_count = len(all_differences) - len(difference_lines)
        if hidden_count:
            difference_lines.append(f"and {hidden_count} more")
        return ReplayError(message, str(nearest_call), difference_lines)


def _find_base_url(path: Path, calls: Sequence[Call], service: Service) -> str:
    """The base URL before the paths of the service; ConfigError unless the HAR has one."""
    all_base_urls = (_read_base_url(call.url, service) for call in calls)
    base_urls = list(dict.fromkeys(filter(None, all_base_urls)))
    if len(base_urls) == 1:
        return base_urls[0]
    if base_urls:
        urls_text = ", ".join(base_urls)
        raise ConfigError(
            f"{path} has calls to several services ({urls_text}): leave those of one in it"
        )
    raise ConfigError(
        f"{path} has no call of the service: none of its {len(calls)} URLs has a path such as "
        f"{service.path('transfers.list')}"
    )


def _read_base_url(url: str, service: Service) -> str | None:
    """The part of a URL before a path of the service; None if it has no such path."""
    url_parts = urlsplit(url)
    path = url_parts.path
    for slash_match in re.finditer("/", path):
        routes, _ = service.match(path[slash_match.start() :])
        if routes:
            return f"{url_parts.scheme}://{url_parts.netloc}{path[: slash_match.start()]}"
    return None
