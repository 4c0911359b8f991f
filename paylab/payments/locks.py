"""Locks of orders that wait for an answer: they end with the process that holds them."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

from ..files import PRIVATE


class OrderLock:
    """A held lock: whoever else needs it waits, or learns that the order is under way."""

    def __init__(self, name: str, lock: FileLock | Lock, path: Path | None = None) -> None:
        self.name, self._lock, self._path = name, lock, path

    def release(self, *, done: bool = False) -> None:
        """Release the lock; `done` removes its file, because the order is never sent again."""
        if done and self._path is not None:
            with suppress(OSError):  # Windows cannot remove an open file
                self._path.unlink()
        self._lock.release()


class OrderLocks:
    """The locks of a ledger by Idempotency-Key: files in `folder`, or in memory without one.

    A lock that can be taken proves that nobody waits for the order's answer any more.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._own: dict[str, Lock] = {}

    def take(self, name: str, timeout: float = 0) -> OrderLock | None:
        """The lock, or None when another holder keeps it longer than `timeout` seconds."""
        if self._folder is None:
            lock = self._own.setdefault(name, Lock())
            taken = lock.acquire(timeout=timeout) if timeout > 0 else lock.acquire(blocking=False)
            return OrderLock(name, lock) if taken else None
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{sha256(name.encode()).hexdigest()[:32]}.lock"
        file = FileLock(path, mode=PRIVATE, thread_local=False)
        try:
            file.acquire(timeout=timeout)
        except Timeout:
            return None
        return OrderLock(name, file, path)
