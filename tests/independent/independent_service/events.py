"""Webhook events, and a thread that delivers them to the subscribed URLs."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import queue
import threading
import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .answers import CURRENCIES, present
from .settings import Settings
from .world import Row, World

TIMEOUT = 10.0
TYPES = {
    "awaiting_funds": "transfer.created",
    "completed": "transfer.completed",
    "failed": "transfer.failed",
    "expired": "transfer.expired",
}
CONVERSION_TYPES = {
    "pending": "conversion.created",
    "started": "conversion.payout_initiated",
    "completed": "conversion.completed",
    "failed": "conversion.failed",
}


@dataclass(frozen=True)
class Delivery:
    """A POST to a subscribed URL and its status; None when there was no answer."""

    event_type: str
    url: str
    status: int | None


class Outbox:
    """Writes events and delivers each once, in order. `deliveries` lists what was sent."""

    def __init__(self, world: World, settings: Settings, secret: str) -> None:
        self.deliveries: list[Delivery] = []
        self._world, self._settings, self._secret = world, settings, secret
        self._waiting: queue.Queue[tuple[str, str, bytes]] = queue.Queue()
        self._thread: threading.Thread | None = None

    def status_changed(self, family: str, row: Row, before: str | None) -> None:
        """Queue the events for a new status of an individual, a transfer or a conversion."""
        status = row["status"]
        if status == before:
            return
        if family == "individual":
            self._announce("individual.status_changed", _individual(row, before))
        elif family == "transfer":
            types = ["transfer.funded", "transfer.payout_initiated"]
            chosen = types if status == "started" else [TYPES.get(status)]
            payload = present(row, "get_transfer", self._settings)
            for event_type in filter(None, chosen):
                self._announce(event_type, payload)
        elif status in CONVERSION_TYPES:
            payload = present(row, "get_conversion", self._settings)
            self._announce(CONVERSION_TYPES[status], payload)

    def wait(self) -> None:
        """Wait until every queued event has been sent."""
        self._waiting.join()

    def _announce(self, event_type: str, payload: Row) -> None:
        body = self._written(event_type, payload)
        for row in self._world.rows("webhook_subscriptions"):
            if event_type in row["event_types"]:
                self._waiting.put((event_type, row["url"], body))
                self._start()

    def _written(self, event_type: str, payload: Row) -> bytes:
        names = self._settings["webhooks.type"], self._settings["webhooks.payload"]
        event: Row = dict(zip(names, (event_type, _lower(payload)), strict=True))
        if self._settings["webhooks.identified"]:
            event = {"id": str(uuid.uuid4()), "created_at": payload["updated_at"], **event}
        return json.dumps(event).encode()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            event_type, url, body = self._waiting.get()
            try:
                status: int | None = self._post(url, body)
            except (OSError, http.client.HTTPException):
                status = None
            self.deliveries.append(Delivery(event_type, url, status))
            self._waiting.task_done()

    def _post(self, url: str, body: bytes) -> int:
        parts = urlsplit(url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        connection = kinds[parts.scheme](parts.netloc, timeout=TIMEOUT)
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", target, body, self._headers(body))
            status: int = connection.getresponse().status
            return status
        finally:
            connection.close()

    def _headers(self, body: bytes) -> dict[str, str]:
        name = self._settings["webhooks.signature"]
        about = {"Content-Type": "application/json"}
        if name is None:
            return about
        value = hmac.new(self._secret.encode(), body, hashlib.sha256).hexdigest()
        return {**about, name: f"sha256={value}"}


def _individual(row: Row, before: str | None) -> Row:
    """The payload of individual.status_changed; without details the key is omitted."""
    event = {name: row[name] for name in ("id", "status", "updated_at")}
    details = [{"code": code, "message": code} for code in row.get("_needs", ())]
    return {**event, "previous_status": before, **({"status_details": details} if details else {})}


def _lower(value: Any) -> Any:
    """A payload with its currencies in lower case."""
    if isinstance(value, list):
        return [_lower(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: content.lower() if key in CURRENCIES and isinstance(content, str) else _lower(content)
        for key, content in value.items()
    }
