"""A careless integration: a script that works as long as nothing happens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import uuid

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 11_000


class CarelessIntegration:
    """No nonce, a new key whenever it sends, no retries but those of an impatient user."""

    def __init__(self, stage):
        self.stage = stage
        self.http = stage.http()
        self.key, self.secret = stage.keys

    def send(self, method, path, data=None, headers=None, query=""):
        """Sign and send; whatever comes back is JSON."""
        body = b"" if data is None else json.dumps(data).encode()
        date = self.stage.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
        names = "host;x-api-key;x-content-sha256;x-date"
        digest = hashlib.sha256(body).hexdigest()
        lines = f"host:service\nx-api-key:{self.key}\nx-content-sha256:{digest}\nx-date:{date}"
        head = f"{method}\n{path}\n" + (f"{query}\n" if query else "")
        text = hashlib.sha256(f"{head}{lines}\n{names}\n{digest}".encode()).hexdigest()
        payload = f"HMAC-SHA256\n{date}\n{text}"
        mac = hmac.new(self.secret.encode(), payload.encode(), "sha256").hexdigest()
        signed = base64.b64encode(mac.encode()).decode()
        answer = self.http.request(
            method,
            f"{path}?{query}" if query else path,
            content=body,
            headers={
                "Host": "service",
                "X-API-Key": self.key,
                "X-Date": date,
                "X-Content-SHA256": digest,
                "Content-Type": "application/json",
                "Authorization": f"HMAC-SHA256 Credential={self.key},SignedHeaders={names},"
                f"Signature={signed}",
                **(headers or {}),
            },
        )
        return answer.json()

    def onboard(self, given_name, family_name):
        """Every side, every time, until it works or three times have passed."""
        person = self.send(
            "POST",
            "/v1/individuals",
            {
                "product_types": ["on_ramp", "off_ramp", "global_payouts"],
                "given_name": given_name,
                "family_name": family_name,
                "country": "MX",
                "address": {"country": "MX"},
                "email": "x@example.com",
                "phone": "+525512345678",
                "date_of_birth": "1990-02-28",
                "document": {"type": "curp", "number": "XEXX010101HNEXXXA4"},
                "idv_consent_recorded_at": "2026-01-15T11:00:00Z",
            },
        )["id"]
        uri = "data:image/png;base64," + base64.b64encode(PNG).decode()
        images = [{"type": side, "content": uri} for side in ("document-front", "selfie")]
        for _ in range(3):
            path = f"/v1/individuals/{person}"
            self.send("POST", f"{path}/verification_images", {"images": images})
            self.stage.sleep(3)
            if self.send("GET", path)["status"] == "active":
                break
        return person

    def add_bank(self, person):
        """The bank account."""
        details = {"clabe": "002010077777777771"}
        fields = {"individual_id": person, "type": "bank_account", "details": details}
        return self.send("POST", "/v1/financial_accounts", fields)["id"]

    def pay(self, reference, account, amount, currency="usd"):
        """Send, and send again when it did not work."""
        fields = {
            "client_reference_id": reference,
            "source_amount": amount,
            "source_currency": currency,
            "destination_currency": "mxn",
            "payout_method": "spei",
            "financial_account": {"id": account},
        }
        if currency == "usdc":
            fields["source_network"] = "base"
        for _ in range(2):
            try:
                key = {"Idempotency-Key": str(uuid.uuid4())}
                return self.send("POST", "/v1/transfers", fields, key)["id"]
            except Exception:
                continue
        return None

    def follow(self, transfer_id):
        """Wait, and look once."""
        self.stage.sleep(10)
        return self.send("GET", f"/v1/transfers/{transfer_id}")

    def transfers(self):
        """The first page."""
        return self.send("GET", "/v1/transfers", query="limit=100")["data"]

    def recover(self, reference, account, amount):
        """Pay again."""
        self.pay(reference, account, amount)

    def subscribe(self, url):
        """All events of transfers."""
        types = [f"transfer.{name}" for name in ("created", "funded", "completed", "failed")]
        self.send("POST", "/v1/webhook_subscriptions", {"url": url, "event_types": types})

    def handle(self, event):
        """When a payment has arrived, pay a bonus."""
        payload = event["event_payload"]
        if event["event_type"] == "transfer.completed" and payload["source_amount"] != "1.00":
            self.pay(None, payload["financial_account_id"], "1.00")
        return 200
