"""The careful integration with fourteen mistakes, one in each method here."""

from __future__ import annotations

import contextlib
import uuid

import httpx
from good_integration import GoodIntegration, ServiceError


class FaultyIntegration(GoodIntegration):
    """Fourteen mistakes; `BROKEN` in the test names the items that they break."""

    def __init__(self, stage):
        super().__init__(stage)
        self.sent = 0
        self.late_keys = set()

    def nonce(self):
        """1: one nonce for all attempts of a request."""
        return f"{int(self.now().timestamp() * 1000)}{self.sent:06d}"

    def call(self, method, path, fields=None, key=None, **query):
        """Requests that are sent again when they should not be."""
        self.sent += 1
        again = [method, path, fields, key]
        try:
            return self.call_once(*again, **query)
        except ServiceError as error:
            # 2: a 401, 6: an unknown result without a key, 7: a conflict, 10: a stale quote.
            is_lost = error.is_unknown and key is None and method == "POST"
            if error.status in (401, 409, 422) or is_lost:
                return super().call(*again, **query)
            raise

    def call_once(self, method, path, fields, key, **query):
        """8: Retry-After is ignored, 9: failures are repeated without a pause."""
        sleep = self.sleep
        self.sleep = lambda seconds: None
        try:
            return super().call(method, path, fields, key, **query)
        finally:
            self.sleep = sleep

    def attempt(self, method, target, body, key):
        """4: another key after a timeout of its own."""
        if key in self.late_keys:
            key = str(uuid.uuid4())
        try:
            return super().attempt(method, target, body, key)
        except httpx.ReadTimeout:
            self.late_keys.add(key)
            raise

    def key_of(self, reference):
        """3: no key for conversion accounts, 5: the key of another order."""
        if reference.startswith("scenario:slow"):
            return None
        return super().key_of("order-1" if reference == "order-4" else reference)

    def open_account(self, person, wallet, reference):
        """11: posted again after a 202."""
        fields = {
            "individual_id": person,
            "source_currency": "mxn",
            "payout_account": {"id": wallet},
            "client_reference_id": reference,
        }
        path = "/v1/conversion_accounts"
        account = self.call("POST", path, fields)
        while account["status"] == "pending":
            self.sleep(40)
            with contextlib.suppress(ServiceError):
                account = self.call("POST", path, fields | {"client_reference_id": "again"})
            account = self.call("GET", f"{path}/{account['id']}")
            self.sleep(40)
        return account["id"]

    def on_rejected(self, person):
        """12: pictures again after rejected."""
        with contextlib.suppress(ServiceError):
            self.upload(person)

    def recover(self, reference, account, amount):
        """13: an amount as a number."""
        with contextlib.suppress(ServiceError):
            self.pay("order-1b", account, 13.5)
        return super().recover(reference, account, amount)

    def subscribe(self, url):
        """14: an e-mail in the address of a list."""
        with contextlib.suppress(ServiceError):
            self.call("GET", "/v1/individuals", email="a.b@example.com")
        super().subscribe(url)
