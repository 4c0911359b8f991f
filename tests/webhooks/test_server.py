"""The receiver on a port: answers over HTTP, many senders, and slow or broken connections."""

from __future__ import annotations

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import httpx
import pytest

from paylab.errors import ConfigError
from paylab.runtime import listen
from paylab.webhooks.port import PORT_LIMITS, Port, PortLimits
from paylab.webhooks.receiver import BODY_BYTES_MAX

BURST, SENDERS = 320, 16
KIND = {"content-type": "application/json"}


@pytest.fixture
def port(receiver, request):
    """An open port, with the limits of the test if it gives some."""
    made = Port(receiver, limits=getattr(request, "param", PORT_LIMITS)).start()
    yield made
    made.stop()


@pytest.fixture
def client():
    """A client that keeps its connection open."""
    with httpx.Client(trust_env=False, verify=False, timeout=30) as made:
        yield made


@pytest.mark.parametrize(
    ("method", "kind", "size", "status"),
    [
        ("POST", "application/json", None, 200),
        ("POST", "application/json", BODY_BYTES_MAX + 1, 413),
        ("POST", "application/json", 20_000_000, 413),
        ("POST", "text/plain", None, 415),
        ("GET", "application/json", 0, 405),
        ("DELETE", "application/json", 0, 405),
    ],
)
def test_the_port_gives_the_receiver_answers(
    port, client, delivery, events, method, kind, size, status
):
    """The port gives the receiver's answers; a body that is too large is not read to the end."""
    content = delivery(1) if size is None else b" " * size
    try:
        answer = client.request(method, port.url, content=content, headers={"content-type": kind})
    except httpx.WriteError:  # the server did not read the rest of a huge body
        assert size == 20_000_000
        return
    assert (answer.status_code, len(events.all())) == (status, int(status == 200))


@pytest.mark.parametrize(
    ("path", "headers", "status", "is_closed"),
    [
        (None, {}, 415, False),
        ("/events", {}, 404, True),
        (None, {"host": "attacker.example"}, 421, True),
        (None, {"host": "localhost", "origin": "https://attacker.example"}, 403, True),
    ],
)
def test_a_connection_is_closed_if_the_body_was_not_read(
    port, client, path, headers, status, is_closed
):
    """An answer to a request that was not read to its end closes the connection."""
    url = f"http://127.0.0.1:{port.number}{path or port.path}"
    answer = client.post(url, content=b"x", headers=headers)
    assert (answer.status_code, answer.headers.get("connection") == "close") == (status, is_closed)


@pytest.mark.parametrize("first", ["attacker.example", "localhost"])
def test_a_request_has_one_host(port, events, delivery, first):
    """A second Host is refused, also a valid one."""
    sender = HTTPConnection("127.0.0.1", port.number, timeout=30)
    sender.putrequest("POST", port.path, skip_host=True)
    content = delivery(1)
    headers = [("Host", first), ("Host", "localhost"), ("Content-Length", str(len(content)))]
    for name, value in headers:
        sender.putheader(name, value)
    sender.endheaders(content)
    assert (sender.getresponse().status, events.all()) == (400, [])
    sender.close()


def test_other_paths_are_nobody(port, client, delivery):
    """Another path is answered 404: events are unsigned, so their path is secret."""
    url = f"http://127.0.0.1:{port.number}/events"
    assert client.post(url, content=delivery(1)).status_code == 404


def test_it_listens_on_this_machine_alone(port):
    """The socket of the port is bound to 127.0.0.1, as its URL says."""
    assert port._socket.getsockname() == ("127.0.0.1", port.number)
    assert port.url == f"http://127.0.0.1:{port.number}{port.path}"


def test_a_port_in_use_is_a_config_error(port, receiver):
    """A port that is in use is an error that names the port."""
    with pytest.raises(ConfigError, match=f"port {port.number}"):
        Port(receiver, port.number)


def test_a_burst_loses_nothing_that_was_acknowledged(port, events, delivery):
    """Hundreds of events of 16 senders are all answered 200, and each is stored once."""

    def send(numbers):
        sender = HTTPConnection("127.0.0.1", port.number, timeout=30)
        return [_post(sender, port.path, delivery(1, f"t{number}")) for number in numbers]

    with ThreadPoolExecutor(SENDERS) as pool:
        answers = pool.map(send, [range(first, BURST, SENDERS) for first in range(SENDERS)])
    assert set().union(*answers) == {200}
    assert len({arrival.id for arrival in events.all()}) == BURST


def _post(sender, path, body):
    sender.request("POST", path, body, {"content-type": "application/json"})
    answer = sender.getresponse()
    answer.read()
    return answer.status


@pytest.mark.parametrize("port", [PortLimits(body_seconds=0.3)], indirect=True)
def test_a_slow_sender_is_cut_off(port, client, delivery):
    """A sender that does not finish its body is answered 408, and others are not delayed."""
    with socket.create_connection(("127.0.0.1", port.number)) as slow:
        head = f"POST {port.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        slow.sendall(f"{head}Content-Length: 99\r\n\r\n{{".encode())
        kind = {"content-type": "application/json"}
        assert client.post(port.url, content=delivery(1), headers=kind).status_code == 200
        slow.settimeout(5)
        assert slow.recv(100).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("head", [b"", b"POST /x HTTP/1.1\r\nHost: x\r\nX-A"])
@pytest.mark.parametrize("port", [PortLimits(headers_seconds=0.2)], indirect=True)
def test_a_head_that_does_not_come_is_not_waited_for(port, head):
    """A connection is closed if it does not send a complete request head in time."""
    with socket.create_connection(("127.0.0.1", port.number), timeout=5) as slow:
        slow.sendall(head)
        assert _end(slow) == b""


def test_a_head_without_end_is_cut_off(port):
    """A connection that sends an endless header is closed."""
    with (
        socket.create_connection(("127.0.0.1", port.number), timeout=5) as endless,
        pytest.raises(ConnectionError),
    ):
        endless.sendall(b"POST /x HTTP/1.1\r\nX-A: " + b"a" * 50_000_000)


def _end(sender):
    """The bytes that arrive before the connection ends."""
    try:
        return sender.recv(100)
    except ConnectionResetError:
        return b""


def test_a_connection_is_kept_for_the_next_delivery(port, delivery, events):
    """Two deliveries arrive on one socket."""
    connection = HTTPConnection("127.0.0.1", port.number)
    sockets = []
    for name in ("t1", "t2"):
        connection.request("POST", port.path, delivery(1, name), KIND)
        answer = connection.getresponse()
        assert (answer.status, answer.read() is not None) == (200, True)
        sockets.append(connection.sock)
    connection.close()
    assert sockets[0] is sockets[1] is not None
    assert len(events.all()) == 2


def test_a_small_answer_does_not_wait_for_a_timer_of_tcp():
    """asyncio sets TCP_NODELAY only on a socket that was made for TCP by name."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_bodies_that_are_cut_off_are_not_kept(port, events):
    """An event is not stored if its sender disconnects in the middle of the body."""
    with socket.create_connection(("127.0.0.1", port.number)) as gone:
        head = f"POST {port.path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        gone.sendall(f"{head}Content-Length: 999\r\n\r\n{json.dumps({'event_type': 'x'})}".encode())
    time.sleep(0.2)
    assert len(events.all()) == 0
