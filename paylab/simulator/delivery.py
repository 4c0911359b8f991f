"""The delivery of events to webhook subscriptions, with retries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from threading import Condition
from typing import TYPE_CHECKING

from ..redaction.hiding import HIDDEN
from ..runtime import make_executor
from .delivery_queue import DeliveryQueue
from .events import note_attempt
from .table import Row
from .world import World

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

AT_ONCE = 4
"""Maximum concurrent deliveries of one subscription."""

HEADERS = {"content-type": "application/json", "user-agent": "paylab-simulator"}
"""The headers of every delivery, besides the one that signs it."""

Send = Callable[..., int]
"""Posts a JSON body to a URL and returns the status of the response, or raises.

It is called with (url, body), and with `headers` when the service signs deliveries.
"""


def post(url: str, body: bytes, headers: Mapping[str, str] | None = None, *, timeout: float) -> int:
    """Deliver by HTTP; redirects are not followed.

    `timeout` is the real seconds that a receiver has. Assumption `webhook.time`.
    """
    import asyncio  # rarely needed

    import httpx

    all_headers = {**HEADERS, **(headers or {})}
    has_tls = url.startswith("https")  # reading the certificates takes 25 ms

    async def answered() -> int:
        async with (
            asyncio.timeout(timeout),  # httpx alone applies the timeout to each read
            httpx.AsyncClient(timeout=timeout, trust_env=False, verify=has_tls) as client,
            client.stream("POST", url, content=body, headers=all_headers) as response,
        ):
            return response.status_code

    return asyncio.run(answered())


class EventDelivery:
    """Delivers the events of one world; `saved` is called, under its lock, after each record.

    `local_receivers` are functions in this process by subscription URL.
    """

    def __init__(
        self, world: World, saved: Callable[[], None], *, send: Send | None = None
    ) -> None:
        self._world = world
        self._saved = saved
        self._send = send or partial(post, timeout=world.service.webhooks.timeout)
        self._servers = 0
        self.local_receivers: dict[str, Send] = {}
        self._pools: dict[str, Executor] = {}
        self._quiet = Condition(world.lock)
        self._under_way = 0

    @property
    def deferrable(self) -> bool:
        """Whether requests wait for receivers; not while a server runs."""
        return not self._servers

    def begin_serving(self) -> None:
        """Deliver in threads while a server runs, so that requests do not wait for receivers."""
        with self._quiet:
            self._servers += 1

    def end_serving(self) -> None:
        """Deliver one event at a time again after the last server has stopped."""
        with self._quiet:
            self._servers -= 1
            if self.deferrable:
                self.close(cancel=False)

    def after_request(self) -> None:
        """Send the events that a request caused."""
        if self.deferrable and not self._under_way:
            self.finish_due()
        else:
            self.start_due()

    def start_due(self) -> None:
        """Send everything that is due."""
        with self._quiet:
            while not (self.deferrable and self._under_way):
                queue = self._world.outbox
                row = queue.take(self._world.stamp()) if queue.next_due() else None
                if row is None:
                    return
                self._under_way += 1
                pool = self._pool(row["subscription_id"])
                future = pool.submit(self._deliver, row, queue)
                future.add_done_callback(self._note_end)

    def finish_due(self) -> None:
        """Send everything that is due, and wait for the answers."""
        with self._quiet:
            self.start_due()
            while self._under_way:
                self._quiet.wait()
                self.start_due()

    def close(self, *, cancel: bool = True) -> None:
        """Stop the threads; deliveries in progress are not interrupted.

        `cancel` drops queued deliveries, which stay in the file.
        """
        with self._quiet:
            pools = self._pools
            self._pools = {}
        for pool in pools.values():
            pool.shutdown(wait=False, cancel_futures=cancel)

    def _pool(self, subscription_id: str) -> Executor:
        if subscription_id not in self._pools:
            subscriptions = self._world.tables["webhook_subscriptions"].rows
            for subscription_gone in self._pools.keys() - subscriptions.keys():
                self._pools.pop(subscription_gone).shutdown(wait=False)
            self._pools[subscription_id] = make_executor(AT_ONCE, "paylab-delivery")
        return self._pools[subscription_id]

    def _deliver(self, row: Row, queue: DeliveryQueue) -> None:
        from .resources.subscriptions import signature_headers  # not needed without a delivery

        signed = signature_headers(self._world, row)
        status, error = self._attempt(row, signed)
        with self._quiet:
            if self._world.outbox is queue:  # else the world was reset meanwhile
                shown_headers = {**HEADERS, **dict.fromkeys(signed, HIDDEN)}
                note_attempt(self._world, row, shown_headers, status, error)
                self._saved()

    def _note_end(self, _: Future[None]) -> None:
        """Record the end of a delivery, also of a cancelled one."""
        with self._quiet:
            self._under_way -= 1
            self._quiet.notify_all()

    def _attempt(self, row: Row, signed: Mapping[str, str]) -> tuple[int | None, str | None]:
        try:
            send = self.local_receivers.get(row["url"], self._send)
            body = row["body"].encode()
            return send(row["url"], body, **({"headers": signed} if signed else {})), None
        except Exception as error:  # any failure of an address or a response
            return None, f"{type(error).__name__}: {error}".rstrip(": ")
