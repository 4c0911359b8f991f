"""The inbox of a lab: subscribing, receiving, waiting, replaying and closing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx
import pytest

import paylab
from paylab.errors import ConfigError, RuleWarning, WaitTimeoutError
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec import codes
from paylab.webhooks.inbox import Inbox
from paylab.webhooks.router import Router


@pytest.fixture
def lab():
    """A lab on its own simulator, which has no payments."""
    return paylab.connect(simulator=Simulator())


@pytest.fixture
def inbox(lab):
    """An open inbox."""
    with lab.inbox() as opened:
        yield opened


@pytest.fixture
def served():
    """A lab on a simulator behind a port, with a frozen clock."""
    with Server(Simulator()) as server:
        keys = server.simulator.api_key, server.simulator.secret_key
        with paylab.connect(server.base_url, *keys) as lab:
            yield lab


@pytest.mark.parametrize("kind", codes.EVENT_TYPES)
def test_every_event_type_is_reached_and_shown(lab, inbox, kind):
    """Each of the eleven event types can be triggered, arrives and is shown."""
    lab.trigger(kind)
    assert inbox.where(type=kind)
    assert kind in repr(inbox.where(type=kind))


def test_it_is_subscribed_while_it_is_open(lab):
    """An open inbox has one subscription at the service; closing it deletes the subscription."""
    with lab.inbox(["transfer.created"]) as inbox:
        (found,) = lab.webhook_subscriptions.list()
        assert (found.url, found.event_types) == (inbox.url, ["transfer.created"])
    assert list(lab.webhook_subscriptions.list()) == []
    inbox.close()


def test_one_event_type_may_be_text(lab):
    """One event type can be given as text instead of a list."""
    with lab.inbox("transfer.created"):
        (found,) = lab.webhook_subscriptions.list()
        assert found.event_types == ["transfer.created"]


def test_only_what_was_subscribed_to_arrives(lab):
    """Only events of the subscribed types arrive."""
    with lab.inbox(["transfer.completed"]) as inbox:
        lab.trigger("transfer.completed")
        assert [arrival.type for arrival in inbox] == ["transfer.completed"]


def test_what_arrived_can_be_read_when_it_is_closed(lab):
    """A closed inbox receives nothing more, and its events can still be read."""
    with lab.inbox() as inbox:
        lab.trigger("transfer.completed")
    lab.trigger("transfer.completed")
    assert len(inbox) == 4


def test_two_inboxes_each_get_everything(lab):
    """Two inboxes have two URLs, and each receives every event."""
    with lab.inbox() as one, lab.inbox() as other:
        lab.trigger("transfer.completed")
        assert (len(one), len(other), one.url == other.url) == (4, 4, False)


def test_waiting_moves_a_frozen_clock(lab, inbox):
    """`wait` advances a frozen clock and returns the typed event."""
    lab.trigger("conversion.created")
    began = lab.clock()
    event = inbox.wait(type="conversion.completed", timeout=10)
    assert event.resource.payout.tx_hash.startswith("0x")
    assert (lab.clock() - began).total_seconds() == pytest.approx(3, abs=0.5)


def test_waiting_in_vain_says_for_what(inbox):
    """The timeout error names the event type and the time waited."""
    with pytest.raises(WaitTimeoutError, match=r"type transfer\.failed after 2\.2 s"):
        inbox.wait(type="transfer.failed", timeout=2.2)


@pytest.mark.parametrize("select", [Inbox.where, partial(Inbox.wait, timeout=0.5)])
@pytest.mark.parametrize(
    ("event_type", "hint"),
    [
        ("transfer.complete", "is no known type of event; nearest: transfer.completed"),
        ("paid", "is no known type of event; see paylab.codes"),
    ],
)
def test_a_type_that_no_event_has_gives_a_warning(inbox, select, event_type, hint):
    """A type that is not known gives a warning before anything is waited for."""
    with pytest.warns(RuleWarning, match=hint), suppress(WaitTimeoutError):
        assert list(select(inbox, event_type)) == []


def test_a_type_of_an_event_needs_no_name(lab, inbox):
    """The type of an event can be given without a name, also an unknown one that was received."""
    lab.simulator.send_event("transfer.reversed", id="tr_1", status="reversed")
    assert inbox.wait("transfer.reversed").id == "tr_1"
    assert [arrival.id for arrival in inbox.where("transfer.*", status="reversed")] == ["tr_1"]


def test_a_row_knows_what_changed_since(lab, inbox):
    """`difference` lists the fields that changed between an event and what GET returns now."""
    lab.trigger("conversion.completed")
    created, completed = inbox[-3], inbox[-1]
    fields = [each.field for each in inbox.difference(created)]
    assert fields[:2] == ["status", "updated_at"]
    assert inbox.difference(completed) == []


def test_what_is_gone_has_no_difference(lab, inbox):
    """For a resource that no longer exists, the difference is None."""
    events = lab.trigger("transfer.completed")
    lab.simulator.reset()
    assert inbox.difference(events[0]) is None


@pytest.mark.parametrize("which", [0, -1])
def test_replaying_an_event_counts_as_another_delivery_of_the_same_event(lab, inbox, which):
    """Replaying an event counts as another delivery of the same event."""
    lab.trigger("transfer.completed")
    assert inbox.replay(inbox[which]) == 200
    assert (len(inbox), inbox[which].deliveries) == (4, 2)


def test_a_saved_line_can_be_replayed(lab, inbox, tmp_path):
    """A line of a saved file can be replayed; it counts as the same event."""
    lab.trigger("transfer.completed")
    line = json.loads(inbox.save(tmp_path / "events.jsonl").read_text().splitlines()[3])
    assert (inbox.replay(line), inbox[2].deliveries, len(inbox)) == (200, 2, 4)


def test_what_is_no_event_is_not_replayed(inbox):
    """Replaying something that is not an event raises a TypeError."""
    with pytest.raises(TypeError, match=r"event must be one of an inbox, .* not \[\]"):
        inbox.replay([])


@pytest.mark.parametrize(("status", "times"), [("503", 1), (199, 1), (600, 1), (503, -1)])
def test_what_is_no_status_or_number_is_no_answer(inbox, status, times):
    """A delivery would fail on such a status, or be counted as if none were to fail."""
    with pytest.raises(paylab.RuleError, match="must be"):
        inbox.answer(status, times)


def test_a_broken_inbox_gets_its_events_later(lab, inbox):
    """The service repeats a failed delivery until the inbox answers 200."""
    inbox.answer(500, 2)
    lab.trigger("transfer.created")
    lab.sleep(10)
    event = inbox.wait(type="transfer.completed")
    attempts = [(row["attempt"], row["status"]) for row in lab.simulator.deliveries()]
    assert {attempt for attempt in attempts if attempt[1] == 500} == {(1, 500)}
    assert attempts[-2:] == [(2, 200), (2, 200)]
    assert event.status == "completed"


def test_a_handler_may_ask_the_service(lab):
    """A handler can call the service during a delivery without a deadlock."""
    router, found = Router(), []
    router.on("transfer.completed")(lambda event: found.append(lab.transfers.get(event.id).status))
    with lab.inbox(router=router):
        lab.trigger("transfer.completed")
    assert found == ["completed"]


def test_a_handler_that_raises_is_given_the_event_again(lab):
    """If a handler raises, the service delivers the event again."""
    router, failures, seen = Router(), [OSError("away")], []

    @router.default
    def fragile(event):
        if failures:
            raise failures.pop()
        seen.append(event.type)

    with lab.inbox("transfer.completed", router=router) as inbox:
        lab.trigger("transfer.completed")
        lab.sleep(10)
    assert (seen, inbox[0].deliveries) == (["transfer.completed"], 2)


def test_a_file_keeps_events_across_inboxes(lab, tmp_path):
    """A second inbox on the file has the events of the first; older payments are not expected."""
    path = tmp_path / "events.jsonl"
    lab.simulator.seed(transfers=20)
    with lab.inbox(path=path):
        lab.trigger("transfer.completed")
        assert lab.reconcile(events=path)
    with lab.inbox(path=path) as again:
        assert len(again) == 4
    with lab.inbox("transfer.created") as inbox:
        lab.trigger("transfer.completed")
        live = lab.reconcile()
        saved = lab.reconcile(events=inbox.save(tmp_path / "saved.jsonl"))
        assert live.report() == saved.report()
        assert len(live.frame()) == 1


def test_over_http_it_is_a_port(served):
    """Over HTTP, the inbox listens on a port, and `wait` advances the clock of the simulator."""
    with served.inbox() as inbox:
        served.trigger("conversion.created")
        assert inbox.url.startswith("http://127.0.0.1:")
        assert inbox.wait(type="conversion.completed").status == "completed"
        assert httpx.post(inbox.url, content=b"junk", trust_env=False).status_code == 415


def test_an_embedded_lab_may_have_a_port_too(lab):
    """An inbox of an embedded simulator can listen on a port; handlers can call the service."""
    router, found = Router(), []
    router.on("transfer.created")(lambda event: found.append(lab.transfers.get(event.id).id))
    with lab.inbox(port=0, router=router) as inbox:
        events = lab.trigger("transfer.created")
        inbox.wait(type="transfer.created")
        body = json.dumps({"event_type": "wallet.opened", "event_payload": {}})
        kind = {"content-type": "application/json"}
        assert httpx.post(inbox.url, content=body, headers=kind, trust_env=False).status_code == 200
    assert found == [events[0].id]


def test_a_service_elsewhere_needs_a_way_in():
    """A remote service cannot reach a loopback port; the error suggests `lab.watch`."""
    lab = paylab.connect("https://pay.test", "k", "s")
    with pytest.raises(ConfigError, match=r"lab\.watch"):
        lab.inbox()


def test_a_refused_subscription_leaves_nothing_open(lab):
    """A refused subscription leaves no listening thread behind."""
    before = threading.active_count()
    with pytest.raises(paylab.RuleError):
        lab.inbox(["transfer.unheard_of"], port=0)
    assert threading.active_count() <= before


def descriptors():
    """The number of open file descriptors of this process."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system does not a list them")
def test_an_inbox_of_a_closed_lab_can_be_closed(lab):
    """Closing it, also at the end of the process, is no error although no request can be sent."""
    inbox = lab.inbox()
    lab.close()
    inbox.close()
    assert not inbox.is_open


def test_closed_inboxes_leave_no_file_open(lab):
    """Closed inboxes hold no open file, and their events can still be read."""
    lab.inbox().close()
    before = descriptors()
    inboxes = [lab.inbox() for _ in range(5)]
    lab.trigger("transfer.created")
    for each in inboxes:
        each.close()
    assert descriptors() <= before
    assert [each[0].type for each in inboxes] == ["transfer.created"] * 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_leaves_the_inbox_alone():
    """A forked child that exits neither unsubscribes nor deletes the parent's stored events."""
    code = (
        "import os, sys, paylab\n"
        "lab = paylab.connect()\n"
        "inbox = lab.inbox()\n"
        "child = os.fork()\n"
        "if not child: sys.exit()\n"
        "os.waitpid(child, 0)\n"
        "lab.trigger('transfer.created')\n"
        "inbox.close()\n"
        "print(len(inbox))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
