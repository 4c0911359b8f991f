"""The inbox's table: its rows, the details of a row, and automatic updates."""

from __future__ import annotations

import threading
import time

import pytest

import paylab
from paylab.views.inbox import InboxView, arrivals_table, comparison_html


@pytest.fixture
def lab():
    """A lab on a simulator of its own."""
    return paylab.connect()


@pytest.fixture
def inbox(lab):
    """An open inbox that has received the four events of a transfer."""
    with lab.inbox() as opened:
        lab.trigger("transfer.completed")
        yield opened


@pytest.fixture
def view(inbox):
    """The table of the inbox."""
    made = InboxView(inbox)
    yield made
    made.close()


def test_an_inbox_has_a_row_for_each_event(view):
    """The table has a row for each event, newest first."""
    assert view.total == 4
    assert [row["cells"][1] for row in view.rows][:2] == [
        "transfer.completed",
        "transfer.payout_initiated",
    ]


def test_new_events_appear_by_themselves(lab, view):
    """New events appear in the table without a call to `refresh`."""
    lab.trigger("transfer.completed")
    deadline = time.monotonic() + 5
    while view.total != 8 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (view.total, len(view.rows)) == (8, 8)


def test_a_row_opens_to_its_payload_and_what_changed(view):
    """An open row shows the payload and its differences from GET; a closed row nothing."""
    view.opened = view.rows[-1]["seq"]
    assert "awaiting_funds" in view.detail
    assert "GET returns other values now" in view.detail
    view.opened = 0
    assert view.detail == ""


def test_the_last_word_is_what_get_says(view):
    """The payload of the newest event has the same values as GET."""
    view.opened = view.rows[0]["seq"]
    assert "GET returns the same values now." in view.detail


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (404, "The resource was not found"),
        (403, "The request failed: "),
        (500, "The request failed: "),
    ],
)
def test_a_service_that_cannot_be_asked_is_no_crash(lab, inbox, view, status, said):
    """When GET fails, an open row still shows the payload, and says why nothing is compared."""
    lab.simulator.faults.add("status", status=status, path="/v1/transfers/*", times=9)
    view.opened = view.rows[0]["seq"]
    assert said in view.detail
    assert inbox.newest(1)[0].payload["id"] in view.detail


def test_a_row_that_is_gone_says_so(view):
    """Opening an event that is no longer in the table says so."""
    view.opened = 99
    assert "no longer" in view.detail


def test_it_stands_beside_a_static_table(inbox):
    """The display also has a static table and text, for pages without a kernel."""
    data, _ = inbox._repr_mimebundle_()
    assert data["text/plain"] == repr(inbox)
    assert data["text/html"].count("<tr ") == 5
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "</pre><script>", "\u202eevil"])
def test_nothing_from_the_service_is_more_than_text(text):
    """Text in the differences is escaped."""
    shown = comparison_html([("a", text, text)])
    assert text not in shown


ORDERS = ("stale", "in order")


class Hostile:
    """A source whose cells contain markup, the last one of them `order`."""

    def __init__(self, order):
        self.order = order

    def table(self, limit):
        """Return one row."""
        return [(*("<b>x</b>",) * 5, self.order)]

    def __len__(self):
        return 1


def test_the_static_table_is_escaped():
    """The cells of the static table are escaped, and only a stale event has a dot."""
    assert "<b>" not in arrivals_table(Hostile("<b>x</b>"))
    dot_counts = [arrivals_table(Hostile(order)).count("border-radius:50%") for order in ORDERS]
    assert dot_counts == [1, 0]


def shown(inbox):
    """The id of the widget that displays an inbox."""
    data, _ = inbox._repr_mimebundle_()
    return data["application/vnd.jupyter.widget-view+json"]["model_id"]


def timers():
    """The timers that wait to refresh a table."""
    return [each for each in threading.enumerate() if "paylab-inbox-view" in each.name]


def test_displays_leave_nothing_behind(inbox):
    """Five displays share one table; after closing, even if shown again, no timer starts."""
    assert len({shown(inbox) for _ in range(5)}) == 1
    inbox.replay(inbox.newest(1)[0])
    (timer,) = timers()
    timer.join()
    for act in (inbox.close, lambda: shown(inbox)):
        act()
        inbox.replay(inbox.newest(1)[0])
        assert timers() == []


class Source:
    """A source of events that counts its listeners."""

    def __init__(self):
        self.listeners = []

    def on_arrival(self, listener):
        """Add a listener; return the function that removes it."""
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def newest(self, limit):
        """Return no event."""
        return []

    table = newest

    def __len__(self):
        return 0


@pytest.mark.parametrize("end", [InboxView.stop, InboxView.close])
def test_a_table_that_ends_has_no_listener(end):
    """A table has one listener, and none after it was stopped or closed, also twice."""
    source = Source()
    made = InboxView(source)
    assert len(source.listeners) == 1
    end(made)
    end(made)
    assert source.listeners == []


@pytest.mark.parametrize(
    ("differences", "text"),
    [
        (None, "The resource was not found"),
        ([], "GET returns the same values now."),
        ([("status", "started", "completed")], "GET returns other values now"),
    ],
)
def test_a_comparison_says_what_get_returns(differences, text):
    """No resource, no difference and differences are three sentences."""
    assert text in comparison_html(differences)
