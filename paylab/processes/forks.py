"""Renew locks, connections and random state in a forked child."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")
Renew = Callable[[Any], None]

_RENEWALS: WeakKeyDictionary[Any, tuple[Any, Renew | None]] = WeakKeyDictionary()
"""The lock and the function of each part that is renewed."""

_HELD_LOCKS: list[Any] = []


def renew_after_fork(
    part: T, renew: Callable[[T], None] | None = None, lock: object = None
) -> None:
    """Call `renew(part)` in every forked child while the part exists.

    A fork waits for `lock`, so that the child starts with consistent state and a free lock.
    """
    _RENEWALS[part] = (lock, renew)


def _acquire_locks() -> None:
    """Before a fork: acquire the locks of all parts, so that no thread is changing one."""
    for lock, _ in list(_RENEWALS.values()):
        if lock is not None:
            lock.acquire()
            _HELD_LOCKS.append(lock)


def _release_locks() -> None:
    """After a fork: release the locks that were acquired before it."""
    while _HELD_LOCKS:
        _HELD_LOCKS.pop().release()


def _renew_in_child() -> None:
    """After a fork, in the child: release the locks, and renew all parts."""
    _release_locks()
    for part, (_, renew) in list(_RENEWALS.items()):
        if renew is not None:
            renew(part)


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(
        before=_acquire_locks, after_in_parent=_release_locks, after_in_child=_renew_in_child
    )
