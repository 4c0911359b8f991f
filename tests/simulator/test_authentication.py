"""Authentication: the reason of each 401, and when a nonce counts as used."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from paylab.simulator import Simulator
from paylab.simulator.credentials import UsedNonces, random_keys, seeded_keys

PATH = "/v1/transfers"


def sent(service, **changes):
    """Send a GET with some headers changed before signing."""
    return service.carry("GET", PATH, service.signed("GET", PATH, **changes), b"")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"x-date": None}, "missing-header"),
        ({"host": None}, "missing-header"),
        ({"x-api-key": None}, "missing-header"),
        ({"x-content-sha256": None}, "missing-header"),
        ({"x-api-key": "pk_other"}, "unknown-key"),
        ({"x-date": "today"}, "unreadable-date"),
        ({"x-content-sha256": "0" * 64}, "body-hash"),
        ({"x-nonce": None}, None),
    ],
)
def test_a_missing_or_invalid_signed_header_returns_a_401_with_its_reason(service, changes, reason):
    """A missing or invalid signed header returns a 401 with its reason; X-Nonce is optional."""
    answer = sent(service, **changes)
    assert answer.status == (401 if reason else 200)
    assert answer.json.get("reason") == reason


@pytest.mark.parametrize(
    "name", ["host", "x-api-key", "x-date", "x-content-sha256", "x-nonce", "authorization"]
)
def test_a_header_changed_after_signing_is_a_401(service, name):
    """A header that is changed or removed after signing returns 401."""
    headers = service.signed("GET", PATH)
    dropped = {each: value for each, value in headers.items() if each != name}
    assert service.carry("GET", PATH, headers | {name: headers[name] + "x"}, b"").status == 401
    assert service.carry("GET", PATH, dropped, b"").status == 401


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("POST", PATH, b""),
        ("GET", "/v1/individuals", b""),
        ("GET", f"{PATH}?limit=1", b""),
        ("GET", PATH, b"x"),
    ],
)
def test_another_request_than_the_one_signed_is_a_401(service, method, target, body):
    """The signature covers the method, the path, the query and the body."""
    assert service.carry(method, target, service.signed("GET", PATH), body).status == 401


@pytest.mark.parametrize(
    ("seconds", "status"), [(-300, 200), (-300.001, 401), (300, 200), (300.001, 401), (0, 200)]
)
def test_x_date_may_differ_from_the_simulator_clock_by_at_most_300_seconds(
    service, seconds, status
):
    """X-Date may differ from the simulator's clock by at most 300 seconds."""
    moment = service.now() + timedelta(seconds=seconds)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    assert sent(service, **{"x-date": text}).status == status


def test_a_nonce_is_used_once(service):
    """Repeating a request with the same nonce returns 401."""
    headers = service.signed("GET", PATH)
    answers = [service.carry("GET", PATH, headers, b"") for _ in range(2)]
    assert [answer.status for answer in answers] == [200, 401]
    assert answers[1]["reason"] == "nonce-reused"


def test_a_refused_request_leaves_its_nonce(service):
    """A bad signature does not use up the nonce; a good one does, even for a 404."""
    bad = service.signed("GET", PATH, **{"x-nonce": "7"}) | {"authorization": "x"}
    assert service.carry("GET", PATH, bad, b"").status == 401
    good = service.signed("GET", "/v1/nothing", **{"x-nonce": "7"})
    assert service.carry("GET", "/v1/nothing", good, b"").status == 404
    assert sent(service, **{"x-nonce": "7"}).status == 401


def test_a_nonce_is_forgotten_with_its_date(service):
    """A nonce can be used again after twice the tolerance, 600 seconds."""
    assert sent(service, **{"x-nonce": "7"}).status == 200
    service.advance(599)
    assert sent(service, **{"x-nonce": "7"}).status == 401
    service.advance(2)
    service.get(PATH)
    assert sent(service, **{"x-nonce": "7"}).status == 200


def test_the_signature_is_checked_before_path_method_and_body(service):
    """The signature is checked before path, method and body: 401 instead of 404, 405 or 400."""
    for method, target in (("GET", "/v1/nothing"), ("PUT", PATH), ("POST", "/v1/individuals")):
        assert service.call(method, target, b"{", authorization="x").status == 401


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json", 201),
        ("Application/JSON; charset=utf-8", 201),
        (None, 415),
        ("", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/json5", 415),
    ],
)
def test_a_body_is_declared_as_json(service, person_body, kind, status):
    """A body without the Content-Type application/json returns a 415 that names this type."""
    raw = json.dumps(person_body).encode()
    headers = service.signed("POST", "/v1/individuals", raw)
    headers |= {} if kind is None else {"content-type": kind}
    answer = service.carry("POST", "/v1/individuals", headers, raw)
    assert answer.status == status
    assert status == 201 or "application/json" in answer["error"]


def test_no_body_needs_no_content_type(service):
    """A GET without a body needs no Content-Type."""
    headers = service.signed("GET", PATH)
    assert service.carry("GET", PATH, headers, b"").status == 200


def test_used_nonces_are_kept_as_long_as_their_dates_are_accepted():
    """A nonce is known for twice the tolerance, and forgotten after it."""
    start, used = datetime(2026, 1, 15, tzinfo=UTC), UsedNonces(300)
    assert "a" not in used
    used.add("a", start)
    used.add("b", start + timedelta(seconds=600))
    assert [name in used for name in "abc"] == [True, True, False]
    used.add("c", start + timedelta(seconds=600.001))
    assert [name in used for name in "abc"] == [False, True, True]
    used.add("d", start + timedelta(days=1))
    assert [name in used for name in "abcd"] == [False, False, False, True]


def test_keys_say_that_they_are_a_simulator():
    """Keys say that they are a simulator's; a secret has forty digits, which are random or not."""
    seeded = seeded_keys(7)
    assert seeded == ("pk_simulator_4a7a396381b77eee", Simulator().secret_key)
    assert seeded[1] == "sk_simulator_1a510f5bc344d921e7af2360947493ffe29bebf7"
    assert seeded_keys(7, "hex")[1] == seeded[1].removeprefix("sk_simulator_")
    assert [len(each) for each in random_keys()] == [len(each) for each in seeded]
    assert random_keys() != random_keys()
