"""An integration that only receives events, and reads what they are about."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from datetime import UTC
from hmac import HMAC
from json import dumps


class WebhookIntegration:
    """Keeps a table of transfers that somebody else pays."""

    def __init__(self, stage):
        self.http, self.keys, self.now = stage.http(), stage.keys, stage.now
        self.table, self.sent = {}, 0
        self.bank = None

    def request(self, verb, path, content=b""):
        """One signed request without a query."""
        self.sent += 1
        now = self.now().astimezone(UTC)
        values = {
            "host": "service",
            "x-api-key": self.keys[0],
            "x-content-sha256": hashlib.sha256(content).hexdigest(),
            "x-date": f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z",
            "x-nonce": f"{int(now.timestamp() * 1000)}{self.sent:06d}",
        }
        names = ";".join(values)
        canonical = [verb, path, *map(":".join, values.items()), names, values["x-content-sha256"]]
        inner = hashlib.sha256("\n".join(canonical).encode()).hexdigest()
        message = f"HMAC-SHA256\n{values['x-date']}\n{inner}"
        mac = HMAC(self.keys[1].encode(), message.encode(), "sha256").hexdigest().encode()
        credential = f"Credential={self.keys[0]},SignedHeaders={names}"
        values["authorization"] = f"HMAC-SHA256 {credential},Signature={b64encode(mac).decode()}"
        values["content-type"] = "application/json"
        return self.http.request(verb, path, content=content, headers=values).json()

    def subscribe(self, url):
        """The events that change the table."""
        types = [f"transfer.{name}" for name in ("created", "funded", "completed", "failed")]
        body = dumps({"url": url, "event_types": types}).encode()
        self.request("POST", "/v1/webhook_subscriptions", body)

    def handle(self, event):
        """Read the transfer of an event; other events are not for this program."""
        if event["event_type"].startswith("transfer."):
            transfer = self.request("GET", f"/v1/transfers/{event['event_payload']['id']}")
            self.table[transfer["id"]] = transfer.get("status")
        return 204

    def transfers(self):
        """Read again what is not finished."""
        for transfer_id, status in [*self.table.items()]:
            if status in ("awaiting_funds", "started"):
                transfer = self.request("GET", f"/v1/transfers/{transfer_id}")
                self.table[transfer_id] = transfer["status"]
