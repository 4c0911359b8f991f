"""The third service keeps the specification, and each of its deviations can be seen."""

import http.client
import json
import re
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import SimpleQueue
from urllib.parse import urlsplit

import pytest
from third_caller import (
    ADAPTED,
    CLABE,
    KEY,
    NOW,
    OWNER,
    PAYEE,
    WALLET,
    Caller,
    follow,
    image,
    transcript,
)
from third_service import DEVIATIONS, FILL, FOLLOW, serve
from third_service.service import Service
from third_service.wire import Call

BASELINE = transcript(Service([], lambda: NOW))


@pytest.mark.parametrize("name", DEVIATIONS)
def test_deviation_can_be_seen(name):
    """With a deviation, some answer to a fixed list of requests is another one."""
    service = Service([DEVIATIONS[name]], lambda: NOW)
    assert transcript(service) != BASELINE


def test_same_answers_again():
    """Without deviations, equal requests get equal answers, and most of them succeed."""
    assert transcript(Service([], lambda: NOW)) == BASELINE
    statuses = Counter(status for status, *_ in BASELINE)
    assert statuses[200] + statuses[201] >= 34
    assert {400, 404, 409, 204} <= set(statuses)


@pytest.mark.parametrize("name", [n for n, d in DEVIATIONS.items() if d.client in {FOLLOW, FILL}])
def test_deviation_can_be_followed(name):
    """Whoever sends what a deviation wants gets a completed transfer and conversion."""
    service = follow(DEVIATIONS[name], ADAPTED.get(name, {}))
    assert {row["status"] for row in service.rows["transfer"].values()} == {"completed"}
    assert {row["status"] for row in service.rows["conversion"].values()} == {"completed"}


SENT_ANYWAY = {"quotes-source-currency"}  # what the walk sends without being told
WITH_EFFECT = [name for name, d in DEVIATIONS.items() if d.values or d.renames or name in ADAPTED]


@pytest.mark.parametrize("name", sorted({*WITH_EFFECT} - SENT_ANYWAY))
def test_deviation_has_to_be_followed(name):
    """Whoever does not send what a deviation wants does not get to the end."""
    with pytest.raises(AssertionError):
        follow(replace(DEVIATIONS[name], values={}, renames={}), {})


# The specification


@pytest.fixture
def service():
    return Service([], lambda: NOW)


@pytest.fixture
def caller(service):
    return Caller(service)


def post(caller, path, body, key=None):
    """The status and body of a POST."""
    status, _, answer = caller.send("POST", path, body, key)
    return status, answer


def activate(caller, country="MX", product="on_ramp"):
    """An active individual with a wallet, and the wallet."""
    document = {"MX": "curp", "PH": "tin", "IN": "passport"}[country]
    person = OWNER | {"country": country, "address": {}, "document": {"type": document}}
    _, person = post(caller, "/v1/individuals", person | {"product_types": [product]})
    sides = {"images": [image("document-front"), image("selfie")]}
    post(caller, f"/v1/individuals/{person['id']}/verification_images", sides)
    caller.service.advance(1)
    body = {"individual_id": person["id"], "type": "crypto_wallet", "details": WALLET}
    return person, post(caller, "/v1/financial_accounts", body)[1]


def open_account(caller, country="MX"):
    """A conversion account that is active."""
    person, wallet = activate(caller, country)
    body = {"individual_id": person["id"], "payout_account": {"id": wallet["id"]}}
    body["source_currency"] = {"MX": "mxn", "PH": "php"}[country]
    _, account = post(caller, "/v1/conversion_accounts", body)
    caller.service.advance(1)
    return caller.send("GET", f"/v1/conversion_accounts/{account['id']}")[2]


def terms_of(caller, **change):
    """The body of a payout to a new recipient in Mexico."""
    _, person = post(caller, "/v1/individuals", PAYEE)
    body = {"individual_id": person["id"], "type": "bank_account", "details": CLABE}
    _, account = post(caller, "/v1/financial_accounts", body)
    terms = {"payout_method": "spei", "source_currency": "usd", "destination_currency": "MXN"}
    return terms | {"financial_account": {"id": account["id"]}, "source_amount": "100"} | change


@pytest.mark.parametrize(("change", "word"), [
    ({"product_types": []}, "product_types"),
    ({"product_types": ["payouts"]}, "product_types"),
    ({"country": "XX"}, "country"),
    ({"given_name": " "}, "given_name"),
    ({"address": None}, "address"),
    ({"address": {"country": "BR"}}, "address.country"),
    ({"phone": None}, "phone"),
    ({"document": None}, "document"),
    ({"document": {"type": "passport"}}, "document.type"),
    ({"document": {"type": "curp", "number": "LIRR900203XDFMSS09"}}, "document.number"),
    ({"date_of_birth": "1990-02-30"}, "date_of_birth"),
    ({"idv_consent_recorded_at": "yesterday"}, "idv_consent_recorded_at"),
    ({"country": "IN", "address": {}, "email": "a@example.com"}, "product_types"),
    ({"financial_accounts": [{"type": "pix", "details": {}}]}, "financial_accounts.0.type"),
])  # fmt: skip
def test_individual_is_refused(caller, change, word):
    """An individual that the specification forbids is 400, and the answer names the field."""
    status, answer = post(caller, "/v1/individuals", OWNER | change)
    assert status == 400
    assert word in [problem["field"] for problem in answer["errors"]]


@pytest.mark.parametrize(("country", "kind", "details", "status"), [
    ("MX", "bank_account", {"clabe": "1"}, 400),
    ("AR", "bank_account", {"account_number": "1" * 22, "account_type": "cbu"}, 201),
    ("AR", "bank_account", {"account_number": "1" * 21, "account_type": "cbu"}, 400),
    ("BR", "pix", {"pix_key": "a@example.com", "pix_key_type": "email"}, 201),
    ("BR", "pix", {"pix_key": "a@example.com", "pix_key_type": "phone"}, 400),
    ("GB", "bank_account", {"bank_account_country": "GB", "sort_code": "040004",
                            "account_number": "12345678", "account_holder_name": "Rosa"}, 201),
    ("GB", "bank_account", {"bank_account_country": "GB", "sort_code": "04000",
                            "account_number": "12345678", "account_holder_name": "R"}, 400),
    ("DE", "bank_account", {"bank_account_country": "FR", "iban": "FR7630006000011234567890189",
                            "account_holder_name": "Rosa"}, 201),
    ("DE", "bank_account", {"bank_account_country": "FR", "iban": "FR76", "bic": "ABC",
                            "account_holder_name": "Rosa"}, 400),
    ("DE", "crypto_wallet", WALLET, 201),
    ("DE", "upi", {"upi_id": "a@b"}, 400),
])  # fmt: skip
def test_account_details(caller, country, kind, details, status):
    """The details of an account follow the rules of its country."""
    _, person = post(caller, "/v1/individuals", PAYEE | {"country": country, "address": {}})
    body = {"individual_id": person["id"], "type": kind, "details": details}
    assert post(caller, "/v1/financial_accounts", body)[0] == status


@pytest.mark.parametrize(("change", "status", "word"), [
    ({}, 201, "awaiting_funds"),
    ({"source_amount": 100}, 400, "must be a string"),
    ({"source_amount": "1.001"}, 400, "decimals"),
    ({"source_amount": "0"}, 400, "more than 0"),
    ({"destination_amount": "5"}, 400, "exactly one"),
    ({"payout_method": "pix"}, 400, "must be one of spei"),
    ({"destination_currency": "BRL"}, 400, "must be MXN"),
    ({"financial_account": {"id": "none"}}, 404, "not found"),
    ({"client_reference_id": "r" * 65}, 400, "at most 64"),
    ({"source_currency": "usdc"}, 400, "source_network"),
    ({"source_currency": "usdc", "source_network": "base"}, 422, "not active"),
    ({"source_type": "deposit"}, 400, "stablecoin"),
    ({"quote_id": "none"}, 404, "not found"),
])  # fmt: skip
def test_transfer(caller, change, status, word):
    """A transfer is created or refused as the specification says."""
    answer = post(caller, "/v1/transfers", terms_of(caller, **change))
    assert answer[0] == status
    assert word in json.dumps(answer[1])


@pytest.mark.parametrize(("change", "status", "word"), [
    ({}, 201, "amount"),
    ({"amount": "50.01"}, 400, "at most 50"),
    ({"currency": "php"}, 400, "must be MXN"),
    ({"amount": None}, 400, "required"),
    ({"conversion_account_id": "none"}, 404, "not found"),
])  # fmt: skip
def test_deposit(caller, change, status, word):
    """A deposit keeps the cap and the currency of its account."""
    account = open_account(caller)
    body = {"conversion_account_id": account["id"], "amount": "50", "currency": "mxn"} | change
    answer = post(caller, "/v1/sandbox/deposits", body)
    assert answer[0] == status
    assert word in json.dumps(answer[1])


@pytest.mark.parametrize(
    ("country", "statuses"), [("MX", (201, "active")), ("PH", (202, "pending"))]
)
def test_conversion_account(caller, country, statuses):
    """Instructions are there at once, or after a 202 as soon as the account is active."""
    person, wallet = activate(caller, country)
    body = {"individual_id": person["id"], "payout_account": {"id": wallet["id"]}}
    body["source_currency"] = {"MX": "mxn", "PH": "php"}[country]
    status, account = post(caller, "/v1/conversion_accounts", body)
    assert (status, account["status"]) == statuses
    assert ("deposit_instructions" in account) == (status == 201)
    caller.service.advance(1)
    account = caller.send("GET", f"/v1/conversion_accounts/{account['id']}")[2]
    assert account["deposit_instructions"]["currency"] == body["source_currency"]


def test_instructions():
    """A CLABE has its check digit, and a QR Ph text its checksum."""
    caller = Caller(Service([], lambda: NOW))
    number = open_account(caller)["deposit_instructions"]["details"]["clabe"]
    weights = (3, 7, 1) * 6
    assert (
        sum(int(d) * w % 10 for d, w in zip(number[:17], weights, strict=False)) % 10
        == (10 - int(number[17])) % 10
    )
    text = open_account(caller, "PH")["deposit_instructions"]["details"]["qrph_payload"]
    checksum = 0xFFFF
    for byte in text[:-4].encode():
        checksum ^= byte << 8
        for _ in range(8):
            checksum = (checksum << 1) ^ 0x1021 if checksum & 0x8000 else checksum << 1
            checksum &= 0xFFFF
    assert text[-4:] == f"{checksum:04X}"


def test_held_deposit(caller):
    """A deposit without the name of a sender stays pending; others complete."""
    account = open_account(caller)
    body = {"conversion_account_id": account["id"], "amount": "40", "currency": "mxn"}
    for change in ({}, {"sender_name": ""}):
        post(caller, "/v1/sandbox/deposits", body | change)
    caller.service.advance(1)
    rows = caller.send("GET", "/v1/conversions")[2]["data"]
    assert [row["status"] for row in rows] == ["pending", "completed"]
    assert [row["payout"]["tx_hash"] is None for row in rows] == [True, False]


def test_verification(caller):
    """Images are merged by side; a family name of a code ends in its status; tokens are 202."""
    names = [("Lima", "active"), ("Verification Age Mismatch", "rejected"),
             ("Verification Image Blurry", "action_required")]  # fmt: skip
    for family_name, status in names:
        _, person = post(caller, "/v1/individuals", OWNER | {"family_name": family_name})
        path = f"/v1/individuals/{person['id']}"
        for side in ("document-front", "document-front", "selfie"):
            answer = post(caller, f"{path}/verification_images", {"images": [image(side)]})
        assert [row["type"] for row in answer[1]["images"]] == ["document-front", "selfie"]
        assert caller.send("GET", path)[2]["status"] == "pending"
        caller.service.advance(1)
        assert caller.send("GET", path)[2]["status"] == status
    country = {"country": "US", "address": {}, "document": {"type": "passport"}}
    _, person = post(caller, "/v1/individuals", OWNER | country)
    path = f"/v1/individuals/{person['id']}/verification_token"
    token = {"provider": "idv_provider", "token": "t", "applicant_id": "a",
             "partner_terms_accepted_at": "2026-01-30T10:00:00Z"}  # fmt: skip
    for change, status in [({"token": " "}, 400), ({"token": "t" * 4097}, 400), ({}, 202)]:
        assert post(caller, path, token | change)[0] == status


def test_idempotency(caller):
    """A key repeats its answer for 24 hours, refuses another body, and forgets a refusal."""
    terms = terms_of(caller)
    assert post(caller, "/v1/transfers", terms | {"payout_method": "pix"}, KEY)[0] == 400
    first = caller.send("POST", "/v1/transfers", terms, KEY)
    again = caller.send("POST", "/v1/transfers", terms, KEY)
    assert (first[0], first[2]) == (again[0], again[2])
    assert again[1]["Idempotency-Replayed"] == "true"
    assert post(caller, "/v1/transfers", terms | {"source_amount": "9"}, KEY)[0] == 409
    assert post(caller, "/v1/transfers", terms, KEY[:-1])[0] == 400
    caller.service.advance(86_400)
    assert post(caller, "/v1/transfers", terms, KEY)[1]["id"] != first[2]["id"]


def test_pages(caller):
    """A walk through pages repeats and skips nothing while rows are added."""
    ids = [post(caller, "/v1/individuals", PAYEE)[1]["id"] for _ in range(5)]
    path = "/v1/individuals?limit=2"
    rows = []
    cursor = ""
    while cursor is not None:
        page = caller.send("GET", path + cursor)[2]
        rows += [row["id"] for row in page["data"]]
        post(caller, "/v1/individuals", PAYEE)
        cursor = f"&cursor={page['cursor']}" if page["has_next_page"] else None
    assert rows == ids[::-1]
    for limit, status in [("0", 400), ("101", 400), ("x", 400), ("100", 200)]:
        assert caller.send("GET", f"/v1/transfers?limit={limit}")[0] == status
    refused = caller.send("GET", "/v1/transfers?cursor=e30=")
    assert (refused[0], refused[2]) == (400, {"error": "Invalid pagination token"})


def test_deadlines(caller):
    """A quote is good for 2 minutes and once; a transfer that nobody funds expires in 24 hours."""
    terms = terms_of(caller)
    quotes = [post(caller, "/v1/quotes", terms)[1] for _ in range(2)]
    use = {"quote_id": quotes[0]["id"]}
    assert [post(caller, "/v1/transfers", use)[0] for _ in range(2)] == [201, 422]
    caller.service.advance(120)
    assert post(caller, "/v1/transfers", {"quote_id": quotes[1]["id"]})[0] == 422
    _, wallet = activate(caller, product="off_ramp")
    body = {"payout_method": "base", "source_currency": "usdc", "destination_currency": "usdc"}
    body |= {"source_network": "base", "source_type": "deposit", "source_amount": "5"}
    body["financial_account"] = {"id": wallet["id"]}
    _, transfer = post(caller, "/v1/transfers", body)
    assert transfer["deposit_instructions"]["type"] == "crypto_wallet"
    caller.service.advance(86_400)
    transfer = caller.send("GET", f"/v1/transfers/{transfer['id']}")[2]
    assert transfer["status"] == "expired"
    assert post(caller, "/v1/transfers", body | {"source_network": "solana"})[0] == 422


@pytest.mark.parametrize(("dialect", "change", "status"), [
    ({}, {}, 200),
    ({"blank_query": True}, {}, 401),
    ({"ahead": 301}, {}, 401),
    ({"ahead": -299}, {}, 200),
    ({"date": "%Y-%m-%dT%H:%M:%SZ"}, {}, 401),
    ({"nonce": None}, {}, 200),
    ({"header_order": "host;x-date;x-api-key;x-content-sha256;x-nonce"}, {}, 401),
    ({"encode": lambda mac: mac.hex()}, {}, 401),
    ({"key_bytes": bytes.fromhex}, {}, 401),
    ({}, {"x-date": "2026-01-31T09:30:00.001Z"}, 401),
    ({}, {"x-content-sha256": "0" * 64}, 401),
    ({}, {"authorization": ""}, 401),
    ({}, {"x-api-key": "other"}, 401),
])  # fmt: skip
def test_signature(service, dialect, change, status):
    """A signature is accepted when it is that of the specification."""
    caller = Caller(service, **dialect)
    assert caller.send("GET", "/v1/transfers", **change)[0] == status


def test_signed_header_order(service):
    """SignedHeaders may name the headers in any order; a nonce counts once."""
    caller = Caller(service)
    head = caller.headers("GET", "/v1/transfers", "", b"")
    names = re.search("SignedHeaders=([^,]+)", head["authorization"])[1]
    turned = ";".join(reversed(names.split(";")))
    head["authorization"] = head["authorization"].replace(names, turned)
    calls = [Call("GET", "/v1/transfers", "", head, b"") for _ in range(2)]
    assert [service.respond(call).status for call in calls] == [200, 401]


@pytest.mark.parametrize(("method", "path", "body", "status"), [
    ("GET", "/v1/nothing", None, 404),
    ("PUT", "/v1/individuals", None, 405),
    ("GET", "/v1/quotes", None, 405),
    ("POST", "/v1/individuals", [], 400),
    ("POST", "/v1/financial_accounts", {}, 400),
    ("GET", "/v1/transfers/none", None, 404),
    ("GET", "/v1/transfers?product_type=other", None, 400),
    ("POST", "/v1/webhook_subscriptions", {"url": "http://a.example/", "event_types": ["x"]}, 400),
])  # fmt: skip
def test_requests(caller, method, path, body, status):
    """Paths, methods and bodies that the service does not know are refused."""
    assert caller.send(method, path, body)[0] == status


# Over HTTP


@contextmanager
def over_http(*names):
    """A running service and a caller of it on one connection."""
    with serve(*names, now=lambda: NOW) as service:
        caller = Caller(service)
        caller.http = http.client.HTTPConnection(urlsplit(service.base_url).netloc, timeout=10)
        yield service, caller
        caller.http.close()


@pytest.mark.parametrize(("name", "status", "content"), [
    ("nulls", 201, '"given_name": "Rosa"'),
    ("created-empty", 201, ""),
    ("closed-firewall", 403, "<!DOCTYPE html>"),
    ("errors-text", 201, ""),
    ("signing-base-path", 201, ""),
    ("individuals-middle-name", 422, "middle_name can't be blank"),
    ("email-silent", 400, ""),
])  # fmt: skip
def test_over_http(name, status, content):
    """Requests over HTTP are counted, answered on one connection, and so is an empty body."""
    with over_http(name) as (service, caller):
        answer = caller.send("POST", "/v1/individuals", PAYEE)
        caller.send("GET", "/v1/individuals")
    assert answer[0] == status
    assert content in answer[2]
    path = urlsplit(service.base_url).path + "/v1/individuals"
    assert service.requests == {("POST", path): 1, ("GET", path): 1}
    assert service.created == ({"individual": 1} if status == 201 else {})
    assert answer[1]["Date"] == "Sat, 31 Jan 2026 09:30:00 GMT"


class Receiver(BaseHTTPRequestHandler):
    """Puts the events that it gets into the queue of its server."""

    def do_POST(self):
        """Take one event."""
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.events.put(event)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        """Print nothing."""


@pytest.fixture
def receiver():
    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.events = SimpleQueue()
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def test_webhooks(receiver):
    """A subscriber on this machine gets the events of a transfer, in order."""
    names = ["created", "funded", "payout_initiated", "completed"]
    events = [f"transfer.{name}" for name in names]
    url = f"http://127.0.0.1:{receiver.server_port}/"
    with serve(now=lambda: NOW) as service:
        caller = Caller(service)
        post(caller, "/v1/webhook_subscriptions", {"url": url, "event_types": events})
        post(caller, "/v1/transfers", terms_of(caller))
        service.advance(1)
        received = [receiver.events.get(timeout=10) for _ in events]
    assert [event["event_type"] for event in received] == events
    payloads = [event["event_payload"] for event in received]
    statuses = [payload["status"] for payload in payloads]
    assert statuses == ["awaiting_funds", "started", "started", "completed"]
    assert payloads[0]["source_currency"] == "usd"
    assert payloads[0]["failure_reason"] is None
