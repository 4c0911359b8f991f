"""The rows of the live panel: the calls of a lab, and the events of its simulator or inboxes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ..client.call_log import CallLog
from ..views.panel_rows import PanelRow, call_row, delivery_row, event_row, finish_row

if TYPE_CHECKING:
    from ..journal.journal import Journal
    from ..webhooks.arrival import Arrival
    from ..webhooks.inbox import Inbox

ROWS_MAX = 200
"""Maximum rows that are kept; the oldest are dropped first."""

Follower = Callable[[], None]
"""A function that is called after a change, and then reads the rows."""

Moment = tuple[int, datetime]
"""When something happened: its sequence in the journal of the simulator (0 without), its time."""


class Entry(NamedTuple):
    """A call, event or delivery at a moment. Its row is made when its number is known."""

    moment: Moment
    make_row: Callable[[int], PanelRow]


class PanelFeed:
    """The latest rows of a panel. They are read by `read`; a call or an event only tells followers.

    Events are those in the journal of a simulator in this process, else those that the inboxes of
    the lab received.
    """

    def __init__(self, calls: CallLog, inboxes: Sequence[Inbox]) -> None:
        """Begin before the first call, event and delivery."""
        self._calls = calls
        self._inboxes = inboxes
        self._journal: Journal | None = None
        self._world_followers: list[Follower] = []
        self._follower: Follower | None = None
        self._stop_functions: list[Callable[[], None]] = []
        self._followed_inbox_count = 0
        self._rows: deque[PanelRow] = deque(maxlen=ROWS_MAX)
        self._row_count = 0
        self._call_number = 0
        self._note_number = 0
        self._delivery_counts: dict[tuple[int, int], int] = {}  # by inbox index and arrival number
        self._reading = Lock()

    def add_world(self, journal: Journal, followers: list[Follower]) -> None:
        """Read the events of a simulator. It calls its followers after each change."""
        self._journal = journal
        self._world_followers = followers

    def follow(self, follower: Follower) -> Callable[[], None]:
        """Call a function after each call, arrival and change of the simulator.

        The returned function ends this.
        """
        self._follower = follower
        self._stop_functions = [self._calls.follow(follower)]
        self._world_followers.append(follower)
        self._follow_inboxes()
        return self._unfollow

    def _unfollow(self) -> None:
        """Stop following the calls, the simulator and the inboxes."""
        follower = self._follower
        self._follower = None
        if follower in self._world_followers:
            self._world_followers.remove(follower)
        for stop_following in self._stop_functions:
            stop_following()
        self._stop_functions.clear()
        self._followed_inbox_count = 0

    def _follow_inboxes(self) -> None:
        """Follow the inboxes that were opened since the last time."""
        if self._follower is None:
            return
        for inbox in self._inboxes[self._followed_inbox_count :]:
            self._stop_functions.append(inbox.on_arrival(self._handle_arrival))
            self._followed_inbox_count += 1

    def _handle_arrival(self, _: Arrival) -> None:
        """Tell the follower that an inbox received an event."""
        if self._follower is not None:
            self._follower()

    def read(self) -> Sequence[PanelRow]:
        """The latest rows, oldest first, with rows for what has happened since the last reading."""
        with self._reading:
            self._finish_open_rows()
            new_entries = [*self._read_calls(), *self._read_notes(), *self._read_arrivals()]
            for panel_row in sorted(new_entries, key=attrgetter("moment")):
                self._row_count += 1
                self._rows.append(panel_row.make_row(self._row_count))
            return tuple(self._rows)

    def clear(self) -> None:
        """Drop all rows; what happens from now on is shown."""
        self.read()
        self._rows.clear()

    def _read_calls(self) -> Iterator[Entry]:
        """The calls since the last reading, each at the place of its request in the journal.

        A call whose request is not in the journal has the place of the call before it. A caller
        that stops early gets the other calls at the next reading.
        """
        sequence_number_by_nonce = self._read_sequence_numbers()
        sequence_number = 0
        for call in self._calls.after(self._call_number, ROWS_MAX):
            self._call_number = call.number
            nonce = call.request_headers.get("x-nonce", "")
            sequence_number = sequence_number_by_nonce.get(nonce, sequence_number)
            place = sequence_number, call.when
            yield Entry(place, make_row=partial(call_row, call=call))

    def _read_sequence_numbers(self) -> dict[str, int]:
        """The sequence numbers of the latest requests in the journal, by the nonce of a request.

        Empty without a journal.
        """
        if self._journal is None:
            return {}
        request_records = self._journal.requests()[-ROWS_MAX:]
        return {
            request_record.request.headers.get("x-nonce", ""): request_record.sequence
            for request_record in request_records
        }

    def _read_notes(self) -> Iterator[Entry]:
        """The events and deliveries since the last reading."""
        if self._journal is None:
            return
        for journal_note in self._journal.notes(self._note_number, ROWS_MAX):
            self._note_number = journal_note.sequence
            if journal_note.kind == "control":
                continue  # the panel shows calls and events only
            make_row = event_row if journal_note.kind == "event" else delivery_row
            make_numbered_row = partial(make_row, at=journal_note.at, facts=journal_note.facts)
            yield Entry((journal_note.sequence, journal_note.at), make_numbered_row)

    def _read_arrivals(self) -> Iterator[Entry]:
        """The events that the inboxes received since the last reading, for the first time or again.

        Nothing with the journal of a simulator: `_read_notes` reads the same events from it.
        """
        if self._journal is not None:
            return
        self._follow_inboxes()
        previous_count_by_arrival = self._delivery_counts
        self._delivery_counts = {}
        for inbox_index, inbox in enumerate(self._inboxes):
            for arrival in reversed(inbox.newest(ROWS_MAX)):
                arrival_key = inbox_index, arrival.seq
                self._delivery_counts[arrival_key] = arrival.deliveries
                if previous_count_by_arrival.get(arrival_key) == arrival.deliveries:
                    continue  # not delivered again since
                make_numbered_row = partial(
                    event_row, at=arrival.last_at, facts=_arrival_facts(arrival)
                )
                yield Entry((0, arrival.last_at), make_numbered_row)

    def _finish_open_rows(self) -> None:
        """Replace the rows of deliveries that were under way, and now have a result."""
        for index, panel_row in enumerate(self._rows):
            if panel_row.is_open and "status" in panel_row.source:
                self._rows[index] = finish_row(panel_row)


def _arrival_facts(arrival: Arrival) -> dict[str, object]:
    """The facts of a received event, and the event itself as `arrival`, to send it again.

    The payload is None if the body of the event is not JSON.
    """
    payload: object = None
    with suppress(ValueError):
        payload = arrival.payload
    return {
        "event_type": arrival.type,
        "resource_id": arrival.id,
        "deliveries": arrival.deliveries,
        "order": arrival.order,
        "body": {"event_payload": payload},
        "arrival": arrival,
    }
