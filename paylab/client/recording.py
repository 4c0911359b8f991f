"""A recording: every call of a client, written to a HAR file as it is made.

API key, secret, signatures, document numbers, share tokens and images are never written. Names and
account numbers are: a replay needs them. The file is a whole HAR after every call.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Self

from .. import files
from ..errors.arguments import explain_arguments
from ..errors.base import ConfigError
from ..errors.names import with_name_suggestions
from ..errors.text import printable
from ..logs import log
from ..redaction.redaction import Redaction
from ..spec.timestamps import to_text
from .call import Body
from .exchange import Exchange, clean_body, record_call
from .har import CREATOR, ENDING, read_har, write_entry, write_line, write_start
from .session import Session, replay_facts

SIGNED = ("x-content-sha256", "x-date", "x-nonce")
"""Headers of a signature that are not written: a short body can be guessed from its hash."""


@with_name_suggestions
@explain_arguments
class Recording:
    """Writes the calls of a client to a HAR file until `stop()`, or until a `with` block ends.

    A new recording to the same file replaces it.
    """

    def __init__(self, path: str | os.PathLike[str], session: Session) -> None:
        """Create the file and record the calls of a session from now on."""
        self.path = files.path_of(path).absolute()
        self.count = 0
        for watcher in tuple(session.watchers):  # the cell that records was run again
            watcher_owner = getattr(watcher, "__self__", None)
            if isinstance(watcher_owner, Recording) and watcher_owner.path == self.path:
                watcher_owner.stop()
        self._session = session
        self._redaction = session.redaction
        self._lock = Lock()
        facts = replay_facts(session.settings, is_own=session.is_own)
        file_start = write_start({**facts, "started": to_text(session.clock())})
        self._file: BinaryIO | None = _create_private_file(self.path, file_start + ENDING)
        self._end_offset = len(file_start)
        session.watchers.append(self.record_exchange)

    def record_exchange(self, exchange: Exchange) -> None:
        """Write one attempt. A file that cannot be written ends the recording, not the call."""
        try:
            entry_line = self._make_line(exchange)
            with self._lock:
                self._append_entry(entry_line)
        except Exception:
            log.exception("recording to %s stopped: a call could not be written", self.path.name)
            self.stop()

    def _make_line(self, exchange: Exchange) -> bytes:
        """The redacted entry of an attempt, without the headers of its signature."""
        call = record_call(exchange, self._redaction, _redact_body)
        unsigned_headers = {
            header_name: header_text
            for header_name, header_text in call.request_headers.items()
            if header_name not in SIGNED
        }
        return write_line(write_entry(replace(call, request_headers=unsigned_headers)))

    def stop(self) -> None:
        """Record no more.

        >>> lab.record("session.har").stop()
        """
        if self.record_exchange in self._session.watchers:
            self._session.watchers.remove(self.record_exchange)
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        state_text = "stopped" if self._file is None else "recording"
        calls_text = f"{self.count} call{'' if self.count == 1 else 's'}"
        return printable(f"<{state_text}: {calls_text} in {self.path.name}>")

    def _append_entry(self, entry_line: bytes) -> None:
        """Write an entry over the end of the file, and the end after it."""
        if self._file is None:
            return
        entry_line = (b"," if self.count else b"") + entry_line
        # The end of the JSON is written after each entry, so the file is whole at any time.
        try:
            _write_at(self._file, self._end_offset, entry_line + ENDING)
        except OSError:  # a full disk: the entries before are still a whole file
            self._file.truncate(self._end_offset)
            _write_at(self._file, self._end_offset, ENDING)
            raise
        self._end_offset += len(entry_line)
        self.count += 1


def _redact_body(content: bytes, redaction: Redaction) -> Body:
    """A redacted body of any length."""
    return Body(clean_body(content, redaction), len(content))


def _create_private_file(path: Path, content: bytes) -> BinaryIO:
    """A private file, open for writing; ConfigError if it would replace any but a recording."""
    try:
        if path.exists() and path.stat().st_size and read_har(path).creator != CREATOR["name"]:
            raise ConfigError(f"{path} is a HAR of another program: name another file")
        files.require_writable(path)
        with files.replace(path, private=True) as har_file:
            har_file.write(content)
        return open(path, "r+b", buffering=0)  # closed by `stop`
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"{path} cannot be written ({reason})") from None


def _write_at(file: BinaryIO, offset: int, content: bytes) -> None:
    """Write all of the content at an offset of a file."""
    file.seek(offset)
    while content:  # a write may be partial
        content = content[file.write(content) :]
