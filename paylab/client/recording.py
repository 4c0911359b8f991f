"""A recording: every call of a client, written to a file as it is made.

A recording has one JSON object a line. A line with `recording` begins a run; each line below it is
one attempt, with its request and its answer. API key, secret, signatures, document numbers, share
tokens and images are never written. Names and account numbers are: a replay needs them.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Self

from ..errors import ConfigError
from ..redaction.redaction import Redaction
from ..spec.timestamps import to_text
from .request import Exchange, OutgoingRequest
from .sender import Sender

VERSION = 1
PRIVATE = 0o600
PIECE = 2**17
"""Characters redacted at a time: the redaction truncates much longer texts."""

ROW_END = re.compile(r"(?<=\}),(?=\s*\{)")
LONG_DATA = re.compile(
    r"(?:[A-Za-z0-9+/_=-]|\\{1,8}(?:[nr/]|u00[0-9a-fA-F]{2})|%[0-9a-fA-F]{2}|[\r\n]){1000,}"
)
"""Base64 or hexadecimal data that is too long for an id, a cursor or a QR text."""

DROPPED = frozenset(
    {"content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive"}
)
"""Headers about the bytes on the wire, which are not those of the recorded text."""

log = logging.getLogger("paylab")


class Recording:
    """Writes the calls of a client to a file until `stop()`, or until a `with` block ends.

    A file that exists is continued: a replay answers from the last run in it.
    """

    def __init__(self, path: str | os.PathLike[str], client: Sender) -> None:
        self.path, self.count = Path(path).absolute(), 0
        for watcher in tuple(client.watchers):  # the cell that records was run again
            other = getattr(watcher, "__self__", None)
            if isinstance(other, Recording) and other.path == self.path:
                other.stop()
        self._client, self._redaction, self._lock = client, client.redaction, Lock()
        self._file: int | None = _open(self.path)
        self._write(
            {
                "recording": VERSION,
                "started": to_text(client.clock()),
                "base_url": client.settings.base_url,
                "service": client.declared,
            }
        )
        client.watchers.append(self.note)

    def note(self, outgoing: OutgoingRequest, result: Exchange, when: datetime) -> None:
        """Write one attempt. A file that cannot be written ends the recording, not the call."""
        try:
            entry = self._entry(outgoing, result, when)
            with self._lock:
                self.count += 1
                self._write({"number": self.count, **entry})
        except Exception:
            log.exception("recording to %s stopped: a call could not be written", self.path.name)
            self.stop()

    def stop(self) -> None:
        """Record no more.

        >>> lab.record("session.calls").stop()
        """
        if self.note in self._client.watchers:
            self._client.watchers.remove(self.note)
        with self._lock:
            if self._file is not None:
                os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "stopped" if self._file is None else "recording"
        return f"<{state}: {self.count} call{'' if self.count == 1 else 's'} in {self.path.name}>"

    def _write(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=True).encode() + b"\n"
        while self._file is not None and line:  # a write may be partial
            line = line[os.write(self._file, line) :]

    def _entry(self, outgoing: OutgoingRequest, result: Exchange, when: datetime) -> dict[str, Any]:
        sent = clean_body(sent_bytes(outgoing), self._redaction)  # first: it teaches what to hide
        headers = self._redaction.headers(result.headers)
        trouble = result.trouble
        return {
            "when": to_text(when),
            "method": outgoing.method,
            "target": self._redaction.text(outgoing.url.raw_path.decode("ascii")),
            "key": outgoing.idempotency_key,
            "request": sent,
            "status": result.status,
            "headers": {name: headers[name] for name in headers if name not in DROPPED},
            "answer": clean_body(result.content, self._redaction),
            "trouble": trouble and trouble.kind,
            "words": self._redaction.text(trouble.detail) if trouble else "",
        }


def sent_bytes(outgoing: OutgoingRequest) -> bytes:
    """The body of a request; of an upload, its fields without the images."""
    if outgoing.outline is not None:
        return outgoing.outline
    return outgoing.content if isinstance(outgoing.content, bytes) else b""


def clean_body(content: bytes, redaction: Redaction) -> str:
    """A redacted body of any length; for one that is not text, its size."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return f"<{len(content)} bytes>"
    pieces = [redaction.learn(piece) for piece in _pieces(text)]
    if len(pieces) > 1:  # also hides what was learned from later pieces
        pieces = [redaction.text(piece) for piece in pieces]
    return LONG_DATA.sub(lambda found: f"<{len(found[0])} characters>", ",".join(pieces))


def _pieces(text: str) -> Iterator[str]:
    """A text, or a long list split between its objects."""
    if len(text) <= PIECE:
        yield text
        return
    rows: list[str] = []
    size = 0
    for row in ROW_END.split(text):
        if rows and size + len(row) > PIECE:
            yield ",".join(rows)
            rows, size = [], 0
        rows.append(row)
        size += len(row)
    yield ",".join(rows)


def _open(path: Path) -> int:
    """A private file to append to; ConfigError for a file that is not a recording."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    try:
        file = os.open(path, flags, PRIVATE)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"{path} cannot be written ({reason})") from None
    try:
        _continue(file, path)
    except BaseException:
        os.close(file)
        raise
    return file


def _continue(file: int, path: Path) -> None:
    if not os.fstat(file).st_size:
        return
    if not is_start(os.read(file, 64)):
        raise ConfigError(f"{path} is not a recording of calls: name another file")
    if os.name == "posix":
        os.fchmod(file, PRIVATE)
    os.lseek(file, -1, os.SEEK_END)
    if os.read(file, 1) != b"\n":  # a killed process left an incomplete line
        os.write(file, b"\n")


def is_start(line: bytes) -> bool:
    """Whether a line is the start of a run."""
    return line.startswith(b'{"recording": ')
