"""The service on a loopback port, for clients in other processes."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from .service import Service


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, service: Service, port: int) -> None:
        self.service = service
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _answer(self) -> None:
        listener: Any = self.server
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length)
        answer = listener.service.handle(self.command, self.path, self.headers.items(), body)
        status, headers, content = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815 - the library's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Write nothing: `Service.calls` lists the requests."""


class Server:
    """A context manager that serves on a loopback port; see `base_url` and `environment`."""

    def __init__(self, service: Service | None = None, port: int = 0) -> None:
        self.service = service or Service()
        self._listener = _Listener(self.service, port)
        self._thread = threading.Thread(target=self._listener.serve_forever, args=(0.05,))
        self._thread.daemon = True
        self._ticker = threading.Thread(target=self._tick, daemon=True)
        self._closed = threading.Event()
        self.base_url = f"http://127.0.0.1:{self._listener.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that connect a client in another process to this server."""
        return {
            "PAYLAB_BASE_URL": self.base_url,
            "PAYLAB_API_KEY": self.service.api_key,
            "PAYLAB_SECRET_KEY": self.service.secret_key,
        }

    def _tick(self) -> None:
        """Run due steps every 0.02 s, so that events are sent without a request."""
        while not self._closed.wait(0.02):
            self.service.advance()

    def __enter__(self) -> Server:
        self._thread.start()
        self._ticker.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closed.set()
        self._ticker.join()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()
