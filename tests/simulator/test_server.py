"""The simulator over HTTP: clock, limits, invalid requests, connections, start and stop."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

import paylab
from paylab.errors import AuthenticationError, ConfigError
from paylab.simulator.app import ServerLimits, SimulatorApp
from paylab.simulator.credentials import random_keys
from paylab.simulator.faults import new_fault
from paylab.simulator.routing import CONTROLS
from paylab.simulator.server import Server
from paylab.simulator.simulator import Simulator
from paylab.spec import timestamps

PATH = "/v1/transfers"
MIB = 1024 * 1024


def raw(wire, *parts, answers=1):
    """Send bytes, and return what the server sends until it closes or gave this many answers."""
    said = b""
    with socket.create_connection((wire.server.host, wire.server.port), timeout=0.5) as client:
        for part in parts:
            client.sendall(part)
        with suppress(TimeoutError, ConnectionError):
            while not is_whole(said, answers):
                got = client.recv(65_536)
                said += got
                if not got:
                    break
    return said


def is_whole(said, answers):
    """Whether this many answers arrived, including the body of the last one."""
    *before, last = said.split(b"HTTP/1.1 ")
    head, end, body = last.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: ([0-9]+)", head, re.IGNORECASE)
    return len(before) >= answers and bool(end) and len(body) >= int(length[1] if length else 0)


def status(answer):
    """The status code of an answer's first line."""
    return int(answer.split(b" ", 2)[1]) if answer else None


def head(wire, method="GET", target=PATH, body=b"", extra=""):
    """The bytes of a signed request without its body."""
    lines = [f"{name}: {value}\r\n" for name, value in wire.signed(method, target, body).items()]
    return f"{method} {target} HTTP/1.1\r\n{''.join(lines)}{extra}\r\n".encode("latin-1")


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET /v1/transfers HTTP/1.1\r\nHost: x\r\nX"])
def test_a_head_that_does_not_come_is_not_waited_for(sent):
    """A connection is closed when its headers do not arrive in time."""
    with (
        Server(Simulator(), limits=ServerLimits(headers_seconds=0.1)) as server,
        socket.create_connection((server.host, server.port), timeout=5) as slow,
    ):
        slow.sendall(sent)
        with suppress(ConnectionError):
            assert slow.recv(100) == b""


@pytest.mark.parametrize("line", [b"X: " + b"a" * MIB, b"X: a\r\n" * 200_000])
def test_a_head_without_end_is_cut_off(wire, line):
    """A connection is closed when its headers are too large."""
    endless = b"GET /v1/transfers HTTP/1.1\r\nHost: x\r\n" + line * 30
    with (
        socket.create_connection((wire.server.host, wire.server.port), timeout=5) as client,
        pytest.raises(ConnectionError),
    ):
        client.sendall(endless)


def test_a_body_that_stops_coming_is_not_waited_for(serve):
    """A body returns 408 when its next part does not arrive in time."""
    wire = serve(limits=ServerLimits(body_seconds=0.1))
    assert status(raw(wire, head(wire, "POST", extra="Content-Length: 9\r\n"), b"{")) == 408


@pytest.mark.parametrize(("seconds", "good"), [(-290, 200), (-310, 401), (290, 200), (310, 401)])
def test_dates_are_judged_by_the_wall_clock(wire, seconds, good):
    """X-Date is checked against real time, also when frozen. Assumption `clock.signing`."""
    moment = datetime.now(UTC) + timedelta(seconds=seconds)
    headers = wire.signed("GET", PATH, **{"x-date": timestamps.to_text(moment)})
    assert wire.carry("GET", PATH, headers, b"").status == good


def test_a_nonce_stays_used_when_only_the_simulator_clock_advances(wire):
    """A nonce stays used when only the simulator's clock advances."""
    headers = wire.signed("GET", PATH)
    assert wire.carry("GET", PATH, headers, b"").status == 200
    wire.advance(10_000)
    again = wire.carry("GET", PATH, headers, b"")
    assert (again.status, again["reason"]) == (401, "nonce-reused")


def test_the_host_is_signed_as_sent(wire):
    """The signature covers the Host header as sent, including the port."""
    headers = wire.signed("GET", PATH, host="localhost")
    assert wire.carry("GET", PATH, headers, b"").status == 200
    headers = wire.signed("GET", PATH) | {"host": "localhost"}
    assert wire.carry("GET", PATH, headers, b"").status == 401


def test_a_query_arrives_as_it_was_sent(wire):
    """The signature covers the query as sent, neither decoded nor sorted."""
    assert wire.get(f"{PATH}?limit=5&b=%2F+%20&a=%e9~").status == 200
    assert wire.get("/v1/individuals/a%20b%2Fc").status == 404


def test_an_accepted_connection_has_the_option_tcp_nodelay(wire):
    """An accepted connection has the option TCP_NODELAY."""
    wire.get("/_simulator")
    server = wire.server._serving._server
    connection = next(iter(server.server_state.connections))
    accepted = connection.transport.get_extra_info("socket")
    assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        (b"BREW /v1/transfers HTTP/1.1", 405, "this path takes POST, GET"),
        (b"get /v1/transfers?limit=1 HTTP/1.1", 405, "this path takes POST, GET"),
        (b"BREW /v1/tea HTTP/1.1", 404, "the path does not exist"),
        (b"GET /v1/individuals/\xc3\xa9 HTTP/1.1", 400, "Invalid HTTP request received."),
        (b"\x00\x01", 400, "Invalid HTTP request received."),
    ],
)
def test_what_is_no_http_gets_json_too(wire, line, code, words):
    """Unknown methods and invalid requests get a JSON error, and the connection is closed."""
    answer = raw(wire, line + b"\r\nHost: localhost\r\n\r\n")
    top, _, body = answer.partition(b"\r\n\r\n")
    assert (status(answer), json.loads(body)) == (code, {"error": words})
    assert b"\r\nconnection: close" in top
    assert (b"\r\nallow: POST, GET" in top) == (code == 405)


@pytest.mark.parametrize("method", ["HEAD", "PATCH", "OPTIONS", "PROPFIND"])
def test_an_unsupported_method_returns_405_with_allow(wire, method):
    """An unsupported method returns 405 with Allow."""
    answer = wire.call(method, PATH)
    assert (answer.status, answer.headers["allow"]) == (405, "POST, GET")


@pytest.mark.parametrize(
    "line",
    [
        "GET",
        "GET /v1/transfers",
        "BREW /v1/transfers HTTP/1.1",
        "GET /v1/transfers HTTP/9.9",
        "GET /v1/tränsfers HTTP/1.1",
        "GET http://x/v1/transfers HTTP/1.1",
        "GET http://x HTTP/1.1",
        "GET // HTTP/1.1",
        "GET /v1/transfers?\x01 HTTP/1.1",
        "GET /v1/transfers#x HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "CONNECT x:1 HTTP/1.1",
        "\x00\x01\x02",
        "GET /" + "x" * 100_000 + " HTTP/1.1",
        "PRI * HTTP/2.0",
    ],
)
def test_an_invalid_request_line_never_causes_a_5xx_and_the_next_request_succeeds(wire, line):
    """An invalid request line never causes a 5xx, and the next request succeeds."""
    answer = raw(wire, f"{line}\r\nhost: localhost\r\n\r\n".encode())
    assert status(answer) in (None, 400, 401, 404, 405)
    assert wire.get(PATH).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        "x-date: é\r\n",
        "authorization: \x01\r\n",
        "x: " + "y" * 200_000 + "\r\n",
        "x: y\r\n" * 2_000,
        "connection: upgrade\r\nupgrade: websocket\r\n",
        "connection: upgrade\r\nupgrade: h2c\r\n",
        "transfer-encoding: gzip, chunked\r\n",
        "content-length: -1\r\n",
        "content-length: x\r\n",
        "content-length: 5\r\ncontent-length: 6\r\n",
        "no colon\r\n",
        " folded\r\n",
    ],
)
def test_invalid_headers_never_cause_a_5xx_and_the_next_request_succeeds(wire, headers):
    """Invalid headers never cause a 5xx, and the next request succeeds."""
    answer = raw(wire, f"GET {PATH} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n".encode())
    assert status(answer) in (None, 400, 401)
    assert wire.get(PATH).status == 200


def test_a_body_cut_short_is_not_carried_out(wire):
    """A request whose body is incomplete is neither processed nor answered."""
    said = raw(wire, head(wire, "POST", "/_simulator/reset", b"", "content-length: 9\r\n"))
    wire.person()
    assert (said, len(wire.get("/v1/individuals")["data"])) == (b"", 1)


def test_two_requests_sent_at_once_get_two_answers_in_order(wire):
    """Two requests sent at once get two answers in order."""
    answer = raw(wire, head(wire), head(wire, target="/v1/nothing"), answers=2)
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404"]


def test_a_body_too_large_by_its_length_is_a_413(wire):
    """A Content-Length above 256 MiB returns 413 before the body is read."""
    length = f"content-length: {256 * MIB + 1}\r\n"
    answer = raw(wire, head(wire, "POST", extra=length), b"x" * 1000)
    assert status(answer) == 413
    assert b"connection: close" in answer
    assert b'"error"' in answer


def test_a_body_of_the_largest_length_is_awaited(wire):
    """A Content-Length of exactly 256 MiB is accepted: the server waits for the body."""
    length = f"content-length: {256 * MIB}\r\n"
    assert raw(wire, head(wire, "POST", extra=length), b"x" * 1000) == b""


async def chunks(count, size=MIB):
    """A stream of ASGI messages with this many chunks."""
    part = b"x" * size
    for left in range(count, 0, -1):
        yield {"type": "http.request", "body": part, "more_body": left > 1}


def make_app(simulator, **limits):
    """The ASGI application of a simulator with other limits."""
    service = simulator.world.service
    return SimulatorApp(simulator.respond, None, service=service, limits=ServerLimits(**limits))


@pytest.mark.parametrize(("count", "code"), [(4, 401), (5, 413), (4000, 413)])
def test_a_body_too_large_in_chunks_is_a_413(run_app, count, code):
    """A chunked body returns 413 once it exceeds the limit, and the rest is not read."""
    received, sent = run_app(make_app(Simulator(), body_size_max=4 * MIB), chunks(count))
    assert sent[0]["status"] == code
    assert received <= 5


def test_a_body_too_large_in_chunks_is_a_413_on_a_socket(serve):
    """The server closes the connection during the body, and the client can read the 413."""
    wire = serve(limits=ServerLimits(body_size_max=4 * MIB))
    chunk = b"100000\r\n" + b"x" * MIB + b"\r\n"
    with socket.create_connection((wire.server.host, wire.server.port), timeout=20) as client:
        client.sendall(head(wire, "POST", extra="transfer-encoding: chunked\r\n"))
        for _ in range(300):
            try:
                client.sendall(chunk)
            except OSError:
                break
        assert status(client.recv(1000)) == 413


def test_a_lawful_large_body_is_accepted(wire, image):
    """An image of 15 MB, 21 MB in Base64, is accepted."""
    made = wire.person("MX", "on_ramp")["id"]
    body = {"images": [{"type": "selfie", "content": image(15_728_640)}]}
    answer = wire.post(f"/v1/individuals/{made}/verification_images", body)
    assert (answer.status, len(answer["images"])) == (200, 1)


def test_a_port_that_is_taken(wire):
    """A port in use raises an error that names the address."""
    port = wire.server.port
    with pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1 port {port}"):
        Server(Simulator(), port=port)


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70_000), ("no.such.host.invalid", 0)])
def test_an_address_that_is_none(host, port):
    """An invalid port or host raises an error."""
    with pytest.raises(ConfigError, match=r"cannot listen on no\.such|65535, not 70000"):
        Server(Simulator(), host=host, port=port)


def test_the_server_listens_on_loopback_unless_told_otherwise():
    """The server listens on 127.0.0.1 by default."""
    with Server(Simulator()) as server:
        assert server.base_url.startswith("http://127.0.0.1:")


def test_a_stopped_server_has_no_thread_and_refuses_connections(serve):
    """A stopped server has no thread and refuses connections; `serve` stops it again."""
    service = serve()
    service.server.stop()
    assert not service.server.is_alive()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((service.server.host, service.server.port), timeout=1)


def test_a_port_that_is_taken_changes_nothing(make):
    """A server that cannot start leaves the simulator's delivery mode unchanged."""
    service = make(send=lambda url, body: 200)
    delivery = service.simulator.delivery
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ConfigError):
        Server(service.simulator, port=taken.getsockname()[1]).start()
    assert delivery.waits_for_receivers
    with Server(service.simulator):
        assert not delivery.waits_for_receivers
    assert delivery.waits_for_receivers


def test_the_simulator_goes_on_after_its_server(tmp_path, in_process):
    """After its server stops, a simulator with a file still works and can be served again."""
    simulator = Simulator(data=tmp_path / "world.db", send=lambda url, body: 200)
    service = in_process(simulator)
    for _ in range(2):
        with Server(simulator):
            pass
        url = {"url": "https://e.co", "event_types": ["transfer.created"]}
        service.made("/v1/webhook_subscriptions", url)
        service.transfer()
    rows = service.get("/_simulator/deliveries").json
    simulator.close()
    assert [row["status"] for row in rows] == [200, 200, 200]


def test_a_body_that_drips_has_an_end(serve):
    """A body whose bytes arrive slowly returns 408 as well."""
    wire = serve(limits=ServerLimits(body_seconds=0.2))
    with socket.create_connection((wire.server.host, wire.server.port), timeout=5) as client:
        client.sendall(head(wire, "POST", extra="Content-Length: 900\r\n"))
        with suppress(ConnectionError):
            for _ in range(40):
                client.sendall(b"{")
                time.sleep(0.02)
        assert status(client.recv(1000)) == 408


@pytest.mark.parametrize(("held", "code"), [(4, 401), (3, 503)])
def test_a_body_that_does_not_fit_any_more(run_app, held, code):
    """A body that fits exactly is read; a larger one returns 503 with the time to wait."""
    asgi = make_app(Simulator(), bodies_size_max=held * MIB)
    _, [start, *_] = run_app(asgi, chunks(4))
    assert (start["status"], asgi._held_bytes) == (code, 0)
    assert (dict(start["headers"]).get(b"retry-after") == b"1") is (code == 503)


def test_who_leaves_gets_no_answer(run_app):
    """A request whose client disconnects within the body is not carried out."""

    async def left():
        yield {"type": "http.request", "body": b"{", "more_body": True}
        yield {"type": "http.disconnect"}

    simulator = Simulator()
    asgi = make_app(simulator)
    assert (run_app(asgi, left()), asgi._held_bytes) == ((2, []), 0)
    assert len(simulator.world.journal) == 0


@pytest.mark.parametrize(
    ("details", "pieces"),
    [({"slow": 0.02}, 20), ({"slow": 0.02, "body": "abc"}, 3), ({"delay": 0.01}, 0)],
)
def test_a_slow_body_comes_in_pieces(run_app, details, pieces):
    """A slow body is sent in up to twenty pieces, which together are the whole."""

    async def deferrable():
        yield {"type": "http.request", "body": b""}
        await asyncio.sleep(9)

    simulator = Simulator()
    details = {"kind": "custom", "status": 200, "body": "x" * 50, **details}
    new_fault(simulator.world, details)
    _, [_, *sent] = run_app(make_app(simulator), deferrable())
    assert b"".join(message["body"] for message in sent) == details["body"].encode()
    assert [message.get("more_body", False) for message in sent] == [*[True] * pieces, False]


def test_all_bodies_together_are_bounded(serve):
    """The bodies in memory have a total limit; when clients leave, their memory is released."""
    wire = serve(limits=ServerLimits(bodies_size_max=4 * MIB))
    top = head(wire, "POST", extra=f"Content-Length: {2 * MIB}\r\n")
    address = (wire.server.host, wire.server.port)
    clients = [socket.create_connection(address, timeout=5) for _ in range(6)]
    for client in clients:
        with suppress(ConnectionError):
            client.sendall(top + b" " * (2 * MIB - 1))
    time.sleep(0.2)
    served = wire.server._serving._server.config.app
    assert served._held_bytes <= 4 * MIB
    assert wire.get(PATH).status == 200
    for client in clients:
        client.close()
    deadline = time.monotonic() + 5
    while served._held_bytes and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (served._held_bytes, wire.person()["status"]) == (0, "active")


@pytest.mark.parametrize(
    ("host", "origin", "code"),
    [
        ("127.0.0.1:80", None, 200),
        ("localhost", "http://localhost:8888", 200),
        ("[::1]:9", "http://127.0.0.1:8888", 200),
        ("payments.localhost", None, 200),
        ("192.168.1.7:8000", None, 200),
        ("attacker.example", None, 421),
        ("127.0.0.1.attacker.example", None, 421),
        ("localhost@attacker.example", None, 421),
        ("", None, 421),
        ("localhost", "https://attacker.example", 403),
        ("localhost", "http://localhost.attacker.example", 403),
        ("localhost", "null", 403),
        ("localhost", "http://192.168.1.7", 403),
    ],
)
def test_a_web_page_elsewhere_is_refused(wire, host, origin, code):
    """A foreign host name returns 421, a foreign origin 403, also with a valid signature."""
    headers = wire.signed("GET", PATH, host=host)
    headers |= {} if origin is None else {"origin": origin}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    assert status(raw(wire, f"GET {PATH} HTTP/1.1\r\n{lines}\r\n".encode())) == code


@pytest.mark.parametrize(
    "hosts",
    [
        ("localhost", "attacker.example"),
        ("attacker.example", "localhost"),
        ("localhost", "localhost"),
        ("", "localhost"),
        ("attacker.example", "127.0.0.1", "localhost"),
    ],
)
@pytest.mark.parametrize("path", [PATH, "/_simulator"])
def test_a_request_has_one_host(wire, hosts, path):
    """A second Host is refused, also a valid one and with a valid signature of it."""
    signed = wire.signed("GET", path, host=hosts[-1])
    del signed[next(name for name in signed if name.lower() == "host")]
    pairs = [*(("Host", host) for host in hosts), *signed.items()]
    lines = "".join(f"{name}: {value}\r\n" for name, value in pairs)
    assert status(raw(wire, f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())) == 400


def test_every_control_needs_a_signature(wire):
    """Every unsigned control request returns 401."""
    for _, method, path in CONTROLS:
        body = b"{}" if method in ("POST", "PUT") else b""
        assert wire.carry(method, path.replace("{id}", "x"), {}, body).status == 401, (method, path)


def test_a_server_can_have_keys_of_its_own(in_process):
    """With keys for the server, the keys of the simulator in the process do not work there."""
    simulator = Simulator()
    with Server(simulator, keys=random_keys()) as server:
        inside = paylab.connect(server.base_url, simulator.api_key, simulator.secret_key)
        with inside, pytest.raises(AuthenticationError):
            list(inside.transfers.list())
        with paylab.connect(server.base_url, server.api_key, server.secret_key) as lab:
            assert list(lab.transfers.list()) == []
    assert in_process(simulator).get(PATH).status == 200


def test_a_server_that_was_not_started_can_be_stopped():
    """A server that was not started can be stopped."""
    Server(Simulator()).stop()


def test_time_passes_by_itself(serve):
    """With a running clock, events are sent when they are due, without a request."""
    sent = []
    service = serve(frozen=False, speed=200, send=lambda url, body: sent.append(body) or 200)
    types = ["transfer.created", "transfer.completed"]
    service.post("/v1/webhook_subscriptions", {"url": "https://e.co", "event_types": types})
    service.transfer(service.payable())
    deadline = time.monotonic() + 5
    while len(sent) < 2 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert [b"created" in sent[0], b"transfer.completed" in sent[1]] == [True, True]


def test_the_world_is_the_same_inside_and_outside(wire):
    """An individual created over HTTP is in the state of the simulator in this process."""
    made = wire.person()
    assert wire.simulator.world.find("individuals", made["id"])["country"] == "MX"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_one_server_of_two_stops(order):
    """Requests wait for receivers again only after both servers have stopped."""
    simulator = Simulator()
    was = simulator.delivery.waits_for_receivers
    servers = [Server(simulator).start() for _ in range(2)]
    states = []
    for number in order:
        servers[number].stop()
        states.append(simulator.delivery.waits_for_receivers)
    assert states == [False, was]
    assert was is True
