"""The signature covers the request exactly as it is sent."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections import deque
from datetime import UTC, datetime
from itertools import islice
from math import gcd
from random import Random
from types import SimpleNamespace

import httpx
import pytest

from paylab.client.request import STREAMED
from paylab.client.request_signer import NONCE_STEP, NONCE_VALUES, Nonces, request_signer
from paylab.spec.service import Service

NOW = datetime(2026, 1, 31, 9, 30, 0, 123000, tzinfo=UTC)
SECRET = b"s3cr3t/with+signs="
SIGNED = ["host", "x-api-key", "x-content-sha256", "x-date", "x-nonce"]


def sign(settings, request, service=None):
    """Sign a request for a service, with a fixed clock and a fixed seed."""
    dialect = (service or settings.service).signing
    request_signer(settings.api_key, settings.secret_key, dialect, lambda: NOW, Nonces(Random(7)))(
        request
    )


def expected(request, query_lines, body):
    """The signature computed by the steps of the spec, without paylab."""
    path = request.url.raw_path.decode().partition("?")[0]
    headers = [f"{name}:{request.headers[name]}" for name in SIGNED]
    digest = hashlib.sha256(body).hexdigest()
    lines = [request.method, path, *query_lines, *headers, ";".join(SIGNED), digest]
    hashed = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    payload = f"HMAC-SHA256\n{request.headers['x-date']}\n{hashed}".encode()
    return base64.b64encode(hmac.new(SECRET, payload, "sha256").hexdigest().encode()).decode()


@pytest.mark.parametrize(
    ("method", "path", "options", "query"),
    [
        ("GET", "/v1/transfers", {}, []),
        ("GET", "/v1/transfers", {"params": {"limit": 2, "cursor": "a b"}}, ["limit=2&cursor=a+b"]),
        ("GET", "/v1/transfers?b=%20&a=1", {}, ["b=%20&a=1"]),
        ("GET", "/v1/individuals/a%2Fb é", {}, []),
        ("POST", "/v1/individuals", {"json": {"given_name": "María González"}}, []),
        ("DELETE", "/v1/webhook_subscriptions/wh_1", {}, []),
    ],
)
def test_the_signature_covers_what_is_on_the_request_line(scripted, method, path, options, query):
    """The signature covers method, raw path and query, five headers and the body hash."""
    client, script = scripted({})
    client.request(method, path, **options)
    request = script.requests[0]
    head = f"HMAC-SHA256 Credential=key_live_1234,SignedHeaders={';'.join(SIGNED)},Signature="
    assert request.headers["Authorization"] == head + expected(request, query, request.content)


def test_the_headers_say_when_and_for_whom(scripted):
    """The headers are the host without a default port, time, key, body hash and nonce."""
    client, script = scripted({})
    client.request("GET", "/v1/transfers")
    headers = script.requests[0].headers
    assert headers["Host"] == "pay.test"
    assert headers["X-Date"] == "2026-01-31T09:30:00.123Z"
    assert headers["X-API-Key"] == "key_live_1234"
    assert headers["X-Content-SHA256"] == hashlib.sha256(b"").hexdigest()
    assert re.fullmatch(r"1769851800123\d{6}", headers["X-Nonce"])


def test_a_blank_query_line_is_signed_in_its_dialect(settings):
    """With `empty_query` "blank", a request without a query signs an empty line for it."""
    blank = Service({"signing.empty_query": "blank"})
    request = httpx.Request("GET", "https://pay.test/v1/transfers")
    sign(settings, request, blank)
    assert request.headers["Authorization"].endswith(expected(request, [""], b""))


def test_a_streamed_body_is_signed_by_the_hash_it_brings(settings):
    """The given hash of a streamed body is sent and signed, and the body is not read."""
    digest, stream = hashlib.sha256(b"abc").hexdigest(), iter([b"a", b"bc"])
    given = {STREAMED: SimpleNamespace(digest=digest)}
    request = httpx.Request("POST", "https://pay.test/v1/x", content=stream, extensions=given)
    sign(settings, request)
    assert request.headers["X-Content-SHA256"] == digest
    assert request.headers["Authorization"].endswith(f"Signature={expected(request, [], b'abc')}")
    assert list(request.stream) == [b"a", b"bc"]


def test_nonces_never_repeat_on_a_frozen_clock():
    """On a frozen clock, all suffixes are used once; then the next millisecond begins."""
    nonces = Nonces(Random(7))
    begun = [nonces.next(NOW) for _ in range(2000)]
    # As after 998,000 more, which take seconds.
    deque(islice(nonces._count, NONCE_VALUES - 2000), 0)
    again = [nonces.next(NOW) for _ in range(2000)]
    assert gcd(NONCE_STEP, NONCE_VALUES) == 1
    assert len({*begun, *again}) == 4000
    assert [int(one) + NONCE_VALUES for one in begun] == [int(one) for one in again]


def test_two_clients_start_at_different_nonces():
    """The first nonce of a client is random."""
    assert Nonces(Random(1)).next(NOW) != Nonces(Random(2)).next(NOW)
