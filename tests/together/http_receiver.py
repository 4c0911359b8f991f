"""A receiver of webhooks: a real HTTP server on this machine."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    """An HTTP server that stores events and answers with a status or by a function."""

    def __init__(self, answer):
        self.got, self.bodies, self.answer = [], [], answer
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                sent = self.rfile.read(int(self.headers["content-length"]))
                body = json.loads(sent)
                outer.bodies.append(sent)
                outer.got.append((self.path, dict(self.headers), body))
                outer.respond(self, body)

            def log_message(self, *_):
                """Log nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?a=1&b=%2F"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def respond(self, handler, body):
        """Send the status, unless the function answers by itself."""
        status = self.answer(handler, body) if callable(self.answer) else self.answer
        if status:
            handler.send_response(status)
            handler.send_header("content-length", "0")
            handler.send_header("location", "/elsewhere")
            handler.end_headers()

    @property
    def types(self):
        """The event types received, in order, without the resource prefix."""
        return [body["event_type"].partition(".")[2] for _, _, body in self.got]
