"""Polling instead of webhooks: the router receives the same events.

A watch polls in its own thread, at an interval of real seconds, and never moves a clock: on a
frozen simulator it finds what a wait in a cell or `clock.advance` has changed. `poll()`
polls at once in the calling thread, so its result is deterministic.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from threading import Lock
from typing import Any, Self

from ..errors.api import NotFoundError
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError
from ..logs import log
from ..runtime import Repetition
from ..spec import timestamps
from ..spec.service.lists import Order
from ..spec.service.service import Service
from .event import FAMILIES, OWN, Event, EventVersion, of_snapshot
from .router import Router

EVERY = 5.0
PAST_PAGES = 10
"""Pages that a watch reads at its start, to find resources that are not final.

If a list is not declared newest first, all pages are read.
"""

KEPT_ERRORS = 20
REMEMBERED = 100_000
UNORDERED = "the list of %ss is not known to be newest first: a watch reads all of it in each round"
ResourceData = Mapping[str, Any]


@dataclass
class PolledList:
    """One list that is polled: its family, its pages, how to read one row, and its order.

    It keeps the latest state of each resource, and those that are not final. A list that is
    declared newest first is read until a page brings nothing new, any other to its end in each
    round. Unknown rows older than `floor` existed when the watch started.
    """

    family: str
    pages: Callable[[], Iterable[Any]]
    get: Callable[[str], ResourceData] | None = None
    order: Order = "unknown"
    known: dict[str, EventVersion] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    has_begun: bool = False
    floor: datetime | None = None
    service: Service = OWN.service

    def rows(self, since: datetime | None) -> list[ResourceData]:
        """The rows that are new or changed, oldest first; in the first round since a time."""
        return self._news() if self.has_begun else self._begin(since)

    def _begin(self, since: datetime | None) -> list[ResourceData]:
        """Read the existing rows; only later changes of them count as changes.

        Of a list that is newest first the newest pages are enough, unless old rows may have
        changed since a time.
        """
        known_rows = list[ResourceData]()
        new_rows = list[ResourceData]()
        for number, page in enumerate(self._pages(), 1):
            for row in page.data:
                moment = timestamps.read(row.get("updated_at"))
                is_since = since is not None and moment is not None and moment >= since
                (new_rows if is_since and self._is_news(row) else known_rows).append(row)
            if number == PAST_PAGES and page.has_next_page:
                if self.order != "newest_first":
                    log.warning(UNORDERED, self.family)
                elif since is None:
                    self.floor = (
                        timestamps.read(known_rows[-1].get("created_at")) if known_rows else None
                    )
                    break
        for row in known_rows:
            self.note(row)
        self.has_begun = True
        return _oldest_first(new_rows)

    def _news(self) -> list[ResourceData]:
        """Read all pages; when newest first, until a page brings nothing new."""
        rows_read: list[ResourceData] = []
        missing = set(self.open)
        for page in self._pages():
            rows_read += page.data
            ids = {str(row.get("id")) for row in page.data}
            missing -= ids
            is_known = ids <= self.known.keys() and not any(map(self._is_news, page.data))
            if is_known and (self.get or not missing) and self.order == "newest_first":
                break
        for row_id in sorted(missing):
            row = None
            with suppress(NotFoundError):
                row = self.get(row_id) if self.get else None
            if row is None:
                self.open.discard(row_id)  # it was deleted
            else:
                rows_read.append(row)
        return [row for row in _oldest_first(rows_read) if self._is_news(row)]

    def note(self, row: ResourceData) -> None:
        """Store the current state of a resource."""
        row_id = str(row.get("id"))
        self.known.pop(row_id, None)
        self.known[row_id] = self.mark(row)
        final = FAMILIES[self.family][1].is_final(row.get("status"))
        (self.open.discard if final else self.open.add)(row_id)
        if len(self.known) > REMEMBERED and self.order == "newest_first":
            del self.known[next((name for name in self.known if name not in self.open), row_id)]

    def mark(self, row: ResourceData) -> EventVersion:
        """The mark by which polling compares two states of a resource."""
        return of_snapshot(self.family, row, None, self.service).mark

    def _pages(self) -> Iterator[Any]:
        """The pages; the order is unknown as soon as rows contradict the declared one."""
        last: list[ResourceData] = []
        for page in self.pages():
            if self.order != "unknown" and not _falls([*last, *page.data]):
                log.warning(UNORDERED, self.family)
                self.order = "unknown"
            last = page.data[-1:] or last
            yield page

    def _is_news(self, row: ResourceData) -> bool:
        known_mark = self.known.get(str(row.get("id")))
        current_mark = self.mark(row)
        if known_mark is not None:
            return not same_state(current_mark, known_mark)
        moment = timestamps.read(row.get("created_at"))
        if self.floor and moment and moment < self.floor:
            return False
        return self.family != "individual" or _has_moved(row)


def same_state(one: EventVersion, other: EventVersion) -> bool:
    """Whether two marks of a resource are equal; for an individual only the status counts."""
    if one.type == "individual.status_changed":
        return one.status == other.status
    return (one.status, one.updated_at) == (other.status, other.updated_at)


def _has_moved(row: ResourceData) -> bool:
    """Whether an individual that was not known before has already left its first status.

    The first status is action_required, or active without verification.
    """
    if row.get("status") == "active":
        return row.get("updated_at") != row.get("created_at")
    return row.get("status") != "action_required"


def _falls(rows: Iterable[ResourceData]) -> bool:
    """Whether the times of creation never increase from row to row."""
    times = [timestamps.read(row.get("created_at")) for row in rows]
    times_present = [moment for moment in times if moment is not None]
    return len(times_present) == len(times) and all(
        later >= earlier for later, earlier in pairwise(times_present)
    )


def _oldest_first(rows: Iterable[ResourceData]) -> list[ResourceData]:
    """Rows by creation, oldest first; rows without a time last."""
    last = datetime.max.replace(tzinfo=UTC)
    backwards = list(rows)[::-1]
    return sorted(backwards, key=lambda row: timestamps.read(row.get("created_at")) or last)


@explain_arguments
class Watch:
    """Polls until stopped, in a daemon thread; `errors` holds the latest failures.

    After a failed round, a later one finds what it missed.
    """

    def __init__(
        self, lists: Iterable[PolledList], router: Router, every: float, since: datetime | None
    ) -> None:
        if every <= 0:
            raise ArgumentError("every must be more than 0 seconds")
        if since is not None and since.tzinfo is None:
            raise ArgumentError("since must have a time zone, such as datetime.now(UTC)")
        self.rounds = 0
        self.errors = deque[Exception](maxlen=KEPT_ERRORS)
        self._lists = list(lists)
        self._router = router
        self._every = every
        self._since = since
        self._lock = Lock()
        self._polling = Repetition(self.poll, every, "paylab-watch")

    def start(self) -> Self:
        """Read the existing rows, then start polling."""
        self.poll()
        self._polling.start()
        return self

    def poll(self) -> int:
        """Poll now; returns the number of events given to the router.

        >>> lab.watch(router).poll()
        0
        """
        with self._lock:
            count = sum(self._round(polled_list) for polled_list in self._lists)
            self.rounds += 1
        return count

    def stop(self) -> None:
        """Stop polling; returns when the current round has ended.

        >>> lab.watch(router).stop()
        """
        self._polling.stop()

    @property
    def is_running(self) -> bool:
        """Whether it is still polling."""
        return self._polling.is_running

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = f"every {self._every:g} s" if self.is_running else "stopped"
        return f"<watch, {state}, {len(self.errors)} errors>"

    def _round(self, polled: PolledList) -> int:
        """Poll one list; a failure does not stop the other lists or the next round."""
        try:
            rows = polled.rows(self._since)
        except Exception as error:
            return self._note(error)
        return sum(self._feed(polled, row) for row in rows)

    def _feed(self, polled: PolledList, row: ResourceData) -> int:
        """Give a resource to the router, again in the next round if its handler raises."""
        try:
            event = self._event(polled, row)
            handled = event is not None and self._router.handle(event).outcome != "duplicate"
        except Exception as error:
            return self._note(error)
        polled.note(row)
        return int(handled)

    def _event(self, polled: PolledList, row: ResourceData) -> Event | None:
        """The event for a resource; None when a webhook has already delivered it."""
        family = polled.family
        latest = self._router.latest(of_snapshot(family, row, None, polled.service))
        latest_known = latest or polled.known.get(str(row.get("id")))
        event = of_snapshot(family, row, latest_known, polled.service)
        return None if latest and same_state(event.mark, latest) else event

    def _note(self, error: Exception) -> int:
        log.warning("a watch continues after %s: %s", type(error).__name__, error)
        self.errors.append(error)
        return 0
