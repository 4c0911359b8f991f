"""Webhook subscriptions, and the format of deliveries, if the service can reach this machine."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from ..serving import Message, Receive, Send, ServingThread, listen
from ..signing.canonical import is_delivery_signature, key_bytes
from ..spec import codes
from ..spec.envelope import leaves
from ..spec.service_keys import NONE
from . import objects
from .inquiry import PREFIX, WRITES, Inquiry, Question
from .requests import NotAskedError

HOST = "127.0.0.1"
LISTENER = "listener"
EVENTS = ("individual.status_changed", "transfer.created")
FIRST_SECONDS = 0.2
ID_NAMES = ("id", "event_id", "eventid", "delivery_id", "uuid")


class _Delivery(NamedTuple):
    """A delivery: its headers by lower-case name, and its body."""

    headers: Mapping[str, str]
    body: bytes


class Listener:
    """Receives deliveries on a loopback port, at an unpredictable path."""

    def __init__(self) -> None:
        self._socket = listen(HOST, 0)
        self._path = f"/{PREFIX}/{secrets.token_urlsafe(12)}"
        self.url = f"http://{HOST}:{self._socket.getsockname()[1]}{self._path}"
        self.deliveries: list[_Delivery] = []
        self._serving = ServingThread(self, self._socket, PREFIX)
        self._serving.start()

    def stop(self) -> None:
        """Stop listening."""
        self._serving.stop()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, as an ASGI application."""
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        good = scope["path"] == self._path and scope["method"] == "POST"
        if good:
            pairs = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
            self.deliveries.append(_Delivery(pairs, body))
        await send({"type": "http.response.start", "status": 204 if good else 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def subscribe(inquiry: Inquiry) -> None:
    """Subscribe this machine if the service can reach it, else a host that does not exist."""
    path = inquiry.path("create_webhook_subscription")
    listener: Listener | None = inquiry.memory.get(LISTENER)
    url = listener.url if listener else f"https://{PREFIX}.invalid/events"
    body = {"url": url, "event_types": list(EVENTS)}
    one = objects.made_once(inquiry, "subscription", lambda: inquiry.requests.write(path, body))
    inquiry.answer("success_codes.webhook_subscriptions", one.status, *one.replies)


def unsubscribe(inquiry: Inquiry) -> None:
    """Delete the subscription, after waiting for deliveries."""
    listener: Listener | None = inquiry.memory.get(LISTENER)
    if listener is not None:
        if not listener.deliveries:
            inquiry.requests.sleep(FIRST_SECONDS)
        read_deliveries(inquiry, listener.deliveries)
    made = inquiry.made.get("subscription")
    there = inquiry.path("delete_webhook_subscription", made["object"]["id"]) if made else None
    if not there:
        raise NotAskedError("there is no webhook subscription that could be deleted")
    gone = inquiry.requests.write(there, None, method="DELETE")
    if gone.went_well:
        inquiry.answer("success_codes.webhook_subscription", gone.status, gone)


def read_deliveries(inquiry: Inquiry, deliveries: list[_Delivery]) -> None:
    """Find the fields of type, resource and id of an event, and the signature header."""
    if not deliveries:
        return
    first = deliveries[0]
    try:
        found = dict(leaves(json.loads(first.body)))
    except ValueError:
        return
    known = (*codes.EVENT_TYPES, *inquiry.value("webhooks.event_types"))
    types = [name for name, value in found.items() if isinstance(value, str) and value in known]
    resources = [
        name
        for name, each in found.items()
        if isinstance(each, dict) and {"id", "status"} <= {*each}
    ]
    why = f"in {len(deliveries)} deliveries"
    if types:
        inquiry.answer("webhooks.type_field", types[0], why=why)
    if resources:
        inquiry.answer("webhooks.payload_field", resources[0], why=why)
    ids = [
        name
        for name in found
        if name.rpartition(".")[2].lower() in ID_NAMES and not name.startswith(tuple(resources))
    ]
    inquiry.answer("webhooks.id_field", ids[0] if ids else NONE, why=why)
    _signature(inquiry, first, why)


def _signature(inquiry: Inquiry, first: _Delivery, why: str) -> None:
    """Find the header that signs deliveries, if an inbox can verify it."""
    key, settings = "webhooks.signature_header", inquiry.requests.sender.settings
    secret = key_bytes(settings.secret_key.reveal(), inquiry.value("signing.key_encoding"))
    good = [
        n for n, value in first.headers.items() if is_delivery_signature(value, secret, first.body)
    ]
    named = [name for name in first.headers if "signature" in name or "hmac" in name]
    if named and not good:
        inquiry.unclear(key, f"{named[0]} is not the HMAC-SHA256 of the body with the secret key")
    else:
        inquiry.answer(key, good[0].title() if good else NONE, why=why)


SUBSCRIBE = Question(WRITES, subscribe, "success_codes.webhook_subscriptions")
UNSUBSCRIBE = Question(WRITES, unsubscribe, "success_codes.webhook_subscription")
