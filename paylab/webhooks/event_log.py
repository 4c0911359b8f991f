"""The events that an inbox received, in memory and perhaps in a file.

A repeated event only increases its count. The oldest events are dropped from memory when there
are too many; the file has all of them.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from threading import RLock
from typing import NamedTuple

from ..spec.text import write_json
from .arrival import IN_ORDER, STALE, Arrival, as_json
from .event import SPEC_WRAPPER, Event, EventVersion, Identity, Wrapper, is_stale
from .event_file import EventFile, StoredEvent

MEMORY_BYTES_MAX = 256 * 1024 * 1024
"""Maximum bytes of the events in memory."""

EVENT_OVERHEAD_BYTES = 2_000
"""Bytes in memory of an event beside its body."""

UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)


class _LatestVersion(NamedTuple):
    """The latest version of a resource, and the sequence number of the arrival that showed it."""

    seq: int
    version: EventVersion


class EventLog:
    """The events in order of arrival. It is thread-safe.

    With a `path`, other processes may use the file too.

    `since` is the time from which all events should be here, if it is known.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        wrapper: Wrapper = SPEC_WRAPPER,
        *,
        bytes_max: int = MEMORY_BYTES_MAX,
    ) -> None:
        """Read the events of the file; at most `bytes_max` bytes of events are in memory."""
        self.wrapper = wrapper
        self._bytes_max = bytes_max
        self.since: datetime | None = None  # all events from here on are held
        self.dropped = 0  # the number of events that left the memory
        self._arrivals: dict[int, Arrival] = {}
        self._seq_by_identity: dict[Identity, int] = {}
        # By family and id of the resource.
        self._latest_by_resource: dict[tuple[str, str], _LatestVersion] = {}
        self._count = 0
        self._bytes = 0
        self._lock = RLock()
        self._file = EventFile(path, wrapper) if path is not None else None
        with self._lock, self._make_file_lock():
            self._read_file()

    def start(self, since: datetime) -> None:
        """Note, in memory and in the file, that listening begins at a time."""
        with self._lock, self._make_file_lock():
            self._read_file()
            if self._file:
                self._file.append_header(since)
            self.since = since

    def add(self, event: Event, body: bytes, at: datetime) -> Arrival:
        """Store an event, or count another delivery of it; in the file when this returns."""
        with self._lock, self._make_file_lock():
            self._read_file()
            arrival = self._merge_delivery(event, body, at)
            if self._file:
                self._file.append(as_json(replace(arrival, at=at, deliveries=1)))
            self._store_arrival(arrival, event)
        return arrival

    def all(self) -> list[Arrival]:
        """Return the events, oldest first, with those that other processes added to the file."""
        with self._lock:
            self._read_file()
            return list(self._arrivals.values())

    def _make_file_lock(self) -> AbstractContextManager[object]:
        """Return the lock of the file between processes; one that does nothing without a file."""
        return self._file.locked() if self._file else nullcontext()

    def _read_file(self) -> None:
        """Store the events that were added to the file."""
        if self._file is None:
            return
        for stored_entry in self._file.read_new_lines():
            if isinstance(stored_entry, StoredEvent):
                body = write_json(self.wrapper.delivery(stored_entry.event)).encode()
                # A file of another program may not say when its events were received.
                received_at = stored_entry.at or stored_entry.event.updated_at or UNKNOWN_TIME
                arrival = self._merge_delivery(
                    stored_entry.event, body, received_at, stored_entry.deliveries
                )
                self._store_arrival(arrival, stored_entry.event)

    def _merge_delivery(
        self, event: Event, body: bytes, received_at: datetime, deliveries: int = 1
    ) -> Arrival:
        """Return a new arrival of an event, or the stored one with more deliveries."""
        known_seq = self._seq_by_identity.get(event.identity)
        if known_seq is not None:
            earlier_arrival = self._arrivals[known_seq]
            return replace(
                earlier_arrival,
                last_at=received_at,
                deliveries=earlier_arrival.deliveries + deliveries,
            )
        version = event.version
        latest_version = self._latest_by_resource.get((event.family, event.id))
        has_newer = is_stale(version, latest_version.version if latest_version else None)
        return Arrival(
            seq=self._count + 1,
            at=received_at,
            last_at=received_at,
            deliveries=deliveries,
            type=_escape_surrogates(event.type),
            id=_escape_surrogates(event.id),
            status=None if version.status is None else _escape_surrogates(version.status),
            updated_at=version.updated_at,
            order=STALE if has_newer else IN_ORDER,
            body=body,
            wrapper=self.wrapper,
        )

    def _store_arrival(self, arrival: Arrival, event: Event) -> None:
        """Store an arrival, and drop the oldest ones if they take too much memory."""
        seq = arrival.seq
        if seq > self._count:
            self._count = seq
            self._seq_by_identity[event.identity] = seq
            self._bytes += len(arrival.body) + EVENT_OVERHEAD_BYTES
            if arrival.order == IN_ORDER:  # a stale event is not the latest of its resource
                latest_version = _LatestVersion(seq, event.version)
                self._latest_by_resource[event.family, event.id] = latest_version
        self._arrivals[seq] = arrival
        while self._bytes > self._bytes_max:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Drop the oldest event; `since` moves to its time, as older events are incomplete."""
        oldest_arrival = self._arrivals.pop(next(iter(self._arrivals)))
        event = oldest_arrival.event
        self.dropped += 1
        self._bytes -= len(oldest_arrival.body) + EVENT_OVERHEAD_BYTES
        del self._seq_by_identity[event.identity]
        latest_version = self._latest_by_resource.get((event.family, event.id))
        if latest_version is not None and latest_version.seq == oldest_arrival.seq:
            del self._latest_by_resource[event.family, event.id]
        if self.since is not None:
            self.since = max(self.since, oldest_arrival.at)


def _escape_surrogates(event_text: str) -> str:
    """Escape unpaired surrogates.

    JSON can hold them, but a column of text cannot.
    """
    return event_text.encode("utf-8", "backslashreplace").decode()
