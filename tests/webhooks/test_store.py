"""The store of events: repeated events are counted, late ones are marked as stale."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from datetime import timedelta

import pytest

from paylab.errors import ConfigError
from paylab.webhooks.event import read_event
from paylab.webhooks.store import EventStore

from .conftest import NOW


def add(store, body):
    """Store a delivery."""
    return store.add(read_event(body), body, NOW)


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
def test_arrivals(store, delivery, steps, expected):
    """Each event is stored once, with the number of its deliveries and its order."""
    for step in steps:
        add(store, delivery(step))
    found = [(one.type.partition(".")[2], one.deliveries, one.order) for one in store.walk()]
    assert found == expected


def test_a_repeated_event_keeps_its_first_time_and_gets_a_last_one(store, delivery):
    """A repeated event has the times of its first and its last delivery."""
    later = NOW + timedelta(hours=1)
    add(store, delivery(1))
    again = store.add(read_event(delivery(1)), delivery(1), later)
    assert (again.at, again.last_at, again.deliveries) == (NOW, later, 2)


def test_resources_do_not_disturb_each_other(store, delivery):
    """The order of events is determined for each resource separately."""
    add(store, delivery(3, "tr_1"))
    assert add(store, delivery(0, "tr_2")).order == "in order"


def test_a_body_is_kept_as_it_came(store, delivery):
    """The body is stored byte for byte, so that it can be replayed."""
    body = delivery(1) + b"  \n"
    assert add(store, body).body == body


@pytest.mark.parametrize("value", ["\\ud800", "\\u0000", "é\\u202e", "x" * 5_000])
@pytest.mark.parametrize("field", ["id", "status", "updated_at"])
def test_any_text_can_be_kept(store, field, value):
    """Unpaired surrogates, control characters and long values can be stored."""
    payload = f'{{"id": "t", "{field}": "{value}"}}'
    body = f'{{"event_type": "transfer.funded", "event_payload": {payload}}}'.encode()
    assert [add(store, body).deliveries, add(store, body).deliveries] == [1, 2]
    assert store.get(1).payload == json.loads(payload)


def test_a_named_file_is_gone_on_with(tmp_path, delivery):
    """A new store on an existing file knows the events in it."""
    first = EventStore(tmp_path / "events.db")
    add(first, delivery(1))
    first.close()
    assert add(EventStore(tmp_path / "events.db"), delivery(1)).deliveries == 2


def test_a_temporary_file_goes_with_the_store(delivery):
    """The temporary folder is private, and closing the store deletes it."""
    store = EventStore()
    add(store, delivery(1))
    folder = store.path.parent
    assert folder.stat().st_mode & 0o077 == 0
    store.close()
    assert not folder.exists()


def test_a_file_that_is_none_is_a_config_error(tmp_path):
    """A file that is not a database is an error that names the file."""
    (tmp_path / "events.db").write_text("this is no database, whatever its name says" * 100)
    with pytest.raises(ConfigError, match=r"events\.db"):
        EventStore(tmp_path / "events.db")


def test_a_named_file_is_its_owners_alone(tmp_path, delivery):
    """Only the owner can read the file and the files that SQLite creates beside it."""
    store = EventStore(tmp_path / "events.db")
    store.add(read_event(delivery(1)), delivery(1), NOW)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    store.close()


def test_what_was_added_survives_a_kill(tmp_path, delivery):
    """An event is still in the file if the process is killed right after `add`."""
    path = tmp_path / "events.db"
    script = (
        "import os, sys; from datetime import UTC, datetime;"
        "from paylab.webhooks.event import read_event;"
        "from paylab.webhooks.store import EventStore;"
        "body = sys.argv[2].encode(); event = read_event(body);"
        "EventStore(sys.argv[1]).add(event, body, datetime.now(UTC)); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", script, path, delivery(1).decode()], check=False)
    assert (done.returncode, EventStore(path).count()) == (-9, 1)


def test_memory_does_not_grow_with_what_arrives(store, delivery):
    """Storing eight megabytes of events takes less than a tenth of that in memory."""
    padding = "x" * 4_000
    add(store, delivery(1, "warm", note=padding))
    tracemalloc.start()
    for number in range(2_000):
        add(store, delivery(1, f"tr_{number}", note=padding))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 800_000
