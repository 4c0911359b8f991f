"""The live panel of a lab: its rows, their limits, explanations, and events sent again."""

from __future__ import annotations

import pytest

import paylab
from paylab.client.call import Call
from paylab.errors import RuleError
from paylab.lab.panel_feed import ROWS_MAX
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator


class Browser:
    """A page that is ready: the messages of a panel, and the cells of each row by its number."""

    def __init__(self, panel):
        self.messages, self.rows = [], {}
        self.view = panel._make_view()
        self.view.send = self.take
        self.receive(kind="ready")

    def take(self, message):
        """Keep a message, and show its rows."""
        self.messages.append(message)
        if message["kind"] == "rows":
            rows = {} if message.get("all") else self.rows
            rows = rows | {row["number"]: row["cells"] for row in message["rows"]}
            self.rows = {
                number: cells for number, cells in rows.items() if number >= message["first"]
            }

    def receive(self, **message):
        """Send a message of the page."""
        self.view.receive(message)

    def last(self, kind):
        """The last message of a kind."""
        return [message for message in self.messages if message["kind"] == kind][-1]

    def act(self, kind, text):
        """Explain or resend the newest row with a text; return the answer."""
        number = max(number for number, cells in self.rows.items() if text in " ".join(cells))
        self.receive(kind=kind, number=number)
        return self.last("detail" if kind == "explain" else "note")


def cells(panel):
    """The rows without their times."""
    return [" ".join(filter(None, row[1:])) for row in panel.rows()]


def test_a_panel_has_calls_events_and_deliveries_in_order(lab):
    """A panel has what happened before and after it was made, with a verdict for each."""
    lab.inbox("transfer.funded")
    panel = lab.panel()
    funded = lab.trigger("transfer.funded")[-1]
    lab.simulator.faults.status(status=422, method="GET", times=1)
    with pytest.raises(paylab.PaylabError):
        lab.transfers.get(funded.id)
    assert cells(panel) == [
        "POST /v1/webhook_subscriptions 201",
        "POST /v1/individuals 201",
        "POST /v1/financial_accounts 201",
        "POST /v1/transfers 201",
        f"transfer.created {funded.id} awaiting_funds",
        f"transfer.funded {funded.id} started",
        f"transfer.funded delivered {funded.id} to http://localhost/inbox/1 200",
        f"GET /v1/transfers/{funded.id} 422: simulated 422",
    ]
    assert "transfer.funded delivered" in repr(panel)


def test_a_call_is_not_built_until_somebody_looks(lab):
    """A shown panel only marks that something happened: the record of a call is built later."""
    browser = Browser(lab.panel())
    lab.transfers.list().first()
    assert not isinstance(lab.calls._calls[-1].call_or_maker, Call)
    browser.view.refresh()
    assert browser.last("rows")["rows"][-1]["cells"][1:] == ["GET /v1/transfers", "", "200"]
    assert isinstance(lab.calls._calls[-1].call_or_maker, Call)


def test_nothing_is_sent_to_a_page_that_is_not_ready(lab):
    """Displaying a panel sends no request, and rows only to a page that asked for them."""
    before = len(lab.calls)
    panel = lab.panel()
    panel._make_view().send = pytest.fail
    panel._make_view().refresh()
    assert "Saved output: it becomes live" in panel._make_view().static_bundle()["text/html"]
    assert len(lab.calls) == before


def test_of_ten_thousand_events_the_latest_rows_are_kept():
    """The latest 200 rows are kept; an explanation of an older one says that it was dropped."""
    simulator = Simulator()
    lab = paylab.connect(simulator=simulator)
    browser, journal = Browser(lab.panel()), simulator.world.journal
    facts = {"event_type": "transfer.created", "resource_id": "tr_1", "body": {}}
    for number in range(10_000):
        journal.add_note("event", lab.clock(), **facts, event_id=f"ev_{number}")
        if number % 3_000 == 0:
            browser.view.refresh()
    browser.view.refresh()
    message = browser.last("rows")
    assert len(message["rows"]) == len(browser.rows) == ROWS_MAX
    assert message["first"] == min(browser.rows)
    browser.receive(kind="explain", number=1)
    assert "no longer kept" in browser.last("detail")["html"]


def test_a_call_and_an_event_can_be_explained_and_an_event_sent_again(lab):
    """A call opens as its card, an event shows how it differs; it is delivered again."""
    inbox = lab.inbox()
    browser = Browser(lab.panel())
    created = lab.trigger("transfer.completed")[0]
    browser.view.refresh()
    assert "Signature, layer by layer" in browser.act("explain", "POST /v1/transfers")["html"]
    assert "GET returns other values now" in browser.act("explain", "transfer.created")["html"]
    assert browser.act("resend", "transfer.created")["text"] == "Sent again: 1 delivery."
    assert inbox.where(id=created.id, type="transfer.created")[0].deliveries == 2
    browser.receive(kind="resend", number=1)
    assert "It was not sent again" in browser.last("note")["text"]


def test_an_event_that_nobody_receives_asks_for_an_inbox(lab):
    """The note says to open an inbox."""
    browser = Browser(lab.panel())
    lab.trigger("transfer.created")
    browser.view.refresh()
    assert "Open lab.inbox() first" in browser.act("resend", "transfer.created")["text"]


def test_hostile_text_stays_text(lab):
    """Text of the service reaches the page as cells, and as escaped HTML."""
    browser = Browser(lab.panel())
    hostile = "<img src=x onerror=alert(1)>\x1b[31m\u202e"
    lab.simulator.faults.custom(status=400, body={"error": hostile})
    with pytest.raises(paylab.PaylabError):
        lab.transfers.list().first()
    browser.view.refresh()
    verdict = browser.last("rows")["rows"][-1]["cells"][-1]
    assert verdict.startswith("400: <img src=x")
    assert "\x1b" not in verdict
    assert "\u202e" not in verdict
    assert "<img src=x" not in browser.act("explain", "GET /v1/transfers")["html"]
    assert "<img src=x" not in browser.view.static_bundle()["text/html"]
    assert "\x1b" not in repr(lab.panel())


@pytest.mark.parametrize(
    "message",
    [
        *(None, [], {}, {"kind": "explain"}, {"kind": "resend", "number": "1"}),
        *({"kind": 7, "number": []}, {"kind": "explain", "number": 10**400}),
        {"kind": "resend", "number": -1},
    ],
)
def test_a_message_of_any_shape_is_answered_or_ignored(lab, message):
    """A page that sends nonsense is answered, or ignored."""
    browser = Browser(lab.panel())
    browser.view.receive(message)
    browser.view.set_state({"rows": 1})
    assert browser.view.get_state().get("rows") is None


def test_a_closed_lab_keeps_its_rows():
    """Rows stay after the lab was closed, and calls are still explained."""
    lab = paylab.connect()
    browser = Browser(lab.panel())
    lab.transfers.list().first()
    browser.view.refresh()
    lab.close()
    assert "Response" in browser.act("explain", "GET /v1/transfers")["html"]


def test_two_labs_have_panels_of_their_own():
    """Each panel has the calls and events of its own lab."""
    one, other = paylab.connect(), paylab.connect()
    panels = [Browser(one.panel()), Browser(other.panel())]
    one.trigger("individual.status_changed")
    for browser in panels:
        browser.view.refresh()
    assert [len(browser.rows) for browser in panels] == [2, 0]


def test_stop_clear_and_close(lab):
    """A cleared panel goes on; a stopped one keeps what it has; a closed one follows nothing."""
    panel = lab.panel()
    Browser(panel)
    lab.transfers.list().first()
    panel.clear()
    lab.conversions.list().to_list()
    assert cells(panel) == ["GET /v1/conversions 200"]
    panel.stop()
    panel.stop()
    lab.transfers.list().first()
    assert cells(panel) == ["GET /v1/conversions 200"]
    assert not panel.is_live
    panel.close()
    assert lab._embedded.followers == lab.calls._followers == []


@pytest.mark.parametrize(
    ("words", "show", "left"),
    [
        ("", "problems", ["404"]),
        ("POST 201", "calls", ["201"] * 3),
        ("delivered", "everything", []),
        ("TRANSFER", "events", ["awaiting_funds"]),
    ],
)
def test_the_saved_rows_are_those_that_are_chosen(lab, words, show, left):
    """A filter and a selection hold for the saved text as for the page."""
    lab.trigger("transfer.created")
    with pytest.raises(paylab.PaylabError):
        lab.transfers.get("tr_nobody")
    text = lab.panel(words, show=show)._make_view().static_bundle()["text/plain"]
    verdicts = [line.split("  ")[-1].partition(":")[0] for line in text.splitlines()[1:]]
    assert verdicts == left


def test_an_unknown_selection_is_an_error_that_lists_the_known(lab):
    """The error lists the known ones."""
    with pytest.raises(RuleError, match="must be one of everything, calls, events, problems"):
        lab.panel(show="errors")


def test_the_events_of_another_process_are_those_of_an_inbox():
    """With an address, events are those that an inbox received, also one opened later."""
    with Server(Simulator(frozen=False, speed=1000)) as server:
        lab = paylab.connect(server.base_url, server.api_key, server.secret_key)
        browser = Browser(lab.panel(show="events"))
        with lab.inbox() as inbox:
            browser.view.refresh()
            event = lab.trigger("transfer.created")[0]
            inbox.wait(id=event.id, type="transfer.created")
            browser.view.refresh()
            note = browser.act("resend", "transfer.created")
            assert note["text"] == "Sent again: the inbox answered 200."
            verdicts = [cells[-1] for cells in browser.rows.values()]
            assert "awaiting_funds, in order" in verdicts
        assert browser.messages[0]["show"] == "events"


@pytest.mark.parametrize(
    ("options", "count"),
    [({}, 2), ({"filter": "individuals"}, 1), ({"show": "problems"}, 1), ({"filter": "x"}, 0)],
)
def test_rows_are_filtered_without_a_browser_too(options, count):
    """The rows and the text of a panel are those that a browser shows."""
    lab = paylab.connect(simulator=Simulator())
    lab.transfers.list().first()
    with pytest.raises(paylab.NotFoundError):
        lab.individuals.get("ind_nobody")
    panel = lab.panel(**options)
    assert len(panel.rows()) == len(repr(panel).splitlines()) - 1 == count
