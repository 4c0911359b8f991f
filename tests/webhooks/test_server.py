"""The receiver on a port: what arrives from outside, and how much at once."""

from __future__ import annotations

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import httpx
import pytest

from paylab import serving
from paylab.errors import ConfigError
from paylab.webhooks import receiver as shell
from paylab.webhooks.receiver import MOST_BYTES, Port, Receiver

from .conftest import NOW

BURST, SENDERS = 10_000, 16


@pytest.fixture
def port(receiver):
    """An open port."""
    made = Port(receiver).start()
    yield made
    made.stop()


@pytest.fixture
def client():
    """A sender that keeps its connection."""
    with httpx.Client(trust_env=False, verify=False, timeout=30) as made:
        yield made


@pytest.mark.parametrize(
    ("method", "kind", "size", "status"),
    [
        ("POST", "application/json", None, 200),
        ("POST", "application/json", MOST_BYTES + 1, 413),
        ("POST", "application/json", 20_000_000, 413),
        ("POST", "text/plain", None, 415),
        ("GET", "application/json", 0, 405),
        ("DELETE", "application/json", 0, 405),
    ],
)
def test_answers(port, client, delivery, store, method, kind, size, status):
    """As the receiver answers; a body is read no further than it needs to be."""
    content = delivery(1) if size is None else b" " * size
    try:
        answer = client.request(method, port.url, content=content, headers={"content-type": kind})
    except httpx.WriteError:  # the rest of a huge body was not wanted
        assert size == 20_000_000
        return
    assert (answer.status_code, store.count()) == (status, int(status == 200))


def test_other_paths_are_nobody(port, client, delivery):
    """The path cannot be guessed, and events are unsigned."""
    url = f"http://127.0.0.1:{port.number}/events"
    assert client.post(url, content=delivery(1)).status_code == 404


def test_it_listens_on_this_machine_alone(port):
    """Not on its address in any network."""
    assert port.url.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_a_config_error(port, receiver):
    """In one sentence."""
    with pytest.raises(ConfigError, match=f"port {port.number}"):
        Port(receiver, port.number)


def test_a_burst_loses_nothing_that_was_acknowledged(port, store, delivery):
    """Ten thousand events from sixteen senders: each is kept once."""

    def send(numbers):
        sender = HTTPConnection("127.0.0.1", port.number, timeout=30)
        return [_post(sender, port.path, delivery(1, f"t{number}")) for number in numbers]

    with ThreadPoolExecutor(SENDERS) as pool:
        answers = pool.map(send, [range(first, BURST, SENDERS) for first in range(SENDERS)])
    assert set().union(*answers) == {200}
    assert len({arrival.id for arrival in store.walk()}) == BURST


def _post(sender, path, body):
    sender.request("POST", path, body, {"content-type": "application/json"})
    answer = sender.getresponse()
    answer.read()
    return answer.status


def test_more_than_may_wait_are_asked_to_come_again(store, delivery):
    """What was answered 2xx is there, what was answered 503 is not; memory stays bounded."""
    app = shell.InboxApp(Receiver(store, lambda: NOW), "/e")
    app._present = shell.AT_ONCE + shell.WAITING
    answer = _ask(app, delivery(1))
    assert (answer["status"], store.count()) == (503, 0)
    assert (b"retry-after", b"1") in answer["headers"]


def _ask(app, body):
    """One request to an ASGI application, without a socket."""
    import asyncio

    sent = []

    async def receive():
        return {"type": "http.request", "body": body}

    async def send(message):
        sent.append(message)

    asyncio.run(app({"type": "http", "path": "/e", "method": "POST", "headers": []}, receive, send))
    return sent[0]


def test_a_slow_sender_is_cut_off(port, client, delivery, monkeypatch):
    """And holds up nobody meanwhile."""
    monkeypatch.setattr(shell, "BODY_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", port.number)) as slow:
        head = f"POST {port.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        slow.sendall(f"{head}Content-Length: 99\r\n\r\n{{".encode())
        kind = {"content-type": "application/json"}
        assert client.post(port.url, content=delivery(1), headers=kind).status_code == 200
        slow.settimeout(5)
        assert slow.recv(100).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("head", [b"", b"POST /x HTTP/1.1\r\nHost: x\r\nX-A"])
def test_a_head_that_does_not_come_is_not_waited_for(receiver, monkeypatch, head):
    """Idle connections are not kept until there are no more for anybody else."""
    monkeypatch.setattr(serving, "HEAD_SECONDS", 0.2)
    port = Port(receiver).start()
    with socket.create_connection(("127.0.0.1", port.number), timeout=5) as slow:
        slow.sendall(head)
        assert _end(slow) == b""
    port.stop()


def test_a_head_without_end_is_cut_off(port):
    """Headers are not collected until memory is full."""
    with (
        socket.create_connection(("127.0.0.1", port.number), timeout=5) as endless,
        pytest.raises(ConnectionError),
    ):
        endless.sendall(b"POST /x HTTP/1.1\r\nX-A: " + b"a" * 50_000_000)


def _end(sender):
    """What comes before the connection ends."""
    try:
        return sender.recv(100)
    except ConnectionResetError:
        return b""


def test_a_kept_connection_is_quick(port, client, delivery):
    """Nobody waits for a timer of TCP: half of fifty deliveries take less than 20 ms each."""
    kind, times = {"content-type": "application/json"}, []
    for number in range(50):
        began = time.perf_counter()
        client.post(port.url, content=delivery(1, f"t{number}"), headers=kind)
        times.append(time.perf_counter() - began)
    assert sorted(times)[25] < 0.02


def test_bodies_that_are_cut_off_are_not_kept(port, store):
    """A sender that goes away in the middle leaves nothing."""
    with socket.create_connection(("127.0.0.1", port.number)) as gone:
        head = f"POST {port.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        gone.sendall(f"{head}Content-Length: 999\r\n\r\n{json.dumps({'event_type': 'x'})}".encode())
    time.sleep(0.2)
    assert store.count() == 0
