"""The requests that the verifier accepts, and each reason for a refusal."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from time import perf_counter

import pytest

SORTED = ["host", "x-api-key", "x-content-sha256", "x-date", "x-nonce"]
NOW = datetime(2026, 1, 31, 9, 30, 0, 123_000, tzinfo=UTC)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"method": "GET", "query": "", "body": b""},
        {"method": "get"},
        {"body": "María González Hernández".encode()},
        {"body": bytes(range(256))},
        {"path": "/"},
        {"path": "//v1//x/"},
        {"path": "/v1/a+b"},
        {"path": "/v1/a%2Fb%2f../c;d:e"},
        {"path": "/v1/María"},
        {"query": "a+b%20c=%2B"},
        {"query": "="},
        {"query": "?&&"},
        {"query": "a=1&a=2&A=3"},
        {"query": "nombre=González"},
        {"headers": {"x-nonce": None}},
        {"headers": {"x-nonce": ""}},
        {"headers": {"x-nonce": "n" * 1_000_000}},
        {"headers": {"host": ""}},
        {"headers": {"idempotency-key": "1", "content-type": "application/json"}},
        {"headers": {"x-name": "María"}},
        {"headers": {"x-name": "María"}, "encoding": "latin-1"},
        {"headers": {"x-name": "a : b;c=d, e"}},
        {"names": SORTED[::-1]},
        {"names": ["host", "x-api-key", "x-date", "x-content-sha256", "x-nonce"]},
    ],
)
def test_a_request_that_is_signed_as_the_spec_says_is_accepted(signed, check, change):
    """A request that is signed as the spec says is accepted."""
    assert check(signed(**change)) is None


def test_a_space_after_the_commas_of_authorization_is_accepted(signed, check, resent):
    """A space after the commas of Authorization is accepted."""
    request = signed()
    spaced = request.headers["authorization"].replace(",", ", ")
    assert check(resent(request, authorization=spaced)) is None


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("authorization", "Authorization"),
        ("host", "Host"),
        ("x_api_key", "X-API-Key"),
        ("x_date", "X-Date"),
        ("x_content_sha256", "X-Content-SHA256"),
        ("x_nonce", "X-Nonce"),
    ],
)
def test_a_missing_header_that_is_signed_or_required_is_refused_by_name(
    signed, check, resent, name, spelled
):
    """A missing header that is signed or required is refused by name."""
    refusal = check(resent(signed(), **{name: None}))
    assert (refusal.reason, refusal.mistake) == ("missing-header", "missing-header")
    assert refusal.message == f"{spelled} is missing: send and sign it"


@pytest.mark.parametrize("name", SORTED)
def test_each_of_these_headers_must_be_signed_if_it_is_sent_x_nonce_included(signed, check, name):
    """Each of these headers must be signed if it is sent, X-Nonce included."""
    refusal = check(signed(names=[each for each in SORTED if each != name]))
    assert (refusal.reason, refusal.mistake) == ("unsigned-header", "missing-header")
    assert refusal.message.lower().startswith(f"{name} is sent but not signed: add it")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Bearer abc",
        "HMAC-SHA256 Credential=key_sandbox_4f2a",
        "hmac-sha256 Credential=k,SignedHeaders=host,Signature=x",
        "HMAC-SHA256 Credential=,SignedHeaders=host,Signature=x",
        "HMAC-SHA256 Credential=k,SignedHeaders=,Signature=x",
        "HMAC-SHA256 Credential=k,SignedHeaders=host;;x-date,Signature=x",
        "HMAC-SHA256 Credential=k,SignedHeaders=host; x-date,Signature=x",
        "HMAC-SHA256 Credential=k,SignedHeaders=host,Signature=",
        "HMAC-SHA256 Credential=k,SignedHeaders=host,Signature=a b",
        "HMAC-SHA256 Credential=k,SignedHeaders=host,Signature=x\n",
        "HMAC-SHA256 Signature=x,SignedHeaders=host,Credential=k",
        "\x00",
        "é" * 100_000,
    ],
)
def test_a_malformed_authorization_is_refused_with_a_message_that_shows_the_right_form(
    signed, check, resent, line
):
    """A malformed Authorization is refused with a message that shows the right form."""
    refusal = check(resent(signed(), authorization=line))
    assert refusal.reason == "malformed-authorization"
    assert "Credential=<API_KEY>,SignedHeaders=" in refusal.message


def test_a_header_that_signedheaders_lists_twice_is_refused(signed, check):
    """A header that SignedHeaders lists twice is refused."""
    refusal = check(signed(names=[*SORTED, "host"]))
    assert refusal.reason == "malformed-authorization"
    assert refusal.message == "name each header once in SignedHeaders"


def test_a_name_in_signedheaders_that_is_not_in_lower_case_is_refused(signed, check):
    """A name in SignedHeaders that is not in lower case is refused."""
    refusal = check(signed(names=["Host", *SORTED[1:]]))
    assert (refusal.reason, refusal.mistake) == ("malformed-authorization", "header-name-case")


def test_the_message_of_a_refusal_stays_short_when_a_header_name_is_very_long(signed, check):
    """The message of a refusal stays short when a header name is very long."""
    refusal = check(signed(names=[*SORTED, "n" * 100_000]))
    assert refusal.reason == "missing-header"
    assert refusal.message == f"{'n' * 60} is missing: send and sign it"


def test_an_unknown_api_key_is_refused(signed, check, resent):
    """An unknown API key is refused, and so are a Credential and an X-API-Key that differ."""
    stranger = signed(headers={"x-api-key": "key_other"})
    assert check(stranger).message == "Credential and X-API-Key differ: both are the API key"
    line = stranger.headers["authorization"].replace("key_sandbox_4f2a", "key_other")
    refusal = check(resent(stranger, authorization=line))
    assert refusal.reason == "unknown-key"
    assert "check key and base URL" in refusal.message


@pytest.mark.parametrize(
    "text",
    [
        *("", "now", "1769851800", "2026-01-31", "2026-13-31T09:30:00Z", "31/01/2026 09:30"),
        *("2026-01-31T09:30:00.123+99:00", "0001-01-01T00:00:00+14:00", "é" * 10_000),
        *("9999-12-31T23:59:59-14:00", "2026-02-30T09:30:00Z", "2026-01-31T9:30:00Z"),
        *("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.12Z", "2026-01-31T09:30:00.123456Z"),
        *("2026-01-31 09:30:00.123Z", "2026-01-31T09:30:00.123", "2026-01-31t09:30:00.123z"),
        *("2026-01-31T09:30:00,123Z", "2026-01-31T09:30:00.123+00:00", "20260131T093000.123Z"),
        *("2026-02-30T09:30:00.123Z", "2026-01-31T24:30:00.123Z", "0000-01-31T09:30:00.123Z"),
        *("2026-01-31T09:30:60.000Z", "2026-01-31T09:30:00.123Z\n", "2026-01-31T09:30:00.123 Z"),
        *("٢٠٢٦-01-31T09:30:00Z", "2026-01-31T25:00:00Z", "Sat, 31 Jan 2026 09:30:00 GMT"),
    ],
)
def test_a_date_in_another_format_is_refused_with_a_short_message(signed, check, text):
    """A date in another format is refused with a short message."""
    refusal = check(signed(headers={"x-date": text}))
    assert refusal.reason == "unreadable-date"
    assert refusal.message.startswith("X-Date must be UTC in ISO 8601 with milliseconds")
    assert len(refusal.message) < 200


@pytest.mark.parametrize("seconds", [-300, -299.999, 0, 299.999, 300])
def test_a_date_up_to_300_before_or_after_the_service_clock_is_accepted(signed, check, seconds):
    """A date up to 300 s before or after the service's clock is accepted."""
    request = signed()
    assert check(request, now=moved(seconds)) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (300.001, "301 s behind"),
        (-300.001, "301 s ahead of"),
        (3600, "3600 s behind"),
        (-21600, "21600 s ahead of"),
    ],
)
def test_the_refusal_of_a_stale_date_says_by_how_many_seconds(signed, check, seconds, words):
    """The refusal of an older or later date says by how many seconds it is behind or ahead."""
    refusal = check(signed(), now=moved(seconds))
    assert (refusal.reason, refusal.mistake) == ("stale-date", "stale-date")
    assert refusal.message.startswith(f"X-Date is {words} the service's clock, 300 s are allowed")


def moved(seconds):
    """The service's clock, this many seconds after the request was signed."""
    return NOW + timedelta(seconds=seconds)


def test_a_nonce_that_was_used_before_is_refused(signed, check):
    """A nonce that was used before is refused; a new one or none is accepted."""
    nonce = "1769851800123004217"
    assert check(signed(), nonces={nonce}).reason == "nonce-reused"
    assert check(signed(), nonces={"another"}) is None
    assert check(signed(headers={"x-nonce": None}), nonces={nonce, ""}) is None
    assert check(signed(headers={"x-nonce": ""}), nonces={""}).reason == "nonce-reused"


def test_the_signature_is_checked_before_the_nonce_so_a_wrong_signature_is_the_reason(
    signed, check
):
    """The signature is checked before the nonce, so a wrong signature is the reason."""
    refusal = check(signed(secret="another"), nonces={"1769851800123004217"})
    assert refusal.reason == "signature"


@pytest.mark.parametrize(
    ("claimed", "mistake", "words"),
    [
        ("", None, "must be 64 lower-case hex digits"),
        ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", None, "must be 64 lower-case hex digits"),
        ("é", None, "must be 64 lower-case hex digits"),
        ("0" * 64, "body-changed", "is not the hash of the body that arrived"),
        (hashlib.sha256(b"other").hexdigest(), "body-changed", "is not the hash of the body that"),
    ],
)
def test_a_malformed_body_hash_and_the_hash_of_another_body_are_refused(
    signed, check, claimed, mistake, words
):
    """A malformed body hash and the hash of another body are refused."""
    refusal = check(signed(headers={"x-content-sha256": claimed}))
    assert (refusal.reason, refusal.mistake) == ("body-hash", mistake)
    assert words in refusal.message


@pytest.mark.parametrize("signature", ["x", "é", "=" * 100_000, "\ud800"])
def test_text_that_is_no_signature_is_refused_without_a_named_mistake(
    signed, check, resent, signature
):
    """Text that does not have the form of a signature is refused without a named mistake."""
    line = signed().headers["authorization"].partition("Signature=")[0] + f"Signature={signature}"
    refusal = check(resent(signed(), authorization=line))
    assert (refusal.reason, refusal.mistake) == ("signature", None)
    assert "line by line" in refusal.message


def test_a_very_long_request_with_a_wrong_signature_is_refused_within_a_second(signed, check):
    """A very long request with a wrong signature is refused within a second."""
    request = signed(query="&".join(f"q{n}=1" for n in range(100_000)), secret="another")
    started = perf_counter()
    assert check(request).reason == "signature"
    assert perf_counter() - started < 1
