"""The answers to deliveries: 2xx for a stored event, an error status for anything else."""

from __future__ import annotations

import json

import pytest

from paylab.webhooks.event_log import EventLog
from paylab.webhooks.receiver import BODY_BYTES_MAX, UNANSWERED, Receiver, SimulatedFailure

from .conftest import NOW

JSON = "application/json"
GOOD = json.dumps({"event_type": "transfer.funded", "event_payload": {"id": "t"}}).encode()
UNKNOWN = json.dumps({"event_type": "wallet.opened", "event_payload": {"x": 1}}).encode()
DEEP = b'{"event_type": "transfer.funded", "event_payload": ' + b'{"a":' * 50_000


@pytest.mark.parametrize(
    ("method", "kind", "body", "status", "kept"),
    [
        ("POST", JSON, GOOD, 200, 1),
        ("POST", "application/json; charset=utf-8", GOOD, 200, 1),
        ("POST", "application/cloudevents+json", GOOD, 200, 1),
        ("POST", "APPLICATION/JSON", GOOD, 200, 1),
        ("POST", JSON, UNKNOWN, 200, 1),
        ("GET", JSON, b"", 405, 0),
        ("PUT", JSON, GOOD, 405, 0),
        ("OPTIONS", "", b"", 405, 0),
        ("POST", "", GOOD, 415, 0),
        ("POST", "text/plain", GOOD, 415, 0),
        ("POST", "application/x-www-form-urlencoded", b"a=1", 415, 0),
        ("POST", JSON, b"", 400, 0),
        ("POST", JSON, b"<html>", 400, 0),
        ("POST", JSON, GOOD[:-1], 400, 0),
        ("POST", JSON, b"\x00\xff", 400, 0),
        ("POST", JSON, b"[]", 400, 0),
        ("POST", JSON, b"{}", 400, 0),
        ("POST", JSON, b'{"event_type": "transfer.funded"}', 400, 0),
        ("POST", JSON, b'{"event_payload": {"id": "t"}}', 400, 0),
        ("POST", JSON, b'{"event_type": "transfer.funded", "event_payload": {}}', 400, 0),
        ("POST", JSON, b'{"event_type": 1e400, "event_payload": {}}', 400, 0),
        ("POST", JSON, DEEP, 400, 0),
        ("POST", JSON, DEEP + b"1" + b"}" * 50_001, 413, 0),
        ("POST", JSON, b'{"event_type": "x", "event_payload": ' + b"9" * 5_000 + b"}", 400, 0),
        ("POST", JSON, GOOD + b" " * BODY_BYTES_MAX, 413, 0),
    ],
)
def test_an_event_is_stored(receiver, events, method, kind, body, status, kept):
    """An event is stored; any other delivery gets the right error status and is not stored."""
    if status == 400 and len(body) > BODY_BYTES_MAX:
        body = body[: BODY_BYTES_MAX - 1]
    assert receiver.receive(method, kind, body).status == status
    assert len(events.all()) == kept


@pytest.mark.parametrize(("size", "status"), [(BODY_BYTES_MAX, 200), (BODY_BYTES_MAX + 1, 413)])
def test_a_body_of_exactly_the_limit_is_read(receiver, size, status):
    """A body of exactly the limit is read."""
    assert BODY_BYTES_MAX == 262_144
    assert receiver.receive("POST", JSON, GOOD.ljust(size)).status == status


def test_a_wrong_method_is_told_the_right_one(receiver):
    """A 405 has an Allow header, as HTTP requires."""
    assert receiver.receive("GET", "", b"").headers == {"allow": "POST"}


def test_a_handler_sees_headers_that_no_repr_shows(receiver, events):
    """The headers of a delivery, which may be secret, are in no repr and are not stored."""
    seen = []
    receiver.listeners.append(seen.append)
    assert receiver.deliver("", GOOD, {"Authorization": "Bearer abc"}) == 200
    [arrival] = seen
    assert arrival.headers == {"authorization": "Bearer abc"}
    assert "abc" not in repr(arrival)
    assert not events.all()[0].headers
    assert arrival == events.all()[0]


def test_what_cannot_be_kept_is_not_acknowledged(tmp_path):
    """An event that cannot be stored is answered 503, so that the service sends it again."""
    events = EventLog(tmp_path / "events.jsonl")
    (tmp_path / "events.jsonl").unlink()
    (tmp_path / "events.jsonl").mkdir()
    assert Receiver(events, lambda: NOW).receive("POST", JSON, GOOD).status == 503


def test_no_depth_of_a_body_is_a_failure_of_the_store(tmp_path):
    """At every depth a body is stored twice, or answered 400 and not sent again."""
    events = EventLog(tmp_path / "events.jsonl")
    receiver = Receiver(events, lambda: NOW)
    for depth in range(50, 1_100, 50):
        nested = b'{"a":' * depth + b"1" + b"}" * depth
        body = b'{"event_type": "wallet.opened", "event_payload": ' + nested + b"}"
        found = {receiver.receive("POST", JSON, body).status for _ in range(2)}
        assert found in ({200}, {400})
    assert len(events.all()) == len(EventLog(tmp_path / "events.jsonl").all()) > 2


def test_a_handler_that_raises_has_the_event_delivered_again(events):
    """The event is stored, and is answered 500 until the handler succeeds."""
    failures = [ValueError("busy"), OSError("away")]

    def then(arrival):
        if failures:
            raise failures.pop()
        return 200

    receiver = Receiver(events, lambda: NOW, then)
    statuses = [receiver.receive("POST", JSON, GOOD).status for _ in range(3)]
    assert (statuses, events.all()[0].deliveries) == ([500, 500, 200], 3)


def test_a_handler_that_cannot_be_reached_is_a_502(events):
    """The service is answered 502, and listeners know that nobody answered."""
    receiver, told = Receiver(events, lambda: NOW, lambda _: UNANSWERED), []
    receiver.listeners.append(told.append)
    assert receiver.receive("POST", JSON, GOOD).status == 502
    assert [arrival.answered for arrival in told] == [0]


def test_listeners_are_told_and_cannot_spoil_the_answer(receiver):
    """A listener that raises affects neither the answer nor the other listeners."""
    told = []
    receiver.listeners += [lambda arrival: 1 / 0, told.append]
    assert receiver.receive("POST", JSON, GOOD).status == 200
    assert [arrival.type for arrival in told] == ["transfer.funded"]


def test_a_broken_receiver_answers_the_set_status_and_stores_nothing(receiver, events):
    """It answers the set number of deliveries with the set status and does not store them."""
    receiver.answer(SimulatedFailure(503, 2))
    statuses = [receiver.deliver("", GOOD) for _ in range(3)]
    assert (statuses, len(events.all())) == ([503, 503, 200], 1)
    receiver.answer(SimulatedFailure(503, 2, probability=0.0))
    assert receiver.deliver("", GOOD) == 200
