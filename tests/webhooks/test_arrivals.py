"""What arrived: chosen, counted, framed, saved and shown."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from paylab.webhooks.event import read_event
from paylab.webhooks.receiver import Receiver
from paylab.webhooks.store import Arrivals

from .conftest import NOW


@pytest.fixture
def arrivals(store, delivery):
    """Two transfers' events: one in order and once delivered twice, one out of order."""
    receiver = Receiver(store, lambda: NOW)
    for step, row in ((0, "a"), (1, "a"), (1, "a"), (3, "b"), (1, "b")):
        receiver.deliver("", delivery(step, row))
    return Arrivals(store)


@pytest.mark.parametrize(
    ("conditions", "count"),
    [
        ({}, 4),
        ({"type": "transfer.funded"}, 2),
        ({"type": "transfer.*"}, 4),
        ({"type": "conversion.*"}, 0),
        ({"id": "b"}, 2),
        ({"status": "started"}, 2),
        ({"order": "stale"}, 1),
        ({"type": "transfer.funded", "id": "a"}, 1),
        ({"since": NOW}, 4),
        ({"since": NOW + timedelta(seconds=1)}, 0),
        ({"id": "a' or '1'='1"}, 0),
    ],
)
def test_where(arrivals, conditions, count):
    """Conditions that all have to hold; values are values, whatever they hold."""
    assert len(arrivals.where(**conditions)) == len(list(arrivals.where(**conditions))) == count


def test_conditions_add_up(arrivals):
    """A selection can be narrowed."""
    assert len(arrivals.where(id="b").where(order="stale")) == 1


def test_an_unknown_condition_names_the_known_ones(arrivals):
    """Instead of choosing everything."""
    with pytest.raises(TypeError, match="it knows type, id, status, order, since"):
        arrivals.where(kind="x")


def test_positions(arrivals):
    """The first, the last, and none beyond."""
    assert (arrivals[0].id, arrivals[-1].id, arrivals[-1].order) == ("a", "b", "stale")
    with pytest.raises(IndexError):
        arrivals[4]


def test_the_frame(arrivals):
    """A row an event, times aware, words as categories."""
    frame = arrivals.frame()
    assert frame["deliveries"].tolist() == [1, 2, 1, 1]
    assert frame["order"].tolist() == ["in order", "in order", "in order", "stale"]
    assert str(frame["received_at"].dtype) == "datetime64[ms, UTC]"
    assert frame["type"].dtype == "category"


def test_the_frame_of_nothing(store):
    """The same columns and types."""
    frame = Arrivals(store).frame()
    assert (len(frame), str(frame["updated_at"].dtype)) == (0, "datetime64[ms, UTC]")


def test_saved_lines_are_events_again(arrivals, tmp_path):
    """A line an event, oldest first, with how it arrived."""
    path = arrivals.save(tmp_path / "events.jsonl")
    lines = path.read_text().splitlines()
    assert [read_event(line).identity for line in lines] == [one.event.identity for one in arrivals]
    assert [json.loads(line)["deliveries"] for line in lines] == [1, 2, 1, 1]
    assert list(tmp_path.iterdir()) == [path]


def test_shown_as_text(arrivals):
    """A table whose rows fit a terminal."""
    lines = repr(arrivals).splitlines()
    assert lines[0] == "4 events"
    assert lines[1].split() == ["time", "type", "resource", "status", "delivered", "order"]
    assert lines[3].split() == [
        "12:00:00",
        "transfer.funded",
        "a",
        "started",
        "2",
        "times",
        "in",
        "order",
    ]


def test_hostile_words_do_not_reach_the_terminal(store, delivery):
    """Escape sequences are spelled out, endless words cut."""
    for row in ("\x1b[2J\u202e", "x" * 1_000):
        body = delivery(1, row)
        store.add(read_event(body), body, NOW)
    text = repr(Arrivals(store))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert max(map(len, text.splitlines())) < 200
