"""Locks by name, as files in a folder or in memory: they end with the process that holds them."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

from .files import PRIVATE


class HeldLock:
    """A lock that was taken."""

    def __init__(self, name: str, lock: FileLock | Lock, path: Path | None = None) -> None:
        self.name, self._lock, self._path = name, lock, path

    def release(self, *, done: bool = False) -> None:
        """Release the lock; `done` removes its file, if the name is not used again."""
        if done and self._path is not None:
            with suppress(OSError):  # Windows cannot remove an open file
                self._path.unlink()
        self._lock.release()


class Locks:
    """The locks of all processes that use `folder`, or of this process without a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._own: dict[str, Lock] = {}

    def take(self, name: str, timeout: float = 0) -> HeldLock | None:
        """The lock, or None when another holder keeps it longer than `timeout` seconds."""
        if self._folder is None:
            lock = self._own.setdefault(name, Lock())
            taken = lock.acquire(timeout=timeout) if timeout > 0 else lock.acquire(blocking=False)
            return HeldLock(name, lock) if taken else None
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{sha256(name.encode()).hexdigest()[:32]}.lock"
        file = FileLock(path, mode=PRIVATE, thread_local=False)
        try:
            file.acquire(timeout=timeout)
        except Timeout:
            return None
        return HeldLock(name, file, path)
