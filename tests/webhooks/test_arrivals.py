"""Received events: filters, indexes, the frame, the saved file and the repr."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from paylab.errors import ArgumentError
from paylab.webhooks.arrivals import Arrivals
from paylab.webhooks.event import read_event
from paylab.webhooks.receiver import Receiver

from .conftest import NOW


@pytest.fixture
def arrivals(events, delivery):
    """Events of two transfers: `a` in order, with one delivered twice, and `b` out of order."""
    receiver = Receiver(events, lambda: NOW)
    for step, row in ((0, "a"), (1, "a"), (1, "a"), (3, "b"), (1, "b")):
        receiver.deliver("", delivery(step, row))
    return Arrivals(events)


@pytest.mark.parametrize(
    ("conditions", "count"),
    [
        ({}, 4),
        ({"type": "transfer.funded"}, 2),
        ({"type": "transfer.*"}, 4),
        ({"type": "conversion.*"}, 0),
        ({"id": "b"}, 2),
        ({"status": "completed"}, 1),
        ({"order": "stale"}, 1),
        ({"type": "transfer.funded", "id": "a"}, 1),
        ({"since": NOW}, 4),
        ({"since": NOW + timedelta(seconds=1)}, 0),
        ({"id": "a' or '1'='1"}, 0),
    ],
)
def test_all_conditions_must_hold_and_a_value_is_not_interpreted_as_sql(
    arrivals, conditions, count
):
    """All conditions must hold, and a value is not interpreted as SQL."""
    assert len(arrivals.where(**conditions)) == len(list(arrivals.where(**conditions))) == count


def test_a_second_where_narrows_the_selection_of_the_first(arrivals):
    """A second `where` narrows the selection of the first."""
    assert len(arrivals.where(id="b").where(order="stale")) == 1


def test_an_unknown_condition_names_the_known_ones(arrivals):
    """An unknown condition is an error that lists the known ones."""
    with pytest.raises(TypeError, match="it knows type, id, status, order, since"):
        arrivals.where(kind="x")


def test_a_type_that_is_given_twice_is_refused(arrivals):
    """Neither of the two types wins, not even if they are the same."""
    for event_type in ("conversion.*", "transfer.*"):
        with pytest.raises(ArgumentError, match="got the type twice"):
            arrivals.where("transfer.*", type=event_type)


def test_indexes_count_from_both_ends_and_an_index_beyond_the_end_raises_indexerror(arrivals):
    """Indexes count from both ends, and an index beyond the end raises IndexError."""
    assert (arrivals[0].id, arrivals[-1].id, arrivals[-1].order) == ("a", "b", "stale")
    assert arrivals[-4] == arrivals[0]
    for beyond in (4, -5):
        with pytest.raises(IndexError, match="there are 4 events"):
            arrivals[beyond]


def test_the_frame_has_a_row_for_each_event(arrivals):
    """The frame has a row for each event, aware times, and event types as categories."""
    frame = arrivals.frame()
    assert frame["deliveries"].tolist() == [1, 2, 1, 1]
    assert frame["order"].tolist() == ["in order", "in order", "in order", "stale"]
    assert str(frame["received_at"].dtype) == "datetime64[ms, UTC]"
    assert frame["type"].dtype == "category"


def test_the_frame_of_nothing_has_the_same_columns(arrivals):
    """Without events, the frame has no rows and the same columns and types."""
    frame = arrivals.where(type="conversion.*").frame()
    assert len(frame) == 0
    assert frame.dtypes.astype(str).to_dict() == arrivals.frame().dtypes.astype(str).to_dict()


def test_saved_lines_are_events_again(arrivals, tmp_path):
    """A saved file has a line for each event, oldest first, with its number of deliveries."""
    path = arrivals.save(tmp_path / "events.jsonl")
    head, *lines = path.read_text().splitlines()
    assert head == '{"paylab_inbox": 1, "listening_since": null}'
    assert [read_event(line).identity for line in lines] == [one.event.identity for one in arrivals]
    assert [json.loads(line)["deliveries"] for line in lines] == [1, 2, 1, 1]
    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o600  # events name people and amounts


def test_the_repr_has_a_row_for_each_event_newest_first(arrivals):
    """The repr is the number of events and a table with a row for each, as in a notebook."""
    assert repr(arrivals).splitlines() == [
        "4 events",
        "time      type                resource  status          delivered  order",
        "12:00:00  transfer.funded     b         started         once       stale",
        "12:00:00  transfer.completed  b         completed       once       in order",
        "12:00:00  transfer.funded     a         started         2 times    in order",
        "12:00:00  transfer.created    a         awaiting_funds  once       in order",
    ]


@pytest.mark.parametrize(("count", "more"), [(10, ""), (11, ", the latest 10 of them")])
def test_the_latest_ten_events_are_shown(events, delivery, count, more):
    """The repr and `newest` have the latest ten, and the title says if there are more."""
    receiver = Receiver(events, lambda: NOW)
    for number in range(count):
        receiver.deliver("", delivery(1, f"t{number}"))
    arrivals = Arrivals(events)
    assert repr(arrivals).splitlines()[0] == f"{count} events{more}"
    assert [one.id for one in arrivals.newest()] == [f"t{count - 1 - n}" for n in range(10)]
    assert [one.id for one in arrivals.newest(1)] == [f"t{count - 1}"]


def test_hostile_words_do_not_reach_the_terminal(events, delivery):
    """The repr escapes control characters and shortens very long values."""
    for row in ("\x1b[2J\u202e", "x" * 1_000, "y" * 60):
        body = delivery(1, row)
        events.add(read_event(body), body, NOW)
    text = repr(Arrivals(events))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert f"  {'x' * 59}…  " in text
    assert f"  {'y' * 60}  " in text
    assert "event_payload" not in repr(events.all())
