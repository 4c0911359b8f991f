"""Renew locks, connections and random state in a forked child."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import filelock  # noqa: F401 - its fork hook must run after ours, which may wait for a lock's user

T = TypeVar("T")
Renew = Callable[[Any], None]

_PARTS: WeakKeyDictionary[Any, tuple[Any, Renew | None]] = WeakKeyDictionary()
_HELD: list[Any] = []


def renew_after_fork(part: T, renew: Callable[[T], None] | None = None, lock: Any = None) -> None:
    """Call `renew(part)` in every forked child while the part exists.

    A fork waits for `lock`, so that the child starts with consistent state and a free lock.
    """
    _PARTS[part] = (lock, renew)


def _before() -> None:
    for lock, _ in list(_PARTS.values()):
        if lock is not None:
            lock.acquire()
            _HELD.append(lock)


def _release() -> None:
    while _HELD:
        _HELD.pop().release()


def _after_in_child() -> None:
    _release()
    for part, (_, renew) in list(_PARTS.items()):
        if renew is not None:
            renew(part)


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_after_in_child)
