"""What only a real socket shows: dropped connections, cut bodies, redirects, proxies."""

from __future__ import annotations

import socket
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from paylab import errors
from paylab.client import Client
from paylab.client.settings import Settings


@pytest.fixture
def serve():
    """Serve what a function does with each request; gives the address and the lines asked."""
    servers = []

    def start(answer):
        asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.requestline)
                answer(self)

            def log_message(self, *_):
                """Keep the test's output clean."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}", asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def connect(base_url):
    """A client with short patience that does not sleep."""
    settings = Settings(base_url, "key_live_1234", "s3cr3t/with+signs=", timeout=0.5)
    return closing(Client(settings, sleep=lambda _: None))


def send_whole(handler):
    """A small JSON object."""
    body = b'{"id": "tr_1"}'
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def send_half(handler):
    """A body that ends before its announced length."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"id": ')
    handler.close_connection = True


def send_nothing(handler):
    """The connection closes where an answer should be."""
    handler.close_connection = True


def send_late(handler):
    """Longer than the client waits."""
    threading.Event().wait(1)


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (send_half, errors.APIConnectionError, "cut off.*7 bytes, expected 100"),
        (send_nothing, errors.APIConnectionError, "cut off"),
        (send_late, errors.APITimeoutError, "no answer in time"),
    ],
)
def test_a_get_is_tried_three_times_and_then_told(serve, answer, error, words):
    """A clear error, after the retries that are safe."""
    base_url, asked = serve(answer)
    with connect(base_url) as client, pytest.raises(error, match=words):
        client.transfers.get("tr_1")
    assert asked == ["GET /v1/transfers/tr_1 HTTP/1.1"] * 3


def test_a_cut_answer_has_its_status(serve):
    """The status had come when the connection broke."""
    base_url, _ = serve(send_half)
    with connect(base_url) as client, pytest.raises(errors.APIConnectionError) as caught:
        client.transfers.get("tr_1")
    assert caught.value.call.status == 200


def test_nobody_listens():
    """Refused connections say so."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        with connect(address) as client, pytest.raises(errors.APIConnectionError, match="refused"):
            client.transfers.get("tr_1")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_sends_nothing_to_its_target(serve, status):
    """Signed headers go to one host only."""
    target, asked_there = serve(send_whole)

    def redirect(handler):
        handler.send_response(status)
        handler.send_header("Location", f"{target}/v1/transfers/tr_1")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    base_url, asked = serve(redirect)
    with connect(base_url) as client, pytest.raises(errors.RedirectError, match=target):
        client.transfers.get("tr_1")
    assert (len(asked), asked_there) == (1, [])


def test_this_machine_is_not_reached_through_a_proxy(serve, monkeypatch):
    """A proxy in the environment is for other hosts."""
    proxy, asked_proxy = serve(send_whole)
    base_url, asked = serve(send_whole)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy)
    with connect(base_url) as client:
        assert client.transfers.get("tr_1").id == "tr_1"
    assert (len(asked), asked_proxy) == (1, [])


def test_a_cookie_is_not_kept(serve):
    """The service knows its callers by signature."""
    sent = []

    def set_cookie(handler):
        sent.append(handler.headers["Cookie"])
        handler.send_response(204)
        handler.send_header("Set-Cookie", "session=1")
        handler.end_headers()

    base_url, _ = serve(set_cookie)
    with connect(base_url) as client:
        client.request("GET", "/v1/x")
        client.request("GET", "/v1/x")
        assert "set-cookie" not in client.calls[-1].response_headers
    assert sent == [None, None]
