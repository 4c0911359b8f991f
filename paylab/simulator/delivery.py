"""The delivery of events to webhook subscriptions, with retries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from threading import Condition
from time import perf_counter
from typing import TYPE_CHECKING

from ..redaction.hiding import HIDDEN
from ..runtime import make_executor
from .delivery_queue import DeliveryQueue
from .events import note_attempt, record_attempt
from .table import Row
from .world import World

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

DELIVERIES_AT_ONCE = 4
"""Maximum concurrent deliveries of one subscription."""

OUTAGE_ERROR = "simulated outage: nothing was sent"
"""The error of an attempt that the fault `event_outage` fails."""

DELIVERY_HEADERS = {"content-type": "application/json", "user-agent": "paylab-simulator"}
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

    all_headers = {**DELIVERY_HEADERS, **(headers or {})}
    has_tls = url.startswith("https")  # reading the certificates takes 25 ms

    async def post_in_time() -> int:
        """The status of the answer, whose body is not read."""
        async with (
            asyncio.timeout(timeout),  # httpx alone applies the timeout to each read
            httpx.AsyncClient(timeout=timeout, trust_env=False, verify=has_tls) as client,
            client.stream("POST", url, content=body, headers=all_headers) as response,
        ):
            return response.status_code

    return asyncio.run(post_in_time())


class EventDelivery:
    """Delivers the events of one world. `save` is called, under its lock, after each record.

    `local_receivers` are functions in this process by subscription URL.
    """

    def __init__(self, world: World, save: Callable[[], None], *, send: Send | None = None) -> None:
        """Deliver by `send`, by default by HTTP."""
        self._world = world
        self._save = save
        self._send = send or partial(post, timeout=world.service.webhooks.timeout)
        self._server_count = 0
        self.local_receivers: dict[str, Send] = {}
        self._executors: dict[str, Executor] = {}
        self._changed = Condition(world.lock)
        self._running_count = 0

    @property
    def waits_for_receivers(self) -> bool:
        """Whether requests wait for receivers, as they do while no server runs."""
        return not self._server_count

    def begin_serving(self) -> None:
        """Deliver in threads while a server runs, so that requests do not wait for receivers."""
        with self._changed:
            self._server_count += 1

    def end_serving(self) -> None:
        """Deliver one event at a time again after the last server has stopped."""
        with self._changed:
            self._server_count -= 1
            if self.waits_for_receivers:
                self.close(cancel=False)

    def after_request(self) -> None:
        """Send the events that a request caused.

        If the simulator waits for receivers, this waits until they have answered. It does not wait
        while a delivery is running: a receiver may itself send a request before it answers.
        """
        if self.waits_for_receivers and not self._running_count:
            self.send_due_and_wait()
        else:
            self.start_sending_due()

    def start_sending_due(self) -> None:
        """Start to send what is due; while requests wait for receivers, one event at a time."""
        with self._changed:
            while not (self.waits_for_receivers and self._running_count):
                queue = self._world.outbox
                if queue.next_due() is None:
                    return
                delivery_row = queue.take_due(self._world.stamp())
                if delivery_row is None:
                    return
                self._running_count += 1
                executor = self._choose_executor(delivery_row["subscription_id"])
                future = executor.submit(self._send_event, delivery_row, queue)
                future.add_done_callback(self._record_end)

    def send_due_and_wait(self) -> None:
        """Send everything that is due, and wait for the answers."""
        with self._changed:
            self.start_sending_due()
            while self._running_count:
                self._changed.wait()
                self.start_sending_due()

    def close(self, *, cancel: bool = True) -> None:
        """Stop the threads. Deliveries in progress are not interrupted.

        `cancel` drops queued deliveries, which stay in the file.
        """
        with self._changed:
            executor_by_subscription = self._executors
            self._executors = {}
        for executor in executor_by_subscription.values():
            executor.shutdown(wait=False, cancel_futures=cancel)

    def _choose_executor(self, subscription_id: str) -> Executor:
        """The executor of a subscription. Those of deleted subscriptions end."""
        if subscription_id in self._executors:
            return self._executors[subscription_id]
        subscription_by_id = self._world.tables["webhook_subscriptions"].rows
        for deleted_id in self._executors.keys() - subscription_by_id.keys():
            self._executors.pop(deleted_id).shutdown(wait=False)
        executor = make_executor(DELIVERIES_AT_ONCE, "paylab-delivery")
        self._executors[subscription_id] = executor
        return executor

    def _send_event(self, delivery_row: Row, queue: DeliveryQueue) -> None:
        """Send an event and record the attempt."""
        from .resources.subscriptions import make_signature_headers  # not needed without a delivery

        signed_headers = make_signature_headers(self._world, delivery_row)
        with self._changed:
            attempt_note = note_attempt(self._world, delivery_row)
            has_outage = delivery_row.get("outage_until", "") > self._world.stamp()
        start_seconds = perf_counter()
        status: int | None = None
        error_text: str | None = OUTAGE_ERROR
        if not has_outage:
            status, error_text = self._send_row(delivery_row, signed_headers)
        duration_seconds = round(perf_counter() - start_seconds, 6)
        with self._changed:
            attempt_note.facts |= {
                "status": status,
                "error": error_text,
                "duration": duration_seconds,
            }
            if self._world.outbox is not queue:  # the world was reset meanwhile
                return
            headers = {**DELIVERY_HEADERS, **dict.fromkeys(signed_headers, HIDDEN)}
            record_attempt(self._world, delivery_row, headers, status, error_text)
            self._save()

    def _record_end(self, _: Future[None]) -> None:
        """Record the end of a delivery, also of a cancelled one."""
        with self._changed:
            self._running_count -= 1
            self._changed.notify_all()

    def _send_row(
        self, delivery_row: Row, signed_headers: Mapping[str, str]
    ) -> tuple[int | None, str | None]:
        """The status of the receiver's response, or None and the text of the error."""
        url = delivery_row["url"]
        send = self.local_receivers.get(url, self._send)
        # If the service does not sign, a receiver may be a function of URL and body only.
        header_options = {"headers": signed_headers} if signed_headers else {}
        try:
            return send(url, delivery_row["body"].encode(), **header_options), None
        except Exception as error:  # any failure of an address or a response
            # An error without a text is only its type, without the colon.
            return None, f"{type(error).__name__}: {error}".rstrip(": ")
