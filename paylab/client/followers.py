"""Followers read the calls of all labs of a user from another process: `paylab calls --follow`.

Each follower has a Unix datagram socket in a private folder of its user. A lab looks into the
folder after each attempt, and sends one line to every socket there. Nothing is written to a disk,
nothing is sent while nobody follows, and a lab never waits for a follower.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from ..errors.base import ConfigError
from ..redaction.redaction import Redaction
from ..runtime import datagram_socket
from ..spec.timestamps import to_text
from .request import CONTROLS

if TYPE_CHECKING:
    from .exchange import Exchange

LINE_SIZE_MAX = 1_900
"""Maximum bytes of a line; macOS limits a datagram to 2,048."""

TARGET_LENGTH_MAX = 300
PRIVATE = 0o700
FOR_OTHERS = 0o077
"""The permissions of all but the owner."""


def _find_folder() -> Path:
    """The folder of the followers' sockets, in the user's cache folder."""
    return user_cache_path("paylab", appauthor=False) / "followers"


def _is_private(path: Path) -> bool:
    """Whether a folder belongs to this user and is not accessible to others."""
    try:
        folder_status = path.lstat()
    except OSError:
        return False
    is_own = not hasattr(os, "geteuid") or folder_status.st_uid == os.geteuid()
    is_open_to_others = bool(folder_status.st_mode & FOR_OTHERS)
    return stat.S_ISDIR(folder_status.st_mode) and is_own and not is_open_to_others


class Broadcast:
    """A watcher of a client that sends each attempt to the followers."""

    def __init__(self, redaction: Redaction, service: str) -> None:
        """Name the sender by its notebook or program; `service` names the service."""
        self._redaction = redaction
        self._service = service
        self._sockets_folder = _find_folder()
        session_name = os.environ.get("JPY_SESSION_NAME") or sys.argv[0] or "python"
        self._sender = Path(session_name).name

    def __call__(self, exchange: Exchange) -> None:
        """Send the attempt to all followers."""
        try:
            socket_file_names = os.listdir(self._sockets_folder)
        except OSError:
            return
        is_control = exchange.request.path.startswith(CONTROLS)
        # The folder is checked last, and only if somebody follows: this runs at each attempt.
        if is_control or not socket_file_names or not _is_private(self._sockets_folder):
            return
        call_line = self._make_line(exchange)
        for socket_file_name in socket_file_names:
            _send_line(call_line, self._sockets_folder / socket_file_name)

    def _make_line(self, exchange: Exchange) -> bytes:
        """An attempt as a line of JSON without secrets, for the windows that follow this one."""
        clean_text = self._redaction.text
        outgoing = exchange.request
        failure = exchange.failure
        call_facts = {
            "when": to_text(exchange.when),
            "from": self._sender[:80],
            "service": self._service,
            "method": outgoing.method,
            "path": clean_text(outgoing.url.raw_path.decode("ascii"))[:TARGET_LENGTH_MAX],
            "status": exchange.status or None,
            "trouble": clean_text(failure.message)[:TARGET_LENGTH_MAX] if failure else None,
            "bytes": len(exchange.content),
        }
        return json.dumps(call_facts, ensure_ascii=False).encode()[:LINE_SIZE_MAX]


def _send_line(call_line: bytes, socket_path: Path) -> None:
    """Send without waiting; remove the socket of a follower that has ended."""
    with suppress(OSError), datagram_socket() as sender_socket:
        sender_socket.setblocking(False)
        try:
            sender_socket.sendto(call_line, str(socket_path))
        except ConnectionRefusedError:
            socket_path.unlink(missing_ok=True)


class Follower:
    """Receives the calls of all labs of this user on this machine, until it is closed."""

    def __init__(self) -> None:
        """Open a socket in the user's folder; ConfigError where that is not possible."""
        try:
            self._socket = datagram_socket()
        except (AttributeError, OSError):
            message = "--follow needs Unix sockets, which this system does not have"
            raise ConfigError(f"{message}: use PAYLAB_LOG=debug") from None
        folder = _find_folder()
        folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        if not _is_private(folder):
            raise ConfigError(f"other users can read {folder}: remove it, or run chmod 700 on it")
        self._path = folder / f"{os.getpid()}.sock"
        self._path.unlink(missing_ok=True)
        self._socket.bind(str(self._path))

    def calls(self, wait: float) -> Iterator[dict[str, Any]]:
        """Yield calls until none arrives for `wait` seconds."""
        self._socket.settimeout(wait)
        while True:
            try:
                call_line = self._socket.recv(2 * LINE_SIZE_MAX)
            except (TimeoutError, BlockingIOError):
                return
            with suppress(ValueError):  # a line that was cut at its maximum is left out
                yield json.loads(call_line)

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()
        self._path.unlink(missing_ok=True)
