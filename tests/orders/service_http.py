"""The payments service for tests over HTTP: signatures are checked, answers can be spoiled."""

import base64
import contextlib
import hashlib
import hmac
import json
import re
import socket
import struct
import threading
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

from payments_service import PaymentsService
from service_answer import Answer
from spoiled_answers import RESET, SPOILED

AUTHORIZATION = re.compile(
    r"HMAC-SHA256 Credential=(?P<key>[^,]+),\s*"
    r"SignedHeaders=(?P<names>[^,]+),\s*Signature=(?P<signature>.+)"
)


class Handler(BaseHTTPRequestHandler):
    """Checks the signature, asks the service and writes the answer, spoiled if a test says so."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        """Answer a GET."""
        self._answer()

    def do_POST(self):
        """Answer a POST."""
        self._answer()

    def log_message(self, *arguments):
        """Print nothing."""

    def _answer(self):
        service = self.server.service
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        if len(raw) < length:  # the client was killed while it sent
            self.close_connection = True
            return
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        problem = self.server.signature_problem(self.command, path, query, headers, raw)
        if problem:
            answer = Answer(401, {"error": problem})
        else:
            answer = service.respond(self.command, path, dict(parse_qsl(query)), headers, raw)
        content = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        body = b"" if answer.body is None else content.encode()
        kind = ""
        if self.command == "POST" and answer.status in (200, 201, 202):
            kind = self.server.kind_of_answer(raw)
        with contextlib.suppress(OSError):
            if kind:
                self._spoil(SPOILED[kind], answer, body)
            else:
                self._write(answer, body)

    def _date(self):
        service = self.server.service
        if service.date_error is None:
            return {}
        return {"Date": format_datetime(service.clock() + service.date_error, usegmt=True)}

    def _write(self, answer, body):
        self.send_response_only(answer.status)
        html = isinstance(answer.body, str)
        self.send_header("Content-Type", "text/html" if html else "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in {**self._date(), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _spoil(self, spoil, answer, body):
        """Write the pieces of a spoiled answer, then close; a number waits, `RESET` resets."""
        self.close_connection = True
        for piece in spoil(answer.status, body, json.loads(body)):
            if piece is RESET:
                linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            elif isinstance(piece, bytes):
                self.wfile.write(piece)
                self.wfile.flush()
            else:
                self.server.stopping.wait(piece)


class HttpService(ThreadingHTTPServer):
    """A payments service on a port of this machine, from `with` to its end."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.service = PaymentsService()
        self.service.base_url = f"http://127.0.0.1:{self.server_address[1]}"
        self.nonces = set()
        self.stopping = threading.Event()
        self.problems = []

    def __enter__(self):
        """Serve from a thread."""
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error):
        """Stop serving."""
        self.stopping.set()
        self.shutdown()
        self.server_close()
        self.thread.join()

    def handle_error(self, request, client_address):
        """Print nothing when a client hangs up."""

    def kind_of_answer(self, raw):
        """Return how the answer to a carried out POST is spoiled, or nothing."""
        service = self.service
        with service.lock:
            amount = json.loads(raw).get("source_amount")
            if amount in service.spoiled_by_amount:
                return service.spoiled_by_amount.pop(amount)
            return service.spoiled.popleft() if service.spoiled else service.spoiled_always

    def signature_problem(self, method, path, query, headers, raw):
        """Say what is wrong with the signature of a request, or nothing."""
        problem = next(self._signature_problems(method, path, query, headers, raw), "")
        if problem:
            self.problems.append(problem)
        return problem

    def _signature_problems(self, method, path, query, headers, raw):
        """Check step by step; only the first problem is taken."""
        match = AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        if match is None:
            yield "missing or malformed Authorization"
        secret = self.service.keys.get(match["key"])
        if secret is None or headers.get("x-api-key") != match["key"]:
            yield "unknown API key"
        names = sorted(match["names"].split(";"))
        if not {"host", "x-api-key", "x-date", "x-content-sha256"} <= set(names):
            yield "a header that must be signed is not"
        digest = hashlib.sha256(raw).hexdigest()
        if headers["x-content-sha256"] != digest:
            yield "X-Content-SHA256 does not fit the body"
        lines = [method, path, *([query] if query else [])]
        lines += [f"{name}:{headers.get(name, '').strip()}" for name in names]
        lines += [";".join(names), digest]
        hashed = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        payload = "\n".join(("HMAC-SHA256", headers["x-date"], hashed))
        mac = hmac.new(secret.encode(), payload.encode(), hashlib.sha256).hexdigest()
        expected = base64.b64encode(mac.encode()).decode()
        if not hmac.compare_digest(expected, match["signature"]):
            yield "the signature does not match"
        nonce = headers.get("x-nonce")
        with self.service.lock:
            if nonce in self.nonces:
                yield "the nonce was used before"
            self.nonces.add(nonce)
