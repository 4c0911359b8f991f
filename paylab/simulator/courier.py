"""The courier: takes events that are due to their subscribers and writes down what came of it.

A slow receiver holds up nobody else: each subscription has a few deliveries under way of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from threading import Condition

import httpx

from . import outbox
from .table import Row
from .world import World

TIMEOUT = 10.0
"""Real seconds a receiver has. Gap `webhook.time`."""

AT_ONCE = 4
"""Deliveries under way for one subscription."""

Send = Callable[[str, bytes], int]
"""Posts a JSON body to a URL and gives the status of the answer, or raises."""


def post(url: str, body: bytes) -> int:
    """Deliver by HTTP; a redirect is an answer like any other, and never followed."""
    began = time.monotonic()
    headers = {"content-type": "application/json", "user-agent": "paylab-simulator"}
    with (
        httpx.Client(timeout=TIMEOUT, trust_env=False) as client,
        client.stream("POST", url, content=body, headers=headers) as response,
    ):
        if time.monotonic() - began > TIMEOUT:
            raise TimeoutError(f"no answer within {TIMEOUT:.0f} s")
        return response.status_code


class Inline(Executor):
    """Carries work out at once, in the caller: for a simulator without threads."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN002, ANN003, ANN201 - Executor's own signature
        """Run the work and give a future that is done."""
        future: Future[object] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # handed on through the future
            future.set_exception(error)
        return future


class Courier:
    """Deliveries of one world; `saved` is called, under the world's lock, after each record."""

    def __init__(
        self, world: World, saved: Callable[[], None], *, send: Send = post, threads: bool = False
    ) -> None:
        self._world, self._saved, self._send = world, saved, send
        self.threads = threads
        self._pools: dict[str, Executor] = {}
        self._quiet = Condition(world.lock)
        self._under_way = 0

    def start_due(self) -> None:
        """Send off everything that may go now."""
        while True:
            with self._world.lock:
                row = outbox.take(self._world)
                if row is None:
                    return
                self._under_way += 1
                pool = self._pool(row["subscription_id"])
            pool.submit(self._deliver, row)

    def finish_due(self) -> None:
        """Send off everything that may go now, and wait for what came of it."""
        with self._quiet:
            while True:
                self.start_due()
                if not self._under_way:
                    return
                self._quiet.wait()

    def close(self) -> None:
        """Start nothing more; what is under way is left to end by itself."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    def _pool(self, subscription_id: str) -> Executor:
        if subscription_id not in self._pools:
            pool = ThreadPoolExecutor(AT_ONCE, "paylab-courier") if self.threads else Inline()
            self._pools[subscription_id] = pool
        return self._pools[subscription_id]

    def _deliver(self, row: Row) -> None:
        status, error = self._attempt(row)
        with self._quiet:
            outbox.record(self._world, row, status, error)
            self._under_way -= 1
            self._saved()
            self._quiet.notify_all()

    def _attempt(self, row: Row) -> tuple[int | None, str | None]:
        try:
            return self._send(row["url"], row["body"].encode()), None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError) as error:
            return None, f"{type(error).__name__}: {error}"
