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

from ..errors.base import ConfigError
from ..files import PRIVATE_MODE
from ..processes import forks

FOLDER_MODE = 0o700


@contextmanager
def hold_file_lock(path: Path, busy_error: Exception | None = None) -> Iterator[None]:
    """Hold the lock file `path`. Raise `busy_error` if another process holds it.

    The lock ends with the process. The error is by default a ConfigError with the folder's name.
    """
    file_lock = FileLock(path, timeout=0, mode=PRIVATE_MODE, thread_local=False)
    try:
        file_lock.acquire()
    except Timeout:
        message = f"{path.parent.name} is in use by another process"
        raise busy_error or ConfigError(message) from None
    try:
        yield
    finally:
        file_lock.release()


class _NamedLock:
    """A lock of this process, which exists as long as a thread holds it or waits for it."""

    def __init__(self) -> None:
        self.lock = Lock()


class _NamedLocks:
    """The locks of this process; a forked child has none of its parent's."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: WeakValueDictionary[str, _NamedLock] = WeakValueDictionary()
        forks.renew_after_fork(self, lambda locks: locks._forget_all(), self._guard)

    def get(self, name: str) -> _NamedLock:
        """The lock of a name, which is made on first use."""
        with self._guard:
            return self._locks.setdefault(name, _NamedLock())

    def _forget_all(self) -> None:
        """Forget the locks of the parent, in a forked child."""
        self._locks.clear()


_LOCKS_OF_PROCESS = _NamedLocks()


class Locks:
    """Locks by name, which end with the process that holds them.

    With `is_shared` a lock is also a file in a private temporary folder, which all processes of
    the user on this machine see; it is removed with the lock.
    """

    def __init__(self, *, is_shared: bool = True) -> None:
        self._is_shared = is_shared

    @contextmanager
    def hold(
        self, name: str, timeout: float, busy_error: Exception | None = None
    ) -> Iterator[None]:
        """Hold a lock. Raise `busy_error` if another holder keeps it longer than `timeout` seconds.

        The error is by default a TimeoutError.
        """
        busy_error = busy_error or TimeoutError(name)
        deadline = monotonic() + timeout
        # First the lock of this process: a lock of a file does not hold off its other threads.
        named_lock = _LOCKS_OF_PROCESS.get(name)
        if not named_lock.lock.acquire(timeout=timeout):
            raise busy_error
        try:
            file_lock = _acquire_file_lock(name, deadline, busy_error) if self._is_shared else None
            try:
                yield
            finally:
                if file_lock is not None:
                    _remove_file_lock(file_lock)
        finally:
            named_lock.lock.release()


def _acquire_file_lock(lock_name: str, deadline: float, busy_error: Exception) -> FileLock | None:
    """Lock the file of a name. None where no file can be locked, `busy_error` at the deadline."""
    try:
        digest = sha256(lock_name.encode(errors="replace")).hexdigest()
        lock_path = _private_folder() / f"{digest[:32]}.lock"
        file_lock = FileLock(lock_path, mode=PRIVATE_MODE, thread_local=False)
        file_lock.acquire(timeout=max(0.0, deadline - monotonic()))
    except Timeout:
        raise busy_error from None
    except (OSError, NotImplementedError):  # no space, no folder, or no locks on this file system
        return None
    return file_lock


def _remove_file_lock(file_lock: FileLock) -> None:
    """Remove the file of a lock, and release it: in this order, before another one locks it."""
    with suppress(OSError):  # Windows cannot remove an open file
        Path(file_lock.lock_file).unlink()
    file_lock.release()


def _private_folder() -> Path:
    """A temporary folder that only this user can use. OSError if there is none."""
    user_id = os.getuid() if hasattr(os, "getuid") else "user"
    folder_path = Path(tempfile.gettempdir()) / f"paylab-locks-{user_id}"
    folder_path.mkdir(mode=FOLDER_MODE, exist_ok=True)
    if hasattr(os, "getuid"):  # Windows has a temporary folder per user
        folder_status = folder_path.lstat()
        is_own_folder = stat.S_ISDIR(folder_status.st_mode) and folder_status.st_uid == user_id
        if not is_own_folder or folder_status.st_mode & 0o077:
            raise PermissionError(f"{folder_path} is not a private folder")
    return folder_path
