"""The courier: takes events that are due to their subscribers and writes down what came of it.

A slow receiver holds up nobody else: each subscription has a few deliveries under way of its own.
A patient courier goes one errand at a time and is waited for, so that a simulator inside a
process does everything in the same order every time. It too sends from a thread of its own: the
world is not locked meanwhile, and a receiver may ask the service something before it answers.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from threading import Condition

import httpx

from . import outbox
from .lanes import Lanes
from .table import Row
from .world import World

TIMEOUT = 10.0
"""Real seconds a receiver has. Gap `webhook.time`."""

AT_ONCE = 4
"""Deliveries under way for one subscription."""

Send = Callable[[str, bytes], int]
"""Posts a JSON body to a URL and gives the status of the answer, or raises."""


def post(url: str, body: bytes, timeout: float = TIMEOUT) -> int:
    """Deliver by HTTP; a redirect is an answer like any other, and never followed."""
    return asyncio.run(_post(url, body, timeout))


async def _post(url: str, body: bytes, timeout: float) -> int:
    headers = {"content-type": "application/json", "user-agent": "paylab-simulator"}
    tls = _tls() if url.startswith("https") else False  # making one takes 25 ms
    async with (
        asyncio.timeout(timeout),  # httpx alone would give each byte as long
        httpx.AsyncClient(timeout=timeout, trust_env=False, verify=tls) as client,
        client.stream("POST", url, content=body, headers=headers) as response,
    ):
        return response.status_code


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


class Courier:
    """Deliveries of one world; `saved` is called, under the world's lock, after each record.

    `doors` are receivers inside this process, by the URL they are subscribed with.
    """

    def __init__(
        self, world: World, saved: Callable[[], None], *, send: Send = post, patient: bool = True
    ) -> None:
        self._world, self._saved, self._send = world, saved, send
        self.patient = patient
        self.doors: dict[str, Send] = {}
        self._pools: dict[str, Executor] = {}
        self._quiet = Condition(world.lock)
        self._under_way = 0

    def after_request(self) -> None:
        """Send off what a request brought about; whoever is asked meanwhile does not wait."""
        if self.patient and not self._under_way:
            self.finish_due()
        else:
            self.start_due()

    def start_due(self) -> None:
        """Send off everything that may go now."""
        with self._quiet:
            while not (self.patient and self._under_way):
                row = outbox.take(self._world)
                if row is None:
                    return
                self._under_way += 1
                pool = self._pool(row["subscription_id"])
                errand = pool.submit(self._deliver, row, self._world.outbox)
                errand.add_done_callback(self._came_back)

    def finish_due(self) -> None:
        """Send off everything that may go now, and wait for what came of it."""
        with self._quiet:
            self.start_due()
            while self._under_way:
                self._quiet.wait()
                self.start_due()

    def close(self, *, cancel: bool = True) -> None:
        """Let go of the threads; what is under way is left to end by itself.

        `cancel` drops the deliveries that wait for a thread; they are not lost in a file.
        """
        with self._quiet:
            pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.shutdown(wait=False, cancel_futures=cancel)

    def _pool(self, subscription_id: str) -> Executor:
        name, most = ("", 1) if self.patient else (subscription_id, AT_ONCE)
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(most, "paylab-courier")
            self._dismiss()
        return self._pools[name]

    def _dismiss(self) -> None:
        """Let the threads of subscriptions that are gone end."""
        gone = self._pools.keys() - self._world.tables["webhook_subscriptions"].rows.keys() - {""}
        for name in gone:
            self._pools.pop(name).shutdown(wait=False)

    def _deliver(self, row: Row, lanes: Lanes) -> None:
        status, error = self._attempt(row)
        with self._quiet:
            if self._world.outbox is lanes:  # else the world was reset meanwhile
                outbox.record(self._world, row, status, error)
                self._saved()

    def _came_back(self, _: Future[None]) -> None:
        """However an errand ended, cancelled ones too."""
        with self._quiet:
            self._under_way -= 1
            self._quiet.notify_all()

    def _attempt(self, row: Row) -> tuple[int | None, str | None]:
        try:
            send = self.doors.get(row["url"], self._send)
            return send(row["url"], row["body"].encode()), None
        except Exception as error:  # whatever an address or an answer can do to a client
            return None, f"{type(error).__name__}: {error}".rstrip(": ")
