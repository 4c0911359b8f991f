"""Events that are forwarded to a handler of the user."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from paylab.errors import ConfigError
from paylab.webhooks.inbox import check_target, post_event


@pytest.fixture
def handler():
    """A web handler that answers with the status in its path and records the bodies."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            server.headers = self.headers
            length = int(self.headers["content-length"])
            server.got.append((self.headers["content-type"], self.rfile.read(length)))
            self.send_response(int(self.path.strip("/")))
            self.send_header("location", "/200")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.got, server.url = [], f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()


@pytest.mark.parametrize("status", [200, 204, 302, 400, 500])
def test_a_handler_is_given_the_body_as_it_came(handler, status):
    """The body is sent unchanged, the status is returned, and no redirect is followed."""
    assert post_event(f"{handler.url}/{status}", b'{"a": 1 }') == status
    assert handler.got == [("application/json", b'{"a": 1 }')]


def test_a_handler_is_given_the_signature(handler, monkeypatch):
    """The signature is sent in the header that the service uses, and through no proxy."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert post_event(f"{handler.url}/200", b"{}", signature={"x-signature": "ab"}) == 200
    assert handler.headers["X-Signature"] == "ab"


def test_nobody_there_has_no_status(handler):
    """A handler that cannot be reached has no status."""
    handler.shutdown()
    handler.server_close()
    assert post_event(f"{handler.url}/200", b"{}", timeout=1) is None


@pytest.mark.parametrize(
    ("url", "good"),
    [
        ("http://127.0.0.1:8000/hook", True),
        ("http://localhost/hook", True),
        ("http://[::1]:9/hook", True),
        ("https://example.com/hook", True),
        ("http://example.com/hook", False),
        ("http://127.0.0.1.example.com/", False),
        ("ftp://127.0.0.1/", False),
        ("http://[::1", False),
        ("http://127.0.0.1:99999/", False),
        ("hook", False),
        ("", False),
    ],
)
def test_events_leave_this_machine_encrypted(url, good):
    """Events can be sent by https to any host, and by http only to loopback."""
    if good:
        assert check_target(url) == url
        return
    with pytest.raises(ConfigError):
        check_target(url)
