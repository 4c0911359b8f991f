"""Locks by name: of all processes of a user, or of this process where files cannot be locked."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout

from . import forks
from .files import PRIVATE

FOLDER_MODE = 0o700


class _NamedLock:
    """A lock of this process, which exists as long as a thread holds it or waits for it."""

    def __init__(self) -> None:
        self.lock = Lock()


class _NamedLocks:
    """The locks of this process; a forked child has none of its parent's."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: WeakValueDictionary[str, _NamedLock] = WeakValueDictionary()
        forks.renew_after_fork(self, lambda child: child._forget(), self._guard)

    def get(self, name: str) -> _NamedLock:
        """The lock of a name."""
        with self._guard:
            return self._locks.setdefault(name, _NamedLock())

    def _forget(self) -> None:
        self._locks.clear()


_IN_PROCESS = _NamedLocks()


class Locks:
    """Locks by name, which end with the process that holds them.

    With `is_shared` a lock is also a file in a private temporary folder, which all processes of
    the user on this machine see; it is removed with the lock.
    """

    def __init__(self, *, is_shared: bool = True) -> None:
        self._is_shared = is_shared

    @contextmanager
    def hold(self, name: str, timeout: float) -> Iterator[None]:
        """Hold a lock; TimeoutError if another holder keeps it longer than `timeout` seconds."""
        until = monotonic() + timeout
        named_lock = _IN_PROCESS.get(name)
        if not named_lock.lock.acquire(timeout=timeout):
            raise TimeoutError(name)
        try:
            file = _locked_file(name, until) if self._is_shared else None
            try:
                yield
            finally:
                if file is not None:
                    with suppress(OSError):  # Windows cannot remove an open file
                        Path(file.lock_file).unlink()
                    file.release()
        finally:
            named_lock.lock.release()


def _locked_file(name: str, until: float) -> FileLock | None:
    """The locked file of a name; None where no file can be locked."""
    try:
        digest = sha256(name.encode(errors="replace")).hexdigest()
        file = FileLock(_folder() / f"{digest[:32]}.lock", mode=PRIVATE, thread_local=False)
        file.acquire(timeout=max(0.0, until - monotonic()))
    except Timeout:
        raise TimeoutError(name) from None
    except (OSError, NotImplementedError):  # no space, no folder, or no locks on this file system
        return None
    return file


def _folder() -> Path:
    """A temporary folder that only this user can use; OSError if there is none."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    path = Path(tempfile.gettempdir()) / f"paylab-locks-{user}"
    path.mkdir(mode=FOLDER_MODE, exist_ok=True)
    if hasattr(os, "getuid"):  # Windows has a temporary folder per user
        facts = path.lstat()
        is_ours = stat.S_ISDIR(facts.st_mode) and facts.st_uid == user
        if not is_ours or facts.st_mode & 0o077:
            raise PermissionError(f"{path} is not a private folder")
    return path
