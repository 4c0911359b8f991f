"""The independent service itself: statuses, rules, pages, idempotency and its port."""

from __future__ import annotations

import ast
import hashlib
import hmac
import json
import subprocess
import sys
from decimal import Decimal
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import httpx
import independent_service
import pytest
from independent_service import DEVIATIONS, Server, Service, sign
from independent_service.__main__ import main
from independent_service.caller import DETAILS, Caller
from independent_service.money import source_for_net, terms
from independent_service.onramp import EVENTS, clabe, crc16, qr_ph

import paylab
from paylab import emvqr
from paylab.corridors.clabe import is_valid

KEY = "6f9619ff-8b86-4d11-b42d-00c04fc964ff"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
SPEI = {"payout_method": "spei", "destination_currency": "MXN", "source_amount": "100"}
FILES = sorted(Path(independent_service.__file__).parent.glob("*.py"))


@pytest.fixture
def caller(clock):
    return Caller(Service(clock=clock))


@pytest.fixture
def payout(caller):
    """The body of a transfer to a new account."""
    account = caller.account(caller.person().body).body
    return {"financial_account": {"id": account["id"]}, **SPEI}


@pytest.fixture
def funded(caller, clock):
    """A function that returns the body of a conversion account for an active individual."""

    def made(country):
        person = caller.person(country, "on_ramp").body
        caller.images(person, "document-front", "document-back", "selfie")
        clock.now += 1
        wallet = caller.account(person, "crypto_wallet").body
        body = {"individual_id": person["id"], "payout_account": {"id": wallet["id"]}}
        return {**body, "source_currency": {"MX": "mxn", "PH": "php"}[country]}

    return made


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_imports_only_itself_and_the_standard_library(path):
    """The service shares no code with paylab, which it is used to test."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {each.name.split(".")[0] for each in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom) and not node.level:
            assert str(node.module).split(".")[0] in sys.stdlib_module_names


def test_an_individual_is_verified_when_every_side_is_there(caller, clock):
    """The status is action_required until all sides are uploaded, then pending, then active."""
    person = caller.person("PH", "on_ramp").body
    codes = [each["code"].split("_")[1] for each in person["status_details"]]
    assert (person["status"], codes) == ("action_required", ["front", "back", "selfie"])
    first = caller.images(person, "document-front", "selfie").body
    again = caller.images(person, "document-front").body
    assert [row["type"] for row in again["images"]] == ["selfie", "document-front"]
    assert first["images"][0]["id"] != again["images"][1]["id"]
    waiting = caller.get("get_individual", person["id"]).body
    assert [each["code"] for each in waiting["status_details"]] == [
        "verification_back_image_needed"
    ]
    assert caller.images(person, "document-back").status == 200
    seen = [caller.get("get_individual", person["id"]).body]
    clock.now += 0.05
    seen.append(caller.get("get_individual", person["id"]).body)
    assert [each["status"] for each in seen] == ["pending", "active"]
    assert "status_details" not in seen[0]
    assert caller.images(person, "selfie").status == 422
    assert caller.get("list_images", person["id"]).body["individual_id"] == person["id"]


@pytest.mark.parametrize(
    ("family_name", "status", "codes"),
    [
        ("Ejemplo", "active", None),
        ("under review", "under_review", None),
        ("Verification Image Blurry", "action_required", ["verification_image_blurry"]),
        ("Verification Age Mismatch", "rejected", ["verification_age_mismatch"]),
    ],
)
def test_a_family_name_decides_the_verification(caller, clock, family_name, status, codes):
    """The family name selects the outcome of the verification."""
    person = caller.person("MX", "off_ramp", family_name=family_name).body
    caller.images(person, "document-front", "selfie")
    clock.now += 1
    found = caller.get("get_individual", person["id"]).body
    assert found["status"] == status
    details = found.get("status_details")
    assert (details and [each["code"] for each in details]) == codes


@pytest.mark.parametrize(
    ("country", "change", "field"),
    [
        ("MX", {"given_name": None}, "given_name"),
        ("MX", {"family_name": "  "}, "family_name"),
        ("MX", {"product_types": []}, "product_types"),
        ("MX", {"product_types": ["loans"]}, "product_types"),
        ("MX", {"country": "XX"}, "country"),
        ("MX", {"address": None}, "address"),
        ("MX", {"address": {"country": "PH"}}, "address.country"),
        ("MX", {"date_of_birth": "17/05/1990"}, "date_of_birth"),
        ("MX", {"date_of_birth": "1990-02-30"}, "date_of_birth"),
        ("MX", {"document": {"type": "passport"}}, "document.type"),
        ("MX", {"document": {"type": "curp", "number": "short"}}, "document.number"),
        ("MX", {"product_types": ["on_ramp"], "phone": None}, "phone"),
        ("MX", {"product_types": ["off_ramp"], "document": None}, "document"),
        ("GB", {"product_types": ["on_ramp"], "date_of_birth": None}, "date_of_birth"),
        (
            "PH",
            {"product_types": ["on_ramp"], "idv_consent_recorded_at": None},
            "idv_consent_recorded_at",
        ),
        ("MX", {"idv_consent_recorded_at": "yesterday"}, "idv_consent_recorded_at"),
        ("CO", {"email": None}, "email"),
        ("CO", {"document": None}, "document"),
        ("IN", {"phone": None}, "phone"),
        ("IN", {"phone": "+525512345678"}, "phone"),
        ("IN", {"product_types": ["on_ramp"]}, "product_types"),
        ("BR", {"document": {"type": "cpf", "number": "123"}}, "document.number"),
        (
            "MX",
            {"financial_accounts": [{"type": "bank_account", "details": {"clabe": "1"}}]},
            "financial_accounts.0.details.clabe",
        ),
        ("MX", {"financial_accounts": [{"type": "pix"}]}, "financial_accounts.0.type"),
    ],
)
def test_a_bad_individual_is_refused_by_its_field(caller, country, change, field):
    """A bad field gets a 400 that names only this field; without the change it is a 201."""
    assert caller.person(country).status == 201
    reply = caller.person(country, **change)
    assert (reply.status, [path for path, _ in reply.problems]) == (400, [field])


@pytest.mark.parametrize(
    ("country", "account_type", "details", "field"),
    [
        ("MX", "bank_account", {"clabe": "646180110000000015"}, None),
        ("MX", "bank_account", {"clabe": "12"}, "details.clabe"),
        ("MX", "bank_account", {}, "details.clabe"),
        ("MX", "pix", {}, "type"),
        ("AR", "bank_account", {"account_number": "1" * 22, "account_type": "cbu"}, None),
        (
            "AR",
            "bank_account",
            {"account_number": "1" * 21, "account_type": "cbu"},
            "details.account_number",
        ),
        ("BR", "pix", {"pix_key": "ana@example.com", "pix_key_type": "email"}, None),
        ("BR", "pix", {"pix_key": "ana", "pix_key_type": "email"}, "details.pix_key"),
        ("IN", "upi", {"upi_id": "ana@bank"}, None),
        ("IN", "upi", {"upi_id": "ana@bank@bank"}, "details.upi_id"),
        ("IN", "upi", {"upi_id": "a" * 41 + "@bank"}, "details.upi_id"),
        ("PH", "bank_account", DETAILS["PH", "bank_account"], None),
        (
            "PH",
            "digital_wallet",
            {**DETAILS["PH", "bank_account"], "issuer": "bdo"},
            "details.issuer",
        ),
        (
            "FR",
            "bank_account",
            {
                "bank_account_country": "DE",
                "iban": "DE89370400440532013000",
                "account_holder_name": "Ana",
            },
            None,
        ),
        (
            "FR",
            "bank_account",
            {
                "bank_account_country": "GB",
                "iban": "DE89370400440532013000",
                "account_holder_name": "Ana",
            },
            "details.bank_account_country",
        ),
        (
            "GB",
            "bank_account",
            {
                "bank_account_country": "GB",
                "sort_code": "123456",
                "account_number": "12345678",
                "account_holder_name": "A",
            },
            "details.account_holder_name",
        ),
        ("US", "crypto_wallet", {"address": "0x1", "network": "base"}, None),
        ("US", "crypto_wallet", {"address": "0x1", "network": "tron"}, "details.network"),
    ],
)
def test_details_follow_their_country_and_type(caller, country, account_type, details, field):
    """Valid details get a 201; a bad field gets a 400 that names only this field."""
    person = caller.person(country).body
    body = {"individual_id": person["id"], "type": account_type, "details": details}
    reply = caller.post("create_account", body)
    assert reply.status == (400 if field else 201)
    assert ([path for path, _ in reply.problems] if field else []) == ([field] if field else [])


def test_a_wallet_cannot_be_updated(caller):
    """An update replaces the details of a bank account; the update of a wallet gets a 422."""
    person = caller.person().body
    replies = []
    for kind in ("bank_account", "crypto_wallet"):
        account = caller.account(person, kind).body
        path = f"/v1/financial_accounts/{account['id']}"
        details = {**account["details"], "clabe": "002010077777777771"}
        replies.append(caller.ask("POST", path, {"details": details}))
    assert [reply.status for reply in replies] == [201, 422]
    assert replies[0].body["details"]["clabe"] == "002010077777777771"


def test_a_quote_becomes_one_transfer(caller, payout, clock):
    """A transfer has the amounts of its quote; a used or an expired quote gets a 422."""
    quotes = [caller.post("create_quote", payout).body for _ in range(2)]
    first = caller.post("create_transfer", {"quote_id": quotes[0]["id"]})
    assert first.status == 201
    for name in ("source_amount", "destination_amount", "total_fee", "financial_account_id"):
        assert first.body[name] == quotes[0][name]
    assert caller.post("create_transfer", {"quote_id": quotes[0]["id"]}).status == 422
    clock.now += 121
    late = caller.post("create_transfer", {"quote_id": quotes[1]["id"]})
    assert (late.status, late.body["error"]) == (422, "Quote has expired")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # 0.5 % of 100 is 0.50; 99.50 x 18.25 is 1815.875, half to even 1815.88.
        ({"source_amount": "100"}, ("100.00", "99.50", "1815.88")),
        # The minimum fee is 0.50.
        ({"source_amount": "10"}, ("10.00", "9.50", "173.38")),
        ({"net_source_amount": "99.50"}, ("100.00", "99.50", "1815.88")),
        ({"destination_amount": "1815.88"}, ("100.00", "99.50", "1815.88")),
    ],
)
def test_a_quote_from_any_amount(caller, payout, given, expected):
    """A source, net or destination amount gives the expected quote."""
    body = {key: value for key, value in payout.items() if key != "source_amount"}
    found = caller.post("create_quote", {**body, **given}).body
    names = ("source_amount", "net_source_amount", "destination_amount")
    assert tuple(found[name] for name in names) == expected
    assert found["derived_source_amount"] is ("source_amount" not in given)


@pytest.mark.parametrize("net", ["0.01", "1", "99.49", "99.50", "99.51", "12345.67"])
def test_the_smallest_source_is_found(net):
    """The source amount leaves the net amount, and one cent less does not."""
    source = source_for_net(Decimal(net), "USD")
    less = terms("source_amount", source - Decimal("0.01"), "USD", "MXN")
    assert Decimal(terms("source_amount", source, "USD", "MXN")["net_source_amount"]) >= Decimal(
        net
    )
    assert Decimal(less["net_source_amount"]) < Decimal(net)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"payout_method": "pix"}, "payout_method"),
        ({"payout_method": None}, "payout_method"),
        ({"destination_currency": "PHP"}, "destination_currency"),
        ({"source_currency": "EUR"}, "source_currency"),
        ({"source_amount": 100}, "source_amount"),
        ({"source_amount": "1.001"}, "source_amount"),
        ({"source_amount": "-1"}, "source_amount"),
        ({"source_amount": None}, "source_amount"),
        ({"destination_amount": "1"}, "source_amount"),
        ({"financial_account": None}, "financial_account"),
        ({"client_reference_id": "r" * 65}, "client_reference_id"),
        ({"source_type": "deposit"}, "source_type"),
    ],
)
def test_a_bad_transfer_is_refused_by_its_field(caller, payout, change, field):
    """A bad field gets a 400 that names it, and no transfer is created."""
    reply = caller.post("create_transfer", {**payout, **change})
    assert (reply.status, [path for path, _ in reply.problems]) == (400, [field])
    assert caller.get("list_transfers").body["data"] == []


@pytest.mark.parametrize(
    ("reference", "statuses"),
    [
        (None, ["awaiting_funds", "started", "completed"]),
        ("invoice 7", ["awaiting_funds", "started", "completed"]),
        ("scenario:failed:1", ["awaiting_funds", "started", "failed"]),
        ("scenario:under_review", ["awaiting_funds", "started", "under_review"]),
        ("scenario:expired", ["awaiting_funds", "expired", "expired"]),
        ("scenario:cancelled", ["awaiting_funds", "cancelled", "cancelled"]),
    ],
)
def test_a_transfer_passes_through_its_statuses(caller, payout, clock, reference, statuses):
    """A step takes 0.05 s; only completed sets completed_in, only failed sets failure_reason."""
    change = {"client_reference_id": reference} if reference else {}
    made = caller.post("create_transfer", {**payout, **change}).body
    found = [made]
    for pause in (0.04, 0.02, 0.03, 0.03):
        clock.now += pause
        found.append(caller.get("get_transfer", made["id"]).body)
    first, second, third = statuses
    assert [each["status"] for each in found] == [first, first, second, second, third]
    for each in found:
        assert (each["completed_in"] is not None) == (each["status"] == "completed")
        assert (each["failure_reason"] is not None) == (each["status"] == "failed")


def test_an_off_ramp_needs_a_wallet_on_its_network(caller, clock):
    """An off-ramp without a wallet on its network is refused; with one it has instructions."""
    person = caller.person("MX", "off_ramp").body
    caller.images(person, "document-front", "selfie")
    clock.now += 1
    account = caller.account(person).body
    source = {"source_currency": "USDC", "source_network": "base", "source_type": "deposit"}
    body = {"financial_account": {"id": account["id"]}, **SPEI, **source}
    for wallet in ({"network": "solana"}, {}):
        refused = caller.post("create_transfer", body)
        assert refused.status == 422
        assert "has no crypto_wallet on base" in str(refused.body)
        assert caller.account(person, "crypto_wallet", **wallet).status == 201
    answer = caller.post("create_transfer", body)
    made = answer.body
    assert (answer.status, made["status"]) == (201, "awaiting_funds")
    assert made["deposit_instructions"]["payment_methods"] == ["base"]
    listed = caller.get("list_transfers", query="product_type=off_ramp").body["data"]
    assert [row["id"] for row in listed] == [made["id"]]
    assert caller.get("list_transfers", query="product_type=on_ramp").body["data"] == []
    clock.now += 0.06
    assert "deposit_instructions" not in caller.get("get_transfer", made["id"]).body


@pytest.mark.parametrize(
    ("country", "status", "first", "rail"),
    [("MX", 201, "active", "spei"), ("PH", 202, "pending", "instapay")],
)
def test_an_on_ramp_pays_out_a_deposit(caller, clock, funded, country, status, first, rail):
    """A deposit to a conversion account creates a conversion, which is completed in two steps."""
    body = funded(country)
    opened = caller.post("create_conversion_account", body)
    assert (opened.status, opened.body["status"]) == (status, first)
    assert ("deposit_instructions" in opened.body) is (first == "active")
    clock.now += 0.06
    account = caller.get("get_conversion_account", opened.body["id"]).body
    assert account["deposit_instructions"]["payment_methods"] == [rail]
    fields = {"conversion_account_id": account["id"], "currency": body["source_currency"]}
    assert caller.post("create_deposit", {**fields, "amount": "50"}).status == 201
    found = []
    for _ in range(3):
        found.append(caller.get("list_conversions").body["data"][0])
        clock.now += 0.05
    assert [each["status"] for each in found] == ["pending", "started", "completed"]
    hashes = [each["payout"]["tx_hash"] is not None for each in found]
    ends = [each["payout"]["completed_at"] is not None for each in found]
    assert (hashes, ends) == ([False, True, True], [False, False, True])
    assert found[0]["payout"]["payout_account_id"] == body["payout_account"]["id"]


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"amount": "50.01"}, 400, "at most 50"),
        ({"amount": None}, 400, "amount: Required"),
        ({"currency": "php"}, 400, "Must be mxn"),
        ({"conversion_account_id": UNKNOWN}, 404, "not found"),
        ({"conversion_account_id": None}, 400, "conversion_account_id: Required"),
    ],
)
def test_a_bad_deposit_makes_no_conversion(caller, funded, change, status, words):
    """A bad deposit is refused with a reason, and no conversion is created."""
    account = caller.post("create_conversion_account", funded("MX")).body
    body = {"conversion_account_id": account["id"], "amount": "50", "currency": "MXN"}
    reply = caller.post("create_deposit", {**body, **change})
    assert reply.status == status
    assert words in reply.body["error"]
    assert caller.get("list_conversions").body["data"] == []


@pytest.mark.parametrize(
    ("sender", "status"),
    [(None, "completed"), ("", "pending"), ("Scenario Failed", "failed"), ("Eva", "completed")],
)
def test_a_sender_decides_the_conversion(caller, clock, funded, sender, status):
    """The sender defaults to the individual; an empty one leaves the conversion pending."""
    account = caller.post("create_conversion_account", funded("MX")).body
    body = {"conversion_account_id": account["id"], "amount": "50", "currency": "mxn"}
    more = {} if sender is None else {"sender_name": sender}
    made = caller.post("create_deposit", {**body, **more}).body
    assert made["sender_name"] == ("Ana Ejemplo" if sender is None else sender)
    clock.now += 1
    assert caller.get("list_conversions").body["data"][0]["status"] == status


@pytest.mark.parametrize("limit", [1, 7, 20, 100])
def test_pages_hold_every_row_once(caller, clock, limit):
    """Pages hold every row once and newest first, also when rows are added between them."""
    caller.service.seed_transfers(43)
    before = caller.get("list_transfers", query="limit=100").body["data"]
    seen, query = [], f"limit={limit}"
    while query:
        page = caller.get("list_transfers", query=query).body
        seen += [row["id"] for row in page["data"]]
        caller.service.seed_transfers(1)
        query = f"limit={limit}&cursor={page['cursor']}" if page["has_next_page"] else ""
    assert page["cursor"] is None
    assert seen == [row["id"] for row in before]
    assert [row["created_at"] for row in before] == sorted(
        (row["created_at"] for row in before), reverse=True
    )


@pytest.mark.parametrize(
    "token", ["x", "", "bm90IGpzb24=", "W10=", "eyJkaXJlY3Rpb24iOiJ1cCIsImFmdGVyIjoiMSJ9"]
)
@pytest.mark.parametrize("operation", ["list_transfers", "list_conversions"])
def test_a_bad_cursor_has_the_documented_error(caller, operation, token):
    """A cursor that is not base64, not JSON or not of the right form gets the documented 400."""
    reply = caller.get(operation, query=f"cursor={token}")
    assert (reply.status, reply.body) == (400, {"error": "Invalid pagination token"})


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "", "1.5"])
def test_a_bad_limit_is_refused(caller, limit):
    """A limit that is not an integer from 1 to 100 gets a 400."""
    assert caller.get("list_transfers", query=f"limit={limit}").status == 400


@pytest.mark.parametrize("operation", ["create_transfer", "create_conversion_account"])
def test_a_request_with_a_key_is_carried_out_once(caller, payout, funded, operation):
    """The same request is replayed; another body gets a 409; another key makes a new object."""
    body = payout if operation == "create_transfer" else funded("MX")
    key = {"idempotency-key": KEY}
    first, again = (caller.post(operation, body, key) for _ in range(2))
    assert (first.status, again.status, again.body) == (201, 201, first.body)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert caller.post(operation, {**body, "client_reference_id": "2"}, key).status == 409
    other = caller.post(operation, body, {"idempotency-key": UNKNOWN})
    assert other.body["id"] != first.body["id"]


def test_an_error_is_not_stored_and_an_answer_is_stored_for_a_day(caller, clock, payout):
    """A key can be used again after an error, and 24 hours after a success."""
    key = {"idempotency-key": KEY}
    bad = {**payout, "payout_method": "pix"}
    assert caller.post("create_transfer", bad, key).status == 400
    first = caller.post("create_transfer", payout, key).body["id"]
    clock.now += 24 * 3600 - 1
    assert caller.post("create_transfer", payout, key).body["id"] == first
    clock.now += 2
    assert caller.post("create_transfer", payout, key).body["id"] != first


@pytest.mark.parametrize("key", ["1", "", "g" * 36, KEY.replace("-", ""), "{" + KEY[1:]])
def test_a_key_that_is_no_uuid_is_refused(caller, payout, key):
    """An idempotency key that is not a UUID with hyphens gets a 400."""
    assert caller.post("create_transfer", payout, {"idempotency-key": key}).status == 400


def test_a_202_is_not_stored(caller, funded):
    """A 202 is not replayed: a second POST with the same key creates a second account."""
    body, key = funded("PH"), {"idempotency-key": KEY}
    ids = {caller.post("create_conversion_account", body, key).body["id"] for _ in range(2)}
    assert len(ids) == 2


def test_webhook_subscriptions(caller):
    """A subscription can be created, listed, read and deleted; a bad one gets a 400."""
    body = {"url": "https://example.com/hook", "event_types": ["transfer.completed"]}
    made = caller.post("create_subscription", body)
    assert (made.status, made.body["is_active"]) == (201, True)
    key = made.body["id"]
    assert caller.get("list_subscriptions").body == [made.body]
    assert caller.get("get_subscription", key).body == made.body
    path = f"/v1/webhook_subscriptions/{key}"
    assert [caller.ask("DELETE", path).status for _ in range(2)] == [204, 404]
    for change in ({"url": "http://example.com"}, {"event_types": []}, {"event_types": ["x"]}):
        assert caller.post("create_subscription", {**body, **change}).status == 400


@pytest.mark.parametrize(
    ("method", "target", "body", "headers", "status"),
    [
        ("GET", "/v1/nowhere", None, {}, 404),
        ("DELETE", "/v1/transfers", None, {}, 405),
        ("POST", "/v1/quotes", b"{", {}, 400),
        ("POST", "/v1/quotes", b"[]", {}, 400),
        ("POST", "/v1/quotes", b'{"source_amount": NaN}', {}, 400),
        ("POST", "/v1/quotes", b"{}", {"content-type": "text/plain"}, 415),
        ("POST", "/v1/quotes", b"{}", {"content-type": "application/json; charset=utf-8"}, 400),
        ("GET", f"/v1/transfers/{UNKNOWN}", None, {}, 404),
        ("GET", f"/v1/individuals/{UNKNOWN}", None, {}, 404),
        ("POST", f"/v1/individuals/{UNKNOWN}/verification_images", b"{}", {}, 404),
    ],
)
def test_requests_that_no_operation_accepts(caller, method, target, body, headers, status):
    """A bad path, method, body, content type or id gets the status of its row."""
    assert caller.ask(method, target, body, headers).status == status


def test_numbers_of_other_programs():
    """CLABE and CRC-16 give published values, and paylab accepts the CLABE and the QR code."""
    assert clabe("03218000011835971") == "032180000118359719"
    assert crc16(b"123456789") == 0x29B1
    assert is_valid(clabe("64618000000000042"))
    code = emvqr.parse(qr_ph("000000000042"))
    assert (code.country, code.currency, code.merchant_name) == ("PH", "PHP", "INDEPENDENT SERVICE")


def test_a_loopback_port_answers_the_same():
    """Four requests over one connection get the expected statuses, with a request id each."""
    service = Service(["request-id"])
    keys = service.api_key, service.secret_key
    body = b'{"url": "https://example.com", "event_types": ["transfer.failed"]}'
    with Server(service) as server:
        place = server.base_url.removeprefix("http://")
        connection = HTTPConnection(place, timeout=10)
        found = []

        def ask(method, target, content=b""):
            about = {"Content-Type": "application/json"}
            signed = sign(*keys, method, target, content, host=place)
            connection.request(method, target, content, {**signed, **about})
            with connection.getresponse() as answer:
                found.append(answer.status)
                assert answer.headers["X-Request-Id"]
                return answer.read()

        ask("GET", "/v1/nowhere")
        made = ask("POST", "/v1/webhook_subscriptions", body)
        ask("DELETE", "/v1/webhook_subscriptions/" + made.decode().split('"')[3])
        ask("GET", "/v1/transfers?limit=3")
        connection.close()
        assert server.environment["PAYLAB_BASE_URL"] == server.base_url
    assert found == [404, 201, 204, 200]
    assert [call.operation for call in service.calls] == [
        None,
        "create_subscription",
        "delete_subscription",
        "list_transfers",
    ]


def test_the_client_walks_an_on_ramp_and_a_payout(monkeypatch):
    """The paylab client completes an on-ramp and a payout with this service."""
    with Server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        lab = paylab.connect()
        person = lab.forms.onboarding("PH", example=True, consent=True).submit()
        lab.forms.images(person, example=True).submit()
        person = lab.individuals.wait(person.id)
        lab.forms.wallet(person, example=True).submit()
        account = lab.forms.conversion_account(person).submit()
        account = lab.conversion_accounts.wait(account.id)
        lab.forms.deposit(account).submit()
        conversion = lab.conversions.wait(conversion_account_id=account.id)
        recipient = lab.forms.recipient("MX", example=True).submit()
        quote = lab.forms.quote(recipient, amount="250").submit()
        done = lab.transfers.wait(lab.forms.quote_card(quote).submit().id)
    assert (conversion.status, done.status) == ("completed", "completed")
    carried_out = [call.status for call in server.service.calls if call.operation]
    assert set(carried_out) <= {200, 201, 202}


def test_the_command_lists_the_deviations(capsys):
    """`--list` prints one line for each deviation, beginning with its name."""
    main(["--list"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(DEVIATIONS)


def test_the_command_serves_with_deviations():
    """The printed address and keys reach a service that has the deviation."""
    command = [sys.executable, "-m", "independent_service", "--transfers", "3"]
    folder = Path(independent_service.__file__).parent.parent
    with subprocess.Popen(
        [*command, "--deviation", "envelope-names"], stdout=subprocess.PIPE, text=True, cwd=folder
    ) as process:
        lines = [process.stdout.readline().split("=", 1)[1].strip() for _ in range(3)]
        base_url, api_key, secret = lines
        place = base_url.removeprefix("http://")
        signed = sign(api_key, secret, "GET", "/v1/transfers", host=place)
        reply = httpx.get(f"{base_url}/v1/transfers", headers=signed)
        process.terminate()
    assert len(reply.json()["items"]) == 3


def test_httpx_takes_it_as_a_transport():
    """The example in the docstring of the package works."""
    service = Service()

    def answer(request):
        target = request.url.raw_path.decode()
        pairs = request.headers.multi_items()
        status, headers, body = service.handle(request.method, target, pairs, request.read())
        return httpx.Response(status, headers=headers, content=body)

    with httpx.Client(
        transport=httpx.MockTransport(answer), base_url="http://independent.test"
    ) as client:
        signed = sign(service.api_key, service.secret_key, "GET", "/v1/conversions?limit=3")
        reply = client.get("/v1/conversions?limit=3", headers=signed)
    assert reply.json() == {"data": [], "has_next_page": False, "cursor": None}


class Receiver(BaseHTTPRequestHandler):
    """Stores the headers and the body of each POST."""

    received: ClassVar[list] = []

    def do_POST(self):
        """Store the request and answer 204."""
        body = self.rfile.read(int(self.headers["content-length"]))
        self.received.append((self.headers, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Write nothing."""


@pytest.fixture
def deliveries():
    """A function that runs an on-ramp and a payout and returns the delivered events."""

    def received(*names):
        Receiver.received.clear()
        clock = [1_800_000_000.0]
        service = Service(names, clock=lambda: clock[0])
        caller = Caller(service)

        def advance():
            for _ in range(4):
                clock[0] += 0.05
                service.advance()

        url = f"http://127.0.0.1:{listener.server_address[1]}/hook?k=1"
        caller.post("create_subscription", {"url": url, "event_types": list(EVENTS)})
        person = caller.person("MX", "on_ramp", "global_payouts").body
        caller.images(person, "document-front", "selfie")
        advance()
        wallet = caller.account(person, "crypto_wallet").body
        body = {"individual_id": person["id"], "payout_account": {"id": wallet["id"]}}
        account = caller.post("create_conversion_account", {**body, "source_currency": "mxn"}).body
        body = {"conversion_account_id": account["id"], "amount": "50", "currency": "mxn"}
        caller.post("create_deposit", body)
        advance()
        bank = caller.account(person).body
        caller.post("create_transfer", {"financial_account": {"id": bank["id"]}, **SPEI})
        advance()
        service.outbox.wait()
        assert {each.status for each in service.outbox.deliveries} == {204}
        return list(Receiver.received)

    with HTTPServer(("127.0.0.1", 0), Receiver) as listener:
        thread = Thread(target=listener.serve_forever, args=(0.02,))
        thread.start()
        yield received
        listener.shutdown()
        thread.join()


def test_every_change_of_status_is_delivered_in_order(deliveries):
    """Events arrive in order, with the payload of that moment and currencies in lower case."""
    events = [json.loads(body) for _, body in deliveries()]
    assert [(each["event_type"], each["event_payload"]["status"]) for each in events] == [
        ("individual.status_changed", "pending"),
        ("individual.status_changed", "active"),
        ("conversion.created", "pending"),
        ("conversion.payout_initiated", "started"),
        ("conversion.completed", "completed"),
        ("transfer.created", "awaiting_funds"),
        ("transfer.funded", "started"),
        ("transfer.payout_initiated", "started"),
        ("transfer.completed", "completed"),
    ]
    assert [each["event_payload"].get("previous_status") for each in events[:2]] == [
        "action_required",
        "pending",
    ]
    assert "status_details" not in events[0]["event_payload"]
    assert events[2]["event_payload"]["payout"]["tx_hash"] is None
    assert events[-1]["event_payload"]["destination_currency"] == "mxn"


def test_events_in_an_envelope_and_signed(deliveries):
    """An event in an envelope has an id and other keys; a signed one has an HMAC of its body."""
    for headers, body in deliveries("events-enveloped", "events-signed"):
        event = json.loads(body)
        assert sorted(event) == ["created_at", "data", "id", "type"]
        mac = hmac.new(Service().secret_key.encode(), body, hashlib.sha256).hexdigest()
        assert headers["X-Webhook-Signature"] == f"sha256={mac}"
