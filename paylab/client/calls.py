"""The record of calls: a bounded log, filters, listeners, and export as HAR 1.2."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, overload
from urllib.parse import parse_qsl, urlsplit

from .. import files, forks
from ..errors import PaylabError
from ..redaction.scrub_rules import impersonal
from ..spec.timestamps import to_text
from .call import CONTROLS, Body, Call, Later

if TYPE_CHECKING:
    import pandas as pd

NOT_MEASURED = -1
"""HAR's word for a part of the time that does not apply."""


def har(
    calls: Iterable[Call], to: Path | None = None, *, keep_personal: bool = False
) -> dict[str, Any]:
    """The calls as one HAR object, without personal data unless it is kept."""
    creator = {"name": "paylab", "version": "1"}
    entries = [_entry(call) for call in calls]
    kept = entries if keep_personal else impersonal(entries)
    log = {"version": "1.2", "creator": creator, "entries": kept}
    if to is not None:
        to.parent.mkdir(parents=True, exist_ok=True)
        with files.replace(to, private=True) as sink:
            sink.write(json.dumps({"log": log}, indent=2, ensure_ascii=False).encode())
    return {"log": log}


def _entry(call: Call) -> dict[str, Any]:
    timings = _timings(call)
    return {
        "startedDateTime": to_text(call.when),
        "time": sum(value for value in timings.values() if value != NOT_MEASURED),
        "request": _request(call),
        "response": _response(call),
        "cache": {},
        "timings": timings,
        "comment": f"attempt {call.attempt}" + (", replayed" if call.replayed else ""),
    }


def _timings(call: Call) -> dict[str, float]:
    spent = call.spent
    if spent is None:
        return {"send": 0, "wait": 0, "receive": 0}
    connect = spent.connecting * 1000 or NOT_MEASURED
    wait, receive = spent.waiting * 1000, spent.reading * 1000
    return {"connect": connect, "send": 0, "wait": wait, "receive": receive}


def _request(call: Call) -> dict[str, Any]:
    query = parse_qsl(urlsplit(call.url).query, keep_blank_values=True)
    request = {
        "method": call.method,
        "url": call.url,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(call.request_headers),
        "queryString": [{"name": name, "value": value} for name, value in query],
        "headersSize": -1,
        "bodySize": call.request_body.size,
    }
    if call.request_body:
        kind = call.request_headers.get("content-type", "application/json")
        request["postData"] = {"mimeType": kind, "text": call.request_body.text}
    return request


def _response(call: Call) -> dict[str, Any]:
    return {
        "status": call.status or 0,
        "statusText": "" if call.status else (call.error or "no answer"),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(call.response_headers),
        "content": _content(call.response_body, call.response_headers),
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": call.response_body.size,
    }


def _content(body: Body, headers: Mapping[str, str]) -> dict[str, Any]:
    kind = headers.get("content-type", "application/octet-stream")
    return {"size": body.size, "mimeType": kind, "text": body.text}


def _pairs(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


COLUMNS = (
    *("number", "when", "method", "path", "status", "connecting_ms", "waiting_ms", "reading_ms"),
    *("attempt", "idempotency_key", "replayed", "sent_bytes", "received_bytes", "error"),
)
MOST_CALLS = 200
MOST_BYTES = 8 * 2**20

E = TypeVar("E", Call, Later)
Listener = Callable[[Call], None]
Listen = Callable[[Listener], Callable[[], None]]

log = logging.getLogger("paylab")


class CallLog(Sequence[Call]):
    """The latest attempts, oldest first; the oldest are dropped at a limit of number and size."""

    def __init__(
        self, calls: Iterable[Call] = (), most: int = MOST_CALLS, most_bytes: int = MOST_BYTES
    ) -> None:
        self._calls: deque[Call | Later] = deque(calls)
        self._most, self._most_bytes = most, most_bytes
        self._size, self._count, self._lock = sum(each.size for each in self._calls), 0, Lock()
        self._listeners: list[Listener] = []
        self.screen: Callable[[Listen], Any] | None = None
        forks.register(self, lock=self._lock)

    def append(self, call: Call) -> Call:
        """Store an attempt under the next number and notify the listeners.

        Calls that control a simulator are not stored.
        """
        if call.path.startswith(CONTROLS):
            return call
        numbered = self._push(lambda number: replace(call, number=number))
        self._tell(numbered)
        return numbered

    def keep(self, later: Later) -> None:
        """Store an attempt as `append` does, and build its record on first access."""
        if later.path.startswith(CONTROLS):
            return
        self._push(partial(_numbered, later))
        if self._listeners:
            self._tell(later.call)

    def _push(self, entry: Callable[[int], E]) -> E:
        with self._lock:
            self._count += 1
            numbered = entry(self._count)
            self._calls.append(numbered)
            self._size += numbered.size
            while len(self._calls) > self._most or self._too_large():
                self._size -= self._calls.popleft().size
        return numbered

    def _tell(self, call: Call) -> None:
        for listener in tuple(self._listeners):
            _tell(listener, call)

    def _too_large(self) -> bool:
        return self._size > self._most_bytes and len(self._calls) > 1

    def on_screen(self) -> Any:
        """Show every call under the cell that makes it until `stop()` is called."""
        if self.screen is None:
            raise PaylabError("only the calls of a lab can be shown as they are made")
        return self.screen(self.listen)

    def frame(self) -> pd.DataFrame:
        """One row per call, oldest first; times only on a real network."""
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(COLUMNS))
        return frame.astype({"number": "Int64", "status": "Int64", "attempt": "Int64"})

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a function with every attempt; the returned function ends it."""
        self._listeners.append(listener)
        return partial(self._forget, listener)

    def _forget(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def clear(self) -> None:
        """Remove all calls; numbering continues."""
        with self._lock:
            self._calls.clear()
            self._size = 0

    @property
    def failed(self) -> CallLog:
        """The calls without an answer or with one that is not 2xx."""
        return type(self)(call for call in self._seen() if call.failed)

    def where(
        self, *, path: str | None = None, status: int | None = None, method: str | None = None
    ) -> CallLog:
        """The calls with this path (`*` is a wildcard), status and method."""
        return type(self)(
            call
            for call in self._seen()
            if (path is None or fnmatchcase(call.path, path))
            and status in (None, call.status)
            and (method is None or call.method == method.upper())
        )

    def get(self, number: int) -> Call:
        """The call with this number; LookupError when it was dropped."""
        for call in self._seen():
            if call.number == number:
                return call
        raise LookupError(f"no call has number {number}: it may be older than those kept")

    def rows(self) -> list[dict[str, Any]]:
        """Flat rows for a table or a frame, one per call."""
        return [_row(call) for call in self._seen()]

    def har(self, to: str | Path | None = None, *, keep_personal: bool = False) -> dict[str, Any]:
        """The calls as HAR 1.2 for browser tools; written to `path` if given.

        Names, contacts, birth dates, addresses and account numbers are removed unless
        `keep_personal` is set.
        """
        return har(self._seen(), None if to is None else Path(to), keep_personal=keep_personal)

    def _seen(self) -> list[Call]:
        with self._lock:
            entries = list(self._calls)
        return [_call(entry) for entry in entries]

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self._seen())

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> CallLog: ...
    def __getitem__(self, at: int | slice) -> Call | CallLog:
        if isinstance(at, slice):
            return type(self)(self._seen()[at])
        return _call(self._calls[at])

    def __repr__(self) -> str:
        lines = [f"{call.number:>4}  {call}" for call in self._seen()]
        return "\n".join([f"<{len(lines)} calls>", *lines]) if lines else "<no calls>"


def _numbered(later: Later, number: int) -> Later:
    later.number = number
    return later


def _call(entry: Call | Later) -> Call:
    return entry.call if isinstance(entry, Later) else entry


def _tell(listener: Listener, call: Call) -> None:
    try:
        listener(call)
    except Exception:  # the call was made, and what it gave must reach who made it
        log.exception("a call could not be shown")


def _row(call: Call) -> dict[str, Any]:
    spent = call.spent
    return {
        "number": call.number,
        "when": call.when,
        "method": call.method,
        "path": call.path,
        "status": call.status,
        "connecting_ms": spent and spent.connecting * 1000,
        "waiting_ms": spent and spent.waiting * 1000,
        "reading_ms": spent and spent.reading * 1000,
        "attempt": call.attempt,
        "idempotency_key": call.idempotency_key,
        "replayed": call.replayed,
        "sent_bytes": call.request_body.size,
        "received_bytes": call.response_body.size,
        "error": call.error,
    }
