"""The call log: every attempt, oldest first, in bounded memory."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .. import forks
from ..errors import PaylabError
from .call import Call, Later
from .har import har

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("number", "when", "method", "path", "status", "connecting_ms", "waiting_ms", "reading_ms"),
    *("attempt", "idempotency_key", "replayed", "sent_bytes", "received_bytes", "error"),
)
MOST_CALLS = 200
MOST_BYTES = 8 * 2**20
CONTROLS = "/_simulator"

E = TypeVar("E", Call, Later)
Listener = Callable[[Call], None]
Listen = Callable[[Listener], Callable[[], None]]

log = logging.getLogger("paylab")


class CallLog(Sequence[Call]):
    """The latest attempts, oldest first; older ones go when there are too many or too much."""

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
        """Remember an attempt under the next number, and tell whoever listens.

        What controls a simulator is no call of the service, and is not kept.
        """
        if call.path.startswith(CONTROLS):
            return call
        numbered = self._push(lambda number: replace(call, number=number))
        self._tell(numbered)
        return numbered

    def keep(self, later: Later) -> None:
        """Remember an attempt as `append` does, and turn it into a call when someone looks."""
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
        """Show every call under the cell that makes it, from now on; `stop()` ends it."""
        if self.screen is None:
            raise PaylabError("only the calls of a lab can be shown as they are made")
        return self.screen(self.listen)

    def frame(self) -> pd.DataFrame:
        """One row a call, oldest first; times only where a real network was."""
        import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(COLUMNS))
        return frame.astype({"number": "Int64", "status": "Int64", "attempt": "Int64"})

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of every attempt from now on; what comes back ends it."""
        self._listeners.append(listener)
        return partial(self._forget, listener)

    def _forget(self, listener: Listener) -> None:
        if listener in self._listeners:
            self._listeners.remove(listener)

    def clear(self) -> None:
        """Forget them; the numbers go on."""
        with self._lock:
            self._calls.clear()
            self._size = 0

    @property
    def failed(self) -> CallLog:
        """Those without an answer, or with one that is not 2xx."""
        return type(self)(call for call in self._seen() if call.failed)

    def where(
        self, *, path: str | None = None, status: int | None = None, method: str | None = None
    ) -> CallLog:
        """Those with this path (`*` stands for anything), status and method."""
        return type(self)(
            call
            for call in self._seen()
            if (path is None or fnmatchcase(call.path, path))
            and status in (None, call.status)
            and (method is None or call.method == method.upper())
        )

    def get(self, number: int) -> Call:
        """The call with a number, such as an error's card tells; LookupError when it is gone."""
        for call in self._seen():
            if call.number == number:
                return call
        raise LookupError(f"no call has number {number}: it may be older than those kept")

    def rows(self) -> list[dict[str, Any]]:
        """What a table or a frame shows, one flat row a call."""
        return [_row(call) for call in self._seen()]

    def har(self, to: str | Path | None = None, *, keep_personal: bool = False) -> dict[str, Any]:
        """HAR 1.2, as browsers' tools read it; written to a file when one is named.

        Names, contacts, birth dates, addresses and account numbers are left out unless
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
