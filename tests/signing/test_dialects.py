"""The settings in [signing], with requests that are signed by the independent service."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from independent_service import sign

from paylab.signing import ReceivedRequest, SignedRequest, compare, key_bytes, verify
from paylab.spec.service import Service

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
KEY, HOST = "key_live_1234", "localhost"
SECRETS = {
    "utf-8": "s3cr3t/with+signs=",
    "hex": "00ff7f" * 10,
    "base64": base64.b64encode(b"\x00\xff key").decode(),
}


def judged(service, encoding="utf-8", off=0, **step):
    """Verify a GET without a query; return the mistake or else the reason, None if accepted."""
    own = {"encoding": "text" if encoding == "utf-8" else encoding, **step}
    signed = sign(KEY, SECRETS[encoding], "GET", "/v1/x", now=NOW.timestamp() + off, **own)
    headers = {name.lower(): value for name, value in signed.items()}
    asked = ReceivedRequest("GET", "/v1/x", "", headers)
    found = verify(asked, {KEY: SECRETS[encoding]}.get, NOW, signing=service.signing)
    return found and (found.mistake or found.reason)


@pytest.mark.parametrize(
    ("settings", "step", "wrong"),
    [
        ({}, {}, None),
        ({}, {"empty_query": "blank"}, "blank-query-line"),
        ({"signing.empty_query": "blank"}, {"empty_query": "blank"}, None),
        ({"signing.empty_query": "blank"}, {}, "no-query-line"),
        ({"signing.key_encoding": "hex"}, {"encoding": "hex"}, None),
        ({"signing.key_encoding": "base64"}, {"encoding": "base64"}, None),
        ({}, {"encoding": "hex"}, "key-decoded"),
        ({}, {"off": 299}, None),
        ({"signing.tolerance": 60}, {"off": 61}, "stale-date"),
        ({"signing.tolerance": 900}, {"off": -899}, None),
        ({}, {"nonce": False}, None),
        ({"signing.nonce": "required"}, {"nonce": False}, "missing-header"),
        ({"signing.nonce": "required"}, {}, None),
    ],
)
def test_dialects(settings, step, wrong):
    """A request in the service's dialect is accepted; for another the mistake is named."""
    assert judged(Service(settings), **step) == wrong


def test_compare_follows_the_dialect():
    """A comparison uses the signing settings of the service."""
    signed = sign(KEY, SECRETS["utf-8"], "GET", "/v1/x", now=NOW.timestamp(), empty_query="blank")
    request = SignedRequest("GET", f"https://{HOST}/v1/x", b"")
    blank = Service({"signing.empty_query": "blank"}).signing
    assert compare(signed, request, SECRETS["utf-8"], now=NOW, signing=blank).match
    assert compare(signed, request, SECRETS["utf-8"], now=NOW).mistake == "blank-query-line"


def test_a_secret_in_another_encoding():
    """A secret that is not valid in the key encoding is an error that does not show it."""
    with pytest.raises(ValueError, match="is not hex text") as caught:
        key_bytes("nothing hex", "hex")
    assert "nothing" not in str(caught.value)
