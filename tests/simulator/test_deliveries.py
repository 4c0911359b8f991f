"""Deliveries from outside: waiting for the next, delivering again, pausing."""

import threading

import httpx
import pytest

import paylab
from paylab.errors import SimulatorError, UnknownNameError, UnprocessableError, WaitTimeoutError
from paylab.simulator.deliveries import Deliveries
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.testing.world import PaylabWorld

URL = "https://hooks.example.com/in"
TYPES = ("transfer.created", "transfer.completed")
PAYOUT = {"payout_method": "spei", "source_currency": "USD", "destination_currency": "MXN"}


@pytest.fixture
def answers():
    """The bodies that were received, and the statuses to answer with before 200."""
    return [], []


@pytest.fixture
def lab(answers):
    """A lab whose simulator delivers to a function, with one subscription."""

    def receive(_, body, **__):
        answers[0].append(body)
        return answers[1].pop() if answers[1] else 200

    with paylab.connect(simulator=Simulator(send=receive)) as lab:
        lab.webhook_subscriptions.create(url=URL, event_types=TYPES)
        yield lab


def pay(lab):
    """Create a payout."""
    person = lab.individuals.create(**paylab.examples.recipient("MX"))
    account = paylab.examples.account("MX")
    made = lab.financial_accounts.create(person.id, **account)
    return lab.transfers.create(financial_account={"id": made.id}, source_amount="10.00", **PAYOUT)


def test_each_wait_returns_the_next_attempt(lab, answers):
    """Attempts are returned in order, once, each type for itself; a frozen clock needs a move."""
    answers[1].append(500)
    pay(lab)
    deliveries = lab.simulator.deliveries
    assert deliveries.wait("transfer.created")["status"] == 500
    with pytest.raises(UnprocessableError, match="advance the clock"):
        deliveries.wait("transfer.created")
    lab.simulator.clock.advance("1m")
    found = deliveries.wait("transfer.created")
    assert (found["attempt"], found["status"]) == (2, 200)
    assert deliveries.wait("transfer.completed")["number"] == 2  # not held back by the retry
    assert deliveries.wait()["number"] == 1
    lab.simulator.clock.run()
    for limit in ({"timeout": 0}, {"within": 0}):
        with pytest.raises(WaitTimeoutError, match="completed was not delivered in time"):
            deliveries.wait("transfer.completed", **limit)


def test_an_event_is_delivered_again(lab, answers):
    """The bytes are the same; all are those since the subscription, also one that was dropped."""
    lab.simulator.faults.add("event_drop", event_type="transfer.completed")
    pay(lab)
    lab.simulator.clock.advance("1m")
    deliveries = lab.simulator.deliveries
    [first] = deliveries
    assert deliveries.redeliver(first) == 1
    assert answers[0][0] == answers[0][1]
    later = "https://hooks.example.com/later"
    lab.simulator.clock.advance("1s")
    lab.webhook_subscriptions.create(url=later, event_types=TYPES)
    assert deliveries.redeliver() == 2
    assert [each["event_type"] for each in deliveries[-2:]] == [*TYPES]
    assert {each["url"] for each in deliveries} == {URL}
    [gone, _] = sorted(lab.webhook_subscriptions.list(), key=lambda each: each.created_at)
    lab.webhook_subscriptions.delete(gone.id)
    with pytest.raises(UnprocessableError, match="subscription was deleted"):
        deliveries.redeliver(first)


def test_the_events_of_an_id_are_its_own(lab):
    """The events of an id are its own; without an id, they are those of every resource."""
    one, other = pay(lab), pay(lab)
    assert [event.type for event in lab.simulator.events(one.id)] == ["transfer.created"]
    assert [event.id for event in lab.simulator.events()] == [one.id, other.id]


def test_a_pause_holds_deliveries(lab, answers):
    """Nothing is delivered until the end of a pause, whatever the clock says; nothing is lost."""
    deliveries = lab.simulator.deliveries
    deliveries.pause()
    pay(lab)
    lab.simulator.clock.advance("1h")
    assert lab.simulator.summary()["deliveries"] == {"paused": True, "queued": 2}
    with pytest.raises(UnprocessableError, match="paused"):
        deliveries.wait()
    assert not answers[0]
    deliveries.resume()
    assert [each["event_type"] for each in deliveries] == [*TYPES]
    deliveries.pause()
    lab.simulator.reset()
    assert lab.simulator.summary()["deliveries"] == {"paused": False, "queued": 0}


def test_a_request_waits_for_a_delivery(tmp_path):
    """Over HTTP, an answer with `wait` is sent as soon as there is a delivery."""
    with Server(Simulator(frozen=False)) as server:
        world = PaylabWorld(server)
        world.clock.run()
        world._simulator.delivery.local_receivers[URL] = lambda *_, **__: 200
        world.lab.webhook_subscriptions.create(url=URL, event_types=TYPES)
        bearer = {"authorization": f"Bearer {world.control_token}"}
        path = "/_simulator/deliveries?event_type=transfer.created"
        with httpx.Client(base_url=world.base_url, headers=bearer, trust_env=False) as client:
            assert client.get(f"{path}&wait=0").json() == []
            paying = threading.Timer(0.1, pay, [world.lab])
            paying.start()
            [found] = client.get(f"{path}&wait=20", timeout=30).json()
            paying.join()
            assert client.get(f"{path}&after={found['number']}").json() == []
            assert client.get(f"{path}&wait=x").status_code == 400
            assert client.post("/_simulator/deliveries", json={}).status_code == 400
        world.clock.freeze()
        with pytest.raises(SimulatorError, match="advance the clock"):
            world.deliveries.wait("transfer.failed")
        world.close()


def test_a_misspelt_event_type_is_neither_waited_for_nor_an_empty_list(lab):
    """The error names the nearest type at once."""
    for ask in (lab.simulator.deliveries.wait, lab.simulator.deliveries.of):
        with pytest.raises(UnknownNameError, match=r"nearest: transfer\.completed"):
            ask("transfer.complete")
        with pytest.raises(UnknownNameError, match=r"nearest: transfer\.completed$"):
            ask("transfer.paid")


def test_the_last_ten_are_listed_each_with_its_attempt_and_its_status_or_error(lab):
    """The last ten are listed, each with its attempt and its status or error."""
    rows = [
        {"event_type": "transfer.created", "resource_id": f"tr_{number}", "url": URL}
        | {
            "at": "2026-01-15T12:00:00.000Z",
            "attempt": 1,
            "status": None if number else 500,
            "error": "late" if number else None,
        }
        for number in range(11)
    ]
    lines = Deliveries(lambda *_, **__: rows).text(11).splitlines()
    assert lines[0] == f"transfer.created tr_0 to {URL}: attempt 1 -> 500"
    assert lines[1] == f"transfer.created tr_1 to {URL}: attempt 1 -> late"
    assert Deliveries(lambda *_, **__: rows).text().splitlines() == lines[1:]
    pay(lab)
    assert len(lab.simulator.deliveries.of("transfer.created")) == 1
    assert lab.simulator.deliveries.of("transfer.completed") == []
