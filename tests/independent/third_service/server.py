"""The service over HTTP on loopback."""

import json
import threading
import time
from contextlib import contextmanager
from datetime import timedelta
from email.utils import format_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from third_service.deviations import DEVIATIONS
from third_service.service import Service
from third_service.wire import Call


class Handler(BaseHTTPRequestHandler):
    """Turns a request on a connection into a call, and the answer into bytes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self):
        """Answer one request."""
        service = self.server.service
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value.strip() for name, value in self.headers.items()}
        raw = self.rfile.read(int(headers.get("content-length") or 0))
        answer = service.respond(Call(self.command, path, query, headers, raw))
        body = answer.body
        if body is None:
            content = b""
        else:
            content = (body if isinstance(body, str) else json.dumps(body)).encode()
        moment = service.now() + timedelta(seconds=service.settings.clock_ahead)
        head = {"Date": format_datetime(moment, usegmt=True), "Content-Length": str(len(content))}
        if content:
            head["Content-Type"] = answer.content_type
        lines = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}"]
        lines += [f"{name}: {value}" for name, value in (head | answer.headers).items()]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

    def log_message(self, *_arguments):
        """Print nothing."""


class Server(ThreadingHTTPServer):
    """Moves the states of the service also while nobody asks."""

    daemon_threads = True
    block_on_close = False

    def service_actions(self):
        """Carry out what fell due."""
        self.service.run_due()


def deliver(service, running):
    """Send events to subscribers on this machine; those elsewhere get none."""
    while running.is_set():
        try:
            url, body = service.events.popleft()
        except IndexError:
            time.sleep(0.02)
            continue
        if urlsplit(url).hostname in {"127.0.0.1", "localhost"}:
            head = {"Content-Type": "application/json"}
            try:
                urlopen(Request(url, body.encode(), head), timeout=10).close()
            except (URLError, OSError):
                continue  # the specification promises no second attempt


@contextmanager
def serve(*deviations, now=None):
    """Serve with the named deviations; `now()` is the clock, the real one by default.

    The service that comes back has `base_url`, `api_key`, `secret_key`, `requests` by method and
    path, `created` by kind, `rows` by kind and id, and `advance(seconds)`.
    """
    service = Service([DEVIATIONS[name] for name in deviations], now)
    server = Server(("127.0.0.1", 0), Handler)
    server.service = service
    service.base_url = f"http://127.0.0.1:{server.server_port}{service.settings.base_path}"
    running = threading.Event()
    running.set()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    threading.Thread(target=deliver, args=(service, running), daemon=True).start()
    try:
        yield service
    finally:
        running.clear()
        server.shutdown()
        server.server_close()
