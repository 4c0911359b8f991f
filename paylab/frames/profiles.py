"""Many accounts collected at once, each into a dataset of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from ..errors import Problem, RuleError
from .dask import on_cluster
from .dataset import Dataset, Synced

AT_ONCE = 8  # accounts, when no cluster is given


@dataclass
class Paced:
    """A list that is asked no more often than so many times a second."""

    inner: Any
    gap: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _next: float = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def pull(self) -> Paced:
        """The list itself."""
        return Paced(self.inner.pull(), self.gap, self.clock, self.sleep)

    def fetch(self, cursor: str | None) -> bytes:
        """One page, when its time has come."""
        self._wait()
        body: bytes = self.inner.fetch(cursor)
        return body

    def one(self, id_: str) -> bytes | None:
        """One object, when its time has come."""
        self._wait()
        body: bytes | None = self.inner.one(id_)
        return body

    def _wait(self) -> None:
        now = self.clock()
        if now < self._next:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + self.gap


def from_profile(profile: str) -> Any:
    """The transfers of a profile of this machine; secrets are looked up where the task runs."""
    return import_module("paylab").connect(profile=profile).transfers


def collect_accounts(
    profiles: Sequence[str],
    into: str,
    *,
    per_second: float = 5.0,
    cluster: Any = None,
    source: Callable[[str], Any] = from_profile,
) -> dict[str, Synced]:
    """Sync the transfers of each profile into `into/PROFILE`, many at once.

    An account is one task, so its requests follow one another, at most `per_second` of them.
    On `cluster` (a Dask client or address) the tasks run there, otherwise in threads.
    """
    names = list(dict.fromkeys(profiles))
    _refuse(names)
    work = partial(_collect, into=into, gap=1 / per_second, source=source)
    if cluster is not None:
        done = on_cluster(cluster, work, names)
    else:
        with ThreadPoolExecutor(AT_ONCE) as threads:
            done = list(threads.map(work, names))
    return dict(zip(names, done, strict=True))


def _collect(name: str, into: str, gap: float, source: Callable[[str], Any]) -> Synced:
    return Dataset(f"{into.rstrip('/')}/{name}").sync(Paced(source(name), gap))


def _refuse(names: Sequence[str]) -> None:
    """A profile names a folder, and must not lead out of it."""
    bad = [name for name in names if not name.strip(".") or "/" in name or "\\" in name]
    if bad:
        raise RuleError([Problem("profiles", f"{name!r} cannot name a folder") for name in bad])
