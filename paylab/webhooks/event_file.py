"""Events in a file: a header line that says when listening began, then one event per line.

    {"paylab_inbox": 1, "listening_since": "2026-01-15T12:00:00.000Z"}
    {"event_type": "...", "event_payload": {...}, "received_at": "...", "deliveries": 1, ...}

Each later start of listening adds a header. Lines of the same event add up their deliveries. A
last line without a newline is a write that was cut off.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from ..errors.base import ConfigError, PaylabError
from ..files import PRIVATE_MODE, create_private, path_of, require_writable
from ..logs import log
from ..spec import timestamps
from ..spec.text import JsonMapping, read_json, write_json
from .event import SPEC_WRAPPER, Event, UnreadableEventError, Wrapper, read_event

HEADER_KEY = "paylab_inbox"
FORMAT_VERSION = 1
"""The key of a header, and the format of the file; a file of another format is refused."""

HEADER_BYTES_MAX = 1_000

LOCK_SECONDS = 10.0
"""Seconds that a write waits for the write of another process."""

CUT_OFF_NOTE = "the last line was cut off while it was written; it is left out"


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
    """Events, and the time since when they should be complete; None if it is not known."""

    events: list[Event]
    since: datetime | None
    notes: tuple[str, ...] = ()


def read_events(path: str | os.PathLike[str], wrapper: Wrapper = SPEC_WRAPPER) -> EventHistory:
    """Read a file of events, with a header or without; PaylabError names an invalid line."""
    events: list[Event] = []
    listening_since = None
    note_texts = []
    with open(path_of(path), "rb") as event_file:
        for line_number, file_line in enumerate(event_file, 1):
            if not file_line.strip():
                continue
            try:
                stored_entry = _read_line(file_line, wrapper)
            except UnreadableEventError as error:
                # A last line without an end is one that was not written to its end.
                is_cut_off = not file_line.endswith(b"\n")
                if not is_cut_off:
                    raise PaylabError(f"{path}, line {line_number}: {error}") from None
                note_texts.append(CUT_OFF_NOTE)
                continue
            if isinstance(stored_entry, Header):
                listening_since = stored_entry.since or listening_since
            else:
                events.append(stored_entry.event)
    return EventHistory(events, listening_since, tuple(note_texts))


class EventFile:
    """A file to which events are appended; several processes may use it at the same time.

    A file without the header is refused, and stays as it is.
    """

    def __init__(self, path: str | os.PathLike[str], wrapper: Wrapper = SPEC_WRAPPER) -> None:
        """Open or create the file; ConfigError if it cannot store events."""
        self.path = path_of(path)
        self._wrapper = wrapper
        self._offset = 0  # the end of the last whole line that was read or written
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
        lock_path = self.path.with_name(f".{self.path.name}.lock")
        return FileLock(lock_path, timeout=LOCK_SECONDS, mode=PRIVATE_MODE)

    def read_new_lines(self) -> Iterator[StoredEvent | Header]:
        """Yield what was added to the file since the last call.

        A line that cannot be read is logged and left out; a line without an end is not read yet.
        """
        try:
            with open(self.path, "rb") as event_file:
                if os.fstat(event_file.fileno()).st_size < self._offset:
                    self._offset = 0  # somebody replaced the file
                event_file.seek(self._offset)
                for file_line in event_file:
                    if not file_line.endswith(b"\n"):
                        break  # another process may be writing it
                    self._offset += len(file_line)
                    stored_entry = self._read_line_or_log(file_line)
                    if stored_entry is not None:
                        yield stored_entry
        except FileNotFoundError:
            self._offset = 0

    def _read_line_or_log(self, file_line: bytes) -> StoredEvent | Header | None:
        """Read a line; log one that cannot be read, and return None."""
        try:
            return _read_line(file_line, self._wrapper)
        except UnreadableEventError as error:
            log.warning("%s: the line before byte %d: %s", self.path, self._offset, error)
            return None

    def append_header(self, since: datetime) -> None:
        """Append a header; call it with the lock held, after `read_new_lines`."""
        self._since = since
        self._append_line(header_line(since))

    def append(self, event_values: JsonMapping) -> None:
        """Append an event; call it with the lock held, after `read_new_lines`."""
        first_line = b"" if self._offset else header_line(self._since)
        self._append_line(first_line + json_line(event_values))

    def _append_line(self, line_bytes: bytes) -> None:
        """Write all data after the last whole line, or nothing."""
        create_private(self.path)
        with open(self.path, "r+b", buffering=0) as event_file:
            if event_file.seek(0, os.SEEK_END) > self._offset:
                log.warning("%s: %s", self.path, CUT_OFF_NOTE)
                event_file.truncate(self._offset)
                event_file.seek(self._offset)
            try:
                unwritten_bytes = memoryview(line_bytes)
                while unwritten_bytes:
                    unwritten_bytes = unwritten_bytes[event_file.write(unwritten_bytes) :]
            except OSError:
                event_file.truncate(self._offset)  # the disk is full: leave no half of a line
                raise
        self._offset += len(line_bytes)


def header_line(since: datetime | None) -> bytes:
    """Write the header, the first line of a file; `since` is when listening began, if known."""
    since_text = timestamps.to_text(since) if since else None
    return json_line({HEADER_KEY: FORMAT_VERSION, "listening_since": since_text})


def json_line(line_values: JsonMapping) -> bytes:
    """Write an object as a line of JSON in ASCII, with its newline."""
    return f"{write_json(line_values)}\n".encode()


def _require_header(path: Path) -> None:
    """Raise ConfigError for a file that an inbox has not written."""
    with open(path, "rb") as event_file:
        first_line = event_file.readline(HEADER_BYTES_MAX)
    if not _is_header(first_line):
        raise ConfigError(f"{path} is not a file of an inbox: name another file")


def _is_header(file_line: bytes) -> bool:
    """Return whether a line is a header, or can be the start of one that was cut off."""
    if not file_line.endswith(b"\n"):
        # Only the first characters are compared: those after them differ between headers.
        return header_line(None).startswith(file_line[: len(HEADER_KEY)])
    try:
        return isinstance(_read_line(file_line, SPEC_WRAPPER), Header)
    except UnreadableEventError:
        return False


def _read_line(file_line: bytes, wrapper: Wrapper) -> StoredEvent | Header:
    """Read a header or an event; UnreadableEventError if the line is neither."""
    try:
        line_object = read_json(file_line)
    except (ValueError, RecursionError) as error:
        raise UnreadableEventError(f"an event is JSON: {str(error)[:200]}") from None
    if isinstance(line_object, dict) and HEADER_KEY in line_object:
        format_version = line_object[HEADER_KEY]
        if format_version != FORMAT_VERSION:
            raise ConfigError(
                f"its format is {str(format_version)[:20]!a}, "
                f"this version of paylab reads {FORMAT_VERSION}"
            )
        return Header(timestamps.read_or_none(line_object.get("listening_since")))
    event = read_event(line_object, wrapper)
    delivery_count = line_object.get("deliveries")
    # A file of another program has no count: a line is one delivery.
    if type(delivery_count) is not int or delivery_count < 1:
        delivery_count = 1
    received_at = timestamps.read_or_none(line_object.get("received_at"))
    return StoredEvent(event, delivery_count, received_at)
