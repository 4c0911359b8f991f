"""Events in a file: a header line that says when listening began, then one event per line.

    {"paylab_inbox": 1, "listening_since": "2026-01-15T12:00:00.000Z"}
    {"event_type": "...", "event_payload": {...}, "received_at": "...", "deliveries": 1, ...}

Each later start of listening adds a header. Lines of the same event add up their deliveries. A
last line without a newline is a write that was cut off.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock

from ..errors.base import ConfigError, PaylabError
from ..files import PRIVATE, create_private, path_of, require_writable
from ..logs import log
from ..spec import timestamps
from ..spec.text import read_json, write_json
from .event import OWN, Event, UnreadableEventError, Wrapper, read_event

MARK = "paylab_inbox"
VERSION = 1
"""The key of a header, and the format of the file; another one is refused."""

LOCK_SECONDS = 10.0
"""Seconds that a write waits for the write of another process."""

CUT_OFF = "the last line was cut off while it was written; it is left out"


class Header(NamedTuple):
    """A start of listening; None if its time is unknown."""

    since: datetime | None


class StoredEvent(NamedTuple):
    """An event of a file, the number of its deliveries and the time of the first one."""

    event: Event
    deliveries: int
    at: datetime | None


@dataclass(frozen=True)
class EventHistory:
    """The events of a file, and the time from which they should be complete, if it says so."""

    events: list[Event]
    since: datetime | None
    notes: tuple[str, ...] = ()


def read_events(path: str | os.PathLike[str], wrapper: Wrapper = OWN) -> EventHistory:
    """Read a file of events, with a header or without; PaylabError names an invalid line."""
    events: list[Event] = []
    since = None
    notes = []
    with open(path_of(path), "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                parsed = _read_line(line, wrapper) if line.strip() else None
            except UnreadableEventError as error:
                if line.endswith(b"\n"):
                    raise PaylabError(f"{path}, line {number}: {error}") from None
                notes.append(CUT_OFF)
                continue
            if isinstance(parsed, Header):
                since = parsed.since or since
            elif parsed:
                events.append(parsed.event)
    return EventHistory(events, since, tuple(notes))


class EventFile:
    """A file to which events are appended; several processes may use it at the same time.

    A file without the header is refused, and stays as it is.
    """

    def __init__(self, path: str | os.PathLike[str], wrapper: Wrapper = OWN) -> None:
        self.path = path_of(path)
        self._wrapper = wrapper
        self._offset = 0  # the end of the last whole line that was read or written here
        self._since: datetime | None = None
        try:
            require_writable(self.path)
            with self.locked():
                create_private(self.path)
                _require_header(self.path)
        except OSError as error:
            raise ConfigError(f"{str(path)[:200]!a} cannot store events: {error}") from None

    def locked(self) -> AbstractContextManager[object]:
        """Keep other processes from writing; OSError if another one does not end."""
        beside = self.path.with_name(f".{self.path.name}.lock")
        return FileLock(beside, timeout=LOCK_SECONDS, mode=PRIVATE)

    def new_lines(self) -> Iterator[StoredEvent | Header]:
        """The lines since the last call; a line that cannot be read is logged and left out."""
        try:
            with open(self.path, "rb") as file:
                if os.fstat(file.fileno()).st_size < self._offset:
                    self._offset = 0  # somebody replaced the file
                file.seek(self._offset)
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # another process may be writing it
                    self._offset += len(line)
                    yield from self._read(line)
        except FileNotFoundError:
            self._offset = 0

    def _read(self, line: bytes) -> Iterator[StoredEvent | Header]:
        try:
            yield _read_line(line, self._wrapper)
        except UnreadableEventError as error:
            log.warning("%s: the line before byte %d: %s", self.path, self._offset, error)

    def start(self, since: datetime) -> None:
        """Append a header; call it with the lock held, after `new_lines`."""
        self._since = since
        self._append(header(since))

    def append(self, values: Mapping[str, Any]) -> None:
        """Append an event; call it with the lock held, after `new_lines`."""
        first_line = b"" if self._offset else header(self._since)
        self._append(first_line + as_line(values))

    def _append(self, data: bytes) -> None:
        """Write all of it after the last whole line, or nothing."""
        create_private(self.path)
        with open(self.path, "r+b", buffering=0) as file:
            if file.seek(0, os.SEEK_END) > self._offset:
                log.warning("%s: %s", self.path, CUT_OFF)
                file.truncate(self._offset)
                file.seek(self._offset)
            try:
                unwritten = memoryview(data)
                while unwritten:
                    unwritten = unwritten[file.write(unwritten) :]
            except OSError:
                file.truncate(self._offset)  # the disk is full: leave no half of a line
                raise
        self._offset += len(data)


def header(since: datetime | None) -> bytes:
    """The line that starts a file."""
    text = timestamps.to_text(since) if since else None
    return as_line({MARK: VERSION, "listening_since": text})


def as_line(values: Mapping[str, Any]) -> bytes:
    """An object as a line; every character that is not ASCII is escaped."""
    return f"{write_json(values)}\n".encode()


def _require_header(path: Path) -> None:
    """ConfigError for a file that has another content than an inbox writes."""
    with open(path, "rb") as file:
        line = file.readline(1_000)
    if not line.endswith(b"\n"):  # empty, or the first write was cut off
        is_ours = header(None).startswith(line[: len(MARK)])
    else:
        try:
            is_ours = isinstance(_read_line(line, OWN), Header)
        except UnreadableEventError:
            is_ours = False
    if not is_ours:
        raise ConfigError(f"{path} is not a file of an inbox: name another file")


def _read_line(line: bytes, wrapper: Wrapper) -> StoredEvent | Header:
    """A line as what it is; UnreadableEventError if it is neither a header nor an event."""
    try:
        values = read_json(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableEventError(f"an event is JSON: {str(error)[:200]}") from None
    if isinstance(values, dict) and MARK in values:
        if values[MARK] != VERSION:
            raise ConfigError(
                f"its format is {str(values[MARK])[:20]!a}, this version of paylab reads {VERSION}"
            )
        return Header(timestamps.read(values.get("listening_since")))
    event = read_event(values, wrapper)
    deliveries = values.get("deliveries")
    is_count = type(deliveries) is int and deliveries > 0
    return StoredEvent(
        event, deliveries if is_count else 1, timestamps.read(values.get("received_at"))
    )
