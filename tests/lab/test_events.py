"""The events of a lab: its inbox, and the events that it makes a simulator send."""

from __future__ import annotations

import json

import httpx
import pytest
from http_receiver import Receiver

import paylab
from paylab.client.settings import Settings
from paylab.lab.inbox import read_current
from paylab.lab.lab import Lab
from paylab.spec import codes


@pytest.fixture(scope="module")
def shared():
    """A lab on a simulator without data, for tests that only add objects."""
    with paylab.connect(simulator=paylab.simulator.Simulator()) as lab:
        yield lab


@pytest.mark.parametrize("event_type", codes.EVENT_TYPES)
def test_a_new_resource_reaches_every_event(shared, event_type):
    """The events of a new resource end with the wanted one; a payment is made each time."""
    first, second = (shared.trigger(event_type) for _ in range(2))
    assert event_type in {event.type for event in first}
    assert {event.id for event in first} != {event.id for event in second}
    assert len({event.id for event in first}) == 1


def test_an_own_resource_is_moved(shared):
    """With an id only what is new is returned, and the resource is the given one."""
    transfer = shared.trigger("transfer.created")[-1].id
    types = [event.type for event in shared.trigger("transfer.completed", transfer)]
    assert types[-1] == "transfer.completed"
    assert "transfer.created" not in types
    with pytest.raises(paylab.SimulatorError, match="legal moves: none, this status is final"):
        shared.trigger("transfer.failed", transfer)


@pytest.mark.parametrize(
    ("event", "row_id", "to", "words"),
    [
        ("transfer.paid", None, None, "event_type: must be one of .*, not transfer.paid"),
        ("transfer.completed", None, "active", "to: is for individual"),
        ("transfer.completed", "tr_1", None, "404 no transfer has the id tr_1"),
        ("individual.status_changed", "ind_1", None, "404 no individual has the id ind_1"),
    ],
)
def test_what_cannot_be_triggered_is_said(shared, event, row_id, to, words):
    """An unknown event, a status for another event, an id of nothing."""
    with pytest.raises(paylab.PaylabError, match=words):
        shared.trigger(event, row_id, to=to)


@pytest.mark.parametrize(
    ("to", "status"), [(None, "pending"), ("pending", "pending"), ("active", "active")]
)
def test_an_individual_goes_to_a_chosen_status(shared, to, status):
    """Without `to` a new individual goes one step on."""
    assert shared.trigger("individual.status_changed", to=to)[-1].status == status


def test_only_a_simulator_can_be_made_to_send_events():
    """A real service is left alone."""
    lab = paylab.connect("https://api.example.com", "key", "secret")
    with pytest.raises(paylab.ConfigError, match="only a simulator can trigger events"):
        lab.trigger("transfer.created")
    assert lab.events() == lab.events("x") == []
    with pytest.raises(paylab.ConfigError, match="cannot reach this machine: pass port=PORT"):
        lab.inbox()
    assert not lab.calls


def test_an_object_that_has_no_events_is_said(shared):
    """Only a simulator is known to give ids to each kind that begin in the same way."""
    with pytest.warns(paylab.errors.RuleWarning, match="qt_1 has no events; only conversions"):
        assert shared.events("qt_1") == []


def test_each_inbox_has_an_address_and_ends_with_its_subscription(lab):
    """Two inboxes get the same event; a closed one leaves no subscription and no address."""
    with lab.inbox() as first, lab.inbox("transfer.created") as second:
        assert first.url != second.url
        lab.trigger("transfer.completed")
        assert [each.type for each in second] == ["transfer.created"]
        assert first[-1].type == "transfer.completed"
        assert len(lab.webhook_subscriptions.list().to_list()) == 2
    assert lab.webhook_subscriptions.list().to_list() == []
    second.close()
    with lab.inbox() as third:
        assert third.url == first.url


def test_an_inbox_goes_on_without_its_subscription(lab):
    """Closing works when the subscription is gone, and when the lab is closed."""
    inbox, other = lab.inbox(), lab.inbox()
    for each in lab.webhook_subscriptions.list():
        lab.webhook_subscriptions.delete(each.id)
    inbox.close()
    lab.close()
    other.close()
    assert not inbox.is_open
    assert not other.is_open


@pytest.mark.parametrize("answer", [204, 500])
def test_an_event_is_handled_and_forwarded(lab, answer):
    """The router is called first; the answer of the handler at the URL is the answer."""
    router, seen, told = paylab.events.Router(), [], []
    with Receiver(lambda *_: answer if seen else 400) as handler:
        router.default(seen.append)
        with lab.inbox(router=router, forward_to=handler.url) as inbox:
            inbox.on_arrival(told.append)
            lab.trigger("transfer.created")
    assert told[0].answered == answer
    assert seen[0].type == "transfer.created"
    assert json.loads(handler.bodies[0])["event_type"] == "transfer.created"


def test_a_handler_that_cannot_be_reached_answers_nothing(lab):
    """An event for a port without a program has 0 as its answer."""
    told = []
    with lab.inbox(forward_to="http://127.0.0.1:9/hook") as inbox:
        inbox.on_arrival(told.append)
        lab.trigger("transfer.created")
    assert told[0].answered == 0


def test_a_router_alone_answers_200(lab):
    """Without a URL what was handled is received."""
    told = []
    for router in (paylab.events.Router(), None):
        with lab.inbox(router=router) as inbox:
            inbox.on_arrival(told.append)
            lab.trigger("transfer.created")
    assert [each.answered for each in told] == [200, None]


def test_a_file_that_cannot_be_written_ends_an_inbox(lab):
    """The subscription is removed again."""
    with pytest.raises(paylab.ConfigError):
        lab.inbox(path="/nowhere/at/all/events.jsonl")
    assert lab.webhook_subscriptions.list().to_list() == []


def test_the_current_state_is_what_the_service_sends_now(shared):
    """What the service sends now; None for an unknown family, no id and no such resource."""
    row_id = shared.trigger("transfer.created")[-1].id
    found = read_current(shared.client, "transfer", row_id)
    assert found is not None
    assert found["id"] == row_id
    nothing = [("other", row_id), ("transfer", ""), ("transfer", "tr_nobody")]
    assert [read_current(shared.client, *each) for each in nothing] == [None] * 3


def test_a_reconciliation_uses_the_latest_inbox_or_the_simulator(lab):
    """Without events of an own, those of the latest inbox, else those of the simulator."""
    lab.trigger("transfer.completed")
    assert "the events of 1 payment" in repr(lab.reconcile())
    lab.inbox().close()
    assert "the events of 0 payments" in repr(lab.reconcile())
    with lab.inbox() as latest:
        lab.trigger("transfer.completed")
    assert "the events of 1 payment" in repr(lab.reconcile())
    lab.inbox().close()
    assert "the events of 1 payment" in repr(lab.reconcile(events=latest))


def test_a_lab_elsewhere_receives_on_a_port():
    """With a URL for the service, the inbox listens on a port of this machine."""
    made = {"id": "wh_1", "url": "https://tunnel.example.com/", "event_types": []}
    made |= {"is_active": True, "created_at": "2026-01-31T09:30:00.000Z"}
    sent = []

    def answer(request):
        sent.append(request)
        return httpx.Response(201 if request.method == "POST" else 204, json=made)

    settings = Settings("https://api.example.com", "key", "secret")
    lab = Lab(settings, transport=httpx.MockTransport(answer))
    with lab.inbox(url="https://tunnel.example.com/") as inbox:
        assert inbox.url.startswith("http://127.0.0.1:")
    assert b'"https://tunnel.example.com/"' in sent[0].content
    assert sent[1].method == "DELETE"
