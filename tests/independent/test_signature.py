"""The signatures of the independent service, compared with values of openssl (golden.sh)."""

from __future__ import annotations

import hashlib
from datetime import datetime

import pytest
from independent_service import Service, canonical_request, signature
from independent_service.caller import Caller
from independent_service.signature import key_bytes

DATE = "2026-01-31T09:30:00.123Z"
NAMES = ["host", "x-api-key", "x-content-sha256", "x-date", "x-nonce"]
UPI = '{"individual_id":"1","type":"upi","details":{"upi_id":"ana@ñ"}}'.encode()
GET = ("GET", "/v1/transfers", "", b"")
GOLDEN = [
    (
        ("GET", "/v1/transfers", "limit=3", b""),
        {},
        "Yjc1ZDlkZDU4NWM5NDZlNTFjODViZDlmZjk2YTM4YjQ5ZjU0ODUyNGM2MTk3Y2M1NWUzYmI4M2JlMzlkMjk2ZQ==",
    ),
    (
        GET,
        {},
        "ZmZhNWI3YTQzNmJjODZmNTA5YTg0Y2RkNDNmMjk1N2FiNjA1YzI5MDVjZmJjZDNmNWY0MGIxYTEwYWJjNmI0OQ==",
    ),
    (
        GET,
        {"signing.empty_query": "blank"},
        "NzUwNzA4YjJlYTM4NjExNTgyM2E3ZWY5MjgzNTIzZjE5ZTYwMDAyNWMxY2UzMGMzNDBiMmUzZDlhZmNjNTJkMQ==",
    ),
    (
        ("POST", "/v1/financial_accounts", "", UPI),
        {},
        "MTlmNGY2YWIyNGI5N2U3N2Y2ZWIwNDU4N2M1MTE4Zjc1OTBiNWQ5ZjMzNDMyOTFiMzBjZDJkZWIxMGY2NDEzNQ==",
    ),
    (
        ("GET", "/v1/transfers/a%20b", "cursor=a%3D%3D&limit=3", b""),
        {},
        "MjViNDliZTg1YzI5Y2ViMWUwYzBlYzkwMTIyM2YxNDUxZDZiMjA2YTIxNDhhZjQ2YzA1YzVhMzRkZTY1ZDBlNw==",
    ),
    (
        GET,
        {"signing.key": "hex"},
        "ZTE3MTE5YTY3YTA3NzA1NzUwYjkxMDE5NWVkMjEwNTNmNGYyZWY0NDU2MmE5Mzg2NWFhNDRmZDIzOTk2M2M1OQ==",
    ),
    (
        GET,
        {"signing.key": "base64"},
        "ZTBiZWMxNjc2MTg0YmRjZWE2OWNmNTU4ZDU5OTFjYjdkMmNiNGU2MWQzYWYyMmQyZTE4OWM5OTM4NGI2YTg4ZQ==",
    ),
]


def signed_headers(body):
    """The headers that the golden signatures cover."""
    return {
        "host": "api.example.com",
        "x-api-key": "independent-key",
        "x-content-sha256": hashlib.sha256(body).hexdigest(),
        "x-date": DATE,
        "x-nonce": "1769851800123004217",
    }


def at_the_time():
    """A clock fixed at the time of the golden signatures."""
    return datetime.fromisoformat(DATE).timestamp()


def test_the_canonical_request_is_six_parts_without_blank_lines():
    """The canonical request equals a text that is written by hand."""
    body_hash = hashlib.sha256(b"").hexdigest()
    text = canonical_request(
        "GET", "/v1/transfers", "limit=3", signed_headers(b""), NAMES[::-1], body_hash
    )
    assert text == (
        "GET\n"
        "/v1/transfers\n"
        "limit=3\n"
        "host:api.example.com\n"
        "x-api-key:independent-key\n"
        "x-content-sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n"
        "x-date:2026-01-31T09:30:00.123Z\n"
        "x-nonce:1769851800123004217\n"
        "host;x-api-key;x-content-sha256;x-date;x-nonce\n"
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )


@pytest.mark.parametrize(("request_", "settings", "golden"), GOLDEN)
def test_a_signature_is_what_openssl_computes(request_, settings, golden):
    """The signature equals openssl's; the service accepts it, and a changed one gets a 401."""
    method, path, query, body = request_
    headers = signed_headers(body)
    service = Service(settings=settings, clock=at_the_time)
    key = key_bytes(service.secret_key, service.settings["signing.key"])
    empty_query = service.settings["signing.empty_query"]
    text = canonical_request(
        method, path, query, headers, NAMES, headers["x-content-sha256"], empty_query
    )
    assert signature(key, DATE, text) == golden
    target = f"{path}?{query}" if query else path
    start = f"HMAC-SHA256 Credential=independent-key,SignedHeaders={';'.join(NAMES)},Signature="
    statuses = [
        service.handle(method, target, {**headers, "Authorization": start + value}, body)[0]
        for value in ("A" + golden[1:], golden)
    ]
    assert statuses[0] == 401
    assert statuses[1] != 401


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"authorization": ""}, "Missing or malformed Authorization"),
        ({"authorization": "Bearer abc"}, "Missing or malformed Authorization"),
        ({"x-api-key": "another"}, "Unknown API key"),
        ({"x-content-sha256": "0" * 64}, "X-Content-SHA256"),
        ({"x-date": "2026-01-31"}, "X-Date must be"),
        ({"x-date": "2026-13-31T09:30:00.123Z"}, "X-Date is not a date"),
        ({"x-date": "2020-01-31T09:30:00.123Z"}, "Request expired"),
        ({"host": "elsewhere.example.com"}, "Invalid signature"),
    ],
)
def test_a_wrong_header_is_named(clock, change, words):
    """A wrong header gets a 401 whose message says what is wrong."""
    reply = Caller(Service(clock=clock)).ask("GET", "/v1/transfers", headers=change)
    assert reply.status == 401
    assert words in reply.body["error"]


def test_a_nonce_is_used_once(clock):
    """A repeated nonce is refused; requests without a nonce are accepted."""
    service = Service(clock=clock)
    caller = Caller(service)
    same = {"x-nonce": "1"}
    assert caller.ask("GET", "/v1/transfers", headers=same).status == 401  # not the signed nonce
    sent = signed_headers(b"")
    sent["x-date"] = "2027-01-15T08:00:00.000Z"
    text = canonical_request("GET", "/v1/transfers", "", sent, NAMES, sent["x-content-sha256"])
    value = signature(service.secret_key.encode(), sent["x-date"], text)
    start = f"HMAC-SHA256 Credential=independent-key,SignedHeaders={';'.join(NAMES)},Signature="
    sent["authorization"] = start + value
    twice = [service.handle("GET", "/v1/transfers", sent)[0] for _ in range(2)]
    assert twice == [200, 401]
    assert [caller.ask("GET", "/v1/transfers", nonce=False).status for _ in range(2)] == [200, 200]
