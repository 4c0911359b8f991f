"""Webhook delivery: subscribers, order, retries, faults and the delivery log."""

from __future__ import annotations

import json

import pytest

from paylab.spec.service import Service

ALL = [
    *(f"transfer.{name}" for name in ("created", "funded", "payout_initiated", "completed")),
    *("transfer.failed", "transfer.expired"),
    *(f"conversion.{name}" for name in ("created", "payout_initiated", "completed", "failed")),
    "individual.status_changed",
]


class Receiver:
    """A receiver that answers from a list; the last answer repeats."""

    def __init__(self, *answers):
        self.answers, self.got = list(answers) or [200], []

    def __call__(self, url, body):
        """Store an event, and return or raise the next answer."""
        self.got.append((url, json.loads(body)))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def types(self):
        """The event types received, in order, without the resource prefix."""
        return [body["event_type"].partition(".")[2] for _, body in self.got]


@pytest.fixture
def post(make):
    """A function that creates a service with a receiver and subscriptions."""

    def made(receiver, types=ALL, urls=("https://example.com/hook",), order="independent"):
        service = make(send=receiver, service=Service({"webhooks.order": order}))
        service.subscriptions = [
            service.made("/v1/webhook_subscriptions", {"url": url, "event_types": list(types)})
            for url in urls
        ]
        return service

    return made


def log(service, *names):
    """The given columns of the delivery log."""
    rows = service.get("/_simulator/deliveries").json
    return [tuple(row[name] for name in names) for row in rows]


def test_each_event_of_a_transfer_arrives_once_in_order(post):
    """Each event of a transfer arrives once, in order, with the transfer as it was then."""
    receiver = Receiver()
    service = post(receiver)
    made = service.transfer()
    service.advance(3)
    assert receiver.types == ["created", "funded", "payout_initiated", "completed"]
    payloads = [body["event_payload"] for _, body in receiver.got]
    assert [each["status"] for each in payloads] == [
        *("awaiting_funds", "started", "started", "completed")
    ]
    assert all(body.keys() == {"event_type", "event_payload"} for _, body in receiver.got)
    assert payloads[0] | {"source_currency": "USD", "destination_currency": "MXN"} == made | {
        "fee_currency": "usd",
        "tax_currency": "usd",
    }


def test_each_event_of_a_conversion_has_what_is_known_then(post):
    """A payout field is null until it is set; events have currencies in lower case."""
    receiver = Receiver()
    service = post(receiver, [each for each in ALL if each.startswith("conversion")])
    service.deposit(service.on_ramp("MX"))
    service.advance(3)
    assert receiver.types == ["created", "payout_initiated", "completed"]
    payouts = [body["event_payload"]["payout"] for _, body in receiver.got]
    times = ("tx_hash", "initiated_at", "completed_at")
    assert [[each[name] is None for name in times] for each in payouts] == [
        [True, True, True],
        [False, False, True],
        [False, False, False],
    ]
    deposit = receiver.got[0][1]["event_payload"]["deposit"]
    assert (deposit["currency"], payouts[0]["currency"]) == ("mxn", "usdc")


def test_only_what_was_subscribed_to(post):
    """A receiver gets only the types that it subscribed to, of events since its subscription."""
    receiver = Receiver()
    service = post(receiver, urls=())
    service.transfer()
    service.advance(3)
    late = service.transfer()
    url = {"url": "https://example.com/hook", "event_types": ["transfer.completed"]}
    service.made("/v1/webhook_subscriptions", url)
    service.advance(3)
    got = [(body["event_type"], body["event_payload"]["id"]) for _, body in receiver.got]
    assert got == [("transfer.completed", late["id"])]


def test_every_subscription_gets_its_own(post):
    """With two subscriptions each event is delivered twice."""
    receiver = Receiver()
    service = post(receiver, ["transfer.created"], ("https://a.co/", "https://b.co/?x=1"))
    service.transfer()
    assert [url for url, _ in receiver.got] == ["https://a.co/", "https://b.co/?x=1"]


@pytest.mark.parametrize("answer", [500, 404, 301, 308, 100, OSError("gone"), ValueError("odd")])
def test_a_failed_delivery_is_retried_after_5_30_and_5_min_then_given_up(post, answer):
    """A failed delivery is retried after 5 s, 30 s and 5 min, then given up."""
    service = post(Receiver(answer), ["transfer.created"])
    service.transfer()
    service.advance(3600)
    assert log(service, "attempt", "at") == [
        (1, "2026-01-15T12:00:00.000Z"),
        (2, "2026-01-15T12:00:05.000Z"),
        (3, "2026-01-15T12:00:35.000Z"),
        (4, "2026-01-15T12:05:35.000Z"),
    ]
    status = answer if isinstance(answer, int) else None
    assert {row[0] for row in log(service, "status")} == {status}
    assert len(service.simulator.world.tables["outbox"]) == 0


@pytest.mark.parametrize("answer", [200, 201, 202, 204, 299])
def test_any_2xx_will_do(post, answer):
    """An event answered with any 2xx is not sent again."""
    service = post(Receiver(answer), ["transfer.created"])
    service.transfer()
    service.advance(3600)
    assert log(service, "attempt", "status") == [(1, answer)]


def test_a_delivery_as_written_down(post):
    """A row of the delivery log has the documented fields."""
    service = post(Receiver(), ["transfer.created"])
    made = service.transfer()
    [row] = service.get("/_simulator/deliveries").json
    assert row["body"]["event_payload"]["id"] == made["id"]
    assert row["headers"]["content-type"] == "application/json"
    [event] = service.get("/_simulator/events").json
    known = {*row} - {"number", "id", "headers", "body", "error"}
    assert {name: row[name] for name in known} == {
        "event_id": event["id"],
        "event_type": "transfer.created",
        "resource_id": made["id"],
        "url": "https://example.com/hook",
        "attempt": 1,
        "cause": "first",
        "status": 200,
        "at": "2026-01-15T12:00:00.000Z",
    }


def test_a_failed_event_is_tried_again_by_itself(post):
    """The later events of its transfer do not wait for it, and its retry comes after them."""
    receiver = Receiver(500, 200)
    service = post(receiver)
    service.transfer()
    service.advance(100)
    assert receiver.types == ["created", "funded", "payout_initiated", "completed", "created"]
    attempts = log(service, "event_type", "attempt", "cause")
    assert attempts[-1] == ("transfer.created", 2, "retry")
    assert len({row["event_id"] for row in service.get("/_simulator/deliveries").json}) == 4


def test_order_is_kept_while_a_receiver_fails(post):
    """By a setting, an event waits for earlier events of its transfer, not for other transfers."""
    receiver = Receiver(500, 200)
    service = post(receiver, order="in_order")
    first = service.transfer()
    service.advance(2)
    second = service.transfer()
    service.advance(100)
    ids = [(body["event_payload"]["id"], body["event_type"]) for _, body in receiver.got]
    assert [kind for row_id, kind in ids if row_id == first["id"]] == [
        *("transfer.created", "transfer.created", "transfer.funded"),
        *("transfer.payout_initiated", "transfer.completed"),
    ]
    assert [row_id for row_id, _ in ids].index(second["id"]) == 1


def test_given_up_makes_way(post):
    """In order, the next event of the transfer is delivered after the last failed attempt."""
    receiver = Receiver(500, 500, 500, 500, 200)
    service = post(receiver, order="in_order")
    service.transfer()
    service.advance(3600)
    assert receiver.types == ["created"] * 4 + ["funded", "payout_initiated", "completed"]


def test_deleting_a_subscription_cancels_its_retries(post):
    """Deleting a subscription cancels its retries."""
    receiver = Receiver(500)
    service = post(receiver)
    service.transfer()
    assert service.delete(f"/v1/webhook_subscriptions/{service.subscriptions[0]['id']}").status == (
        204
    )
    service.advance(3600)
    assert receiver.types == ["created"]
    assert len(service.simulator.world.tables["outbox"]) == 0


def fault(service, kind, **details):
    """Add a fault."""
    return service.made("/_simulator/faults", {"kind": kind, **details})


def test_the_fault_event_duplicate_delivers_the_same_event_twice(post):
    """The fault event_duplicate delivers the same event twice."""
    receiver = Receiver()
    service = post(receiver)
    fault(service, "event_duplicate", event_type="transfer.funded")
    service.transfer()
    service.advance(3)
    assert receiver.types == ["created", "funded", "funded", "payout_initiated", "completed"]
    assert receiver.got[1] == receiver.got[2]


def test_a_lost_event_does_not_hold_up_the_next(post):
    """The fault event_drop loses one event, and the next ones do not wait for it."""
    receiver = Receiver()
    service = post(receiver)
    fault(service, "event_drop", event_type="transfer.funded")
    service.transfer()
    service.advance(1000)
    assert receiver.types == ["created", "payout_initiated", "completed"]


def test_a_late_event_does_not_hold_up_the_next(post):
    """The fault event_delay delivers an event later, and the next ones do not wait for it."""
    receiver = Receiver()
    service = post(receiver)
    fault(service, "event_delay", event_type="transfer.created", seconds=2.5)
    service.transfer()
    service.advance(10)
    assert receiver.types == ["funded", "payout_initiated", "created", "completed"]


def test_an_overtaken_event_comes_right_after_the_next(post):
    """The fault event_reorder delivers an event right after the next one of its transfer."""
    receiver = Receiver()
    service = post(receiver)
    fault(service, "event_reorder", event_type="transfer.created")
    service.transfer()
    service.advance(10)
    assert receiver.types == ["funded", "created", "payout_initiated", "completed"]


@pytest.mark.parametrize(
    ("seconds", "attempts"),
    [
        (0, [(1, 200)]),
        (5, [(1, None), (2, 200)]),
        (5.001, [(1, None), (2, None), (3, 200)]),
        (3600, [(1, None), (2, None), (3, None), (4, None)]),
    ],
)
@pytest.mark.parametrize("order", ["independent", "in_order"])
def test_in_an_outage_attempts_fail_and_are_retried(post, order, seconds, attempts):
    """Nothing reaches the receiver until the outage of an event is over; other events do."""
    receiver = Receiver()
    service = post(receiver, order=order)
    fault(service, "event_outage", event_type="transfer.created", seconds=seconds)
    service.transfer()
    service.advance(3600)
    rows = log(service, "event_type", "attempt", "status")
    assert [row[1:] for row in rows if row[0] == "transfer.created"] == attempts
    assert [row[1:] for row in rows if row[0] != "transfer.created"] == [(1, 200)] * 3
    assert receiver.types.count("created") == sum(status == 200 for _, status in attempts)


def test_an_outage_outlasts_its_block_and_a_snapshot(post):
    """An event of the block stays undelivered until its outage is over, with the error told."""
    receiver = Receiver()
    service = post(receiver, ["transfer.created"])
    armed = fault(service, "event_outage", seconds=10)
    service.transfer()
    service.delete(f"/_simulator/faults/{armed['id']}")
    service.put("/_simulator/snapshot", service.get("/_simulator/snapshot").body)
    service.advance(5)
    assert receiver.got == []
    assert {row[0] for row in log(service, "error")} == {"simulated outage: nothing was sent"}
    service.advance(30)
    assert receiver.types == ["created"]


def test_in_a_loaded_snapshot_a_reordered_event_still_follows_the_one_that_overtook_it(post):
    """In a loaded snapshot a reordered event still follows the one that overtook it."""
    receiver = Receiver()
    service = post(receiver)
    service.post("/_simulator/deliveries", {"paused": True})
    fault(service, "event_reorder", event_type="transfer.created")
    service.transfer()
    service.advance(2)
    service.put("/_simulator/snapshot", service.get("/_simulator/snapshot").body)
    service.advance(0)
    assert receiver.types == ["funded", "created", "payout_initiated"]


def test_a_reordered_event_without_a_next_one_is_delivered(post):
    """A reordered event with no next event is delivered after a minute."""
    receiver = Receiver()
    service = post(receiver)
    fault(service, "event_reorder", event_type="transfer.completed")
    service.transfer()
    service.advance(62.999)
    assert receiver.types[-1] == "payout_initiated"
    service.advance(0.001)
    assert receiver.types[-1] == "completed"


def test_a_failed_overtaken_event_is_retried_once(post):
    """A reordered event that failed is retried once, after the event that overtook it."""
    receiver = Receiver(200, 500, 200)
    service = post(receiver, order="in_order")
    fault(service, "event_reorder", event_type="transfer.funded")
    made = service.transfer(client_reference_id="scenario:under_review")
    service.advance(63)
    service.post(f"/_simulator/objects/{made['id']}", {"to": "started"})
    service.advance(3600)
    assert receiver.types == ["created", "funded", "payout_initiated", "funded", "completed"]
    assert len(service.simulator.world.tables["outbox"]) == 0


def test_two_runs_deliver_in_the_same_order(post):
    """With many subscribers and transfers, two runs make the same deliveries in one order."""
    runs = []
    for _ in range(2):
        receiver = Receiver(200, 500, 200, 200, 500, 200)
        service = post(receiver, ALL, [f"https://{name}.co/" for name in "abc"])
        for _ in range(3):
            service.transfer()
        service.advance(100)
        runs.append((receiver.got, service.get("/_simulator/deliveries").body))
    assert runs[0] == runs[1]


def test_a_receiver_may_ask_the_service(make):
    """A receiver in this process can call the service during a delivery without a deadlock."""
    asked = []

    def receive(url, body):
        row = json.loads(body)["event_payload"]
        asked.append(service.get(f"/v1/transfers/{row['id']}")["status"])
        return 200

    service = make(send=receive)
    service.post("/v1/webhook_subscriptions", {"url": "https://e.co/", "event_types": ALL})
    service.transfer()
    service.advance(10)
    assert asked == ["awaiting_funds", "started", "started", "completed"]


def test_events_are_noted_without_subscribers(service):
    """Every event is recorded, also without a subscription; nothing is delivered then."""
    made = service.transfer()
    service.advance(10)
    rows = service.get("/_simulator/events").json
    assert [row["resource_id"] for row in rows] == [made["id"]] * 4
    assert rows[0].keys() == {"id", "event_type", "resource_id", "at", "body"}
    assert service.get("/_simulator/deliveries").json == []


@pytest.mark.parametrize(
    ("body", "payload"),
    [
        ({"event_type": "transfer.reversed"}, {"status": "awaiting_funds"}),
        ({"event_type": "transfer.reversed", "payload": {"status": "odd"}}, {"status": "odd"}),
        ({"event_type": "transfer.completed"}, {"status": "awaiting_funds"}),
        ({"event_type": "account.closed", "resource_id": "x", "payload": {"a": 1}}, {"a": 1}),
    ],
)
def test_any_event_can_be_sent(post, body, payload):
    """An unknown type reaches every subscription, a known one its subscribers; faults apply."""
    receiver = Receiver()
    service = post(receiver, types=["conversion.created", "transfer.completed"])
    made = service.transfer()
    answer = service.post("/_simulator/events", {"resource_id": made["id"], **body})
    assert (answer.status, answer["deliveries"]) == (201, 1)
    ((_, delivered),) = receiver.got
    assert delivered["event_type"] == body["event_type"]
    assert {name: delivered["event_payload"][name] for name in payload} == payload
    assert answer["body"] == service.get("/_simulator/events").json[-1]["body"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"event_type": ""},
        {"event_type": "a b", "payload": {"a": 1}},
        {"event_type": "a.b"},
        {"event_type": "a.b", "resource_id": "tr_none"},
        {"event_type": "a.b", "payload": []},
        {"event_type": "a.b", "payload": {"a": 1}, "resource": "tr_1"},
        {"event_type": "a.b", "payload": {"a": 1}, "resource_id": 7},
    ],
)
def test_an_event_without_a_meaning_is_refused(service, body):
    """A body without a type, or without an object and a payload, is a 400 and no event."""
    assert service.post("/_simulator/events", body).status == 400
    assert service.get("/_simulator/events").json == []


@pytest.mark.parametrize(
    ("to", "status"),
    [("on_hold", 200), ("completed", 200), ("started", 200), ("on hold", 400), ("", 400)],
)
def test_any_status_can_be_forced(post, to, status):
    """A forced status is that of the object, planned steps end, and a snapshot keeps it."""
    service = post(Receiver())
    made = service.transfer()
    target = f"/_simulator/objects/{made['id']}"
    assert service.post(target, {"to": to, "force": True}).status == status
    service.advance(60)
    seen = service.get(f"/v1/transfers/{made['id']}")["status"]
    if status == 200:
        assert seen == ("completed" if to == "started" else to)
        assert service.get(target)["history"][1]["status"] == to
    dump = service.get("/_simulator/snapshot").json
    assert service.call("PUT", "/_simulator/snapshot", dump).status == 200
    refused = service.post(target, {"to": "pending"})
    assert (refused.status, service.post(target, {"to": "a", "force": 1}).status) == (422, 400)


def test_a_forced_status_of_an_individual_is_an_event(post):
    """individual.status_changed is sent for every change, also to a status that is not known."""
    receiver = Receiver()
    service = post(receiver, types=["individual.status_changed"])
    person = service.person("BR", "global_payouts")
    service.post(f"/_simulator/objects/{person['id']}", {"to": "archived", "force": True})
    ((_, body),) = receiver.got
    payload = body["event_payload"]
    assert (payload["status"], payload["previous_status"]) == ("archived", "active")
