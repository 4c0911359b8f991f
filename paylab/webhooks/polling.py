"""Polling instead of webhooks: the router receives the same events.

A watch polls in its own thread, at an interval of real seconds, and never moves a clock: on a
frozen simulator it finds what a wait in a cell or `clock.advance` has changed. `poll()`
polls at once in the calling thread, so its result is deterministic.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from threading import Lock
from typing import Any, Self

from ..errors.api import NotFoundError
from ..errors.arguments import explain_arguments
from ..errors.base import ArgumentError
from ..errors.names import with_name_suggestions
from ..logs import log
from ..runtime import Repetition
from ..spec import timestamps
from ..spec.service.lists import Order
from ..spec.service.service import Service
from ..spec.text import JsonMapping
from .event import FAMILIES, SPEC_WRAPPER, Event, EventVersion, of_snapshot
from .router import Router

POLL_SECONDS = 5.0
START_PAGES_MAX = 10
"""Pages that a watch reads at its start, to find resources that are not final.

If a list is not declared newest first, all pages are read.
"""

ERRORS_MAX = 20
RESOURCES_MAX = 100_000
UNORDERED_WARNING = (
    "the list of %ss is not known to be newest first: a watch reads all of it in each round"
)


@dataclass
class PolledList:
    """One list that is polled: its family, its pages, how to read one row, and its order.

    `known` has the latest version of each resource by id, and `open` the ids of those that are not
    final. A list that is declared newest first is read until a page brings nothing new, any other
    to its end in each round. The first round may end before the end of the list: rows created
    before `floor` were not read then, and are no news.
    """

    family: str
    pages: Callable[[], Iterable[Any]]
    get: Callable[[str], JsonMapping] | None = None
    order: Order = "unknown"
    known: dict[str, EventVersion] = field(default_factory=dict)
    open: set[str] = field(default_factory=set)
    has_begun: bool = False
    floor: datetime | None = None
    service: Service = SPEC_WRAPPER.service

    def rows(self, since: datetime | None) -> list[JsonMapping]:
        """Return the rows that are new or changed, oldest first.

        In the first round, they are those that changed since a time.
        """
        return self._read_changes() if self.has_begun else self._read_first_round(since)

    def _read_first_round(self, since: datetime | None) -> list[JsonMapping]:
        """Store the versions of the existing rows, and return the rows changed since `since`.

        If the list is newest first and there is no `since`, START_PAGES_MAX pages are read. With
        `since` all pages are, because an old row may have changed.
        """
        existing_rows: list[JsonMapping] = []
        changed_rows: list[JsonMapping] = []
        for page_number, page in enumerate(self._read_checked_pages(), 1):
            for listed_row in page.data:
                if _is_updated_since(listed_row, since) and self._is_change(listed_row):
                    changed_rows.append(listed_row)
                else:
                    existing_rows.append(listed_row)
            is_limit_reached = page_number == START_PAGES_MAX and page.has_next_page
            if is_limit_reached and self.order != "newest_first":
                # All pages must be read, as a change can be on any of them.
                log.warning(UNORDERED_WARNING, self.family)
            elif is_limit_reached and since is None:
                # Unknown rows from before the floor are old ones that were not read, not new ones.
                last_row = existing_rows[-1] if existing_rows else {}
                self.floor = timestamps.read_or_none(last_row.get("created_at"))
                break
        for listed_row in existing_rows:
            self.store_version(listed_row)
        self.has_begun = True
        return _sort_oldest_first(changed_rows)

    def _read_changes(self) -> list[JsonMapping]:
        """Read all pages; of a list that is newest first, those up to one that has nothing new."""
        changed_rows: list[JsonMapping] = []
        missing_ids = set(self.open)
        for page in self._read_checked_pages():
            changed_rows += page.data
            missing_ids -= {str(changed_row.get("id")) for changed_row in page.data}
            # Open resources that no page has are looked up by id, or else further down the list.
            can_look_up = self.get is not None or not missing_ids
            if self.order == "newest_first" and can_look_up and not self._has_news(page.data):
                break
        changed_rows += self._look_up(missing_ids)
        return [
            changed_row
            for changed_row in _sort_oldest_first(changed_rows)
            if self._is_change(changed_row)
        ]

    def _has_news(self, listed_rows: list[JsonMapping]) -> bool:
        """Return whether any row of a page is new or changed."""
        listed_ids = {str(listed_row.get("id")) for listed_row in listed_rows}
        return not listed_ids <= self.known.keys() or any(map(self._is_change, listed_rows))

    def _look_up(self, row_ids: set[str]) -> list[JsonMapping]:
        """Get resources that are not final and were not listed; forget those that are deleted."""
        found_rows = []
        for row_id in sorted(row_ids):
            found_row = None
            with suppress(NotFoundError):
                found_row = self.get(row_id) if self.get else None
            if found_row is None:
                self.open.discard(row_id)
            else:
                found_rows.append(found_row)
        return found_rows

    def store_version(self, row: JsonMapping) -> None:
        """Store the current version of a resource, and whether it is final.

        A list newest first keeps RESOURCES_MAX versions: beyond them, the final resource that was
        stored longest ago is forgotten.
        """
        row_id = str(row.get("id"))
        self.known.pop(row_id, None)
        self.known[row_id] = self.read_version(row)
        _, machine = FAMILIES[self.family]
        if machine.is_final(row.get("status")):
            self.open.discard(row_id)
        else:
            self.open.add(row_id)
        if len(self.known) > RESOURCES_MAX and self.order == "newest_first":
            final_ids = (known_id for known_id in self.known if known_id not in self.open)
            # If none is final, the resource that was just stored is forgotten.
            forgotten_id = next(final_ids, row_id)
            del self.known[forgotten_id]
            self.open.discard(forgotten_id)

    def read_version(self, row: JsonMapping) -> EventVersion:
        """Return the version of a resource that a row shows, to compare it with another one."""
        return of_snapshot(self.family, row, None, self.service).version

    def _read_checked_pages(self) -> Iterator[Any]:
        """Yield the pages; the order becomes unknown if rows contradict the declared one."""
        last_rows: list[JsonMapping] = []
        for page in self.pages():
            if self.order != "unknown" and not _is_newest_first([*last_rows, *page.data]):
                log.warning(UNORDERED_WARNING, self.family)
                self.order = "unknown"
            last_rows = page.data[-1:] or last_rows
            yield page

    def _is_change(self, listed_row: JsonMapping) -> bool:
        """Return whether a row is a new resource, or a changed one."""
        known_version = self.known.get(str(listed_row.get("id")))
        if known_version is not None:
            return not is_same_state(self.read_version(listed_row), known_version)
        created_at = timestamps.read_or_none(listed_row.get("created_at"))
        if self.floor and created_at and created_at < self.floor:
            return False
        return self.family != "individual" or _has_left_first_status(listed_row)


def is_same_state(version: EventVersion, other_version: EventVersion) -> bool:
    """Return whether two versions of a resource are equal, by status and time of update.

    Of an individual only the status counts: a change of other fields is no event.
    """
    if version.status != other_version.status:
        return False
    is_of_individual = version.type == "individual.status_changed"
    return is_of_individual or version.updated_at == other_version.updated_at


def _is_updated_since(listed_row: JsonMapping, since: datetime | None) -> bool:
    """Return whether a row has changed since a time; False without a time."""
    updated_at = timestamps.read_or_none(listed_row.get("updated_at"))
    return since is not None and updated_at is not None and updated_at >= since


def _has_left_first_status(listed_row: JsonMapping) -> bool:
    """Return whether an individual has already left its first status.

    The first status is action_required, or active without verification.
    """
    if listed_row.get("status") == "active":
        return listed_row.get("updated_at") != listed_row.get("created_at")
    return listed_row.get("status") != "action_required"


def _is_newest_first(listed_rows: Iterable[JsonMapping]) -> bool:
    """Return whether all rows have a time of creation, and none is later than the one before."""
    creation_times = []
    for listed_row in listed_rows:
        created_at = timestamps.read_or_none(listed_row.get("created_at"))
        if created_at is None:
            return False
        creation_times.append(created_at)
    return all(newer_time >= older_time for newer_time, older_time in pairwise(creation_times))


def _sort_oldest_first(listed_rows: Iterable[JsonMapping]) -> list[JsonMapping]:
    """Sort rows by creation, oldest first; rows without a time last."""
    end_of_time = datetime.max.replace(tzinfo=UTC)
    # The list is usually newest first: reversed, rows of the same time are oldest first, too.
    reversed_rows = list(listed_rows)[::-1]
    return sorted(
        reversed_rows, key=lambda row: timestamps.read_or_none(row.get("created_at")) or end_of_time
    )


@with_name_suggestions
@explain_arguments
class Watch:
    """Polls until stopped, in a daemon thread; `errors` holds the latest failures.

    After a failed round, a later one finds what it missed.
    """

    def __init__(
        self, lists: Iterable[PolledList], router: Router, every: float, since: datetime | None
    ) -> None:
        """Poll the lists `every` so many seconds, and give what changed to the router.

        The first round gives what changed since `since`, or nothing.
        """
        if every <= 0:
            raise ArgumentError("every must be more than 0 seconds")
        if since is not None and since.tzinfo is None:
            raise ArgumentError("since must have a time zone, such as datetime.now(UTC)")
        self.rounds = 0
        self.errors = deque[Exception](maxlen=ERRORS_MAX)
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
        """Poll now, and return the number of events given to the router.

        >>> lab.watch(router).poll()
        0
        """
        with self._lock:
            event_count = sum(self._poll_list(polled_list) for polled_list in self._lists)
            self.rounds += 1
        return event_count

    def stop(self) -> None:
        """Stop polling, and wait for the end of the current round.

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
        state_text = f"every {self._every:g} s" if self.is_running else "stopped"
        return f"<watch, {state_text}, {len(self.errors)} errors>"

    def _poll_list(self, polled_list: PolledList) -> int:
        """Poll one list; return the number of events that were handled.

        A failure does not stop the other lists or the next round.
        """
        try:
            changed_rows = polled_list.rows(self._since)
        except Exception as error:
            return self._store_error(error)
        return sum(self._handle_row(polled_list, changed_row) for changed_row in changed_rows)

    def _handle_row(self, polled_list: PolledList, listed_row: JsonMapping) -> int:
        """Give a resource to the router; return 1 if an event was handled, otherwise 0.

        If the handler raises, the next round tries again.
        """
        try:
            event = self._make_event(polled_list, listed_row)
            is_handled = event is not None and bool(self._router.handle(event))
        except Exception as error:
            return self._store_error(error)
        polled_list.store_version(listed_row)
        return int(is_handled)

    def _make_event(self, polled_list: PolledList, listed_row: JsonMapping) -> Event | None:
        """Make the event for the change of a resource since its latest version.

        None if a webhook has already delivered this state.
        """
        handled_version = self._find_handled_version(polled_list, listed_row)
        latest_version = handled_version or polled_list.known.get(str(listed_row.get("id")))
        event = of_snapshot(polled_list.family, listed_row, latest_version, polled_list.service)
        if handled_version and is_same_state(event.version, handled_version):
            return None
        return event

    def _find_handled_version(
        self, polled_list: PolledList, listed_row: JsonMapping
    ) -> EventVersion | None:
        """The latest version of a resource that the router has handled; None without one."""
        # The router finds it by an event, here one that is compared with no earlier version.
        key_event = of_snapshot(polled_list.family, listed_row, None, polled_list.service)
        return self._router.latest(key_event)

    def _store_error(self, error: Exception) -> int:
        """Store an error, and return 0: no event was handled."""
        log.warning("a watch continues after %s: %s", type(error).__name__, error)
        self.errors.append(error)
        return 0
