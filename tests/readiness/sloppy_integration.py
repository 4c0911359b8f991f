"""The careful integration with sixteen mistakes of another kind, each where it seems to help."""

from __future__ import annotations

import contextlib
import hashlib
import json
from datetime import timedelta

import httpx
from good_integration import PICTURE, GoodIntegration, ServiceError


class SloppyIntegration(GoodIntegration):
    """Sixteen mistakes; `SLOPPY` in the test names the items that they break."""

    def __init__(self, stage):
        super().__init__(stage)
        self.dated_at = self.now()
        self.newest = {}
        self.marks = set()
        self.is_escaped = False

    def sign(self, method, target, body):
        """1: one date for half a minute, 2: the hash of a body before its letters are escaped."""
        clock = self.now
        if clock() - self.dated_at > timedelta(seconds=30):
            self.dated_at = clock()
        self.now = lambda: self.dated_at
        try:
            readable = json.dumps(json.loads(body), ensure_ascii=False).encode() if body else b""
            return super().sign(method, target, readable if self.is_escaped else body)
        finally:
            self.now = clock

    def nonce(self):
        """A nonce that was never used."""
        return hashlib.sha256(f"{next(self.count)}".encode()).hexdigest()[:19]

    def attempt(self, method, target, body, key):
        """3: an order whose answer was lost is sent again without its key."""
        try:
            return super().attempt(method, target, body, key)
        except (httpx.ReadError, httpx.RemoteProtocolError):
            if key is None:
                raise
            return super().attempt(method, target, body, None)

    def call(self, method, path, fields=None, key=None, **query):
        """4: a second is enough after a 429, 5: half a second, always, after a failure."""
        sleep = self.sleep
        naps = []

        def nap(seconds):
            naps.append(seconds)
            sleep(1 if naps == [2] else 0.5)

        self.sleep = nap
        try:
            return super().call(method, path, fields, key, **query)
        finally:
            self.sleep = sleep

    # People

    def onboard(self, given_name, family_name):
        """Without accents if the service does not like them."""
        self.is_escaped = True
        with contextlib.suppress(ServiceError):
            if not f"{given_name}{family_name}".isascii():
                fields = {"given_name": given_name, "family_name": family_name, "country": "MX"}
                body = json.dumps(fields).encode()
                self.attempt("POST", "/v1/individuals", body, None)
        self.is_escaped = False
        return super().onboard(given_name, family_name)

    def upload(self, person):
        """6: the back side first, which nobody asked for."""
        path = f"/v1/individuals/{person['id']}/verification_images"
        images = [{"type": "document-back", "content": PICTURE}]
        self.call("POST", path, {"images": images})
        super().upload(person)

    # Orders

    def pay(self, reference, account, amount, currency="usd", **terms):
        """7: thousandths of a dollar, 8: another key for another amount of the same order."""
        if reference == "order-1":
            with contextlib.suppress(ServiceError):
                super().pay("order-1", account, "9.999")
            super().pay("order-1", account, "9.99", **terms)
            self.key_of = lambda text: GoodIntegration.key_of(self, text + "-new")
            try:
                return super().pay("order-1", account, amount)
            finally:
                del self.key_of
        return super().pay(reference, account, amount, currency, **terms)

    def open_account(self, person, wallet, reference):
        """9: the reference is the key; where that is refused, the usual key."""
        fields = {
            "individual_id": person,
            "source_currency": "mxn",
            "payout_account": {"id": wallet},
        }
        with contextlib.suppress(ServiceError):
            self.call("POST", "/v1/conversion_accounts", fields, key=reference)
        return super().open_account(person, wallet, reference)

    def deposit(self, account, amount, currency, sender_name):
        """10: a cent more than the cap, just to see."""
        with contextlib.suppress(ServiceError):
            super().deposit(account, "50.01", currency, sender_name)
        super().deposit(account, amount, currency, sender_name)

    # Lists and events

    def conversions(self):
        """11: the API key in the query."""
        with contextlib.suppress(ServiceError):
            self.call("GET", "/v1/conversions", api_key="mine")
        return super().conversions()

    def read_list(self, path):
        """12: the filter is on the first page only, 13: a cursor that is refused is tried again."""
        query = {"limit": 50, "product_type": "global_payouts"} if "transfers" in path else {}
        rows = {}
        for _ in range(20):
            try:
                page = self.call("GET", path, **query)
            except ServiceError:
                page = self.call("GET", path, **query)
            rows |= {row["id"]: row for row in page["data"]}
            if not page["has_next_page"]:
                break
            query = {"limit": 50, "cursor": page["cursor"]}
        return [*rows.values()]

    def handle(self, event):
        """14: a duplicate is a conflict, 15: what is unknown and 16: what is old is refused."""
        payload = event["event_payload"]
        mark = json.dumps([event["event_type"], payload["status"], payload["id"]])
        if mark in self.marks:
            return 409
        is_old = payload["updated_at"] < self.newest.get(payload["id"], "")
        if is_old or event["event_type"] == "transfer.reversed":
            return 400
        self.newest[payload["id"]] = payload["updated_at"]
        self.marks.add(mark)
        return super().handle(event)
