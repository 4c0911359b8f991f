"""The settings in [signing], with requests that are signed by the independent service."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from independent_service import sign
from third_caller import Caller
from third_service.service import Service as Third

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
def test_a_request_in_the_service_dialect_is_accepted(settings, step, wrong):
    """A request in the service's dialect is accepted; for another the mistake is named."""
    assert judged(Service(settings), **step) == wrong


FORMS = [
    ({"signature": "hex"}, {"encode": bytes.hex}, "raw-digest"),
    ({"signature": "base64"}, {"encode": lambda mac: base64.b64encode(mac).decode()}, "raw-digest"),
    ({"date_form": "seconds"}, {"date": "%Y-%m-%dT%H:%M:%SZ"}, "unreadable-date"),
    ({"date_form": "compact"}, {"date": "%Y%m%dT%H%M%SZ"}, "unreadable-date"),
    ({"date_form": "unix"}, {"date": "unix"}, "unreadable-date"),
    ({"nonce": "refused"}, {"nonce": None}, "unreadable-nonce"),
    ({"nonce_form": "uuid"}, {"nonce": "6f9619ff-8b86-4d11-b42d-00c04f{:06d}"}, "unreadable-nonce"),
    ({"query_order": "sorted"}, {"sorted_query": True}, "query-reordered"),
    (
        {"header_order": "sample"},
        {"header_order": "host;x-api-key;x-date;x-content-sha256;x-nonce"},
        "unsorted-headers",
    ),
    ({"signed_host": "portless"}, {"sign_port": False}, "host-differs"),
]
"""Settings, how a signer of the third service follows them, and the mistake of whoever does not."""


def refused(signing, step):
    """Why a GET of the third service's signer is refused, None if it is not."""
    signer = Caller(Third([], lambda: NOW), **step)
    headers = signer.headers("GET", "/v1/x", "limit=2&cursor=a", b"")
    received = ReceivedRequest("GET", "/v1/x", "limit=2&cursor=a", headers)
    secret = signer.service.secret_key
    return verify(received, {signer.service.api_key: secret}.get, NOW, signing=signing)


@pytest.mark.parametrize(("settings", "step", "wrong"), FORMS)
def test_each_form_is_accepted_where_it_is_set(settings, step, wrong):
    """A signer that follows a setting is accepted; one of the specification is told to follow it.

    Without the setting, the signer that follows it is refused.
    """
    signing = Service({"signing": settings}).signing
    assert refused(signing, step) is None
    problem = refused(signing, {})
    assert wrong in (problem.mistake, problem.reason)
    is_optional = "nonce" in settings or "nonce_form" in settings
    assert (refused(Service().signing, step) is None) is is_optional


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"signing.signature": "hex"}, "without Base64"),
        ({"signing.signature": "base64"}, "not its hex text"),
        ({"signing.query_order": "sorted"}, "sort the query parameters"),
        ({"signing.signed_host": "portless"}, "without its port"),
        ({"signing.header_order": "sample"}, "in the order host, x-api-key, x-date"),
    ],
)
def test_the_correction_is_that_of_the_service(settings, words):
    """A refusal says what this service wants, not what the specification does."""
    assert words in refused(Service(settings).signing, {}).message


def test_compare_follows_the_dialect():
    """A comparison uses the signing settings of the service."""
    signed = sign(KEY, SECRETS["utf-8"], "GET", "/v1/x", now=NOW.timestamp(), empty_query="blank")
    request = SignedRequest("GET", f"https://{HOST}/v1/x", b"")
    blank = Service({"signing.empty_query": "blank"}).signing
    assert compare(signed, request, SECRETS["utf-8"], now=NOW, signing=blank).match
    assert compare(signed, request, SECRETS["utf-8"], now=NOW).mistake == "blank-query-line"


@pytest.mark.parametrize(("settings", "step", "wrong"), FORMS)
def test_a_comparison_follows_each_form(settings, step, wrong):
    """The signature that a service accepts is a match, with the secret or without it."""
    signing = Service({"signing": settings}).signing
    signer = Caller(Third([], lambda: NOW), **step)
    headers = signer.headers("GET", "/v1/x", "limit=2&cursor=a", b"")
    request = SignedRequest("GET", f"https://{headers['host']}/v1/x?limit=2&cursor=a")
    for secret in (signer.service.secret_key, None):
        assert compare(headers, request, secret, now=NOW, signing=signing).match
    other_signer = Caller(Third([], lambda: NOW))
    other_headers = other_signer.headers("GET", "/v1/x", "limit=2&cursor=a", b"")
    found = compare(other_headers, request, signer.service.secret_key, now=NOW, signing=signing)
    assert wrong in (found.mistake, found.reason)


@pytest.mark.parametrize("encoding", ["hex", "base64"])
def test_a_comparison_with_a_key_that_is_not_text(encoding):
    """A signature of no known mistake is `unknown`, though the key's bytes are not UTF-8."""
    signed = sign(KEY, "another secret", "GET", "/v1/x", now=NOW.timestamp())
    request = SignedRequest("GET", f"https://{HOST}/v1/x")
    signing = Service({"signing.key_encoding": encoding}).signing
    assert (
        compare(signed, request, SECRETS[encoding], now=NOW, signing=signing).mistake == "unknown"
    )


def test_a_secret_in_another_encoding_is_an_error():
    """A secret that is not valid in the key encoding is an error that does not show it."""
    with pytest.raises(ValueError, match="is not hex text") as caught:
        key_bytes("nothing hex", "hex")
    assert "nothing" not in str(caught.value)
