"""Webhook delivery to real HTTP receivers on this machine."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack

import pytest
from http_receiver import Receiver

from paylab.simulator.delivery import post
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator

ALL = [f"transfer.{name}" for name in ("created", "funded", "payout_initiated", "completed")]


@pytest.fixture
def receiver():
    """A function that starts a receiver; all receivers are stopped at the end."""
    with ExitStack() as stack:
        yield lambda answer=204: stack.enter_context(Receiver(answer))


def subscribe(service, url, types=ALL):
    """Subscribe a URL to event types."""
    return service.made("/v1/webhook_subscriptions", {"url": url, "event_types": types})


def until(true, seconds=8):
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.002)
    assert true()


def test_a_delivery_is_a_json_post_to_the_url(wire, receiver):
    """A delivery is a JSON POST to the URL with its query, without authentication headers."""
    hook = receiver()
    subscribe(wire, hook.url)
    made = wire.transfer()
    until(lambda: hook.got)
    path, headers, body = hook.got[0]
    headers = {name.lower(): value for name, value in headers.items()}
    assert path == "/hook?a=1&b=%2F"
    assert headers["content-type"] == "application/json"
    assert not {"authorization", "x-api-key"} & headers.keys()
    assert body["event_payload"]["id"] == made["id"]


def test_advance_waits_for_deliveries(wire, receiver):
    """Advancing the clock returns after all due events are delivered, in order."""
    hook = receiver()
    subscribe(wire, hook.url)
    wire.transfer()
    wire.advance(3)
    assert hook.types == ["created", "funded", "payout_initiated", "completed"]


def test_a_receiver_that_asks_the_service(wire, receiver):
    """A receiver can call the API while it handles an event; the advance does not hang."""
    seen = []

    def ask(_, body):
        row = body["event_payload"]
        seen.append(wire.get(f"/v1/transfers/{row['id']}")["status"])
        return 200

    subscribe(wire, receiver(ask).url)
    wire.transfer()
    began = time.monotonic()
    assert wire.advance(10).status == 200
    assert time.monotonic() - began < 5
    assert seen == ["awaiting_funds", "started", "started", "completed"]


@pytest.mark.parametrize("status", [500, 302, 307])
def test_a_failed_delivery_has_four_attempts_in_simulator_time(wire, receiver, status):
    """A failed delivery has four attempts in simulator time; redirects are not followed."""
    hook = receiver(status)
    subscribe(wire, hook.url, ALL[:1])
    wire.transfer()
    wire.advance(3600)
    rows = wire.get("/_simulator/deliveries").json
    assert [(row["attempt"], row["status"], row["at"][14:19]) for row in rows] == [
        (1, status, "00:00"),
        (2, status, "00:05"),
        (3, status, "00:35"),
        (4, status, "05:35"),
    ]
    assert [path for path, _, _ in hook.got] == ["/hook?a=1&b=%2F"] * 4


def test_a_refused_connection_is_a_failed_attempt_recorded_with_the_error(wire):
    """A refused connection is a failed attempt, recorded with the error."""
    subscribe(wire, "http://127.0.0.1:9/", ALL[:1])
    wire.transfer()
    wire.advance(6)
    rows = wire.get("/_simulator/deliveries").json
    assert [(row["attempt"], row["status"]) for row in rows] == [(1, None), (2, None)]
    assert "ConnectError" in rows[0]["error"]


def test_a_hanging_receiver_holds_up_nobody(wire, receiver):
    """A receiver that hangs does not delay the events of other receivers."""
    let_go = threading.Event()
    slow, quick = receiver(lambda *_: let_go.wait(10) and 200), receiver()
    subscribe(wire, slow.url)
    subscribe(wire, quick.url)
    account = wire.payable()
    for _ in range(6):
        wire.transfer(account)
    until(lambda: len(quick.got) == 6, 3)
    assert len(slow.got) <= 4
    let_go.set()
    until(lambda: len(slow.got) == 6)


def test_after_a_subscription_is_deleted_it_gets_no_event_and_no_retry(wire, receiver):
    """After a subscription is deleted, it gets no event and no retry."""
    hook = receiver(500)
    made = subscribe(wire, hook.url)
    wire.transfer()
    until(lambda: wire.get("/_simulator/deliveries").json)
    assert wire.delete(f"/v1/webhook_subscriptions/{made['id']}").status == 204
    wire.advance(3600)
    assert hook.types == ["created"]


def test_a_delivery_that_a_reset_interrupts_is_not_recorded(wire, receiver):
    """The result of a delivery that was running during a reset is not recorded."""
    began, let_go = threading.Event(), threading.Event()
    hook = receiver(lambda *_: began.set() or (let_go.wait(5) and 500))
    subscribe(wire, hook.url)
    wire.transfer()
    assert began.wait(5)
    wire.post("/_simulator/reset", {})
    let_go.set()
    wire.advance(3600)
    assert wire.get("/_simulator/deliveries").json == []


def test_a_delivery_that_a_deletion_interrupts_is_not_retried(wire, receiver):
    """A delivery that is running during the deletion ends and is not retried."""
    began, let_go = threading.Event(), threading.Event()

    def hang(*_):
        began.set()
        let_go.wait(10)
        return 500

    hook = receiver(hang)
    made = subscribe(wire, hook.url)
    wire.transfer()
    assert began.wait(5)
    assert wire.delete(f"/v1/webhook_subscriptions/{made['id']}").status == 204
    let_go.set()
    wire.advance(3600)
    assert hook.types == ["created"]


def test_events_of_many_transfers_arrive_in_order(wire, receiver):
    """The events of each of many transfers arrive in order."""
    hook = receiver(lambda *_: time.sleep(0.002) or 200)
    subscribe(wire, hook.url)
    account = wire.payable()
    made = [wire.transfer(account)["id"] for _ in range(12)]
    wire.advance(10)
    for row_id in made:
        mine = [body for _, _, body in hook.got if body["event_payload"]["id"] == row_id]
        assert [body["event_type"] for body in mine] == ALL


def test_with_a_running_clock_a_failed_delivery_is_retried_without_a_control_request(
    serve, receiver
):
    """With a running clock a failed delivery is retried without a control request."""
    answers = [500, 200]
    hook = receiver(lambda *_: answers.pop(0) if answers else 200)
    service = serve(frozen=False, speed=20)
    subscribe(service, hook.url, ALL[:1])
    service.transfer(service.payable())
    rows = "/_simulator/deliveries"
    until(lambda: [row["status"] for row in service.get(rows).json] == [500, 200])
    assert len(hook.got) == 2


def test_a_receiver_that_drips_runs_out_of_time(receiver):
    """The time limit covers the whole answer, not each byte. Assumption `webhook.time`."""

    def drip(handler, _):
        for byte in b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100:
            handler.wfile.write(bytes([byte]))
            time.sleep(0.05)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        post(receiver(drip).url, b"{}", timeout=0.3)
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    "answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x00" * 100, b""]
)
def test_an_answer_that_is_not_http_is_a_failed_attempt(wire, receiver, answer):
    """An answer that is not HTTP is a failed attempt without a status."""

    def babble(handler, _):
        handler.wfile.write(answer)
        handler.close_connection = True

    subscribe(wire, receiver(babble).url, ALL[:1])
    wire.transfer()
    wire.advance(1)
    [row] = wire.get("/_simulator/deliveries").json
    assert (row["status"], row["attempt"]) == (None, 1)


def test_after_its_server_has_stopped_a_simulator_delivers_events_before_it_answers(
    in_process, receiver
):
    """After its server has stopped, a simulator delivers events before it answers."""
    hook = receiver()
    service = in_process(Simulator())
    with Server(service.simulator):
        subscribe(service, hook.url)
    service.transfer()
    service.advance(3)
    assert hook.types == ["created", "funded", "payout_initiated", "completed"]
