"""The log of events: repeated events are counted, late ones are stale, old ones are dropped."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from paylab.webhooks.arrivals import Arrivals
from paylab.webhooks.event import read_event
from paylab.webhooks.event_log import EVENT_OVERHEAD_BYTES, EventLog

from .conftest import NOW, body_of


def add(log, body, at=NOW):
    """Store a delivery."""
    return log.add(read_event(body), body, at)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((0, 1, 2, 3), [("created", 1, "in order"), ("funded", 1, "in order"),
                        ("payout_initiated", 1, "in order"), ("completed", 1, "in order")]),
        ((1, 1, 1), [("funded", 3, "in order")]),
        ((3, 1), [("completed", 1, "in order"), ("funded", 1, "stale")]),
        ((1, 0, 2), [("funded", 1, "in order"), ("created", 1, "stale"),
                     ("payout_initiated", 1, "in order")]),
    ],
)  # fmt: skip
def test_an_event_is_stored_once_with_its_deliveries_and_order(events, delivery, steps, expected):
    """Each event is stored once, with its deliveries and its order among those of its resource."""
    add(events, delivery(3, "another"))
    for step in steps:
        add(events, delivery(step))
    rows = [(one.type.partition(".")[2], one.deliveries, one.order) for one in events.all()[1:]]
    assert rows == expected


def test_a_repeated_event_keeps_its_first_time_and_body(events, delivery):
    """A repeated event has the times of its first and last delivery, and the first one's bytes."""
    later, body = NOW + timedelta(hours=1), delivery(1) + b"  \n"
    add(events, body)
    again = add(events, delivery(1), later)
    assert (again.at, again.last_at, again.deliveries, again.body) == (NOW, later, 2, body)
    assert events.all() == [again]


@pytest.mark.parametrize("value", ["\\ud800", "\\u0000", "é\\u202e", "x" * 50_000])
@pytest.mark.parametrize("field", ["id", "status", "updated_at", "type"])
def test_any_text_can_be_kept(tmp_path, field, value):
    """Hostile and long texts can be stored, repeated, shown, filed and read again."""
    payload = f'{{"id": "t", "{field}": "{value}"}}'
    kind = value if field == "type" else "transfer.funded"
    body = f'{{"event_type": "{kind}", "event_payload": {payload}}}'.encode()
    log = EventLog(tmp_path / "events.jsonl")
    assert [add(log, body).deliveries, add(log, body).deliveries] == [1, 2]
    (again,) = EventLog(tmp_path / "events.jsonl").all()
    assert (again.payload, again.deliveries) == (json.loads(payload), 2)
    assert len(Arrivals(log).frame()) == 1
    assert len(repr(Arrivals(log))) < 1_000


def test_the_oldest_events_are_dropped(tmp_path, delivery):
    """Above the limit the oldest are dropped from memory, `since` moves; the file has all."""
    log = EventLog(
        tmp_path / "events.jsonl", bytes_max=2 * (len(body_of(1, "t0")) + EVENT_OVERHEAD_BYTES)
    )
    log.start(NOW - timedelta(days=1))
    for number in range(4):
        add(log, delivery(1, f"t{number}"), NOW + timedelta(seconds=number))
    assert [one.id for one in log.all()] == ["t2", "t3"]
    assert (log.since, log.dropped) == (NOW + timedelta(seconds=1), 2)
    assert "2 events; 2 older ones were dropped" in repr(Arrivals(log))
    assert add(log, delivery(0, "t0")).order == "in order"  # nothing is known of it any more
    assert len(EventLog(tmp_path / "events.jsonl").all()) == 5
