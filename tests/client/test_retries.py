"""Retries: which requests are sent again, when and how often."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from uuid import UUID

import httpx
import pytest

from paylab import errors
from paylab.client.decoding import TooLargeError
from paylab.client.retries import (
    WAIT_SECONDS_MAX,
    backoff,
    requested_wait,
    retry_after,
    wait_advice,
)
from paylab.spec.service import Service
from paylab.spec.service.limits import RateLimitSettings

NOW = datetime(2026, 1, 31, 9, 30, 0, 123000, tzinfo=UTC)
ACCOUNT = ("ind_1", "fa_1", "mxn")
TIMEOUT, RESET = httpx.ReadTimeout("slow"), httpx.ReadError("reset")
CUT = httpx.RemoteProtocolError("peer closed connection")


@pytest.mark.parametrize("trouble", [TIMEOUT, RESET, CUT, httpx.ConnectError("no"), 429, 500, 503])
def test_a_get_is_sent_again(scripted, trouble):
    """A GET is repeated after a lost connection, a timeout, a 429 or a 5xx."""
    client, script = scripted(trouble, trouble, {"id": "tr_1"})
    assert client.transfers.get("tr_1").id == "tr_1"
    assert len(script.requests) == 3
    assert [call.attempt for call in client.calls] == [1, 2, 3]


@pytest.mark.parametrize("trouble", [TIMEOUT, RESET, CUT, httpx.ConnectError("no"), 429, 500])
def test_an_idempotent_post_is_sent_again_with_its_key(scripted, trouble):
    """Each attempt has a new nonce and signature, and the same key and bytes."""
    client, script = scripted(trouble, trouble, {"id": "tr_1"})
    assert client.transfers.create(quote_id="qt_1").id == "tr_1"
    assert len(set(script.sent("x-nonce"))) == len(set(script.sent("authorization"))) == 3
    assert len(set(script.sent("idempotency-key"))) == 1
    assert len({request.content for request in script.requests}) == 1


def test_each_attempt_has_its_own_date(scripted):
    """The clock is read again for every attempt."""
    seconds = count()
    client, script = scripted(
        500, {"id": "tr_1"}, clock=lambda: NOW + timedelta(seconds=next(seconds))
    )
    client.transfers.get("tr_1")
    first, second = script.sent("x-date")
    assert first < second
    assert client.calls[0].elapsed > 0


def test_the_key_is_a_uuid_of_version_4(scripted):
    """Each call gets its own Idempotency-Key, a UUID of version 4."""
    client, script = scripted({"id": "ca_1"}, {"id": "ca_2"})
    client.conversion_accounts.create(*ACCOUNT)
    client.conversion_accounts.create(*ACCOUNT)
    first, second = script.sent("idempotency-key")
    assert first != second
    assert str(UUID(first)) == first
    assert UUID(first).version == 4


def test_a_key_that_is_given_is_used(scripted):
    """The caller's key is sent unchanged."""
    client, script = scripted({"id": "ca_1"})
    key = "7f0c1f0e-8d6b-4e0e-9d57-0d8d7f4b2a11"
    client.conversion_accounts.create(*ACCOUNT, idempotency_key=key)
    assert script.sent("idempotency-key") == [key]


@pytest.mark.parametrize("key", ["", "short", "7f0c1f0e8d6b4e0e9d570d8d7f4b2a11", "x" * 36])
def test_a_key_that_is_no_uuid_is_not_sent(scripted, key):
    """A key that is not a UUID raises RuleError; the service would answer it with 400."""
    client, _ = scripted()
    with pytest.raises(errors.RuleError, match="UUID of 36 characters"):
        client.conversion_accounts.create(*ACCOUNT, idempotency_key=key)


@pytest.mark.parametrize("key", ["clé", "a\nb"])
def test_a_key_that_is_no_header_is_not_sent(scripted, key):
    """`request` raises RuleError for a key that cannot be a header value."""
    client, _ = scripted()
    with pytest.raises(errors.RuleError, match="printable ASCII"):
        client.request("POST", "/v1/transfers", json={}, idempotency_key=key)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422])
def test_a_refusal_is_not_sent_again(scripted, status):
    """A POST refused with 4xx is not repeated; after a 401, a GET tries another dialect."""
    client, script = scripted(status, 401)
    with pytest.raises(errors.error_class_of_status(status)):
        client.conversion_accounts.create(*ACCOUNT)
    assert [request.method for request in script.requests] == ["POST", "GET"][: 1 + (status == 401)]


def test_a_client_of_another_service_asks_nothing_on_its_own(scripted):
    """`with_service` gives a client that tries no dialect after a 401; it has the same calls."""
    client, script = scripted(401, {"id": "tr_1"})
    other = client.with_service(Service({"paths.transfer": "/v1/payments/{id}"}))
    with pytest.raises(errors.AuthenticationError):
        other.transfers.get("tr_1")
    assert client.transfers.get("tr_1").id == "tr_1"
    paths = [request.url.path for request in script.requests]
    assert paths == ["/v1/payments/tr_1", "/v1/transfers/tr_1"]
    assert [call.status for call in client.calls] == [401, 200]


@pytest.mark.parametrize(
    "send",
    [
        lambda c: c.individuals.create(given_name="María"),
        lambda c: c.quotes.create("fa_1", payout_method="spei", source_amount="1"),
        lambda c: c.webhook_subscriptions.delete("wh_1"),
        lambda c: c.individuals.upload_images("ind_1", {"selfie": b"\x89PNG\r\n\x1a\n" * 2_000}),
    ],
)
def test_what_was_refused_as_one_too_many_is_sent_again(scripted, send):
    """A request answered 429 was not carried out, so the same bytes are sent again."""
    busy = httpx.Response(429, headers={"Retry-After": "2"})
    client, script = scripted(busy, {"id": "x", "images": []})
    send(client)
    assert script.naps == [2.0]
    assert script.requests[0].content == script.requests[1].content


@pytest.mark.parametrize("trouble", [TIMEOUT, RESET, CUT, httpx.ConnectError("no"), 500])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/individuals"),
        ("POST", "/v1/sandbox/deposits"),
        ("POST", "/v1/transfers"),
        ("DELETE", "/v1/webhook_subscriptions/wh_1"),
    ],
)
def test_a_write_without_a_key_is_not_sent_again(scripted, method, path, trouble):
    """A failed POST or DELETE without an Idempotency-Key is not sent again."""
    client, script = scripted(trouble)
    with pytest.raises(errors.PaylabError):
        client.request(method, path, json={} if method == "POST" else None)
    assert len(script.requests) == 1


def test_nothing_is_posted_again_after_a_202(scripted):
    """After a 202, waiting for the account sends only GETs."""
    pending = {"id": "ca_1", "status": "pending"}
    client, script = scripted(
        httpx.Response(202, json=pending), pending, pending, {"id": "ca_1", "status": "active"}
    )
    account = client.conversion_accounts.create(*ACCOUNT)
    assert client.conversion_accounts.wait(account.id).status == "active"
    assert [request.method for request in script.requests] == ["POST", "GET", "GET", "GET"]


@pytest.mark.parametrize(
    ("header", "naps"),
    [
        ("3", [3.0]),
        ("0", [0.0]),
        ("60", [60.0]),
        (" 2 ", [2.0]),
        ("Sat, 31 Jan 2026 09:30:10 GMT", [9.877]),
        ("Sat, 31 Jan 2026 09:00:00 GMT", [0.0]),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_honoured(scripted, status, header, naps):
    """The client waits as long as Retry-After says, in seconds or as a date."""
    busy = httpx.Response(status, headers={"Retry-After": header})
    client, script = scripted(busy, {"id": "tr_1"})
    client.transfers.get("tr_1")
    assert script.naps == pytest.approx(naps)


@pytest.mark.parametrize(
    ("header", "until"),
    [
        ("60.5", "2026-01-31T09:31:00.623Z"),
        ("3600", "2026-01-31T10:30:00.123Z"),
        ("Sun, 31 Jan 2027 09:30:00 GMT", "2027-01-31T09:30:00.000Z"),
        ("9" * 12, "the year 9999"),
        ("9" * 400, "the year 9999"),
        ("9" * 5000, "the year 9999"),
    ],
    ids=lambda each: each[:20],
)
@pytest.mark.parametrize("status", [429, 503])
def test_a_long_retry_after_ends_the_call(scripted, status, header, until):
    """A Retry-After above 60 s ends the call; the hint says until when to wait."""
    client, script = scripted(httpx.Response(status, headers={"Retry-After": header}))
    with pytest.raises(errors.APIStatusError) as caught:
        client.transfers.get("tr_1")
    assert caught.value.hint.endswith(f"the service asks not to be called again before {until}")
    assert script.naps == []


def test_a_short_timeout_leaves_time_for_the_pause_that_is_asked_for(scripted):
    """A pause that the service asks for does not count towards the timeout."""
    busy = httpx.Response(429, headers={"Retry-After": "30"})
    client, script = scripted(busy, {"id": "tr_1"})
    client.transfers.get("tr_1", timeout=0.5)
    assert script.naps == [30.0]


def test_a_payment_is_told_until_when_and_with_which_key(scripted):
    """After a 503 with a long Retry-After, the hint of a payment has the time and the key."""
    client, script = scripted(httpx.Response(503, headers={"Retry-After": "3600"}))
    with pytest.raises(errors.ServerError) as caught:
        client.transfers.create(quote_id="qt_1")
    assert "before 2026-01-31T10:30:00.123Z" in caught.value.hint
    assert script.sent("idempotency-key")[0] in caught.value.hint


@pytest.mark.parametrize(
    "date",
    [
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "Mon, 01 Jan 0001 00:00:00 +2359",
        "Sat, 31 Jan 99999 09:30:00 GMT",
        "Sat, 31 Jan 2026 09:30:00 +99999999999999",
        "Sat, 31 Jan 2026 09:30:00 -0000",
        "9" * 5000,
        "(" * 5000,
        ", " * 2500,
    ],
    ids=lambda each: each[:20],
)
def test_no_date_of_the_service_breaks_a_payment(scripted, date):
    """An invalid or unusual Date or Retry-After header does not fail a payment."""
    headers = {"Date": date, "Retry-After": date}
    client, _ = scripted(httpx.Response(201, json={"id": "tr_1"}, headers=headers))
    assert client.transfers.create(quote_id="qt_1").id == "tr_1"


@pytest.mark.parametrize("header", ["", "soon", "-5", "1e3", "٣", "Sat, 99 Jan 2026 09:30:10 GMT"])
def test_an_unreadable_retry_after_is_no_retry_after(header):
    """`retry_after` returns None for a header that cannot be read."""
    assert retry_after(header, NOW) is None


def test_backoff_has_full_jitter_under_a_growing_bound():
    """The wait is random, from 0 to a bound that doubles from 0.5 s to at most 8 s."""
    bounds = [max(backoff(n, Random(seed)) for seed in range(300)) for n in (1, 2, 3, 9)]
    assert bounds == pytest.approx([0.5, 1, 2, WAIT_SECONDS_MAX], rel=0.05)
    assert min(backoff(9, Random(seed)) for seed in range(300)) < 0.2


@pytest.mark.parametrize("retries", [0, 1, 4])
def test_after_max_retries_more_attempts_the_last_refusal_is_raised(scripted, retries):
    """After max_retries more attempts the last refusal is raised."""
    client, script = scripted(*[503] * (retries + 1), max_retries=retries)
    with pytest.raises(errors.ServerError) as caught:
        client.transfers.get("tr_1")
    assert len(script.requests) == retries + 1
    assert caught.value.call.attempt == retries + 1


@pytest.mark.parametrize(
    ("trouble", "operation", "hint"),
    [
        (TIMEOUT, "deposit", "may have been carried out: check"),
        (TIMEOUT, "transfer", r"send the same again with idempotency_key='[0-9a-f-]{36}'"),
        (httpx.ConnectError("refused"), "deposit", "nothing was sent"),
        (httpx.ConnectError("refused"), "get", r"check that \S+ is right .*paylab doctor"),
    ],
)
def test_trouble_says_whether_it_is_safe_to_send_again(scripted, trouble, operation, hint):
    """The hint says whether the request may have been carried out and what to do."""
    client, _ = scripted(trouble, max_retries=0)
    calls = {
        "deposit": lambda: client.sandbox.deposit("ca_1", "5", "mxn"),
        "transfer": lambda: client.transfers.create(quote_id="qt_1"),
        "get": lambda: client.transfers.get("tr_1"),
    }
    with pytest.raises(errors.APIConnectionError) as caught:
        calls[operation]()
    assert re.search(hint, caught.value.hint)


@pytest.mark.parametrize(
    ("trouble", "error", "words"),
    [
        (httpx.ConnectTimeout(""), errors.APITimeoutError, "no connection in time"),
        (httpx.ReadTimeout(""), errors.APITimeoutError, "no answer in time"),
        (httpx.ConnectError("Name not known"), errors.APIConnectionError, "Name not known"),
        (httpx.ReadError(""), errors.APIConnectionError, "cut off"),
        (httpx.ProxyError("407"), errors.APIConnectionError, "proxy"),
    ],
)
def test_trouble_is_told_apart(scripted, trouble, error, words):
    """Timeouts, refused and lost connections have different messages, in the call too."""
    client, _ = scripted(trouble, max_retries=0)
    with pytest.raises(error, match=words) as caught:
        client.transfers.get("tr_1")
    assert caught.value.call.status is None
    assert words in caught.value.call.error


MAY, NOT = "it may have been carried out", "nothing was sent"


@pytest.mark.parametrize(
    ("trouble", "times", "words"),
    [
        (httpx.ConnectTimeout(""), 2, NOT),
        (httpx.PoolTimeout(""), 2, NOT),
        (httpx.ConnectError("no"), 2, NOT),
        (httpx.ProxyError("407"), 2, NOT),
        (httpx.LocalProtocolError("odd"), 1, NOT),
        (httpx.UnsupportedProtocol("odd"), 1, NOT),
        (TIMEOUT, 2, MAY),
        (RESET, 2, MAY),
        (CUT, 2, MAY),
        (httpx.DecodingError("odd"), 1, MAY),
        (TooLargeError(), 1, MAY),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else None,
)
def test_a_payment_is_sent_again_where_that_may_help(scripted, trouble, times, words):
    """What is certain to fail again is sent once; the hint says whether it may have arrived."""
    client, script = scripted(trouble, trouble, max_retries=1)
    with pytest.raises(errors.PaylabError) as caught:
        client.transfers.create(quote_id="qt_1")
    assert len(script.requests) == times
    assert caught.value.hint.startswith(words)


SOON = str(int(NOW.timestamp()) + 5)


@pytest.mark.parametrize(
    ("unit", "headers", "seconds"),
    [
        ("milliseconds", {"x-wait": "1500"}, 1.5),
        ("unix_time", {"x-wait": SOON}, 4.877),
        ("unix_time", {"x-wait": "1"}, 0.0),
        ("unix_time", {"x-wait": "soon"}, None),
        ("seconds", {"x-wait": " 9 ", "retry-after": "7"}, 9.0),
        ("milliseconds", {"x-wait": "", "retry-after": "7"}, 7.0),
        ("milliseconds", {"retry-after": "7"}, 7.0),
        ("milliseconds", {}, None),
    ],
)
def test_a_service_may_say_in_its_own_way_how_long_to_wait(unit, headers, seconds):
    """The header of the settings counts in their unit; without it, Retry-After does."""
    assert requested_wait(headers, NOW, "X-Wait", unit) == (seconds and pytest.approx(seconds))


def test_retry_after_may_be_named_in_the_settings():
    """A service may count its Retry-After in milliseconds."""
    assert requested_wait({"retry-after": "1500"}, NOW, "Retry-After", "milliseconds") == 1.5
    assert requested_wait({"retry-after": ""}, NOW, "Retry-After", "milliseconds") is None


UNTIL = "the service asks not to be called again before"
IN_TWO_MINUTES = f"{UNTIL} 2026-01-31T09:32:00.000Z"


@pytest.mark.parametrize(
    ("headers", "is_rate", "told"),
    [
        ({}, True, None),
        ({"retry-after": "0"}, True, None),
        ({"retry-after": "60"}, False, "the service asks to wait 60 s"),
        ({"retry-after": "60.001"}, False, f"{UNTIL} 2026-01-31T09:31:00.124Z"),
        (
            {"retry-after": "Sat, 31 Jan 2026 09:32:00 GMT"},
            True,
            IN_TWO_MINUTES,
        ),
        ({"retry-after": "9" * 18}, True, f"{UNTIL} the year 9999"),
        ({"x-ratelimit-reset": "30"}, True, "the service asks to wait 30 s"),
        ({"x-ratelimit-reset": "30"}, False, None),
        ({"ratelimit-reset": "1769851920"}, True, IN_TWO_MINUTES),
        ({"retry-after-ms": "1500"}, True, "the service asks to wait 2 s"),
        ({"retry-after-ms": "200"}, True, "the service asks to wait 1 s"),
        ({"retry-after": "0.3"}, False, "the service asks to wait 1 s"),
        (
            {"x-ratelimit-reset": "30", "ratelimit-reset": "soon"},
            True,
            "the service asks to wait 30 s",
        ),
    ],
)
def test_how_long_to_wait_is_told_in_words(headers, is_rate, told):
    """Retry-After counts always, a reset header only in a refusal for the rate."""
    found = wait_advice(headers, NOW, RateLimitSettings(), is_rate=is_rate)
    assert found == told
