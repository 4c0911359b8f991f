"""The log of calls, with filters and listeners."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, overload

from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError, PaylabError, UnknownItemError
from ..errors.extras import extra_imports
from ..errors.names import with_name_suggestions
from ..errors.text import plain
from ..files import path_of
from ..logs import log
from ..processes.forks import renew_after_fork
from ..spec.text import JsonObject
from .call import STEPS, Call, DeferredCall, Har
from .request import CONTROLS

if TYPE_CHECKING:
    import pandas as pd

CALL_COLUMNS = (
    "number", "when", "method", "path", "status", "connecting_ms", "waiting_ms", "reading_ms",
    "attempt", "idempotency_key", "replayed", "sent_bytes", "received_bytes", "error",
)  # fmt: skip
CALLS_MAX = 200
CALLS_BYTES_MAX = 8 * 2**20

Listener = Callable[[Call], None]
Listen = Callable[[Listener], Callable[[], None]]


@with_name_suggestions
@explain_arguments
class CallLog(Sequence[Call]):
    """The latest attempts, oldest first; the oldest are dropped at a limit of number and size."""

    def __init__(
        self,
        calls: Iterable[Call] = (),
        most: int = CALLS_MAX,
        most_bytes: int = CALLS_BYTES_MAX,
        *,
        facts: Callable[[], Mapping[str, object]] = dict,
        screen: Callable[[Listen], Any] | None = None,
    ) -> None:
        """Keep at most `most` calls of `most_bytes` bytes.

        `facts` gives what a HAR file says about the lab, and `screen` makes the live table.
        """
        self._calls = deque(DeferredCall(call, call.path, size=0) for call in calls)
        self._most = most
        self._most_bytes = most_bytes
        self._facts = facts
        self._size = 0
        self._count = 0
        self._lock = Lock()
        self._listeners: list[Listener] = []
        self._followers: list[Callable[[], None]] = []
        self._screen = screen
        renew_after_fork(self, lock=self._lock)

    def keep(self, deferred: DeferredCall) -> None:
        """Store an attempt under the next number and notify the listeners.

        Calls that control a simulator are not stored.
        """
        if deferred.path.startswith(CONTROLS):
            return
        with self._lock:
            self._count += 1
            deferred.number = self._count
            self._calls.append(deferred)
            self._size += deferred.size
            while self._exceeds_limits():
                self._size -= self._calls.popleft().size
        for follower in tuple(self._followers):
            with _log_failure():
                follower()
        for listener in tuple(self._listeners):
            with _log_failure():
                listener(deferred.call)

    def on_screen(self) -> Any:
        """Show every call under the cell that makes it until `stop()` is called.

        >>> lab.calls.on_screen().stop()
        """
        if self._screen is None:
            raise PaylabError("only the calls of a lab can be shown as they are made")
        return self._screen(self.listen)

    def frame(self) -> pd.DataFrame:
        """One row per call, oldest first; times only on a real network.

        >>> lab.calls.frame()["status"].tolist()[:1]
        [201]
        """
        with extra_imports():
            import pandas as pd

        frame = pd.DataFrame(self.rows(), columns=list(CALL_COLUMNS))
        return frame.astype({"number": "Int64", "status": "Int64", "attempt": "Int64"})

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call a function with every attempt. The returned function ends these calls.

        >>> stop = lab.calls.listen(print)
        >>> stop()
        """
        self._listeners.append(listener)
        return partial(_remove_function, self._listeners, listener)

    def follow(self, follower: Callable[[], None]) -> Callable[[], None]:
        """Call a function after every attempt, without building the record of the attempt.

        The returned function ends these calls.

        >>> stop = lab.calls.follow(lambda: None)
        >>> stop()
        """
        self._followers.append(follower)
        return partial(_remove_function, self._followers, follower)

    def _exceeds_limits(self) -> bool:
        """Whether there are too many calls, or too many bytes; one call is kept at any size."""
        has_too_many_bytes = self._size > self._most_bytes and len(self._calls) > 1
        return len(self._calls) > self._most or has_too_many_bytes

    def after(self, number: int, most: int) -> list[Call]:
        """The latest calls with a higher number, at most `most`; only they are built.

        >>> lab.calls.after(lab.calls[-1].number, 10)
        []
        """
        with self._lock:
            deferred_calls = [deferred for deferred in self._calls if deferred.number > number]
        return [deferred_call.call for deferred_call in deferred_calls[-most:]]

    def clear(self) -> None:
        """Remove all calls; numbering continues.

        >>> lab.calls.clear()
        >>> len(lab.calls)
        0
        """
        with self._lock:
            self._calls.clear()
            self._size = 0

    @property
    def failed(self) -> CallLog:
        """The calls without an answer or with one that is not 2xx."""
        return self._make_part(call for call in self._build_calls() if call.failed)

    def where(
        self, *, path: str | None = None, status: int | None = None, method: str | None = None
    ) -> CallLog:
        """The calls with this path (`*` is a wildcard), status and method.

        ArgumentError for a status that is no number: no call has it.

        >>> lab.calls.where(path="/v1/quotes")[0].status
        201
        """
        if not isinstance(status, int | None):
            raise ArgumentError(f"status must be a number like 404, not {status!r:.60}", "status")
        calls = self._build_calls()
        if path is not None:
            calls = [call for call in calls if fnmatchcase(call.path, path)]
        if status is not None:
            calls = [call for call in calls if call.status == status]
        if method is not None:
            calls = [call for call in calls if call.method == method.upper()]
        return self._make_part(calls)

    def get(self, number: int) -> Call:
        """The call with this number; UnknownItemError when it was dropped.

        >>> lab.calls.get(lab.calls[-1].number).method
        'POST'
        """
        for call in self._build_calls():
            if call.number == number:
                return call
        number_text = plain(repr(number), 60)
        raise UnknownItemError(
            f"no call has number {number_text}: it may be older than the kept calls"
        )

    def rows(self) -> list[JsonObject]:
        """Flat rows for a table or a frame, one per call.

        >>> lab.calls.rows()[-1]["status"]
        201
        """
        call_rows = []
        for call in self._build_calls():
            call_row = {
                column_name: getattr(call, column_name, None) for column_name in CALL_COLUMNS
            }
            call_row["sent_bytes"] = call.request_body.size
            call_row["received_bytes"] = call.response_body.size
            if call.spent is not None:  # measured on a real network only
                call_row |= {f"{step}_ms": getattr(call.spent, step) * 1000 for step in STEPS}
            call_rows.append(call_row)
        return call_rows

    def har(self, to: str | Path | None = None, *, keep_personal: bool = False) -> Har:
        """The calls as HAR 1.2, for a bug report or browser tools; written to `to` if given.

        The result is a dict that shows only its `path` and `count`.

        `paylab.connect(replay=...)` answers from the file. Names, contacts, birth dates, addresses
        and account numbers are removed unless `keep_personal` is set; bodies are cut after 32 KiB,
        which `lab.record` does not do.

        >>> lab.calls.har("calls.har").path.name
        'calls.har'
        """
        from .har import write_calls  # only an export needs it

        har_path = None if to is None else path_of(to)
        return write_calls(
            self._build_calls(), har_path, keep_personal=keep_personal, facts=self._facts()
        )

    def _make_part(self, calls: Iterable[Call]) -> CallLog:
        """A log of some of these calls."""
        return type(self)(calls, facts=self._facts)

    def _build_calls(self) -> list[Call]:
        """The records of all kept calls; those that nobody has read yet are built now."""
        with self._lock:
            deferred_calls = list(self._calls)
        return [deferred_call.call for deferred_call in deferred_calls]

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self._build_calls())

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> CallLog: ...
    def __getitem__(self, at: int | slice) -> Call | CallLog:
        if not isinstance(at, slice):
            return self._find_at(at)
        with self._lock:
            deferred_calls = list(self._calls)[at]
        return self._make_part(deferred_call.call for deferred_call in deferred_calls)

    def _find_at(self, index: object) -> Call:
        """The call at an index; TypeError or IndexError for an index that the log does not have."""
        call_count = len(self._calls)
        if not isinstance(index, int):
            message = f"calls have indexes, as in lab.calls[-1], not {plain(repr(index), 60)}"
            raise TypeError(f"{message}: where(path=..., status=...) keeps some")
        if not -call_count <= index < call_count:
            raise IndexError(f"there is no call {index}: the log has {call_count}")
        return self._calls[index].call

    def __repr__(self) -> str:
        call_lines = [f"{call.number:>4}  {call}" for call in self._build_calls()]
        return (
            "\n".join([f"<{len(call_lines)} calls>", *call_lines]) if call_lines else "<no calls>"
        )


@contextmanager
def _log_failure() -> Iterator[None]:
    """Log the failure of a listener: the call was made, so its result must be returned."""
    try:
        yield
    except Exception:
        log.exception("a call could not be shown")


def _remove_function(functions: list[Any], function: object) -> None:
    """Remove a function from a list, if it is there."""
    with suppress(ValueError):
        functions.remove(function)
