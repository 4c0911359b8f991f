"""Webhook subscriptions, the queue of events, and their delivery with retries.

A fault can drop an event, send it twice, reorder it, or hold it back until the
next event of the same resource overtook it.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache, partial
from hashlib import sha256
from threading import Condition
from typing import Any

import httpx

from ..rules import webhooks as webhook_rules
from ..signing.canonical import hmac_hex, key_bytes
from ..spec.money import lowered
from ..spec.names import Names
from ..spec.paging import put_inside
from ..spec.service_keys import NONE
from ..spec.translation import instructions
from . import bodies, faults
from .bodies import existing, with_numbers
from .messages import NO_CONTENT, Reply, Request, dump
from .table import Row
from .world import Lanes, World


def emit(world: World, event_type: str, resource_id: str, payload: Row) -> None:
    """Store an event and queue it for every subscription to its type."""
    body = {"event_type": event_type, "event_payload": lowered(payload)}
    note = {"event_type": event_type, "resource_id": resource_id, "at": world.stamp(), "body": body}
    event_id = world.new_id("events")
    world.put("events", {"id": event_id, "created_at": world.stamp(), **note})
    text = wrapped(world, event_id, body).decode()
    for subscription in list(world.tables["webhook_subscriptions"].rows.values()):
        if event_type in subscription["event_types"]:
            _queue(world, subscription, event_type, resource_id, text)


def wrapped(world: World, event_id: str, body: Row) -> bytes:
    """A delivery as the service writes it. Assumptions `webhook.wrapper` and `.identity`."""
    service, found = world.service, dict[str, Any]()
    settings, payload = service.webhooks, body["event_payload"]
    if settings.id_field != NONE:
        put_inside(found, settings.id_field, event_id)
    put_inside(found, settings.type_field, body["event_type"])
    if isinstance(given := payload.get("deposit_instructions"), dict):
        payload = {**payload, "deposit_instructions": instructions(service, given, Names.send)}
    put_inside(found, settings.payload_field, payload)
    return with_numbers(service, dump(found))


def _queue(world: World, subscription: Row, event_type: str, resource_id: str, body: str) -> None:
    lane = f"{subscription['id']} {resource_id}"
    row = {
        "subscription_id": subscription["id"],
        "url": subscription["url"],
        "event_type": event_type,
        "resource_id": resource_id,
        "body": body,
        "attempt": 1,
        "lane": lane,
        "due": world.stamp(),
        "created_at": world.stamp(),
    }
    fault = faults.for_event(world, event_type)
    for change in faults.EVENT_CHANGES[fault["kind"]](world, row, fault) if fault else [{}]:
        added = {"id": world.new_id("outbox"), **row, **change}
        added["rank"] = world.counters["outbox"]
        world.outbox.add(world.put("outbox", added))
    if fault is None:
        _release(world, lane)


def _release(world: World, lane: str) -> None:
    """Release a held event right after the event that overtook it."""
    if all(fault["kind"] != "event_reorder" for fault in world.tables["faults"].rows.values()):
        return
    now = world.stamp()
    for row in list(world.tables["outbox"].rows.values()):
        if row["lane"] == f"{lane} held" and row["due"] > now:
            world.outbox.done(row)
            rank = world.counters["outbox"] + 0.5
            moved = {**row, "lane": lane, "due": now, "rank": rank}
            world.outbox.add(world.put("outbox", moved))


def note_attempt(world: World, row: Row, status: int | None, error: str | None = None) -> None:
    """Store an attempt; a failed one is retried or given up after the last delay."""
    note = {key: row[key] for key in ("event_type", "resource_id", "url", "attempt")}
    note |= {"status": status, "error": error, "at": world.stamp(), "body": json.loads(row["body"])}
    world.put("deliveries", {"id": world.new_id("deliveries"), "created_at": note["at"], **note})
    if row["id"] not in world.tables["outbox"].rows:
        return
    good, delays = status is not None and 200 <= status < 300, world.service.webhooks.delays
    if good or row["attempt"] > len(delays):
        _drop(world, row)
        return
    row["due"] = world.after(delays[row["attempt"] - 1])
    row["attempt"] += 1
    world.outbox.wait(world.put("outbox", row))


def _drop(world: World, row: Row) -> None:
    world.remove("outbox", row["id"])
    world.outbox.done(row)


def create(world: World, request: Request) -> Reply:
    """Subscribe a URL to event types."""
    asked = bodies.read_body(world, request, "webhook_subscriptions.create")
    body = asked.fields
    bodies.require(asked, webhook_rules.check(body, world.service))
    types = list(dict.fromkeys(body["event_types"]))
    fields = {"url": body["url"], "event_types": types, "is_active": True}
    row = world.create("webhook_subscriptions", _signer(world, request), **fields)
    return bodies.answer(world, "webhook_subscriptions.create", row)


def _signer(world: World, request: Request) -> dict[str, str]:
    """The key whose secret signs deliveries, unless it is the world's own: a digest, no key."""
    api_key = request.headers.get("x-api-key", "")
    return {"signer": _digest(api_key)} if api_key not in world.secrets else {}


def _digest(api_key: str) -> str:
    return sha256(api_key.encode(errors="surrogateescape")).hexdigest()[:16]


def delete(world: World, request: Request) -> Reply:
    """Delete a subscription; its queued events are dropped."""
    row = existing(world, "webhook_subscriptions", request.id)
    world.remove("webhook_subscriptions", row["id"])
    for queued in list(world.tables["outbox"].rows.values()):
        if queued["subscription_id"] == row["id"]:
            _drop(world, queued)
    status = bodies.success(world.service, "webhook_subscriptions.delete")
    return Reply(status) if status == NO_CONTENT else Reply.json(status, {})


AT_ONCE = 4
"""Maximum concurrent deliveries of one subscription."""

Send = Callable[..., int]
"""Posts a JSON body to a URL and returns the status of the response, or raises.

It is called with (url, body), and with `headers` when the service signs deliveries.
"""


def post(
    url: str, body: bytes, headers: Mapping[str, str] | None = None, *, timeout: float = 10
) -> int:
    """Deliver by HTTP; redirects are not followed.

    `timeout` is the real seconds that a receiver has. Assumption `webhook.time`.
    """
    return asyncio.run(_post(url, body, headers or {}, timeout))


async def _post(url: str, body: bytes, more: Mapping[str, str], timeout: float) -> int:
    headers = {"content-type": "application/json", "user-agent": "paylab-simulator", **more}
    tls = _tls() if url.startswith("https") else False  # creating a client takes 25 ms
    async with (
        asyncio.timeout(timeout),  # httpx alone applies the timeout to each read
        httpx.AsyncClient(timeout=timeout, trust_env=False, verify=tls) as client,
        client.stream("POST", url, content=body, headers=headers) as response,
    ):
        return response.status_code


@cache
def _tls() -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=False)


def signature_headers(world: World, row: Row) -> dict[str, str]:
    """The header that signs a delivery, if deliveries are signed. Assumption `webhook.delivery`."""
    name = world.service.webhooks.signature_header
    if name == NONE:
        return {}
    key = key_bytes(_secret(world, row["subscription_id"]), world.service.signing.key_encoding)
    return {name: hmac_hex(key, row["body"].encode())}


def _secret(world: World, subscription_id: str) -> str:
    """The secret of the client that subscribed; the world's own if it is not known here."""
    signer = (world.find("webhook_subscriptions", subscription_id) or {}).get("_", {}).get("signer")
    own = next(iter(world.secrets.values()), "")
    served = world.served_secrets.items()
    return next((secret for key, secret in served if _digest(key) == signer), own)


class Courier:
    """Delivers the events of one world; `saved` is called, under its lock, after each record.

    `doors` are receivers in this process by subscription URL.
    """

    def __init__(
        self, world: World, saved: Callable[[], None], *, send: Send | None = None
    ) -> None:
        self._world, self._saved = world, saved
        self._send = send or partial(post, timeout=world.service.webhooks.timeout)
        self._servers = 0
        self.doors: dict[str, Send] = {}
        self._pools: dict[str, Executor] = {}
        self._quiet = Condition(world.lock)
        self._under_way = 0

    @property
    def patient(self) -> bool:
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
            if self.patient:
                self.close(cancel=False)

    def after_request(self) -> None:
        """Send the events that a request caused."""
        if self.patient and not self._under_way:
            self.finish_due()
        else:
            self.start_due()

    def start_due(self) -> None:
        """Send everything that is due."""
        with self._quiet:
            while not (self.patient and self._under_way):
                row = self._world.outbox.take(self._world.stamp())
                if row is None:
                    return
                self._under_way += 1
                pool = self._pool(row["subscription_id"])
                errand = pool.submit(self._deliver, row, self._world.outbox)
                errand.add_done_callback(self._came_back)

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
            pools, self._pools = self._pools, {}
        for pool in pools.values():
            pool.shutdown(wait=False, cancel_futures=cancel)

    def _pool(self, subscription_id: str) -> Executor:
        name, most = ("", 1) if self.patient else (subscription_id, AT_ONCE)
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(most, "paylab-courier")
            known = self._world.tables["webhook_subscriptions"].rows
            for gone in self._pools.keys() - known.keys() - {""}:
                self._pools.pop(gone).shutdown(wait=False)
        return self._pools[name]

    def _deliver(self, row: Row, lanes: Lanes) -> None:
        status, error = self._attempt(row)
        with self._quiet:
            if self._world.outbox is lanes:  # else the world was reset meanwhile
                note_attempt(self._world, row, status, error)
                self._saved()

    def _came_back(self, _: Future[None]) -> None:
        """Record the end of a delivery, also of a cancelled one."""
        with self._quiet:
            self._under_way -= 1
            self._quiet.notify_all()

    def _attempt(self, row: Row) -> tuple[int | None, str | None]:
        try:
            send = self.doors.get(row["url"], self._send)
            body = row["body"].encode()
            signed = signature_headers(self._world, row)
            return send(row["url"], body, **({"headers": signed} if signed else {})), None
        except Exception as error:  # any failure of an address or a response
            return None, f"{type(error).__name__}: {error}".rstrip(": ")
