"""Over a real socket: dropped connections, cut bodies, redirects, proxies and cookies."""

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
    """Start a server that answers with a function; return its URL and the request lines."""
    servers = []

    def start(answer):
        asked = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.requestline)
                answer(self)

            def log_message(self, *_):
                """Do not print the requests."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}", asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def connect(base_url):
    """A client with a short timeout that does not sleep between attempts."""
    settings = Settings(base_url, "key_live_1234", "s3cr3t/with+signs=", timeout=0.5)
    return closing(Client(settings, sleep=lambda _: None))


def send_whole(handler):
    """Send a small JSON object."""
    body = b'{"id": "tr_1"}'
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def send_half(handler):
    """Send a body that ends before its announced length."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"id": ')
    handler.close_connection = True


def send_nothing(handler):
    """Close the connection without an answer."""
    handler.close_connection = True


def send_late(handler):
    """Wait longer than the client's timeout."""
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
    """A failing GET is tried three times and then raises a clear error."""
    base_url, asked = serve(answer)
    with connect(base_url) as client, pytest.raises(error, match=words):
        client.transfers.get("tr_1")
    assert asked == ["GET /v1/transfers/tr_1 HTTP/1.1"] * 3


def test_a_cut_answer_has_its_status(serve):
    """The call record of an answer that was cut off has its status."""
    base_url, _ = serve(send_half)
    with connect(base_url) as client, pytest.raises(errors.APIConnectionError) as caught:
        client.transfers.get("tr_1")
    assert caught.value.call.status == 200


def test_the_error_for_a_refused_connection_says_that_it_was_refused():
    """The error for a refused connection says that it was refused."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        with connect(address) as client, pytest.raises(errors.APIConnectionError, match="refused"):
            client.transfers.get("tr_1")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_sends_nothing_to_its_target(serve, status):
    """A redirect raises RedirectError, and nothing is sent to its target."""
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
    """Requests to this machine ignore a proxy in the environment."""
    proxy, asked_proxy = serve(send_whole)
    base_url, asked = serve(send_whole)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy)
    with connect(base_url) as client:
        assert client.transfers.get("tr_1").id == "tr_1"
    assert (len(asked), asked_proxy) == (1, [])


def test_a_cookie_is_not_kept(serve):
    """A cookie is not sent back, and Set-Cookie is not in the call record."""
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
