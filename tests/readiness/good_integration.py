"""A careful integration, written from the spec with httpx alone."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import uuid
from urllib.parse import urlencode

import httpx

NAMESPACE = uuid.UUID("0b7a3c5e-6f1d-4b7e-9a57-2f0c5d1e8a10")
PICTURE = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(12_000)).decode()
SIDES = {
    "verification_front_image_needed": "document-front",
    "verification_back_image_needed": "document-back",
    "verification_selfie_needed": "selfie",
}
ATTEMPTS = 5
FINAL = ("completed", "failed", "expired", "cancelled")


class ServiceError(Exception):
    """A refusal, or no usable answer. `is_unknown` means that nobody knows what happened."""

    def __init__(self, text, status=None, *, is_unknown=False):
        super().__init__(text)
        self.status = status
        self.is_unknown = is_unknown


class GoodIntegration:
    """Pays suppliers: keys from references, bounded retries, and a list that is asked."""

    def __init__(self, stage):
        self.http = stage.http()
        self.api_key, self.secret = stage.keys
        self.now = stage.now
        self.sleep = stage.sleep
        self.count = itertools.count()
        self.known = {}

    def sign(self, method, target, body):
        """The headers of one attempt. Spec, Authentication."""
        moment = self.now()
        headers = {
            "host": "service",
            "x-api-key": self.api_key,
            "x-date": moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z",
            "x-content-sha256": hashlib.sha256(body).hexdigest(),
            "x-nonce": self.nonce(),
        }
        path, _, query = target.partition("?")
        names = sorted(headers)
        lines = [method, path, *([query] if query else [])]
        lines += [f"{name}:{headers[name]}" for name in names]
        lines += [";".join(names), headers["x-content-sha256"]]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        payload = f"HMAC-SHA256\n{headers['x-date']}\n{digest}".encode()
        code = hmac.new(self.secret.encode(), payload, hashlib.sha256).hexdigest()
        value = base64.b64encode(code.encode()).decode()
        headers["authorization"] = (
            f"HMAC-SHA256 Credential={self.api_key},SignedHeaders={';'.join(names)},"
            f"Signature={value}"
        )
        return headers

    def nonce(self):
        """A nonce that was never used."""
        return f"{int(self.now().timestamp() * 1000)}{next(self.count):06d}"

    def attempt(self, method, target, body, key):
        """One attempt; the status, headers and decoded answer."""
        headers = self.sign(method, target, body)
        if body:
            headers["content-type"] = "application/json"
        if key:
            headers["idempotency-key"] = key
        response = self.http.request(method, target, content=body, headers=headers)
        try:
            answer = response.json() if response.content else {}
        except ValueError:
            if response.is_success:
                raise httpx.RemoteProtocolError("the answer is no JSON") from None
            answer = {}
        return response, answer

    def call(self, method, path, fields=None, key=None, **query):
        """A request, repeated where that is safe: GETs, orders with a key, and after a 429."""
        target = f"{path}?{urlencode(query)}" if query else path
        body = json.dumps(fields, ensure_ascii=False).encode() if fields else b""
        is_safe = method == "GET" or key is not None
        for number in range(ATTEMPTS):
            try:
                response, answer = self.attempt(method, target, body, key)
            except httpx.HTTPError as error:
                if not is_safe or number == ATTEMPTS - 1:
                    raise ServiceError(str(error), is_unknown=True) from None
                self.sleep(2**number)
                continue
            if response.is_success:
                return answer
            is_busy = response.status_code == 429
            is_down = response.status_code >= 500 and is_safe
            if number == ATTEMPTS - 1 or not (is_busy or is_down):
                break
            self.sleep(float(response.headers.get("retry-after") or 2**number))
        raise ServiceError(str(answer), response.status_code, is_unknown=is_down)

    # People

    def onboard(self, given_name, family_name):
        """An individual who is verified with images."""
        fields = {
            "product_types": ["on_ramp", "off_ramp", "global_payouts"],
            "given_name": given_name,
            "family_name": family_name,
            "country": "MX",
            "address": {"country": "MX"},
            "email": "a.b@example.com",
            "phone": "+525512345678",
            "date_of_birth": "1990-02-28",
            "document": {"type": "curp", "number": "XEXX010101HNEXXXA4"},
            "idv_consent_recorded_at": "2026-01-15T11:00:00Z",
        }
        person = self.call("POST", "/v1/individuals", fields)
        for _ in range(3):
            if person["status"] != "action_required":
                break
            self.upload(person)
            self.sleep(5)
            person = self.call("GET", f"/v1/individuals/{person['id']}")
        if person["status"] == "rejected":
            self.on_rejected(person)
        return person["id"]

    def upload(self, person):
        """Upload the sides that are asked for, or all when none is named."""
        codes = [detail["code"] for detail in person["status_details"]]
        sides = [SIDES[code] for code in codes if code in SIDES]
        images = [{"type": side, "content": PICTURE} for side in sides or SIDES.values()]
        path = f"/v1/individuals/{person['id']}/verification_images"
        self.call("POST", path, {"images": images})

    def on_rejected(self, person):
        """Tell somebody."""

    def add_account(self, person, kind, details):
        """A financial account of an individual."""
        fields = {"individual_id": person, "type": kind, "details": details}
        return self.call("POST", "/v1/financial_accounts", fields)["id"]

    def add_bank(self, person):
        """The bank account."""
        return self.add_account(person, "bank_account", {"clabe": "002010077777777771"})

    def add_wallet(self, person):
        """The crypto wallet, which an off-ramp needs first."""
        address = "0x52908400098527886E0F7030069857D2E4169EE7"
        return self.add_account(person, "crypto_wallet", {"address": address, "network": "base"})

    # Orders

    def key_of(self, reference):
        """The key of an order, which is the same in every process."""
        return str(uuid.uuid5(NAMESPACE, reference))

    def pay(self, reference, account, amount, currency="usd", **terms):
        """Pay, once per reference."""
        fields = {
            "client_reference_id": reference,
            "source_amount": amount,
            "source_currency": currency,
            "destination_currency": "mxn",
            "financial_account": {"id": account},
            "payout_method": "spei",
            **({"source_network": "base"} if currency == "usdc" else {}),
            **terms,
        }
        transfer = self.call("POST", "/v1/transfers", fields, key=self.key_of(reference))
        self.known[transfer["id"]] = transfer
        return transfer["id"]

    def follow(self, transfer_id):
        """Poll a transfer until its status is final, or unknown."""
        for _ in range(8):
            transfer = self.call("GET", f"/v1/transfers/{transfer_id}")
            self.known[transfer["id"]] = transfer
            if transfer.get("status") in FINAL:
                break
            self.sleep(1)
        return transfer

    def recover(self, reference, account, amount):
        """Find out a day later whether an order was paid: only the list can tell."""
        rows = [row for row in self.transfers() if row["client_reference_id"] == reference]
        return rows[0]["id"] if rows else None

    def pay_quoted(self, reference, account, amount, pause):
        """Pay at a quoted rate; a quote that has expired is replaced."""
        terms = {
            "financial_account": {"id": account},
            "payout_method": "spei",
            "source_currency": "usd",
            "destination_currency": "mxn",
            "source_amount": amount,
        }
        quote = self.call("POST", "/v1/quotes", terms)
        pause()
        for _ in range(2):
            fields = {"quote_id": quote["id"], "client_reference_id": reference}
            try:
                return self.call("POST", "/v1/transfers", fields, key=self.key_of(reference))
            except ServiceError as error:
                if error.status != 422:
                    raise
                quote = self.call("POST", "/v1/quotes", terms)
        return None

    def open_account(self, person, wallet, reference):
        """A conversion account; after a 202 it is polled."""
        fields = {
            "individual_id": person,
            "source_currency": "mxn",
            "payout_account": {"id": wallet},
            "client_reference_id": reference,
        }
        path = "/v1/conversion_accounts"
        account = self.call("POST", path, fields, key=self.key_of(reference))
        for _ in range(10):
            if account["status"] != "pending":
                break
            self.sleep(5)
            account = self.call("GET", f"{path}/{account['id']}")
        return account["id"]

    def deposit(self, account, amount, currency, sender_name):
        """A sandbox deposit."""
        fields = {"conversion_account_id": account, "amount": amount, "currency": currency}
        self.call("POST", "/v1/sandbox/deposits", fields | {"sender_name": sender_name})

    # Lists and events

    def transfers(self):
        """Every transfer."""
        return self.read_list("/v1/transfers")

    def conversions(self):
        """Every conversion."""
        return self.read_list("/v1/conversions")

    def read_list(self, path):
        """Every row; a cursor that is refused leads back to the first page."""
        rows, query = {}, {"limit": 50}
        for _ in range(20):
            try:
                page = self.call("GET", path, **query)
            except ServiceError as error:
                if error.status != 400 or "cursor" not in query:
                    raise
                query = {"limit": 50}
                continue
            rows |= {row["id"]: row for row in page["data"]}
            if not page["has_next_page"]:
                break
            query["cursor"] = page["cursor"]
        return [*rows.values()]

    def subscribe(self, url):
        """Subscribe to the events of transfers."""
        names = ("created", "funded", "payout_initiated", "completed", "failed", "expired")
        types = [f"transfer.{name}" for name in names]
        self.call("POST", "/v1/webhook_subscriptions", {"url": url, "event_types": types})

    def handle(self, event):
        """Take any event, and read its object instead of believing it."""
        kind = event["event_type"]
        if kind.startswith("transfer."):
            transfer_id = event["event_payload"]["id"]
            self.known[transfer_id] = self.call("GET", f"/v1/transfers/{transfer_id}")
        return 200
