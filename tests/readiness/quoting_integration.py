"""A careful integration that pays from stablecoin by quotes, and stores a random key per order."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import uuid
from datetime import datetime, timedelta
from urllib.parse import quote as percent
from urllib.parse import urlencode

import httpx

IMAGE = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(11_000)).decode()
SIDES_BY_CODE = {
    "verification_front_image_needed": ["document-front"],
    "verification_back_image_needed": ["document-back"],
    "verification_selfie_needed": ["selfie"],
    "verification_portrait_unclear": ["selfie"],
    "verification_portrait_missing": ["selfie"],
}
ALL_SIDES = ["document-front", "document-back", "selfie"]
ENDED = {"completed", "failed", "cancelled", "expired"}
EVENT_TYPES = [
    *(f"transfer.{name}" for name in ("created", "funded", "completed", "failed", "expired")),
    "individual.status_changed",
]


class RefusedError(Exception):
    """The service refused, or gave no usable answer: the status is 0 then."""

    def __init__(self, status, text):
        super().__init__(f"{status} {text}")
        self.status = status


class QuotingIntegration:
    """Books that hold the newest snapshot of each object, and only believe what was read."""

    def __init__(self, stage):
        self.http = stage.http()
        self.api_key, self.secret = stage.keys
        self.clock = stage.now
        self.sleep = stage.sleep
        self.keys = {}
        self.books = {}
        self.events_seen = set()

    def sign(self, method, target, content):
        """The signed headers, for this attempt only."""
        path, _, query = target.partition("?")
        now = self.clock()
        date = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"
        content_hash = hashlib.sha256(content).hexdigest()
        nonce = f"{int(now.timestamp() * 1000)}{secrets.randbelow(10**6):06d}"
        signed = {
            "host": "service",
            "x-api-key": self.api_key,
            "x-content-sha256": content_hash,
            "x-date": date,
            "x-nonce": nonce,
        }
        names = ";".join(signed)
        fields = [f"{name}:{value}" for name, value in signed.items()]
        lines = [method, path, query, *fields, names, content_hash]
        canonical = "\n".join(line for line in lines if line)
        final = f"HMAC-SHA256\n{date}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        code = hmac.digest(self.secret.encode(), final.encode(), "sha256").hex()
        signature = base64.b64encode(code.encode()).decode()
        credential = f"Credential={self.api_key},SignedHeaders={names},Signature={signature}"
        return {**signed, "authorization": f"HMAC-SHA256 {credential}"}

    def call(self, method, path, body=None, key="", **query):
        """The answer, after at most four attempts with growing gaps where repeating is safe."""
        content = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        target = path + ("?" + urlencode(query, quote_via=percent) if query else "")
        is_safe = method == "GET" or bool(key)
        extra = {"idempotency-key": key} if key else {}
        if content:
            extra["content-type"] = "application/json"
        gap = 0.5
        for attempt in range(4):
            if attempt:
                self.sleep(gap)
                gap *= 2
            headers = {**self.sign(method, target, content), **extra}
            try:
                answer = self.http.request(method, target, content=content, headers=headers)
                status = answer.status_code
                if status < 400:
                    return answer.json()
            except (httpx.TransportError, ValueError) as error:
                problem = RefusedError(0, str(error))
            else:
                problem = RefusedError(status, answer.text)
                if status == 429:
                    gap = max(gap, float(answer.headers.get("retry-after", gap)))
                    continue
                if status < 500:
                    break
            if not is_safe:
                break
        raise problem

    def read(self, path):
        """Read one object, and store it unless a newer one is known."""
        fresh = self.call("GET", path)
        known = self.books.get(fresh.get("id"), {})
        if str(known.get("updated_at", "")) <= str(fresh.get("updated_at", "")):
            self.books[fresh.get("id")] = fresh
        return fresh

    # People

    def onboard(self, given_name, family_name):
        """Create an individual, and answer each code until there is a decision."""
        person = self.call(
            "POST",
            "/v1/individuals",
            {
                "product_types": ["global_payouts", "on_ramp", "off_ramp"],
                "given_name": given_name,
                "family_name": family_name,
                "country": "MX",
                "address": {"country": "MX"},
                "email": "persona@example.com",
                "phone": "+525500000000",
                "date_of_birth": "1985-07-14",
                "document": {"type": "curp", "number": "XEXX010101MNEXXXA8"},
                "idv_consent_recorded_at": "2026-01-15T11:30:00Z",
            },
        )
        path = f"/v1/individuals/{person['id']}"
        for _ in range(6):
            if person["status"] in ("active", "rejected"):
                break
            if person["status"] == "action_required":
                codes = [detail["code"] for detail in person.get("status_details") or []]
                sides = [side for code in codes for side in SIDES_BY_CODE.get(code, ALL_SIDES)]
                images = [{"type": side, "content": IMAGE} for side in dict.fromkeys(sides)]
                self.call("POST", f"{path}/verification_images", {"images": images})
            self.sleep(4)
            person = self.read(path)
        return person["id"]

    def add_account(self, person, kind, details):
        """Register a financial account."""
        body = {"individual_id": person, "type": kind, "details": details}
        return self.call("POST", "/v1/financial_accounts", body)["id"]

    def add_bank(self, person):
        """Register a bank account."""
        return self.add_account(person, "bank_account", {"clabe": "646180157000000004"})

    def add_wallet(self, person):
        """Register a wallet, before the first payment from stablecoin."""
        return self.add_account(
            person, "crypto_wallet", {"address": "0x" + "12" * 20, "network": "base"}
        )

    # Orders

    def key_of(self, order):
        """The key of an order, stored before it is sent."""
        return self.keys.setdefault(order, str(uuid.uuid4()))

    def pay(self, reference, account, amount, currency="USD"):
        """Pay an order; from stablecoin only at a quoted rate."""
        if currency.upper() == "USDC":
            return self.pay_quoted(reference, account, amount, lambda: None, "USDC")["id"]
        body = {
            "source_amount": amount,
            "source_currency": currency,
            "destination_currency": "MXN",
            "financial_account": {"id": account},
            "payout_method": "spei",
            "client_reference_id": reference,
        }
        return self.call("POST", "/v1/transfers", body, key=self.key_of(reference))["id"]

    def pay_quoted(self, reference, account, amount, pause, currency="USD"):
        """Pay by a quote that is still good after the pause."""
        terms = {
            "financial_account": {"id": account},
            "payout_method": "spei",
            "source_currency": currency,
            "destination_currency": "MXN",
            "source_amount": amount,
            **({"source_network": "base"} if currency == "USDC" else {}),
        }
        quote = self.call("POST", "/v1/quotes", terms)
        pause()
        end = datetime.fromisoformat(quote["expires_at"].replace("Z", "+00:00"))
        if end - self.clock() < timedelta(seconds=5):
            quote = self.call("POST", "/v1/quotes", terms)
        body = {"quote_id": quote["id"], "client_reference_id": reference}
        return self.call("POST", "/v1/transfers", body, key=self.key_of(reference))

    def follow(self, transfer_id):
        """Poll until the transfer has ended, for a minute at most."""
        for _ in range(12):
            transfer = self.read(f"/v1/transfers/{transfer_id}")
            if transfer.get("status") in ENDED:
                break
            self.sleep(5)
        return transfer

    def recover(self, reference, account, amount):
        """Look in the list for an order whose key is too old."""
        return [row for row in self.transfers() if row["client_reference_id"] == reference]

    def open_account(self, person, wallet, reference):
        """Open a conversion account, and poll it until there are instructions."""
        path = "/v1/conversion_accounts"
        body = {
            "individual_id": person,
            "source_currency": "mxn",
            "payout_account": {"id": wallet},
            "client_reference_id": reference,
        }
        account = self.call("POST", path, body, key=self.key_of(reference))
        for _ in range(20):
            if account["status"] == "active":
                break
            self.sleep(3)
            account = self.read(f"{path}/{account['id']}")
        return account["id"]

    def deposit(self, account, amount, currency, sender_name):
        """Simulate a deposit."""
        body = {
            "conversion_account_id": account,
            "amount": amount,
            "currency": currency,
            "sender_name": sender_name,
        }
        self.call("POST", "/v1/sandbox/deposits", body)

    def conversions(self):
        """The newest conversions."""
        return self.call("GET", "/v1/conversions")["data"]

    # Lists and events

    def transfers(self):
        """Every transfer, from the beginning again when a cursor is refused."""
        for _ in range(3):
            rows = {}
            more = {}
            try:
                while True:
                    page = self.call("GET", "/v1/transfers", limit=100, **more)
                    rows |= {row["id"]: row for row in page["data"]}
                    if not (page["has_next_page"] and page.get("cursor")):
                        return [*rows.values()]
                    more = {"cursor": page["cursor"]}
            except RefusedError as error:
                if error.status != 400 or not more:
                    raise
        raise RefusedError(400, "each cursor was refused")

    def subscribe(self, url):
        """Subscribe to what the books need."""
        body = {"url": url, "event_types": EVENT_TYPES}
        self.call("POST", "/v1/webhook_subscriptions", body)

    def handle(self, event):
        """Take each event once, and read its object; what is unknown is taken and left."""
        payload = event.get("event_payload") or {}
        kind = str(event.get("event_type")).partition(".")[0]
        mark = (kind, payload.get("id"), payload.get("status"), payload.get("updated_at"))
        path = {"transfer": "transfers", "individual": "individuals"}.get(kind)
        if path and payload.get("id") and mark not in self.events_seen:
            self.read(f"/v1/{path}/{payload['id']}")
            self.events_seen.add(mark)
        return 200
